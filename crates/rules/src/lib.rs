//! Board, move generation, rulesets and notation of losing chess and its relatives.
//!
//! In the main game the side that loses all its men (or, depending on the ruleset, is left without a move) **wins**. A result is
//! therefore always named by its winner, never by a score. A [`Ruleset`] says which game is played; the rule ids in the
//! documentation (`M1`, `J1` …) are those of the project's rules text.
//!
//! - [`Position`]: placement, side to move, castling rights, en-passant square; no clocks, no history.
//! - [`MoveGen`]: the seam between move-generation classes and everything that searches; [`Antichess`],
//!   [`Variant2`], [`Variant34`] and [`Extinction`] implement it.
//! - [`Ruleset`] and [`Outcome`]: who has won, if anyone.
//! - [`Game`]: a position with clocks and history, as FEN and a line of moves give it.
//! - [`fen`], [`san`], [`mod@line`]: notation in and out.
//! - [`perft`]: leaf counts, the fingerprint of a move generator.

#![forbid(unsafe_code)]

mod antichess;
mod attacks;
mod bitboard;
mod castling;
mod color;
mod extinction;
mod game;
mod movegen;
mod moves;
mod outcome;
mod packed;
mod play;
mod position;
mod pseudo;
mod role;
mod ruleset;
mod square;
mod survey;
mod variant34;
mod zobrist;

pub mod fen;
pub mod line;
pub mod perft;
pub mod san;

pub use antichess::{Antichess, Variant2};
pub use attacks::attacks;
pub use bitboard::{Bitboard, Squares};
pub use color::{Color, UnknownColor};
pub use extinction::Extinction;
pub use game::{Game, PlayError};
pub use movegen::{Choice, MoveGen, MoveList, canonical_moves, legal_moves};
pub use moves::{Move, MoveParseError};
pub use outcome::{EndReason, Outcome};
pub use packed::{PackedPosition, UnpackError};
pub use play::Change;
pub use position::{Position, PositionBuilder};
pub use role::Role;
pub use ruleset::{Class, Ruleset, UnknownRuleset};
pub use square::Square;
pub use survey::{Lines, SideSurvey, king_neighbours, survey};
pub use variant34::Variant34;
