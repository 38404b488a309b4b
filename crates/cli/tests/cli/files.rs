//! `export` and `import`.

use std::fs;

use crate::support::Place;

#[test]
fn a_proof_goes_out_and_in_again() {
    let place = Place::proved(&["e3 d5"]);
    place.ok(&["export", "e3 d5", "--format", "cert", "--output", "p.cert"]);
    let other = Place::new();
    let file = place.path("p.cert");
    let file = file.to_str().expect("UTF-8");
    let object = other.object(&["import", file, "--format", "cert"]);
    assert_eq!(
        (&object["status"], &object["verified"], &object["line"]),
        (&"proved".into(), &true.into(), &"e2e3 d7d5".into())
    );
    let (first, second) = (
        place.object(&["query", "e3 d5"]),
        other.object(&["query", "e3 d5"]),
    );
    for key in ["winner", "move", "plies", "positions", "verified"] {
        assert_eq!(first[key], second[key], "{key}");
    }
    other.ok(&["verify"]);
    other.ok(&["export", "e3 d5", "--format", "cert", "--output", "q.cert"]);
    let again = fs::read(other.path("q.cert")).expect("written");
    assert!(fs::read(file).expect("written") == again);
}

#[test]
fn jsonl_has_a_row_for_each_position() {
    let place = Place::proved(&["e4"]);
    place.ok(&["export", "e4", "--format", "jsonl", "-o", "p.jsonl"]);
    let text = fs::read_to_string(place.path("p.jsonl")).expect("written");
    let positions = place.object(&["query", "e4"])["positions"].as_u64();
    assert_eq!(Some(text.lines().count() as u64), positions);
    for line in text.lines().take(5) {
        let row: serde_json::Value = serde_json::from_str(line).expect("an object");
        assert_eq!(
            (&row["schema"], &row["command"]),
            (&1.into(), &"export".into())
        );
        let fen = row["fen"].as_str().expect("a FEN");
        let mv = row["move_san"].as_str().expect("a move");
        place.ok(&["eval", mv, "--fen", fen]);
    }
}

#[test]
fn an_existing_file_is_kept_unless_forced() {
    let place = Place::proved(&["e4"]);
    fs::write(place.path("p.cert"), "mine").expect("written");
    let args = ["export", "e4", "--format", "cert", "--output", "p.cert"];
    place.run(&args).fails(2, &["p.cert exists", "--force"]);
    assert_eq!(fs::read(place.path("p.cert")).expect("read"), b"mine");
    place.ok(&[&args[..], &["--force"]].concat());
    assert_ne!(fs::read(place.path("p.cert")).expect("read"), b"mine");
}

#[test]
fn what_is_not_proved_is_not_exported() {
    let place = Place::proved(&["e4"]);
    let args = ["export", "e3", "--format", "cert", "--output", "p.cert"];
    place.run(&args).fails(3, &["no proof"]);
    let left: Vec<_> = fs::read_dir(place.path("."))
        .expect("read")
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().contains("cert"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_certificate_of_another_ruleset_is_not_taken_for_this_one() {
    let place = Place::new();
    let fen = "8/8/8/1p6/8/2K5/8/8 w - -";
    place.ok(&["prove", "--fen", fen, "--rules", "international"]);
    let args = ["--rules", "international", "export", "--fen", fen];
    place.ok(&[&args[..], &["--format", "cert", "--output", "p.cert"]].concat());
    place
        .run(&["import", "p.cert", "--format", "cert", "--rules", "fics"])
        .fails(2, &["international", "fics"]);
}
