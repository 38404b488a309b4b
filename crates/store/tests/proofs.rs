//! Real proofs go in and come out, and rulesets never mix.

mod common;

use common::{WON, fresh, position, prove, provenance, record};
use proof::{Entry, NoTables, Plies, Proof, Record, extract};
use rules::{Color, Ruleset};
use store::{Access, Basis, Store, StoredRecord, Verdict};

fn assert_same(a: &Proof, b: &Proof) {
    assert_eq!(a.claim, b.claim);
    assert_eq!(a.records, b.records);
    assert_eq!(a.plies, b.plies);
}

/// What the store says, extracted in each of the ways it can be asked.
fn extract_all(store: &Store, proof: &Proof) -> [Proof; 2] {
    let (ruleset, winner) = (proof.claim.ruleset, proof.claim.winner);
    let mut stored = store
        .strategy(ruleset, winner, Basis::Rules)
        .with_cache_pages(1);
    let mut loaded = store
        .load_strategy(ruleset, winner, Basis::Rules)
        .expect("readable");
    [
        extract(&proof.claim, &mut stored, &NoTables).expect("a proof"),
        extract(&proof.claim, &mut loaded, &NoTables).expect("a proof"),
    ]
}

#[test]
fn a_proof_comes_back_from_recent_rows_and_from_pages() {
    let (_dir, mut store) = fresh();
    let proofs: Vec<Proof> = WON.map(|root| prove(root, Ruleset::Joint)).into();
    assert!(proofs.iter().any(|proof| proof.positions() > 5));
    for proof in &proofs {
        store.put_proof(proof, &provenance()).expect("stored");
        for again in extract_all(&store, proof) {
            assert_same(&again, proof);
        }
    }
    store.vacuum().expect("merged into pages");
    assert_eq!(store.stats().expect("counted").sets[0].recent, 0);
    for proof in &proofs {
        for again in extract_all(&store, proof) {
            assert!(again.plies <= proof.plies);
        }
        for record in &proof.records {
            assert!(proof.claim.root.key() != record.key || record.entry.height == proof.plies);
        }
    }
    assert_eq!(store.check().expect("readable"), []);
}

#[test]
fn a_claim_is_found_with_what_is_known_of_it() {
    let (_dir, mut store) = fresh();
    let proof = prove(WON[0], Ruleset::Joint);
    let id = store.put_proof(&proof, &provenance()).expect("stored");
    let claims = store.claims().expect("readable");
    let [claim] = &claims[..] else {
        panic!("one claim: {claims:?}");
    };
    assert_eq!(claim.id, id);
    assert_eq!(claim.claim(), proof.claim);
    assert_eq!((claim.positions, claim.plies), (1, Plies(2)));
    assert_eq!((claim.engine.as_str(), claim.nodes), ("takeme-test 1", 12));
    assert!(claim.when > 1_700_000_000 && claim.verified.is_none());

    let verdict = Verdict {
        verified: true,
        verifier: "takeme-verify 1".to_owned(),
        detail: String::new(),
    };
    store.record_verdict(id, &verdict).expect("recorded");
    let path = store.path().to_owned();
    drop(store);
    let reader = Store::open(path, Access::Read).expect("readable");
    let claim = reader.claim(&proof.claim.root, Ruleset::Joint, None, Basis::Rules);
    let claim = claim.expect("readable").expect("stored");
    assert_eq!(claim.verified.expect("recorded").verdict, verdict);
    assert_eq!(reader.stats().expect("counted").verified, 1);
}

#[test]
fn a_verdict_on_no_claim_is_an_error() {
    let (_dir, mut store) = fresh();
    let verdict = Verdict {
        verified: false,
        verifier: String::new(),
        detail: String::new(),
    };
    let error = store.record_verdict(store::ClaimId(7), &verdict);
    assert!(matches!(error, Err(store::Error::NoClaim { id: 7, .. })));
}

#[test]
fn a_claim_proved_again_keeps_its_row_and_verdict_unless_it_is_shorter() {
    let (_dir, mut store) = fresh();
    let proof = prove(WON[0], Ruleset::Joint);
    let mut longer = proof.clone();
    longer.plies = Plies(4);
    longer.records[0].entry.height = Plies(4);
    let verdict = Verdict {
        verified: true,
        verifier: "v".to_owned(),
        detail: String::new(),
    };
    let claim = |store: &Store| store.claims().expect("readable")[0].clone();

    let id = store.put_proof(&longer, &provenance()).expect("stored");
    store.record_verdict(id, &verdict).expect("recorded");
    assert_eq!(store.put_proof(&longer, &provenance()).ok(), Some(id));
    assert!(claim(&store).verified.is_some());

    assert_eq!(store.put_proof(&proof, &provenance()).ok(), Some(id));
    assert_eq!(
        (claim(&store).plies, claim(&store).verified),
        (Plies(2), None)
    );

    store.record_verdict(id, &verdict).expect("recorded");
    assert_eq!(store.put_proof(&longer, &provenance()).ok(), Some(id));
    assert_eq!(claim(&store).plies, Plies(2));
    assert!(claim(&store).verified.is_some());
    assert_eq!(store.claims().expect("readable").len(), 1);
}

#[test]
fn joint_answers_for_international_and_fics_and_nobody_else_for_another() {
    let root = position(WON[0], Ruleset::Joint);
    // The others have no such position.
    let free_king = Ruleset::ALL
        .into_iter()
        .filter(|ruleset| !ruleset.class().has_castling());
    for stored in free_king {
        let (_dir, mut store) = fresh();
        let proof = prove(WON[0], stored);
        store.put_proof(&proof, &provenance()).expect("stored");
        for asked in Ruleset::ALL {
            let serves = stored.serves(asked);
            let entry = store
                .entry(asked, Color::White, Basis::Rules, &root)
                .expect("readable");
            assert_eq!(entry.is_some(), serves, "{stored} for {asked}");
            let claim = store
                .claim(&root, asked, None, Basis::Rules)
                .expect("readable");
            assert_eq!(claim.is_some(), serves);
            let loaded = store
                .load_strategy(asked, Color::White, Basis::Rules)
                .expect("readable");
            assert_eq!(loaded.get(&root), entry);
            let black = store
                .entry(asked, Color::Black, Basis::Rules, &root)
                .expect("readable");
            assert_eq!(black, None);
            let claim = store.claim(&root, asked, Some(Color::Black), Basis::Rules);
            assert_eq!(claim.expect("readable"), None);
            let mut own = 0;
            store
                .for_each_record(asked, Color::White, Basis::Rules, |_| own += 1)
                .expect("readable");
            assert_eq!(own > 0, stored == asked, "only its own records");
        }
    }
}

#[test]
fn of_two_rulesets_that_answer_the_smaller_height_does() {
    let (_dir, mut store) = fresh();
    let root = position(WON[0], Ruleset::Joint);
    let legal = rules::canonical_moves(&root, Ruleset::Joint);
    let entry = |index: usize, height| Entry {
        mv: legal[index],
        height: Plies(height),
    };
    let (long, short) = (entry(0, 9), entry(1, 5));
    let white = Color::White;
    for (ruleset, stored) in [(Ruleset::International, long), (Ruleset::Joint, short)] {
        let records = [Record::new(&root, stored)];
        store
            .put_entries(ruleset, white, Basis::Rules, records)
            .expect("stored");
    }
    let answer = |ruleset| {
        store
            .entry(ruleset, white, Basis::Rules, &root)
            .expect("readable")
    };
    assert_eq!(answer(Ruleset::International), Some(short));
    assert_eq!(answer(Ruleset::Joint), Some(short));
    assert_eq!(answer(Ruleset::Fics), Some(short));
}

/// A record that shares the key of the root but not its check.
fn forged(root: &rules::Position) -> Record {
    let mut forged = record(1, 3);
    let (key, check) = Record::id(root);
    forged.key = key;
    forged.check = check ^ 1;
    forged
}

#[test]
fn positions_that_share_a_key_are_told_apart() {
    // Once with recent rows, once with pages.
    for filling in [0, 5_000] {
        let (_dir, mut store) = fresh();
        let proof = prove(WON[2], Ruleset::Joint);
        let root = proof.claim.root;
        let forged = forged(&root);
        let filler = (0..filling).map(|i| record(i, 1));
        store
            .put_entries(
                Ruleset::Joint,
                Color::White,
                Basis::Rules,
                filler.chain([forged]),
            )
            .expect("stored");
        assert_eq!(
            store
                .entry(Ruleset::Joint, Color::White, Basis::Rules, &root)
                .ok(),
            Some(None),
            "the forged record is of another position"
        );
        store.put_proof(&proof, &provenance()).expect("stored");
        assert_eq!(store.stats().expect("counted").sets[0].exact, 1);
        assert_eq!(store.check().expect("readable"), []);
        for again in extract_all(&store, &proof) {
            assert_same(&again, &proof);
        }
        let mut seen = Vec::new();
        store
            .for_each_record(Ruleset::Joint, Color::White, Basis::Rules, |record| {
                if record.key == forged.key {
                    seen.push(record);
                }
            })
            .expect("readable");
        let own = proof.entry(&root).expect("the root's");
        let stored = |record: Record| StoredRecord {
            key: record.key,
            check: record.check.to_le_bytes()[0],
            entry: record.entry,
        };
        assert_eq!(seen, [stored(forged), stored(Record::new(&root, own))]);

        // A better record of a position of the side table finds its way there.
        let better = Entry {
            height: Plies(1),
            ..own
        };
        let merged = store
            .put_entries(
                Ruleset::Joint,
                Color::White,
                Basis::Rules,
                [Record::new(&root, better)],
            )
            .expect("stored");
        assert_eq!((merged.added, merged.improved), (0, 1));
        let entry = store.entry(Ruleset::Joint, Color::White, Basis::Rules, &root);
        assert_eq!(entry.ok(), Some(Some(better)));
    }
}

#[test]
fn records_that_cannot_be_placed_are_handed_back() {
    let (_dir, mut store) = fresh();
    let root = position(WON[0], Ruleset::Joint);
    let entry = record(0, 2).entry;
    let own = Record::new(&root, entry);
    let (joint, white) = (Ruleset::Joint, Color::White);
    let merged = store
        .put_entries(joint, white, Basis::Rules, [forged(&root), own])
        .expect("stored");
    assert_eq!((merged.added, merged.unplaced.len()), (1, 1));
    // Which of the two was first in the batch hangs on their checks.
    if merged.unplaced == [own] {
        store
            .put_position(joint, white, Basis::Rules, &root, entry)
            .expect("stored");
    }
    assert_eq!(
        store.entry(joint, white, Basis::Rules, &root).ok(),
        Some(Some(entry))
    );
}

#[test]
fn a_proof_with_collisions_of_its_own_is_kept_whole() {
    let (_dir, mut store) = fresh();
    let mut proof = prove(WON[2], Ruleset::Joint);
    let root = proof.claim.root;
    let entry = proof.entry(&root).expect("the root's");
    let at = proof.records.iter().position(|r| r.key == root.key());
    proof.records[at.expect("the root's")] = forged(&root);
    proof.exact.push((root.pack(), entry));
    store.put_proof(&proof, &provenance()).expect("stored");
    let found = store.entry(Ruleset::Joint, Color::White, Basis::Rules, &root);
    assert_eq!(found.ok(), Some(Some(entry)));
    let loaded = store.load_strategy(Ruleset::Joint, Color::White, Basis::Rules);
    assert_eq!(loaded.expect("readable").get(&root), Some(entry));
}

#[test]
fn a_reader_cannot_store() {
    let (_dir, store) = fresh();
    let path = store.path().to_owned();
    drop(store);
    let mut reader = Store::open(path, Access::Read).expect("readable");
    let error = reader.put_entries(Ruleset::Joint, Color::White, Basis::Rules, []);
    assert!(matches!(error, Err(store::Error::OpenedForReading(_))));
}

#[test]
fn a_missing_file_is_not_made_by_reading() {
    let (_dir, path) = common::place();
    let error = Store::open(&path, Access::Read).expect_err("missing");
    assert!(matches!(error, store::Error::NotFound(_)));
    assert!(!path.exists());
}

#[test]
fn the_size_of_a_claim_follows_its_verification() {
    let (_dir, mut store) = fresh();
    let proof = prove(WON[0], Ruleset::Joint);
    let id = store.put_proof(&proof, &provenance()).expect("stored");
    store.record_size(id, 3, Plies(8)).expect("recorded");
    let claim = store.claims().expect("readable").remove(0);
    assert_eq!((claim.positions, claim.plies), (3, Plies(8)));
    assert!(store.record_size(store::ClaimId(7), 1, Plies(1)).is_err());
}
