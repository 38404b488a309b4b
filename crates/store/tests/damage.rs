//! Damaged databases are noticed, and nothing wrong is ever read from them.

mod common;

use std::{collections::HashMap, fs, path::Path};

use common::{fresh, prove, provenance, record};
use proof::Proof;
use rules::{Color, Ruleset};
use rusqlite::Connection;
use store::{Access, Basis, Error, ErrorKind, Store};

/// A database of some pages that holds a proof; closed.
fn sample() -> (tempfile::TempDir, std::path::PathBuf, Proof) {
    let (dir, mut store) = fresh();
    let proof = prove(common::WON[2], Ruleset::Joint);
    store.put_proof(&proof, &provenance()).expect("stored");
    let filler = (0..7_000).map(|i| record(i, 7));
    store
        .put_entries(Ruleset::Joint, Color::White, Basis::Rules, filler)
        .expect("stored");
    store.vacuum().expect("packed");
    let path = store.path().to_owned();
    (dir, path, proof)
}

fn change(path: &Path, sql: &str) -> usize {
    let conn = Connection::open(path).expect("opens");
    conn.pragma_update(None, "foreign_keys", "OFF")
        .expect("set");
    conn.execute(sql, []).expect("valid SQL")
}

fn problems(path: &Path) -> Vec<String> {
    let store = Store::open(path, Access::Read).expect("opens");
    let problems = store.check().expect("readable");
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_sound_database_has_no_problems() {
    let (_dir, path, _) = sample();
    assert_eq!(problems(&path), [""; 0]);
}

#[test]
fn a_changed_page_is_named_and_never_read() {
    let (_dir, path, proof) = sample();
    let changed = change(
        &path,
        "UPDATE proof_page SET page = CAST(substr(page, 1, 100) || x'00' || substr(page, 102) AS BLOB)",
    );
    assert!(changed > 5);
    let store = Store::open(&path, Access::Read).expect("opens");
    let error = store
        .entry(
            Ruleset::Joint,
            Color::White,
            Basis::Rules,
            &proof.claim.root,
        )
        .expect_err("damaged");
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().contains("proof_page row"), "{error}");
    store
        .load_strategy(Ruleset::Joint, Color::White, Basis::Rules)
        .expect_err("damaged");
    store
        .for_each_record(Ruleset::Joint, Color::White, Basis::Rules, |_| {})
        .expect_err("damaged");
    let problems = problems(&path);
    assert!(problems.len() >= changed, "{problems:?}");
    assert!(
        problems[0].contains("the checksum does not fit"),
        "{problems:?}"
    );
}

#[test]
fn a_writer_refuses_to_merge_into_a_damaged_page() {
    let (_dir, path, _) = sample();
    change(
        &path,
        "UPDATE proof_page SET page = x'0102' WHERE id = (SELECT max(id) FROM proof_page)",
    );
    let mut store = Store::open(&path, Access::Write).expect("opens");
    let many = (10_000..20_000).map(|i| record(i, 7));
    let error = store.put_entries(Ruleset::Joint, Color::White, Basis::Rules, many);
    assert!(matches!(error, Err(Error::Damaged { .. })), "{error:?}");
    let stats = store.stats().expect("counted");
    assert!(stats.positions() < 8_000, "nothing was merged");
}

#[test]
fn a_deleted_page_is_noticed() {
    let (_dir, path, proof) = sample();
    change(&path, "DELETE FROM proof_page");
    let problems = problems(&path).join("\n");
    for complaint in ["0 are there", "claim row 1: the root has no entry"] {
        assert!(problems.contains(complaint), "{problems}");
    }
    let store = Store::open(&path, Access::Read).expect("opens");
    let entry = store.entry(
        Ruleset::Joint,
        Color::White,
        Basis::Rules,
        &proof.claim.root,
    );
    assert_eq!(entry.expect("readable"), None);
}

#[test]
fn what_contradicts_itself_is_noticed() {
    for (sql, complaint) in [
        (
            "UPDATE proof_page SET first_key = first_key + 1 WHERE id = (SELECT min(id) FROM proof_page)",
            "first key",
        ),
        (
            "UPDATE proof_set SET ruleset = 'fics'",
            "the checksum does not fit",
        ),
        (
            "UPDATE proof_set SET ruleset = 'nobody knows'",
            "no ruleset, side or basis is called so",
        ),
        (
            "UPDATE proof_set SET positions = positions + 1",
            "positions were stored",
        ),
        ("DELETE FROM proof_set", "its row of proof_set is missing"),
        ("UPDATE claim SET root = x'00'", "no packed position"),
        (
            "UPDATE claim SET winner = 'black'",
            "the root has no entry|there is no entry after",
        ),
        ("UPDATE claim SET root_fen = 'x'", "is not that of the root"),
        ("DELETE FROM run", "its row of run is missing"),
        (
            "INSERT INTO proof_exact VALUES ('joint', 'white', 'rules', 5, x'00', 0, 1)",
            "no packed position",
        ),
        (
            "INSERT INTO proof_exact VALUES ('joint', 'white', 'hearsay', 5, x'00', 0, 1)",
            "proof_exact: key 0x8000000000000005: no ruleset, side or basis is called joint, white, hearsay",
        ),
        (
            "UPDATE claim SET basis = 'hearsay'",
            "claim row 1: no basis is called so",
        ),
        (
            "UPDATE claim SET tables = 'hearsay'",
            "claim row 1: \"hearsay\" is not the name of a table",
        ),
        (
            "UPDATE claim SET tables = 'KRvN ' || hex(zeroblob(32))",
            "claim row 1: a proof on the basis of the rules names tables",
        ),
        (
            "UPDATE proof_set SET basis = 'hearsay'",
            "proof_set row 3: no ruleset, side or basis is called so",
        ),
        (
            "UPDATE proof_set SET basis = 'tables'",
            "the checksum does not fit",
        ),
        (
            "INSERT INTO proof_recent SELECT id, 5, 0, 1, 1 FROM proof_set",
            "recent rows were stored",
        ),
    ] {
        let (_dir, path, _) = sample();
        assert!(change(&path, sql) > 0, "{sql}");
        let problems = problems(&path).join("\n");
        let noticed = complaint.split('|').any(|one| problems.contains(one));
        assert!(noticed, "{sql}: {problems}");
    }
}

#[test]
fn a_page_that_does_not_ascend_is_an_error_not_a_panic() {
    let (_dir, path, _) = sample();
    // Two copies of one page in a row: each is sound, their order is not.
    change(
        &path,
        "UPDATE proof_page SET page = (SELECT page FROM proof_page WHERE id = (SELECT min(id) FROM proof_page))",
    );
    let mut store = Store::open(&path, Access::Write).expect("opens");
    store.vacuum().expect_err("out of order");
    assert!(!problems(&path).is_empty());
}

/// Bytes of the file change; whatever can still be read must be right.
#[test]
fn a_changed_byte_anywhere_never_makes_a_wrong_answer() {
    let (_dir, path, proof) = sample();
    let truth: HashMap<u64, _> = {
        let store = Store::open(&path, Access::Read).expect("opens");
        let mut truth = HashMap::new();
        store
            .for_each_record(Ruleset::Joint, Color::White, Basis::Rules, |r| {
                truth.insert(r.key, r);
            })
            .expect("readable");
        truth
    };
    let bytes = fs::read(&path).expect("readable");
    let mut refused = 0;
    for round in 0..400u64 {
        let at = usize::try_from(common::mix(round) % bytes.len() as u64).expect("in memory");
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (common::mix(!round) % 8);
        fs::write(&path, &changed).expect("written");
        let Ok(store) = Store::open(&path, Access::Read) else {
            refused += 1;
            continue;
        };
        let root = &proof.claim.root;
        if let Ok(Some(entry)) = store.entry(Ruleset::Joint, Color::White, Basis::Rules, root) {
            assert_eq!(Some(entry), proof.entry(root), "byte {at}");
        }
        let read = store.for_each_record(Ruleset::Joint, Color::White, Basis::Rules, |record| {
            assert_eq!(truth.get(&record.key), Some(&record), "byte {at}");
        });
        let problems = store.check();
        let noticed = problems.is_err() || problems.is_ok_and(|list| !list.is_empty());
        assert!(
            read.is_ok() || noticed,
            "byte {at}: an error that the check overlooks"
        );
        refused += u32::from(noticed);
    }
    // The rest fell on unused bytes: a third of so small a file.
    assert!(refused > 200, "{refused} of 400 changes noticed");
}

#[test]
fn a_truncated_file_is_an_error_not_a_panic() {
    let (_dir, path, proof) = sample();
    let bytes = fs::read(&path).expect("readable");
    for pages in 0..bytes.len() / 4096 {
        fs::write(&path, &bytes[..pages * 4096 + 100]).expect("written");
        if let Ok(store) = Store::open(&path, Access::Read) {
            let root = &proof.claim.root;
            if let Ok(Some(entry)) = store.entry(Ruleset::Joint, Color::White, Basis::Rules, root) {
                assert_eq!(Some(entry), proof.entry(root));
            }
            let problems = store.check();
            assert!(problems.is_err() || problems.is_ok_and(|list| !list.is_empty()));
        }
    }
}
