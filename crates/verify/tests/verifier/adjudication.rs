//! Game ends against the adjudication table.

use std::collections::HashMap;

use takeme_verify::{Color, Outcome, Position, Ruleset, outcome};

use crate::support::position;

/// The verifier does not know dead positions, clocks or repetition: a row that is a draw only for one of these must be
/// ongoing, because the replay has to find out by itself that such a line does not end in a win.
#[test]
fn rows_of_the_adjudication_table() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adjudication.tsv");
    let text = std::fs::read_to_string(table).unwrap();
    let mut checked = HashMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let ruleset = Ruleset::from_name(fields[0]).unwrap();
        let not_judged_here = ["[dead:required]", "[dead:optional]", "[fifty] clock 100"]
            .iter()
            .any(|start| fields[3].starts_with(start));
        let expected = match fields[2] {
            "white" => Outcome::Won(Color::White),
            "black" => Outcome::Won(Color::Black),
            "draw" if not_judged_here => Outcome::Ongoing,
            "draw" => Outcome::Drawn,
            "ongoing" => Outcome::Ongoing,
            other => panic!("unknown expectation {other}"),
        };
        let position = Position::from_fen(fields[1], ruleset).unwrap();
        assert_eq!(outcome(&position, ruleset), expected, "{line}");
        *checked.entry(fields[0]).or_insert(0) += 1;
    }
    let rows = |ruleset: Ruleset| match ruleset {
        Ruleset::International | Ruleset::Fics | Ruleset::Joint | Ruleset::Variant2 => 22,
        Ruleset::Variant3 | Ruleset::Variant4 => 19,
        Ruleset::Extinction => 20,
    };
    for ruleset in Ruleset::ALL {
        assert_eq!(checked[ruleset.name()], rows(ruleset), "{ruleset}");
    }
}

#[test]
fn a_stalemate_depends_on_the_ruleset() {
    use Outcome::{Drawn, Won};
    let (white, black) = (Won(Color::White), Won(Color::Black));
    // Field case B15: equal, more and fewer men for the stalemated side, in the order international, fics, joint.
    for (fen, expected) in [
        ("8/8/8/5p2/5P2/8/8/8 w - -", [white, Drawn, Drawn]),
        ("8/8/8/5p2/5P2/5P2/8/8 w - -", [white, black, Drawn]),
        ("6bB/6P1/8/8/8/8/8/8 w - -", [white, black, Drawn]),
        ("8/8/8/8/p7/p7/P7/8 w - -", [white, white, white]),
        ("8/8/8/5p2/5P2/8/8/8 b - -", [black, Drawn, Drawn]),
        ("8/8/5p2/5p2/5P2/8/8/8 b - -", [black, white, Drawn]),
        ("8/p7/P7/P7/8/8/8/8 b - -", [black, black, black]),
    ] {
        let position = position(fen);
        let found =
            [Ruleset::International, Ruleset::Fics, Ruleset::Joint].map(|r| outcome(&position, r));
        assert_eq!(found, expected, "{fen}");
    }
}

#[test]
fn a_side_without_men_has_won_whoever_is_to_move() {
    // Field case B26.
    for fen in ["8/5n2/8/8/8/8/8/8 w - -", "8/5n2/8/8/8/8/8/8 b - -"] {
        assert_eq!(
            outcome(&position(fen), Ruleset::Joint),
            Outcome::Won(Color::White)
        );
    }
}

#[test]
fn nothing_is_claimed_under_a_ruleset_with_other_moves() {
    let decided = position("8/5n2/8/8/8/8/8/8 w - -");
    let stalemate = position("8/8/8/5p2/5P2/8/8/8 w - -");
    for ruleset in [
        Ruleset::Variant2,
        Ruleset::Variant3,
        Ruleset::Variant4,
        Ruleset::Extinction,
    ] {
        assert_eq!(outcome(&decided, ruleset), Outcome::Ongoing);
        assert_eq!(outcome(&stalemate, ruleset), Outcome::Ongoing);
    }
}
