//! From something that knows moves to the complete proof of one claim.
//!
//! A depth-first walk from the root asks the strategy for a move at each new position with the winner to move and follows
//! every reply. Heights are computed anew, bottom-up, so they are exact for the strategy that comes out: the length of the
//! longest line. The walk keeps its own stack; positions met before are recognised by key and check. It meets new positions in the order
//! in which a certificate lists its choices.

use std::collections::HashMap;

use rules::{Color, Move, MoveList, PackedPosition, Position, canonical_moves, line};
use thiserror::Error;

use crate::{Claim, EndTables, Entry, Plies, Record, TableEnd, TableId, met::Met, tables::Covered};

/// Something that knows moves for the winner of a claim. It is not trusted.
pub trait Strategy {
    /// Why it could not answer.
    type Error;

    /// The move to play in `position`, which has the winner to move and at least one legal move, or `None` if it knows of
    /// none.
    ///
    /// # Errors
    ///
    /// The strategy could not be read.
    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, Self::Error>;
}

impl<S: Strategy + ?Sized> Strategy for &mut S {
    type Error = S::Error;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, S::Error> {
        (**self).entry(position)
    }
}

/// The complete strategy that proves one claim.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What is proved.
    pub claim: Claim,
    /// One record for each position with the winner to move that can arise, by ascending key; no key comes twice.
    pub records: Vec<Record>,
    /// Entries of positions whose key is that of another position in `records`.
    pub exact: Vec<(PackedPosition, Entry)>,
    /// The longest line, in plies; lines that end in a table are counted to the end of the game.
    pub plies: Plies,
    /// The endgame tables that it leans on, by name.
    pub tables: Vec<TableId>,
}

impl Proof {
    /// The number of distinct positions with the winner to move.
    #[must_use]
    pub fn positions(&self) -> u64 {
        (self.records.len() + self.exact.len()) as u64
    }

    /// What to play in `position`.
    #[must_use]
    pub fn entry(&self, position: &Position) -> Option<Entry> {
        let (key, check) = Record::id(position);
        if let Ok(index) = self.records.binary_search_by_key(&key, |record| record.key)
            && self.records[index].check == check
        {
            return Some(self.records[index].entry);
        }
        let packed = position.pack();
        let mut exact = self.exact.iter();
        exact.find(|(at, _)| *at == packed).map(|&(_, entry)| entry)
    }
}

/// Why a strategy proves nothing. The line leads from the root to the place.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExtractError<E> {
    /// The strategy could not be read.
    #[error(transparent)]
    Strategy(E),
    /// No move is known for a position.
    #[error("no move is known after {}", name(line))]
    Missing {
        /// Moves from the root.
        line: Vec<Move>,
        /// The position reached.
        position: Box<Position>,
    },
    /// The move known for a position is not legal there.
    #[error("the move {mv} is illegal after {}", name(line))]
    Illegal {
        /// The move in question.
        mv: Move,
        /// Moves from the root.
        line: Vec<Move>,
        /// The position reached.
        position: Box<Position>,
    },
    /// The strategy comes back to a position of its own line.
    #[error("the strategy repeats the position after {}", name(line))]
    Loop {
        /// Moves from the root.
        line: Vec<Move>,
        /// The position that is repeated.
        position: Box<Position>,
    },
    /// The game ends, and not by a win of the winner.
    #[error("{winner} has not won after {}", name(line))]
    NotWon {
        /// Who should have.
        winner: Color,
        /// Moves from the root.
        line: Vec<Move>,
    },
    /// An endgame table gives a position as drawn or lost.
    #[error(
        "a table gives the position after {} as no win for {winner}",
        name(line)
    )]
    TableNotWon {
        /// Who should have won.
        winner: Color,
        /// Moves from the root.
        line: Vec<Move>,
        /// The position reached.
        position: Box<Position>,
    },
    /// An endgame table is damaged.
    #[error("{0}")]
    Tables(String),
    /// A line is longer than 65,535 plies.
    #[error("a line is longer than 65535 plies")]
    TooLong,
}

fn name(moves: &[Move]) -> String {
    if moves.is_empty() {
        "no move".to_owned()
    } else {
        line::write_uci(moves)
    }
}

/// A position on the walk's stack.
struct Frame {
    position: Position,
    /// The moves still to follow: the winner's one, or the loser's all, last first.
    moves: MoveList,
    /// The move that led here from the frame below.
    arrived_by: Option<Move>,
    /// For a position with the winner to move: where its record is.
    record: Option<Slot>,
    /// The greatest height among the positions after the moves followed so far.
    below: Plies,
}

/// Where the walk keeps a position of the winner. Its height is zero while the walk is below it.
#[derive(Clone, Copy)]
enum Slot {
    Record(usize),
    Exact(usize),
}

struct Walk<'a, S, T> {
    claim: &'a Claim,
    strategy: &'a mut S,
    tables: &'a T,
    /// Told the index of each chosen move among the legal ones.
    chosen: &'a mut dyn FnMut(usize),
    /// Materials whose tables are in the proof's list.
    covered: Covered,
    met: Met,
    exact: Vec<(PackedPosition, Entry)>,
    met_exact: HashMap<PackedPosition, usize>,
    leaned_on: Vec<TableId>,
    plies: Plies,
    stack: Vec<Frame>,
    /// The positions after the moves of one frame; empty but for a moment.
    after: Vec<Position>,
}

/// What the walk finds at a position it arrives at.
enum Arrival {
    /// Nothing to follow: its height is known.
    Known(Plies),
    /// A frame was pushed.
    Open,
}

/// Collects the complete proof of `claim` from `strategy`. Each position that one of `tables` covers ends its line. Memory: about
/// 50 bytes a position.
///
/// # Errors
///
/// The first place, depth first, at which the strategy fails.
pub fn extract<S: Strategy, T: EndTables>(
    claim: &Claim,
    strategy: &mut S,
    tables: &T,
) -> Result<Proof, ExtractError<S::Error>> {
    let mut proof = extract_in_order(claim, strategy, tables, &mut |_| {})?;
    proof.records.sort_unstable_by_key(|record| record.key);
    Ok(proof)
}

/// The same with the records as they were met, the order of a certificate, in which `chosen` is told the index of each move
/// among the legal ones.
pub(crate) fn extract_in_order<S: Strategy, T: EndTables>(
    claim: &Claim,
    strategy: &mut S,
    tables: &T,
    chosen: &mut dyn FnMut(usize),
) -> Result<Proof, ExtractError<S::Error>> {
    let mut walk = Walk {
        claim,
        strategy,
        tables,
        chosen,
        covered: Covered::default(),
        met: Met::new(),
        exact: Vec::new(),
        met_exact: HashMap::new(),
        leaned_on: Vec::new(),
        plies: Plies::ZERO,
        stack: Vec::new(),
        after: Vec::new(),
    };
    walk.run()?;
    let mut tables = walk.leaned_on;
    tables.sort_unstable();
    tables.dedup();
    Ok(Proof {
        claim: *claim,
        records: walk.met.records,
        exact: walk.exact,
        plies: walk.plies,
        tables,
    })
}

impl<S: Strategy, T: EndTables> Walk<'_, S, T> {
    fn run(&mut self) -> Result<(), ExtractError<S::Error>> {
        if let Arrival::Known(plies) = self.arrive(self.claim.root, None)? {
            self.plies = plies;
            return Ok(());
        }
        while let Some(frame) = self.stack.last_mut() {
            if let Some(mv) = frame.moves.pop() {
                let next = frame.position.after(mv, self.claim.ruleset);
                if let Arrival::Known(plies) = self.arrive(next, Some(mv))? {
                    self.raise(plies);
                }
            } else if let Some(frame) = self.stack.pop() {
                let height = frame.below.plus(1).ok_or(ExtractError::TooLong)?;
                if let Some(slot) = frame.record {
                    self.entry_mut(slot).height = height;
                }
                self.plies = height;
                self.raise(height);
            }
        }
        Ok(())
    }

    /// Notes the height of a position reached from the frame on top.
    fn raise(&mut self, height: Plies) {
        if let Some(frame) = self.stack.last_mut() {
            frame.below = frame.below.max(height);
        }
    }

    fn arrive(
        &mut self,
        position: Position,
        arrived_by: Option<Move>,
    ) -> Result<Arrival, ExtractError<S::Error>> {
        let Claim {
            ruleset, winner, ..
        } = *self.claim;
        let mut unmet = None;
        if position.side_to_move() == winner {
            let packed = position.pack();
            let check = Record::check_of(&packed);
            if let Some(slot) = self.find(position.key(), check, &packed) {
                return match self.height(slot) {
                    Plies::ZERO => Err(ExtractError::Loop {
                        line: self.line(arrived_by),
                        position: Box::new(position),
                    }),
                    height => Ok(Arrival::Known(height)),
                };
            }
            unmet = Some((packed, check));
        }
        let mut moves = canonical_moves(&position, ruleset);
        if moves.is_empty() {
            return if ruleset.outcome(&position).winner() == Some(winner) {
                Ok(Arrival::Known(Plies::ZERO))
            } else {
                Err(ExtractError::NotWon {
                    winner,
                    line: self.line(arrived_by),
                })
            };
        }
        if let Some(plies) = self.end(&position, arrived_by)? {
            return Ok(Arrival::Known(plies));
        }
        let (mut record, mut below) = (None, Plies::ZERO);
        if let Some((packed, check)) = unmet {
            let mv = self.choose(&position, &moves, arrived_by)?;
            record = Some(self.open(&position, packed, check, mv));
            moves.clear();
            moves.push(mv);
        } else {
            below = self.pass_over_closed(&position, &mut moves);
        }
        moves.reverse();
        self.stack.push(Frame {
            position,
            moves,
            arrived_by,
            record,
            below,
        });
        Ok(Arrival::Open)
    }

    /// Takes away the loser's moves to positions that the walk is done with; returns the greatest of their heights.
    ///
    /// It only saves time: of many positions looked up one after the other, memory brings several at once.
    fn pass_over_closed(&mut self, position: &Position, moves: &mut MoveList) -> Plies {
        let mut after = std::mem::take(&mut self.after);
        let next = moves.iter();
        after.extend(next.map(|&mv| position.after(mv, self.claim.ruleset)));
        self.met.fetch(after.iter().map(Position::key));
        let mut highest = Plies::ZERO;
        let mut next = after.iter();
        moves.retain(|_| {
            let height = next.next().map_or(Plies::ZERO, |next| self.height_of(next));
            highest = highest.max(height);
            height == Plies::ZERO
        });
        after.clear();
        self.after = after;
        highest
    }

    /// The height of a position that the walk is done with, else zero.
    fn height_of(&self, position: &Position) -> Plies {
        let Some(place) = self.met.find(position.key()) else {
            return Plies::ZERO;
        };
        let packed = position.pack();
        self.slot(place, Record::check_of(&packed), &packed)
            .map_or(Plies::ZERO, |slot| self.height(slot))
    }

    /// The plies to the end of the game from a position that a table gives as won; none if the line goes on.
    fn end(
        &mut self,
        position: &Position,
        arrived_by: Option<Move>,
    ) -> Result<Option<Plies>, ExtractError<S::Error>> {
        let winner = self.claim.winner;
        let end = self.tables.end(position, winner);
        match end.map_err(ExtractError::Tables)? {
            TableEnd::NotCovered => Ok(None),
            TableEnd::Won(plies) => {
                if self.covered.add(position) {
                    self.leaned_on.extend(self.tables.leaned_on(position));
                }
                Ok(Some(plies))
            }
            TableEnd::NotWon => Err(ExtractError::TableNotWon {
                winner,
                line: self.line(arrived_by),
                position: Box::new(*position),
            }),
        }
    }

    fn choose(
        &mut self,
        position: &Position,
        legal: &[Move],
        arrived_by: Option<Move>,
    ) -> Result<Move, ExtractError<S::Error>> {
        let known = self
            .strategy
            .entry(position)
            .map_err(ExtractError::Strategy)?;
        let index = known.and_then(|entry| legal.iter().position(|&mv| mv == entry.mv));
        match (index, known, legal) {
            (Some(index), ..) => {
                (self.chosen)(index);
                Ok(legal[index])
            }
            (None, _, [forced]) => {
                (self.chosen)(0);
                Ok(*forced)
            }
            (None, Some(entry), _) => Err(ExtractError::Illegal {
                mv: entry.mv,
                line: self.line(arrived_by),
                position: Box::new(*position),
            }),
            (None, None, _) => Err(ExtractError::Missing {
                line: self.line(arrived_by),
                position: Box::new(*position),
            }),
        }
    }

    /// The slot of a position met before.
    fn find(&self, key: u64, check: u64, packed: &PackedPosition) -> Option<Slot> {
        self.slot(self.met.find(key)?, check, packed)
    }

    /// The same if the record with its key is at a place.
    fn slot(&self, place: usize, check: u64, packed: &PackedPosition) -> Option<Slot> {
        if self.met.records[place].check == check {
            return Some(Slot::Record(place));
        }
        self.met_exact.get(packed).copied().map(Slot::Exact)
    }

    fn open(&mut self, position: &Position, packed: PackedPosition, check: u64, mv: Move) -> Slot {
        let key = position.key();
        let entry = Entry {
            mv,
            height: Plies::ZERO,
        };
        if self.met.find(key).is_some() {
            let place = self.exact.len();
            self.exact.push((packed.clone(), entry));
            self.met_exact.insert(packed, place);
            return Slot::Exact(place);
        }
        Slot::Record(self.met.add(Record { key, check, entry }))
    }

    fn height(&self, slot: Slot) -> Plies {
        match slot {
            Slot::Record(place) => self.met.records[place].entry.height,
            Slot::Exact(place) => self.exact[place].1.height,
        }
    }

    fn entry_mut(&mut self, slot: Slot) -> &mut Entry {
        match slot {
            Slot::Record(place) => &mut self.met.records[place].entry,
            Slot::Exact(place) => &mut self.exact[place].1,
        }
    }

    fn line(&self, arrived_by: Option<Move>) -> Vec<Move> {
        self.stack
            .iter()
            .filter_map(|frame| frame.arrived_by)
            .chain(arrived_by)
            .collect()
    }
}
