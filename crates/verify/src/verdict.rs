//! What a replay finds.

use std::fmt;

use crate::board::Color;
use crate::moves::Move;
use crate::quiet::FiftyMoves;
use crate::ruleset::Ruleset;
use crate::strategy::{Choice, StrategyError};

/// The result of a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Verdict {
    /// The strategy wins against every reply: the claim holds if the listed assumptions do.
    Verified(Verified),
    /// The strategy does not prove the claim, which may be true all the same.
    Rejected(Rejection),
    /// The strategy, or a table that a line ends in, could not be read.
    Damaged(StrategyError),
    /// The progress callback stopped the replay after that many positions with the winner to move.
    Interrupted(u64),
}

/// What was verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Distinct positions with the winner to move.
    pub positions: u64,
    /// The longest line of the strategy from the root to the end of the game, in plies: exact, of a line that ends in a table with
    /// the plies that the table gives there.
    pub plies: u32,
    /// What was taken on trust: the tables that ends of lines rest on, by content hash. Ascending.
    pub assumptions: Vec<String>,
    /// What the fifty-move rule makes of it, if [`Options::fifty`](crate::Options::fifty) asks.
    pub fifty: Option<FiftyMoves>,
    /// The most memory that the replay has held for its tables and stack, in bytes.
    pub peak_bytes: u64,
}

/// Why a strategy proves nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// The first defect in replay order.
    pub reason: Reason,
    /// The moves from the root to the position of the first defect.
    pub path: Vec<Move>,
    /// How many defects were found: positions whose move is missing or illegal, moves into an open position, ends that are
    /// not won (counted once for each move that leads to one).
    pub defects: u64,
    /// Whether the replay stopped before the whole strategy had been seen, so that there may be more.
    pub stopped: bool,
}

/// A defect of a strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The root was read under a ruleset that has other moves than that of the claim.
    RootOfAnotherRuleset,
    /// The tables at hand hold values for another ruleset than the claim's.
    TablesOfAnotherRuleset(Ruleset),
    /// The strategy has no move for a position that is not decided: the line does not end.
    MissingMove,
    /// The strategy's answer is not a legal move.
    IllegalMove {
        /// The answer.
        choice: Choice,
        /// How many legal moves there are.
        legal: usize,
    },
    /// The line comes back to a position that it has gone through.
    Loop,
    /// The line ends in a position won by the other side.
    LostEnd,
    /// The line ends in a drawn position.
    DrawnEnd,
    /// A table gives the end of the line as won by the other side, or as drawn.
    TableNotWon {
        /// The side that the table names; `None` for a draw.
        winner: Option<Color>,
    },
    /// A table that covers the position is not at hand.
    MissingTable(String),
    /// The table that an end rests on has no name, so that the verdict could not list it.
    NamelessTable,
    /// A line is longer than [`MAX_PLIES`](crate::MAX_PLIES).
    LineTooLong,
    /// The strategy holds that much more than the replay asked for.
    LeftOverChoices(u64),
    /// The certificate states a wrong number of positions.
    WrongPositionsCount {
        /// The number in the certificate.
        stated: u64,
        /// The number that the replay found.
        found: u64,
    },
    /// The certificate states a wrong length.
    WrongPlies {
        /// The length in the certificate, in plies.
        stated: u32,
        /// The length that the replay found, in plies.
        found: u32,
    },
}

/// A number and what it counts.
pub(crate) fn counted<N: PartialEq + From<u8> + fmt::Display>(
    number: &N,
    one: &str,
    more: &str,
) -> String {
    let noun = if *number == N::from(1) { one } else { more };
    format!("{number} {noun}")
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RootOfAnotherRuleset => {
                f.write_str("the root position was read under a ruleset with other moves")
            }
            Self::TablesOfAnotherRuleset(ruleset) => {
                write!(f, "the tables are for {ruleset}, the claim is not")
            }
            Self::MissingMove => {
                f.write_str("no move for a position that is neither decided nor covered by a table")
            }
            Self::IllegalMove { choice, legal: 1 } => {
                write!(f, "{choice} is not the only legal move")
            }
            Self::IllegalMove { choice, legal } => {
                write!(f, "{choice} is not one of the {legal} legal moves")
            }
            Self::Loop => f.write_str("the line comes back to a position that it has gone through"),
            Self::LostEnd => f.write_str("the line ends in a loss for the winner"),
            Self::DrawnEnd => f.write_str("the line ends in a draw"),
            Self::TableNotWon { winner: None } => {
                f.write_str("the table gives the end of the line as a draw")
            }
            Self::TableNotWon {
                winner: Some(winner),
            } => {
                write!(f, "the table gives the end of the line as won by {winner}")
            }
            Self::MissingTable(table) => write!(f, "the line needs {table}, which is not at hand"),
            Self::NamelessTable => {
                f.write_str("the end of the line rests on a table without a name")
            }
            Self::LineTooLong => write!(f, "a line is longer than {} plies", crate::MAX_PLIES),
            Self::LeftOverChoices(count) => {
                let bytes = counted(count, "byte of choices is", "bytes of choices are");
                write!(f, "{bytes} left over")
            }
            Self::WrongPositionsCount { stated, found } => {
                let stated = counted(stated, "position is", "positions are");
                write!(f, "{stated} stated, but the strategy has {found}")
            }
            Self::WrongPlies { stated, found } => {
                let stated = counted(stated, "ply is", "plies are");
                write!(f, "{stated} stated, but the longest line has {found}")
            }
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        if self.path.is_empty() {
            f.write_str(", at the root")?;
        } else {
            f.write_str(", after")?;
            for mv in &self.path {
                write!(f, " {mv}")?;
            }
        }
        match (self.defects, self.stopped) {
            (_, true) => f.write_str(" (first defect)"),
            (1, false) => f.write_str(" (the only defect)"),
            (defects, false) => write!(f, " (first of {defects} defects)"),
        }
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let positions = counted(&self.positions, "position", "positions");
        let plies = counted(&self.plies, "ply", "plies");
        write!(f, "{positions}, {plies}, ")?;
        if self.assumptions.is_empty() {
            f.write_str("no assumptions")?;
        } else {
            write!(f, "assuming {}", self.assumptions.join(", "))?;
        }
        match &self.fifty {
            None => Ok(()),
            Some(fifty) => write!(f, "; under the fifty-move rule: {fifty}"),
        }
    }
}
