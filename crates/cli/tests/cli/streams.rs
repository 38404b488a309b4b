//! Standard output, standard error, and pipes that close.

use std::{io::Read, process::Stdio};

use crate::support::{Place, Ran, ended, output_of, skipped};

/// Reads a few bytes of standard output and closes it.
fn cut_off(place: &Place, args: &[&str]) -> Ran {
    let mut child = place
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut stdout = child.stdout.take().expect("piped");
    let mut byte = [0; 1];
    // Nothing to read is fine as well.
    let _ = stdout.read(&mut byte);
    drop(stdout);
    Ran::of(&ended(child))
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    // Field case B49.
    let place = Place::proved(&["e3 Na6"]);
    for args in [
        &["lines", "e3 Na6"][..],
        &["lines", "e3 Na6", "--json"],
        &["perft", "3", "--divide"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["man"],
        &["status", "--json"],
        &["query", "e3 Na6", "--replies", "--json"],
        &["prove", "e3 Na6", "e4", "--json"],
        &["verify", "--json"],
    ] {
        let ran = cut_off(&place, args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn a_full_disk_behind_standard_output_is_told() {
    let place = Place::new();
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        skipped("there is no /dev/full here");
        return;
    };
    let child = place
        .command(&["perft", "1"])
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn();
    Ran::of(&ended(child.expect("started"))).fails(7, &["standard output"]);
}

#[test]
fn standard_error_of_a_pipe_has_no_control_codes() {
    // Field case B50.
    for progress in ["auto", "bar", "plain", "none"] {
        // Each in a place of its own: where the one before has stopped is told as well.
        let place = Place::new();
        let args = [
            "prove",
            "e3 b6",
            "--time",
            "3500ms",
            "--threads",
            "1",
            "--progress",
            progress,
        ];
        let ran = place.run(&args);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(!ran.stderr.contains(['\x1b', '\r']), "{:?}", ran.stderr);
        assert!(!ran.stdout.contains(['\x1b', '\r']), "{:?}", ran.stdout);
        if progress == "none" {
            assert_eq!(ran.stderr, "");
        } else {
            let line = ran.stderr.lines().next().unwrap_or_default();
            assert!(line.starts_with("1. e3 b6: "), "{}", ran.stderr);
            for part in ["pn ", "dn ", " nodes/s", " proven"] {
                assert!(line.contains(part), "{line}");
            }
        }
    }
    let quiet = Place::new().run(&["prove", "e3 c5", "--nodes", "50000", "--quiet"]);
    assert_eq!(quiet.stderr, "");
    assert!(quiet.stdout.contains("unknown"), "{}", quiet.stdout);
}

#[test]
fn no_color_leaves_help_and_errors_plain() {
    let place = Place::new();
    for args in [&["--help"][..], &["prove", "--bad-flag"]] {
        let ran = Ran::of(&output_of(place.command(args).env("NO_COLOR", "1")));
        assert!(!ran.stdout.contains('\x1b') && !ran.stderr.contains('\x1b'));
    }
}

#[test]
fn completions_and_the_manual_know_the_commands() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(
            place.ok(&["completions", shell]).contains("prove"),
            "{shell}"
        );
    }
    let page = place.ok(&["man"]);
    for part in [".TH", "prove", "\\-\\-replies", "Exit codes"] {
        assert!(page.contains(part), "'{part}' is missing");
    }
}

#[test]
fn bench_prints_the_nodes_of_each_line_and_their_sum() {
    let place = Place::new();
    let (code, objects) = place.json(&["bench", "--lines", "5"]);
    assert_eq!((code, objects.len()), (0, 6));
    let nodes = |object: &serde_json::Value| object["nodes"].as_u64().expect("a number");
    let sum: u64 = objects[..5].iter().map(nodes).sum();
    assert_eq!(objects[5]["nodes_total"].as_u64(), Some(sum));
    assert!(!place.path("takeme.db").exists());
    let (_, again) = place.json(&["bench", "--lines", "5", "--memory", "64M"]);
    assert_eq!(again[5]["nodes_total"], objects[5]["nodes_total"]);
}
