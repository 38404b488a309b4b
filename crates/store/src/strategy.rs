//! What a database says about positions, as a [`proof::Strategy`].

mod table;

use std::collections::{BTreeMap, HashMap};

use proof::{Entry, Record, Strategy};
use rules::{Color, PackedPosition, Position, Ruleset};

use crate::{
    Basis, Error, Result, StoredRecord,
    db::Db,
    page::Page,
    set::{SetKey, SetRecords, find_in, smaller},
};
use table::Table;

/// Pages that a [`StoredStrategy`] keeps, unless told otherwise: 16 MiB.
const CACHE_PAGES: usize = 4096;

/// The position that is asked for, in all its forms.
pub(crate) struct Asked {
    key: u64,
    check: u8,
    packed: PackedPosition,
}

impl Asked {
    pub(crate) fn new(position: &Position) -> Self {
        let packed = position.pack();
        Self {
            key: position.key(),
            check: Record::check_of(&packed).to_le_bytes()[0],
            packed,
        }
    }

    /// The entry, if the record is of this position.
    fn of(&self, record: Option<StoredRecord>) -> Option<Entry> {
        record
            .filter(|record| record.check == self.check)
            .map(|record| record.entry)
    }
}

/// The entry with the smaller height, the first at a tie.
fn lower(first: Option<Entry>, second: Option<Entry>) -> Option<Entry> {
    match (first, second) {
        (Some(a), Some(b)) if b.height < a.height => Some(b),
        (None, second) => second,
        (first, _) => first,
    }
}

impl SetKey {
    /// What this set says, read from the database.
    pub(crate) fn look_up(self, db: &Db, asked: &Asked) -> Result<Option<Entry>> {
        if let Some(entry) = self.exact_for(db, asked.key, &asked.packed)? {
            return Ok(Some(entry));
        }
        // Recent rows come first: a merge by another process takes records from there to the pages, never back.
        let recent = self.recent_for(db, asked.key)?;
        let paged = match self.page_for(db, asked.key)? {
            Some(page) => find_in(db, &page, asked.key)?,
            None => None,
        };
        Ok(asked.of(smaller(recent, paged)))
    }
}

/// What all sets say that serve `ruleset` and `basis`, read from the database.
pub(crate) fn look_up(
    db: &Db,
    ruleset: Ruleset,
    winner: Color,
    basis: Basis,
    position: &Position,
) -> Result<Option<Entry>> {
    let asked = Asked::new(position);
    let mut best = None;
    for set in SetKey::serving(ruleset, winner, basis) {
        best = lower(best, set.look_up(db, &asked)?);
    }
    Ok(best)
}

/// The strategy for one ruleset, winner and basis, read from the database as it is asked, with the pages read last kept.
///
/// It looks in the ruleset's own set, in that of `joint` where that serves, and on the basis of tables in the ruleset's own set of
/// that basis; the smaller height wins. What another process stores
/// meanwhile may or may not be seen; what was stored before stays true, since entries are only ever replaced by better ones.
#[derive(Debug)]
pub struct StoredStrategy<'a> {
    db: &'a Db,
    sets: Vec<CachedSet>,
}

impl<'a> StoredStrategy<'a> {
    pub(crate) fn new(db: &'a Db, ruleset: Ruleset, winner: Color, basis: Basis) -> Self {
        let sets = SetKey::serving(ruleset, winner, basis).map(|set| CachedSet {
            set,
            pages: BTreeMap::new(),
            side: None,
            capacity: CACHE_PAGES,
            clock: 0,
        });
        Self {
            db,
            sets: sets.collect(),
        }
    }

    /// The same with room for `pages` pages of about 4 KiB in each set, at least one.
    #[must_use]
    pub fn with_cache_pages(mut self, pages: usize) -> Self {
        for set in &mut self.sets {
            set.capacity = pages.max(1);
        }
        self
    }
}

impl Strategy for StoredStrategy<'_> {
    type Error = Error;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>> {
        let asked = Asked::new(position);
        let mut best = None;
        for set in &mut self.sets {
            best = lower(best, set.look_up(self.db, &asked)?);
        }
        Ok(best)
    }
}

/// The pages of one set that were read last.
#[derive(Debug)]
struct CachedSet {
    set: SetKey,
    /// By first key; with each the time of its last use.
    pages: BTreeMap<u64, (Page, u64)>,
    /// Which of the tables besides the pages hold rows of the set, as far as is known.
    side: Option<Side>,
    capacity: usize,
    clock: u64,
}

/// Which of the tables besides the pages hold rows of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Side {
    recent: bool,
    exact: bool,
}

impl CachedSet {
    fn look_up(&mut self, db: &Db, asked: &Asked) -> Result<Option<Entry>> {
        let side = match self.side {
            Some(side) => side,
            None => self.read_side(db)?,
        };
        let found = self.look_up_with(db, asked, side)?;
        if found.is_some() {
            return Ok(found);
        }
        // What is missing may have been stored since.
        let now = self.read_side(db)?;
        if now == side {
            return Ok(None);
        }
        self.look_up_with(db, asked, now)
    }

    fn look_up_with(&mut self, db: &Db, asked: &Asked, side: Side) -> Result<Option<Entry>> {
        if side.exact
            && let Some(entry) = self.set.exact_for(db, asked.key, &asked.packed)?
        {
            return Ok(Some(entry));
        }
        let mut recent = None;
        if side.recent {
            recent = self.set.recent_for(db, asked.key)?;
        }
        let paged = self.find_in_pages(db, asked.key)?;
        Ok(asked.of(smaller(recent, paged)))
    }

    fn read_side(&mut self, db: &Db) -> Result<Side> {
        let side = Side {
            recent: self.set.live(db)?.is_some_and(|row| row.recent > 0),
            exact: self.set.has_exact(db)?,
        };
        self.side = Some(side);
        Ok(side)
    }

    fn find_in_pages(&mut self, db: &Db, key: u64) -> Result<Option<StoredRecord>> {
        self.clock += 1;
        if let Some((_, (page, used))) = self.pages.range_mut(..=key).next_back()
            && key <= page.last_key()
        {
            *used = self.clock;
            if let Some(record) = find_in(db, page, key)? {
                return Ok(Some(record));
            }
        }
        let Some(page) = self.set.page_for(db, key)? else {
            return Ok(None);
        };
        let record = find_in(db, &page, key)?;
        if self.pages.len() >= self.capacity {
            self.evict();
        }
        self.pages.insert(page.first_key(), (page, self.clock));
        Ok(record)
    }

    /// Drops the half that was used longest ago.
    fn evict(&mut self) {
        let mut times: Vec<u64> = self.pages.values().map(|&(_, used)| used).collect();
        let middle = times.len() / 2;
        let (_, &mut median, _) = times.select_nth_unstable(middle);
        self.pages.retain(|_, (_, used)| *used > median);
    }
}

/// The strategy for one ruleset, winner and basis, held in memory: 12 bytes a position, and half a megabyte for each set.
///
/// It is independent of the store it was loaded from, and can be shared between threads.
#[derive(Debug)]
pub struct LoadedStrategy {
    sets: Vec<LoadedSet>,
}

#[derive(Debug)]
struct LoadedSet {
    table: Table,
    exact: HashMap<PackedPosition, Entry>,
}

impl LoadedStrategy {
    pub(crate) fn load(db: &Db, ruleset: Ruleset, winner: Color, basis: Basis) -> Result<Self> {
        let snapshot = db.snapshot()?;
        let sets = SetKey::serving(ruleset, winner, basis)
            .map(|set| LoadedSet::load(db, set))
            .collect::<Result<_>>()?;
        snapshot.end(db)?;
        Ok(Self { sets })
    }

    /// The number of records held, collisions included.
    #[must_use]
    pub fn positions(&self) -> u64 {
        let count = |set: &LoadedSet| (set.table.len() + set.exact.len()) as u64;
        self.sets.iter().map(count).sum()
    }

    /// The move and height for a position with the winner to move.
    #[must_use]
    pub fn get(&self, position: &Position) -> Option<Entry> {
        let asked = Asked::new(position);
        let entries = self.sets.iter().map(|set| set.look_up(&asked));
        entries.fold(None, lower)
    }
}

impl Strategy for LoadedStrategy {
    type Error = Error;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>> {
        Ok(self.get(position))
    }
}

impl LoadedSet {
    fn load(db: &Db, set: SetKey) -> Result<Self> {
        let exact = set.exact_rows(db)?.into_iter();
        let live = set.live(db)?;
        let records = live
            .into_iter()
            .flat_map(|row| SetRecords::new(db, set, row.id));
        Ok(Self {
            table: Table::new(records)?,
            exact: exact.map(|row| (row.position, row.entry)).collect(),
        })
    }

    fn look_up(&self, asked: &Asked) -> Option<Entry> {
        if !self.exact.is_empty()
            && let Some(&entry) = self.exact.get(&asked.packed)
        {
            return Some(entry);
        }
        asked.of(self.table.find(asked.key))
    }
}
