//! `takeme prove --shrink`.

use serde_json::Value;

use crate::support::Place;

#[test]
fn a_smaller_proof_takes_the_place_of_the_stored_one() {
    let place = Place::new();
    let args = [
        "prove",
        "e3 Na6",
        "--threads",
        "1",
        "--no-tables",
        "--shrink",
        "--nodes",
        "100000",
    ];
    let (code, objects) = place.json(&args);
    assert_eq!((code, objects.len()), (0, 2), "{objects:?}");
    let (proved, shrunk) = (&objects[0], &objects[1]);
    assert_eq!(shrunk["command"], "prove --shrink");
    assert_eq!(shrunk["positions_before"], proved["positions"]);
    assert_eq!(shrunk["verified"], true);
    assert!(shrunk["nodes"].as_u64() <= Some(100_000));
    assert!(shrunk["positions"].as_u64() < proved["positions"].as_u64());
    assert!(shrunk["plies"].as_u64() <= proved["plies"].as_u64());
    let verified = place.object(&["verify", "e3 Na6"]);
    assert_eq!(verified["positions"], shrunk["positions"]);
    place.ok(&["db", "check"]);
}

/// The smaller proof takes its place also where the old one fills pages and the new one comes beside them.
#[test]
fn what_is_printed_is_what_is_stored() {
    let place = Place::proved(&["e3 g6"]);
    let (_, objects) = place.json(&["prove", "e3 g6", "--shrink", "--nodes", "200000"]);
    let shrunk = &objects[1];
    assert!(shrunk["positions"].as_u64() < shrunk["positions_before"].as_u64());
    let verified = place.object(&["verify", "e3 g6"]);
    assert_eq!(verified["positions"], shrunk["positions"]);
}

#[test]
fn the_losers_line_is_not_shrunk() {
    let place = Place::proved(&["e3 d5"]);
    let (code, objects) = place.json(&["prove", "e3 d5", "--winner", "black", "--shrink"]);
    assert_eq!((code, objects.len()), (1, 1), "{objects:?}");
}

#[test]
fn what_is_not_proved_is_not_shrunk() {
    let place = Place::new();
    let ran = place.run(&["prove", "1. h4", "--shrink", "--nodes", "100"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(!ran.stdout.contains("instead of"), "{}", ran.stdout);
    place
        .run(&["prove", "e3 d5", "--shrink", "--no-verify"])
        .fails(2, &["--no-verify"]);
}

#[test]
fn nothing_smaller_is_said_so() {
    let place = Place::new();
    place.ok(&["prove", "e3 d6", "--shrink"]);
    let again = place.ok(&["prove", "e3 d6", "--shrink"]);
    assert!(again.contains("no smaller proof"), "{again}");
}

#[test]
fn a_line_that_is_named_twice_is_shrunk_once() {
    let place = Place::new();
    let (_, objects) = place.json(&["prove", "e3 d6", "e2e3 d7d6", "--shrink"]);
    let shrunk = |object: &&Value| object["command"] == "prove --shrink";
    assert_eq!(objects.iter().filter(shrunk).count(), 1, "{objects:?}");
}
