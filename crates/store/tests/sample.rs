//! A database of every released schema version is kept in `data/store`, and must open, upgrade and answer.

mod common;

use std::{fs, path::PathBuf};

use common::{WON, leaning, place, prove, provenance, record, tables};
use proof::{Plies, extract};
use rules::{Color, Move, Position, Ruleset};
use store::{
    Access, Basis, CampaignKey, CampaignState, Error, PartKind, SavedCampaign, Store, Verdict,
};

/// The present version.
const LATEST: u32 = 4;

/// Records beside the proofs: enough for pages.
const FILLING: u64 = 2_500;

fn data(version: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../data/store/v{version}.db"))
}

const REPLACED: PartKind = PartKind {
    number: 1,
    adds: false,
};
const ADDED: PartKind = PartKind {
    number: 2,
    adds: true,
};
const PARTS: [(PartKind, &[u8]); 3] = [(REPLACED, b"nodes"), (ADDED, b"one"), (ADDED, b"two")];

/// A search that has not ended.
fn key() -> CampaignKey {
    CampaignKey {
        ruleset: Ruleset::Joint,
        root: common::position("8/8/8/8/p6R/8/8/R7 w - -", Ruleset::Joint),
        attacker: Color::White,
        basis: Basis::Tables,
    }
}

/// What a book says.
fn hint() -> (Position, Move) {
    let mv = Move::parse_uci("h5a5").expect("UCI");
    (key().root, mv)
}

fn hints(store: &Store) -> Vec<(Position, Move)> {
    let mut hints = Vec::new();
    store
        .for_each_hint(Ruleset::International, |position, mv| {
            hints.push((*position, mv));
        })
        .expect("readable");
    hints
}

fn state() -> CampaignState {
    CampaignState {
        engine: "takeme-test 1".to_owned(),
        nodes: 1 << 40,
        seconds: 7.5,
        pn: 3,
        dn: u32::MAX,
        when: 1_700_000_000,
    }
}

fn parts(store: &Store, saved: &SavedCampaign, kind: PartKind) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    store
        .for_each_part(saved, kind, |bytes| {
            parts.push(bytes.to_vec());
            true
        })
        .expect("readable");
    parts
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
        .put_entries(Ruleset::Joint, Color::White, Basis::Rules, filling)
        .expect("stored");
    let complete = WON.map(|root| prove(root, Ruleset::Joint));
    for proof in complete.iter().chain([&leaning(Ruleset::Joint)]) {
        let id = store.put_proof(proof, &provenance()).expect("stored");
        let verdict = Verdict {
            verified: true,
            verifier: "takeme-verify 0.1.0".to_owned(),
            detail: "none".to_owned(),
        };
        store.record_verdict(id, &verdict).expect("recorded");
    }
    let mut writer = store.save_campaigns().expect("writable");
    let saved = writer.begin(&key(), &state(), true).expect("written");
    for (kind, part) in PARTS {
        writer.put(&saved, kind, part).expect("written");
    }
    writer.commit().expect("written");
    store.put_hints(Ruleset::Joint, [hint()]).expect("written");
    let stats = store.stats().expect("counted");
    assert!(stats.sets[0].pages > 0 && stats.sets[0].recent > 0);
    let sample = data(LATEST);
    store.backup(sample, false).expect("a sample is made once");
}

/// So many claims lean on tables, and nothing else that was stored is missing.
fn assert_complete(store: &Store, leaning: usize) {
    assert_eq!(store.check().expect("readable"), []);
    let claims = store.claims().expect("readable");
    assert_eq!(claims.len(), WON.len() + leaning);
    let of_tables = claims.iter().filter(|claim| claim.basis == Basis::Tables);
    assert_eq!(of_tables.count(), leaning);
    for claim in claims {
        assert_eq!(claim.ruleset, Ruleset::Joint);
        assert_eq!(claim.engine, "takeme-test 1");
        let verdict = claim.verified.as_ref().expect("recorded");
        assert_eq!(verdict.verdict.verifier, "takeme-verify 0.1.0");
        let mut strategy = store.strategy(claim.ruleset, claim.winner, claim.basis);
        let tables = (claim.basis == Basis::Tables).then(tables);
        let proof = extract(&claim.claim(), &mut strategy, &tables.as_ref()).expect("complete");
        assert_eq!(proof.tables, claim.tables);
        assert!(proof.plies <= claim.plies);
    }
    let mut filling = 0;
    store
        .for_each_record(Ruleset::Joint, Color::White, Basis::Rules, |record| {
            filling += u64::from(record.entry.height == Plies(9));
        })
        .expect("readable");
    assert!(filling >= FILLING);
}

#[test]
fn the_sample_of_version_1_is_upgraded_by_a_writer_and_is_complete() {
    let (_dir, path) = place();
    fs::copy(data(1), &path).expect("the sample is kept");
    let error = Store::open(&path, Access::Read).expect_err("only a writer may upgrade it");
    assert!(
        matches!(error, Error::OlderSchema { found: 1, .. }),
        "{error:?}"
    );
    let mut store = Store::open(&path, Access::Write).expect("upgraded");
    assert_complete(&store, 0);
    let claims = store.claims().expect("readable");
    assert!(claims.iter().all(|claim| claim.verified.is_some()));
    drop(store);
    assert_complete(&Store::open(&path, Access::Read).expect("readable"), 0);

    // What version 1 could not hold: another proof of the same claim, which leans on tables.
    store = Store::open(&path, Access::Write).expect("writable");
    let proof = leaning(Ruleset::Joint);
    store.put_proof(&proof, &provenance()).expect("stored");
    assert_eq!(store.claims().expect("readable")[..4], claims);
    store.vacuum().expect("packed");
    assert_eq!(store.check().expect("readable"), []);
    assert_eq!(store.claims().expect("readable").len(), 5);
}

#[test]
fn the_sample_of_version_2_is_upgraded_by_a_writer_and_is_complete() {
    let (_dir, path) = place();
    fs::copy(data(2), &path).expect("the sample is kept");
    let error = Store::open(&path, Access::Read).expect_err("only a writer may upgrade it");
    assert!(
        matches!(error, Error::OlderSchema { found: 2, .. }),
        "{error:?}"
    );
    let mut store = Store::open(&path, Access::Write).expect("upgraded");
    assert_complete(&store, 1);
    assert_eq!(store.campaigns().expect("readable").len(), 0);
    store.vacuum().expect("packed");
    assert_complete(&store, 1);
}

/// What version 3 brought.
fn assert_campaign(store: &Store) {
    let saved = store.campaign(&key()).expect("readable").expect("saved");
    assert_eq!((saved.key, &saved.state), (key(), &state()));
    assert_eq!(parts(store, &saved, REPLACED), [b"nodes"]);
    assert_eq!(parts(store, &saved, ADDED), [b"one", b"two"]);
}

#[test]
fn the_sample_of_version_3_is_upgraded_by_a_writer_and_is_complete() {
    let (_dir, path) = place();
    fs::copy(data(3), &path).expect("the sample is kept");
    let error = Store::open(&path, Access::Read).expect_err("only a writer may upgrade it");
    assert!(
        matches!(error, Error::OlderSchema { found: 3, .. }),
        "{error:?}"
    );
    let mut store = Store::open(&path, Access::Write).expect("upgraded");
    assert_complete(&store, 1);
    assert_campaign(&store);
    assert_eq!(hints(&store), []);
    store.put_hints(Ruleset::Joint, [hint()]).expect("written");
    assert_eq!(hints(&store), [hint()]);
}

#[test]
fn the_sample_of_version_4_opens_and_is_complete() {
    let (_dir, path) = place();
    fs::copy(data(4), &path).expect("the sample is kept");
    let store = Store::open(&path, Access::Read).expect("readable");
    assert_complete(&store, 1);
    assert_campaign(&store);
    assert_eq!(hints(&store), [hint()]);
}
