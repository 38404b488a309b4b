//! The generators against published and independently computed leaf counts (`data/perft`).

use std::{fs, path::Path};

use rules::{Ruleset, fen, perft};

/// Checks every row of a file under each of these rulesets.
fn check(file: &str, row_count: usize, rulesets: &[Ruleset]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data/perft")
        .join(file);
    let text = fs::read_to_string(path).expect("the perft data are in the repository");
    assert_eq!(text.lines().skip(1).count(), row_count, "{file}");
    for (row, &ruleset) in text
        .lines()
        .skip(1)
        .flat_map(|row| rulesets.iter().map(move |r| (row, r)))
    {
        let fields: Vec<&str> = row.split('\t').collect();
        let depth = fields[2].parse().expect("a depth");
        let nodes: u64 = fields[3].parse().expect("a count");
        let game = fen::parse(fields[1], ruleset).expect("a legal FEN").game;
        let found = perft::perft(game.position(), depth, ruleset);
        assert_eq!(found, nodes, "{ruleset} {row}");
    }
}

#[test]
fn antichess() {
    check(
        "antichess.tsv",
        156,
        &[Ruleset::International, Ruleset::Joint],
    );
}

#[test]
fn variant2() {
    check("variant2.tsv", 135, &[Ruleset::Variant2]);
}

#[test]
fn variant34() {
    check(
        "variant34.tsv",
        137,
        &[Ruleset::Variant3, Ruleset::Variant4],
    );
}

#[test]
fn variant34_with_castling() {
    check(
        "variant34_castling.tsv",
        73,
        &[Ruleset::Variant3, Ruleset::Variant4],
    );
}

#[test]
fn extinction() {
    check("extinction.tsv", 99, &[Ruleset::Extinction]);
}

/// Field case B13: the en-passant capture is compulsory. A program that overlooks it counts 46,383,657.
#[test]
fn depth_six_splits_by_first_move_as_published() {
    let published: &[(&str, u64)] = &[
        ("a2a3", 2_060_617),
        ("b2b3", 2_602_974),
        ("c2c3", 2_531_638),
        ("d2d3", 3_233_771),
        ("e2e3", 3_139_671),
        ("f2f3", 2_504_977),
        ("g2g3", 2_631_070),
        ("h2h3", 2_053_087),
        ("a2a4", 2_710_239),
        ("b2b4", 1_399_843),
        ("c2c4", 2_276_329),
        ("d2d4", 2_338_832),
        ("e2e4", 2_161_741),
        ("f2f4", 2_251_339),
        ("g2g4", 1_373_678),
        ("h2h4", 2_289_701),
        ("b1a3", 1_953_706),
        ("b1c3", 2_385_274),
        ("g1f3", 2_402_530),
        ("g1h3", 1_963_145),
    ];
    let start = rules::Game::initial(Ruleset::International);
    let mut found: Vec<(String, u64)> = perft::divide(start.position(), 6, Ruleset::International)
        .into_iter()
        .map(|(mv, nodes)| (mv.to_string(), nodes))
        .collect();
    assert_eq!(
        found.iter().map(|(_, nodes)| nodes).sum::<u64>(),
        46_264_162
    );
    found.sort();
    let mut expected: Vec<(String, u64)> = published
        .iter()
        .map(|&(mv, nodes)| (mv.to_owned(), nodes))
        .collect();
    expected.sort();
    assert_eq!(found, expected);
}
