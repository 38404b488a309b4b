//! Searches that have not ended.

mod common;

use common::{WON, fresh, leaning, place, position, prove, provenance};
use rules::{Color, Ruleset};
use store::{Access, Basis, CampaignKey, CampaignState, PartKind, SavedCampaign, Store};

const NODES: PartKind = PartKind {
    number: 1,
    adds: false,
};
const RECORDS: PartKind = PartKind {
    number: 2,
    adds: true,
};

fn key(root: &str, attacker: Color, basis: Basis) -> CampaignKey {
    CampaignKey {
        ruleset: Ruleset::Joint,
        root: position(root, Ruleset::Joint),
        attacker,
        basis,
    }
}

fn state(nodes: u64) -> CampaignState {
    CampaignState {
        engine: "takeme-test 1".to_owned(),
        nodes,
        seconds: 0.5,
        pn: 7,
        dn: 9,
        when: 1,
    }
}

fn save(store: &mut Store, key: &CampaignKey, nodes: u64, fresh: bool, parts: &[(PartKind, &str)]) {
    let mut writer = store.save_campaigns().expect("writable");
    let saved = writer.begin(key, &state(nodes), fresh).expect("written");
    for (kind, bytes) in parts {
        writer
            .put(&saved, *kind, bytes.as_bytes())
            .expect("written");
    }
    writer.commit().expect("written");
}

fn parts(store: &Store, saved: &SavedCampaign, kind: PartKind) -> Vec<String> {
    let mut parts = Vec::new();
    let read = store.for_each_part(saved, kind, |bytes| {
        parts.push(String::from_utf8(bytes.to_vec()).expect("text"));
        true
    });
    read.expect("readable");
    parts
}

fn saved(store: &Store, key: &CampaignKey) -> Option<SavedCampaign> {
    store.campaign(key).expect("readable")
}

#[test]
fn a_save_replaces_one_kind_of_parts_and_adds_to_the_other() {
    let (_dir, mut store) = fresh();
    let key = key(WON[0], Color::White, Basis::Rules);
    assert_eq!(saved(&store, &key), None);
    save(&mut store, &key, 5, true, &[(NODES, "a"), (RECORDS, "x")]);
    save(&mut store, &key, 6, false, &[(NODES, "b"), (RECORDS, "y")]);
    let found = saved(&store, &key).expect("saved");
    assert_eq!(found.state, state(6));
    assert_eq!(parts(&store, &found, NODES), ["b"]);
    assert_eq!(parts(&store, &found, RECORDS), ["x", "y"]);
    save(&mut store, &key, 7, true, &[(RECORDS, "z")]);
    assert_eq!(parts(&store, &found, NODES), Vec::<String>::new());
    assert_eq!(parts(&store, &found, RECORDS), ["z"]);
    assert_eq!(store.check().expect("readable"), []);
}

#[test]
fn a_save_that_is_not_committed_leaves_the_one_before() {
    let (_dir, mut store) = fresh();
    let key = key(WON[0], Color::White, Basis::Rules);
    save(&mut store, &key, 5, true, &[(NODES, "a")]);
    let mut writer = store.save_campaigns().expect("writable");
    let begun = writer.begin(&key, &state(9), true).expect("written");
    writer.put(&begun, NODES, b"b").expect("written");
    drop(writer);
    let found = saved(&store, &key).expect("saved");
    assert_eq!(found.state, state(5));
    assert_eq!(parts(&store, &found, NODES), ["a"]);
}

#[test]
fn campaigns_are_told_apart_by_side_and_basis_and_forgotten_one_by_one() {
    let (_dir, mut store) = fresh();
    let keys = Color::ALL.map(|side| Basis::ALL.map(|basis| key(WON[0], side, basis)));
    for (key, nodes) in keys.iter().flatten().zip(0..) {
        save(&mut store, key, nodes, true, &[(NODES, "a")]);
    }
    let all = store.campaigns().expect("readable");
    assert!(all.iter().map(|saved| &saved.key).eq(keys.iter().flatten()));
    assert!(store.forget_campaign(&keys[0][1]).expect("writable"));
    assert!(!store.forget_campaign(&keys[0][1]).expect("writable"));
    assert_eq!(store.campaigns().expect("readable").len(), 3);
}

#[test]
fn a_proof_takes_the_searches_with_it_that_it_answers() {
    let (_dir, mut store) = fresh();
    let proof = prove(WON[1], Ruleset::Joint);
    let winner = proof.claim.winner;
    let others = [key(WON[0], winner, Basis::Rules)];
    let mine = Color::ALL.map(|side| Basis::ALL.map(|basis| key(WON[1], side, basis)));
    for key in mine.iter().flatten().chain(&others) {
        save(&mut store, key, 1, true, &[(NODES, "a")]);
    }
    // A proof that leans on tables does not answer the search for one that does not.
    store
        .put_proof(&leaning(Ruleset::Joint), &provenance())
        .expect("stored");
    let left = store.campaigns().expect("readable");
    assert_eq!(left.len(), 3);
    assert!(left.iter().all(|saved| saved.key.basis == Basis::Rules));
    store.put_proof(&proof, &provenance()).expect("stored");
    let left = store.campaigns().expect("readable");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].key, others[0]);
}

#[test]
fn a_reader_sees_campaigns_and_cannot_change_them() {
    let (_dir, path) = place();
    let key = key(WON[0], Color::White, Basis::Rules);
    let mut store = Store::open(&path, Access::Write).expect("made");
    save(&mut store, &key, 5, true, &[(NODES, "a"), (NODES, "b")]);
    let mut reader = Store::open(&path, Access::Read).expect("readable");
    let found = saved(&reader, &key).expect("saved");
    let mut count = 0;
    let read = reader.for_each_part(&found, NODES, |_| {
        count += 1;
        false
    });
    read.expect("readable");
    assert_eq!(count, 1, "it was told to end");
    assert!(reader.save_campaigns().is_err());
    assert!(reader.forget_campaign(&key).is_err());
}

/// Looking at the searches of a running `prove`, `db check` missed the heads of those that had ended since it had listed them.
#[test]
fn a_held_reader_sees_one_state_whatever_is_saved_or_forgotten() {
    let (_dir, mut store) = fresh();
    let key = key(WON[0], Color::White, Basis::Rules);
    save(&mut store, &key, 5, true, &[(NODES, "a")]);
    let reader = Store::open(store.path(), Access::Read).expect("readable");
    reader.hold().expect("usable");
    reader.hold().expect("once is as good as twice");
    let found = saved(&reader, &key).expect("saved");
    save(&mut store, &key, 6, false, &[(NODES, "b")]);
    assert_eq!(parts(&reader, &found, NODES), ["a"]);
    store.forget_campaign(&key).expect("writable");
    assert_eq!(parts(&reader, &found, NODES), ["a"]);
    assert_eq!(reader.check().expect("readable"), []);
}
