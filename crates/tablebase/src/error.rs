//! What can go wrong with tables.

use std::{io, path::PathBuf};

use rules::Ruleset;
use thiserror::Error;

/// Why a table could not be made, read or asked. Each names the file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There are no tables for the ruleset.
    #[error("there are no endgame tables for {}: only for rulesets with compulsory captures and kings that are ordinary men", .0.name())]
    NoTables(Ruleset),
    /// A file could not be read or written.
    #[error("{}", .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is no table, or is damaged.
    #[error("{} is no sound table: {reason}", .path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A list of tables cannot be read.
    #[error("{} is no list of tables: {reason}; remove it, and takeme tables generate or verify makes it anew", .path.display())]
    List {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A table of a later version of the format, or of a metric that is not known.
    #[error("{} is a table of {what} {found}, and this program reads {known}", .path.display())]
    Unknown {
        /// Which.
        path: PathBuf,
        /// `version` or `metric`.
        what: &'static str,
        /// The file's.
        found: u16,
        /// Ours.
        known: u16,
    },
    /// A table that is not what its path says.
    #[error("{} is a table of {found}, and its path says {expected}", .path.display())]
    Misplaced {
        /// Which.
        path: PathBuf,
        /// Its ruleset and material.
        found: String,
        /// Those of the path.
        expected: String,
    },
    /// A table that the manifest does not list.
    #[error("{} is not listed in {}", .path.display(), .manifest.display())]
    Unlisted {
        /// Which.
        path: PathBuf,
        /// The manifest.
        manifest: PathBuf,
    },
    /// A table that is needed is not there.
    #[error("the table {} is missing; it is needed for {needed_for}", .path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
        /// The table or position that needs it.
        needed_for: String,
    },
    /// Another process makes or verifies tables in the same directory.
    #[error("another process works on the tables in {}", .0.display())]
    Locked(PathBuf),
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

/// What an [`enum@Error`] comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A table is damaged or not what it should be.
    Damaged,
    /// A table is not there, or from a later version.
    NotCovered,
    /// The disk is full.
    Full,
    /// Reading or writing failed otherwise.
    Io,
    /// Another process works on the tables.
    Locked,
    /// Somebody asked to stop.
    Stopped,
}

impl Error {
    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Damaged { .. }
            | Self::List { .. }
            | Self::Misplaced { .. }
            | Self::Unlisted { .. } => ErrorKind::Damaged,
            Self::NoTables(_) | Self::Unknown { .. } | Self::Missing { .. } => {
                ErrorKind::NotCovered
            }
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
                _ => ErrorKind::Io,
            },
            Self::Locked(_) => ErrorKind::Locked,
            Self::Stopped => ErrorKind::Stopped,
        }
    }
}

/// With an [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;
