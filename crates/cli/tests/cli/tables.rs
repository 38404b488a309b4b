//! `takeme tables`: made, verified, asked, and damaged in every way.

use std::fs;

use serde_json::Value;

use crate::{
    support::{Place, Ran},
    tabled::{
        change_dictionary, damage, forge, list_as_it_is, refused, relist, table, three_men, two_men,
    },
    truth::rows,
};

fn probe(place: &Place, fen: &str) -> Value {
    place.object(&["tables", "probe", fen])
}

#[test]
fn positions_have_their_values_and_best_moves() {
    let place = three_men();
    let found = probe(place, "8/8/8/8/8/3k4/8/1R6 b - -");
    assert_eq!(
        (&found["result"], &found["dtw"], &found["fifty"]),
        (&"loss".into(), &35.into(), &"loss".into())
    );
    // The longest loss comes first.
    assert_eq!(found["best"][0], "d3d4");
    let found = probe(place, "8/8/8/8/8/3K4/8/4k3 w - -");
    assert_eq!(
        (&found["result"], &found["dtw"]),
        (&"win".into(), &2.into())
    );
    assert_eq!(
        (&found["best"], &found["best_san"]),
        (&["d3d2", "d3e2"].into(), &["Kd2", "Ke2"].into())
    );
    // The placement is another position with the right to capture en passant.
    let with = probe(place, "8/8/8/pP6/8/8/8/7R w - a6");
    let without = probe(place, "8/8/8/pP6/8/8/8/7R w - -");
    assert_eq!(with["best"], Value::from(vec!["b5a6"]));
    assert_ne!(with["best"], without["best"]);
    let drawn = probe(place, "8/4p3/8/8/8/P7/P7/8 w - -");
    assert_eq!(
        (&drawn["result"], &drawn["dtw"], &drawn["fifty"]),
        (&"draw".into(), &Value::Null, &"draw".into())
    );
    // A side that has lost all its men has won.
    let over = probe(place, "8/8/8/8/8/8/8/K7 b - -");
    assert_eq!(
        (&over["result"], &over["dtw"], &over["best"]),
        (&"win".into(), &0.into(), &Value::from(Vec::<u8>::new()))
    );
    let said = place.ok(&["tables", "probe", "8/8/8/8/8/3K4/8/4k3 w - -"]);
    assert_eq!(
        said,
        "8/8/8/8/8/3K4/8/4k3 w - - 0 1: win in 2 plies (1 move) to the end of the game (DTW) for white to move (joint); best: Kd2 Ke2\n"
    );
}

#[test]
fn what_no_table_has_is_not_covered() {
    let place = three_men();
    let six = "3N4/8/8/6Br/2pP4/8/8/1Q6 b - -";
    refused(
        place,
        &["tables", "probe", six],
        8,
        &[
            "3N4/8/8/6Br/2pP4/8/8/1Q6 b - - 0 1 is not covered",
            "tables/joint",
        ],
    );
    let ran = place.run(&["tables", "probe", six, "8/8/8/8/8/3K4/8/4k3 w - -"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (8, 1));
    refused(
        place,
        &["tables", "probe", "8/8/8 w - -"],
        2,
        &["8/8/8 w - -"],
    );
    refused(
        place,
        &[
            "tables",
            "probe",
            "8/8/8/8/8/2k5/1R6/K7 w - -",
            "--rules",
            "variant3",
        ],
        8,
        &["variant3"],
    );
    refused(
        &Place::new(),
        &["tables", "probe", six],
        2,
        &["there is no directory tables"],
    );
}

#[test]
fn counts_are_the_known_ones() {
    let (_, objects) = three_men().json(&["tables", "stats"]);
    assert_eq!(objects.len(), 2 * 147);
    let mut checked = 0;
    for row in rows("tables/counts.tsv") {
        let [ruleset, table, scope, stm, wins, losses, draws, ..] = &row[..] else {
            panic!("at least seven fields: {row:?}");
        };
        let is_it = |object: &&Value| object["table"] == **table && object["stm"] == **stm;
        let Some(found) = objects.iter().find(is_it) else {
            continue;
        };
        if ruleset != "joint" || scope != "all" {
            continue;
        }
        let counts = ["wins", "losses", "draws"].map(|key| found[key].to_string());
        assert_eq!(
            counts,
            [wins, losses, draws].map(String::clone),
            "{table} {stm}"
        );
        checked += 1;
    }
    // The others name the sides the other way round.
    assert!(checked > 100, "{checked} rows");
}

#[test]
fn tables_that_are_there_are_left_alone() {
    let place = two_men();
    let (_, objects) = place.json(&["tables", "generate", "--men", "2"]);
    assert_eq!(
        (&objects[0]["tables"], &objects[0]["made"]),
        (&21.into(), &0.into())
    );
    fs::remove_file(place.path("tables/joint/KvN.tkt")).expect("a table");
    // One that was changed is made anew, too.
    damage(&place, "KvB", |bytes| bytes.truncate(100));
    let (_, objects) = place.json(&["tables", "generate", "--men", "2"]);
    assert_eq!(objects[0]["made"], 2);
    let (_, objects) = place.json(&["tables", "generate", "--men", "2", "--force"]);
    assert_eq!(objects[0]["made"], 21);
    let lists = ["MANIFEST", "VERIFIED"]
        .map(|name| fs::read_to_string(place.path("tables/joint").join(name)).expect("a list"));
    assert_eq!(lists[0], lists[1]);
    assert_eq!(lists[0].lines().count(), 21);
}

#[test]
fn a_table_that_others_need_is_named() {
    let place = Place::new();
    refused(
        &place,
        &["tables", "generate", "--only", "KRvN"],
        8,
        &["tables/joint/KvN.tkt is missing", "needed for KRvN"],
    );
    refused(&place, &["tables", "generate"], 2, &["--men"]);
    refused(
        &place,
        &["tables", "generate", "--men", "5"],
        2,
        &["5 is not in 2..=4"],
    );
    refused(
        &place,
        &["tables", "generate", "--only", "KRBvNP"],
        2,
        &["KRBvNP has 5 men"],
    );
    refused(
        &place,
        &["tables", "generate", "--men", "2", "--rules", "extinction"],
        8,
        &["extinction"],
    );
}

const PROBE: [&str; 3] = ["tables", "probe", "8/8/8/8/8/2k5/8/N7 w - -"];

#[test]
fn a_dictionary_has_no_entry_twice() {
    let place = two_men();
    change_dictionary(&place, "KvN", |entries| entries.copy_within(..3, 3));
    let probe = ["tables", "probe", "8/8/8/3n4/8/8/8/K7 w - -"];
    let told = ["KvN.tkt", "its dictionary has an entry twice"];
    refused(&place, &probe, 5, &told);
}

/// Field case B11: a damaged table is an error that names the file, never a value.
#[test]
fn a_damaged_table_is_named_and_gives_no_value() {
    let place = two_men();
    let sound = fs::read(table(&place, "KvN")).expect("a table");
    let restore = || fs::write(table(&place, "KvN"), &sound).expect("room on the disk");
    let mut last = sound.len() - 1;
    for (change, code, told) in [
        (
            Box::new(|bytes: &mut Vec<u8>| bytes.truncate(20)) as Box<dyn Fn(&mut Vec<u8>)>,
            5,
            "cut short",
        ),
        (
            Box::new(|bytes| bytes.truncate(last)),
            5,
            "bytes, and should have",
        ),
        (Box::new(|bytes| bytes.push(0)), 5, "bytes, and should have"),
        (Box::new(|bytes| bytes[0] = 0), 5, "it is no table file"),
        (
            Box::new(|bytes| bytes[8] = 2),
            8,
            "is a table of version 2, and this program reads 1",
        ),
        (
            Box::new(|bytes| bytes[11] = 2),
            8,
            "is a table of metric 2, and this program reads 1",
        ),
        (
            Box::new(|bytes| bytes[10] = 1),
            5,
            "is a table of KvN under fics, and its path says KvN under joint",
        ),
        (
            Box::new(|bytes| bytes[12] = b'Q'),
            5,
            "is a table of QvN under joint, and its path says KvN under joint",
        ),
        (
            Box::new(|bytes| bytes[40] ^= 1),
            5,
            "its header's checksum is wrong",
        ),
    ] {
        damage(&place, "KvN", change);
        refused(&place, &PROBE, code, &["tables/joint/KvN.tkt", told]);
        let ran = place.run(&["tables", "verify", "--only", "KvN"]);
        assert_eq!(ran.code, code, "{told}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.contains("tables/joint/KvN.tkt"),
            "{}",
            ran.stdout
        );
        restore();
    }
    // A byte of a block: the hash tells, and where that was forged the block's checksum.
    last = sound.len() - 3;
    damage(&place, "KvN", |bytes| bytes[last] ^= 4);
    refused(
        &place,
        &PROBE,
        5,
        &[
            "KvN.tkt",
            "its SHA-256 is not that in tables/joint/MANIFEST",
        ],
    );
    list_as_it_is(&place, "KvN", "MANIFEST");
    refused(
        &place,
        &PROBE,
        5,
        &["KvN.tkt", "the checksum of block 1 is wrong"],
    );
    let ran = place.run(&["tables", "verify", "--only", "KvN"]);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    restore();
}

/// Field case B11: what counts is what the file holds, not what it is called.
#[test]
fn a_table_under_a_wrong_name_is_refused() {
    let place = two_men();
    fs::copy(table(&place, "KvB"), table(&place, "KvN")).expect("room on the disk");
    refused(
        &place,
        &PROBE,
        5,
        &["KvN.tkt is a table of KvB under joint, and its path says KvN under joint"],
    );
    // One that nobody lists.
    let place = two_men();
    for list in ["MANIFEST", "VERIFIED"] {
        relist(&place, "KvN", list, |_| String::new());
    }
    refused(&place, &PROBE, 8, &["is not covered"]);
    fs::write(place.path("tables/joint/MANIFEST"), "nonsense\n").expect("room on the disk");
    refused(
        &place,
        &PROBE,
        5,
        &[
            "tables/joint/MANIFEST is no list of tables: line 1",
            "remove it",
        ],
    );
    // One table twice, with two hashes.
    let place = two_men();
    relist(&place, "KvN", "MANIFEST", |file| {
        let (one, other) = ("0".repeat(64), "1".repeat(64));
        format!("{one}  {file}\n{other}  {file}\n")
    });
    refused(
        &place,
        &PROBE,
        5,
        &["tables/joint/MANIFEST is no list of tables", "another hash"],
    );
}

/// A file with sound checksums and wrong values: only the verifier sees it.
#[test]
fn a_wrong_value_is_found_by_the_verifier_alone() {
    let place = two_men();
    // The dictionary's first entry, of the most frequent value, gets a ply more; all checksums are made anew.
    damage(&place, "QvR", |bytes| {
        let first = 36 + 2 * 28;
        bytes[first + 1] += 2;
        let symbols = usize::from(bytes[22]);
        let header = first + 3 * symbols + 2 * 12;
        let sum = crc::Crc::<u64>::new(&crc::CRC_64_XZ).checksum(&bytes[..header]);
        bytes[header..header + 8].copy_from_slice(&sum.to_le_bytes());
    });
    list_as_it_is(&place, "QvR", "MANIFEST");
    let Ran { code, stdout, .. } = place.run(&["tables", "verify"]);
    assert_eq!(code, 4, "{stdout}");
    assert!(
        stdout.contains("tables/joint/QvR.tkt: rejected: "),
        "{stdout}"
    );
    // Those that rest on it are not accepted either, and none of them is used.
    assert!(
        stdout.contains("tables/joint/QvP.tkt: unfounded: it rests on QvR"),
        "{stdout}"
    );
    let verified = fs::read_to_string(place.path("tables/joint/VERIFIED")).expect("a list");
    assert!(
        !verified.contains("QvR.tkt") && verified.contains("KvN.tkt"),
        "{verified}"
    );
}

/// Nothing is verified that rests on what is not.
#[test]
fn a_table_is_not_verified_before_those_that_it_rests_on() {
    let place = two_men();
    forge(&place, "KvB");
    relist(&place, "KvB", "VERIFIED", |_| String::new());
    relist(&place, "KvP", "VERIFIED", |_| String::new());
    let ran = place.run(&["tables", "verify", "--only", "KvP"]);
    assert_eq!(ran.code, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout
            .contains("KvP.tkt: unfounded: it rests on KvB, which is not verified"),
        "{}",
        ran.stdout
    );
    let ran = place.run(&["tables", "generate", "--men", "2", "--only", "KvP"]);
    assert_eq!(ran.code, 4, "{}{}", ran.stdout, ran.stderr);
    let verified = fs::read_to_string(place.path("tables/joint/VERIFIED")).expect("a list");
    assert!(!verified.contains("KvP.tkt"), "{verified}");
    refused(
        &place,
        &["tables", "generate", "--men", "2", "--only", "KRvN"],
        2,
        &["KRvN has more than the 2 men"],
    );
}

/// Two processes must not write the lists of one directory.
#[test]
fn one_process_at_a_time_changes_a_directory() {
    let place = two_men();
    let lock = fs::File::create(place.path("tables/joint/.lock")).expect("a file");
    lock.lock().expect("a lock");
    for args in [
        &["tables", "generate", "--men", "2"][..],
        &["tables", "verify"],
    ] {
        refused(
            &place,
            args,
            6,
            &["another process works on the tables in tables/joint"],
        );
    }
    drop(lock);
    place.ok(&["tables", "verify"]);
}

/// A process that was killed leaves files without a name behind.
#[test]
fn unfinished_files_are_removed_by_the_next_that_writes() {
    let place = two_men();
    let left = place.path("tables/joint/.tmp-x7Yz");
    for command in [
        &["tables", "generate", "--men", "2"][..],
        &["tables", "verify"],
    ] {
        fs::write(&left, "half a table").expect("room on the disk");
        place.ok(command);
        assert!(!left.exists(), "{command:?}");
    }
}
