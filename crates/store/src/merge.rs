//! Merging records into a set.
//!
//! Of two entries for one position the one with the smaller height stays, the stored one at a tie. That keeps every entry's
//! height above those of the entries that its move leads to, on either side, so merging is always safe (how far that goes where
//! tables end lines: [`Basis`](crate::Basis)). It must happen at once, though: an entry replaced by one whose own followers are not
//! stored yet would break a proof that was complete. So whatever is merged becomes visible in one transaction:
//!
//! - a batch that is small for its set goes to `proof_recent` in one transaction;
//! - a larger one is merged with all there is into a new generation of pages, in transactions of [`PAGES_PER_TRANSACTION`] pages,
//!   and the last one makes it the live one.

use proof::{Plies, Record};
use rusqlite::Transaction;

use crate::{
    Error, Result, StoredRecord,
    db::{Db, sql_count, sql_key},
    exact::{Absorbed, ExactIndex},
    move_code,
    page::{Built, ImpossibleMove, Page, PageBuilder},
    set::{BUILDING, DROPPED, LIVE, SetKey, SetRecords, SetRow, find_in, smaller},
};

/// Pages that a transaction writes, and with the file's other pages what bounds the write-ahead log: 2048 pages are 8 MiB.
pub(crate) const PAGES_PER_TRANSACTION: u64 = 2048;

/// A set keeps at most so many recent rows for each page … (Storing batches of 1000 onto 500,000 positions took 35 µs of processor time
/// a record with 4, 22 µs with 16 and 18 µs with 64, and each 16 rows a page make the file 4 % larger until the next merge.)
const RECENT_PER_PAGE: u64 = 16;
/// … but at least so many, however small it is, …
const RECENT_MIN: u64 = 2_000;
/// … and at most so many, however large.
const RECENT_MAX: u64 = 16_000_000;

/// What became of records that were merged into a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// New positions.
    pub added: u64,
    /// Positions that have a smaller height now.
    pub improved: u64,
    /// Positions whose stored entry was as good.
    pub kept: u64,
    /// Records whose key is that of another position: they cannot be told apart without the position, and were not
    /// stored. [`crate::Store::put_position`] takes them.
    pub unplaced: Vec<Record>,
}

/// Which of two entries of the same height stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The stored one.
    Stored,
    /// The one that comes.
    Newcomer,
}

impl Merged {
    fn count(&mut self, absorbed: Absorbed) {
        match absorbed {
            Absorbed::Improved => self.improved += 1,
            Absorbed::Kept => self.kept += 1,
        }
    }

    /// What to store for `key`, given what is stored and a newcomer; counts it. `None` if nothing changes.
    fn decide(
        &mut self,
        stored: Option<StoredRecord>,
        record: &Record,
        ties: Ties,
    ) -> Option<StoredRecord> {
        let newcomer = StoredRecord::from(record);
        let stays = |stored: Plies| match ties {
            Ties::Stored => stored <= record.entry.height,
            Ties::Newcomer => stored < record.entry.height,
        };
        match stored {
            None => self.added += 1,
            Some(stored) if stored.check != newcomer.check => {
                self.unplaced.push(*record);
                return None;
            }
            Some(stored) if stays(stored.entry.height) => {
                self.kept += 1;
                return None;
            }
            Some(_) => self.improved += 1,
        }
        Some(newcomer)
    }
}

impl From<&Record> for StoredRecord {
    fn from(record: &Record) -> Self {
        Self {
            key: record.key,
            check: record.check.to_le_bytes()[0],
            entry: record.entry,
        }
    }
}

/// Merges `records`, sorted by key, `len` of them, into `set`. The transaction that comes back makes it visible when it is
/// committed; nothing is changed if it is not.
pub(crate) fn merge(
    db: &Db,
    set: SetKey,
    len: u64,
    records: impl Iterator<Item = Result<Record>>,
    ties: Ties,
) -> Result<(Transaction<'_>, Merged)> {
    let tx = db.begin()?;
    let row = set.live(db)?;
    let pages = row.map_or(0, |row| row.pages);
    let recent = row.map_or(0, |row| row.recent);
    let room = pages
        .saturating_mul(RECENT_PER_PAGE)
        .clamp(RECENT_MIN, RECENT_MAX);
    if recent.saturating_add(len) <= room {
        let merged = put_recent(db, set, row, records, ties)?;
        return Ok((tx, merged));
    }
    let mut generation = Generation::begin(db, tx, set, row)?;
    let merged = generation.fill(records, ties)?;
    Ok((generation.finish()?, merged))
}

/// Merges the recent rows of `set` into its pages, and fills pages that are not full.
pub(crate) fn repack(db: &Db, set: SetKey) -> Result<()> {
    let tx = db.begin()?;
    let Some(row) = set.live(db)? else {
        return Ok(());
    };
    let mut generation = Generation::begin(db, tx, set, Some(row))?;
    generation.fill(std::iter::empty(), Ties::Stored)?;
    let tx = generation.finish()?;
    db.sql(tx.commit())?;
    sweep(db)
}

fn put_recent(
    db: &Db,
    set: SetKey,
    row: Option<SetRow>,
    records: impl Iterator<Item = Result<Record>>,
    ties: Ties,
) -> Result<Merged> {
    let id = match row {
        Some(row) => row.id,
        None => new_generation(db, set, LIVE)?,
    };
    let mut exact = ExactIndex::load(db, set)?;
    let mut merged = Merged::default();
    let mut page: Option<Page> = None;
    let mut rows = 0;
    let mut put = db.sql(db.conn.prepare_cached(
        "INSERT OR REPLACE INTO proof_recent (set_id, key, check8, move, height)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    ))?;
    for record in records {
        let record = record?;
        let mv = record.entry.mv;
        move_code::encode(mv).ok_or(Error::ImpossibleMove(mv))?;
        if let Some(absorbed) = exact.absorbs(&record) {
            merged.count(absorbed);
            continue;
        }
        if page
            .as_ref()
            .is_none_or(|page| record.key > page.last_key())
        {
            page = set.page_for(db, record.key)?.or(page);
        }
        let paged = match &page {
            Some(page) => find_in(db, page, record.key)?,
            None => None,
        };
        let recent = set.recent_for(db, record.key)?;
        if let Some(best) = merged.decide(smaller(recent, paged), &record, ties) {
            rows += u64::from(recent.is_none());
            db.sql(put.execute((
                id,
                sql_key(best.key),
                best.check,
                best.entry.mv.to_bits(),
                best.entry.height.0,
            )))?;
        }
    }
    exact.write(db, set)?;
    db.sql(db.conn.execute(
        "UPDATE proof_set SET recent = recent + ?2, positions = positions + ?3 WHERE id = ?1",
        (id, sql_count(rows), sql_count(merged.added)),
    ))?;
    Ok(merged)
}

fn new_generation(db: &Db, set: SetKey, state: i64) -> Result<i64> {
    let [ruleset, winner, basis] = set.names();
    db.sql(db.conn.execute(
        "INSERT INTO proof_set (ruleset, winner, basis, state, pages, recent, positions)
         VALUES (?1, ?2, ?3, ?4, 0, 0, 0)",
        (ruleset, winner, basis, state),
    ))?;
    Ok(db.conn.last_insert_rowid())
}

/// A generation of pages that is being written.
struct Generation<'a> {
    db: &'a Db,
    tx: Option<Transaction<'a>>,
    set: SetKey,
    old: Option<SetRow>,
    id: i64,
    builder: PageBuilder,
    exact: ExactIndex,
    pages: u64,
    positions: u64,
}

impl<'a> Generation<'a> {
    fn begin(db: &'a Db, tx: Transaction<'a>, set: SetKey, old: Option<SetRow>) -> Result<Self> {
        Ok(Self {
            db,
            tx: Some(tx),
            set,
            old,
            id: new_generation(db, set, BUILDING)?,
            builder: PageBuilder::new(set),
            exact: ExactIndex::load(db, set)?,
            pages: 0,
            positions: 0,
        })
    }

    fn fill(
        &mut self,
        records: impl Iterator<Item = Result<Record>>,
        ties: Ties,
    ) -> Result<Merged> {
        let mut merged = Merged::default();
        let (db, set) = (self.db, self.set);
        let mut stored = self.old.map(|old| SetRecords::new(db, set, old.id));
        let mut next_stored = move || match &mut stored {
            Some(stored) => stored.next_record(),
            None => Ok(None),
        };
        let mut ahead = next_stored()?;
        // The record to write next, still open to a better entry for its key.
        let mut current: Option<StoredRecord> = None;
        for record in records {
            let record = record?;
            if let Some(absorbed) = self.exact.absorbs(&record) {
                merged.count(absorbed);
                continue;
            }
            while let Some(next) = ahead.filter(|next| next.key <= record.key) {
                self.push(current.replace(next))?;
                ahead = next_stored()?;
            }
            let same = current.filter(|current| current.key == record.key);
            if let Some(best) = merged.decide(same, &record, ties) {
                if same.is_none() {
                    self.push(current.take())?;
                }
                current = Some(best);
            }
        }
        self.push(current)?;
        while let Some(next) = ahead {
            self.push(Some(next))?;
            ahead = next_stored()?;
        }
        if let Some(page) = self.builder.finish() {
            self.insert(&page)?;
        }
        Ok(merged)
    }

    fn push(&mut self, record: Option<StoredRecord>) -> Result<()> {
        let Some(record) = record else { return Ok(()) };
        self.positions += 1;
        match self.builder.push(record) {
            Ok(None) => Ok(()),
            Ok(Some(page)) => self.insert(&page),
            Err(ImpossibleMove(mv)) => Err(Error::ImpossibleMove(mv)),
        }
    }

    fn insert(&mut self, page: &Built) -> Result<()> {
        if self.pages > 0 && self.pages.is_multiple_of(PAGES_PER_TRANSACTION) {
            if let Some(tx) = self.tx.take() {
                self.db.sql(tx.commit())?;
            }
            self.tx = Some(self.db.begin()?);
        }
        self.pages += 1;
        let insert = || {
            self.db
                .conn
                .prepare_cached(
                    "INSERT INTO proof_page (set_id, first_key, page) VALUES (?1, ?2, ?3)",
                )?
                .execute((self.id, sql_key(page.first_key), &page.bytes))
        };
        self.db.sql(insert()).map(drop)
    }

    /// Makes the generation the live one, in the transaction that comes back.
    fn finish(mut self) -> Result<Transaction<'a>> {
        let state = |id: i64, state: i64| {
            let sql = "UPDATE proof_set SET state = ?2 WHERE id = ?1";
            self.db.sql(self.db.conn.execute(sql, (id, state)))
        };
        if let Some(old) = self.old {
            state(old.id, DROPPED)?;
        }
        state(self.id, LIVE)?;
        self.db.sql(self.db.conn.execute(
            "UPDATE proof_set SET pages = ?2, positions = ?3 WHERE id = ?1",
            (self.id, sql_count(self.pages), sql_count(self.positions)),
        ))?;
        self.exact.write(self.db, self.set)?;
        Ok(self.tx.take().expect("insert leaves a transaction open"))
    }
}

/// Removes what merges left behind: generations that were replaced, and ones that were never finished.
pub(crate) fn sweep(db: &Db) -> Result<()> {
    loop {
        let tx = db.begin()?;
        let dead: Option<i64> = db.sql(db.conn.query_row(
            "SELECT min(id) FROM proof_set WHERE state <> 1",
            [],
            |row| row.get(0),
        ))?;
        let Some(dead) = dead else { return Ok(()) };
        let limit = sql_count(PAGES_PER_TRANSACTION);
        let pages = db.sql(db.conn.execute(
            "DELETE FROM proof_page WHERE id IN
             (SELECT id FROM proof_page WHERE set_id = ?1 LIMIT ?2)",
            (dead, limit),
        ))?;
        let rows = db.sql(db.conn.execute(
            "DELETE FROM proof_recent WHERE set_id = ?1 AND key IN
             (SELECT key FROM proof_recent WHERE set_id = ?1 ORDER BY key LIMIT ?2)",
            (dead, 100 * limit),
        ))?;
        if pages == 0 && rows == 0 {
            db.sql(
                db.conn
                    .execute("DELETE FROM proof_set WHERE id = ?1", [dead]),
            )?;
        }
        db.sql(tx.commit())?;
    }
}

#[cfg(test)]
mod tests;
