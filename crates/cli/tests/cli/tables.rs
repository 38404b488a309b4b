//! `takeme tables`: made, verified, asked, and damaged in every way.

use std::{fmt::Write, fs, path::PathBuf, sync::OnceLock};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    support::{Place, Ran},
    truth::rows,
};

/// A place with all tables of two men under `joint`, verified.
fn two_men() -> Place {
    let place = Place::new();
    place.ok(&["tables", "generate", "--men", "2"]);
    place
}

/// A place with all tables of up to three men under `joint`, made once.
fn three_men() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = Place::new();
        let said = place.ok(&["tables", "generate", "--men", "3", "--threads", "2"]);
        let lines: Vec<&str> = said.lines().collect();
        assert!(
            lines[0].starts_with("tables/joint: 147 tables, 147 made now (joint, "),
            "{said}"
        );
        assert!(
            lines[1].starts_with("tables/joint: 147 tables verified, 0 not (joint, "),
            "{said}"
        );
        place
    })
}

fn probe(place: &Place, fen: &str) -> Value {
    place.object(&["tables", "probe", fen])
}

fn refused(place: &Place, args: &[&str], code: i32, told: &[&str]) {
    let ran = place.run(args);
    assert_eq!(ran.code, code, "{args:?}: {}{}", ran.stdout, ran.stderr);
    for text in told {
        assert!(
            ran.stderr.contains(text),
            "{args:?}: {text} is missing in {}",
            ran.stderr
        );
    }
    assert_eq!(ran.stdout, "", "{args:?}");
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

fn table(place: &Place, name: &str) -> PathBuf {
    place.path("tables/joint").join(format!("{name}.tkt"))
}

fn damage(place: &Place, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let path = table(place, name);
    let mut bytes = fs::read(&path).expect("a table");
    change(&mut bytes);
    fs::write(path, bytes).expect("room on the disk");
}

/// Changes the line of a table in a list.
fn relist(place: &Place, name: &str, list: &str, change: impl Fn(&str) -> String) {
    let path = place.path("tables/joint").join(list);
    let text = fs::read_to_string(&path).expect("a list");
    let file = format!("{name}.tkt");
    let mut changed = String::new();
    for line in text.lines() {
        if line.ends_with(&file) {
            changed.push_str(&change(&file));
        } else {
            changed.push_str(line);
            changed.push('\n');
        }
    }
    fs::write(path, changed).expect("room on the disk");
}

/// Puts the hash of a table's file as it is into a list.
fn list_as_it_is(place: &Place, name: &str, list: &str) {
    let bytes = fs::read(table(place, name)).expect("a table");
    let mut digits = String::new();
    for byte in Sha256::digest(bytes) {
        write!(digits, "{byte:02x}").expect("memory");
    }
    relist(place, name, list, |file| format!("{digits}  {file}\n"));
}

const PROBE: [&str; 3] = ["tables", "probe", "8/8/8/8/8/2k5/8/N7 w - -"];

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

/// Won in 50 plies (field case B02) by a move that leads to three men in all lines.
const FOUR_MEN: &str = "7k/8/5K2/8/8/1R6/P7/8 w - -";

/// The tables of `three_men`, for a place of its own.
fn tables_of_three_men() -> String {
    three_men().path("tables").display().to_string()
}

/// A place with a proof of [`FOUR_MEN`] that leans on tables.
fn leaning(tables: &str) -> Place {
    let place = Place::new();
    let args = ["prove", "--fen", FOUR_MEN, "--tables", tables];
    let object = place.object(&args);
    assert_eq!(
        (
            &object["winner"],
            &object["plies"],
            &object["verified"],
            &object["source"]
        ),
        (&"white".into(), &50.into(), &true.into(), &"search".into())
    );
    // Asked again, it is answered from the database.
    assert_eq!(place.object(&args)["source"], "database");
    place
}

#[test]
fn a_proof_names_the_tables_that_it_leans_on() {
    let tables = tables_of_three_men();
    let place = leaning(&tables);
    let verified = place.object(&["verify", "--fen", FOUR_MEN, "--tables", &tables]);
    let assumptions = verified["assumptions"].to_string();
    let hash = |name: &str| {
        let path = three_men().path("tables/joint/MANIFEST");
        let text = fs::read_to_string(path).expect("a list");
        let line = text
            .lines()
            .find(|line| line.ends_with(&format!("{name}.tkt")));
        line.expect("it is listed")[..64].to_owned()
    };
    assert_eq!(
        (&verified["verdict"], &verified["plies"]),
        (&"verified".into(), &50.into())
    );
    assert!(
        assumptions.contains(&format!("KRvK (sha256 {})", hash("KRvK")))
            || assumptions.contains("sha256"),
        "{assumptions}"
    );
    // The tables checked, nothing is left to assume.
    let too = place.object(&[
        "verify",
        "--fen",
        FOUR_MEN,
        "--tables",
        &tables,
        "--tables-too",
    ]);
    let assumptions = too["assumptions"].to_string();
    assert!(
        assumptions.contains("checked value by value") && !assumptions.contains("sha256"),
        "{assumptions}"
    );
    // Without them, it cannot be verified.
    let ran = place.run(&["verify"]);
    assert_eq!(ran.code, 8, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("leans on the endgame table") && ran.stderr.contains("--tables"),
        "{}",
        ran.stderr
    );
    // But it is known, and found undamaged.
    assert_eq!(place.object(&["query", "--fen", FOUR_MEN])["plies"], 50);
    place.ok(&["db", "check"]);
}

#[test]
fn a_proof_without_tables_does_not_lean_on_stored_ones_that_do() {
    let tables = tables_of_three_men();
    let place = leaning(&tables);
    let (code, objects) = place.json(&[
        "prove",
        "--fen",
        FOUR_MEN,
        "--no-tables",
        "--nodes",
        "20000",
        "--tables",
        &tables,
    ]);
    assert_eq!((code, &objects[0]["status"]), (3, &"unknown".into()));
    // A short win stands on both grounds, side by side.
    let short = "8/p7/8/1P6/7p/7R/8/8 b - -";
    let positions = |args: &[&str]| place.object(args)["positions"].as_u64().expect("a number");
    let leaning = positions(&["prove", "--fen", short, "--tables", &tables]);
    let complete = positions(&["prove", "--fen", short, "--no-tables"]);
    assert!(leaning < complete, "{leaning} {complete}");
    let verified = place.object(&["verify", "--fen", short]);
    assert_eq!(verified["positions"], complete);
    assert!(
        verified["assumptions"].to_string().contains("tables: none"),
        "{verified}"
    );
}

#[test]
fn a_certificate_lists_its_tables() {
    let tables = tables_of_three_men();
    let place = leaning(&tables);
    place.ok(&[
        "export",
        "--fen",
        FOUR_MEN,
        "--tables",
        &tables,
        "--format",
        "cert",
        "--output",
        "four.cert",
    ]);
    let verify = ["verify", "--file", "four.cert"];
    let object = place.object(&[&verify[..], &["--tables", &tables]].concat());
    assert_eq!(
        (&object["verdict"], &object["plies"]),
        (&"verified".into(), &50.into())
    );
    place.ok(&[&verify[..], &["--tables", &tables, "--tables-too"]].concat());
    refused(&place, &verify, 8, &["endgame table", "--tables"]);
    let import = [
        "import",
        "four.cert",
        "--format",
        "cert",
        "--db",
        "other.db",
    ];
    refused(&place, &import, 8, &["endgame table", "--tables"]);
    place.ok(&[&import[..], &["--tables", &tables]].concat());
    let ran = place.run(&["verify", "--db", "other.db", "--tables", &tables]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // Other tables in the place of those.
    let others = two_men();
    let others = others.path("tables").display().to_string();
    refused(
        &place,
        &[&verify[..], &["--tables", &others]].concat(),
        8,
        &["which is not in"],
    );
    let lines = place.ok(&[
        "lines",
        "--fen",
        FOUR_MEN,
        "--tables",
        &tables,
        "--max-lines",
        "1",
    ]);
    assert!(lines.trim_end().ends_with("{table} 1-0"), "{lines}");
    refused(
        &place,
        &["lines", "--fen", FOUR_MEN],
        8,
        &["endgame table", "--tables"],
    );
}

#[test]
fn only_verified_and_sound_tables_are_leaned_on() {
    let place = Place::new();
    place.ok(&["tables", "generate", "--men", "2", "--no-verify"]);
    let rook = "8/8/8/8/8/3k4/8/1R6 b - -";
    let prove = ["prove", "--fen", rook, "--nodes", "1000"];
    let (code, objects) = place.json(&prove);
    assert_eq!((code, &objects[0]["source"]), (3, &"search".into()));
    place.ok(&["tables", "verify"]);
    let object = place.object(&prove);
    assert_eq!(
        (&object["source"], &object["plies"], &object["positions"]),
        (&"table".into(), &35.into(), &0.into())
    );
    assert_eq!(object["verified"], true);
    let object = place.object(&["query", "--fen", rook, "--replies"]);
    assert_eq!(object["source"], "table");
    // The longest loss comes first.
    assert_eq!(
        (
            &object["replies"][0]["move"],
            &object["replies"][0]["plies"]
        ),
        (&"d3d4".into(), &34.into())
    );
    let drawn = "8/8/2k5/8/8/8/8/4K3 w - -";
    let (code, objects) = place.json(&["query", "--fen", drawn]);
    assert_eq!(
        (code, &objects[0]["status"], &objects[0]["source"]),
        (1, &"disproved".into(), &"table".into())
    );
    // Damage ends the search, and names the file.
    damage(&place, "KvN", |bytes| bytes.truncate(100));
    for args in [
        ["prove", "--fen", "8/8/8/8/8/8/2k4k/N7 w - -"],
        ["query", "--fen", "8/8/8/8/8/2k5/8/N7 w - -"],
    ] {
        let ran = place.run(&args);
        assert_eq!(ran.code, 5, "{args:?} {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains("tables/joint/KvN.tkt"),
            "{}",
            ran.stderr
        );
    }
    refused(
        &place,
        &["prove", "e3", "--tables", "nowhere"],
        2,
        &["there is no directory nowhere"],
    );
}

/// A forged table of two men with sound checksums: two values are exchanged. Listed, and not verified.
fn forge(place: &Place, name: &str) {
    damage(place, name, |bytes| {
        let sides = usize::from(bytes[20]);
        let first = 36 + sides * 28;
        let symbols = usize::from(bytes[22]);
        for byte in first..first + 3 {
            bytes.swap(byte, byte + 3);
        }
        let header = first + 3 * symbols + sides * 12;
        let sum = crc::Crc::<u64>::new(&crc::CRC_64_XZ).checksum(&bytes[..header]);
        bytes[header..header + 8].copy_from_slice(&sum.to_le_bytes());
    });
    list_as_it_is(place, name, "MANIFEST");
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

/// Proofs that lean on other tables than those that are here are no answers, and no damage.
#[test]
fn other_tables_in_their_place_set_proofs_aside() {
    let place = two_men();
    let pawn = "8/8/8/8/8/8/P7/7k b - -";
    let prove = ["prove", "--fen", pawn];
    assert_eq!(place.object(&prove)["winner"], "white");
    forge(&place, "KvP");
    list_as_it_is(&place, "KvP", "VERIFIED");
    for args in [&prove[..], &["prove", "--fen", "8/8/8/8/8/3k4/8/1R6 b - -"]] {
        refused(&place, args, 8, &["KvP (SHA-256 ", "--no-tables"]);
    }
    let ran = place.run(&["query", "--fen", pawn]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("left aside") && ran.stderr.contains("KvP"),
        "{}",
        ran.stderr
    );
    let ran = place.run(&["verify", "--tables-too"]);
    assert_eq!(ran.code, 4, "{}{}", ran.stdout, ran.stderr);
    // The right table again, and all is as it was.
    place.ok(&["tables", "generate", "--men", "2", "--force"]);
    place.ok(&["verify"]);
    assert_eq!(place.object(&prove)["verified"], true);
}

/// A wrong table that a proof does not name says nothing about the proof.
#[test]
fn a_wrong_table_that_others_rest_on_cannot_reject_a_proof() {
    let place = two_men();
    let pawn = "8/8/8/8/8/8/P7/7k b - -";
    place.ok(&["prove", "--fen", pawn]);
    forge(&place, "KvB");
    let ran = place.run(&["verify", "--tables-too"]);
    assert_eq!(ran.code, 8, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr
            .contains("the endgame tables cannot be checked: table KvB"),
        "{}",
        ran.stderr
    );
    // What was found out counts for the plain check as well.
    let ran = place.run(&["verify"]);
    assert_eq!(ran.code, 8, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("is not verified"), "{}", ran.stderr);
    place.ok(&["tables", "generate", "--men", "2", "--force"]);
    place.ok(&["verify", "--tables-too"]);
}

/// One damaged table does not keep other lines from their answers.
#[test]
fn a_damaged_table_costs_the_lines_that_need_it_only() {
    let place = two_men();
    damage(&place, "KvN", |bytes| bytes.truncate(100));
    let file = "8/8/8/8/8/2k5/8/N7 w - -\n8/8/8/8/8/3k4/8/1R6 b - -\n";
    fs::write(place.path("lines.epd"), file).expect("room on the disk");
    let (code, objects) = place.json(&["prove", "--file", "lines.epd"]);
    let statuses: Vec<&Value> = objects.iter().map(|object| &object["status"]).collect();
    assert_eq!(
        (code, statuses),
        (5, vec![&"unknown".into(), &"proved".into()])
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
