//! FENs, before both readers: what both accept must be one position, and each must read what the other writes.

use std::fs;

use rules::{Game, Ruleset, canonical_moves, fen};

use super::{Read, Reader, data, kept, ruled_text, variant};

/// Positions with more moves are compared one ply deep only.
const FEW_MOVES: usize = 24;
const FILES: [(&str, &[u8]); 4] = [
    ("antichess", &[0, 1, 2]),
    ("variant2", &[3]),
    ("variant34_castling", &[4, 5]),
    ("extinction", &[6]),
];

pub(super) struct Fens;

impl Reader for Fens {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let mut seeds = kept("fens");
        for (name, codes) in FILES {
            let path = data(&format!("perft/{name}.tsv"));
            let text = fs::read_to_string(path).expect("the counts are in the repository");
            let mut fens: Vec<&str> = text
                .lines()
                .skip(1)
                .filter_map(|line| line.split('\t').nth(1))
                .collect();
            fens.dedup();
            for (number, fen) in fens.iter().enumerate() {
                let code = codes[number % codes.len()];
                seeds.push([&[code], fen.as_bytes()].concat());
            }
        }
        seeds
    }

    fn words(&self) -> &'static [&'static [u8]] {
        &[
            b" ",
            b"/",
            b"8",
            b"-",
            b"e3",
            b"e6",
            b"KQkq",
            b" b ",
            b" w ",
            b"K",
            b"k",
            b"p",
            b"P",
            b"65535",
            b"65536",
            b" 0 1",
            b"rnbqkbnr/",
            b"\xc3\xa9",
            b"\t",
            b"HAha",
        ]
    }

    fn read(&mut self, input: &[u8]) -> Read {
        let (ruleset, text) = ruled_text(input);
        let their_ruleset = verify::Ruleset::from_name(ruleset.name()).expect("the same names");
        let ours = fen::parse(&text, ruleset);
        let theirs = verify::Position::from_fen(&text, their_ruleset);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                agree(&ours.game, &theirs, ruleset);
                Read::accepted(format!(
                    "both notes={} moves={}",
                    "i".repeat(ours.notes.len()),
                    ours.game.legal_moves().is_empty()
                ))
            }
            (Ok(ours), Err(error)) => {
                let written = fen::write_position(ours.game.position());
                verify::Position::from_fen(&written, their_ruleset)
                    .unwrap_or_else(|why| panic!("the verifier refuses {written}: {why}"));
                Read::accepted(format!("only rules: {}", variant(&error)))
            }
            (Err(error), Ok(theirs)) => {
                let written = theirs.fen();
                fen::parse(&written, ruleset)
                    .unwrap_or_else(|why| panic!("rules refuses {written}: {why}"));
                Read::accepted(format!("only verify: {}", variant(&error)))
            }
            (Err(ours), Err(theirs)) => {
                Read::refused(format!("{} and {}", variant(&ours), variant(&theirs)))
            }
        }
    }
}

fn agree(game: &Game, theirs: &verify::Position, ruleset: Ruleset) {
    let ours = game.position();
    let written = fen::write_position(ours);
    assert_eq!(written, theirs.fen());
    let again = fen::parse(&written, ruleset).expect("what was written can be read");
    assert_eq!(again.game.position(), ours);
    let packed = ours.pack();
    assert_eq!(packed.unpack(ruleset).expect("what was packed"), *ours);
    let depth = 1 + u32::from(canonical_moves(ours, ruleset).len() <= FEW_MOVES);
    assert_eq!(
        rules::perft::perft(ours, depth, ruleset),
        verify::perft(theirs, depth),
        "{written} {ruleset}"
    );
}
