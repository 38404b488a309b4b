//! Databases that are not as they should be.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Place, Ran, command_in, output_of, skipped};

fn change(place: &Place, sql: &str) {
    let path = place.path("takeme.db");
    let connection = Connection::open(path).expect("opened");
    connection.execute_batch(sql).expect("changed");
}

#[test]
fn a_missing_database_is_no_database() {
    let place = Place::new();
    for args in [
        &["query", "e3"][..],
        &["status"],
        &["verify"],
        &["db", "check"],
    ] {
        place.run(args).fails(2, &["no database", "takeme.db"]);
    }
    assert!(!place.path("takeme.db").exists());
}

#[test]
fn the_flag_beats_the_environment() {
    let place = Place::new();
    let run = |args: &[&str]| {
        let output = output_of(place.command(args).env("TAKEME_DB", "env.db"));
        assert!(output.status.success(), "{args:?}");
    };
    run(&["prove", "e3 d5"]);
    assert!(place.path("env.db").exists() && !place.path("takeme.db").exists());
    run(&["prove", "e3 d5", "--db", "flag.db"]);
    assert!(place.path("flag.db").exists());
}

#[test]
fn other_files_are_refused() {
    let place = Place::new();
    change(
        &place,
        "PRAGMA application_id = 77; CREATE TABLE theirs (x);",
    );
    for command in ["prove", "query"] {
        place
            .run(&[command, "e3"])
            .fails(5, &["another program", "0x4d"]);
    }
    fs::write(
        place.path("text.db"),
        "just text, and more of it than SQLite's magic",
    )
    .expect("written");
    place
        .run(&["query", "e3", "--db", "text.db"])
        .fails(5, &["not a database"]);
    place
        .run(&["query", "e3", "--db", "."])
        .fails(5, &["not a database"]);
}

#[test]
fn a_newer_schema_is_refused_by_number() {
    let place = Place::proved(&["e3 d5"]);
    change(&place, "PRAGMA user_version = 99;");
    for command in ["prove", "query"] {
        place
            .run(&[command, "e3 d5"])
            .fails(5, &["schema version 99", "newer takeme"]);
    }
}

/// Whether the rights of files mean nothing here, as for root.
fn rights_mean_nothing(directory: &Path) -> bool {
    let probe = directory.join("probe");
    let written = fs::write(&probe, "").is_ok();
    let _ = fs::remove_file(probe);
    written
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    // Root writes everywhere but to a file system that is mounted read-only.
    let Some(mount) = Mount::tmpfs("64k") else {
        skipped("no file system can be mounted here");
        return;
    };
    mount.remount("ro");
    assert!(!rights_mean_nothing(mount.path()));
    let output = output_of(&mut command_in(mount.path(), &["prove", "e3 d5"]));
    Ran::of(&output).fails(2, &["takeme.db", "not writable"]);
}

#[test]
fn a_database_that_cannot_be_written_can_be_read_and_verified() {
    let Some(mount) = Mount::tmpfs("1m") else {
        skipped("no file system can be mounted here");
        return;
    };
    let run = |args: &[&str]| Ran::of(&output_of(&mut command_in(mount.path(), args)));
    assert_eq!(run(&["prove", "e3 d5"]).code, 0);
    mount.remount("ro");
    assert_eq!(run(&["query", "e3 d5"]).code, 0);
    assert_eq!(run(&["prove", "e3 d5"]).code, 0, "it is stored already");
    run(&["prove", "e3 d6"]).fails(2, &["not writable"]);
    let ran = run(&["verify"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("verified"), "{}", ran.stdout);
    assert!(ran.stderr.contains("not recorded"), "{}", ran.stderr);
}

#[test]
fn a_full_disk_is_told_and_leaves_the_database_whole() {
    // Field case B44.
    let Some(mount) = Mount::tmpfs("640k") else {
        skipped("no file system can be mounted here");
        return;
    };
    let run = |args: &[&str]| Ran::of(&output_of(&mut command_in(mount.path(), args)));
    assert_eq!(run(&["prove", "e3 d5"]).code, 0);
    let files = fill(&mount);
    run(&["prove", "e3 Na6"]).fails(7, &["disk is full", "takeme.db"]);
    let place = Place::proved(&["e3 d5", "e3 Na6"]);
    let other = place.path("takeme.db");
    let other = other.to_str().expect("UTF-8");
    run(&["merge", other]).fails(7, &["disk is full", "takeme.db"]);
    let certificate = place.path("na6.cert");
    let certificate = certificate.to_str().expect("UTF-8");
    place.ok(&[
        "export",
        "e3 Na6",
        "--format",
        "cert",
        "--output",
        certificate,
    ]);
    run(&["import", certificate, "--format", "cert"]).fails(7, &["disk is full", "takeme.db"]);
    let file = mount.path().join("p.cert");
    let path = file.to_str().expect("UTF-8");
    place
        .run(&["export", "e3 d5", "--format", "cert", "--output", path])
        .fails(7, &["p.cert"]);
    assert!(!file.exists());
    for file in files {
        fs::remove_file(file).expect("removed");
    }
    assert_eq!(run(&["db", "check"]).code, 0);
    assert_eq!(run(&["verify"]).code, 0);
}

/// Fills a file system; the files that take the room.
fn fill(mount: &Mount) -> Vec<PathBuf> {
    let names = (0..).map(|number| mount.path().join(format!("fill{number}")));
    let mut files: Vec<PathBuf> = names
        .take_while(|name| fs::write(name, [b'x'; 4096]).is_ok())
        .collect();
    // What did not fit was begun.
    files.push(mount.path().join(format!("fill{}", files.len())));
    files
}

#[test]
fn a_line_that_cannot_be_stored_does_not_end_the_others() {
    let Some(mount) = Mount::tmpfs("640k") else {
        skipped("no file system can be mounted here");
        return;
    };
    let run = |args: &[&str]| Ran::of(&output_of(&mut command_in(mount.path(), args)));
    assert_eq!(run(&["prove", "e3 d5"]).code, 0);
    let mut files = fill(&mount);
    // Room for the small proof, and not for the large one.
    for file in files.drain(files.len() - 26..) {
        fs::remove_file(file).expect("removed");
    }
    let batch = ["prove", "e3 Na6", "e3 d5", "e4", "--threads", "1", "--json"];
    let ran = run(&batch);
    ran.fails(7, &["1. e3 Na6: the disk is full"]);
    let told = ran
        .stderr
        .matches("1. e3 Na6: the disk is full: no room to write takeme.db\n");
    assert_eq!(told.count(), 1, "{}", ran.stderr);
    let answers: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect();
    let status = |line: &str| {
        let mut answers = answers.iter();
        let answer = answers.find(|answer| answer["line"] == line);
        answer.map(|answer| (answer["status"].clone(), answer["source"].clone()))
    };
    assert_eq!(
        status("e2e3 b8a6"),
        Some(("unknown".into(), "search".into()))
    );
    assert_eq!(status("e2e4"), Some(("proved".into(), "search".into())));
    assert_eq!(
        status("e2e3 d7d5"),
        Some(("proved".into(), "database".into()))
    );
    for file in files {
        fs::remove_file(file).expect("removed");
    }
    let ran = run(&batch);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(run(&["db", "check"]).code, 0);
}

/// A disk that fills up while the database is made leaves one that is complete as soon as there is room.
#[test]
fn a_database_that_was_begun_on_a_full_disk_goes_on_when_there_is_room() {
    for free in [0, 4, 16, 40, 80, 120] {
        let Some(mount) = Mount::tmpfs("1m") else {
            skipped("no file system can be mounted here");
            return;
        };
        let run = |args: &[&str]| Ran::of(&output_of(&mut command_in(mount.path(), args)));
        let files = fill(&mount);
        for file in files.iter().rev().take(free / 4 + 1) {
            fs::remove_file(file).expect("removed");
        }
        let prove = ["prove", "e3 d5", "--threads", "1"];
        run(&prove).fails(7, &["disk is full"]);
        run(&prove).fails(7, &["disk is full"]);
        for file in files.iter().rev().skip(free / 4 + 1) {
            fs::remove_file(file).expect("removed");
        }
        let ran = run(&prove);
        assert_eq!(ran.code, 0, "{free} KiB: {}", ran.stderr);
        assert_eq!(run(&["db", "check"]).code, 0, "{free} KiB");
    }
}

#[test]
fn damaged_bytes_are_found() {
    let place = Place::proved(&["e3 Na6"]);
    let path = place.path("takeme.db");
    // Small sets stay rows until they are merged into pages, each of which ends with a checksum.
    let mut store = store::Store::open(&path, store::Access::Write).expect("opened");
    store.vacuum().expect("merged");
    drop(store);
    let connection = Connection::open(&path).expect("opened");
    let (id, mut page): (i64, Vec<u8>) = connection
        .query_row(
            "SELECT id, page FROM proof_page ORDER BY length(page) DESC LIMIT 1",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("a page");
    let middle = page.len() / 2;
    page[middle] ^= 0x10;
    connection
        .execute("UPDATE proof_page SET page = ?1 WHERE id = ?2", (&page, id))
        .expect("changed");
    drop(connection);
    let (code, objects) = place.json(&["verify"]);
    assert_eq!(code, 5, "{objects:?}");
    assert_eq!(objects[0]["verdict"], "damaged");
    assert!(objects[0]["reason"].is_string());
    let ran = place.run(&["db", "check"]);
    assert_eq!(ran.code, 5);
    assert!(ran.stdout.contains("proof_page"), "{}", ran.stdout);
}

#[test]
fn a_claim_without_its_positions_proves_nothing() {
    let place = Place::proved(&["e3 d5"]);
    change(&place, "DELETE FROM proof_page; DELETE FROM proof_recent;");
    let (code, objects) = place.json(&["verify"]);
    assert!(code == 4 || code == 5, "{code}");
    assert!(objects[0]["reason"].is_string(), "{}", objects[0]);
    assert_ne!(objects[0]["verdict"], "verified");
    place
        .run(&["query", "e3 d5"])
        .fails(5, &["missing", "takeme.db"]);
    assert_eq!(place.run(&["db", "check"]).code, 5);
    // The rejection is recorded.
    assert!(place.ok(&["status"]).contains("REJECTED"));
}

#[test]
fn a_changed_move_is_rejected() {
    let place = Place::proved(&["e3 d5"]);
    // Every position of the strategy plays a2a3 now, wherever that is legal or not.
    change(
        &place,
        "UPDATE proof_recent SET move = (8 << 9) | (16 << 3);",
    );
    let (code, objects) = place.json(&["verify", "e3 d5"]);
    assert_eq!(code, 4, "{objects:?}");
    assert_eq!(objects[0]["verdict"], "rejected");
    assert!(objects[0]["defects"].as_u64() > Some(0));
    assert!(objects[0]["first_defect"].is_string());
    let ran = place.run(&["verify"]);
    assert_eq!(ran.code, 4);
    assert!(ran.stdout.contains("rejected"), "{}", ran.stdout);
}

#[test]
fn a_rejected_proof_is_not_shown_as_one() {
    let place = Place::proved(&["e3 d5"]);
    // The first moves stay, those far down become illegal.
    change(
        &place,
        "UPDATE proof_recent SET move = (0 << 9) | (16 << 3)
         WHERE height < (SELECT max(height) - 4 FROM proof_recent);",
    );
    let before = place.object(&["query", "e3 d5"]);
    assert_eq!(before["status"], "proved", "nobody has looked yet");
    assert_eq!(place.run(&["verify"]).code, 4);
    assert!(place.ok(&["status"]).contains("REJECTED"));

    let (code, objects) = place.json(&["query", "e3 d5"]);
    assert_eq!((code, &objects[0]["status"]), (4, &"open".into()));
    assert!(objects[0]["winner"].is_null() && objects[0]["move"].is_null());
    assert_eq!(objects[0]["verified"], false);
    let words = ["1. e3 d5: ", "rejected by takeme-verify"];
    for args in [
        &["query", "e3 d5"][..],
        &["query", "e3 d5", "a3 a6"],
        &["lines", "e3 d5"],
        &["export", "e3 d5", "--format", "cert", "-o", "p"],
        &["export", "e3 d5", "--format", "jsonl", "-o", "p"],
        &["prove", "e3 d5", "--no-verify"],
    ] {
        let ran = place.run(args);
        ran.fails(4, &words);
        assert!(!ran.stdout.contains("white wins"), "{}", ran.stdout);
    }
    assert!(!place.path("p").exists());
    let (_, objects) = place.json(&["query", "e3", "--replies"]);
    let replies = objects[0]["replies"].as_array().expect("rows");
    let reply = replies.iter().find(|reply| reply["move"] == "d7d5");
    assert_eq!(reply.expect("listed")["status"], "open");
    // What is part of the rejected proof is looked at as a whole.
    place
        .run(&["query", "e3 d5 Qg4"])
        .fails(5, &["takeme.db is damaged", "the move a1a3 is illegal"]);
    place
        .run(&["prove", "e3 d5"])
        .fails(4, &["1. e3 d5: rejected: "]);
}

/// A rejected claim stands in nobody's way.
#[test]
fn a_proof_under_another_ruleset_comes_before_a_rejected_one() {
    let place = Place::proved(&["e3 d5"]);
    place.ok(&["prove", "e3 d5", "--rules", "fics"]);
    place.ok(&["verify"]);
    change(
        &place,
        "INSERT INTO claim SELECT 7, 'fics', root, root_fen, winner, basis, positions, 1, tables, engine, nodes, seconds, stored_at,
             run_id, 0, verifier, 'a test', verified_at FROM claim WHERE ruleset = 'joint';",
    );
    let object = place.object(&["query", "e3 d5", "--rules", "fics"]);
    assert_eq!(
        (&object["status"], &object["verified"]),
        (&"proved".into(), &true.into())
    );
}

#[test]
fn an_illegal_move_is_not_shown_as_the_way_to_win() {
    let place = Place::proved(&["e3 d5"]);
    // The rook jumps over its pawn.
    change(
        &place,
        "UPDATE proof_recent SET move = (0 << 9) | (16 << 3);",
    );
    for ask in [
        &["query", "e3 d5"][..],
        &["query", "e3", "--replies"],
        &["prove", "e3 d5"],
    ] {
        let words = ["takeme.db is damaged", "the move a1a3 is illegal"];
        place.run(ask).fails(5, &words);
    }
}

/// Relabels the proof of 1. e4 Nf6 under variant4, which has a line in which White is mated: there White wins, under variant3
/// Black does.
fn relabelled(sql: &str) -> Place {
    let place = Place::new();
    place.ok(&["prove", "--rules", "variant4", "1. e4 Nf6"]);
    change(&place, "UPDATE proof_set SET ruleset = 'variant3';");
    change(&place, sql);
    place
}

/// All rows that make up the proofs.
fn rows(place: &Place) -> Vec<(i64, i64, i64, i64)> {
    let connection = Connection::open(place.path("takeme.db")).expect("opened");
    let mut rows = connection
        .prepare("SELECT set_id, key, move, height FROM proof_recent ORDER BY set_id, key")
        .expect("a query");
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let rows = rows.query_map([], row).expect("read");
    rows.collect::<Result<_, _>>().expect("read")
}

#[test]
fn positions_of_another_ruleset_are_found_out() {
    let place = relabelled("DELETE FROM claim;");
    let before = rows(&place);
    for line in ["e4 Nf6", "e4"] {
        let args = ["prove", "--rules", "variant3", line, "--nodes", "20000"];
        let ran = place.run(&args);
        if line == "e4 Nf6" {
            ran.fails(5, &["takeme.db is damaged", "white has not won after b2b4"]);
            assert!(ran.stdout.contains("unknown"), "{}", ran.stdout);
        }
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
    let after = rows(&place);
    assert!(before.iter().all(|row| after.contains(row)));
    for format in ["cert", "jsonl"] {
        let export = [
            "export", "--rules", "variant3", "e4 Nf6", "-o", "p", "--format", format,
        ];
        place.run(&export).fails(5, &["takeme.db is damaged"]);
        assert!(!place.path("p").exists(), "{format}");
    }
    for ask in ["query", "lines"] {
        let ran = place.run(&[ask, "--rules", "variant3", "e4 Nf6"]);
        ran.fails(5, &["takeme.db is damaged", "without a win"]);
    }
}

/// The search was saved before the database was damaged, and can go on when it is put right.
#[test]
fn a_damaged_database_does_not_cost_a_saved_search() {
    let place = Place::new();
    let search = [
        "prove",
        "--rules",
        "variant3",
        "e4 Nf6",
        "--nodes",
        "20",
        "--threads",
        "1",
    ];
    assert_eq!(place.run(&search).code, 3);
    let saved = place.ok(&["status", "--rules", "variant3"]);
    assert!(saved.contains("under way"), "{saved}");
    place.ok(&["prove", "--rules", "variant4", "1. e4 Nf6"]);
    change(
        &place,
        "DELETE FROM claim;
         DELETE FROM proof_recent WHERE set_id IN (SELECT id FROM proof_set WHERE ruleset = 'variant3');
         DELETE FROM proof_set WHERE ruleset = 'variant3';
         UPDATE proof_set SET ruleset = 'variant3';",
    );
    let ran = place.run(&search);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("takeme.db is damaged"),
        "{}",
        ran.stderr
    );
    let still = place.ok(&["status", "--rules", "variant3"]);
    let searches = |status: &str| {
        let lines = status.lines().filter(|line| line.contains("searched for"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(searches(&still), searches(&saved));
}

#[test]
fn counts_that_no_database_reaches_are_survived() {
    let place = Place::proved(&["e3 d5"]);
    place.ok(&["prove", "--rules", "fics", "e4"]);
    place.ok(&["prove", "e4"]);
    change(
        &place,
        "UPDATE proof_set SET positions = 9223372036854775807, pages = 9223372036854775807;
         UPDATE claim SET positions = 9223372036854775807;",
    );
    for args in [
        &["db", "stats"][..],
        &["status"],
        &["verify"],
        &["query", "e3 d5"],
        &["prove", "e3 d6", "--rules", "fics"],
    ] {
        let ran = place.run(args);
        assert!(!ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
        assert_ne!(ran.code, 101, "{args:?}");
    }
}

#[test]
fn a_backup_is_a_database() {
    let place = Place::proved(&["e3 d5"]);
    place.ok(&["db", "backup", "copy.db"]);
    place
        .run(&["db", "backup", "copy.db"])
        .fails(2, &["copy.db", "--force"]);
    place.ok(&["db", "backup", "copy.db", "--force"]);
    let object = place.object(&["query", "e3 d5", "--db", "copy.db"]);
    assert_eq!(object["status"], "proved");
    let stats = place.object(&["db", "stats", "--db", "copy.db"]);
    assert_eq!(
        (&stats["claims"], &stats["claims_verified"]),
        (&1.into(), &1.into())
    );
}

/// A file system of a given size, gone with the value.
struct Mount(tempfile::TempDir);

impl Mount {
    /// `None` if none can be mounted, as for users other than root.
    fn tmpfs(size: &str) -> Option<Self> {
        let directory = tempfile::tempdir().ok()?;
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(directory.path())
            .output()
            .ok()?;
        mounted.status.success().then_some(Self(directory))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, how: &str) {
        let remounted = Command::new("mount")
            .args(["-o", &format!("remount,{how}")])
            .arg(self.path())
            .status();
        assert!(remounted.expect("mount runs").success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // What cannot be unmounted stays until the machine is gone.
        let _ = Command::new("umount").arg(self.path()).status();
    }
}
