//! What can be wrong with a book.

use std::{fmt, io};

use rules::{Move, fen::FenError, line};
use thiserror::Error;

use super::Number;

/// Why a book could not be read: what is wrong, and where.
#[derive(Debug, Error)]
#[error("byte {offset}{}: {problem}", After(.line))]
pub struct ColibriError {
    /// Where the field begins that is wrong, or the file ends.
    pub offset: u64,
    /// The moves from the root to the node that was being read.
    pub line: Vec<Move>,
    /// What is wrong.
    #[source]
    pub problem: Problem,
}

/// What is wrong with a book.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file could not be read.
    #[error("it cannot be read")]
    Read(#[source] io::Error),
    /// The file ends too soon.
    #[error("the file ends within {0}")]
    Truncated(&'static str),
    /// Two bitboards of the header say different things.
    #[error("the header's bitboards contradict each other: {0}")]
    Contradiction(String),
    /// The header's side to move is no side.
    #[error("the side to move is {0}, neither 0 (White) nor 1 (Black)")]
    SideToMove(u8),
    /// The ruleset has no such position.
    #[error("the root is no position of this game: {0}")]
    Root(#[source] FenError),
    /// A number has groups that say nothing.
    #[error("{0} is written with a leading empty group")]
    Overlong(&'static str),
    /// A number has too many groups.
    #[error("{0} is 2^64 or more")]
    TooLarge(&'static str),
    /// The two numbers of a leaf exclude each other.
    #[error("a leaf with proof number {pn} and disproof number {dn}")]
    Numbers {
        /// The proof number.
        pn: Number,
        /// The disproof number.
        dn: Number,
    },
    /// A position that repeats another has children.
    #[error("a repetition has {0} children")]
    RepetitionWithChildren(u8),
    /// A move's man is none.
    #[error("the move {code:#06x} names the man {man}, not 1 to 6")]
    Man {
        /// The move as it stands.
        code: u16,
        /// The number of the man.
        man: u16,
    },
    /// A move's man is not the one on its origin.
    #[error("{mv} is said to move a man that does not stand there")]
    WrongMan {
        /// The move.
        mv: Move,
    },
    /// A move is not legal.
    #[error("{mv} is illegal here")]
    Illegal {
        /// The move.
        mv: Move,
    },
    /// A move stands twice.
    #[error("{mv} is given twice")]
    Twice {
        /// The move.
        mv: Move,
    },
    /// A link to a node that has not been met.
    #[error("{mv} leads to node {found}, but the next one is {next}")]
    UnknownNode {
        /// The move.
        mv: Move,
        /// The node.
        found: u64,
        /// The number of nodes so far.
        next: u64,
    },
    /// A link to a node whose children are being read.
    #[error("{mv} leads back to node {node}, which it comes from")]
    Cycle {
        /// The move.
        mv: Move,
        /// The node.
        node: u64,
    },
    /// A link to another position.
    #[error("{mv} leads to node {node}, which is another position")]
    Elsewhere {
        /// The move.
        mv: Move,
        /// The node.
        node: u64,
    },
    /// More plies than any game of use has.
    #[error("the line is longer than {0} plies")]
    TooDeep(usize),
    /// Something follows the last node.
    #[error("the book ends here, but the file goes on")]
    Trailing,
}

/// The way to a node, for messages.
struct After<'a>(&'a [Move]);

impl fmt::Display for After<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, ", after {}", line::write_uci(self.0))
    }
}
