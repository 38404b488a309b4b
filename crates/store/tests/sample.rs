//! A database of every released schema version is kept in `data/store`, and must open, upgrade and answer.

mod common;

use std::{fs, path::PathBuf};

use common::{WON, place, prove, provenance, record};
use proof::{Plies, extract};
use rules::{Color, Ruleset};
use store::{Access, Store, Verdict};

/// Records beside the proofs: enough for pages.
const FILLING: u64 = 2_500;

fn data(version: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../data/store/v{version}.db"))
}

/// Makes the sample of the present version. To be run once before a version is released, and never after:
/// `cargo test -p takeme-store --test sample -- --ignored`, then `git add -f data/store`.
#[test]
#[ignore = "makes a file that is kept"]
fn make_the_sample_of_this_version() {
    let (_dir, path) = place();
    let mut store = Store::open(&path, Access::Write).expect("made");
    let filling = (0..FILLING).map(|i| record(i, 9));
    store
        .put_entries(Ruleset::Joint, Color::White, filling)
        .expect("stored");
    for root in WON {
        let id = store
            .put_proof(&prove(root, Ruleset::Joint), &provenance())
            .expect("stored");
        let verdict = Verdict {
            verified: true,
            verifier: "takeme-verify 0.1.0".to_owned(),
            detail: "none".to_owned(),
        };
        store.record_verdict(id, &verdict).expect("recorded");
    }
    let stats = store.stats().expect("counted");
    assert!(stats.sets[0].pages > 0 && stats.sets[0].recent > 0);
    fs::create_dir_all(data(1).parent().expect("has one")).expect("made");
    store.backup(data(1), false).expect("a sample is made once");
}

fn assert_complete(store: &Store) {
    assert_eq!(store.check().expect("readable"), []);
    let claims = store.claims().expect("readable");
    assert_eq!(claims.len(), WON.len());
    for claim in claims {
        assert_eq!(claim.ruleset, Ruleset::Joint);
        assert_eq!(claim.engine, "takeme-test 1");
        let verdict = claim.verified.as_ref().expect("recorded");
        assert_eq!(verdict.verdict.verifier, "takeme-verify 0.1.0");
        let mut strategy = store.strategy(claim.ruleset, claim.winner);
        let proof = extract(&claim.claim(), &mut strategy).expect("complete");
        assert!(proof.plies <= claim.plies);
    }
    let mut filling = 0;
    store
        .for_each_record(Ruleset::Joint, Color::White, |record| {
            filling += u64::from(record.entry.height == Plies(9));
        })
        .expect("readable");
    assert!(filling >= FILLING);
}

#[test]
fn the_sample_of_version_1_opens_and_is_complete() {
    let (_dir, path) = place();
    fs::copy(data(1), &path).expect("the sample is kept");
    assert_complete(&Store::open(&path, Access::Read).expect("readable"));
    let mut store = Store::open(&path, Access::Write).expect("writable");
    assert_complete(&store);
    store.vacuum().expect("packed");
    assert_complete(&store);
}
