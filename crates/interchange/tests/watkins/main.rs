//! The published files, and what the public reader answers about them.

mod arbitrary;
mod damage;
mod tree;

use std::{convert::Infallible, fs, io::Cursor, ops::ControlFlow, path::PathBuf};

use interchange::watkins::{Findings, Leaf, Leaves, WinTree, walk, winner, write};
use proof::{Claim, NoTables, extract};
use rules::{Color, Move, Position, Ruleset};
use serde_json::Value;

const FILES: [(&str, Color); 8] = [
    ("d3.counts", Color::Black),
    ("d3", Color::Black),
    ("e3Nf6", Color::White),
    ("e3d5", Color::White),
    ("e3d6", Color::White),
    ("e3g6.counts", Color::White),
    ("e3g6", Color::White),
    ("e4", Color::Black),
];

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../data/watkins")
        .join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(data(&format!("{name}.proof"))).expect("the file is here")
}

/// Knows nothing.
struct NoLeaves;

impl Leaves for NoLeaves {
    type Error = Infallible;

    fn judge(&mut self, _: &Position, _: &Claim) -> Result<Leaf, Infallible> {
        Ok(Leaf::Unknown("no tables".to_owned()))
    }
}

/// The claim of a file, by its own evidence.
fn claim_of(bytes: &[u8]) -> Claim {
    let mut tree = WinTree::open(Cursor::new(bytes)).expect("a tree");
    let (game, _) = tree.prolog(Ruleset::Joint).expect("legal moves");
    let winner = winner(&mut tree, game.position(), Ruleset::Joint).expect("readable");
    Claim {
        ruleset: Ruleset::Joint,
        root: *game.position(),
        winner: winner.expect("clear"),
    }
}

/// Walks through a file in which `winner` should win.
fn read_as(bytes: &[u8], winner: Color) -> (Vec<Move>, Findings) {
    let mut tree = WinTree::open(Cursor::new(bytes)).expect("a tree");
    let (game, opening) = tree.prolog(Ruleset::Joint).expect("legal moves");
    let claim = Claim {
        ruleset: Ruleset::Joint,
        root: *game.position(),
        winner,
    };
    let watch = |_| ControlFlow::Continue(());
    let findings = walk(&mut tree, &claim, &opening, &mut NoLeaves, &watch);
    (opening, findings.expect("readable"))
}

fn read(bytes: &[u8]) -> (Claim, Vec<Move>, Findings) {
    let claim = claim_of(bytes);
    let (opening, findings) = read_as(bytes, claim.winner);
    (claim, opening, findings)
}

#[test]
fn published_files_are_proofs() {
    for (name, winner) in FILES {
        let bytes = bytes(name);
        let (claim, _, mut findings) = read(&bytes);
        assert_eq!(claim.winner, winner, "{name}");
        let told: Vec<String> = findings
            .defects
            .first()
            .iter()
            .map(|f| f.sentence(Ruleset::Joint))
            .collect();
        assert_eq!(findings.defects.total(), 0, "{name}: {told:?}");
        let proof = extract(&claim, &mut findings.moves, &NoTables).expect("complete");
        assert_eq!(proof.positions(), findings.moves.len() as u64, "{name}");
    }
}

type Answers = Vec<(String, u64)>;

/// Each line that was asked, and the answers of the public reader.
fn published_answers(name: &str) -> Vec<(Vec<Move>, Answers)> {
    let text = fs::read_to_string(data(&format!("{name}.answers.json"))).expect("here");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let queries = json["queries"].as_array().expect("an array").iter();
    let read = |query: &Value| {
        let line = query["line"].as_str().expect("a line").split_whitespace();
        let line = line.map(|text| Move::parse_uci(text).expect("UCI"));
        let moves = query["response"]["moves"].as_array().expect("an array");
        let answer = |mv: &Value| {
            let uci = mv["uci"].as_str().expect("UCI").to_owned();
            (uci, mv["nodes"].as_u64().expect("a number"))
        };
        let mut answers: Answers = moves.iter().map(answer).collect();
        answers.sort();
        (line.collect(), answers)
    };
    queries.map(read).collect()
}

fn assert_answers(bytes: &[u8], name: &str) {
    let mut tree = WinTree::open(Cursor::new(bytes)).expect("a tree");
    for (line, published) in published_answers(name) {
        let answers = tree.answers(&line).expect("links lead on");
        let counts: Vec<u64> = answers.iter().map(|answer| answer.nodes).collect();
        assert!(counts.is_sorted_by(|a, b| a >= b), "{name}: {counts:?}");
        let mut answers: Answers = answers
            .iter()
            .map(|answer| (answer.mv.to_string(), answer.nodes))
            .collect();
        answers.sort();
        assert_eq!(answers, published, "{name}: {line:?}");
    }
}

#[test]
fn answers_are_those_of_the_public_reader() {
    for (name, _) in FILES {
        assert_answers(&bytes(name), name);
    }
}

#[test]
fn what_is_written_again_gives_the_same_answers() {
    for (name, _) in FILES {
        let (claim, opening, mut findings) = read(&bytes(name));
        let mut again = Vec::new();
        let moves = &mut findings.moves;
        let written = write(&claim, &opening, moves, &NoTables, &mut again).expect("written");
        assert_eq!(u64::from(written.records), findings.records, "{name}");
        assert_eq!(
            u64::from(written.transpositions),
            findings.transpositions,
            "{name}"
        );
        assert_answers(&again, name);
        let (_, _, findings) = read(&again);
        assert_eq!(findings.defects.total(), 0, "{name}");
    }
}
