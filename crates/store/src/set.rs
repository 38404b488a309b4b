//! Strategy sets: which there are, and reading one in key order.
//!
//! A set has one *live* generation, a row of `proof_set` with state 1, to which its pages and recent rows belong. A merge writes a new
//! generation (state 0) and exchanges the two in its last transaction; what is left of the old one (state 2) is swept away afterwards.

use std::collections::VecDeque;

use proof::{Entry, Plies};
use rules::{Color, Move, Ruleset};
use rusqlite::{OptionalExtension, Row};

use crate::{
    Basis, Result, StoredClaim,
    claim::{color_named, ruleset_named},
    db::{Db, count_of_sql, key_of_sql, sql_key},
    page::Page,
};

/// The set of one ruleset, winner and basis. In order, a set comes after those that its entries may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SetKey {
    pub(crate) basis: Basis,
    pub(crate) ruleset: Ruleset,
    pub(crate) winner: Color,
}

/// A record as a set keeps it: of the check only 8 bits are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The position's key.
    pub key: u64,
    /// The low byte of [`proof::Record::check`].
    pub check: u8,
    /// What to play.
    pub entry: Entry,
}

const _: () = assert!(size_of::<StoredRecord>() <= 16);

/// The live generation of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetRow {
    pub(crate) id: i64,
    /// Rows in `proof_page`.
    pub(crate) pages: u64,
    /// Rows in `proof_recent`.
    pub(crate) recent: u64,
    /// Distinct keys in both.
    pub(crate) positions: u64,
}

/// The states of a generation.
pub(crate) const BUILDING: i64 = 0;
pub(crate) const LIVE: i64 = 1;
pub(crate) const DROPPED: i64 = 2;

impl SetKey {
    /// The set that a claim's own entries are in.
    pub(crate) fn of(claim: &StoredClaim) -> Self {
        Self {
            basis: claim.basis,
            ruleset: claim.ruleset,
            winner: claim.winner,
        }
    }

    /// The sets whose entries hold for a reader of `ruleset` and `basis`: of basis `Rules` its own first and then those that serve
    /// it, and then of basis `Tables` its own.
    pub(crate) fn serving(
        ruleset: Ruleset,
        winner: Color,
        basis: Basis,
    ) -> impl Iterator<Item = Self> {
        let others = Ruleset::ALL
            .into_iter()
            .filter(move |&other| other != ruleset);
        let rulesets = std::iter::once(ruleset).chain(others);
        let sets = Basis::ALL.into_iter().flat_map(move |basis| {
            rulesets.clone().map(move |ruleset| Self {
                basis,
                ruleset,
                winner,
            })
        });
        sets.filter(move |set| set.serves(ruleset, basis))
    }

    /// Whether the entries hold for a reader of `ruleset` and `basis`. The tables that a strategy leans on are those of its ruleset.
    pub(crate) fn serves(self, ruleset: Ruleset, basis: Basis) -> bool {
        match self.basis {
            Basis::Rules => self.ruleset.serves(ruleset),
            Basis::Tables => basis == Basis::Tables && self.ruleset == ruleset,
        }
    }

    /// Ruleset, winner and basis as the database names them.
    pub(crate) fn names(self) -> [&'static str; 3] {
        [self.ruleset.name(), self.winner.name(), self.basis.name()]
    }

    /// The set whose names these are.
    pub(crate) fn named(ruleset: &str, winner: &str, basis: &str) -> Option<Self> {
        Some(Self {
            basis: Basis::named(basis)?,
            ruleset: ruleset_named(ruleset)?,
            winner: color_named(winner)?,
        })
    }

    /// The live generation, if anything was ever stored.
    pub(crate) fn live(self, db: &Db) -> Result<Option<SetRow>> {
        let row = || {
            db.conn
                .prepare_cached(
                    "SELECT id, pages, recent, positions FROM proof_set
                     WHERE ruleset = ?1 AND winner = ?2 AND basis = ?3 AND state = 1",
                )?
                .query_row(self.names(), |row| {
                    Ok(SetRow {
                        id: row.get(0)?,
                        pages: count_of_sql(row.get(1)?),
                        recent: count_of_sql(row.get(2)?),
                        positions: count_of_sql(row.get(3)?),
                    })
                })
                .optional()
        };
        db.sql(row())
    }

    /// The page that holds `key` if any does, of the live generation.
    pub(crate) fn page_for(self, db: &Db, key: u64) -> Result<Option<Page>> {
        let [ruleset, winner, basis] = self.names();
        let row = || {
            db.conn
                .prepare_cached(
                    "SELECT id, first_key, page FROM proof_page
                     WHERE set_id = (SELECT id FROM proof_set
                                     WHERE ruleset = ?1 AND winner = ?2 AND basis = ?3 AND state = 1)
                     AND first_key <= ?4 ORDER BY first_key DESC LIMIT 1",
                )?
                .query_row((ruleset, winner, basis, sql_key(key)), page_row)
                .optional()
        };
        db.sql(row())?.map(|row| row.parse(db, self)).transpose()
    }

    /// The recent record of `key`, of the live generation.
    pub(crate) fn recent_for(self, db: &Db, key: u64) -> Result<Option<StoredRecord>> {
        let [ruleset, winner, basis] = self.names();
        let row = || {
            db.conn
                .prepare_cached(
                    "SELECT key, check8, move, height FROM proof_recent
                     WHERE set_id = (SELECT id FROM proof_set
                                     WHERE ruleset = ?1 AND winner = ?2 AND basis = ?3 AND state = 1)
                     AND key = ?4",
                )?
                .query_row((ruleset, winner, basis, sql_key(key)), record_row)
                .optional()
        };
        db.sql(row())
    }
}

/// A row of `proof_page`, not parsed.
pub(crate) struct PageRow {
    pub(crate) id: i64,
    pub(crate) first_key: i64,
    pub(crate) bytes: Box<[u8]>,
}

fn page_row(row: &Row<'_>) -> rusqlite::Result<PageRow> {
    Ok(PageRow {
        id: row.get(0)?,
        first_key: row.get(1)?,
        bytes: row.get_ref(2)?.as_blob()?.into(),
    })
}

impl PageRow {
    /// The page, if it is one.
    pub(crate) fn parse(self, db: &Db, set: SetKey) -> Result<Page> {
        let Self {
            id,
            first_key,
            bytes,
        } = self;
        let page = Page::parse(set, bytes)
            .map_err(|error| db.damaged(format!("proof_page row {id}: {error}")))?;
        if sql_key(page.first_key()) != first_key {
            let what = "the first key is not that of the page";
            return Err(db.damaged(format!("proof_page row {id}: {what}")));
        }
        Ok(page)
    }

    /// The page, if it is one and each of its records can be read.
    pub(crate) fn parse_in_full(self, db: &Db, set: SetKey) -> Result<Page> {
        let id = self.id;
        let page = self.parse(db, set)?;
        page.validate()
            .map_err(|error| db.damaged(format!("proof_page row {id}: {error}")))?;
        Ok(page)
    }
}

/// The record of `key` in a page.
pub(crate) fn find_in(db: &Db, page: &Page, key: u64) -> Result<Option<StoredRecord>> {
    page.find(key).map_err(|error| {
        let first = page.first_key();
        db.damaged(format!("proof_page with first key {first:#018x}: {error}"))
    })
}

/// A row of key, check, move and height.
pub(crate) fn record_row(row: &Row<'_>) -> rusqlite::Result<StoredRecord> {
    Ok(StoredRecord {
        key: key_of_sql(row.get(0)?),
        check: row.get(1)?,
        entry: entry_row(row, 2)?,
    })
}

/// Move and height in the columns `at` and `at + 1`.
pub(crate) fn entry_row(row: &Row<'_>, at: usize) -> rusqlite::Result<Entry> {
    let bits: u16 = row.get(at)?;
    let mv = Move::from_bits(bits).ok_or(rusqlite::Error::IntegralValueOutOfRange(
        at,
        i64::from(bits),
    ))?;
    Ok(Entry {
        mv,
        height: Plies(row.get(at + 1)?),
    })
}

/// The pages of one generation by ascending key, read one at a time.
pub(crate) struct SetPages<'a> {
    db: &'a Db,
    set_id: i64,
    from: Option<i64>,
}

impl<'a> SetPages<'a> {
    pub(crate) fn new(db: &'a Db, set_id: i64) -> Self {
        Self {
            db,
            set_id,
            from: Some(i64::MIN),
        }
    }

    /// The next page, not parsed.
    pub(crate) fn next_row(&mut self) -> Result<Option<PageRow>> {
        let Some(from) = self.from else {
            return Ok(None);
        };
        let row = || {
            self.db
                .conn
                .prepare_cached(
                    "SELECT id, first_key, page FROM proof_page
                     WHERE set_id = ?1 AND first_key >= ?2 ORDER BY first_key LIMIT 1",
                )?
                .query_row((self.set_id, from), page_row)
                .optional()
        };
        let row = self.db.sql(row())?;
        self.from = row.as_ref().and_then(|row| row.first_key.checked_add(1));
        Ok(row)
    }
}

/// How many recent rows are read at a time.
const RECENT_ROWS: i64 = 4096;

/// The recent rows of one generation by ascending key.
struct SetRecent<'a> {
    db: &'a Db,
    set_id: i64,
    from: Option<i64>,
    rows: VecDeque<StoredRecord>,
}

impl<'a> SetRecent<'a> {
    fn new(db: &'a Db, set_id: i64) -> Self {
        Self {
            db,
            set_id,
            from: Some(i64::MIN),
            rows: VecDeque::new(),
        }
    }

    fn next_record(&mut self) -> Result<Option<StoredRecord>> {
        if self.rows.is_empty()
            && let Some(from) = self.from
        {
            let rows = || -> rusqlite::Result<VecDeque<StoredRecord>> {
                self.db
                    .conn
                    .prepare_cached(
                        "SELECT key, check8, move, height FROM proof_recent
                         WHERE set_id = ?1 AND key >= ?2 ORDER BY key LIMIT ?3",
                    )?
                    .query_map((self.set_id, from, RECENT_ROWS), record_row)?
                    .collect()
            };
            self.rows = self.db.sql(rows())?;
            let last = self.rows.back();
            self.from = last.and_then(|last| sql_key(last.key).checked_add(1));
        }
        Ok(self.rows.pop_front())
    }
}

/// All recent records of one generation by ascending key.
pub(crate) fn all_recent(db: &Db, set_id: i64) -> Result<Vec<StoredRecord>> {
    let mut recent = SetRecent::new(db, set_id);
    let mut records = Vec::new();
    while let Some(record) = recent.next_record()? {
        records.push(record);
    }
    Ok(records)
}

/// All records of one generation by strictly ascending key, pages and recent rows merged; of two records of one position
/// the one with the smaller height.
pub(crate) struct SetRecords<'a> {
    set: SetKey,
    pages: SetPages<'a>,
    /// What is left of the page at hand.
    page: std::vec::IntoIter<StoredRecord>,
    paged: Option<StoredRecord>,
    recent: SetRecent<'a>,
    fresh: Option<StoredRecord>,
    last: Option<u64>,
    started: bool,
}

impl<'a> SetRecords<'a> {
    pub(crate) fn new(db: &'a Db, set: SetKey, set_id: i64) -> Self {
        Self {
            set,
            pages: SetPages::new(db, set_id),
            page: Vec::new().into_iter(),
            paged: None,
            recent: SetRecent::new(db, set_id),
            fresh: None,
            last: None,
            started: false,
        }
    }

    fn next_paged(&mut self) -> Result<Option<StoredRecord>> {
        loop {
            if let Some(record) = self.page.next() {
                return Ok(Some(record));
            }
            let Some(row) = self.pages.next_row()? else {
                return Ok(None);
            };
            self.page = self.decode(row)?.into_iter();
        }
    }

    /// The records of a page: all that its header tells of, ascending, after those of the page before.
    fn decode(&mut self, row: PageRow) -> Result<Vec<StoredRecord>> {
        let db = self.pages.db;
        let id = row.id;
        let damaged = |what: String| db.damaged(format!("proof_page row {id}: {what}"));
        let page = row.parse(db, self.set)?;
        let mut records = Vec::with_capacity(page.count());
        for record in page.records() {
            let record = record.map_err(|error| damaged(error.to_string()))?;
            if self.last.is_some_and(|last| last >= record.key) {
                return Err(damaged("its keys do not ascend".to_owned()));
            }
            self.last = Some(record.key);
            records.push(record);
        }
        let first = records.first().map(|record| record.key);
        let is_whole = records.len() == page.count()
            && first == Some(page.first_key())
            && self.last == Some(page.last_key());
        if is_whole {
            Ok(records)
        } else {
            Err(damaged("its header does not fit its records".to_owned()))
        }
    }

    pub(crate) fn next_record(&mut self) -> Result<Option<StoredRecord>> {
        if !self.started {
            self.started = true;
            self.paged = self.next_paged()?;
            self.fresh = self.recent.next_record()?;
        }
        let (take_paged, take_fresh) = match (&self.paged, &self.fresh) {
            (None, None) => return Ok(None),
            (Some(_), None) => (true, false),
            (None, Some(_)) => (false, true),
            (Some(paged), Some(fresh)) => (paged.key <= fresh.key, fresh.key <= paged.key),
        };
        let mut best = None;
        if take_fresh {
            best = self.fresh;
            self.fresh = self.recent.next_record()?;
        }
        if take_paged {
            best = smaller(best, self.paged);
            self.paged = self.next_paged()?;
        }
        Ok(best)
    }
}

impl Iterator for SetRecords<'_> {
    type Item = Result<StoredRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

/// The one with the smaller height, the first at a tie: that is the newer one, which may be meant to take the other's place.
pub(crate) fn smaller(
    first: Option<StoredRecord>,
    second: Option<StoredRecord>,
) -> Option<StoredRecord> {
    match (first, second) {
        (Some(a), Some(b)) if a.entry.height <= b.entry.height => Some(a),
        (first, None) => first,
        (_, second) => second,
    }
}

#[cfg(test)]
mod tests;
