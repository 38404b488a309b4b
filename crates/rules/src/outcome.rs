//! Who has won, if anyone.

use crate::{Bitboard, Class, Color, MoveGen, Position, Role, Ruleset, for_class, variant34};

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// A side has no man left.
    NoMen,
    /// A side has nothing but its king.
    BareKing,
    /// A side lacks some kind of man.
    Extinction,
    /// The king of the side to move is attacked, and it has no legal move.
    Checkmate,
    /// The side to move has men but no legal move, and no royal king that is attacked.
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
            Self::BareKing => "bare king",
            Self::Extinction => "extinction",
            Self::Checkmate => "checkmate",
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
        let (winner, moves) = for_class!(self.class(), G => {
            (G::winner_by_men(position), G::count_moves(position))
        });
        if let Some(winner) = winner {
            let reason = match self.class() {
                Class::Antichess | Class::Variant2 => EndReason::NoMen,
                Class::Variant34 => EndReason::BareKing,
                Class::Extinction => EndReason::Extinction,
            };
            return Outcome::Won { winner, reason };
        }
        if moves > 0 {
            return Outcome::Ongoing;
        }
        let reason = if self.is_check(position) {
            EndReason::Checkmate
        } else {
            EndReason::Stalemate
        };
        match self.winner_if_stuck(position) {
            Some(winner) => Outcome::Won { winner, reason },
            None => Outcome::Drawn { reason },
        }
    }

    /// Whether the side to move has a royal king that is attacked.
    #[must_use]
    pub fn is_check(self, position: &Position) -> bool {
        self.class().king_is_royal()
            && variant34::is_king_attacked(position, position.side_to_move())
    }

    /// The winner of a position whose side to move has no legal move, be it decided by the men or not; `None` is a draw.
    #[inline]
    #[must_use]
    pub fn winner_without_moves(self, position: &Position) -> Option<Color> {
        let by_men = for_class!(self.class(), G => G::winner_by_men(position));
        by_men.or_else(|| self.winner_if_stuck(position))
    }

    /// The winner of a position that the men leave open and whose side to move has no legal move; `None` is a draw.
    fn winner_if_stuck(self, position: &Position) -> Option<Color> {
        let us = position.side_to_move();
        let (ours, theirs) = (position.men(us).count(), position.men(!us).count());
        match self {
            Self::Variant3 => self.is_check(position).then_some(!us),
            Self::Variant4 => self.is_check(position).then_some(us),
            _ => self
                .wins_by_stalemate(ours, theirs)
                .map(|wins| if wins { us } else { !us }),
        }
    }

    /// Whether a side with `ours` men wins (or loses) by having no legal move against `theirs`, no royal king being attacked; `None`
    /// is a draw.
    #[must_use]
    pub fn wins_by_stalemate(self, ours: u32, theirs: u32) -> Option<bool> {
        match self {
            Self::International => Some(true),
            Self::Fics => (ours != theirs).then_some(ours < theirs),
            Self::Joint => (ours < theirs).then_some(true),
            Self::Variant2 | Self::Variant3 | Self::Variant4 | Self::Extinction => None,
        }
    }

    /// Whether nobody can win any more. Sound, and complete for boards with bishops only: dead if all of White's stand on
    /// one square colour and all of Black's on the other (rule `D1`). Never so where a king is royal (it can capture) or in
    /// extinction chess (rule `D2`).
    #[must_use]
    pub fn is_dead(self, position: &Position) -> bool {
        let (white, black) = (position.men(Color::White), position.men(Color::Black));
        let parted = |a: Bitboard, b: Bitboard| {
            (a & Bitboard::DARK).is_empty() && (b & !Bitboard::DARK).is_empty()
        };
        matches!(self.class(), Class::Antichess | Class::Variant2)
            && position.occupied() == position.role(Role::Bishop)
            && white.any()
            && black.any()
            && (parted(white, black) || parted(black, white))
    }
}
