use std::{fs, time::Duration};

use super::*;
use crate::{
    Access, Store,
    open::{log_path, open_for_writing},
};

/// A migration beyond the latest.
const NEXT: &str = "ALTER TABLE claim ADD COLUMN colour TEXT";

/// The latest version and the one after it.
fn latest_and_next() -> (i64, i64) {
    let latest = version_of(MIGRATIONS);
    (latest, latest + 1)
}

/// The migrations up to the latest, and one more.
fn and(next: &str) -> Vec<&str> {
    MIGRATIONS.iter().copied().chain([next]).collect()
}

fn version(path: &Path) -> (i64, i64, i64) {
    let conn = Connection::open(path).expect("opens");
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get(0)).expect("a number");
    (
        number("PRAGMA application_id"),
        number("PRAGMA user_version"),
        number("SELECT count(*) FROM pragma_table_info('claim')"),
    )
}

fn place() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("p.db");
    (dir, path)
}

fn upgrade(path: &Path, migrations: &[&str]) -> Result<Store> {
    open_for_writing(path, Duration::ZERO, migrations)
}

#[test]
fn a_new_file_gets_the_latest_schema() {
    let (_dir, path) = place();
    let store = Store::open(&path, Access::Write).expect("made");
    let pragma = |name: &str| -> String {
        let value = store
            .db
            .conn
            .pragma_query_value(None, name, |row| row.get(0));
        let value: rusqlite::types::Value = value.expect("a value");
        format!("{value:?}")
    };
    assert_eq!(pragma("journal_mode"), r#"Text("wal")"#);
    assert_eq!(pragma("page_size"), "Integer(4096)");
    assert_eq!(pragma("synchronous"), "Integer(1)");
    assert_eq!(pragma("foreign_keys"), "Integer(1)");
    drop(store);
    let (id, user_version, _) = version(&path);
    assert_eq!(id, 0x7461_6B65);
    assert_eq!(user_version, version_of(MIGRATIONS));
    assert!(!log_path(&path).exists(), "closing takes the log away");
}

#[test]
fn each_missing_migration_is_run_once() {
    let (_dir, path) = place();
    drop(upgrade(&path, MIGRATIONS).expect("the latest version"));
    let (.., columns) = version(&path);
    let (_, next) = latest_and_next();
    for _ in 0..2 {
        drop(upgrade(&path, &and(NEXT)).expect("the next version"));
        assert_eq!(version(&path), (0x7461_6B65, next, columns + 1));
    }
}

#[test]
fn an_upgrade_that_fails_halfway_is_undone() {
    let (_dir, path) = place();
    drop(upgrade(&path, MIGRATIONS).expect("the latest version"));
    let before = version(&path);
    let halfway = format!("{NEXT}; DROP TABLE proof_exact; INSERT INTO missing VALUES (1)");
    let error = upgrade(&path, &and(&halfway)).expect_err("no such table");
    let (_, next) = latest_and_next();
    assert!(
        matches!(error, Error::Upgrade { version, .. } if version == next),
        "{error:?}"
    );
    assert_eq!(version(&path), before);
    let store = Store::open(&path, Access::Write).expect("still the latest version");
    assert_eq!(store.check().expect("readable"), []);
}

#[test]
fn a_new_file_whose_first_migration_fails_stays_empty() {
    let (_dir, path) = place();
    let broken = format!("{VERSION_1}; INSERT INTO missing VALUES (1)");
    upgrade(&path, &[&broken]).expect_err("no such table");
    assert_eq!(version(&path), (0, 0, 0));
    let error = Store::open(&path, Access::Read).expect_err("nothing in it");
    assert!(matches!(error, Error::Empty(_)), "{error:?}");
    Store::open(&path, Access::Write).expect("a second try succeeds");
}

#[test]
fn a_later_version_is_refused_by_name_and_left_alone() {
    let (_dir, path) = place();
    drop(upgrade(&path, &and(NEXT)).expect("the next version"));
    let (latest, next) = latest_and_next();
    let before = fs::read(&path).expect("readable");
    for access in [Access::Read, Access::Write] {
        let error = Store::open(&path, access).expect_err("from the future");
        let text = error.to_string();
        assert!(
            text.contains(&format!("version {next}")) && text.contains(&format!("up to {latest}")),
            "{text}"
        );
    }
    assert_eq!(fs::read(&path).expect("readable"), before);
}

#[test]
fn an_earlier_version_is_upgraded_by_writers_only() {
    let (_dir, path) = place();
    drop(upgrade(&path, &[VERSION_1]).expect("version 1"));
    let error = Store::open(&path, Access::Read).expect_err("too old");
    assert!(
        matches!(error, Error::OlderSchema { found: 1, .. }),
        "{error:?}"
    );
    Store::open(&path, Access::Write).expect("upgraded");
    Store::open(&path, Access::Read).expect("new enough");
}

/// All rows of a table as text, the names of its columns first.
fn rows(path: &Path, table: &str, columns: &str) -> Vec<String> {
    let conn = Connection::open(path).expect("opens");
    let columns = columns.replace(' ', "").replace(',', ") || '|' || quote(");
    let sql = format!("SELECT quote({columns}) FROM {table} ORDER BY 1");
    let mut rows = conn.prepare(&sql).expect("valid SQL");
    let rows = rows.query_map([], |row| row.get(0)).expect("readable");
    rows.collect::<rusqlite::Result<_>>().expect("text")
}

#[test]
fn the_upgrade_to_version_2_keeps_every_row_and_calls_it_complete() {
    let claim = "id, ruleset, root, root_fen, winner, positions, plies, tables, engine, nodes, seconds, stored_at, run_id,
                 verified, verifier, verdict_detail, verified_at"
        .replace('\n', "");
    let tables = [
        ("run", "id, command, engine, started, ended"),
        ("claim", &claim),
        (
            "proof_set",
            "id, ruleset, winner, state, pages, recent, positions",
        ),
        ("proof_page", "id, set_id, first_key, page"),
        ("proof_recent", "set_id, key, check8, move, height"),
        (
            "proof_exact",
            "ruleset, winner, key, position, move, height",
        ),
    ];
    let (_dir, path) = place();
    drop(upgrade(&path, &[VERSION_1]).expect("version 1"));
    let conn = Connection::open(&path).expect("opens");
    conn.execute_batch(
        "INSERT INTO run VALUES (3, 'takeme prove', 'e', 1, 2), (5, 'takeme solve', 'e', 3, 4);
         INSERT INTO claim VALUES
             (7, 'joint', x'01', 'f', 'white', 8, 9, '', 'e', 10, 0.5, 11, 3, 1, 'v', 'd', 12),
             (9, 'fics', x'01', 'f', 'black', 8, 9, '', 'e', 10, 0.5, 11, 5, NULL, NULL, NULL, NULL);
         INSERT INTO proof_set VALUES (2, 'joint', 'white', 1, 1, 1, 2), (4, 'fics', 'black', 1, 0, 0, 0);
         INSERT INTO proof_page VALUES (6, 2, -5, x'0102');
         INSERT INTO proof_recent VALUES (2, 77, 1, 2, 3);
         INSERT INTO proof_exact VALUES
             ('joint', 'white', 1, x'03', 4, 5), ('joint', 'white', 1, x'04', 4, 5), ('fics', 'black', 1, x'03', 4, 5);",
    )
    .expect("rows of version 1");
    drop(conn);
    let before = tables.map(|(table, columns)| rows(&path, table, columns));
    drop(upgrade(&path, &[VERSION_1, VERSION_2]).expect("version 2"));
    assert_eq!(
        tables.map(|(table, columns)| rows(&path, table, columns)),
        before
    );
    for (table, count) in [("claim", 2), ("proof_set", 2), ("proof_exact", 3)] {
        assert_eq!(rows(&path, table, "basis"), vec!["'rules'"; count]);
    }
    let conn = Connection::open(&path).expect("opens");
    for twice in ["claim", "proof_exact"] {
        let sql = format!("INSERT INTO {twice} SELECT * FROM {twice}");
        conn.execute(&sql, []).expect_err("unique");
    }
    let copy = |table: &str, columns: &str, basis: &str| {
        let sql = format!(
            "INSERT INTO {table} ({columns}, basis) SELECT {columns}, '{basis}' FROM {table}"
        );
        conn.execute(&sql, [])
    };
    let claim = claim.trim_start_matches("id, ");
    let set = "ruleset, winner, state, pages, recent, positions";
    let exact = "ruleset, winner, key, position, move, height";
    for (table, columns) in [("claim", claim), ("proof_set", set), ("proof_exact", exact)] {
        copy(table, columns, "rules").expect_err("unique");
        copy(table, columns, "tables").expect("told apart by the basis");
    }
    let tables: i64 = conn
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table'",
            [],
            |row| row.get(0),
        )
        .expect("a number");
    assert_eq!(tables, 6, "nothing of the old tables is left");
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    for sql in [
        "CREATE TABLE notes (text)",
        "PRAGMA application_id = 0x1234; CREATE TABLE claim (id)",
        "PRAGMA user_version = 1",
    ] {
        let (_dir, path) = place();
        let conn = Connection::open(&path).expect("opens");
        conn.execute_batch(sql).expect("valid");
        drop(conn);
        let before = fs::read(&path).expect("readable");
        for access in [Access::Read, Access::Write] {
            let error = Store::open(&path, access).expect_err("not ours");
            assert!(matches!(error, Error::Foreign { .. }), "{error:?}");
        }
        assert_eq!(fs::read(&path).expect("readable"), before);
    }
}

#[test]
fn what_is_no_database_is_refused_and_left_alone() {
    for bytes in [&b"x"[..], b"1. e3 wins\n", &[7; 5000], b"SQLite format 3\0"] {
        let (_dir, path) = place();
        fs::write(&path, bytes).expect("written");
        for access in [Access::Read, Access::Write] {
            let error = Store::open(&path, access).expect_err("no database");
            assert!(matches!(error, Error::NotADatabase(_)), "{error:?}");
        }
        assert_eq!(fs::read(&path).expect("readable"), bytes);
    }
}
