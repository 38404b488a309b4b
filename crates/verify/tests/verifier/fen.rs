//! Reading FENs: what is refused, by field, and what is accepted and dropped.

use takeme_verify::{Color, Kind, Position, Ruleset};

use crate::support::position;

fn refusal(fen: &str) -> String {
    match Position::from_fen(fen, Ruleset::Joint) {
        Err(error) => error.to_string(),
        Ok(position) => panic!("{fen:?} was read as {}", position.fen()),
    }
}

#[test]
fn the_error_names_the_field() {
    for (fen, start) in [
        ("", "FEN has 0 fields"),
        ("8/8/8/8/8/8/8/K6k w -", "FEN has 3 fields"),
        ("8/8/8/8/8/8/8/K6k w - - 0 1 x", "FEN has 7 fields"),
        ("8/8/8/8/8/8/K6k w - -", "FEN placement field: 7 ranks"),
        ("8/8/8/8/8/8/8/8/K6k w - -", "FEN placement field: 9 ranks"),
        (
            "8/8/8/8/8/8/8/K5k w - -",
            "FEN placement field: rank \"K5k\" has fewer",
        ),
        (
            "8/8/8/8/8/8/8/K7k w - -",
            "FEN placement field: rank \"K7k\" has more",
        ),
        (
            "8/8/8/8/8/8/8/K6kk w - -",
            "FEN placement field: rank \"K6kk\" has more",
        ),
        (
            "8/8/8/8/8/8/8/K33k w - -",
            "FEN placement field: two digits",
        ),
        ("8/8/8/8/8/8/8/K6x w - -", "FEN placement field: 'x' is not"),
        (
            "8/8/8/8/8/8/8/K06k w - -",
            "FEN placement field: '0' is not",
        ),
        ("9/8/8/8/8/8/8/K6k w - -", "FEN placement field: '9' is not"),
        (
            "8/8/8/8/8/8/8/~K6k w - -",
            "FEN placement field: '~' is not",
        ),
        (
            "P7/8/8/8/8/8/8/K6k w - -",
            "FEN placement field: pawn on a8",
        ),
        (
            "8/8/8/8/8/8/8/K5pk w - -",
            "FEN placement field: pawn on g1",
        ),
        ("8/8/8/8/8/8/8/8 w - -", "FEN placement field: neither"),
        (
            "NNNNNNNN/NNNNNNNN/8/8/8/8/8/K6k w - -",
            "FEN placement field: white has more than 16 men",
        ),
        (
            "nnnnnnnn/nnnnnnnn/8/8/8/8/8/K6k w - -",
            "FEN placement field: black has more than 16 men",
        ),
        (
            "8/8/8/8/8/P7/PPPPPPPP/k7 w - -",
            "FEN placement field: white has more than 8 pawns",
        ),
        (
            "8/pppppppp/p7/8/8/8/8/K7 w - -",
            "FEN placement field: black has more than 8 pawns",
        ),
        ("8/8/8/8/8/8/8/K6k W - -", "FEN side-to-move field: \"W\""),
        (
            "8/8/8/8/8/8/8/K6k white - -",
            "FEN side-to-move field: \"white\"",
        ),
        ("8/8/8/8/8/8/8/K6k w KX -", "FEN castling field: \"KX\""),
        ("8/8/8/8/8/8/8/K6k w -K -", "FEN castling field: \"-K\""),
        (
            "8/8/8/8/8/8/8/K6k w - e9",
            "FEN en-passant field: \"e9\" is not - or a square",
        ),
        (
            "8/8/8/8/8/8/8/K6k w - -- 0 1",
            "FEN en-passant field: \"--\" is not - or a square",
        ),
        (
            "8/8/8/8/8/8/8/K6k w - - x 1",
            "FEN half-move clock field: \"x\"",
        ),
        (
            "8/8/8/8/8/8/8/K6k w - - -1 1",
            "FEN half-move clock field: \"-1\"",
        ),
        (
            "8/8/8/8/8/8/8/K6k w - - 0 1.",
            "FEN move number field: \"1.\"",
        ),
    ] {
        let message = refusal(fen);
        assert!(message.starts_with(start), "{fen:?}: {message}");
    }
}

#[test]
fn an_en_passant_square_must_fit_the_position() {
    // Field case B24: the pawn's own square instead of the one behind it.
    for (fen, problem) in [
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e4 0 1",
            "is not on the rank",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e6 0 1",
            "is not on the rank",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - d3 0 1",
            "has no pawn",
        ),
        (
            "rnbqkbnr/pppp1ppp/8/8/4p3/8/PPPP1PPP/RNBQKBNR b - e3 0 1",
            "has no pawn",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/4N3/8/PPPP1PPP/RNBQKB1R b - e3 0 1",
            "has no pawn",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/4N3/PPPP1PPP/RNBQKB1R b - e3 0 1",
            "is not empty",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPPNPPP/RNBQKB1R b - e3 0 1",
            "is not empty",
        ),
        ("8/8/8/3Pp3/8/8/8/8 w - e3", "is not on the rank"),
    ] {
        let message = refusal(fen);
        assert!(
            message.starts_with("FEN en-passant field: "),
            "{fen}: {message}"
        );
        assert!(message.contains(problem), "{fen}: {message}");
    }
}

#[test]
fn an_en_passant_square_is_kept_only_if_a_pawn_can_capture_on_it() {
    let dropped = position("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e3 0 1");
    assert_eq!(dropped.en_passant(), None);
    assert_eq!(
        dropped,
        position("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - 0 1")
    );
    // A pawn at the other edge of the board is not beside.
    assert_eq!(position("8/8/8/p6P/8/8/8/8 w - a6").en_passant(), None);
    // Nor is a man that is no pawn, or a pawn of the side that has just moved.
    assert_eq!(position("8/8/8/pR6/8/8/8/8 w - a6").en_passant(), None);
    assert_eq!(position("8/8/8/pp6/8/8/8/K7 w - a6").en_passant(), None);
    for fen in [
        "8/8/8/pP6/8/8/8/8 w - a6",
        "8/8/8/8/5pPp/8/8/8 b - g3",
        "8/8/8/8/6Pp/8/8/8 b - g3",
    ] {
        assert_eq!(position(fen).fen(), fen);
    }
}

#[test]
fn castling_rights_are_accepted_and_dropped() {
    let with = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let without = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -";
    assert_eq!(position(with), position(without));
    assert_eq!(position(with).fen(), without);
    assert_eq!(
        position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha -"),
        position(without)
    );
}

#[test]
fn four_to_six_fields_are_read() {
    let fen = "8/8/8/8/8/8/8/K6k b - -";
    for tail in ["", " 0", " 0 1", " 99 120"] {
        assert_eq!(position(&format!("{fen}{tail}")).fen(), fen);
    }
}

#[test]
fn promoted_men_may_be_marked() {
    assert_eq!(
        position("Q~7/8/8/8/8/8/8/K6k w - -"),
        position("Q7/8/8/8/8/8/8/K6k w - -")
    );
}

#[test]
fn any_number_of_kings_is_a_position() {
    let kings = position("K1K5/8/8/8/8/8/8/7k w - -");
    assert_eq!(kings.men(Color::White), 2);
    assert_eq!(kings.men(Color::Black), 1);
    assert_eq!(kings.piece_at(56), Some((Color::White, Kind::King)));
    assert_eq!(kings.piece_at(57), None);
    assert_eq!(kings.piece_at(64), None);
    assert_eq!(position("8/5n2/8/8/8/8/8/8 w - -").men(Color::White), 0);
}
