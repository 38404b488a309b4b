//! Taking over another database.

mod common;

use common::{WON, fresh, prove, provenance, record};
use proof::{NoTables, Record, extract};
use rules::{Color, Ruleset};
use store::{Basis, Store, Verdict};

fn assert_proves_all(store: &Store) {
    assert_eq!(store.check().expect("readable"), []);
    for claim in store.claims().expect("readable") {
        let mut strategy = store.strategy(claim.ruleset, claim.winner, claim.basis);
        extract(&claim.claim(), &mut strategy, &NoTables).expect("complete");
    }
}

#[test]
fn proofs_and_claims_of_both_are_there_afterwards() {
    let (_dir, mut here) = fresh();
    let (_other_dir, mut there) = fresh();
    for (i, root) in WON.iter().enumerate() {
        let ruleset = Ruleset::ALL[i % 3];
        let store = if i < 3 { &mut here } else { &mut there };
        store
            .put_proof(&prove(root, ruleset), &provenance())
            .expect("stored");
    }
    let id = there
        .put_proof(&prove(WON[1], Ruleset::Fics), &provenance())
        .expect("stored");
    let verdict = Verdict {
        verified: true,
        verifier: "v".to_owned(),
        detail: String::new(),
    };
    there.record_verdict(id, &verdict).expect("recorded");
    let filler = (0..4_000).map(|i| record(i, 1));
    there
        .put_entries(Ruleset::Joint, Color::Black, Basis::Rules, filler)
        .expect("stored");

    let merged = here
        .merge_from(&there, &Ruleset::ALL, |_, _| true)
        .expect("merged");
    assert!(merged.added >= 4_000 && merged.unplaced.is_empty());
    assert_proves_all(&here);
    let claims = here.claims().expect("readable");
    assert_eq!(claims.len(), 4);
    assert!(claims.iter().all(|claim| claim.verified.is_none()));

    let positions = here.stats().expect("counted").positions();
    let again = here
        .merge_from(&there, &Ruleset::ALL, |_, _| true)
        .expect("merged");
    assert_eq!((again.added, again.improved), (0, 0));
    assert_eq!(here.stats().expect("counted").positions(), positions);
}

#[test]
fn a_collision_of_two_databases_is_placed_by_walking_the_claims() {
    let (_dir, mut here) = fresh();
    let (_other_dir, mut there) = fresh();
    let proof = prove(WON[2], Ruleset::Joint);
    let root = proof.claim.root;
    let (key, check) = Record::id(&root);
    let forged = Record {
        key,
        check: !check,
        entry: record(0, 1).entry,
    };
    here.put_entries(Ruleset::Joint, Color::White, Basis::Rules, [forged])
        .expect("stored");
    there.put_proof(&proof, &provenance()).expect("stored");
    let merged = here
        .merge_from(&there, &Ruleset::ALL, |_, _| true)
        .expect("merged");
    assert_eq!(merged.unplaced, []);
    assert_eq!(here.stats().expect("counted").sets[0].exact, 1);
    assert_proves_all(&here);

    // And on to a third, which takes the side table over.
    let (_third_dir, mut third) = fresh();
    third
        .merge_from(&here, &Ruleset::ALL, |_, _| true)
        .expect("merged");
    assert_eq!(third.stats().expect("counted").sets[0].exact, 1);
    assert_proves_all(&third);
}

#[test]
fn a_set_that_is_not_accepted_is_left_as_it_was() {
    let (_dir, mut here) = fresh();
    let (_other_dir, mut there) = fresh();
    here.put_proof(&prove(WON[0], Ruleset::Joint), &provenance())
        .expect("stored");
    let proof = prove(WON[1], Ruleset::Joint);
    there.put_proof(&proof, &provenance()).expect("stored");
    // More than fit beside the pages, so that the set is written anew, in several transactions.
    let filler = (0..900_000).map(|i| record(i, 1));
    there
        .put_entries(
            proof.claim.ruleset,
            proof.claim.winner,
            Basis::Rules,
            filler,
        )
        .expect("stored");
    let before = (
        here.claims().expect("readable"),
        here.stats().expect("counted"),
    );

    let mut seen = Vec::new();
    let merged = here
        .merge_from(&there, &Ruleset::ALL, |store, claims| {
            // The claims are those that the set will serve, and so is what the store says.
            let mut strategy = store.strategy(Ruleset::Joint, proof.claim.winner, Basis::Rules);
            extract(&proof.claim, &mut strategy, &NoTables).expect("complete");
            assert!(store.stats().expect("counted").positions() > 900_000);
            seen.push(claims.len());
            false
        })
        .expect("refused");
    assert_eq!((merged.added, seen), (0, vec![2]));
    assert_eq!(here.claims().expect("readable"), before.0);
    assert_eq!(here.stats().expect("counted").sets, before.1.sets);
    assert_proves_all(&here);
}

/// Of two entries of the same height the stored one stays, unless the proof is to take the stored one's place.
#[test]
fn a_proof_that_replaces_another_wins_ties() {
    let (_dir, mut store) = fresh();
    let proof = prove(WON[2], Ruleset::Joint);
    store.put_proof(&proof, &provenance()).expect("stored");
    // So many that they fill pages, the proof's own among them; what replaces them comes beside the pages.
    let filler = (0..4_000).map(|i| record(i, 1));
    store
        .put_entries(Ruleset::Joint, proof.claim.winner, Basis::Rules, filler)
        .expect("stored");
    let mut other = proof.clone();
    let mv = rules::Move::parse_uci("a1a2").expect("UCI");
    for record in &mut other.records {
        record.entry.mv = mv;
    }
    let claim = proof.claim;
    let first = |store: &Store| {
        let entry = store.entry(claim.ruleset, claim.winner, Basis::Rules, &claim.root);
        entry.expect("readable").expect("stored").mv
    };
    let own = first(&store);
    store.put_proof(&other, &provenance()).expect("stored");
    assert_eq!(first(&store), own);
    store.replace_proof(&other, &provenance()).expect("stored");
    assert_eq!(first(&store), mv);
    let loaded = store
        .load_strategy(claim.ruleset, claim.winner, Basis::Rules)
        .expect("readable");
    assert_eq!(loaded.get(&claim.root).expect("stored").mv, mv);
    store.replace_proof(&proof, &provenance()).expect("stored");
    assert_eq!(first(&store), own);
    assert_proves_all(&store);
}
