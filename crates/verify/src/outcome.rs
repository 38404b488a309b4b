//! How a game ends under each ruleset.
//!
//! Dead positions, clocks and repetition decide nothing here: for a proof they are all failures of the winner, and a replay
//! notices a failure when a line does not end.

use std::cmp::Ordering;

use crate::board::{Color, Position};
use crate::check;
use crate::material;
use crate::moves::legal_moves;
use crate::ruleset::Ruleset;

/// Whether and how a position is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Decided: that side has won.
    Won(Color),
    /// Decided: a draw.
    Drawn,
    /// Not decided; the game goes on.
    Ongoing,
}

/// The outcome of a position under a ruleset; [`Outcome::Ongoing`] under a ruleset that has other moves than the one that
/// the position was read under, so that nothing is ever claimed for a mixture of the two.
#[must_use]
pub fn outcome(position: &Position, ruleset: Ruleset) -> Outcome {
    outcome_knowing_moves(position, ruleset, !legal_moves(position).is_empty())
}

/// As [`outcome`], for a caller that has generated the legal moves already.
pub(crate) fn outcome_knowing_moves(
    position: &Position,
    ruleset: Ruleset,
    has_moves: bool,
) -> Outcome {
    if ruleset.move_class() != position.class() {
        return Outcome::Ongoing;
    }
    // A position that the men decide has no moves.
    if has_moves {
        return Outcome::Ongoing;
    }
    match material::winner(position) {
        Some(winner) => Outcome::Won(winner),
        None => without_moves(position, ruleset),
    }
}

/// The men decide nothing, but the side to move has no legal move.
fn without_moves(position: &Position, ruleset: Ruleset) -> Outcome {
    let mover = position.side_to_move();
    let own_to_other = position.men(mover).cmp(&position.men(mover.opponent()));
    match (ruleset, own_to_other) {
        (Ruleset::International, _) | (Ruleset::Fics | Ruleset::Joint, Ordering::Less) => {
            Outcome::Won(mover)
        }
        (Ruleset::Fics, Ordering::Greater) => Outcome::Won(mover.opponent()),
        (Ruleset::Fics | Ruleset::Joint | Ruleset::Variant2 | Ruleset::Extinction, _) => {
            Outcome::Drawn
        }
        (Ruleset::Variant3 | Ruleset::Variant4, _) if !check::is_in_check(position, mover) => {
            Outcome::Drawn
        }
        (Ruleset::Variant3, _) => Outcome::Won(mover.opponent()),
        (Ruleset::Variant4, _) => Outcome::Won(mover),
    }
}
