//! File formats by name.

use clap::ValueEnum;
use thiserror::Error;

/// A format that proofs are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// The winner's choices in replay order, as `crates/proof/FORMAT.md` lays out.
    #[value(name = "cert", help = "A certificate")]
    Certificate,
    /// A proof tree, as Watkins' programs read it.
    #[value(help = "A proof tree of Watkins (.proof, .done, .rev)")]
    Watkins,
    /// A book of the solver Colibri: claims, not proofs.
    #[value(help = "A book of Colibri, whose winning moves are kept as hints for prove")]
    Colibri,
}

/// A format that proofs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The winner's choices in replay order, as `crates/proof/FORMAT.md` lays out.
    #[value(name = "cert", help = "A certificate")]
    Certificate,
    /// A game with the other replies as variations.
    #[value(help = "A game in PGN, the loser's other replies as variations")]
    Pgn,
    /// One JSON object for each position with the winner to move.
    #[value(
        name = "jsonl",
        help = "One JSON object a line, for each position with the winner to move"
    )]
    JsonLines,
    /// A proof tree, as Watkins' programs read it.
    #[value(help = "A proof tree of Watkins (.proof); it does not name the rules")]
    Watkins,
}

/// What a format cannot hold.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct OutsideFormat(pub(crate) String);
