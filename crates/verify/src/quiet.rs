//! The fifty-move rule: runs of plies without a capture or a pawn move.
//!
//! The rule text: a position with a hundred such plies behind it is drawn unless it is decided. So a run may be a hundred plies long if
//! the last of them ends the game, and 99 if a capture or a pawn move comes next. A claim has no clock: the first run of
//! a line starts at the root.
//!
//! The longest run of a strategy, over all paths, is found from the ends of the lines backwards: what follows a position is the same
//! on whichever path it is met, so each position needs its [`Run`] once. A run starts at the root or after a capture or a pawn
//! move, and is as long as the run that follows there.

use std::fmt;

use crate::board::{Kind, Position};
use crate::moves::Move;
use crate::verdict::counted;

/// Plies without a capture or a pawn move that make a draw of a position that is not decided.
const FIFTY_MOVES: u32 = 100;

/// The longest run that follows a position before the next capture or pawn move or the end of the game, over all paths.
///
/// Twice the plies, and one more if a capture or a pawn move comes next: of two runs the greater one is the nearer to the rule's limit.
/// Runs of more than 32,767 plies count as that long.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Run(u16);

impl Run {
    /// The game is over.
    pub(crate) const OVER: Self = Self(0);
    /// A capture or a pawn move comes next.
    pub(crate) const BROKEN: Self = Self(1);

    /// What follows a position in which a move is made, by what follows that move.
    pub(crate) const fn before(self, is_quiet: bool) -> Self {
        match (is_quiet, self.0.checked_add(2)) {
            (false, _) => Self::BROKEN,
            (true, Some(more)) => Self(more),
            (true, None) => self,
        }
    }

    fn plies(self) -> u32 {
        u32::from(self.0 >> 1)
    }

    /// Whether a position that is not decided has a hundred plies of this run behind it.
    fn exceeds_the_rule(self) -> bool {
        self.plies() > FIFTY_MOVES || (self.plies() == FIFTY_MOVES && self > self.and_over())
    }

    /// A run as long as this one that ends the game.
    const fn and_over(self) -> Self {
        Self(self.0 & !1)
    }
}

/// Whether a legal move neither captures nor moves a pawn. A capture en passant moves a pawn.
pub(crate) fn is_quiet(position: &Position, mv: Move) -> bool {
    let moves_pawn = position
        .man(mv.origin)
        .is_some_and(|man| man.kind == Kind::Pawn);
    !moves_pawn && position.man(mv.destination).is_none()
}

/// The longest run met so far.
#[derive(Default)]
pub(crate) struct Longest {
    pub(crate) run: Run,
    /// The moves from the root to where it starts; `None` if it was met elsewhere.
    pub(crate) after: Option<Vec<Move>>,
}

/// What the fifty-move rule makes of a strategy that wins without it. The clock stands at 0 at the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FiftyMoves {
    /// The longest run of plies without a capture or a pawn move, over all paths of the strategy. Lines that end in a table are
    /// played on, the winner taking the shortest way to the end of the game.
    pub longest_quiet_run: u32,
    /// The moves from the root to where that run starts.
    pub after: Vec<Move>,
    /// Whether a run on some path is so long that the game is drawn.
    pub is_exceeded: bool,
    /// Why lines that end in a table were not all played on, if they were not: there may be longer runs.
    pub unknown: Option<String>,
}

impl FiftyMoves {
    pub(crate) fn new(longest: Longest, unknown: Option<String>) -> Self {
        Self {
            longest_quiet_run: longest.run.plies(),
            after: longest.after.unwrap_or_default(),
            is_exceeded: longest.run.exceeds_the_rule(),
            unknown,
        }
    }

    /// Whether the strategy wins under the rule; `None` if that is not known.
    #[must_use]
    pub const fn holds(&self) -> Option<bool> {
        match (self.is_exceeded, &self.unknown) {
            (true, _) => Some(false),
            (false, None) => Some(true),
            (false, Some(_)) => None,
        }
    }
}

impl fmt::Display for FiftyMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plies = counted(&self.longest_quiet_run, "ply", "plies");
        match (self.holds(), &self.unknown) {
            (Some(true), _) => {
                return write!(f, "yes, longest run without capture or pawn move {plies}");
            }
            (None, Some(reason)) => return write!(f, "not known, {reason}"),
            _ => write!(f, "no, {plies} without capture or pawn move ")?,
        }
        if self.after.is_empty() {
            return f.write_str("from the root");
        }
        f.write_str("after")?;
        self.after.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(plies: u16, end: Run) -> Run {
        (0..plies).fold(end, |run, _| run.before(true))
    }

    #[test]
    fn the_hundredth_ply_may_end_the_game_but_not_be_followed_by_a_move() {
        for (plies, end, exceeds) in [
            (0, Run::OVER, false),
            (99, Run::OVER, false),
            (100, Run::OVER, false),
            (101, Run::OVER, true),
            (99, Run::BROKEN, false),
            (100, Run::BROKEN, true),
            (148, Run::BROKEN, true),
        ] {
            let run = run(plies, end);
            assert_eq!(run.plies(), u32::from(plies));
            assert_eq!(run.exceeds_the_rule(), exceeds, "{plies}");
        }
    }

    #[test]
    fn a_capture_or_pawn_move_starts_anew() {
        assert_eq!(run(40, Run::OVER).before(false), Run::BROKEN);
        assert!(run(40, Run::BROKEN) > run(40, Run::OVER));
        assert!(run(41, Run::OVER) > run(40, Run::BROKEN));
    }

    #[test]
    fn a_run_without_end_is_counted_as_the_longest() {
        assert_eq!(run(u16::MAX, Run::OVER).plies(), 32_767);
        assert_eq!(run(u16::MAX, Run::BROKEN).plies(), 32_767);
        assert!(run(u16::MAX, Run::OVER).exceeds_the_rule());
    }
}
