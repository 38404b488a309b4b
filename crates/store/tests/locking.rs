//! One writer, many readers.

mod common;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    thread,
    time::{Duration, Instant},
};

use common::{database_of_child, place, prove, provenance, record, spawn};
use rules::{Color, Ruleset};
use store::{Access, Basis, Error, ErrorKind, Store};

/// Opens the database for writing, says so, and keeps it until it is killed.
#[test]
#[ignore = "run by other tests as a process of its own"]
#[expect(clippy::print_stdout, reason = "the parent waits for the line")]
fn child_holds_the_database() {
    let Some(path) = database_of_child() else {
        return;
    };
    let _store = Store::open(path, Access::Write).expect("opens");
    println!("\nholding");
    loop {
        thread::park();
    }
}

#[test]
fn the_second_writer_waits_and_then_names_the_first() {
    let (_dir, path) = place();
    let mut child = spawn("child_holds_the_database", &path);
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let holding = lines.map_while(Result::ok).any(|line| line == "holding");
    assert!(holding, "the child opens the database");

    let since = Instant::now();
    let wait = Duration::from_millis(150);
    let error = Store::open_waiting(&path, Access::Write, wait).expect_err("held");
    assert!(since.elapsed() >= wait);
    assert_eq!(error.kind(), ErrorKind::Locked);
    let pid = format!("process {}", child.id());
    assert!(error.to_string().contains(&pid), "{error}, not {pid}");
    Store::open(&path, Access::Read).expect("readers need no lock");

    // A process that is killed leaves its file behind, but no lock.
    child.kill().expect("killed");
    child.wait().expect("ended");
    Store::open_waiting(&path, Access::Write, Duration::ZERO).expect("free");
}

#[test]
fn two_writers_at_once_both_get_through_one_after_the_other() {
    let (_dir, path) = place();
    thread::scope(|scope| {
        for half in 0..2 {
            let path = &path;
            scope.spawn(move || {
                for i in 0..10 {
                    let wait = Duration::from_secs(30);
                    let mut store =
                        Store::open_waiting(path, Access::Write, wait).expect("free in time");
                    store
                        .put_entries(
                            Ruleset::Joint,
                            Color::White,
                            Basis::Rules,
                            [record(2 * i + half, 1)],
                        )
                        .expect("stored");
                }
            });
        }
    });
    let store = Store::open(&path, Access::Read).expect("readable");
    assert_eq!(store.stats().expect("counted").positions(), 20);
}

#[test]
fn a_reader_sees_what_is_stored_while_it_is_open() {
    let (_dir, path) = place();
    let mut writer = Store::open(&path, Access::Write).expect("made");
    let reader = Store::open(&path, Access::Read).expect("readable");
    let proof = prove(common::WON[1], Ruleset::Fics);
    let root = &proof.claim.root;
    let mut strategy = reader.strategy(Ruleset::Fics, Color::White, Basis::Rules);
    let mut ask = || proof::Strategy::entry(&mut strategy, root).expect("readable");
    assert_eq!(ask(), None);
    writer.put_proof(&proof, &provenance()).expect("stored");
    assert_eq!(ask(), proof.entry(root));
    // The same once the record has moved to a page of another generation, and on to a third.
    for part in 0..2 {
        let filler = (part * 5_000..(part + 1) * 5_000).map(|i| record(i, 1));
        writer
            .put_entries(Ruleset::Fics, Color::White, Basis::Rules, filler)
            .expect("stored");
        assert_eq!(ask(), proof.entry(root));
        let uncached = reader.entry(Ruleset::Fics, Color::White, Basis::Rules, root);
        assert_eq!(uncached.expect("readable"), proof.entry(root));
    }
}

#[test]
fn a_program_that_holds_sqlites_own_lock_is_waited_for() {
    let (_dir, path) = place();
    drop(Store::open(&path, Access::Write).expect("made"));
    let other = rusqlite::Connection::open(&path).expect("opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let wait = Duration::from_millis(50);
    let error = Store::open_waiting(&path, Access::Write, wait).and_then(|mut store| {
        store.put_entries(Ruleset::Joint, Color::White, Basis::Rules, [record(1, 1)])
    });
    let error = error.expect_err("locked");
    assert_eq!(error.kind(), ErrorKind::Locked, "{error:?}");
    assert!(error.to_string().contains("another process"), "{error}");
}

#[test]
fn the_lock_file_tells_who_holds_it() {
    let (dir, path) = place();
    let _store = Store::open(&path, Access::Write).expect("made");
    let mut text = String::new();
    let file = dir.path().join("p.db.lock");
    fs::File::open(file)
        .and_then(|mut file| file.read_to_string(&mut text))
        .expect("readable");
    assert!(text.starts_with(&format!("pid {}\nsince ", std::process::id())));
    let error = Store::open_waiting(&path, Access::Write, Duration::ZERO);
    assert!(matches!(error, Err(Error::Locked { .. })));
}

#[test]
#[cfg(unix)]
fn a_link_leads_to_the_same_lock_and_log() {
    let (dir, path) = place();
    let link = dir.path().join("link.db");
    let mut store = Store::open(&path, Access::Write).expect("made");
    std::os::unix::fs::symlink(&path, &link).expect("linked");
    let error = Store::open_waiting(&link, Access::Write, Duration::ZERO);
    assert!(matches!(error, Err(Error::Locked { .. })), "{error:?}");
    store
        .put_entries(Ruleset::Joint, Color::White, Basis::Rules, [record(1, 1)])
        .expect("stored");
    let reader = Store::open(&link, Access::Read).expect("readable");
    assert_eq!(reader.wal_bytes(), store.wal_bytes());
    assert_eq!(reader.stats().expect("counted").positions(), 1);
}
