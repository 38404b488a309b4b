//! A position with clocks and history.

use thiserror::Error;

use crate::{
    Color, EndReason, Move, MoveList, Outcome, PackedPosition, Position, Role, Ruleset,
    canonical_moves, fen, san,
};

/// A game in progress: the position, the clocks, and the positions since the last irreversible move.
#[derive(Clone, Debug)]
pub struct Game {
    ruleset: Ruleset,
    position: Position,
    half_moves: u16,
    full_move: u16,
    history: Vec<PackedPosition>,
}

/// Why a move cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlayError {
    /// Neither SAN nor UCI.
    #[error("'{0}' is no move in SAN or UCI notation")]
    Syntax(String),
    /// No legal move is written like that.
    #[error("{text} is illegal here: {why}")]
    Illegal {
        /// The move as given.
        text: String,
        /// What forbids it.
        why: String,
    },
    /// Several legal moves are.
    #[error("{text} is ambiguous: it could be {candidates}")]
    Ambiguous {
        /// The move as given.
        text: String,
        /// The moves it could be, in UCI notation.
        candidates: String,
    },
}

impl Game {
    /// The game at its start.
    #[must_use]
    #[expect(
        clippy::missing_panics_doc,
        reason = "the initial FEN is well-formed, as every test shows"
    )]
    pub fn initial(ruleset: Ruleset) -> Self {
        fen::parse(ruleset.initial_fen(), ruleset)
            .expect("the initial FEN is well-formed")
            .game
    }

    /// A game that stands at `position` with clocks at `0 1`.
    #[must_use]
    pub fn from_position(position: Position, ruleset: Ruleset) -> Self {
        Self::with_clocks(position, ruleset, 0, 1)
    }

    pub(crate) fn with_clocks(
        position: Position,
        ruleset: Ruleset,
        half_moves: u16,
        full_move: u16,
    ) -> Self {
        Self {
            ruleset,
            position,
            half_moves,
            full_move,
            history: Vec::new(),
        }
    }

    /// The ruleset that is played.
    #[must_use]
    pub const fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// The position on the board.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Half-moves since the last capture or pawn move.
    #[must_use]
    pub const fn half_moves(&self) -> u16 {
        self.half_moves
    }

    /// The number of the current move, from 1, as FEN counts.
    #[must_use]
    pub const fn full_move(&self) -> u16 {
        self.full_move
    }

    /// Legal moves in canonical order. Clocks and repetition never change them.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        canonical_moves(&self.position, self.ruleset)
    }

    /// Plays a move.
    ///
    /// # Errors
    ///
    /// The move is illegal.
    pub fn play(&mut self, mv: Move) -> Result<(), PlayError> {
        if !self.legal_moves().contains(&mv) {
            return Err(san::illegal(self, &mv.to_string(), Some(mv)));
        }
        let irreversible = self.position.role_at(mv.from()) == Some(Role::Pawn)
            || self.position.occupied().contains(mv.to());
        if irreversible {
            self.half_moves = 0;
            self.history.clear();
        } else {
            self.half_moves = self.half_moves.saturating_add(1);
            self.history.push(self.position.pack());
        }
        if self.position.side_to_move() == Color::Black {
            self.full_move = self.full_move.saturating_add(1);
        }
        self.position = self.position.after(mv, self.ruleset);
        Ok(())
    }

    /// Reads a move in SAN or UCI and plays it.
    ///
    /// # Errors
    ///
    /// The text is no move, an illegal one, or stands for several.
    pub fn play_text(&mut self, text: &str) -> Result<Move, PlayError> {
        let mv = san::read(self, text)?;
        self.play(mv)?;
        Ok(mv)
    }

    /// The state of the game, with dead positions, the fifty-move rule (automatic at a hundred half-moves, rule `G1`) and
    /// the third occurrence of a position (`G2`) counted as draws.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let drawn = |reason| Outcome::Drawn { reason };
        match self.ruleset.outcome(&self.position) {
            Outcome::Ongoing => {}
            decided => return decided,
        }
        if self.ruleset.is_dead(&self.position) {
            return drawn(EndReason::DeadPosition);
        }
        if self.half_moves >= 100 {
            return drawn(EndReason::FiftyMoves);
        }
        let here = self.position.pack();
        if self.history.iter().filter(|&past| *past == here).count() >= 2 {
            return drawn(EndReason::Repetition);
        }
        Outcome::Ongoing
    }
}
