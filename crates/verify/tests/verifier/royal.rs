//! Royal kings: variants 3 and 4.

use takeme_verify::{Color, Outcome, Position, Ruleset, legal_moves, outcome};

use crate::support::{Random, moves_under, mv, play_line, position_under};

const ROYAL: [Ruleset; 2] = [Ruleset::Variant3, Ruleset::Variant4];

fn moves(fen: &str) -> String {
    let [three, four] = ROYAL.map(|ruleset| moves_under(ruleset, fen));
    assert_eq!(three, four);
    three
}

/// Under variant 3 and variant 4.
fn outcomes(fen: &str) -> [Outcome; 2] {
    ROYAL.map(|ruleset| outcome(&position_under(ruleset, fen), ruleset))
}

fn refusal(fen: &str) -> String {
    let [three, four] = ROYAL.map(|ruleset| match Position::from_fen(fen, ruleset) {
        Err(error) => error.to_string(),
        Ok(position) => panic!("{fen:?} was read as {}", position.fen()),
    });
    assert_eq!(three, four);
    three
}

#[test]
fn only_a_capture_that_answers_the_check_is_compulsory() {
    // The example of choice B3: neither the rook's capture nor a flight.
    assert_eq!(moves("4k3/p7/8/8/8/8/4r3/R3K3 w - - 0 1"), "e1e2");
    // Where no capture answers the check, any move that does will do.
    assert_eq!(
        moves("4r2k/8/8/1p6/P7/8/8/4K3 w - -"),
        "e1d1 e1f1 e1d2 e1f2"
    );
    // Field case B29: the only capture is legal and so forced, and leaves Black in check with no legal capture.
    let root = position_under(
        Ruleset::Variant4,
        "8/4P2p/2pk2p1/1p6/1n2P3/B6N/3NKPPP/5B1R w - - 1 22",
    );
    assert_eq!(legal_moves(&root), [mv("a3b4")]);
    let replies = legal_moves(&play_line(root, "a3b4"));
    assert_eq!(replies.len(), 5);
}

#[test]
fn a_king_neither_stays_nor_steps_into_check() {
    // Choice B4: a rook holds the g-file, and kings keep apart.
    assert_eq!(moves("6r1/8/p7/8/8/8/P7/k6K w - -"), "h1h2 a2a3 a2a4");
    assert_eq!(moves("8/8/8/8/8/p7/P7/2k1K3 w - -"), "e1f1 e1e2 e1f2");
    // A pinned knight has no move; a pinned rook moves along the pin.
    assert_eq!(
        moves("4r2k/p7/8/8/8/4N3/8/4K3 w - -"),
        "e1d1 e1f1 e1d2 e1e2 e1f2"
    );
    assert_eq!(moves("4r2k/p7/8/8/8/4R3/7p/4K3 w - -"), "e3e8");
}

#[test]
fn each_kind_gives_check_in_its_own_way() {
    // White's king on d4 and a pawn that cannot move; black men give check or look as if they did.
    for (fen, in_check) in [
        ("7k/8/8/2p5/3K4/p7/P7/8 w - -", true),
        ("7k/8/8/4p3/3K4/p7/P7/8 w - -", true),
        ("7k/8/8/8/3K4/p1p5/P7/8 w - -", false),
        ("7k/8/8/8/3K4/p3p3/P7/8 w - -", false),
        ("7k/8/8/3p4/3K4/p7/P7/8 w - -", false),
        ("7k/8/4n3/8/3K4/p7/P7/8 w - -", true),
        ("7k/8/3n4/8/3K4/p7/P7/8 w - -", false),
        ("b6k/8/8/8/3K4/p7/P7/6b1 w - -", true),
        ("7k/8/8/8/3K4/p7/P7/3b4 w - -", false),
        ("7k/8/8/8/3K3r/p7/P7/8 w - -", true),
        ("7k/8/8/8/3K1N1r/p7/P7/8 w - -", false),
        ("r6k/8/8/8/3K4/p7/P7/8 w - -", false),
        ("3q3k/8/8/8/3K4/p7/P7/8 w - -", true),
        ("q6k/8/8/8/3K4/p7/P7/7q w - -", false),
        ("q6k/8/8/8/3K4/p7/P7/6q1 w - -", true),
    ] {
        // With the other side to move the check is what makes the reader refuse the position.
        let other_side = fen.replace(" w ", " b ");
        for ruleset in ROYAL {
            let read = Position::from_fen(&other_side, ruleset);
            assert_eq!(read.is_err(), in_check, "{fen}");
        }
    }
    // The same for pawns of the other colour.
    assert!(refusal("7K/8/8/3k4/2P5/p7/P7/8 w - -").starts_with("FEN side-to-move field"));
    assert!(refusal("7K/8/8/3k4/4P3/p7/P7/8 w - -").starts_with("FEN side-to-move field"));
    assert!(!moves("7K/8/2P5/3k4/8/p7/P7/8 w - -").is_empty());
}

#[test]
fn a_promotion_gives_no_king() {
    // Choice B2.
    assert_eq!(
        moves("8/P6k/7p/8/8/8/8/K7 w - -"),
        "a1b1 a1a2 a1b2 a7a8n a7a8b a7a8r a7a8q"
    );
    let root = position_under(Ruleset::Variant3, "8/P6k/7p/8/8/8/8/K7 w - -");
    assert_eq!(root.play(mv("a7a8k")), None);
}

#[test]
fn en_passant_through_a_pin_is_illegal() {
    // Both pawns leave the rank of the king and the rook.
    let pinned = "8/8/8/8/k2Pp1R1/7K/8/8 b - d3";
    for ruleset in ROYAL {
        let position = position_under(ruleset, pinned);
        assert_eq!(position.en_passant(), None);
        assert_eq!(position.fen(), "8/8/8/8/k2Pp1R1/7K/8/8 b - -");
        assert_eq!(position.play(mv("e4d3")), None);
        // The same when it comes up in play: the rook's own capture is illegal, because it is pinned too.
        let root = position_under(ruleset, "2b5/8/8/8/k3p1R1/7K/3P4/8 w - -");
        let after = play_line(root, "d2d4");
        assert_eq!(after.en_passant(), None);
        assert_eq!(
            after,
            position_under(ruleset, "2b5/8/8/8/k2Pp1R1/7K/8/8 b - -")
        );
        // A pin along the file holds the capturer; along the diagonal of the capture it does not.
        let file = position_under(ruleset, "4k3/8/8/8/3Pp3/8/4R3/4K3 b - d3");
        assert_eq!(file.en_passant(), None);
        let diagonal = position_under(ruleset, "8/8/6k1/8/3Pp3/8/2B5/4K3 b - d3");
        assert_eq!(diagonal.en_passant(), Some(19));
    }
}

#[test]
fn one_of_two_pawns_may_be_free_to_take_en_passant() {
    for (fen, takes) in [
        ("4k3/8/8/8/2pPp3/8/4R3/4K3 b - d3", "c4d3"),
        ("2k5/8/8/8/2pPp3/8/2R5/4K3 b - d3", "e4d3"),
    ] {
        for ruleset in ROYAL {
            let position = position_under(ruleset, fen);
            assert_eq!(position.en_passant(), Some(19));
            assert_eq!(position.fen(), fen);
        }
        assert_eq!(moves(fen), takes);
    }
}

#[test]
fn en_passant_can_answer_a_check_and_is_then_forced() {
    // Field case B13: the pawn that has just moved gives check.
    let fen = "8/8/8/2k1K3/2pP4/8/8/8 b - d3 0 1";
    assert_eq!(moves(fen), "c4d3");
    // Where it does not answer the check, it is no capture to be made and the square does not count.
    let other_check = "8/8/8/2k5/2pP3R/8/8/B3K3 b - d3";
    for ruleset in ROYAL {
        assert_eq!(position_under(ruleset, other_check).en_passant(), Some(19));
        let knight_too = "8/8/8/2k5/2pP4/1N6/8/4K3 b - d3";
        assert_eq!(position_under(ruleset, knight_too).en_passant(), None);
    }
}

#[test]
fn a_bare_king_wins_whoever_is_to_move_and_even_if_mated() {
    let (white, black) = (
        [Outcome::Won(Color::White); 2],
        [Outcome::Won(Color::Black); 2],
    );
    for (fen, expected) in [
        // Choice B5.
        ("R6k/8/6K1/8/8/8/8/8 b - -", black),
        ("8/8/8/8/8/6k1/8/r6K w - -", white),
        ("R7/7k/8/8/8/8/8/K7 w - -", black),
        ("r7/7K/8/8/8/8/8/k7 b - -", white),
        ("r7/7K/8/8/8/8/8/k7 w - -", white),
    ] {
        assert_eq!(outcomes(fen), expected, "{fen}");
        assert_eq!(moves(fen), "", "{fen}");
    }
    // One man besides the king is enough to go on.
    assert_eq!(outcomes("R7/7k/7p/8/8/8/8/K7 w - -"), [Outcome::Ongoing; 2]);
    assert_eq!(outcomes("R7/7k/7p/8/8/8/8/K7 b - -"), [Outcome::Ongoing; 2]);
}

#[test]
fn a_mate_is_won_by_opposite_sides() {
    use Outcome::Won;
    let (white, black) = (Won(Color::White), Won(Color::Black));
    assert_eq!(outcomes("R5k1/5ppp/8/8/8/8/8/K7 b - -"), [white, black]);
    assert_eq!(outcomes("k7/8/8/8/8/8/5PPP/r5K1 w - -"), [black, white]);
    // Smothered, with pinned or useless men around.
    assert_eq!(outcomes("6rk/5Npp/8/8/8/8/8/K7 b - -"), [white, black]);
    // No mate: the attacker can be captured, or a man put in between.
    assert_eq!(
        outcomes("6rk/5Npp/8/8/2b5/8/8/K7 b - -"),
        [Outcome::Ongoing; 2]
    );
    assert_eq!(
        outcomes("R5k1/5ppp/8/1b6/8/8/8/K7 b - -"),
        [Outcome::Ongoing; 2]
    );
}

#[test]
fn a_stalemate_is_drawn_however_many_men_there_are() {
    for fen in [
        "7k/5Q1p/7P/8/8/8/8/K7 b - -",
        "k7/p1K5/P7/8/8/8/8/8 b - -",
        "8/8/8/8/8/p7/P1k5/K7 w - -",
        // Choice B8: the king could capture only a man that is protected.
        "6Nk/5Q1p/7P/8/8/8/8/K7 b - -",
    ] {
        assert_eq!(outcomes(fen), [Outcome::Drawn; 2], "{fen}");
    }
}

#[test]
fn what_a_game_with_royal_kings_cannot_reach_is_refused() {
    for (fen, message) in [
        (
            "8/8/8/8/8/8/8/R6k w - -",
            "FEN placement field: white has 0 kings, expected 1",
        ),
        (
            "8/8/8/8/8/8/8/K6r w - -",
            "FEN placement field: black has 0 kings, expected 1",
        ),
        (
            "8/8/8/8/8/8/K7/K3R2k w - -",
            "FEN placement field: white has 2 kings, expected 1",
        ),
        (
            "8/8/7p/k7/7k/8/8/K7 b - -",
            "FEN placement field: black has 2 kings, expected 1",
        ),
        (
            "8/8/8/8/8/8/8/8 w - -",
            "FEN placement field: neither side has a man",
        ),
        (
            "8/8/8/8/8/8/8/K6k w - -",
            "FEN placement field: neither side has a man but its king",
        ),
        (
            "8/8/8/8/8/8/8/K6k b - -",
            "FEN placement field: neither side has a man but its king",
        ),
        (
            "4k3/8/8/8/8/8/8/K3R3 w - -",
            "FEN side-to-move field: the king of black is attacked, so black must be to move",
        ),
        (
            "4k3/4r3/8/8/8/8/8/4K3 b - -",
            "FEN side-to-move field: the king of white is attacked, so white must be to move",
        ),
        (
            "8/8/8/8/8/8/p7/KkR5 b - -",
            "FEN side-to-move field: the king of white is attacked, so white must be to move",
        ),
    ] {
        assert_eq!(refusal(fen), message, "{fen}");
    }
    // Attacked and to move, or not attacked at all, is in order.
    assert!(!moves("4k3/7p/8/8/8/8/8/K3R3 b - -").is_empty());
    // A ruleset without royal kings takes all of these but the empty board.
    for fen in [
        "8/8/8/8/8/8/K7/K3R2k w - -",
        "8/8/8/8/8/8/8/R6k w - -",
        "4k3/8/8/8/8/8/8/K3R3 w - -",
        "8/8/8/8/8/8/8/K6k w - -",
    ] {
        for ruleset in [Ruleset::Variant2, Ruleset::Extinction] {
            position_under(ruleset, fen);
        }
    }
}

#[test]
fn random_games_keep_every_position_whole() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut random = Random::new(21);
    for _ in 0..200 {
        let mut current = position_under(Ruleset::Variant3, start);
        for _ in 0..200 {
            let legal = legal_moves(&current);
            if legal.is_empty() {
                break;
            }
            current = current.play(legal[random.below(legal.len())]).unwrap();
            // The reader refuses a position in which the side that has moved is in check.
            assert_eq!(position_under(Ruleset::Variant3, &current.fen()), current);
        }
    }
}
