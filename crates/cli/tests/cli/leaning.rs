//! Proofs and answers that lean on endgame tables.

use std::fs;

use rusqlite::Connection;
use serde_json::Value;

use crate::{
    support::Place,
    tabled::{damage, forge, list_as_it_is, refused, three_men, two_men},
};

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
    // An object says so, too.
    let (code, objects) = place.json(&["verify"]);
    assert_eq!((code, objects.len()), (8, 1));
    unjudged(&objects[0], "leans on the endgame table");
    assert_eq!(objects[0]["winner"], "white");
    // But it is known, and found undamaged.
    assert_eq!(place.object(&["query", "--fen", FOUR_MEN])["plies"], 50);
    place.ok(&["db", "check"]);
}

/// The table's part of the plies counts, too.
#[test]
fn a_merge_refuses_heights_that_are_too_small_with_the_tables() {
    let tables = tables_of_three_men();
    let place = leaning(&tables);
    fs::copy(place.path("takeme.db"), place.path("b.db")).expect("copied");
    let merge = ["merge", "b.db", "--db", "a.db", "--tables", &tables];
    assert_eq!(place.object(&merge)["claims_verified"], 1);
    let connection = Connection::open(place.path("b.db")).expect("opened");
    let lower = "UPDATE proof_recent SET height = height - 1";
    assert!(connection.execute(lower, []).expect("changed") > 0);
    drop(connection);
    let ran = place.run(&merge);
    ran.fails(
        4,
        &["fewer plies", "nothing of its strategy set was taken over"],
    );
    let query = [
        "query", "--fen", FOUR_MEN, "--db", "a.db", "--tables", &tables,
    ];
    assert_eq!(place.object(&query)["plies"], 50);
}

/// An object says that there is no verdict, and why.
fn unjudged(object: &Value, reason: &str) {
    assert!(object["verdict"].is_null(), "{object}");
    assert!(object["positions"].is_null(), "{object}");
    let why = object["reason"].as_str().expect("a reason");
    assert!(why.contains(reason), "{object}");
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
    let (code, objects) = place.json(&verify);
    assert_eq!((code, objects.len()), (8, 1));
    unjudged(&objects[0], "endgame table");
    assert_eq!(objects[0]["file"], "four.cert");
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
    // A line without a proof has an object, and what is noted is noted once.
    let ran = place.run(&["verify", "e3", "d3", "--json"]);
    let objects = ran.stdout.lines().map(serde_json::from_str::<Value>);
    let objects: Vec<Value> = objects.collect::<Result<_, _>>().expect("objects");
    assert_eq!((ran.code, objects.len()), (3, 2));
    for object in &objects {
        unjudged(object, "no proof");
    }
    let notes = ran.stderr.matches("not verified, and not used").count();
    assert_eq!(notes, 1, "{}", ran.stderr);
    place.ok(&["tables", "verify"]);
    let object = place.object(&prove);
    assert_eq!(
        (&object["source"], &object["plies"], &object["positions"]),
        (&"table".into(), &35.into(), &Value::Null)
    );
    assert_eq!(object["verified"], true);
    // The winner is to move.
    let won = "8/8/8/8/3k4/8/8/7R w - -";
    for command in ["query", "prove"] {
        let object = place.object(&[command, "--fen", won]);
        assert_eq!(
            (&object["source"], &object["move_san"], &object["plies"]),
            (&"table".into(), &"Rf1".into(), &34.into()),
            "{command}"
        );
    }
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

#[test]
fn what_tables_answer_needs_no_database() {
    let place = two_men();
    let rook = "8/8/8/8/8/3k4/8/1R6 b - -";
    let object = place.object(&["query", "--fen", rook, "--replies"]);
    assert_eq!(
        (&object["source"], &object["winner"], &object["positions"]),
        (&"table".into(), &"white".into(), &Value::Null)
    );
    assert_eq!(object["replies"][0]["plies"], 34);
    let over = "8/8/8/8/8/8/k7/7K w - -";
    assert_eq!(place.run(&["query", "--fen", over]).code, 1, "drawn");
    // Nothing is made on the way, and what no table has needs a database.
    assert!(!place.path("takeme.db").exists());
    let ran = place.run(&["query", "e3", "--replies"]);
    ran.fails(2, &["takeme.db"]);
    assert_eq!(ran.stdout, "");
}
