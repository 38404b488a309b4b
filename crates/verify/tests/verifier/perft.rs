//! The move generator against node counts on which independent programs agree.

use takeme_verify::{Position, Ruleset, perft};

use crate::support::position;

/// Rows with more nodes than this are checked by the ignored test.
const QUICK_NODES: u64 = 1_000_000;

/// The tables, a ruleset of their class, and how many of their rows are quick and how many are not.
const TABLES: [(&str, Ruleset, usize, usize); 6] = [
    ("antichess", Ruleset::Joint, 152, 4),
    ("variant2", Ruleset::Variant2, 131, 4),
    ("variant34", Ruleset::Variant3, 130, 7),
    ("variant34_castling", Ruleset::Variant3, 67, 6),
    ("variant34_castling", Ruleset::Variant4, 67, 6),
    ("extinction", Ruleset::Extinction, 83, 16),
];

fn rows(table: &str, ruleset: Ruleset) -> Vec<(Position, u32, u64)> {
    let path = format!(
        "{}/../../data/perft/{table}.tsv",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields[0], table);
            let position = Position::from_fen(fields[1], ruleset).unwrap();
            (
                position,
                fields[2].parse().unwrap(),
                fields[3].parse().unwrap(),
            )
        })
        .collect()
}

fn check(table: &str, ruleset: Ruleset, wanted: impl Fn(u64) -> bool) -> usize {
    let mut rows = rows(table, ruleset);
    rows.retain(|row| wanted(row.2));
    for (position, depth, nodes) in &rows {
        assert_eq!(
            perft(position, *depth),
            *nodes,
            "{ruleset}: {} at depth {depth}",
            position.fen()
        );
    }
    rows.len()
}

#[test]
fn quick_rows_of_the_perft_tables() {
    for (table, ruleset, quick, _) in TABLES {
        let count = check(table, ruleset, |nodes| nodes <= QUICK_NODES);
        assert_eq!(count, quick, "{table}");
    }
}

#[test]
#[ignore = "takes seconds even when optimised"]
fn deep_rows_of_the_perft_tables() {
    for (table, ruleset, _, deep) in TABLES {
        let count = check(table, ruleset, |nodes| nodes > QUICK_NODES);
        assert_eq!(count, deep, "{table}");
    }
}

#[test]
fn no_row_of_the_perft_tables_is_skipped() {
    for (table, ruleset, quick, deep) in TABLES {
        assert_eq!(rows(table, ruleset).len(), quick + deep, "{table}");
    }
}

#[test]
fn a_position_is_one_sequence_of_no_moves() {
    assert_eq!(perft(&position("8/8/8/8/8/8/8/K7 w - -"), 0), 1);
}

/// Found by Fairy-Stockfish and others: a wrong count here means that en passant is not taken for a compulsory capture.
#[test]
#[ignore = "takes seconds even when optimised"]
fn en_passant_is_compulsory_six_plies_into_the_game() {
    let start = position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
    assert_eq!(perft(&start, 6), 46_264_162);
    for (mv, nodes) in [
        ("a2a3", 2_060_617),
        ("b2b4", 1_399_843),
        ("g2g4", 1_373_678),
    ] {
        assert_eq!(
            perft(&start.play(crate::support::mv(mv)).unwrap(), 5),
            nodes,
            "{mv}"
        );
    }
}
