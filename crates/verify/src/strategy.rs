//! What a replay is given: a claim, and a strategy that it does not believe.

use std::error::Error;
use std::fmt;

use crate::board::{Color, Position};
use crate::fen::FenError;
use crate::moves::Move;
use crate::ruleset::Ruleset;
use crate::verdict::counted;

/// The statement that a side wins a position under a ruleset, whatever the other side plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The rules that end the game.
    pub ruleset: Ruleset,
    /// The position claimed to be won; either side may be to move.
    pub root: Position,
    /// The side said to win.
    pub winner: Color,
}

impl Claim {
    /// A claim about the position that a FEN gives.
    ///
    /// # Errors
    ///
    /// As [`Position::from_fen`].
    pub fn new(ruleset: Ruleset, fen: &str, winner: Color) -> Result<Self, FenError> {
        Ok(Self {
            ruleset,
            root: Position::from_fen(fen, ruleset)?,
            winner,
        })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} wins {}",
            self.ruleset,
            self.winner,
            self.root.fen()
        )
    }
}

/// A strategy's answer for one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// This move.
    Move(Move),
    /// The move at this place in the canonical order, from 0.
    Index(u16),
    /// The strategy has no move for the position.
    Unknown,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(mv) => mv.fmt(f),
            Self::Index(index) => write!(f, "move number {index}"),
            Self::Unknown => f.write_str("no move"),
        }
    }
}

/// Why a strategy cannot answer, or should have been asked more.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StrategyError {
    /// What the strategy is read from is damaged; the text says how.
    Damaged(String),
    /// The replay is over and that many bytes or entries that must all be used are left.
    LeftOver(u64),
}

impl fmt::Display for StrategyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(problem) => f.write_str(problem),
            Self::LeftOver(count) => {
                let choices = counted(count, "choice is", "choices are");
                write!(f, "{choices} left over")
            }
        }
    }
}

impl Error for StrategyError {}

/// Moves for the winner. Untrusted: every answer is checked.
pub trait Strategy {
    /// The winner's move in a position that is not decided, or [`Choice::Unknown`].
    ///
    /// Asked once for each distinct position with the winner to move, in replay order. `legal` holds the legal moves in
    /// canonical order and is not empty.
    ///
    /// # Errors
    ///
    /// [`StrategyError::Damaged`] ends the replay.
    fn choose(&mut self, position: &Position, legal: &[Move]) -> Result<Choice, StrategyError>;

    /// Called when the replay has ended without a defect.
    ///
    /// # Errors
    ///
    /// [`StrategyError::LeftOver`] if the strategy holds more than was asked and must not.
    fn end(&mut self) -> Result<(), StrategyError> {
        Ok(())
    }

    /// Whether the answers depend on the order of the questions.
    ///
    /// The replay of such a strategy stops at the first defect, because later answers mean nothing.
    fn is_sequential(&self) -> bool {
        false
    }
}
