//! The `takeme-verify` program: its lines, its exit codes, its manners.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use takeme_verify::{Color, Ruleset};

use crate::fifty::locked;
use crate::support::{Book, Draft, KING_V_PAWN, PAWN_RACE, claim};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_takeme-verify"))
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = program().args(arguments).output().unwrap();
    (
        status.code(),
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

fn file(name: &str, bytes: &[u8]) -> String {
    let path =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    path.into_os_string().into_string().unwrap()
}

fn good() -> Draft {
    let claim = claim(Ruleset::Joint, KING_V_PAWN, Color::White);
    Draft::of(&claim, &Book::solve(&claim, 2))
}

#[test]
fn each_verdict_has_its_line_and_exit_code() {
    let verified = file("verified", &good().bytes());
    let bad = file(
        "rejected",
        &Draft {
            choices: vec![5],
            ..good()
        }
        .bytes(),
    );
    let cut = file("damaged", &good().bytes()[..50]);
    let claim = "joint, white wins 8/8/8/1p6/8/2K5/8/8 w - -";
    let line = format!("verified: {claim}: 1 position, 2 plies, no assumptions\n");
    assert_eq!(run(&[&verified]), (Some(0), line.clone(), String::new()));
    let rejected =
        format!("rejected: {claim}: the line ends in a draw, after c3b4 (first defect)\n");
    assert_eq!(run(&[&bad]), (Some(4), rejected.clone(), String::new()));
    let damaged = "damaged: the file ends within the root position\n";
    // A damaged file is named, also if it is the only one.
    assert_eq!(
        run(&[&cut]),
        (Some(5), format!("{cut}: {damaged}"), String::new())
    );

    // Several files: a line each with its name, and the worst code wins in the order 5, 4, 2, 0.
    let missing = "/nonexistent/file";
    let (code, stdout, stderr) = run(&[&verified, missing]);
    assert_eq!((code, stdout), (Some(2), format!("{verified}: {line}")));
    assert!(
        stderr.starts_with("takeme-verify: cannot read /nonexistent/file: "),
        "{stderr}"
    );
    let (code, stdout, _) = run(&[&bad, missing, &verified]);
    assert_eq!(
        (code, stdout),
        (Some(4), format!("{bad}: {rejected}{verified}: {line}"))
    );
    let (code, stdout, _) = run(&[&verified, &cut, &bad]);
    assert_eq!(
        (code, stdout),
        (
            Some(5),
            format!("{verified}: {line}{cut}: {damaged}{bad}: {rejected}")
        )
    );

    for (name, code) in [(&verified, 0), (&bad, 4), (&cut, 5)] {
        assert_eq!(
            run(&["--quiet", name]),
            (Some(code), String::new(), String::new())
        );
        assert_eq!(
            run(&["-q", name]),
            (Some(code), String::new(), String::new())
        );
    }
}

/// White promotes to a rook, and a table has the rest.
fn resting_on(tables: &[(&str, u8)]) -> Draft {
    let tables = tables.iter();
    Draft {
        positions: 1,
        plies: 7,
        fen: PAWN_RACE.as_bytes().to_vec(),
        tables: tables
            .map(|(name, hash)| (name.as_bytes().to_vec(), [*hash; 32]))
            .collect(),
        choices: vec![2],
        ..good()
    }
}

#[test]
fn a_certificate_that_rests_on_tables_is_not_covered() {
    let claim = format!("joint, white wins {PAWN_RACE}");
    let (rook, knight) = ("ab".repeat(32), "0c".repeat(32));
    let advice = "and there are no tables here: use takeme verify --file CERT --tables DIR";
    let one = file("one-table", &resting_on(&[("RvP", 0xAB)]).bytes());
    let not_covered =
        format!("not covered: {claim}: the proof rests on table RvP (sha256 {rook}), {advice}\n");
    assert_eq!(run(&[&one]), (Some(8), not_covered.clone(), String::new()));
    assert_eq!(
        run(&["--quiet", &one]),
        (Some(8), String::new(), String::new())
    );
    let two = resting_on(&[("NvP", 0x0C), ("RvP", 0xAB)]);
    let line = format!(
        "not covered: {claim}: the proof rests on table NvP (sha256 {knight}), table RvP (sha256 {rook}), {advice}\n"
    );
    assert_eq!(
        run(&[&file("two-tables", &two.bytes())]),
        (Some(8), line, String::new())
    );

    // A table that is listed and not needed is no obstacle, and excuses no defect.
    let tables = resting_on(&[("RvP", 0xAB)]).tables;
    let unused = Draft { tables, ..good() };
    let unused = file("unused-table", &unused.bytes());
    assert_eq!(run(&["-q", &unused]).0, Some(0));
    let choices = vec![5];
    let (code, stdout, _) = run(&[&file(
        "defect-and-table",
        &Draft {
            choices,
            ..resting_on(&[("RvP", 0xAB)])
        }
        .bytes(),
    )]);
    assert_eq!(code, Some(4));
    assert!(stdout.starts_with("rejected: "), "{stdout}");

    // Among several files every complaint is worse: 5, 4, 2, 8, 0.
    let bad = Draft {
        choices: vec![5],
        ..good()
    };
    let bad = file("rejected-beside", &bad.bytes());
    let cut = file("damaged-beside", &good().bytes()[..50]);
    let (code, stdout, _) = run(&[&one, &unused]);
    assert_eq!(code, Some(8));
    assert!(
        stdout.starts_with(&format!("{one}: {not_covered}{unused}: verified: ")),
        "{stdout}"
    );
    for (other, worst) in [("/nonexistent/file", 2), (&bad, 4), (&cut, 5)] {
        assert_eq!(run(&["-q", &one, other]).0, Some(worst));
        assert_eq!(run(&["-q", other, &one]).0, Some(worst));
    }
}

#[test]
fn an_escape_without_its_second_byte_is_reported_as_damage() {
    let cut = file(
        "escape",
        &Draft {
            choices: vec![255],
            ..good()
        }
        .bytes(),
    );
    let line = format!("{cut}: damaged: the last choice lacks its second byte\n");
    assert_eq!(run(&[&cut]), (Some(5), line, String::new()));
}

#[test]
fn wrong_arguments_are_a_usage_error() {
    for (arguments, message) in [
        (&[][..], "no certificate file is named"),
        (&["--frobnicate"], "unknown option --frobnicate"),
        (&["-x", "file"], "unknown option -x"),
        (&["--"], "no certificate file is named"),
    ] {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!((code, stdout), (Some(2), String::new()));
        assert_eq!(
            stderr,
            format!("takeme-verify: {message}; see takeme-verify --help\n")
        );
    }
    let (code, _, stderr) = run(&["--", "--help"]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.starts_with("takeme-verify: cannot read --help: "),
        "{stderr}"
    );
}

#[test]
fn help_and_version_are_printed() {
    for flag in ["--help", "-h"] {
        let (code, stdout, stderr) = run(&[flag]);
        assert_eq!((code, stderr), (Some(0), String::new()));
        for part in [
            "Usage: takeme-verify",
            "8 not covered",
            "takeme verify --file CERT --tables DIR",
        ] {
            assert!(stdout.contains(part), "{stdout}");
        }
    }
    for flag in ["--version", "-V"] {
        let line = format!("takeme-verify {}\n", takeme_verify::VERSION);
        assert_eq!(run(&[flag]), (Some(0), line, String::new()));
    }
}

#[test]
fn a_dash_is_standard_input() {
    let mut child = program()
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&good().bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .starts_with("verified: joint, white wins ")
    );
}

#[test]
fn the_time_goes_to_standard_error() {
    let verified = file("time", &good().bytes());
    let (code, stdout, stderr) = run(&["--time", &verified]);
    assert_eq!(code, Some(0));
    assert!(
        stdout.starts_with("verified: ") && stdout.lines().count() == 1,
        "{stdout}"
    );
    assert!(stderr.contains(" positions/s, "), "{stderr}");
}

#[test]
fn a_closed_pipe_is_quiet_and_keeps_the_exit_code() {
    let rejected = file(
        "pipe",
        &Draft {
            choices: vec![5],
            ..good()
        }
        .bytes(),
    );
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = program()
        .args([&rejected, &rejected])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap()
        ),
        (Some(4), String::new())
    );
}

#[test]
fn the_fifty_move_rule_has_its_own_verdict_and_exit_code() {
    let write = |name, root, first| {
        let (claim, book) = locked(root, first, 49);
        file(name, &Draft::of(&claim, &book).bytes())
    };
    let holds = write("holds", "8/b1p5/1pP5/1P6/3K4/8/8/8 w - -", "");
    let fails = write("fails", "1b6/2p5/1pP5/8/1P1K4/8/8/8 w - -", "b4b5");
    let (code, line, _) = run(&["--fifty", &holds]);
    let expected = "no assumptions; under the fifty-move rule: yes, longest run without capture or pawn move 99 plies\n";
    assert!(code == Some(0) && line.ends_with(expected), "{line}");
    let (code, line, _) = run(&["--fifty", &fails]);
    let expected = "no assumptions; under the fifty-move rule: no, 100 plies without capture or pawn move after b4b5\n";
    assert!(code == Some(1) && line.ends_with(expected), "{line}");
    // Unasked, the rule is not spoken of.
    let (code, line, _) = run(&[&fails]);
    assert!(
        code == Some(0) && line.ends_with("no assumptions\n"),
        "{line}"
    );
    // The worst counts, and a file may have the flag's name.
    assert_eq!(run(&["--fifty", "-q", &fails, &holds]).0, Some(1));
    let cut = file("cut", &good().bytes()[..50]);
    assert_eq!(run(&["--fifty", "-q", &fails, &cut]).0, Some(5));
    assert_eq!(run(&["--", "--fifty"]).0, Some(2));
}
