//! Positions whose result is known without search.

use proof::Plies;
use rules::{Color, Position};

/// What an oracle knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The attacker wins within so many plies.
    Won(Plies),
    /// The attacker does not win.
    NotWon,
}

/// Knows results of some positions, such as those of endgame tables. It is asked for every child that is made, and what it says
/// must not hang on how the position came about.
pub trait Oracle {
    /// The result of a position that has a legal move, if it is known.
    fn ask(&self, position: &Position, attacker: Color) -> Option<Verdict>;
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOracle;

impl Oracle for NoOracle {
    #[inline]
    fn ask(&self, _: &Position, _: Color) -> Option<Verdict> {
        None
    }
}
