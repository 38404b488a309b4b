//! Claims.

use std::fmt;

use rules::{Color, Position, Ruleset, fen};

/// The statement that `winner` wins `root` under `ruleset`, without regard to clocks and repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The game that is played.
    pub ruleset: Ruleset,
    /// Where it starts.
    pub root: Position,
    /// Who wins it.
    pub winner: Color,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ruleset, winner, ..
        } = self;
        let root = fen::write_position(&self.root);
        write!(f, "{winner} wins {root} under {ruleset}")
    }
}
