//! Losing chess with queen promotions only and drawn stalemates.

use takeme_verify::{Color, Outcome, Ruleset, outcome};

use crate::support::{moves_under, mv, play_line, position_under};

fn outcome_of(fen: &str) -> Outcome {
    outcome(&position_under(Ruleset::Variant2, fen), Ruleset::Variant2)
}

#[test]
fn a_pawn_becomes_a_queen() {
    let promotes = |fen| moves_under(Ruleset::Variant2, fen);
    assert_eq!(promotes("8/P7/8/7p/8/8/8/8 w - -"), "a7a8q");
    assert_eq!(promotes("8/8/8/8/8/8/4p3/3R1R2 b - -"), "e2d1q e2f1q");
    let root = position_under(Ruleset::Variant2, "8/P7/8/7p/8/8/8/8 w - -");
    assert_eq!(play_line(root, "a7a8q").fen(), "Q7/8/8/7p/8/8/8/8 b - -");
    for other in ["a7a8", "a7a8n", "a7a8b", "a7a8r", "a7a8k"] {
        assert_eq!(root.play(mv(other)), None, "{other}");
    }
}

#[test]
fn a_capture_is_compulsory_and_kings_are_not_royal() {
    let moves = |fen| moves_under(Ruleset::Variant2, fen);
    assert_eq!(moves("8/8/1p6/8/8/8/Rp6/8 w - -"), "a2b2");
    assert_eq!(moves("8/8/8/pP6/8/5p2/1P6/8 w - a6"), "b5a6");
    assert_eq!(moves("k7/1Q6/8/8/8/8/8/K7 b - -"), "a8b7");
    assert_eq!(
        moves("K1K5/8/8/8/8/8/8/7k w - -"),
        "a8a7 a8b7 a8b8 c8b7 c8c7 c8d7 c8b8 c8d8"
    );
}

#[test]
fn a_stalemate_is_drawn_whoever_has_fewer_men() {
    for fen in [
        "8/8/8/5p2/5P2/8/8/8 w - -",
        "8/8/8/5p2/5P2/5P2/8/8 w - -",
        "8/8/8/8/p7/p7/P7/8 w - -",
        "8/8/8/5p2/5P2/8/8/8 b - -",
        "8/p7/P7/P7/8/8/8/8 b - -",
    ] {
        assert_eq!(outcome_of(fen), Outcome::Drawn, "{fen}");
    }
}

#[test]
fn a_side_without_men_has_won() {
    // Choice V1.
    for side in ["w", "b"] {
        let white = format!("8/5n2/8/8/8/8/8/8 {side} - -");
        assert_eq!(outcome_of(&white), Outcome::Won(Color::White));
        assert_eq!(moves_under(Ruleset::Variant2, &white), "");
        let black = format!("8/5N2/8/8/8/8/8/8 {side} - -");
        assert_eq!(outcome_of(&black), Outcome::Won(Color::Black));
        assert_eq!(moves_under(Ruleset::Variant2, &black), "");
    }
}
