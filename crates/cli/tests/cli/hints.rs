//! Hints: `prove --prefer`, `--avoid`, `--hints`.

use std::{fmt::Write as _, fs, io::Write as _, process::Stdio, time::Instant};

use serde_json::Value;

use crate::support::{Place, Ran, ended};

/// Proves a line from nothing with these flags; the answer.
fn proved(line: &str, flags: &[&str]) -> Value {
    let mut args = vec!["prove", line, "--threads", "1"];
    args.extend(flags);
    let object = Place::new().object(&args);
    assert_eq!(object["status"], "proved", "{flags:?}");
    assert_eq!(object["verified"], true, "{flags:?}");
    object
}

#[test]
fn a_preferred_move_that_wins_is_the_one_of_the_proof_and_an_avoided_one_is_not() {
    // 2. Qg4 and 2. Ba6 both win.
    let winning = |flags: &[&str]| proved("1. e3 d5", flags)["move_san"].clone();
    for (preferred, avoided) in [("Qg4", "Ba6"), ("Ba6", "Qg4")] {
        let prefer = format!("e2e3 d7d5: 2. {preferred}");
        assert_eq!(winning(&["--prefer", &prefer]), preferred);
        let avoid = format!("1. e3 d5: {avoided}");
        assert_eq!(winning(&["--avoid", &avoid]), preferred);
    }
}

#[test]
fn bad_advice_changes_no_verdict() {
    // The winning moves are put last, a move that gives the win away first.
    let flags = ["--avoid", "1. e3 d5: Qg4", "--avoid", "1. e3 d5: Ba6"];
    let flags = [&flags[..], &["--prefer", "1. e3 d5: Qh5"]].concat();
    let plain = proved("1. e3 d5", &[]);
    let misled = proved("1. e3 d5", &flags);
    assert_eq!(
        (&plain["winner"], &misled["winner"]),
        (&"white".into(), &"white".into())
    );
    assert_ne!(plain["nodes"], misled["nodes"]);
}

#[test]
fn flags_hold_before_the_file_and_the_later_before_the_earlier() {
    let hint = "1. e3 d5: Ba6";
    let winning = |file: &str, flags: &[&str]| {
        let place = Place::new();
        fs::write(place.path("hints"), file).expect("written");
        let args = ["prove", "1. e3 d5", "--threads", "1", "--hints", "hints"];
        place.object(&[&args[..], flags].concat())["move_san"].clone()
    };
    assert_eq!(winning("", &["--avoid", hint, "--prefer", hint]), "Ba6");
    assert_eq!(winning("", &["--prefer", hint, "--avoid", hint]), "Qg4");
    let twice = "avoid 1. e3 d5: Ba6\n1. e3 d5: Ba6\n";
    assert_eq!(winning(twice, &[]), "Ba6");
    assert_eq!(winning(twice, &["--avoid", hint]), "Qg4");
}

#[test]
fn a_wrong_hint_is_told_with_its_flag_or_its_line_before_any_search() {
    let place = Place::new();
    let cases = [
        (
            ["--prefer", "1. e3 d5: Ke4"],
            &["--prefer", "Ke4", "move 2."][..],
        ),
        (["--avoid", "e3 e4: d5"], &["--avoid", "e4 is illegal"]),
        (["--avoid", "1. e3 d5"], &["--avoid '1. e3 d5'", "':'"]),
        (["--prefer", "e3:"], &["--prefer", "no MOVE"]),
        (
            ["--prefer", "e3: d5 Qg4"],
            &["--prefer", "more than one move"],
        ),
        (["--hints", "none"], &["none"]),
        (["--hints", "."], &["cannot read ."]),
    ];
    for (flags, words) in cases {
        let args = [&["prove", "1. e3 d5"][..], &flags].concat();
        place.run(&args).fails(2, words);
    }
    fs::write(
        place.path("hints"),
        b"# good\n1. e3 d5: Qg4\n\navoid e3: Ke5\nprefer e3 d5 Qg4: b5 \xff\n",
    )
    .expect("written");
    let ran = place.run(&["prove", "1. e3 d5", "--hints", "hints"]);
    ran.fails(2, &["hints:4: ", "Ke5", "hints:5: ", "UTF-8"]);
    assert_eq!(ran.stdout, "");
    assert!(!place.path("takeme.db").exists());
    place
        .run(&["prove", "--file", "-", "--hints", "-"])
        .fails(2, &["--file and --hints"]);
}

#[test]
fn hints_begin_at_the_fen() {
    let fen = "8/8/8/1p6/8/2K5/8/8 w - -";
    let flags = ["--rules", "international", "--prefer", "startpos: Kc4"];
    let args = [&["prove", "--fen", fen][..], &flags].concat();
    assert_eq!(Place::new().object(&args)["move_san"], "Kc4");
    let flags = ["--rules", "international", "--prefer", "startpos: e4"];
    let args = [&["prove", "--fen", fen][..], &flags].concat();
    Place::new().run(&args).fails(2, &["--prefer", "e4"]);
}

#[test]
fn a_long_file_of_hints_is_read_from_standard_input() {
    let mut hints = String::new();
    let line = "1. e3 Na6 2. Bxa6 bxa6 3. Nc3 e6 4. Nd5 exd5 5. Ke2 Qg5 6. h4 Qxg2 7. Qf1 Qxf2+ 8. Qxf2 d4";
    for index in 0..55_000 {
        writeln!(hints, "avoid {line}: exd4 # {index}").expect("written");
    }
    hints.push_str("1. e3 d5: Ba6\n");
    let place = Place::new();
    let mut child = place
        .command(&["prove", "e3 d5", "--hints", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let began = Instant::now();
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(hints.as_bytes()).expect("read");
    drop(stdin);
    let ran = Ran::of(&ended(child));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let object: Value = serde_json::from_str(&ran.stdout).expect("an object");
    assert_eq!(object["move_san"], "Ba6");
    // Far more than it takes, for a busy machine.
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let place = Place::new();
    fs::write(place.path("hints"), "\u{feff}1. e3 d5: Ba6\n").expect("written");
    fs::write(place.path("lines"), "\u{feff}1. e3 d5\n").expect("written");
    let args = ["prove", "--file", "lines", "--hints", "hints"];
    assert_eq!(place.object(&args)["move_san"], "Ba6");
}
