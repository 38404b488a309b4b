//! Signals: what was found is kept.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
};

use crate::support::{Place, Ran, ended, send};

/// Starts a search that does not end by itself, and waits until its first, easy line is answered.
fn start(place: &Place) -> (Child, String) {
    let mut child = place
        .command(&["prove", "e3 d5", "e3 b6", "--threads", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut first = String::new();
    let stdout = child.stdout.as_mut().expect("piped");
    BufReader::new(stdout).read_line(&mut first).expect("read");
    (child, first)
}

#[test]
fn the_first_signal_saves_and_says_so() {
    // Field case B43.
    for signal in ["-INT", "-TERM"] {
        let place = Place::new();
        let (child, first) = start(&place);
        assert!(first.starts_with("1. e3 d5: white wins"), "{first}");
        send(signal, &child);
        let ran = Ran::of(&ended(child));
        assert_eq!(ran.code, 130, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("interrupted: 1 of 2 lines answered")
                && ran.stderr.contains("kept"),
            "{}",
            ran.stderr
        );
        let object = place.object(&["query", "e3 d5"]);
        assert_eq!(object["verified"], true);
        let object = place.object(&["prove", "e3 d5"]);
        assert_eq!(object["source"], "database");
        assert!(place.ok(&["db", "check"]).contains("no damage"));
    }
}

/// What a long search has proven is in its checkpoint, and counted nowhere else.
#[test]
fn a_signal_tells_of_the_searches_that_are_kept() {
    let place = Place::new();
    let mut child = place
        .command(&[
            "prove",
            "e3 b6",
            "e3 c5",
            "--threads",
            "1",
            "--winner",
            "white",
            "--progress",
            "plain",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut first = String::new();
    let stderr = child.stderr.as_mut().expect("piped");
    BufReader::new(stderr).read_line(&mut first).expect("read");
    send("-INT", &child);
    let ran = Ran::of(&ended(child));
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let told = "interrupted: 0 of 2 lines answered, 1 unfinished search kept in takeme.db";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let status = place.ok(&["status"]);
    assert!(status.contains("1 search under way"), "{status}");
}

/// `timeout -s INT` and a shell's Ctrl-C reach the process twice, once by itself and once with its group.
#[test]
fn the_same_signal_twice_is_one() {
    let place = Place::new();
    let (child, _) = start(&place);
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id, &id]).status();
    assert!(sent.expect("kill runs").success());
    let ran = Ran::of(&ended(child));
    assert_eq!(ran.code, 130);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
}

#[test]
fn a_killed_run_keeps_its_finished_lines() {
    let place = Place::new();
    let (child, _) = start(&place);
    send("-KILL", &child);
    let ran = Ran::of(&ended(child));
    assert_eq!(ran.code, -1);
    assert_eq!(place.object(&["query", "e3 d5"])["verified"], true);
    assert!(place.ok(&["db", "check"]).contains("no damage"));
}

#[test]
fn a_second_writer_learns_who_the_first_is() {
    // Field case B45.
    let place = Place::new();
    let (mut child, _) = start(&place);
    let second = place.run(&["prove", "e4"]);
    second.fails(
        6,
        &["takeme.db", "locked", &format!("process {}", child.id())],
    );
    // Who only asks need not wait.
    assert_eq!(place.object(&["query", "e3 d5"])["status"], "proved");
    send("-INT", &child);
    let mut rest = String::new();
    let stderr = child.stderr.as_mut().expect("piped");
    stderr.read_to_string(&mut rest).expect("read");
    assert_eq!(child.wait().expect("ended").code(), Some(130), "{rest}");
    assert_eq!(place.object(&["prove", "e4"])["winner"], "black");
}
