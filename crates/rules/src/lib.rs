//! Board, move generation, rulesets and notation of losing chess.
//!
//! In this game the side that loses all its men (or, depending on the ruleset, is left without a move) **wins**. A result is
//! therefore always named by its winner, never by a score. A [`Ruleset`] says which game is played; the rule ids in the
//! documentation (`M1`, `J1` …) are those of the project's rules text.
//!
//! - [`Position`]: placement, side to move, castling rights, en-passant square; no clocks, no history.
//! - [`MoveGen`]: the seam between move-generation classes and everything that searches; [`Antichess`] implements it.
//! - [`Ruleset`] and [`Outcome`]: who has won, if anyone.
//! - [`Game`]: a position with clocks and history, as FEN and a line of moves give it.
//! - [`fen`], [`san`], [`mod@line`]: notation in and out.
//! - [`perft`]: leaf counts, the fingerprint of a move generator.

#![forbid(unsafe_code)]

mod antichess;
mod attacks;
mod bitboard;
mod color;
mod game;
mod movegen;
mod moves;
mod outcome;
mod packed;
mod position;
mod role;
mod ruleset;
mod square;
mod survey;
mod zobrist;

pub mod fen;
pub mod line;
pub mod perft;
pub mod san;

pub use antichess::Antichess;
pub use bitboard::{Bitboard, Squares};
pub use color::{Color, UnknownColor};
pub use game::{Game, PlayError};
pub use movegen::{MoveGen, MoveList, canonical_moves, legal_moves};
pub use moves::{Move, MoveParseError};
pub use outcome::{EndReason, Outcome};
pub use packed::{PackedPosition, UnpackError};
pub use position::{Position, PositionBuilder};
pub use role::Role;
pub use ruleset::{Class, Ruleset, RulesetError, UnknownRuleset, UnsupportedRuleset};
pub use square::Square;
pub use survey::{SideSurvey, Survey, survey};
