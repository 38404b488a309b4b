use proof::{Entry, Plies};
use rules::{Color, Move, Ruleset};

use super::*;
use crate::{Access, Basis, Store};

const SET: SetKey = SetKey {
    basis: Basis::Rules,
    ruleset: Ruleset::Joint,
    winner: Color::White,
};

fn record(i: u64) -> Record {
    Record {
        key: i << 40,
        check: i,
        entry: Entry {
            mv: Move::parse_uci("e2e4").expect("UCI"),
            height: Plies(1),
        },
    }
}

fn rows(store: &Store, sql: &str) -> i64 {
    let rows = store.db.conn.query_row(sql, [], |row| row.get(0));
    rows.expect("a number")
}

fn sample() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut store = Store::open(dir.path().join("p.db"), Access::Write).expect("made");
    store
        .put_entries(
            SET.ruleset,
            SET.winner,
            Basis::Rules,
            (0..3_000).map(record),
        )
        .expect("stored");
    (dir, store)
}

/// As a full disk or a crash does, after some transactions of a merge have been committed.
fn fail_late(store: &Store) {
    let many = (0..1_500_000).map(|i| Ok(record(i + 5)));
    let error = Error::Full(store.db.path.clone());
    let records = many.chain([Err(error)]);
    let merged = merge(&store.db, SET, 1_500_001, records, Ties::Stored).map(drop);
    assert!(matches!(merged, Err(Error::Full(_))));
    assert_eq!(rows(store, "SELECT count(*) FROM proof_set"), 2);
    assert!(rows(store, "SELECT count(*) FROM proof_page") > 2_000);
    assert_eq!(store.stats().expect("counted").positions(), 3_000);
    assert_eq!(store.check().expect("readable"), []);
}

#[test]
fn a_merge_that_fails_late_changes_nothing_and_is_swept_away() {
    let (_dir, store) = sample();
    let before = rows(&store, "SELECT count(*) FROM proof_page");
    fail_late(&store);
    sweep(&store.db).expect("swept");
    assert_eq!(rows(&store, "SELECT count(*) FROM proof_page"), before);
    assert_eq!(rows(&store, "SELECT count(*) FROM proof_set"), 1);
    assert_eq!(store.check().expect("readable"), []);
}

#[test]
fn what_a_crash_leaves_is_swept_away_by_the_next_writer() {
    let (_dir, store) = sample();
    fail_late(&store);
    let path = store.path().to_owned();
    drop(store);
    let store = Store::open(path, Access::Write).expect("opens");
    assert_eq!(rows(&store, "SELECT count(*) FROM proof_set"), 1);
    assert_eq!(store.stats().expect("counted").positions(), 3_000);
}
