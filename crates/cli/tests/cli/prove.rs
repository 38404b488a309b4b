//! `takeme prove`.

use std::fs;

use crate::support::{Place, Ran, ended, keys, with_common_keys};

#[test]
fn the_easy_openings_have_their_winners() {
    let place = Place::new();
    let lines = ["1. e3 d5", "1. e3 d6", "e4", "d4", "d2d3"];
    let mut args = vec!["prove"];
    args.extend(lines);
    // Lines are printed as they end.
    let by_line = |args: &[&str]| {
        let (code, mut objects) = place.json(args);
        assert_eq!(code, 0);
        objects.sort_by_key(|object| object["line"].to_string());
        objects
    };
    let objects = by_line(&args);
    let told: Vec<_> = objects
        .iter()
        .map(|object| (&object["line"], &object["winner"], &object["move_san"]))
        .collect();
    let expected = [
        ("d2d3", "black", "g5"),
        ("d2d4", "black", "e5"),
        ("e2e3 d7d5", "white", "Qg4"),
        ("e2e3 d7d6", "white", "Qg4"),
        ("e2e4", "black", "b5"),
    ];
    assert_eq!(told.len(), expected.len());
    for ((line, winner, mv), expected) in told.into_iter().zip(expected) {
        assert_eq!((line, winner), (&expected.0.into(), &expected.1.into()));
        // Several moves may win.
        assert!(mv.is_string(), "{line}: {mv}");
    }
    for object in &objects {
        assert_eq!(object["status"], "proved");
        assert_eq!(object["verified"], true);
        assert_eq!(object["source"], "search");
        assert!(object["nodes"].as_u64() > Some(0));
        assert!(object["peak_bytes"].as_u64() > Some(1 << 20));
    }
    // A second run answers from the database, without search.
    for (first, second) in objects.iter().zip(&by_line(&args)) {
        assert_eq!(second["source"], "database");
        assert_eq!(second["nodes"], 0);
        for key in ["winner", "move", "plies", "positions", "verified"] {
            assert_eq!(first[key], second[key], "{key}");
        }
    }
}

#[test]
fn an_answer_has_the_keys_of_the_interface() {
    let place = Place::new();
    let object = place.object(&["prove", "e3 d5"]);
    let expected = with_common_keys(&[
        "line",
        "fen",
        "status",
        "winner",
        "move",
        "move_san",
        "plies",
        "positions",
        "source",
        "verified",
        "nodes",
        "seconds",
        "nodes_per_second",
        "peak_bytes",
    ]);
    assert_eq!(keys(&object), expected);
    assert_eq!(object["schema"], 1);
    assert_eq!(object["command"], "prove");
    assert_eq!(object["rules"], "joint");
    let after = place.object(&["prove", "e4"]);
    assert_eq!(after["move"], "b7b5");
    // The loser is to move: there is no winning move.
    let loser = place.object(&["prove", "e4 b5"]);
    assert!(loser["move"].is_null() && loser["move_san"].is_null());
    assert_eq!(loser["winner"], "black");
}

#[test]
fn a_sentence_names_ruleset_plies_and_positions() {
    let text = Place::new().ok(&["prove", "e3 d5"]);
    assert!(
        text.starts_with("1. e3 d5: white wins with 2. Qg4, "),
        "{text}"
    );
    for part in [
        " plies at most, ",
        " positions, verified (joint, search, ",
        " nodes, ",
    ] {
        assert!(text.contains(part), "'{part}' is missing: {text}");
    }
}

#[test]
fn a_part_of_a_stored_proof_is_answered_from_it() {
    let place = Place::proved(&["e3 d5"]);
    let object = place.object(&["prove", "1. e3 d5 2. Qg4 Bxg4"]);
    assert_eq!(object["source"], "database");
    assert_eq!(object["winner"], "white");
    assert_eq!(object["verified"], true);
}

#[test]
fn a_joint_proof_answers_for_the_other_rulesets() {
    let place = Place::proved(&["e3 d5"]);
    for rules in ["international", "fics"] {
        let object = place.object(&["prove", "e3 d5", "--rules", rules]);
        assert_eq!(object["source"], "database");
        assert_eq!(object["rules"], rules);
    }
}

#[test]
fn the_other_side_does_not_win() {
    let place = Place::proved(&["e3 d5"]);
    let (code, objects) = place.json(&["prove", "e3 d5", "--winner", "black"]);
    assert_eq!(code, 1);
    assert_eq!(objects[0]["status"], "disproved");
    assert_eq!(objects[0]["winner"], "white");
    let fen = "8/8/8/1p6/2K5/8/8/8 b - -";
    let (code, objects) = place.json(&[
        "prove",
        "--fen",
        fen,
        "--winner",
        "black",
        "--rules",
        "international",
    ]);
    assert_eq!(code, 1);
    assert_eq!(objects[0]["status"], "disproved");
    assert_eq!(objects[0]["source"], "search");
}

#[test]
fn a_limit_leaves_a_line_undecided_and_what_was_proven_is_kept() {
    let place = Place::new();
    let args = ["prove", "e3 Na6", "--nodes", "60000", "--threads", "1"];
    let (code, objects) = place.json(&args);
    assert_eq!(code, 3);
    assert_eq!(objects[0]["status"], "unknown");
    assert_eq!(objects[0]["nodes"], 60_000);
    assert!(objects[0]["winner"].is_null());
    // Each run begins with what those before it have proven, so that the same limit is enough some day.
    let stored = |place: &Place| place.object(&["db", "stats"])["positions"].as_u64();
    let mut before = stored(&place);
    assert!(before > Some(0));
    for _ in 0..10 {
        let (code, objects) = place.json(&args);
        if code == 0 {
            assert_eq!(objects[0]["winner"], "white");
            assert_eq!(objects[0]["verified"], true);
            return;
        }
        let after = stored(&place);
        assert!(after > before, "{after:?} {before:?}");
        before = after;
    }
    panic!("no progress in ten runs");
}

#[test]
fn the_worst_code_of_several_lines_wins() {
    let place = Place::new();
    let args = ["prove", "e3 d5", "e3 b6", "--nodes", "10000"];
    assert_eq!(place.run(&args).code, 3);
    let args = [
        "prove", "e3 d5", "e3 b6", "--nodes", "10000", "--winner", "black",
    ];
    assert_eq!(place.run(&args).code, 3);
}

#[test]
fn games_that_are_over_need_no_search() {
    let place = Place::new();
    // Field case B26, and B23's last step.
    let object = place.object(&["prove", "--fen", "8/5n2/8/8/8/8/8/8 w - -"]);
    assert_eq!(object["source"], "game-over");
    assert_eq!(
        (&object["winner"], &object["plies"]),
        (&"white".into(), &0.into())
    );
    let (code, objects) = place.json(&["prove", "--fen", "8/8/8/5p2/5P2/8/8/8 w - -"]);
    assert_eq!(code, 1);
    assert_eq!(objects[0]["status"], "disproved");
    assert!(objects[0]["winner"].is_null());
}

#[test]
fn the_last_step_is_found() {
    // Field case B23: only Kc4 wins within two plies.
    let fen = "8/8/8/1p6/8/2K5/8/8 w - - 0 11";
    let place = Place::new();
    let object = place.object(&["prove", "--fen", fen, "--rules", "international"]);
    assert_eq!(object["winner"], "white");
    assert!(object["plies"].as_u64() >= Some(2));
    let long = "1. e3 g5 2. Ba6 Nxa6 3. Qh5 Bg7 4. Qxh7 Bxb2 5. Qxh8 Bxa1 6. Qxg8 Kf8";
    let args = [
        "prove",
        long,
        "--rules",
        "international",
        "--nodes",
        "20000",
    ];
    let code = place.run(&args).code;
    assert!(code == 0 || code == 3, "{code}");
}

#[test]
fn a_drawn_position_is_not_called_won() {
    // Field case B31: an engine claimed a mate here. White keeps men that Black can never take.
    let fen = "4Q3/1B6/8/8/Q7/2N5/1b6/8 b - - 1 32";
    let args = [
        "prove",
        "--fen",
        fen,
        "--winner",
        "white",
        "--nodes",
        "20000",
        "--rules",
        "international",
    ];
    let (code, objects) = Place::new().json(&args);
    assert!(code == 1 || code == 3, "{code}");
    assert_ne!(objects[0]["status"], "proved");
}

#[test]
fn files_of_positions_are_read() {
    let place = Place::new();
    fs::write(place.path("lines.txt"), "# easy\ne3 d5\n1. e4 # black\n").expect("written");
    let (code, objects) = place.json(&["prove", "--file", "lines.txt"]);
    assert_eq!((code, objects.len()), (0, 2));
    fs::write(
        place.path("games.pgn"),
        "[Variant \"Antichess\"]\n\n1. e3 {x} d5 (1... d6) 2. Qg4 *\n",
    )
    .expect("written");
    let object = place.object(&["prove", "--file", "games.pgn"]);
    assert_eq!(object["line"], "e2e3 d7d5 d1g4");
    let mut child = place
        .command(&["prove", "--file", "-", "--json"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    let mut stdin = child.stdin.take().expect("piped");
    std::io::Write::write_all(&mut stdin, b"8/8/8/1p6/2K5/8/8/8 w - - bm Kxb5;\n").expect("read");
    drop(stdin);
    let ran = Ran::of(&ended(child));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    fs::write(place.path("bad.txt"), "e3\ne3 e4\n").expect("written");
    place
        .run(&["prove", "--file", "bad.txt"])
        .fails(2, &["bad.txt", "line 2", "e4 is illegal"]);
    place
        .run(&["prove", "--file", "none.txt"])
        .fails(2, &["none.txt"]);
}

#[test]
fn one_thread_repeats_itself_exactly() {
    let certificate = |place: &Place| {
        let object = place.object(&["prove", "e3 Na6", "--threads", "1"]);
        let args = ["export", "e3 Na6", "--format", "cert", "--output", "p.cert"];
        place.ok(&args);
        let bytes = fs::read(place.path("p.cert")).expect("written");
        (object["nodes"].clone(), bytes)
    };
    let (first, second) = (certificate(&Place::new()), certificate(&Place::new()));
    assert_eq!(first.0, second.0);
    assert!(first.1 == second.1, "the certificates differ");
}

#[test]
fn no_verify_leaves_it_for_later() {
    let place = Place::new();
    let object = place.object(&["prove", "e3 d5", "--no-verify", "--no-tables"]);
    assert_eq!(
        (&object["status"], &object["verified"]),
        (&"proved".into(), &false.into())
    );
    let object = place.object(&["prove", "e3 d5"]);
    assert_eq!(
        (&object["source"], &object["verified"]),
        (&"database".into(), &true.into())
    );
}

#[test]
fn little_memory_is_enough_and_is_kept_to() {
    let object = Place::new().object(&["prove", "e3 Na6", "--memory", "96M"]);
    assert_eq!(object["status"], "proved");
    assert!(object["peak_bytes"].as_u64() < Some(96 << 20), "{object}");
}

#[test]
#[ignore = "some ten seconds; run with --ignored in release builds"]
fn a_longer_search_keeps_to_its_memory() {
    let object = Place::new().object(&["prove", "e3 h6", "--memory", "256M"]);
    assert_eq!(object["status"], "proved");
    assert!(object["peak_bytes"].as_u64() < Some(300 << 20), "{object}");
}
