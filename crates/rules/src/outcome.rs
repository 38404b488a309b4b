//! Who has won, if anyone.

use crate::{Antichess, Bitboard, Class, Color, MoveGen, Position, Role, Ruleset};

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// A side has no man left.
    NoMen,
    /// The side to move has men but no legal move.
    Stalemate,
    /// No sequence of moves decides the game any more.
    DeadPosition,
    /// A hundred half-moves without a capture or pawn move.
    FiftyMoves,
    /// The position has occurred three times.
    Repetition,
}

impl EndReason {
    /// As it stands in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoMen => "no men",
            Self::Stalemate => "stalemate",
            Self::DeadPosition => "dead position",
            Self::FiftyMoves => "fifty moves",
            Self::Repetition => "repetition",
        }
    }
}

/// The state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nobody has won yet, and it is no draw.
    Ongoing,
    /// The game is over and `winner` has won.
    Won {
        /// Who.
        winner: Color,
        /// How.
        reason: EndReason,
    },
    /// The game is over and drawn.
    Drawn {
        /// How.
        reason: EndReason,
    },
}

impl Outcome {
    /// The winner of a decided game.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Won { winner, .. } => Some(winner),
            _ => None,
        }
    }

    /// `white`, `black`, `draw` or `ongoing`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ongoing => "ongoing",
            Self::Won { winner, .. } => winner.name(),
            Self::Drawn { .. } => "draw",
        }
    }

    /// Why the game is over.
    #[must_use]
    pub const fn reason(self) -> Option<EndReason> {
        match self {
            Self::Ongoing => None,
            Self::Won { reason, .. } | Self::Drawn { reason } => Some(reason),
        }
    }
}

impl Ruleset {
    /// The outcome of a position by its men and moves alone; clocks, repetition and dead positions are left out, as in
    /// proofs.
    #[must_use]
    pub fn outcome(self, position: &Position) -> Outcome {
        let (winner, moves) = match self.class() {
            Class::Antichess => (
                Antichess::winner_by_men(position),
                Antichess::count_moves(position),
            ),
        };
        if let Some(winner) = winner {
            return Outcome::Won {
                winner,
                reason: EndReason::NoMen,
            };
        }
        if moves > 0 {
            return Outcome::Ongoing;
        }
        match self.stalemate_winner(position) {
            Some(winner) => Outcome::Won {
                winner,
                reason: EndReason::Stalemate,
            },
            None => Outcome::Drawn {
                reason: EndReason::Stalemate,
            },
        }
    }

    /// The winner of a position whose side to move has no legal move; `None` is a draw. A side to move without men has
    /// won.
    #[inline]
    #[must_use]
    pub fn winner_without_moves(self, position: &Position) -> Option<Color> {
        let us = position.side_to_move();
        if position.men(us).is_empty() {
            return Some(us);
        }
        if position.men(!us).is_empty() {
            return Some(!us);
        }
        self.stalemate_winner(position)
    }

    fn stalemate_winner(self, position: &Position) -> Option<Color> {
        let us = position.side_to_move();
        let (ours, theirs) = (position.men(us).count(), position.men(!us).count());
        match self {
            Self::International => Some(us),
            Self::Fics if ours == theirs => None,
            Self::Fics => Some(if ours < theirs { us } else { !us }),
            Self::Joint => (ours < theirs).then_some(us),
        }
    }

    /// Whether nobody can win any more. Sound, and complete for boards with bishops only: dead if all of White's stand on
    /// one square colour and all of Black's on the other (rule `D1`).
    #[must_use]
    pub fn is_dead(self, position: &Position) -> bool {
        let (white, black) = (position.men(Color::White), position.men(Color::Black));
        let parted = |a: Bitboard, b: Bitboard| {
            (a & Bitboard::DARK).is_empty() && (b & !Bitboard::DARK).is_empty()
        };
        position.occupied() == position.role(Role::Bishop)
            && white.any()
            && black.any()
            && (parted(white, black) || parted(black, white))
    }
}
