//! Complete proofs and proofs that lean on tables, in one database.

mod common;

use common::{WON, fresh, leaning, position, prove, provenance, raised, record, tables};
use proof::{Entry, NoTables, Plies, Proof, Record, Strategy, extract};
use rules::{Color, Ruleset};
use store::{Basis, Error, Store, StoredClaim, Verdict};

const JOINT: Ruleset = Ruleset::Joint;
const WHITE: Color = Color::White;

/// A complete proof and one that leans on tables, of one claim.
fn both() -> [Proof; 2] {
    let proofs = [prove(WON[1], JOINT), leaning(JOINT)];
    assert_eq!(proofs[0].claim, proofs[1].claim);
    assert!(proofs[0].tables.is_empty() && proofs[0].positions() > proofs[1].positions());
    proofs
}

fn claim(store: &Store, proof: &Proof, asked: Ruleset, basis: Basis) -> Option<StoredClaim> {
    let claim = store.claim(&proof.claim.root, asked, None, basis);
    claim.expect("readable")
}

/// What a reader extracts: of basis `Rules` without tables, of basis `Tables` with them.
fn extract_with(strategy: &mut impl Strategy<Error = Error>, of: &Proof, basis: Basis) -> Proof {
    let tables = (basis == Basis::Tables).then(tables);
    let proof = extract(&of.claim, strategy, &tables.as_ref()).expect("a proof");
    assert_eq!(proof.tables.is_empty(), basis == Basis::Rules);
    proof
}

fn extract_all(store: &Store, of: &Proof, basis: Basis) -> [Proof; 2] {
    let mut stored = store.strategy(JOINT, WHITE, basis).with_cache_pages(1);
    let mut loaded = store.load_strategy(JOINT, WHITE, basis).expect("readable");
    [
        extract_with(&mut stored, of, basis),
        extract_with(&mut loaded, of, basis),
    ]
}

/// Both proofs are there, the complete one as it was.
fn assert_side_by_side(store: &Store, complete: &Proof, leaning: &Proof) {
    assert_eq!(store.check().expect("readable"), []);
    let root = &complete.claim.root;
    let entry = |ruleset, basis| {
        let entry = store.entry(ruleset, WHITE, basis, root);
        entry.expect("readable").expect("stored")
    };
    let (own, other) = (complete.entry(root), leaning.entry(root));
    let (own, other) = (own.expect("the root's"), other.expect("the root's"));
    for asked in [JOINT, Ruleset::International, Ruleset::Fics] {
        assert_eq!(entry(asked, Basis::Rules), own);
    }
    for basis in Basis::ALL {
        // Those tables are joint's.
        assert_eq!(entry(Ruleset::Fics, basis), own);
    }
    assert_eq!(
        entry(JOINT, Basis::Tables).height,
        own.height.min(other.height)
    );

    for again in extract_all(store, complete, Basis::Rules) {
        let moves = |proof: &Proof| {
            let records = proof.records.iter();
            let moves = records.map(|record| (record.key, record.entry.mv));
            moves.collect::<Vec<_>>()
        };
        assert_eq!(moves(&again), moves(complete));
    }
    for again in extract_all(store, leaning, Basis::Tables) {
        assert_eq!(again.tables, leaning.tables);
        assert!(again.plies <= complete.plies.min(leaning.plies));
    }

    let claims = store.claims().expect("readable");
    assert_eq!(claims.len(), 2);
    for (proof, basis) in [(complete, Basis::Rules), (leaning, Basis::Tables)] {
        let mut claims = claims.iter();
        let claim = claims.find(|claim| claim.basis == basis).expect("stored");
        assert_eq!(claim.claim(), proof.claim);
        assert_eq!((claim.plies, &claim.tables), (proof.plies, &proof.tables));
        assert_eq!(claim.positions, proof.positions());
    }
    for asked in [JOINT, Ruleset::International] {
        let answer = |basis| claim(store, complete, asked, basis).expect("stored");
        assert_eq!(answer(Basis::Rules).basis, Basis::Rules);
        let best = answer(Basis::Tables);
        assert_eq!(best.plies, complete.plies.min(leaning.plies));
        assert_eq!(
            best.basis == Basis::Rules,
            complete.plies <= leaning.plies,
            "at a tie what needs no tables"
        );
        assert_eq!(best.ruleset, JOINT);
    }
}

#[test]
fn a_complete_proof_stays_complete_beside_one_that_leans_on_tables() {
    for (slack, leaning_slack) in [(10, 0), (0, 10), (0, 0)] {
        for complete_first in [true, false] {
            let [complete, leaning] = both();
            let (complete, leaning) = (raised(complete, slack), raised(leaning, leaning_slack));
            let mut order = [&complete, &leaning];
            if !complete_first {
                order.reverse();
            }
            let (_dir, mut store) = fresh();
            for proof in order {
                store.put_proof(proof, &provenance()).expect("stored");
            }
            assert_side_by_side(&store, &complete, &leaning);
            let sets = store.stats().expect("counted").sets;
            let sizes: Vec<_> = sets.iter().map(|set| (set.basis, set.positions)).collect();
            let size = |proof: &Proof| (Basis::of(proof), proof.positions());
            assert_eq!(sizes, [size(&complete), size(&leaning)]);
            // Again from pages.
            store.vacuum().expect("packed");
            assert_side_by_side(&store, &complete, &leaning);
        }
    }
}

#[test]
fn a_proof_that_leans_on_tables_does_not_answer_who_asks_for_a_complete_one() {
    let (_dir, mut store) = fresh();
    let proof = leaning(JOINT);
    let root = proof.claim.root;
    store.put_proof(&proof, &provenance()).expect("stored");
    assert_eq!(store.check().expect("readable"), []);
    assert_eq!(claim(&store, &proof, JOINT, Basis::Rules), None);
    let entry = |ruleset, basis| store.entry(ruleset, WHITE, basis, &root).expect("readable");
    assert_eq!(entry(JOINT, Basis::Rules), None);
    assert_eq!(entry(JOINT, Basis::Tables), proof.entry(&root));
    let loaded = store.load_strategy(JOINT, WHITE, Basis::Rules);
    assert_eq!(loaded.expect("readable").positions(), 0);

    // Its entries rest on joint's tables; the claim as a whole is one for international, too.
    assert_eq!(entry(Ruleset::International, Basis::Tables), None);
    let answer = claim(&store, &proof, Ruleset::International, Basis::Tables).expect("joint's");
    assert_eq!((answer.ruleset, answer.basis), (JOINT, Basis::Tables));
    let set = store.stats().expect("counted").sets[0];
    assert!(set.serves(JOINT, Basis::Tables) && !set.serves(JOINT, Basis::Rules));
    assert!(!set.serves(Ruleset::International, Basis::Tables));
}

#[test]
fn entries_are_kept_apart_by_their_basis() {
    let (_dir, mut store) = fresh();
    let root = position(WON[0], JOINT);
    let entry = |height| Entry {
        mv: record(0, 1).entry.mv,
        height: Plies(height),
    };
    for (basis, height) in [(Basis::Rules, 9), (Basis::Tables, 3)] {
        let records = [Record::new(&root, entry(height))];
        let merged = store.put_entries(JOINT, WHITE, basis, records);
        assert_eq!(merged.expect("stored").added, 1);
    }
    let mut heights = Vec::new();
    for basis in Basis::ALL {
        let read = store.for_each_record(JOINT, WHITE, basis, |record| {
            heights.push((basis, record.entry.height));
        });
        read.expect("readable");
    }
    assert_eq!(
        heights,
        [(Basis::Rules, Plies(9)), (Basis::Tables, Plies(3))]
    );

    // The side table, too.
    for (basis, height) in [(Basis::Tables, 2), (Basis::Rules, 8)] {
        store
            .put_position(JOINT, WHITE, basis, &root, entry(height))
            .expect("stored");
    }
    let found = |basis| store.entry(JOINT, WHITE, basis, &root).expect("readable");
    assert_eq!(found(Basis::Rules), Some(entry(8)));
    assert_eq!(found(Basis::Tables), Some(entry(2)));
    let sets = store.stats().expect("counted").sets;
    assert!(sets.len() == 2 && sets.iter().all(|set| set.exact == 1));
}

#[test]
fn a_rejected_proof_casts_doubt_on_its_own_basis_only() {
    let rejected = Verdict {
        verified: false,
        verifier: "v".to_owned(),
        detail: "a loop".to_owned(),
    };
    for basis in Basis::ALL {
        let (_dir, mut store) = fresh();
        for proof in both() {
            let id = store.put_proof(&proof, &provenance()).expect("stored");
            if Basis::of(&proof) == basis {
                store.record_verdict(id, &rejected).expect("recorded");
            }
        }
        let doubt = |asked, of| store.any_rejected(asked, WHITE, of).expect("readable");
        assert_eq!(doubt(JOINT, Basis::Rules), basis == Basis::Rules);
        assert!(doubt(JOINT, Basis::Tables));
        assert_eq!(doubt(Ruleset::Fics, Basis::Tables), basis == Basis::Rules);
        let [complete, _] = both();
        let answer = claim(&store, &complete, JOINT, Basis::Tables).expect("stored");
        assert_ne!(answer.basis, basis, "the one that was not rejected");
    }
}

#[test]
fn the_tables_of_a_claim_follow_its_verification() {
    let (_dir, mut store) = fresh();
    let [complete, leaning] = both();
    let complete_id = store.put_proof(&complete, &provenance()).expect("stored");
    let id = store.put_proof(&leaning, &provenance()).expect("stored");
    let mut other = tables().0;
    other.name = "RvN".to_owned();
    for list in [vec![other, tables().0], vec![]] {
        store.record_tables(id, &list).expect("recorded");
        let claims = store.claims().expect("readable");
        let claim = claims.iter().find(|claim| claim.id == id).expect("stored");
        assert_eq!((claim.basis, &claim.tables), (Basis::Tables, &list));
    }
    for wrong in [complete_id, store::ClaimId(77)] {
        let error = store.record_tables(wrong, &[tables().0]);
        assert!(matches!(error, Err(Error::NoClaim { .. })), "{error:?}");
    }
    assert_eq!(store.check().expect("readable"), []);
}

#[test]
fn merging_databases_keeps_the_bases_apart() {
    for complete_here in [true, false] {
        let [complete, leaning] = both();
        let complete = raised(complete, 10);
        let (mut proofs, (_dir, mut here), (_other_dir, mut there)) =
            ([&complete, &leaning], fresh(), fresh());
        if !complete_here {
            proofs.reverse();
        }
        here.put_proof(proofs[0], &provenance()).expect("stored");
        there.put_proof(proofs[1], &provenance()).expect("stored");
        let merged = here
            .merge_from(&there, &Ruleset::ALL, |_, _| true)
            .expect("merged");
        assert_eq!((merged.added, merged.kept), (proofs[1].positions(), 0));
        assert_side_by_side(&here, &complete, &leaning);
        let again = here
            .merge_from(&there, &Ruleset::ALL, |_, _| true)
            .expect("merged");
        assert_eq!((again.added, again.improved), (0, 0));

        // Both at once.
        let (_third_dir, mut third) = fresh();
        third
            .merge_from(&here, &Ruleset::ALL, |_, _| true)
            .expect("merged");
        assert_side_by_side(&third, &complete, &leaning);
    }
}

/// A search on the basis of tables stores only what is news, which may rest on complete proofs.
#[test]
fn entries_that_lean_on_tables_may_lead_to_complete_proofs() {
    let [complete, leaning] = both();
    let (_dir, mut store) = fresh();
    let longer = raised(leaning, 10);
    store.put_proof(&longer, &provenance()).expect("stored");
    store.put_proof(&complete, &provenance()).expect("stored");
    let root = &complete.claim.root;
    let better = Record::new(root, complete.entry(root).expect("the root's"));
    let merged = store.put_entries(JOINT, WHITE, Basis::Tables, [better]);
    assert_eq!(merged.expect("stored").improved, 1);
    assert_side_by_side(&store, &complete, &longer);
    let (_other_dir, mut other) = fresh();
    other
        .merge_from(&store, &Ruleset::ALL, |_, _| true)
        .expect("merged");
    assert_side_by_side(&other, &complete, &longer);
}

#[test]
fn a_collision_is_placed_in_the_set_of_its_own_basis() {
    let [complete, leaning] = both();
    let root = leaning.claim.root;
    let (key, check) = Record::id(&root);
    let forged = Record {
        key,
        check: !check,
        entry: record(0, 1).entry,
    };
    // Once by storing the proof, once by merging a database that holds it.
    for by_merging in [false, true] {
        let (_dir, mut store) = fresh();
        store
            .put_entries(JOINT, WHITE, Basis::Tables, [forged])
            .expect("stored");
        store.put_proof(&complete, &provenance()).expect("stored");
        if by_merging {
            let (_other_dir, mut other) = fresh();
            other.put_proof(&leaning, &provenance()).expect("stored");
            let merged = store
                .merge_from(&other, &Ruleset::ALL, |_, _| true)
                .expect("merged");
            assert_eq!(merged.unplaced, []);
        } else {
            store.put_proof(&leaning, &provenance()).expect("stored");
        }
        let sets = store.stats().expect("counted").sets;
        let exact: Vec<_> = sets.iter().map(|set| (set.basis, set.exact)).collect();
        assert_eq!(exact, [(Basis::Rules, 0), (Basis::Tables, 1)]);
        assert_side_by_side(&store, &complete, &leaning);
    }
}

/// The position before a table's is stored with less height than an entry that a complete proof has for the table's own.
#[test]
fn a_greater_height_below_a_table_is_no_damage() {
    let [complete, leaning] = both();
    let (_dir, mut store) = fresh();
    store
        .put_proof(&raised(complete, 40), &provenance())
        .expect("stored");
    store.put_proof(&leaning, &provenance()).expect("stored");
    assert_eq!(store.check().expect("readable"), []);
    let mut reader = store.strategy(JOINT, WHITE, Basis::Tables);
    extract(&leaning.claim, &mut reader, &NoTables).expect("the complete proof goes on from there");
}
