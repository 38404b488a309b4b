//! What the prover proves the verifier accepts, and finds as many positions and plies in it.

use rules::{Color, Ruleset};
use verify::{NoTables, Options, Verdict};

use crate::support::{Moves, after, certificate, claim_across, position, proof};

fn accepted(proof: &proof::Proof) {
    let bytes = certificate(proof);
    let verdict = verify::verify_certificate(&bytes, &mut NoTables, &Options::default());
    let Ok(Verdict::Verified(verified)) = verdict else {
        panic!("{}: {verdict:?}", proof.claim);
    };
    assert_eq!(verified.positions, proof.positions());
    assert_eq!(verified.plies, u32::from(proof.plies.0));
    assert!(verified.assumptions.is_empty());
    // The prover's side reads its own certificate as the same proof.
    let read = proof::certificate::Certificate::parse(&bytes).expect("a certificate");
    let again =
        proof::extract(&read.claim, &mut read.strategy().expect("choices")).expect("a proof");
    assert_eq!(again.records, proof.records);
    // Asked by position rather than in order, the strategy proves the same.
    let judged = Moves::of(proof).judge(&claim_across(&proof.claim));
    assert!(matches!(judged, Verdict::Verified(_)), "{judged:?}");
}

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
