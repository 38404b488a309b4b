//! `--memory` holds for the process, whatever else is asked for.

use crate::support::Place;

const LEAST: u64 = 64 << 20;

#[test]
fn many_threads_keep_to_the_memory() {
    let place = Place::new();
    let args = ["prove", "1. e3 Na6", "--threads", "64", "--memory", "64M"];
    let object = place.object(&args);
    assert_eq!(object["winner"], "white");
    let peak = object["peak_bytes"].as_u64().expect("a number");
    assert!(peak <= LEAST, "{peak}");
    let notes = Place::new().run(&args).stderr;
    assert!(notes.contains("is room for 2 threads of the 64"), "{notes}");
}

#[test]
fn more_lines_than_memory_has_room_for_are_answered_in_turn() {
    let place = Place::new();
    let lines = ["1. e3 d5", "1. e3 d6", "1. e4", "1. d4", "1. d3"];
    let args = [
        &["prove", "--threads", "4", "--memory", "64M"][..],
        &lines[..],
    ]
    .concat();
    let (_, objects) = place.json(&args);
    assert_eq!(objects.len(), 5);
    for object in objects {
        assert_eq!(object["status"], "proved", "{object}");
    }
}
