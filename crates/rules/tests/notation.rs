//! Moves in UCI and SAN, lines, and the rules of movement that notation shows. Field cases B01, B13, B14, B16, B19, B20, B22.

use rules::{Color, Game, Move, Position, Role, Ruleset, Square, canonical_moves, fen, line, san};

const RULES: Ruleset = Ruleset::International;

fn game(text: &str) -> Game {
    fen::parse(text, RULES).expect("a legal FEN").game
}

/// The legal moves in SAN, in canonical order.
fn sans(text: &str) -> String {
    let position: Position = *game(text).position();
    let texts: Vec<String> = canonical_moves(&position, RULES)
        .into_iter()
        .map(|mv| san::write(&position, mv, RULES))
        .collect();
    texts.join(" ")
}

fn square(text: &str) -> Square {
    Square::parse(text).expect("a square")
}

#[test]
fn legal_moves_are_these_in_this_order() {
    for (what, text, moves) in [
        (
            "promotion to any piece and to king (B14)",
            "8/P7/8/7p/8/8/8/8 w - - 0 1",
            "a7a8n a7a8b a7a8r a7a8q a7a8k",
        ),
        (
            "both pawns may capture en passant, and one must (B01)",
            "8/8/8/5P2/5pPp/8/8/8 b - g3 0 1",
            "f4g3 h4g3",
        ),
        (
            "the same for White",
            "8/8/8/5PpP/5p2/8/8/8 w - g6 0 1",
            "f5g6 h5g6",
        ),
        (
            "without the en-passant square the pawns advance",
            "8/8/8/5P2/5pPp/8/8/8 b - - 0 1",
            "f4f3 h4h3",
        ),
        (
            "en passant is offered beside other captures (M1)",
            "8/8/8/pP6/7p/7R/8/8 w - a6 0 1",
            "h3h4 b5a6",
        ),
        (
            "a capture is compulsory, the choice among captures is free",
            "8/8/8/3p1p2/4P3/8/8/K7 w - - 0 1",
            "e4d5 e4f5",
        ),
        (
            "a king is captured like any man",
            "8/8/8/8/8/8/k7/R6k w - - 0 1",
            "a1h1 a1a2",
        ),
        (
            "a king may step next to an enemy king",
            "8/8/8/8/8/1k6/8/KK6 w - - 0 1",
            "a1a2 a1b2 b1c1 b1a2 b1b2 b1c2",
        ),
    ] {
        let legal = line::write_uci(&game(text).legal_moves());
        assert_eq!(legal, moves, "{what}: {text}");
    }
}

/// Field case B13: a program that overlooks en passant advances here.
#[test]
fn en_passant_is_compulsory() {
    let mut game = game("8/8/8/2k1K3/2pP4/8/8/8 b - d3 0 1");
    assert_eq!(line::write_uci(&game.legal_moves()), "c4d3 c5d4");
    game.play_text("cxd3").expect("a legal move");
    assert_eq!(
        fen::write_position(game.position()),
        "8/8/8/2k1K3/8/3p4/8/8 w - -"
    );
}

/// Field case B14.
#[test]
fn a_pawn_becomes_a_king_in_uci_and_san() {
    for text in ["a7a8k", "a8=K", "a8K"] {
        let mut game = game("8/P7/8/7p/8/8/8/8 w - - 0 1");
        game.play_text(text).expect("a legal move");
        assert_eq!(
            game.position().man_at(square("a8")),
            Some((Color::White, Role::King)),
            "{text}"
        );
    }
}

/// Field case B16 b: a game with castling would have 26 moves.
#[test]
fn nobody_castles() {
    let (game, _) =
        line::play(Game::initial(RULES), "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7").expect("legal moves");
    assert_eq!(game.legal_moves().len(), 25);
}

#[test]
fn san_names_the_origin_only_as_far_as_legal_rivals_need() {
    for (what, text, moves) in [
        (
            "kings like any piece (B20)",
            "K1K5/8/8/8/8/8/8/7k w - - 0 1",
            "Ka7 Kab7 Kab8 Kcb7 Kc7 Kd7 Kcb8 Kd8",
        ),
        (
            "a promotion with capture",
            "2r5/1P6/8/8/8/8/8/8 w - - 0 1",
            "bxc8=N bxc8=B bxc8=R bxc8=Q bxc8=K",
        ),
        (
            "en passant is a capture",
            "8/8/8/5P2/5pPp/8/8/8 b - g3 0 1",
            "fxg3 hxg3",
        ),
        (
            "by rank where the file is shared",
            "8/8/8/N7/2p5/N7/8/8 w - - 0 1",
            "N3xc4 N5xc4",
        ),
        (
            "by rank, by file, by both",
            "8/8/8/8/Q3p2Q/8/8/7Q w - - 0 1",
            "Q1xe4 Qaxe4 Qh4xe4",
        ),
        (
            "no rival among other pieces",
            "8/8/8/8/R3p2Q/8/8/8 w - - 0 1",
            "Rxe4 Qxe4",
        ),
    ] {
        assert_eq!(sans(text), moves, "{what}: {text}");
    }
}

/// Field case B22: other programs mark a move that ends the game, whoever wins.
#[test]
fn san_is_written_without_marks_and_read_with_any() {
    let start = "8/8/8/1p6/8/2K5/8/8 w - - 0 1";
    assert_eq!(sans(start), "Kb2 Kc2 Kd2 Kb3 Kd3 Kb4 Kc4 Kd4");
    for text in [
        "Kb4", "Kb4#", "Kb4+", "Kb4!?", "Kb4#!!", "Kxb4", "K3b4", "Kcb4", "Kc3b4", "Kc3-b4",
        "c3b4", "c3b4#",
    ] {
        let mv = san::read(&game(start), text).expect("a way to write Kb4");
        assert_eq!(mv.to_string(), "c3b4", "{text}");
    }
}

#[test]
fn a_capture_en_passant_may_say_so() {
    let start = "4k3/8/8/3pP2p/8/8/7P/4K3 w - d6 0 1";
    for text in [
        "exd6",
        "exd6e.p.",
        "exd6 e.p.",
        "exd6ep",
        "exd6e.p.!",
        "exd6+ e.p.",
        "e5d6e.p.",
        "1. exd6\n e.p.",
        "1. exd6 e.p.+ *",
    ] {
        let (_, moves) = line::play(game(start), text).expect(text);
        assert_eq!(line::write_uci(&moves), "e5d6", "{text}");
    }
    for (text, message) in [
        (
            "1. exd6 e.p. Kd8 e.p.",
            "move 1... (ply 2): Kd8 e.p. is illegal here: it captures nothing en passant",
        ),
        (
            "e.p.",
            "move 1. (ply 1): 'e.p.' is no move in SAN or UCI notation",
        ),
    ] {
        let error = line::play(game(start), text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let quiet = san::read(&Game::initial(RULES), "e4e.p.").expect_err("no capture");
    let message = "e4e.p. is illegal here: it captures nothing en passant";
    assert_eq!(quiet.to_string(), message);
}

#[test]
fn what_is_no_legal_move_is_refused_with_the_reason() {
    let promotion = "8/P7/8/7p/8/8/8/8 w - - 0 1";
    let initial = RULES.initial_fen();
    let captures = "rnbqkbnr/p1pppppp/8/1p6/8/4P3/PPPP1PPP/RNBQKBNR w - b6 0 2";
    for (text, mv, message) in [
        (
            initial,
            "Nf4",
            "Nf4 is illegal here: no man can move like that",
        ),
        (
            initial,
            "e2e5",
            "e2e5 is illegal here: no man can move like that",
        ),
        (initial, "e7e5", "e7e5 is illegal here: it is white's move"),
        (initial, "e4e5", "e4e5 is illegal here: its origin is empty"),
        (
            initial,
            "hello",
            "'hello' is no move in SAN or UCI notation",
        ),
        (initial, "", "'' is no move in SAN or UCI notation"),
        (initial, "Ké4", "'Ké4' is no move in SAN or UCI notation"),
        (
            initial,
            "O-O",
            "O-O is illegal here: there is no castling in international",
        ),
        (
            captures,
            "Nf3",
            "Nf3 is illegal here: capturing is compulsory, legal are f1b5",
        ),
        (
            captures,
            "g1f3",
            "g1f3 is illegal here: capturing is compulsory, legal are f1b5",
        ),
        (
            promotion,
            "a8",
            "a8 is illegal here: the pawn must become something: name it, as in a8=Q, a8=K or a7a8k",
        ),
        (
            promotion,
            "a7a8",
            "a7a8 is illegal here: the pawn must become something: name it, as in a8=Q, a8=K or a7a8k",
        ),
        (
            promotion,
            "a8=P",
            "'a8=P' is no move in SAN or UCI notation",
        ),
        (
            promotion,
            "a7a8p",
            "'a7a8p' is no move in SAN or UCI notation",
        ),
        (
            "8/8/8/8/8/8/8/k7 w - - 0 1",
            "a1a2",
            "a1a2 is illegal here: the game is over",
        ),
        (
            "8/8/8/N7/2p5/N7/8/8 w - - 0 1",
            "Nxc4",
            "Nxc4 is ambiguous: it could be a3c4, a5c4",
        ),
    ] {
        let error = game(text).play_text(mv).expect_err(mv);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

/// Field case B19: with several kings, after the capture of one, and beside a captured one.
#[test]
fn captured_and_promoted_kings_leave_the_position_as_a_fen_sets_it_up() {
    for (text, mv, after) in [
        (
            "8/P7/8/7p/8/8/8/8 w - - 0 1",
            "a8=K",
            "K7/8/8/7p/8/8/8/8 b - - 0 1",
        ),
        (
            "kk6/P7/8/8/8/8/8/KK6 w - - 0 1",
            "axb8=K",
            "kK6/8/8/8/8/8/8/KK6 b - - 0 1",
        ),
        (
            "8/8/8/8/8/8/k7/R6k w - - 3 7",
            "Rxa2",
            "8/8/8/8/8/8/R7/7k b - - 0 7",
        ),
        (
            "8/8/8/3k4/2pPK3/8/8/8 b - d3 0 9",
            "cxd3",
            "8/8/8/3k4/4K3/3p4/8/8 w - - 0 10",
        ),
        (
            "8/8/8/3k4/2pPK3/8/8/8 b - d3 0 9",
            "Kxd4",
            "8/8/8/8/2pkK3/8/8/8 w - - 0 10",
        ),
    ] {
        let mut game = game(text);
        game.play_text(mv).expect("a legal move");
        assert_eq!(fen::write(&game), after, "{text} {mv}");
        let set_up = fen::parse(after, RULES).expect("a legal FEN").game;
        assert_eq!(game.position(), set_up.position(), "{text} {mv}");
        assert_eq!(game.position().key(), set_up.position().recomputed_key());
    }
}

#[test]
fn uci_is_read_strictly() {
    for text in ["e2e4", "a7a8k", "h2h1n"] {
        let mv = Move::parse_uci(text).expect("a move");
        assert_eq!(mv.to_string(), text);
        assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
    }
    for text in [
        "", "e2", "e2e", "e2e9", "i2i4", "e2e4p", "a7a8K", "a7a8qq", "e2e4 ", "é2e4", "e2é4",
    ] {
        let error = Move::parse_uci(text).expect_err(text);
        let message = format!("'{text}' is not a move in UCI notation, such as e2e4 or a7a8k");
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn packed_moves_sort_in_canonical_order() {
    let mut moves: Vec<Move> = (0..=u16::MAX).filter_map(Move::from_bits).collect();
    assert_eq!(moves.len(), 64 * 64 * 6);
    let by_bits = moves.clone();
    moves.sort_by_key(|mv| (mv.from(), mv.to(), mv.promotion()));
    assert_eq!(moves, by_bits);
}

#[test]
fn a_line_is_read_in_every_usual_form() {
    for text in [
        "1. e3 b5 2. Bxb5 Bb7",
        "1.e3 b5 2.Bxb5 Bb7",
        "1. e3 1... b5 2. Bxb5 2... Bb7 *",
        "1.e3 1...b5 2.Bxb5 2...Bb7 1-0",
        "e3 b5 Bxb5 Bb7",
        "e2e3 b7b5 f1b5 c8b7",
        "startpos e2e3 b5\n Bb5\tBb7 1/2-1/2",
    ] {
        let (game, moves) = line::play(Game::initial(RULES), text).expect("legal moves");
        assert_eq!(line::write_uci(&moves), "e2e3 b7b5 f1b5 c8b7", "{text}");
        assert_eq!(
            line::write_san(Game::initial(RULES).position(), 1, &moves, RULES),
            "1. e3 b5 2. Bxb5 Bb7"
        );
        assert_eq!(
            fen::write(&game),
            "rn1qkbnr/pbpppppp/8/1B6/8/4P3/PPPP1PPP/RNBQK1NR w - - 1 3"
        );
    }
    for nothing in ["", "startpos", " \n", "*"] {
        let (_, moves) = line::play(Game::initial(RULES), nothing).expect("no moves");
        assert!(moves.is_empty(), "{nothing:?}");
    }
}

#[test]
fn a_score_that_starts_with_black_is_numbered_so() {
    let start = game("8/8/8/1p6/2K5/8/8/8 b - - 1 11");
    let (after, moves) = line::play(start.clone(), "11... bxc4").expect("a legal move");
    assert_eq!(
        line::write_san(start.position(), start.full_move(), &moves, RULES),
        "11... bxc4"
    );
    assert_eq!(after.full_move(), 12);
}

#[test]
fn an_error_in_a_line_names_the_move() {
    for (text, message) in [
        (
            "e3 b5 Nf3",
            "move 2. (ply 3): Nf3 is illegal here: capturing is compulsory, legal are f1b5",
        ),
        (
            "1. e3 Nf3",
            "move 1... (ply 2): Nf3 is illegal here: no man can move like that",
        ),
        (
            "1. e3 b5 2. what",
            "move 2. (ply 3): 'what' is no move in SAN or UCI notation",
        ),
    ] {
        let error = line::play(Game::initial(RULES), text).expect_err(text);
        assert_eq!(error.to_string(), message);
    }
}

fn game_under(ruleset: Ruleset, text: &str) -> Game {
    fen::parse(text, ruleset).expect("a legal FEN").game
}

/// The UCI moves of a position, in canonical order, joined.
fn moves_under(ruleset: Ruleset, text: &str) -> String {
    let game = game_under(ruleset, text);
    line::write_uci(&game.legal_moves())
}

/// Rules B1 to B4 and X3 to X5, by hand.
#[test]
fn legal_moves_of_the_relatives() {
    use Ruleset::{Variant2, Variant3, Variant4};
    for (ruleset, text, moves) in [
        // Only the capture that answers the check obliges (B3), and in variant4 too the king stays safe (B4).
        (Variant3, "4k3/p7/8/8/8/8/4r3/R3K3 w - -", "e1e2"),
        (Variant4, "4k3/p7/8/8/8/8/4r3/R3K3 w - -", "e1e2"),
        // Field case B29.
        (
            Variant4,
            "8/4P2p/2pk2p1/1p6/1n2P3/B6N/3NKPPP/5B1R w - -",
            "a3b4",
        ),
        (
            Variant4,
            "8/4P2p/2pk2p1/1p6/1B2P3/7N/3NKPPP/5B1R b - -",
            "c6c5 d6e5 d6e6 d6c7 d6d7",
        ),
        // The pawn on b5 may not take on c6: both pawns would leave the rank.
        (
            Variant3,
            "8/8/8/KPp4r/8/8/8/7k w - c6",
            "a5a4 a5a6 a5b6 b5b6",
        ),
        // Queens only (V2), and no king in the royal classes (B2).
        (Variant2, "8/P7/8/8/8/8/7p/7N w - -", "h1f2 h1g3 a7a8q"),
        (Variant3, "8/P6k/8/8/8/8/7p/7K w - -", "h1h2"),
        (Variant3, "8/P6k/8/8/8/8/6pp/6K1 w - -", "g1g2 g1h2"),
    ] {
        assert_eq!(moves_under(ruleset, text), moves, "{ruleset} {text}");
    }
}

fn castlings(ruleset: Ruleset, text: &str) -> String {
    let game = game_under(ruleset, text);
    let texts = game.legal_moves();
    let sans = texts
        .iter()
        .map(|&mv| san::write(game.position(), mv, ruleset));
    let castlings: Vec<String> = sans.filter(|san| san.starts_with('O')).collect();
    castlings.join(" ")
}

#[test]
fn who_castles_when() {
    // Every kind of man, White's behind its pawns.
    for (text, royal, free) in [
        (
            "rnbqk3/p7/8/8/8/5PPP/P2N2BQ/R3K2R w KQ -",
            "O-O-O O-O",
            "O-O-O O-O",
        ),
        ("rnbqk3/p7/8/8/8/5PPP/P2N2BQ/R3K2R w Q -", "O-O-O", "O-O-O"),
        ("rnbqk3/p7/8/8/8/5PPP/P2N2BQ/R3K2R w - -", "", ""),
        // A man beside the king; one beside the rook.
        ("rnbqk3/p7/8/8/8/5PPP/P2N3Q/R3KB1R w KQ -", "O-O-O", "O-O-O"),
        ("rnbqk3/p7/8/8/8/5PPP/P5BQ/RN2K2R w KQ -", "O-O", "O-O"),
        // Out of an attack, through one, into one; past one on the rook's way.
        (
            "1nbqk3/p3r3/8/8/8/5PPP/P2N2BQ/R3K2R w KQ -",
            "",
            "O-O-O O-O",
        ),
        (
            "rnbqk3/p7/8/8/8/5PPP/P1N3BQ/R3K2R w KQ -",
            "O-O",
            "O-O-O O-O",
        ),
        (
            "1nbqk3/p1r5/8/8/8/5PPP/P2N2BQ/R3K2R w KQ -",
            "O-O",
            "O-O-O O-O",
        ),
        (
            "1nbqk3/p7/1r6/8/8/5PPP/P2N2BQ/R3K2R w KQ -",
            "O-O-O O-O",
            "O-O-O O-O",
        ),
        // A capture is legal.
        ("rnbqk3/8/8/8/6p1/5PPP/P2N2BQ/R3K2R w KQ -", "", "O-O-O O-O"),
    ] {
        for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
            assert_eq!(castlings(ruleset, text), royal, "{ruleset} {text}");
        }
        assert_eq!(castlings(Ruleset::Extinction, text), free, "{text}");
    }
}

/// Rule X5: with several kings the right stays with the one on its square.
#[test]
fn another_king_does_not_touch_the_right() {
    let mut game = game_under(
        Ruleset::Extinction,
        "rnbqkk2/p7/8/8/8/8/PQBN2K1/R3K2R w KQ - 0 1",
    );
    for (mv, rights) in [
        ("Kg3", "KQ"),
        ("Kg8", "KQ"),
        ("Rg1", "Q"),
        ("Kh7", "Q"),
        ("Kd1", "-"),
    ] {
        game.play_text(mv).expect("a legal move");
        let text = fen::write_position(game.position());
        assert_eq!(text.split(' ').nth(2), Some(rights), "after {mv}");
    }
}

#[test]
fn castling_moves_the_rook_and_ends_the_rights() {
    let text = "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1";
    for (moves, after) in [
        ("O-O O-O-O", "2kr3r/p6p/8/8/8/8/P6P/R4RK1 w - - 2 2"),
        ("e1c1 0-0", "r4rk1/p6p/8/8/8/8/P6P/2KR3R w - - 2 2"),
        ("Rf1 Rb8", "1r2k2r/p6p/8/8/8/8/P6P/R3KR2 w Qk - 2 2"),
    ] {
        let (game, _) =
            line::play(game_under(Ruleset::Variant3, text), moves).expect("legal moves");
        assert_eq!(fen::write(&game), after, "{moves}");
    }
    // A rook captured at home takes the right with it.
    let text = "r3k2r/7p/8/8/8/8/7P/R3K2R w KQkq - 0 1";
    let (game, _) = line::play(game_under(Ruleset::Variant3, text), "Rxa8+").expect("a legal move");
    assert_eq!(
        fen::write_position(game.position()),
        "R3k2r/7p/8/8/8/8/7P/4K2R b Kk -"
    );
}

#[test]
fn check_and_mate_are_marked_where_kings_are_royal() {
    let text = "6k1/5ppp/8/8/8/8/7P/R3K3 w Q - 0 1";
    for (ruleset, marked) in [
        (Ruleset::Variant3, "Ra8#"),
        (Ruleset::Variant4, "Ra8#"),
        (Ruleset::Variant2, "Ra8"),
    ] {
        let game = game_under(ruleset, text);
        let mv = san::read(&game, "Ra8").expect("a legal move");
        assert_eq!(san::write(game.position(), mv, ruleset), marked);
        assert_eq!(san::read(&game, marked), Ok(mv));
    }
    let game = game_under(Ruleset::Variant4, "6k1/5p1p/8/8/8/8/7P/R3K3 w Q - 0 1");
    let mv = san::read(&game, "Ra8").expect("a legal move");
    assert_eq!(san::write(game.position(), mv, Ruleset::Variant4), "Ra8+");
}

fn assert_refused(ruleset: Ruleset, text: &str, mv: &str, why: &str) {
    let error = san::read(&game_under(ruleset, text), mv).expect_err(mv);
    assert_eq!(
        error.to_string(),
        format!("{mv} is illegal here: {why}"),
        "{ruleset} {text}"
    );
}

#[test]
fn illegal_moves_of_the_relatives_are_refused_with_the_reason() {
    use Ruleset::{Extinction, Variant2, Variant3};
    for (ruleset, text, mv, why) in [
        (
            Variant2,
            "8/P7/8/8/8/8/7p/7N w - -",
            "O-O",
            "there is no castling in variant2",
        ),
        (
            Variant3,
            "4r2k/8/8/8/8/8/4N3/4K3 w - -",
            "Nc3",
            "it leaves the king attacked",
        ),
        (
            Variant3,
            "4r2k/8/8/8/8/8/4N3/4K3 w - -",
            "e2c3",
            "it leaves the king attacked",
        ),
        (
            Variant3,
            "k7/8/8/8/8/8/P2p4/4K3 w - -",
            "Kf2",
            "capturing is compulsory, legal are e1d2",
        ),
        (
            Variant3,
            "4r2k/8/8/8/8/8/8/R3K3 w Q -",
            "O-O-O",
            "the king cannot castle now",
        ),
        (
            Variant3,
            "4r2k/8/8/8/8/8/8/R3K3 w Q -",
            "e1c1",
            "the king cannot castle now",
        ),
        (
            Extinction,
            "rnbqk3/p7/8/8/8/8/P7/RNBQK3 w Q -",
            "O-O-O",
            "the king cannot castle now",
        ),
        (
            Extinction,
            "rnbqk3/p7/8/8/8/8/P7/RNBQK3 w Q -",
            "Ra5",
            "no man can move like that",
        ),
    ] {
        assert_refused(ruleset, text, mv, why);
    }
}

#[test]
fn promotions_and_captures_en_passant_are_refused_with_the_reason() {
    use Ruleset::{Extinction, Variant2, Variant3, Variant4};
    for (ruleset, text, mv, why) in [
        (
            Variant2,
            "8/P7/8/8/8/8/7p/7N w - -",
            "a8=N",
            "no pawn becomes a knight in variant2: name another man, as in a8=Q or a7a8q",
        ),
        (
            Variant2,
            "8/P7/8/8/8/8/7p/7N w - -",
            "a7a8",
            "the pawn must become something: name it, as in a8=Q or a7a8q",
        ),
        (
            Variant2,
            "8/P7/8/8/8/8/7p/7N w - -",
            "a7a8k",
            "no pawn becomes a king in variant2: name another man, as in a8=Q or a7a8q",
        ),
        (
            Variant3,
            "8/P6k/7p/8/8/8/8/6K1 w - -",
            "a8=K",
            "no pawn becomes a king in variant3: name another man, as in a8=Q or a7a8q",
        ),
        (
            Variant4,
            "8/P6k/7p/8/8/8/8/6K1 w - -",
            "a7a8k",
            "no pawn becomes a king in variant4: name another man, as in a8=Q or a7a8q",
        ),
        (
            Variant4,
            "8/P6k/7p/8/8/8/8/6K1 w - -",
            "a8",
            "the pawn must become something: name it, as in a8=Q or a7a8q",
        ),
        // It promotes nowhere, whatever it is to become.
        (
            Variant3,
            "7k/7p/8/8/8/8/P7/6K1 w - -",
            "a4=Q",
            "only a pawn that reaches the last rank becomes something",
        ),
        (
            Variant3,
            "7k/7p/8/8/8/8/P7/6K1 w - -",
            "g1g2q",
            "only a pawn that reaches the last rank becomes something",
        ),
        // Both pawns would leave the rank of the king and the rook.
        (
            Variant3,
            "8/8/8/KPp4r/8/8/8/7k w - c6",
            "bxc6",
            "it leaves the king attacked",
        ),
        (
            Variant4,
            "8/8/8/KPp4r/8/8/8/7k w - c6",
            "b5c6",
            "it leaves the king attacked",
        ),
        (
            Variant4,
            "8/8/8/KPp5/8/8/8/7k w - -",
            "bxc6",
            "no pawn has just passed c6",
        ),
        (
            Extinction,
            "rnbqk3/8/8/Pp6/8/8/8/RNBQK3 w - -",
            "a5b6",
            "no pawn has just passed b6",
        ),
    ] {
        assert_refused(ruleset, text, mv, why);
    }
}
