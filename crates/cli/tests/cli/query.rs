//! `query`, `status` and `lines`: what the database says.

use crate::support::{Place, keys, with_common_keys};

#[test]
fn a_stored_line_has_the_keys_of_the_interface() {
    let place = Place::proved(&["e3 d5"]);
    let object = place.object(&["query", "1. e3 d5"]);
    let answer = [
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
    ];
    assert_eq!(keys(&object), with_common_keys(&answer));
    assert_eq!(object["status"], "proved");
    assert_eq!(object["move"], "d1g4");
    assert_eq!(object["source"], "database");
    assert_eq!(object["verified"], true);

    let object = place.object(&["query", "1. e3 d5", "--replies"]);
    let replies = object["replies"].as_array().expect("rows");
    assert_eq!(replies.len(), 30);
    for reply in replies {
        let expected = ["move", "move_san", "plies", "positions", "status", "winner"];
        assert_eq!(keys(reply), expected);
        // A move outside a proof is never called bad.
        assert_ne!(reply["status"], "disproved", "{reply}");
    }
    let won = replies.iter().find(|reply| reply["move"] == "d1g4");
    assert_eq!(won.expect("listed")["status"], "proved");
    assert_eq!(won.expect("listed")["winner"], "white");
}

#[test]
fn proved_open_and_unknown_are_told_apart() {
    let place = Place::proved(&["e3 d5"]);
    // One reply of twenty is proved.
    let (code, objects) = place.json(&["query", "e3"]);
    assert_eq!((code, &objects[0]["status"]), (3, &"open".into()));
    assert!(objects[0]["winner"].is_null());
    let (code, objects) = place.json(&["query", "a3 a6"]);
    assert_eq!((code, &objects[0]["status"]), (3, &"unknown".into()));
    // Within the proof: the loser is to move, all of whose replies are proved.
    let object = place.object(&["query", "e3 d5 Qg4"]);
    assert_eq!(object["status"], "proved");
    assert!(object["move"].is_null());
    let object = place.object(&["query", "e3 d5 Qg4 Bxg4"]);
    assert_eq!(object["status"], "proved");
    assert!(object["move"].is_string());
    assert!(object["positions"].as_u64() > Some(0));
    let parent = place.object(&["query", "e3 d5"]);
    assert!(object["plies"].as_u64() < parent["plies"].as_u64());
}

#[test]
fn the_ruleset_of_a_proof_counts() {
    let place = Place::new();
    let fen = "8/8/8/1p6/8/2K5/8/8 w - -";
    place.ok(&["prove", "--fen", fen, "--rules", "international"]);
    let object = place.object(&["query", "--fen", fen, "--rules", "antichess"]);
    assert_eq!(object["rules"], "international");
    let (code, _) = place.json(&["query", "--fen", fen, "--rules", "fics"]);
    assert_eq!(code, 3);
}

#[test]
fn query_answers_quickly() {
    let place = Place::proved(&["e3 Na6"]);
    let start = std::time::Instant::now();
    for _ in 0..5 {
        place.ok(&["query", "e3 Na6"]);
    }
    // A hundred milliseconds each on a quiet machine; this one may be busy.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn status_lists_claims_and_sets() {
    let place = Place::proved(&["e3 d5", "e4"]);
    let text = place.ok(&["status"]);
    for part in [
        "1. e3 d5: white wins",
        "1. e4: black wins",
        "verified by takeme-verify",
        "joint",
        "2 claims",
    ] {
        assert!(text.contains(part), "'{part}' is missing: {text}");
    }
    let (_, objects) = place.json(&["status"]);
    let claims = objects.iter().filter(|object| object["kind"] == "claim");
    assert_eq!(claims.count(), 2);
    assert_eq!(objects[0]["verified"], true);
    assert_eq!(
        objects
            .iter()
            .filter(|object| object["kind"] == "set")
            .count(),
        2
    );
}

#[test]
fn lines_end_with_the_game() {
    let place = Place::proved(&["e3 d5"]);
    let text = place.ok(&["lines", "1. e3 d5"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(!lines.is_empty());
    for line in &lines {
        assert!(line.starts_with("2. Qg4"), "{line}");
        assert!(line.ends_with(" 1-0"), "{line}");
        // Field case B27: each of its moves is legal, and the end is a win.
        let moves = line.trim_end_matches(" 1-0");
        let object = place.object(&["eval", &format!("1. e3 d5 {moves}")]);
        assert_eq!(object["outcome"], "white", "{line}");
    }
    let cut = place.ok(&["lines", "e3 d5", "--depth", "2", "--max-lines", "1"]);
    assert_eq!(cut.lines().count(), 1);
    assert_eq!(cut.trim(), "2. Qg4 Bxg4");
    let (code, objects) = place.json(&["lines", "e3 d5", "--max-lines", "1"]);
    assert_eq!(code, 0);
    assert_eq!(objects[0]["complete"], true);
    place.run(&["lines", "a3"]).fails(3, &["no proof"]);
    for flag in ["--depth", "--max-lines"] {
        let ran = place.run(&["lines", "e3 d5", flag, "0"]);
        ran.fails(2, &[flag, "asks for nothing"]);
        assert_eq!(ran.stdout, "");
    }
    // A game that is over has one line, without a move.
    let over = ["lines", "--fen", "8/8/8/8/8/8/8/k7 w - -"];
    assert_eq!(place.ok(&over), "1-0\n");
}

/// Every reply to the last move of a proof ends the game: there is no stored position after it, and it is won all the same.
#[test]
fn the_last_move_of_a_proof_is_known() {
    let place = Place::new();
    let position = [
        "--rules",
        "international",
        "--fen",
        "8/8/8/1p6/8/2K5/8/8 w - -",
    ];
    let asked = |words: &[&'static str]| [words, &position[..]].concat();
    let (code, _) = place.json(&asked(&["prove"]));
    assert_eq!(code, 0);
    let object = place.object(&asked(&["query", "--replies"]));
    let replies = object["replies"].as_array().expect("rows");
    let last = replies.iter().find(|reply| reply["move"] == "c3c4");
    assert_eq!(last.expect("listed")["status"], "proved");
    assert_eq!(last.expect("listed")["plies"], 1);
    let after = place.object(&asked(&["query", "Kc4"]));
    assert_eq!(
        (&after["status"], &after["plies"]),
        (&"proved".into(), &1.into())
    );
}
