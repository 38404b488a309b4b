//! Several lines in one `prove`: what is printed as each ends, and what at the end.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use serde_json::Value;

use crate::support::Place;

#[test]
fn a_table_ends_a_batch() {
    let place = Place::new();
    let lines = ["1. e3 d5", "1. e3 b6", "1. e4"];
    let args = [&["prove", "--nodes", "5000", "--threads", "1"][..], &lines].concat();
    let ran = place.run(&args);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let (answers, table) = ran.stdout.split_once("\n\n").expect("a table");
    assert_eq!(answers.lines().count(), 3, "{answers}");
    let rows: Vec<&str> = table.lines().collect();
    let cells = |row: &str| {
        let cells = row
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty());
        cells.map(str::to_owned).collect::<Vec<_>>()
    };
    let head = [
        "line",
        "result",
        "plies",
        "positions",
        "expansions",
        "seconds",
        "verified",
    ];
    assert_eq!(cells(rows[0]), head);
    assert_eq!(rows.len(), 6, "{table}");
    for (row, line) in rows[1..].iter().zip(lines) {
        assert!(row.starts_with(line), "{table}");
    }
    let won = cells(rows[1]);
    assert_eq!((won[1].as_str(), won[6].as_str()), ("white wins", "yes"));
    assert_eq!(cells(rows[2])[1..3], ["unknown", "5,000"]);
    assert_eq!(cells(rows[4])[..2], ["3 of 3 lines", "2 proved"]);
    assert!(rows[5].starts_with("(joint, 1 thread, "), "{table}");
    // Numbers stand below each other.
    let end = |row: &str, cell: &str| row.find(cell).map(|at| at + cell.len());
    assert_eq!(end(rows[0], "expansions"), end(rows[2], "5,000"), "{table}");
}

#[test]
fn one_line_needs_no_table_and_objects_have_none() {
    let place = Place::proved(&["1. e3 d5", "1. e4"]);
    assert_eq!(place.ok(&["prove", "1. e3 d5"]).lines().count(), 1);
    let (_, objects) = place.json(&["prove", "1. e3 d5", "1. e4"]);
    assert_eq!(objects.len(), 2);
}

#[test]
fn a_line_that_ends_is_printed_though_an_earlier_one_is_not_at_its_end() {
    for flag in ["--json", "--quiet"] {
        let place = Place::new();
        let mut child = place
            .command(&["prove", "1. e3 b6", "1. e3 d5", "--threads", "2", flag])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let mut first = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut first).expect("read");
        child.kill().expect("it still runs");
        child.wait().expect("ended");
        if flag == "--json" {
            let object: Value = serde_json::from_str(&first).expect("an object");
            assert_eq!(object["line"], "e2e3 d7d5");
        } else {
            assert!(first.starts_with("1. e3 d5: white wins"), "{first}");
        }
    }
}

#[test]
fn a_position_that_is_asked_for_twice_is_searched_once() {
    let lines = ["1. e3 f5", "1. e3 f5", "1. e4", "e2e3 f7f5"];
    let args = [&["prove", "--nodes", "5000", "--threads", "2"][..], &lines].concat();
    let place = Place::new();
    let ran = place.run(&args);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let (answers, table) = ran.stdout.split_once("\n\n").expect("a table");
    let unknown = answers.lines().filter(|line| {
        line.starts_with("1. e3 f5: unknown, the limit on nodes was reached (joint, search, ")
    });
    assert_eq!(unknown.count(), 3, "{answers}");
    assert_eq!(answers.matches(", 0 nodes").count(), 2, "{answers}");
    assert!(table.contains("4 of 4 lines"), "{table}");
    let status = place.ok(&["status"]);
    assert!(status.contains("2 searches under way"), "{status}");
}

#[test]
fn a_quiet_batch_has_results_only() {
    let ran = Place::new().run(&["prove", "1. e3 d5", "1. e4", "--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
}
