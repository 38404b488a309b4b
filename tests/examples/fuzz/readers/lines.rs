//! Lines of moves. What can be played must come back from SAN and from UCI.

use rules::{Game, Ruleset, line};

use super::{Read, Reader, kept, ruled_text, variant};
use crate::run::magnitude;

const SEEDS: [(Ruleset, &str); 9] = [
    (Ruleset::Joint, "1. e3 d5 2. Qg4 Bxg4 3. Kd1 Bxd1"),
    (Ruleset::Joint, "e2e3 b7b5 f1b5 c7c6 b5c6"),
    (
        Ruleset::International,
        "1.a4 h5 2.a5 b5 3.axb6 e.p. cxb6 1-0",
    ),
    (Ruleset::Fics, "startpos"),
    (
        Ruleset::Joint,
        "1. b4 c5 2. bxc5 Qb6 3. cxb6 axb6 4. a4 Rxa4 5. Rxa4 b5 6. Ra8 b4 7. Rxb8 b3 8. cxb3 *",
    ),
    (
        Ruleset::Variant4,
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. Re1 0-0",
    ),
    (Ruleset::Variant3, "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1"),
    (Ruleset::Extinction, "1. e4 d5 2. exd5 Qxd5 3. Nc3"),
    (
        Ruleset::Variant2,
        "1. g4 h5 2. gxh5 g6 3. hxg6 Rxh2 4. gxf7+ Rxh1 5. fxg8=Q",
    ),
];

pub(super) struct Lines;

impl Reader for Lines {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let of = |(ruleset, text): (Ruleset, &str)| [&[ruleset.code()], text.as_bytes()].concat();
        let mut seeds: Vec<Vec<u8>> = SEEDS.map(of).to_vec();
        seeds.extend(kept("lines"));
        seeds
    }

    fn words(&self) -> &'static [&'static [u8]] {
        &[
            b" ",
            b"1. ",
            b"... ",
            b"x",
            b"=Q",
            b"=K",
            b"K",
            b"N",
            b"e.p.",
            b"O-O-O",
            b"0-0",
            b"+",
            b"#",
            b"!?",
            b"e4",
            b"e7e8q",
            b"a7a8k",
            b"*",
            b"1/2-1/2",
            b"\xe2\x99\x94",
            b"99999999999",
            b"(",
            b"Rad1",
            b"h8=N",
        ]
    }

    fn read(&mut self, input: &[u8]) -> Read {
        let (ruleset, text) = ruled_text(input);
        let start = Game::initial(ruleset);
        match line::play(start.clone(), &text) {
            Ok((game, moves)) => {
                let san = line::write_san(start.position(), 1, &moves, ruleset);
                for written in [san, line::write_uci(&moves)] {
                    let again = line::play(start.clone(), &written);
                    let (again, _) = again.unwrap_or_else(|why| panic!("{written}: {why}"));
                    assert_eq!(again.position(), game.position(), "{written}");
                }
                Read::accepted(format!("played {}", magnitude(moves.len() as u64)))
            }
            Err(error) => {
                let depth = magnitude(error.ply as u64);
                Read::refused(format!("{depth} {}", variant(&error.source)))
            }
        }
    }
}
