//! What can go wrong with a database.

use std::{fmt, io, path::Path, path::PathBuf};

use rules::Move;
use rusqlite::ffi;
use thiserror::Error;

/// A short form of `Result`.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a database could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no file to read.
    #[error("there is no database at {}", .0.display())]
    NotFound(PathBuf),
    /// A file that must not be overwritten.
    #[error("{} exists already: use --force to replace it", .0.display())]
    Exists(PathBuf),
    /// A file or directory that does not let itself be written.
    #[error("{} is not writable", .0.display())]
    ReadOnly(PathBuf),
    /// A change was asked of a store that was opened with [`crate::Access::Read`].
    #[error("{} was opened for reading only", .0.display())]
    OpenedForReading(PathBuf),
    /// No room on the disk.
    #[error("the disk is full: no room to write {}", .0.display())]
    Full(PathBuf),
    /// Another process writes the database.
    #[error("{} is locked by {holder}", path.display())]
    Locked {
        /// The database.
        path: PathBuf,
        /// By whom.
        holder: Holder,
    },
    /// The file that locks the database cannot be opened or written.
    #[error("cannot write {}: its lock {} cannot be opened", path.display(), lock.display())]
    Lock {
        /// The database.
        path: PathBuf,
        /// The file.
        lock: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Other bytes than SQLite's.
    #[error("{} is not a database, or its first bytes are damaged", .0.display())]
    NotADatabase(PathBuf),
    /// A database of another program.
    #[error(
        "{} belongs to another program (application id {application_id:#x}): choose another file",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it says of itself.
        application_id: i32,
    },
    /// A database in which nothing was ever stored.
    #[error("{} is empty: nothing was stored in it yet", .0.display())]
    Empty(PathBuf),
    /// Written by a later version.
    #[error(
        "{} has schema version {found}, and this version knows only up to {known}: use a newer takeme",
        path.display()
    )]
    NewerSchema {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The latest version known here.
        known: i64,
    },
    /// Written by an earlier version; only a writer may upgrade it.
    #[error(
        "{} has schema version {found}, and {known} is needed: open it once for writing to upgrade it",
        path.display()
    )]
    OlderSchema {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version needed.
        known: i64,
    },
    /// An upgrade failed and was undone.
    #[error("the upgrade of {} to schema version {version} failed and was undone", path.display())]
    Upgrade {
        /// The database.
        path: PathBuf,
        /// The version that was not reached.
        version: i64,
        /// Why.
        source: rusqlite::Error,
    },
    /// The contents contradict themselves.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// Table, row and complaint.
        what: String,
    },
    /// A claim that is not in the database.
    #[error("{} has no claim number {id}", path.display())]
    NoClaim {
        /// The database.
        path: PathBuf,
        /// The number asked for.
        id: i64,
    },
    /// A record that cannot be kept, since no man moves so.
    #[error("the move {0} is possible in no position")]
    ImpossibleMove(Move),
    /// Anything else that SQLite says.
    #[error("cannot use {}", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What it says.
        source: rusqlite::Error,
    },
    /// Anything else that the system says.
    #[error("cannot use {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
}

/// The classes of errors that exit codes tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A wrong path, or one without the necessary rights: exit code 2.
    Usage,
    /// Damaged, of a later version or of another program: exit code 5.
    Damaged,
    /// In use by another process: exit code 6.
    Locked,
    /// No room: exit code 7.
    Full,
}

/// The process that holds a database, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub pid: Option<u32>,
    /// When it took the lock, in seconds since 1970.
    pub since: Option<u64>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}")?,
            None => f.write_str("another process")?,
        }
        match self.since {
            Some(since) => write!(f, " for {} s", crate::now().saturating_sub(since)),
            None => Ok(()),
        }
    }
}

impl Error {
    /// The class of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound(_)
            | Self::Exists(_)
            | Self::ReadOnly(_)
            | Self::OpenedForReading(_)
            | Self::Empty(_)
            | Self::OlderSchema { .. }
            | Self::NoClaim { .. }
            | Self::ImpossibleMove(_)
            | Self::Lock { .. }
            | Self::Io { .. } => ErrorKind::Usage,
            Self::NotADatabase(_)
            | Self::Foreign { .. }
            | Self::NewerSchema { .. }
            | Self::Upgrade { .. }
            | Self::Damaged { .. }
            | Self::Sqlite { .. } => ErrorKind::Damaged,
            Self::Locked { .. } => ErrorKind::Locked,
            Self::Full(_) => ErrorKind::Full,
        }
    }

    /// What SQLite's error means for the database at `path`.
    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match &source {
            rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
                rusqlite::ErrorCode::DiskFull => Self::Full(path),
                // The file shared by readers and writers could not be extended.
                _ if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => Self::Full(path),
                rusqlite::ErrorCode::NotADatabase => Self::NotADatabase(path),
                rusqlite::ErrorCode::ReadOnly | rusqlite::ErrorCode::PermissionDenied => {
                    Self::ReadOnly(path)
                }
                rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked => {
                    Self::Locked {
                        path,
                        holder: Holder::default(),
                    }
                }
                rusqlite::ErrorCode::DatabaseCorrupt => Self::Damaged {
                    path,
                    what: message.clone().unwrap_or_else(|| failure.to_string()),
                },
                _ => Self::Sqlite { path, source },
            },
            // A column of a type that no writer gives it.
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..) => Self::Damaged {
                path,
                what: source.to_string(),
            },
            _ => Self::Sqlite { path, source },
        }
    }

    /// What the system's error means for the file at `path`.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full(path),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly(path)
            }
            _ => Self::Io { path, source },
        }
    }
}

#[cfg(test)]
mod tests;
