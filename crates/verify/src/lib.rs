//! Independent verifier for proofs of losing chess.
//!
//! A *claim* says that one side wins a position under a ruleset. Its proof is a *strategy*: a move for each position
//! with the winner to move that can arise. [`verify`] walks the claim from its root with its own board, its own rules and
//! an explicit stack, asks an untrusted [`Strategy`] for each of the winner's moves, tries every legal reply, and accepts
//! only if every line ends in a position won for the winner under the ruleset, or in one that an endgame table gives as
//! won (the verdict lists such tables). [`verify_certificate`] does this for a certificate file.
//!
//! Endgame tables are checked by [`check_table`], value by value, or believed and listed when a [`TableSet`] serves a replay.
//!
//! This crate has no dependency of any kind and shares no code with the prover: it is written from the rules and from the
//! formats of certificates and tables alone. It is plain on purpose. Nothing it is given can make it panic, recurse deeply, or allocate beyond
//! the size of its input (of a table: two or three bytes a cell of its material).
//!
//! Every [`Ruleset`] is judged. Rulesets of one class have the same moves and positions and differ only in how a game ends.
//!
//! Squares are numbered a1 = 0, b1 = 1, …, h1 = 7, a2 = 8, …, h8 = 63. All lengths are plies.
//!
//! # Examples
//!
//! ```
//! use takeme_verify::{Position, Ruleset, legal_moves};
//!
//! // White must capture en passant: it is the only legal move.
//! let position = Position::from_fen("8/8/8/pP6/8/5p2/1P6/8 w - a6", Ruleset::Joint)?;
//! let moves: Vec<String> = legal_moves(&position).iter().map(ToString::to_string).collect();
//! assert_eq!(moves, ["b5a6"]);
//! # Ok::<(), takeme_verify::FenError>(())
//! ```

#![forbid(unsafe_code)]

mod board;
mod castling;
mod certificate;
mod check;
mod crc;
mod fen;
mod fingerprint;
mod geometry;
mod material;
mod moves;
mod outcome;
mod perft;
mod quiet;
mod replay;
mod ruleset;
mod seen;
mod shortest;
mod strategy;
mod table_check;
mod table_error;
mod table_expanded;
mod table_fifty;
mod table_file;
mod table_ground;
mod table_index;
mod table_material;
mod table_moves;
mod table_set;
#[cfg(test)]
mod table_testing;
mod table_value;
mod tables;
mod verdict;

pub use board::{Color, Kind, Position};
pub use certificate::{Certificate, CertificateError, CertificateStrategy, verify_certificate};
pub use crc::crc64_xz;
pub use fen::FenError;
pub use moves::{Move, legal_moves, legal_moves_into};
pub use outcome::{Outcome, outcome};
pub use perft::perft;
pub use quiet::FiftyMoves;
pub use replay::{MAX_PLIES, Options, Progress, verify};
pub use ruleset::Ruleset;
pub use strategy::{Choice, Claim, Strategy, StrategyError};
pub use table_check::{CheckError, Defect, check as check_table};
pub use table_error::TableError;
pub use table_expanded::{ExpandedTable, expand as expand_table};
pub use table_file::{Counts, Decompress, TableFile};
pub use table_material::prerequisites;
pub use table_set::TableSet;
pub use table_value::TableValue;
pub use tables::{ListError, Listed, NoTables, TableAnswer, TableId, Tables};
pub use verdict::{Reason, Rejection, Verdict, Verified};

/// Version of this verifier, to be recorded with its verdicts.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
