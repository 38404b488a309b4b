//! The side table of positions whose key is another position's.

use std::collections::HashMap;

use proof::{Entry, Record};
use rules::PackedPosition;
use rusqlite::{OptionalExtension, Row};

use crate::{
    Result,
    db::{Db, key_of_sql, sql_key},
    set::{SetKey, entry_row},
};

/// A row of `proof_exact`.
#[derive(Clone, Debug)]
pub(crate) struct ExactRow {
    pub(crate) key: u64,
    pub(crate) position: PackedPosition,
    pub(crate) entry: Entry,
}

fn exact_row(row: &Row<'_>) -> rusqlite::Result<ExactRow> {
    let bytes = row.get_ref(1)?.as_blob()?;
    let position = PackedPosition::from_bytes(bytes).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Blob, error.into())
    })?;
    Ok(ExactRow {
        key: key_of_sql(row.get(0)?),
        position,
        entry: entry_row(row, 2)?,
    })
}

impl SetKey {
    /// The entry of exactly this position.
    pub(crate) fn exact_for(
        self,
        db: &Db,
        key: u64,
        position: &PackedPosition,
    ) -> Result<Option<Entry>> {
        let [ruleset, winner, basis] = self.names();
        let row = || {
            db.conn
                .prepare_cached(
                    "SELECT move, height FROM proof_exact
                     WHERE ruleset = ?1 AND winner = ?2 AND basis = ?3 AND key = ?4 AND position = ?5",
                )?
                .query_row(
                    (ruleset, winner, basis, sql_key(key), position.as_bytes()),
                    |row| entry_row(row, 0),
                )
                .optional()
        };
        db.sql(row())
    }

    /// Whether the set has any such position.
    pub(crate) fn has_exact(self, db: &Db) -> Result<bool> {
        let exists = || {
            db.conn
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM proof_exact
                                    WHERE ruleset = ?1 AND winner = ?2 AND basis = ?3)",
                )?
                .query_row(self.names(), |row| row.get(0))
        };
        db.sql(exists())
    }

    /// All rows of the set; there are hardly ever any.
    pub(crate) fn exact_rows(self, db: &Db) -> Result<Vec<ExactRow>> {
        let rows = || -> rusqlite::Result<Vec<ExactRow>> {
            db.conn
                .prepare_cached(
                    "SELECT key, position, move, height FROM proof_exact
                     WHERE ruleset = ?1 AND winner = ?2 AND basis = ?3 ORDER BY key, position",
                )?
                .query_map(self.names(), exact_row)?
                .collect()
        };
        db.sql(rows())
    }

    /// Stores the entry of exactly this position, unless one with no larger height is there.
    pub(crate) fn put_exact(
        self,
        db: &Db,
        key: u64,
        position: &PackedPosition,
        entry: Entry,
    ) -> Result<()> {
        let [ruleset, winner, basis] = self.names();
        let put = || {
            db.conn
                .prepare_cached(
                    "INSERT INTO proof_exact (ruleset, winner, basis, key, position, move, height)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                     ON CONFLICT DO UPDATE SET move = excluded.move, height = excluded.height
                     WHERE excluded.height < height",
                )?
                .execute((
                    ruleset,
                    winner,
                    basis,
                    sql_key(key),
                    position.as_bytes(),
                    entry.mv.to_bits(),
                    entry.height.0,
                ))
        };
        db.sql(put()).map(drop)
    }
}

/// The rows of one set by key and check, and the better entries that a merge finds for them.
pub(crate) struct ExactIndex {
    by_id: HashMap<(u64, u64), (PackedPosition, Entry)>,
    improved: Vec<ExactRow>,
}

impl ExactIndex {
    pub(crate) fn load(db: &Db, set: SetKey) -> Result<Self> {
        let rows = set.exact_rows(db)?;
        let by_id = rows.into_iter().map(|row| {
            let check = Record::check_of(&row.position);
            ((row.key, check), (row.position, row.entry))
        });
        Ok(Self {
            by_id: by_id.collect(),
            improved: Vec::new(),
        })
    }

    /// Whether the record's position is one of the table; then its entry, if better, is taken note of.
    pub(crate) fn absorbs(&mut self, record: &Record) -> Option<Absorbed> {
        if self.by_id.is_empty() {
            return None;
        }
        let (position, entry) = self.by_id.get_mut(&(record.key, record.check))?;
        if record.entry.height >= entry.height {
            return Some(Absorbed::Kept);
        }
        *entry = record.entry;
        self.improved.push(ExactRow {
            key: record.key,
            position: position.clone(),
            entry: record.entry,
        });
        Some(Absorbed::Improved)
    }

    /// Writes what [`ExactIndex::absorbs`] noted.
    pub(crate) fn write(&self, db: &Db, set: SetKey) -> Result<()> {
        for row in &self.improved {
            set.put_exact(db, row.key, &row.position, row.entry)?;
        }
        Ok(())
    }
}

/// What became of a record whose position is in the side table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absorbed {
    Improved,
    Kept,
}
