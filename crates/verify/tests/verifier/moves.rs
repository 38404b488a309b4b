//! Moves: compulsory capture, en passant, promotion, canonical order, and what a move does to the board.

use takeme_verify::{Color, Kind, Move, legal_moves};

use crate::support::{Random, mv, play_line, position, reachable, uci};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -";

fn moves(fen: &str) -> String {
    uci(&legal_moves(&position(fen)))
}

#[test]
fn a_capture_is_compulsory() {
    assert_eq!(moves("8/8/1p6/8/8/8/Rp6/8 w - -"), "a2b2");
    // Which of several captures is free.
    assert_eq!(moves("8/8/8/2r5/8/8/p1R1p3/8 w - -"), "c2a2 c2e2 c2c5");
}

#[test]
fn en_passant_is_a_capture_and_so_compulsory() {
    assert_eq!(moves("8/8/8/pP6/8/5p2/1P6/8 w - a6"), "b5a6");
    assert_eq!(moves("8/8/8/pP6/8/5p2/1P6/8 w - -"), "b2b3 b2b4 b5b6");
    assert_eq!(moves("8/8/8/8/1p1p4/8/2P5/8 w - -"), "c2c3 c2c4");
    // Field case B01: both pawns beside may capture, and other captures stand beside en passant.
    assert_eq!(moves("8/8/8/5P2/5pPp/8/8/8 b - g3"), "f4g3 h4g3");
    assert_eq!(moves("8/8/8/pP6/7p/7R/8/8 w - a6"), "h3h4 b5a6");
}

#[test]
fn en_passant_takes_the_pawn_that_has_passed() {
    let after = play_line(position("8/p7/8/1P6/7p/7R/8/8 b - -"), "a7a5 b5a6");
    assert_eq!(after.fen(), "8/8/P7/8/7p/7R/8/8 b - -");
    let black = play_line(position("8/8/8/8/5p1p/8/6P1/8 w - -"), "g2g4 h4g3");
    assert_eq!(black.fen(), "8/8/8/8/5p2/6p1/8/8 w - -");
}

#[test]
fn only_a_pawn_takes_en_passant() {
    // No legal move here: it ignores the compulsory capture. But where captures are free it will be one.
    let root = position("8/8/8/2PpK3/8/8/8/8 w - d6");
    assert_eq!(root.play_unchecked(mv("e5d6")).men(Color::Black), 1);
    assert_eq!(root.play_unchecked(mv("c5d6")).men(Color::Black), 0);
}

#[test]
fn the_right_to_en_passant_lasts_one_move() {
    let root = position("8/p7/8/1P6/7p/7R/8/8 b - -");
    assert_eq!(play_line(root, "a7a5").en_passant(), Some(40));
    assert_eq!(play_line(root, "a7a5 h3h4").en_passant(), None);
    assert_eq!(play_line(root, "a7a6").en_passant(), None);
    // A pawn that comes to the fifth rank by a single step cannot be taken en passant.
    assert_eq!(
        play_line(position("8/8/p7/1P6/8/8/8/7r b - -"), "a6b5").en_passant(),
        None
    );
}

#[test]
fn a_pawn_may_become_a_king() {
    // Field case B14.
    assert_eq!(
        moves("8/P7/8/7p/8/8/8/8 w - -"),
        "a7a8n a7a8b a7a8r a7a8q a7a8k"
    );
    let king = play_line(position("8/P7/8/7p/8/8/8/8 w - -"), "a7a8k");
    assert_eq!(king.fen(), "K7/8/8/7p/8/8/8/8 b - -");
    // By capture, for Black, in the order of destinations.
    assert_eq!(
        moves("8/8/8/8/8/8/4p3/3R1R2 b - -"),
        "e2d1n e2d1b e2d1r e2d1q e2d1k e2f1n e2f1b e2f1r e2f1q e2f1k"
    );
}

#[test]
fn a_double_step_needs_two_empty_squares() {
    assert_eq!(moves("8/8/8/8/8/n7/P7/8 w - -"), "");
    assert_eq!(moves("8/8/8/8/n7/8/P7/8 w - -"), "a2a3");
    assert_eq!(moves("8/8/8/8/8/P7/8/n7 w - -"), "a3a4");
    assert_eq!(moves("7N/p7/8/8/8/8/8/8 b - -"), "a7a5 a7a6");
}

#[test]
fn kings_are_not_royal() {
    // An attacked king is no check, and kings may stand side by side; capturing is what counts.
    assert_eq!(moves("k7/1Q6/8/8/8/8/8/K7 b - -"), "a8b7");
    assert_eq!(
        moves("K1K5/8/8/8/8/8/8/7k w - -"),
        "a8a7 a8b7 a8b8 c8b7 c8c7 c8d7 c8b8 c8d8"
    );
}

#[test]
fn there_is_no_castling() {
    // Field case B16.
    let before = play_line(position(START), "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7");
    assert_eq!(legal_moves(&before).len(), 25);
    assert_eq!(before.play(mv("e1g1")), None);
}

#[test]
fn a_decided_position_has_no_moves() {
    assert_eq!(moves("8/8/8/8/8/8/8/K7 w - -"), "");
    assert_eq!(moves("8/8/8/8/8/8/8/K7 b - -"), "");
}

#[test]
fn moves_are_in_canonical_order_and_differ() {
    let roots = [
        START,
        "1n1r4/P1P5/8/8/8/8/1p1p4/N1N1R3 b - -",
        "QQQQQQQQ/QQQQQQQQ/8/8/8/8/8/k7 w - -",
    ];
    for position in roots
        .into_iter()
        .flat_map(|fen| reachable(position(fen), 2))
    {
        let moves = legal_moves(&position);
        let rank = |kind: Kind| {
            [
                Kind::Knight,
                Kind::Bishop,
                Kind::Rook,
                Kind::Queen,
                Kind::King,
            ]
            .iter()
            .position(|&k| k == kind)
        };
        let key = |mv: &Move| (mv.origin, mv.destination, mv.promotion.and_then(rank));
        assert!(
            moves.is_sorted_by(|a, b| key(a) < key(b)),
            "{}",
            position.fen()
        );
    }
}

#[test]
fn a_move_keeps_every_position_whole() {
    // What a position says of itself must be what its own FEN says: men counted, en passant set, nothing left behind.
    for fen in [
        START,
        "1n1r4/P1P5/8/8/8/8/1p1p4/2N1R3 w - -",
        "8/3p4/8/2P1P3/2p1p3/8/3P4/8 w - -",
    ] {
        for reached in reachable(position(fen), 3) {
            assert_eq!(position(&reached.fen()), reached);
        }
    }
}

#[test]
fn random_games_keep_every_position_whole() {
    let mut random = Random::new(20);
    for _ in 0..200 {
        let mut current = position(START);
        for _ in 0..200 {
            let legal = legal_moves(&current);
            if legal.is_empty() {
                break;
            }
            current = current.play(legal[random.below(legal.len())]).unwrap();
            assert_eq!(position(&current.fen()), current);
        }
    }
}

#[test]
fn an_illegal_move_is_not_played() {
    let root = position("8/8/1p6/8/8/8/Rp6/8 w - -");
    assert_eq!(root.play(mv("a2a3")), None);
    assert_eq!(root.play(mv("b6b5")), None);
    assert_eq!(
        root.play(Move {
            origin: 200,
            destination: 255,
            promotion: None
        }),
        None
    );
    assert!(root.play(mv("a2b2")).is_some());
    // Without the check the result means nothing, but nothing breaks.
    assert_eq!(
        root.play_unchecked(Move {
            origin: 200,
            destination: 255,
            promotion: None
        })
        .men(Color::White),
        1
    );
    assert_eq!(
        root.play_unchecked(Move {
            origin: 8,
            destination: 255,
            promotion: None
        })
        .men(Color::White),
        0
    );
}

#[test]
fn moves_are_written_and_read_as_uci() {
    for text in ["e2e4", "a7a8n", "a7a8b", "a7a8r", "a7a8q", "a7a8k", "h8a1"] {
        assert_eq!(mv(text).to_uci(), text);
    }
    for text in [
        "", "e2", "e2e", "e2e9", "e2e4x", "a7a8p", "a7a8qq", "a7a8Q", "é2e4", "0000", "a7a8é",
    ] {
        assert_eq!(Move::from_uci(text), None, "{text}");
    }
}
