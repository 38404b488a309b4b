//! Full disks, read-only ones, backups, and the size of the write-ahead log.
//!
//! The first two mount a small file system, which takes root; without that they print so and pass.

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use common::{fresh, prove, provenance, record};
use rules::{Color, Ruleset};
use store::{Access, Basis, Error, ErrorKind, Store};

/// A small file system of its own, unmounted when dropped.
struct Mount(tempfile::TempDir);

impl Mount {
    #[expect(clippy::print_stderr, reason = "who runs the tests should know")]
    fn new(options: &str) -> Option<Self> {
        let dir = tempfile::tempdir().expect("a directory");
        if run(
            "mount",
            &["-t", "tmpfs", "-o", options, "tmpfs"],
            dir.path(),
        ) {
            return Some(Self(dir));
        }
        eprintln!("skipped: no file system can be mounted here");
        None
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("p.db")
    }

    /// Leaves `bytes` free.
    fn fill(&self, bytes: usize) {
        let filler = self.0.path().join("filler");
        // The disk being full is the point.
        let _ = fs::write(&filler, vec![1; 8 << 20]);
        let len = fs::metadata(&filler).expect("there").len();
        let file = fs::File::options().write(true).open(&filler);
        file.and_then(|file| file.set_len(len.saturating_sub(bytes as u64)))
            .expect("cut");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        run("umount", &[], self.0.path());
    }
}

fn run(program: &str, args: &[&str], path: &Path) -> bool {
    let status = Command::new(program)
        .args(args)
        .arg(path)
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

#[test]
fn a_full_disk_is_named_and_harms_nothing() {
    let Some(mount) = Mount::new("size=4m") else {
        return;
    };
    let path = mount.path();
    let mut store = Store::open(&path, Access::Write).expect("made");
    let proof = prove(common::WON[2], Ruleset::Joint);
    store.put_proof(&proof, &provenance()).expect("stored");
    let mut stored = 0;
    let error = loop {
        let records = (stored..stored + 10_000).map(|i| record(i, 1));
        match store.put_entries(Ruleset::Joint, Color::Black, Basis::Rules, records) {
            Ok(_) => stored += 10_000,
            Err(error) => break error,
        }
    };
    assert!(stored > 20_000);
    assert_eq!(error.kind(), ErrorKind::Full, "{error:?}");
    assert!(error.to_string().contains("p.db"), "{error}");
    let error = store.vacuum().expect_err("needs twice the room");
    assert_eq!(error.kind(), ErrorKind::Full, "{error:?}");
    drop(store);

    let store = Store::open(&path, Access::Read).expect("readable");
    assert_eq!(store.check().expect("readable"), []);
    let mut found = 0;
    store
        .for_each_record(Ruleset::Joint, Color::Black, Basis::Rules, |_| found += 1)
        .expect("readable");
    assert_eq!(found, stored);
    let entry = store.entry(
        Ruleset::Joint,
        Color::White,
        Basis::Rules,
        &proof.claim.root,
    );
    assert_eq!(entry.expect("readable"), proof.entry(&proof.claim.root));
}

#[test]
fn a_database_opens_again_on_a_disk_that_was_full() {
    let Some(mount) = Mount::new("size=1m") else {
        return;
    };
    let path = mount.path();
    for room in [0, 4096, 20_000, 60_000] {
        mount.fill(room);
        match Store::open(&path, Access::Write) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::Full, "{room}: {error:?}"),
        }
    }
    mount.fill(500_000);
    let store = Store::open(&path, Access::Write).expect("room enough");
    assert_eq!(store.check().expect("readable"), []);
}

#[test]
fn a_backup_onto_a_full_disk_leaves_no_file() {
    let Some(mount) = Mount::new("size=1m") else {
        return;
    };
    mount.fill(50_000);
    let (_dir, mut store) = fresh();
    let records = (0..20_000).map(|i| record(i, 1));
    store
        .put_entries(Ruleset::Joint, Color::White, Basis::Rules, records)
        .expect("stored");
    let error = store.backup(mount.path(), false).expect_err("full");
    assert_eq!(error.kind(), ErrorKind::Full, "{error:?}");
    assert!(
        error
            .to_string()
            .contains(&mount.path().display().to_string())
    );
    let names = fs::read_dir(mount.0.path()).expect("readable");
    assert_eq!(names.count(), 1, "the filler only");
}

#[test]
fn a_read_only_directory_can_be_read_from() {
    let Some(mount) = Mount::new("size=1m") else {
        return;
    };
    // A name that has to be escaped in an address.
    let path = mount.0.path().join("p #1?.db");
    let proof = prove(common::WON[2], Ruleset::Joint);
    let mut store = Store::open(&path, Access::Write).expect("made");
    store.put_proof(&proof, &provenance()).expect("stored");
    drop(store);
    assert!(run("mount", &["-o", "remount,ro"], mount.0.path()));

    let error = Store::open(&path, Access::Write).expect_err("not writable");
    assert!(matches!(error, Error::ReadOnly(_)), "{error:?}");
    let error = Store::open(mount.0.path().join("new.db"), Access::Write);
    assert!(matches!(error, Err(Error::ReadOnly(_))), "{error:?}");
    let store = Store::open(&path, Access::Read).expect("readable");
    let entry = store.entry(
        Ruleset::Joint,
        Color::White,
        Basis::Rules,
        &proof.claim.root,
    );
    assert_eq!(entry.expect("readable"), proof.entry(&proof.claim.root));
    let error = store.backup(mount.0.path().join("b.db"), false);
    assert!(matches!(error, Err(Error::ReadOnly(_))), "{error:?}");
}

#[test]
fn a_directory_is_no_database() {
    let dir = tempfile::tempdir().expect("a directory");
    for access in [Access::Read, Access::Write] {
        let error = Store::open(dir.path(), access).expect_err("a directory");
        assert!(matches!(error, Error::NotADatabase(_)), "{error:?}");
    }
    let error = Store::open(dir.path().join("no/p.db"), Access::Write);
    assert_eq!(error.expect_err("no directory").kind(), ErrorKind::Usage);
}

#[test]
fn a_backup_is_a_database_of_its_own() {
    let (dir, mut store) = fresh();
    let proof = prove(common::WON[2], Ruleset::Joint);
    store.put_proof(&proof, &provenance()).expect("stored");
    let copy = dir.path().join("copy.db");
    store.backup(&copy, false).expect("copied");
    let error = store.backup(&copy, false);
    assert!(matches!(error, Err(Error::Exists(_))), "{error:?}");
    store.backup(&copy, true).expect("replaced");

    for access in [Access::Read, Access::Write] {
        let copied = Store::open(&copy, access).expect("opens");
        assert_eq!(
            copied.claims().expect("readable"),
            store.claims().expect("readable")
        );
        assert_eq!(copied.check().expect("readable"), []);
    }
    let mut names: Vec<_> = fs::read_dir(dir.path())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    names.sort();
    let last = names.last().expect("some");
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains("partial")),
        "{last:?}"
    );
}

#[test]
fn the_log_stays_small_while_much_is_stored() {
    let (_dir, mut store) = fresh();
    let log = PathBuf::from(format!("{}-wal", store.path().display()));
    let (done, largest) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let len = fs::metadata(&log).map_or(0, |data| data.len());
                largest.fetch_max(len, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(1));
            }
        });
        let records = (0..3_000_000).map(|i| record(i, 1));
        store
            .put_entries(Ruleset::Joint, Color::White, Basis::Rules, records)
            .expect("stored");
        done.store(true, Ordering::Relaxed);
    });
    let (file, largest) = (
        store.stats().expect("counted").file_bytes,
        largest.into_inner(),
    );
    assert!(file > 23 << 20, "a file of {file} bytes");
    assert!(largest < 10 << 20, "a log of {largest} bytes");
}

#[test]
fn a_log_that_a_reader_holds_is_emptied_once_it_is_gone() {
    let (_dir, path) = common::place();
    let wait = Duration::from_millis(10);
    let mut writer = Store::open_waiting(&path, Access::Write, wait).expect("made");
    let put = |writer: &mut Store, first: u64| {
        let records = (first..first + 5_000).map(|i| record(i, 1));
        writer.put_entries(Ruleset::Joint, Color::White, Basis::Rules, records)
    };
    put(&mut writer, 0).expect("stored");
    let reader = Store::open(&path, Access::Read).expect("readable");
    let mut seen = 0;
    reader
        .for_each_record(Ruleset::Joint, Color::White, Basis::Rules, |_| {
            seen += 1;
            if seen == 1 {
                put(&mut writer, 5_000).expect("a reader is not in the way");
                let checkpoint = writer.checkpoint().expect("written");
                assert!(!checkpoint.complete && checkpoint.wal_bytes > 0);
            }
        })
        .expect("readable");
    assert_eq!(seen, 5_000, "the reader sees one state");
    let checkpoint = writer.checkpoint().expect("written");
    assert!(checkpoint.complete);
    assert_eq!(checkpoint.wal_bytes, 0);
}
