//! The connection and the path that errors name.

use std::path::PathBuf;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{Error, Result};

/// An open database.
#[derive(Debug)]
pub(crate) struct Db {
    pub(crate) conn: Connection,
    pub(crate) path: PathBuf,
}

impl Db {
    /// Names the path in SQLite's error.
    pub(crate) fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|error| Error::sqlite(&self.path, error))
    }

    /// A transaction that writes. It takes SQLite's write lock at once: one that begins by reading cannot wait for it later.
    pub(crate) fn begin(&self) -> Result<Transaction<'_>> {
        self.sql(Transaction::new_unchecked(
            &self.conn,
            TransactionBehavior::Immediate,
        ))
    }

    /// Until it ends, what is read is one state of the database; within a transaction it is what that one sees. While it is open the
    /// write-ahead log cannot be reused.
    pub(crate) fn snapshot(&self) -> Result<Snapshot<'_>> {
        if !self.conn.is_autocommit() {
            return Ok(Snapshot(None));
        }
        let behavior = TransactionBehavior::Deferred;
        let tx = self.sql(Transaction::new_unchecked(&self.conn, behavior))?;
        Ok(Snapshot(Some(tx)))
    }

    /// The complaint that a row holds what it cannot.
    pub(crate) fn damaged(&self, what: impl Into<String>) -> Error {
        Error::Damaged {
            path: self.path.clone(),
            what: what.into(),
        }
    }
}

/// One state of a database, read by several statements.
pub(crate) struct Snapshot<'a>(Option<Transaction<'a>>);

impl Snapshot<'_> {
    pub(crate) fn end(self, db: &Db) -> Result<()> {
        self.0.map_or(Ok(()), |tx| db.sql(tx.commit()))
    }
}

/// Keys as SQLite's signed integers, in the same order.
pub(crate) fn sql_key(key: u64) -> i64 {
    (key ^ 1 << 63).cast_signed()
}

/// The key that [`sql_key`] was given.
pub(crate) fn key_of_sql(key: i64) -> u64 {
    key.cast_unsigned() ^ 1 << 63
}

/// A count as SQLite keeps it.
pub(crate) fn sql_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The count that [`sql_count`] was given; a negative one was never written and counts as none.
pub(crate) fn count_of_sql(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
