//! `export` and `import`.

use std::fs;

use crate::support::{Place, output_of};

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
fn objects_and_a_file_do_not_share_standard_output() {
    let place = Place::proved(&["e4"]);
    for format in ["cert", "pgn", "watkins"] {
        let args = ["export", "e4", "--format", format, "-o", "-", "--json"];
        let ran = place.run(&args);
        ran.fails(2, &["--json", "standard output"]);
        assert_eq!(ran.stdout, "", "{format}");
    }
    let (code, objects) = place.json(&["export", "e4", "--format", "jsonl", "-o", "-"]);
    assert_eq!((code, objects.is_empty()), (0, false));
}

#[test]
fn a_dash_is_standard_output() {
    let place = Place::proved(&["e4"]);
    for format in ["cert", "jsonl"] {
        place.ok(&["export", "e4", "--format", format, "-o", "file"]);
        let args = ["export", "e4", "--format", format, "-o", "-", "--force"];
        let output = output_of(&mut place.command(&args));
        assert!(output.status.success(), "{format}");
        let file = fs::read(place.path("file")).expect("written");
        assert!(
            output.stdout == file,
            "{format}: the proof and nothing else"
        );
        let notes = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(
            notes.contains("1. e4: black wins, ")
                && notes.contains(" positions written to standard output (joint)"),
            "{notes}"
        );
        fs::remove_file(place.path("file")).expect("removed");
    }
    assert!(!place.path("-").exists());
    place
        .run(&["db", "backup", "-"])
        .fails(2, &["standard output", "name a file"]);
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
fn only_regular_files_are_replaced_and_never_the_database() {
    let place = Place::proved(&["e3 d5"]);
    let export = |to: &str| {
        place.run(&[
            "export", "e3 d5", "--format", "pgn", "--output", to, "--force",
        ])
    };
    export("takeme.db").fails(2, &["takeme.db is the database"]);
    #[cfg(unix)]
    {
        let made = std::process::Command::new("mkfifo")
            .arg(place.path("pipe"))
            .status();
        assert!(made.expect("mkfifo runs").success());
        export("pipe").fails(2, &["pipe is no regular file"]);
    }
    fs::create_dir(place.path("folder")).expect("made");
    export("folder").fails(2, &["folder is no regular file"]);
    place.ok(&["db", "check"]);
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
    for args in [
        &["import", "p.cert", "--format", "cert"][..],
        &["verify", "--file", "p.cert"],
    ] {
        let with = |rules| [args, &["--rules", rules, "--db", "other.db"]].concat();
        for rules in ["fics", "joint", "variant2"] {
            let ran = place.run(&with(rules));
            ran.fails(2, &["p.cert", "under international", rules]);
            assert_eq!(ran.stdout, "");
        }
        place.ok(&with("international"));
    }
}

/// A proof under joint answers for both of its relatives.
#[test]
fn a_certificate_of_joint_is_taken_for_those_it_serves() {
    let place = Place::proved(&["e3 d5"]);
    place.ok(&["export", "e3 d5", "--format", "cert", "--output", "p.cert"]);
    for rules in ["joint", "international", "fics"] {
        let object = place.object(&["verify", "--file", "p.cert", "--rules", rules]);
        assert_eq!(object["rules"], "joint");
    }
    place
        .run(&["verify", "--file", "p.cert", "--rules", "extinction"])
        .fails(2, &["p.cert", "joint", "extinction"]);
}

#[test]
fn a_damaged_certificate_is_named() {
    let place = Place::new();
    let fen = "8/8/8/1p6/8/2K5/8/8 w - -";
    let rules = ["--rules", "international"];
    place.ok(&[&["prove", "--fen", fen][..], &rules].concat());
    let export = ["export", "--fen", fen, "--format", "cert", "-o", "p.cert"];
    place.ok(&[&export[..], &rules].concat());
    let bytes = fs::read(place.path("p.cert")).expect("written");
    for (name, bytes) in [
        ("cut.cert", &bytes[..bytes.len() - 3]),
        ("text.cert", b"no certificate"),
        ("empty.cert", b""),
    ] {
        fs::write(place.path(name), bytes).expect("written");
        place
            .run(&["import", name, "--format", "cert"])
            .fails(5, &[name, "is damaged: "]);
        let ran = place.run(&["verify", "--file", name]);
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        let start = format!("{name}: damaged: ");
        assert!(ran.stdout.starts_with(&start), "{}", ran.stdout);
        assert!(!ran.stdout.contains("joint"), "{}", ran.stdout);
        // Nobody knows the ruleset, whichever was asked for.
        let (_, objects) = place.json(&["verify", "--file", name, "--rules", "fics"]);
        assert_eq!(objects[0]["file"], name);
        assert!(objects[0]["rules"].is_null(), "{}", objects[0]);
    }
}
