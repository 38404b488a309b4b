//! The won positions of `data/positions`: proved, with the winner that the file names, and accepted by the verifier.

use std::{fs, path::Path};

use prover::Verdict;
use rules::{Color, Ruleset};

use crate::support::{accepted, position, verdict};

const RULESETS: [Ruleset; 4] = [
    Ruleset::Variant2,
    Ruleset::Variant3,
    Ruleset::Variant4,
    Ruleset::Extinction,
];

/// The positions are ordered by difficulty; so many take some ten thousand expansions each at most.
const EASY: usize = 13;
/// More than the hardest takes.
const NODES: u64 = 2_000_000;

/// The FENs of a suite with the winners.
fn suite(ruleset: Ruleset) -> Vec<(String, Color)> {
    let path = format!("../data/positions/{ruleset}.epd");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(path).expect("the suites are in the repository");
    let read = |line: &str| {
        let fields: Vec<&str> = line.split(' ').take(4).collect();
        let (_, rest) = line.split_once("winner ").expect("a winner");
        let (winner, _) = rest.split_once(';').expect("the end of an operation");
        (fields.join(" "), winner.parse().expect("a side"))
    };
    text.lines().map(read).collect()
}

fn check(ruleset: Ruleset, positions: &[(String, Color)]) {
    for (text, winner) in positions {
        match verdict(position(text, ruleset), ruleset, NODES) {
            Verdict::Proved(proof) => {
                assert_eq!(proof.claim.winner, *winner, "{ruleset} {text}");
                accepted(&proof);
            }
            other => panic!("{ruleset} {text}: {other:?}"),
        }
    }
}

#[test]
fn the_easy_positions_are_won_as_said() {
    for ruleset in RULESETS {
        let suite = suite(ruleset);
        assert!(suite.len() >= 15, "{ruleset}");
        check(ruleset, &suite[..EASY]);
    }
}

#[test]
#[ignore = "a minute in a release build"]
fn all_positions_are_won_as_said() {
    for ruleset in RULESETS {
        check(ruleset, &suite(ruleset));
    }
}
