use std::{fs, time::Duration};

use super::*;
use crate::{
    Access, Store,
    open::{log_path, open_for_writing},
};

const SECOND: &str = "ALTER TABLE claim ADD COLUMN colour TEXT";

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
    drop(upgrade(&path, MIGRATIONS).expect("version 1"));
    let (.., columns) = version(&path);
    for _ in 0..2 {
        drop(upgrade(&path, &[VERSION_1, SECOND]).expect("version 2"));
        assert_eq!(version(&path), (0x7461_6B65, 2, columns + 1));
    }
}

#[test]
fn an_upgrade_that_fails_halfway_is_undone() {
    let (_dir, path) = place();
    drop(upgrade(&path, MIGRATIONS).expect("version 1"));
    let before = version(&path);
    let halfway = format!("{SECOND}; DROP TABLE proof_exact; INSERT INTO missing VALUES (1)");
    let error = upgrade(&path, &[VERSION_1, &halfway]).expect_err("no such table");
    assert!(
        matches!(error, Error::Upgrade { version: 2, .. }),
        "{error:?}"
    );
    assert_eq!(version(&path), before);
    let store = Store::open(&path, Access::Write).expect("still version 1");
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
    drop(upgrade(&path, &[VERSION_1, SECOND]).expect("version 2"));
    let before = fs::read(&path).expect("readable");
    for access in [Access::Read, Access::Write] {
        let error = Store::open(&path, access).expect_err("from the future");
        let text = error.to_string();
        assert!(
            text.contains("version 2") && text.contains("up to 1"),
            "{text}"
        );
    }
    assert_eq!(fs::read(&path).expect("readable"), before);
}

#[test]
fn an_earlier_version_is_upgraded_by_writers_only() {
    let (_dir, path) = place();
    drop(upgrade(&path, MIGRATIONS).expect("version 1"));
    let conn = Connection::open(&path).expect("opens");
    conn.pragma_update(None, "user_version", 0).expect("set");
    drop(conn);
    let error = Store::open(&path, Access::Read).expect_err("too old");
    assert!(
        matches!(error, Error::OlderSchema { found: 0, .. }),
        "{error:?}"
    );
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
