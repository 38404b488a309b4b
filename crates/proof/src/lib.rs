//! Vocabulary of proofs: claims, strategies, certificates.
//!
//! A [`Claim`] says that a side wins a position under a ruleset. Its proof is a *strategy*: a move for each position with
//! the winner to move that can arise ([`Entry`]). Positions with the loser to move are not kept: every legal reply is
//! regenerated. Play ends at a position won for the winner, or one that an endgame table gives as won; a draw, a repetition and an unknown all count as failure.
//!
//! Each entry carries a *height*: at least the plies that are left, and strictly greater than the height of each entry
//! reachable by its move and one reply. A strategy whose heights keep that condition cannot loop, and of two entries for one
//! position the one with the smaller height can always stay.
//!
//! - [`Strategy`]: something that knows moves; [`extract`] makes a [`Proof`] of what it says about one claim.
//! - [`EndTables`]: endgame tables, whose values end lines on trust; a proof names those it leans on.
//! - [`certificate`]: a proof as a file, laid out in `FORMAT.md`.

#![forbid(unsafe_code)]

mod claim;
mod entry;
mod extract;
mod met;
mod tables;

pub mod certificate;

pub use claim::Claim;
pub use entry::{Entry, Plies, Record};
pub use extract::{ExtractError, Proof, Strategy, extract};
pub use tables::{EndTables, NoTableId, NoTables, TableEnd, TableId};
