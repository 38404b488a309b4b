//! Writes a proof as a tree.
//!
//! The tree is laid out twice. The first time the records are numbered: N, which opens the file, and the links over subtrees are known
//! only then. The second time they are written, one after the other, so that the file may be a pipe. Memory: about 36 bytes for each
//! position, of either side, and 4 for each link over a subtree.
//!
//! Positions are joined as the author joins them ([`Joining::AsTheAuthor`]), so that node counts agree with his: a file that was read comes
//! out with the counts that it had. Where that would write positions again and again, all of them are joined.

use std::{
    collections::{HashMap, hash_map::Entry as Slot},
    io::{self, Write},
};

use proof::{Claim, EndTables, Record, Strategy, TableEnd};
use rules::{Color, Game, Move, MoveList, Position, Role, Square, legal_moves};
use thiserror::Error;

use super::{
    defect::line_from_start,
    file::MAX_RECORDS,
    walk::TABLE_MEN,
    word::{Below, Data, MORE, write_move},
};

/// Why a proof cannot be written as a tree.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError<E> {
    /// The strategy could not be read.
    #[error(transparent)]
    Strategy(E),
    /// An endgame table is damaged; the text names it.
    #[error("{0}")]
    Tables(String),
    /// The strategy knows no legal move.
    #[error("no move is known after {line}")]
    NoMove {
        /// The moves to the place.
        line: String,
        /// The position there.
        position: Box<Position>,
    },
    /// The strategy proves nothing.
    #[error("{problem} after {line}")]
    NoProof {
        /// What is wrong.
        problem: &'static str,
        /// The moves to the place.
        line: String,
    },
    /// A line ends in a table of more men than the format leaves to tables.
    #[error(
        "the line {0} ends in a table of more than {TABLE_MEN} men, which this format cannot say"
    )]
    LargeTable(String),
    /// There are more opening moves than the format can number.
    #[error("the opening has more than 65535 moves")]
    LongOpening,
    /// There are more records than the format can number.
    #[error(
        "the proof needs more than {MAX_RECORDS} records, which is more than the format allows"
    )]
    TooLarge,
    /// The file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Records, the root included.
    pub records: u32,
    /// Those that are pointers.
    pub transpositions: u32,
    /// Distinct positions with the winner to move in which the proof goes on.
    pub positions: u64,
}

/// Which positions are written once, and pointed to from then on. All may be, since heights fall along each line of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joining {
    /// Those just behind a capture or a pawn's move. Behind the winner's first move after that, a pointer may lead to such a one.
    AsTheAuthor,
    /// All.
    All,
}

/// Below so many records nobody minds positions that are written again.
const FEW_RECORDS: u32 = 1 << 20;
/// The author's way is left when there are so many records for each position.
const MOST_RECORDS_A_POSITION: usize = 2;

/// Writes the proof of `claim`, whose root `opening` leads to from the start of the game.
///
/// # Errors
///
/// The strategy or a table cannot be read, it is no proof, or it does not fit the format; nothing is written then. Or writing fails.
pub fn write<S: Strategy, T: EndTables>(
    claim: &Claim,
    opening: &[Move],
    strategy: &mut S,
    tables: &T,
    out: &mut impl Write,
) -> Result<Written, WriteError<S::Error>> {
    let prolog = prolog(claim, opening)?;
    let mut layout = Layout {
        claim,
        opening,
        strategy,
        tables,
        joining: Joining::AsTheAuthor,
        numbers: HashMap::new(),
        stack: Vec::new(),
        moves: Vec::new(),
        next: 0,
        transpositions: 0,
        positions: 0,
        subtrees: 0,
        ends: Vec::new(),
        is_numbered: false,
    };
    if !layout.run(&mut |_, _| Ok(()))? {
        layout.start_over();
        layout.run(&mut |_, _| Ok(()))?;
    }
    let written = Written {
        records: layout.next,
        transpositions: layout.transpositions,
        positions: layout.positions,
    };
    layout.again();
    let child = if written.records > 1 { MORE } else { 0 };
    out.write_all(&(child | written.records).to_le_bytes())?;
    out.write_all(&prolog)?;
    layout.run(&mut |data, mv| {
        out.write_all(&data.write().to_le_bytes())?;
        out.write_all(&mv.to_le_bytes())
    })?;
    Ok(written)
}

/// The number of opening moves, and these.
fn prolog<E>(claim: &Claim, opening: &[Move]) -> Result<Vec<u8>, WriteError<E>> {
    let number = u16::try_from(opening.len()).map_err(|_| WriteError::LongOpening)?;
    let mut bytes = number.to_le_bytes().to_vec();
    let mut game = Game::initial(claim.ruleset);
    for &mv in opening {
        bytes.extend(write_move(game.position(), mv).to_le_bytes());
        if game.play(mv).is_err() {
            break;
        }
    }
    if game.position() != &claim.root {
        return Err(WriteError::NoProof {
            problem: "another position arises",
            line: line_from_start(opening, claim.ruleset),
        });
    }
    Ok(bytes)
}

/// A node whose children are being laid out.
struct Frame {
    position: Position,
    arrived_by: Option<Move>,
    /// Where its moves begin; they are taken from the end.
    moves_from: usize,
    /// The place of the link over its subtree.
    link: Option<usize>,
    since: Since,
}

/// The record of a position.
struct Number {
    record: u32,
    /// Whether a pointer may lead there.
    joins: bool,
}

/// How much a move leaves behind for good.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Since {
    /// A capture, or a pawn moved: no position before can come again.
    Now,
    /// The move before was of that kind.
    MoveBefore,
    /// Neither.
    Longer,
}

struct Layout<'a, S, T> {
    claim: &'a Claim,
    opening: &'a [Move],
    strategy: &'a mut S,
    tables: &'a T,
    joining: Joining,
    numbers: HashMap<(u64, u32), Number>,
    stack: Vec<Frame>,
    moves: Vec<Move>,
    next: u32,
    transpositions: u32,
    positions: u64,
    /// Links over subtrees so far.
    subtrees: usize,
    /// The record behind each subtree that a link leads over.
    ends: Vec<u32>,
    is_numbered: bool,
}

impl<S: Strategy, T: EndTables> Layout<'_, S, T> {
    /// Starts again, with all records numbered.
    fn again(&mut self) {
        self.next = 0;
        self.subtrees = 0;
        self.is_numbered = true;
    }

    /// Starts again, with all positions joined.
    fn start_over(&mut self) {
        self.joining = Joining::All;
        self.numbers.clear();
        self.stack.clear();
        self.moves.clear();
        self.ends.clear();
        self.transpositions = 0;
        self.positions = 0;
        self.subtrees = 0;
    }

    /// Lays out all records. Says no if it broke off because there are too many for the positions.
    fn run(
        &mut self,
        emit: &mut dyn FnMut(Data, u16) -> io::Result<()>,
    ) -> Result<bool, WriteError<S::Error>> {
        self.next = 1;
        if !self.is_end(&self.claim.root, None)? {
            self.open(self.claim.root, None, None, Since::Now)?;
            let is_winners = self.claim.root.side_to_move() == self.claim.winner;
            self.positions += u64::from(is_winners && !self.is_numbered);
        }
        while let Some(frame) = self.stack.last() {
            if self.moves.len() > frame.moves_from
                && let Some(mv) = self.moves.pop()
            {
                let is_last = self.moves.len() == frame.moves_from;
                let parent = frame.position;
                let data = self.child(&parent, mv, is_last)?;
                emit(data, write_move(&parent, mv))?;
                if self.is_wasteful() {
                    return Ok(false);
                }
            } else if let Some(Frame {
                link: Some(link), ..
            }) = self.stack.pop()
                && !self.is_numbered
            {
                self.ends[link] = self.next;
            }
        }
        Ok(true)
    }

    fn is_wasteful(&self) -> bool {
        let records = self.next as usize;
        self.joining == Joining::AsTheAuthor
            && self.next >= FEW_RECORDS
            && records > MOST_RECORDS_A_POSITION * self.numbers.len()
    }

    /// Lays out the record of a child, and opens it if there is anything below.
    fn child(
        &mut self,
        parent: &Position,
        mv: Move,
        is_last: bool,
    ) -> Result<Data, WriteError<S::Error>> {
        let record = self.next;
        if record > MAX_RECORDS {
            return Err(WriteError::TooLarge);
        }
        self.next += 1;
        let following = (!is_last).then_some(self.next);
        let position = parent.after(mv, self.claim.ruleset);
        let since = self.since(parent, mv);
        let known = self.numbers.len();
        if let Some(before) = self.number(&position, record, since) {
            self.transpositions += u32::from(!self.is_numbered);
            return Ok(Data {
                below: Below::SameAs(before),
                next: following,
            });
        }
        if self.is_end(&position, Some(mv))? {
            return Ok(Data {
                below: Below::Nothing,
                next: following,
            });
        }
        let link = (!is_last).then_some(self.subtrees);
        if let Some(link) = link {
            self.subtrees += 1;
            if !self.is_numbered {
                debug_assert_eq!(self.ends.len(), link, "links are numbered as they come");
                self.ends.push(0);
            }
        }
        if self.numbers.len() > known && position.side_to_move() == self.claim.winner {
            self.positions += 1;
        }
        self.open(position, Some(mv), link, since)?;
        Ok(Data {
            below: Below::Child,
            next: link.map(|link| self.ends[link]),
        })
    }

    fn since(&self, parent: &Position, mv: Move) -> Since {
        let is_now = parent.role(Role::Pawn).contains(mv.from()) || parent.is_capture(mv);
        match self.stack.last().map(|frame| frame.since) {
            _ if is_now => Since::Now,
            Some(Since::Now) => Since::MoveBefore,
            _ => Since::Longer,
        }
    }

    /// The record that a pointer from `record`, which holds `position`, shall lead to. None: what is below is written here.
    fn number(&mut self, position: &Position, record: u32, since: Since) -> Option<u32> {
        let by_winner = position.side_to_move() != self.claim.winner;
        let joins = since == Since::Now || self.joining == Joining::All;
        let points = joins || since == Since::MoveBefore && by_winner;
        let (key, check) = Record::id(position);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "with the key it is 96 bits, which is enough"
        )]
        match self.numbers.entry((key, check as u32)) {
            Slot::Occupied(mut slot) => {
                let number = slot.get_mut();
                if number.joins && number.record < record && points {
                    return Some(number.record);
                }
                if joins && !number.joins {
                    *number = Number { record, joins };
                }
                None
            }
            Slot::Vacant(slot) => {
                slot.insert(Number { record, joins });
                None
            }
        }
    }

    /// Whether the proof ends in a position: the game is over and won, or a table gives it as won.
    fn is_end(&self, position: &Position, mv: Option<Move>) -> Result<bool, WriteError<S::Error>> {
        let Claim {
            ruleset, winner, ..
        } = *self.claim;
        if legal_moves(position, ruleset).is_empty() {
            if ruleset.outcome(position).winner() != Some(winner) {
                return Err(self.no_proof("the game is over without a win", mv));
            }
            return Ok(true);
        }
        match self
            .tables
            .end(position, winner)
            .map_err(WriteError::Tables)?
        {
            TableEnd::NotCovered => Ok(false),
            TableEnd::NotWon => Err(self.no_proof("a table gives no win", mv)),
            TableEnd::Won(_) if position.occupied().count() > TABLE_MEN => {
                Err(WriteError::LargeTable(self.line(mv)))
            }
            TableEnd::Won(_) => Ok(true),
        }
    }

    fn open(
        &mut self,
        position: Position,
        arrived_by: Option<Move>,
        link: Option<usize>,
        since: Since,
    ) -> Result<(), WriteError<S::Error>> {
        if self.stack.len() >= usize::from(u16::MAX) {
            return Err(self.no_proof("the strategy does not come to an end", None));
        }
        let moves_from = self.moves.len();
        let mut legal = legal_moves(&position, self.claim.ruleset);
        if position.side_to_move() == self.claim.winner && legal.len() > 1 {
            let known = self.strategy.entry(&position);
            let entry = known.map_err(WriteError::Strategy)?;
            let known = entry.filter(|entry| legal.contains(&entry.mv));
            let Some(entry) = known else {
                return Err(WriteError::NoMove {
                    line: self.line(arrived_by),
                    position: Box::new(position),
                });
            };
            legal.clear();
            legal.push(entry.mv);
        }
        sort(&mut legal, &position);
        self.moves.extend(legal.into_iter().rev());
        self.stack.push(Frame {
            position,
            arrived_by,
            moves_from,
            link,
            since,
        });
        Ok(())
    }

    fn no_proof(&self, problem: &'static str, mv: Option<Move>) -> WriteError<S::Error> {
        WriteError::NoProof {
            problem,
            line: self.line(mv),
        }
    }

    fn line(&self, mv: Option<Move>) -> String {
        let below = self.stack.iter().filter_map(|frame| frame.arrived_by);
        let line: Vec<Move> = self
            .opening
            .iter()
            .copied()
            .chain(below)
            .chain(mv)
            .collect();
        line_from_start(&line, self.claim.ruleset)
    }
}

/// Sorts moves into the order in which their subtrees are written: the mover's pawns first, then knights, rooks, bishops, queens and kings,
/// each from its own first rank on. Any order will do for readers; but of two occurrences of a position the first one gets the subtree, and
/// with this order counts come out as in the author's files.
fn sort(moves: &mut MoveList, position: &Position) {
    let us = position.side_to_move();
    let seen_from_us = |square: Square| match us {
        Color::White => square,
        Color::Black => square.flip_vertical(),
    };
    moves.sort_unstable_by_key(|&mv| {
        let man = match position.role_at(mv.from()) {
            None | Some(Role::Pawn) => 0,
            Some(Role::Knight) => 1,
            Some(Role::Rook) => 2,
            Some(Role::Bishop) => 3,
            Some(Role::Queen) => 4,
            Some(Role::King) => 5,
        };
        let squares = (seen_from_us(mv.from()), seen_from_us(mv.to()));
        (man, squares, mv.promotion().map(Role::index))
    });
}
