//! How a game goes on that has come to a table: the winner takes a shortest way to its end.
//!
//! Of several shortest moves a capture or pawn move is taken before others, and else the first in canonical order. The values are
//! hints only: whoever replays this strategy judges the moves and the ends by the rules.

use crate::board::{Color, Position};
use crate::moves::Move;
use crate::outcome::{Outcome, outcome};
use crate::quiet::is_quiet;
use crate::ruleset::Ruleset;
use crate::strategy::{Choice, Strategy, StrategyError};
use crate::tables::{TableAnswer, Tables};

/// The winner's moves by the plies that tables give.
pub(crate) struct Shortest<'a, T: ?Sized> {
    pub(crate) ruleset: Ruleset,
    pub(crate) winner: Color,
    pub(crate) tables: &'a mut T,
}

impl<T: Tables + ?Sized> Strategy for Shortest<'_, T> {
    fn choose(&mut self, position: &Position, legal: &[Move]) -> Result<Choice, StrategyError> {
        let Some(left) = self.plies(position)?.and_then(|plies| plies.checked_sub(1)) else {
            return Ok(Choice::Unknown);
        };
        for quiet in [false, true] {
            for &mv in legal {
                if is_quiet(position, mv) == quiet
                    && self.plies(&position.play_unchecked(mv))? == Some(left)
                {
                    return Ok(Choice::Move(mv));
                }
            }
        }
        Ok(Choice::Unknown)
    }
}

impl<T: Tables + ?Sized> Shortest<'_, T> {
    /// The plies to the end of the game of a position that the winner wins, by what is said of it.
    fn plies(&mut self, position: &Position) -> Result<Option<u32>, StrategyError> {
        match outcome(position, self.ruleset) {
            Outcome::Won(side) => return Ok((side == self.winner).then_some(0)),
            Outcome::Drawn => return Ok(None),
            Outcome::Ongoing => {}
        }
        match self.tables.follow(position) {
            TableAnswer::Won { winner, plies } => Ok((winner == self.winner).then_some(plies)),
            TableAnswer::NotCovered | TableAnswer::NotWon => Ok(None),
            TableAnswer::Missing(table) => {
                Err(StrategyError::Damaged(format!("{table} is not at hand")))
            }
            TableAnswer::Damaged(problem) => Err(StrategyError::Damaged(problem)),
        }
    }
}
