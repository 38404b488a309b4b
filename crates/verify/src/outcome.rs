//! How a game ends under each ruleset.
//!
//! Dead positions, clocks and repetition decide nothing here: for a proof they are all failures of the winner, and a replay
//! notices a failure when a line does not end.

use std::cmp::Ordering;

use crate::board::{Color, Position};
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

/// The outcome of a position under a ruleset; [`Outcome::Ongoing`] under a ruleset that is not supported, so that nothing is
/// ever claimed for one.
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
    if ruleset.supported().is_err() {
        return Outcome::Ongoing;
    }
    for color in [Color::White, Color::Black] {
        if position.men(color) == 0 {
            return Outcome::Won(color);
        }
    }
    if has_moves {
        Outcome::Ongoing
    } else {
        stalemate(position, ruleset)
    }
}

/// The side to move has men but no legal move.
fn stalemate(position: &Position, ruleset: Ruleset) -> Outcome {
    let stalemated = position.side_to_move();
    let (own, other) = (
        position.men(stalemated),
        position.men(stalemated.opponent()),
    );
    match (ruleset, own.cmp(&other)) {
        (Ruleset::International, _) | (Ruleset::Fics | Ruleset::Joint, Ordering::Less) => {
            Outcome::Won(stalemated)
        }
        (Ruleset::Fics, Ordering::Greater) => Outcome::Won(stalemated.opponent()),
        _ => Outcome::Drawn,
    }
}
