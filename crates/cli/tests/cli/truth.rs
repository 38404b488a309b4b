//! The truth data, row by row, through the program: `perft` and `eval` under all seven rulesets.

use std::{fs, path::Path};

use crate::support::Place;

/// The rows of a file of the project's `data`, below its header, split at tabs.
pub(crate) fn rows(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(file);
    let text = fs::read_to_string(path).expect("the data are in the repository");
    let split = |row: &str| row.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).map(split).collect()
}

#[test]
fn perft_counts_as_published() {
    let place = Place::new();
    for (file, rules, row_count) in [
        ("antichess", "fics", 156),
        ("variant2", "variant2", 135),
        ("variant34", "variant3", 137),
        ("variant34_castling", "variant4", 73),
        ("extinction", "extinction", 99),
    ] {
        let rows = rows(&format!("perft/{file}.tsv"));
        assert_eq!(rows.len(), row_count, "{file}");
        for row in rows {
            let [_, fen, depth, nodes, _] = &row[..] else {
                panic!("five fields: {row:?}");
            };
            let object = place.object(&["perft", depth, "--fen", fen, "--rules", rules]);
            assert_eq!(object["nodes"].to_string(), *nodes, "{rules} {fen} {depth}");
        }
    }
}

#[test]
fn eval_adjudicates_as_the_rules_text_does() {
    let place = Place::new();
    let rows = rows("adjudication.tsv");
    assert_eq!(rows.len(), 146);
    for row in rows {
        let [rules, fen, expected, note] = &row[..] else {
            panic!("four fields: {row:?}");
        };
        let object = place.object(&["eval", "--fen", fen, "--rules", rules]);
        let found = object["outcome"].as_str().expect("a name");
        let excused = note.contains("[dead:optional]") && found == "ongoing";
        assert!(
            found == expected || excused,
            "{rules} {fen}: {found} ({note})"
        );
        assert_eq!(
            object["reason"].is_null(),
            found == "ongoing",
            "{rules} {fen}"
        );
    }
}
