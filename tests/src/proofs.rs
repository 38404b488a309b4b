//! What the prover proves the verifier accepts, and finds as many positions and plies in it.

use rules::{Color, Ruleset};

use crate::support::{accepted, after, position, proof};

#[test]
fn proofs_of_openings_of_the_main_game_are_accepted() {
    let lines = [
        ("e3 d5", Color::White),
        ("e3 d6", Color::White),
        ("e4", Color::Black),
        ("d4", Color::Black),
        ("d3", Color::Black),
    ];
    for ruleset in [Ruleset::International, Ruleset::Fics, Ruleset::Joint] {
        for (line, winner) in lines {
            let proof = proof(after(line, ruleset), ruleset);
            assert_eq!(proof.claim.winner, winner, "{line} {ruleset}");
            accepted(&proof);
        }
    }
}

#[test]
fn proofs_of_endings_are_accepted() {
    // Field cases B14, B23; a win by stalemate; a game that is over.
    for fen in [
        "8/P7/8/7p/8/8/8/8 w - -",
        "8/8/8/1p6/8/2K5/8/8 w - -",
        "8/5p2/8/8/8/5P2/8/8 w - -",
        "8/8/8/5p2/5P2/8/8/8 w - -",
    ] {
        let ruleset = Ruleset::International;
        accepted(&proof(position(fen, ruleset), ruleset));
    }
}
