//! The move generator against node counts on which independent programs agree.

use takeme_verify::{Position, Ruleset, perft};

use crate::support::position;

/// Rows with more nodes than this are checked by the ignored test.
const QUICK_NODES: u64 = 2_000_000;

fn rows() -> Vec<(Position, u32, u64)> {
    let table = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../data/perft/antichess.tsv"
    );
    let text = std::fs::read_to_string(table).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let position = Position::from_fen(fields[1], Ruleset::Joint).unwrap();
            (
                position,
                fields[2].parse().unwrap(),
                fields[3].parse().unwrap(),
            )
        })
        .collect()
}

fn check(wanted: impl Fn(u64) -> bool) -> usize {
    let rows: Vec<_> = rows().into_iter().filter(|row| wanted(row.2)).collect();
    for (position, depth, nodes) in &rows {
        assert_eq!(
            perft(position, *depth),
            *nodes,
            "{} at depth {depth}",
            position.fen()
        );
    }
    rows.len()
}

#[test]
fn rows_of_the_perft_table() {
    assert!(check(|nodes| nodes <= QUICK_NODES) > 140);
}

#[test]
#[ignore = "takes seconds even when optimised"]
fn deep_rows_of_the_perft_table() {
    assert!(check(|nodes| nodes > QUICK_NODES) >= 4);
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
