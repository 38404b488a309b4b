//! Colibri books. Each node that a reader is told of must be what its line leads to.

use std::fs;

use interchange::colibri::{self, HEADER_BYTES, Number};
use rules::{Game, Move, Position, Role, Ruleset, canonical_moves};

use super::{Read, Reader, data, kept};
use crate::{random::Random, run::magnitude};

const RULESET: Ruleset = Ruleset::Joint;
/// Books made at random.
const MADE: u64 = 24;
/// Bytes of a header that tell of the root.
const ROOT_BYTES: usize = 129;

pub(super) struct Books;

impl Reader for Books {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let file = fs::read(data("colibri/e3.in")).expect("the book is in the repository");
        let root = *Game::initial(RULESET).position();
        let mut seeds: Vec<Vec<u8>> = (1..=MADE)
            .map(|seed| Book::made(&mut Random::new(seed), &file[..HEADER_BYTES], root))
            .collect();
        seeds.push(file);
        seeds.extend(kept("books"));
        seeds
    }

    fn words(&self) -> &'static [&'static [u8]] {
        // A repetition's depth, proven and disproven leaves.
        &[
            b"\x83\xdc\xd6\xd4\x00",
            b"\x00\x00\x01\x00",
            b"\x00\x00\x00\x01",
            b"\x80",
        ]
    }

    fn read(&mut self, input: &[u8]) -> Read {
        let mut deepest = 0;
        let mut won = 0;
        let read = colibri::read(input, RULESET, |node| {
            deepest = deepest.max(node.line.len());
            if let Some(mv) = node.winning {
                assert!(
                    canonical_moves(node.position, RULESET).contains(&mv),
                    "{mv}"
                );
                assert!(node.dn == Number::INFINITY || node.pn == Number::ZERO);
                won += 1;
            }
        });
        let depth = magnitude(deepest as u64);
        match read {
            Ok(book) => Read::accepted(format!(
                "accepted {} {depth} {} {}",
                magnitude(book.nodes),
                magnitude(won),
                magnitude(book.repetitions)
            )),
            Err(error) => {
                let mut game = Game::from_position(*Game::initial(RULESET).position(), RULESET);
                let is_playable = error.line.iter().all(|&mv| game.play(mv).is_ok());
                let is_from_start = input.get(..ROOT_BYTES) == start().get(..ROOT_BYTES);
                assert!(is_playable || !is_from_start, "{error}: {:?}", error.line);
                Read::refused(format!("{depth} {}", error.problem))
            }
        }
    }
}

/// The header of the initial position.
fn start() -> Vec<u8> {
    let file = fs::read(data("colibri/e3.in"));
    file.unwrap_or_default()
}

/// A book that is being made.
struct Book {
    bytes: Vec<u8>,
    nodes: u64,
    /// Nodes that are finished, by their keys.
    known: Vec<(u64, u64)>,
}

impl Book {
    fn made(random: &mut Random, header: &[u8], root: Position) -> Vec<u8> {
        let mut book = Self {
            bytes: header.to_vec(),
            nodes: 0,
            known: Vec::new(),
        };
        book.node(random, &root, 0);
        book.bytes
    }

    fn node(&mut self, random: &mut Random, position: &Position, depth: u64) {
        let id = self.nodes;
        self.nodes += 1;
        let legal = canonical_moves(position, RULESET);
        let children = match depth {
            6.. => 0,
            _ => random.below(3.min(legal.len()) + 1),
        };
        self.bytes.push(children.to_le_bytes()[0]);
        self.number(if random.below(8) == 0 && children == 0 {
            1_000_000_000
        } else {
            depth
        });
        if children == 0 {
            let numbers = [(1, 0), (0, 1), (2, 2), (0, 0), (300, 5)];
            let (pn, dn) = numbers[random.below(numbers.len())];
            self.number(pn);
            self.number(dn);
        }
        for &mv in legal.iter().take(children) {
            let after = position.after(mv, RULESET);
            self.bytes.extend(code(position, mv).to_le_bytes());
            let known = self.known.iter().find(|(key, _)| *key == after.key());
            if let Some(&(_, id)) = known {
                self.number(id);
            } else {
                self.number(self.nodes);
                self.node(random, &after, depth + 1);
            }
        }
        self.known.push((position.key(), id));
    }

    fn number(&mut self, value: u64) {
        let groups = (1..10).rev().map(|group| value >> (7 * group));
        for group in groups.filter(|&group| group > 0) {
            self.bytes.push(group.to_le_bytes()[0] | 0x80);
        }
        self.bytes.push(value.to_le_bytes()[0] & 0x7f);
    }
}

fn code(position: &Position, mv: Move) -> u16 {
    const MEN: [Role; 6] = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];
    let role = mv.promotion().or(position.role_at(mv.from()));
    let man = MEN.iter().position(|&man| Some(man) == role);
    let man = man.expect("a man moves") + 1;
    let becomes = usize::from(mv.promotion().is_some());
    let code = mv.from().index() << 10 | mv.to().index() << 4 | man << 1 | becomes;
    u16::try_from(code).expect("16 bits")
}
