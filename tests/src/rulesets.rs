//! Positions that tell the rulesets apart: for every two, one that is won under the first and not under the second.

use prover::Verdict;
use rules::{Color, Ruleset, fen};

use crate::support::{accepted, position, verdict};

/// A position, and its result under the rulesets in the order of their codes: `w` White wins, `b` Black wins, `=` neither does,
/// `-` no game of the ruleset can have it, `?` not asked.
const POSITIONS: [(&str, &str); 8] = [
    // g6 g4 locks Black in, with more men; g4 locks White in, with fewer.
    ("8/6p1/8/6p1/8/6P1/8/8 b - -", "bw==--w"),
    // White is locked in with fewer men.
    ("8/8/8/4n3/8/5p2/5P2/8 b - -", "www=--w"),
    // The pawn must promote: to a queen that has to capture, or to something better.
    ("8/P3r3/2P5/3p4/8/8/8/8 w - -", "wwwb--b"),
    // The king may not be given away.
    ("8/K7/6p1/4k3/8/2Q5/8/8 b - -", "bbbbwww"),
    ("6k1/8/4Pp1K/8/8/8/8/8 b - -", "???bwww"),
    // The rook must take the rook, and mates.
    ("r6k/6pp/8/8/8/8/8/R3K3 w - -", "bbbbwbb"),
    // Set-ups in which a kind of man is missing.
    ("8/8/8/8/6P1/8/8/8 b - -", "bbbb--w"),
    ("8/5K2/8/8/8/6Q1/6k1/8 b - -", "????bbw"),
];

/// Expansions that settle each of them under any ruleset.
const NODES: u64 = 20_000;

fn result(text: &str, ruleset: Ruleset) -> char {
    if fen::parse(text, ruleset).is_err() {
        return '-';
    }
    match verdict(position(text, ruleset), ruleset, NODES) {
        Verdict::Proved(proof) => {
            accepted(&proof);
            match proof.claim.winner {
                Color::White => 'w',
                Color::Black => 'b',
            }
        }
        Verdict::Disproved => '=',
        Verdict::Undecided(why) => panic!("{ruleset} {text}: {why:?}"),
        Verdict::KnownFail(why) | Verdict::TablesFail(why) => panic!("{ruleset} {text}: {why}"),
    }
}

#[test]
fn each_ruleset_is_told_from_each_other_by_who_wins() {
    let mut told_apart = [[false; 7]; 7];
    for (text, expected) in POSITIONS {
        let expected: Vec<char> = expected.chars().collect();
        let asked = |(ruleset, &expected)| match expected {
            '?' => '?',
            _ => result(text, ruleset),
        };
        let found: Vec<char> = Ruleset::ALL.into_iter().zip(&expected).map(asked).collect();
        assert_eq!(found, expected, "{text}");
        for (a, won) in found.iter().enumerate() {
            for (b, other) in found.iter().enumerate() {
                let settled = matches!(other, 'w' | 'b' | '=');
                told_apart[a][b] |= matches!(won, 'w' | 'b') && settled && won != other;
            }
        }
    }
    for a in Ruleset::ALL {
        for b in Ruleset::ALL {
            // Where each win under one is a win under the other, there is no such position.
            let found = told_apart[usize::from(a.code())][usize::from(b.code())];
            assert_eq!(found, !a.serves(b), "won under {a}, not under {b}");
        }
    }
}
