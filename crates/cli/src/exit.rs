//! Exit codes, part of the interface (`cli.md`), and which error leads to which.

use std::{io, process::ExitCode};

use interchange::colibri;
use store::ErrorKind;

use crate::{
    format::OutsideFormat,
    leaned_on::{NoTableFor, TableNotHere, Unjudged},
    lookup::RejectedProof,
    output::{ClosedPipe, OutputError},
    table_files::DamagedTable,
    usage::Usage,
};

/// How a command ends. The numbers are the exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Proved, found, verified, done.
    Done = 0,
    /// The answer is no: disproved, or not won by that side.
    No = 1,
    /// A bad flag, an illegal move, a bad FEN.
    Usage = 2,
    /// A limit was reached, or the database does not settle the line.
    Undecided = 3,
    /// A proof was rejected by the verifier.
    Rejected = 4,
    /// Damaged input or database.
    Damaged = 5,
    /// Another process holds the database.
    Locked = 6,
    /// No room on the disk, or no memory.
    Full = 7,
    /// No table covers the position, or a feature is outside the file's range.
    NotCovered = 8,
    /// Stopped by a signal, after saving.
    Interrupted = 130,
}

impl Exit {
    /// From the worst to the best; an interrupted run says so whatever it had found before.
    const ORDER: [Self; 10] = [
        Self::Interrupted,
        Self::Full,
        Self::Damaged,
        Self::Rejected,
        Self::Locked,
        Self::Usage,
        Self::NotCovered,
        Self::Undecided,
        Self::No,
        Self::Done,
    ];

    /// The worse of the two.
    pub(crate) fn worse(self, other: Self) -> Self {
        let among = |exit: &Self| [self, other].contains(exit);
        Self::ORDER.into_iter().find(among).unwrap_or(self)
    }

    /// The exit code of an error that ends a command.
    pub(crate) fn of_error(error: &anyhow::Error) -> Self {
        error
            .chain()
            .find_map(Self::of_cause)
            .unwrap_or(Self::Usage)
    }

    fn of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Self> {
        if cause.is::<ClosedPipe>() {
            return Some(Self::Done);
        }
        if cause.is::<RejectedProof>() {
            return Some(Self::Rejected);
        }
        if cause.is::<DamagedTable>() {
            return Some(Self::Damaged);
        }
        if cause.is::<TableNotHere>()
            || cause.is::<NoTableFor>()
            || cause.is::<Unjudged>()
            || cause.is::<OutsideFormat>()
        {
            return Some(Self::NotCovered);
        }
        if cause.is::<Usage>() {
            return Some(Self::Usage);
        }
        if let Some(error) = cause.downcast_ref::<store::Error>() {
            return Some(Self::of_store(error.kind()));
        }
        if let Some(error) = cause.downcast_ref::<tablebase::Error>() {
            return Some(Self::of_tables(error.kind()));
        }
        if cause.is::<proof::certificate::CertificateError>()
            || cause.is::<verify::CertificateError>()
        {
            return Some(Self::Damaged);
        }
        if let Some(error) = cause.downcast_ref::<colibri::ColibriError>()
            && !matches!(error.problem, colibri::Problem::Read(_))
        {
            return Some(Self::Damaged);
        }
        let io = match cause.downcast_ref::<OutputError>() {
            Some(error) => Some(&error.0),
            None => cause.downcast_ref::<io::Error>(),
        };
        io.map(|error| match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::OutOfMemory => Self::Full,
            _ => Self::Usage,
        })
    }

    fn of_tables(kind: tablebase::ErrorKind) -> Self {
        match kind {
            tablebase::ErrorKind::Damaged => Self::Damaged,
            tablebase::ErrorKind::NotCovered => Self::NotCovered,
            tablebase::ErrorKind::Full => Self::Full,
            tablebase::ErrorKind::Locked => Self::Locked,
            tablebase::ErrorKind::Io => Self::Usage,
            tablebase::ErrorKind::Stopped => Self::Interrupted,
        }
    }

    fn of_store(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Damaged => Self::Damaged,
            ErrorKind::Locked => Self::Locked,
            ErrorKind::Full => Self::Full,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_code_wins() {
        let worst = |exits: &[Exit]| exits.iter().fold(Exit::Done, |a, &b| a.worse(b)) as u8;
        assert_eq!(worst(&[]), 0);
        assert_eq!(worst(&[Exit::Done, Exit::No, Exit::Undecided]), 3);
        assert_eq!(worst(&[Exit::Undecided, Exit::Usage]), 2);
        assert_eq!(worst(&[Exit::Locked, Exit::Rejected]), 4);
        assert_eq!(worst(&[Exit::Full, Exit::Damaged]), 7);
        assert_eq!(worst(&[Exit::Interrupted, Exit::Full]), 130);
    }

    #[test]
    fn errors_have_the_codes_of_their_causes() {
        let code = |error: anyhow::Error| Exit::of_error(&error) as u8;
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(code(anyhow::Error::new(full).context("writing")), 7);
        assert_eq!(code(ClosedPipe.into()), 0);
        assert_eq!(code(store::Error::Full("x.db".into()).into()), 7);
        assert_eq!(code(store::Error::NotFound("x.db".into()).into()), 2);
        assert_eq!(code(store::Error::NotADatabase("x.db".into()).into()), 5);
        assert_eq!(
            code(proof::certificate::CertificateError::Checksum.into()),
            5
        );
    }
}
