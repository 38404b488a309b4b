//! `takeme merge`.

use rusqlite::Connection;

use crate::support::Place;

fn prove(place: &Place, db: &str, args: &[&str]) {
    let mut all = vec!["prove", "--db", db, "--threads", "1"];
    all.extend(args);
    place.ok(&all);
}

#[test]
fn two_databases_become_one_that_verifies() {
    let place = Place::new();
    prove(&place, "a.db", &["e3 d5", "e4"]);
    prove(&place, "b.db", &["e3 d5", "d3"]);
    prove(&place, "b.db", &["--rules", "variant4", "e4 Nf6"]);
    let merged = place.object(&["merge", "b.db", "--db", "a.db"]);
    assert_eq!(merged["command"], "merge");
    assert_eq!(merged["file"], "b.db");
    assert_eq!(merged["claims_refused"], 0);
    // The claims of both sides under `joint`, White's and Black's, and the one under variant4.
    assert_eq!(merged["claims_verified"], 4);
    assert!(merged["added"].as_u64() > Some(100) && merged["kept"].as_u64() > Some(10));

    let status = place.ok(&["status", "--db", "a.db"]);
    for line in ["1. e3 d5", "1. e4", "1. d3", "1. e4 Nf6"] {
        assert!(status.contains(line), "{status}");
    }
    assert_eq!(place.ok(&["verify", "--db", "a.db"]).lines().count(), 4);
    place.ok(&["db", "check", "--db", "a.db"]);
    let again = place.object(&["merge", "b.db", "--db", "a.db"]);
    assert_eq!(
        (&again["added"], &again["improved"]),
        (&0.into(), &0.into())
    );
}

/// `takeme status` listed the search beside the proof until somebody asked `takeme prove`.
#[test]
fn a_search_that_a_proof_answers_is_forgotten_with_it() {
    let place = Place::new();
    prove(&place, "b.db", &["e3 d5"]);
    for line in ["e3 d5", "e3 f5"] {
        let ran = place.run(&["prove", line, "--nodes", "20", "--db", "a.db"]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
    }
    place.ok(&["merge", "b.db", "--db", "a.db"]);
    let status = place.ok(&["status", "--db", "a.db"]);
    assert!(status.contains("1. e3 d5: white wins"), "{status}");
    assert!(!status.contains("1. e3 d5: searched"), "{status}");
    assert!(status.contains("1. e3 f5: searched"), "{status}");
}

#[test]
fn only_what_answers_for_the_rules_is_taken_over() {
    let place = Place::new();
    prove(&place, "b.db", &["e3 d5"]);
    prove(&place, "b.db", &["--rules", "variant4", "e4 Nf6"]);
    let args = ["merge", "b.db", "--db", "a.db", "--rules", "variant4"];
    let ran = place.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told = "1 claim of b.db under rulesets that do not answer for variant4 left there";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let status = place.ok(&["status", "--db", "a.db"]);
    assert!(
        status.contains("1. e4 Nf6") && !status.contains("1. e3 d5"),
        "{status}"
    );
    // A proof under joint is one under fics.
    let merged = place.object(&["merge", "b.db", "--db", "a.db", "--rules", "fics"]);
    assert_eq!(
        (&merged["rules"], &merged["claims_verified"]),
        (&"fics".into(), &1.into())
    );
    let status = place.ok(&["status", "--db", "a.db"]);
    assert!(
        status.contains("1. e4 Nf6") && status.contains("1. e3 d5"),
        "{status}"
    );
}

#[test]
fn where_a_claim_comes_from_is_kept() {
    let place = Place::new();
    prove(&place, "b.db", &["e3 d5"]);
    place.ok(&["merge", "b.db", "--db", "new.db"]);
    let command = |db: &str| -> String {
        let connection = Connection::open(place.path(db)).expect("opened");
        let sql = "SELECT command FROM run JOIN claim ON claim.run_id = run.id";
        connection
            .query_row(sql, [], |row| row.get(0))
            .expect("a run")
    };
    assert_eq!(command("new.db"), command("b.db"));
    assert!(command("new.db").contains("prove --db b.db"));
}

/// Entries that promise a shorter way and do not keep it would break a proof that is stored.
#[test]
fn what_would_break_a_proof_is_not_taken_over() {
    let place = Place::new();
    prove(&place, "a.db", &["e3 d5"]);
    prove(&place, "b.db", &["e3 d5"]);
    let connection = Connection::open(place.path("b.db")).expect("opened");
    let a7a6 = rules::Move::parse_uci("a7a6").expect("UCI").to_bits();
    connection
        .execute(
            "UPDATE proof_recent SET move = ?1, height = 1 WHERE height < 20",
            [a7a6],
        )
        .expect("changed");
    drop(connection);
    let ran = place.run(&["merge", "b.db", "--db", "a.db"]);
    ran.fails(
        4,
        &["1. e3 d5", "nothing of its strategy set was taken over"],
    );
    assert!(ran.stdout.contains("0 positions added"), "{}", ran.stdout);
    place.ok(&["verify", "--db", "a.db"]);
}

/// The moves are right, but each promises to take less than it does: nothing could drive such entries out again.
#[test]
fn heights_that_are_too_small_are_not_taken_over() {
    let place = Place::new();
    prove(&place, "a.db", &["e3 d5"]);
    prove(&place, "b.db", &["e3 d5"]);
    let connection = Connection::open(place.path("b.db")).expect("opened");
    connection
        .execute_batch("UPDATE proof_recent SET height = height - 2 WHERE height > 4")
        .expect("changed");
    drop(connection);
    let before = place.ok(&["query", "e3 d5", "--db", "a.db"]);
    let ran = place.run(&["merge", "b.db", "--db", "a.db"]);
    ran.fails(4, &["1. e3 d5", "fewer plies", "nothing of its strategy"]);
    assert_eq!(place.ok(&["query", "e3 d5", "--db", "a.db"]), before);
}

#[test]
fn of_a_damaged_database_nothing_is_taken() {
    let place = Place::new();
    prove(&place, "a.db", &["e3 d5"]);
    prove(&place, "b.db", &["d3", "e4"]);
    let connection = Connection::open(place.path("b.db")).expect("opened");
    let rows =
        "UPDATE proof_recent SET move = 32816 WHERE key = (SELECT max(key) FROM proof_recent)";
    connection.execute_batch(rows).expect("changed");
    drop(connection);
    let ran = place.run(&["merge", "b.db", "--db", "a.db"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("b.db"), "{}", ran.stderr);
    let status = place.ok(&["status", "--db", "a.db"]);
    assert!(
        !status.contains("1. e4") && !status.contains("1. d3"),
        "{status}"
    );
}

/// A proof that was rejected is one again when what it lacked has come in.
#[test]
fn a_rejected_proof_that_holds_again_is_verified() {
    let place = Place::new();
    prove(&place, "a.db", &["e3 d5"]);
    prove(&place, "b.db", &["e3 d5"]);
    let connection = Connection::open(place.path("a.db")).expect("opened");
    let holes = "DELETE FROM proof_recent WHERE height < 20";
    connection.execute_batch(holes).expect("changed");
    drop(connection);
    assert_eq!(place.run(&["verify", "--db", "a.db"]).code, 4);
    place.ok(&["merge", "b.db", "--db", "a.db"]);
    let found = place.ok(&["query", "e3 d5", "--db", "a.db"]);
    assert!(found.contains(", verified"), "{found}");
}

#[test]
fn a_database_is_not_merged_into_itself() {
    let place = Place::proved(&["e3 d5"]);
    place
        .run(&["merge", "./takeme.db"])
        .fails(2, &["takeme.db is the database"]);
    std::fs::hard_link(place.path("takeme.db"), place.path("link.db")).expect("linked");
    place
        .run(&["merge", "link.db"])
        .fails(2, &["link.db is the database"]);
    place
        .run(&["merge", "none.db"])
        .fails(2, &["no database", "none.db"]);
}

#[test]
fn searches_stay_where_they_are() {
    let place = Place::new();
    let limited = ["prove", "1. h4", "--db", "b.db", "--nodes", "3000"];
    assert_eq!(place.run(&limited).code, 3);
    let ran = place.run(&["merge", "b.db"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("left there"), "{}", ran.stderr);
}

/// A proof of which a part is another proof, by another way: what is exported of the part is complete.
#[test]
fn a_line_inside_a_proof_is_exported_completely() {
    let place = Place::proved(&["e3 g6"]);
    let replies = place.object(&["query", "e3 g6 Qh5 gxh5", "--replies"]);
    let replies = replies["replies"].as_array().expect("replies");
    let mut exported = 0;
    for reply in replies.iter().filter(|reply| reply["status"] == "proved") {
        let line = format!(
            "e3 g6 Qh5 gxh5 {}",
            reply["move_san"].as_str().expect("a move")
        );
        let file = format!("{exported}.cert");
        place.ok(&["export", &line, "--format", "cert", "--output", &file]);
        place.ok(&["verify", "--file", &file]);
        exported += 1;
    }
    assert!(exported > 0);
}
