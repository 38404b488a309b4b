//! The `takeme-verify` program: its lines, its exit codes, its manners.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use takeme_verify::{Color, Ruleset};

use crate::support::{Book, Draft, KING_V_PAWN, claim};

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
        assert!(stdout.contains("Usage: takeme-verify"), "{stdout}");
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
