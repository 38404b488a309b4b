//! Questions for the search, and what comes of them.

use proof::Plies;
use rules::{Color, Position, Ruleset};

use crate::numbers::PnDn;

/// Told apart in the table: the same position with White and with Black as attacker.
const BLACK_ATTACKS: u64 = 0x5C0F_F1CE_0DDB_A115;

/// A question for the search.
#[derive(Clone, Debug)]
pub struct Job {
    /// The position in question.
    pub root: Position,
    /// The side whose win is to be shown.
    pub attacker: Color,
    /// The game that is played. Its class must be the generator's.
    pub ruleset: Ruleset,
    /// Keys of positions that came before the root: to come back to one counts as failure.
    pub path: Vec<u64>,
}

impl Job {
    /// Whether `attacker` wins `root`, with nothing before it.
    #[must_use]
    pub const fn new(root: Position, attacker: Color, ruleset: Ruleset) -> Self {
        Self {
            root,
            attacker,
            ruleset,
            path: Vec::new(),
        }
    }

    /// The key in the table of the position with this key: the same position with the other attacker has another.
    #[inline]
    #[must_use]
    pub const fn table_key(&self, key: u64) -> u64 {
        match self.attacker {
            Color::White => key,
            Color::Black => key ^ BLACK_ATTACKS,
        }
    }
}

/// What a search found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The attacker wins within so many plies.
    Proven(Plies),
    /// The attacker does not win, and that leans on no repetition above the root.
    Disproven,
    /// A limit came first, or every line that is left ends in a repetition. The root's numbers.
    Open(PnDn),
}

impl Answer {
    /// The numbers that say the same.
    #[must_use]
    pub const fn numbers(self) -> PnDn {
        match self {
            Self::Proven(_) => PnDn::PROVEN,
            Self::Disproven => PnDn::DISPROVEN,
            Self::Open(numbers) => numbers,
        }
    }
}

/// An answer and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// Expansions: positions whose children got numbers, counted each time, whether the moves were generated or the list was kept
    /// from the last time. Forced moves count with the position they are reached from.
    pub nodes: u64,
}
