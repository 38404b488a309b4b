//! The database as a whole: opening, writing, asking.

use std::{borrow::Cow, path::Path, time::Duration};

use proof::{Entry, Plies, Proof, Record, TableId};
use rules::{Color, Position, Ruleset};

use crate::{
    Basis, ClaimId, Error, LoadedStrategy, Merged, Provenance, Result, StoredClaim, StoredRecord,
    StoredStrategy, Verdict, campaign,
    claim::{self, ClaimFacts},
    db::Db,
    locate::locate,
    lock::WriterLock,
    merge::{self, Ties},
    open::{open_for_reading, open_for_writing},
    schema::MIGRATIONS,
    set::{SetKey, SetRecords},
    strategy,
};

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Asking. Any number of processes may, beside one that writes.
    Read,
    /// Asking and storing. The file is made if it is missing; one process at a time.
    Write,
}

/// How long a second writer waits for the first, unless told otherwise.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(2);

/// A database of proofs.
#[derive(Debug)]
pub struct Store {
    // The connection closes before the lock is released.
    pub(crate) db: Db,
    pub(crate) access: Access,
    pub(crate) _lock: Option<WriterLock>,
}

impl Store {
    /// Opens the database at `path`. A writer waits [`DEFAULT_WAIT`] for another one to end.
    ///
    /// # Errors
    ///
    /// The file is missing (to a reader), not ours, of a later version, damaged, locked or not writable, or the disk is full.
    pub fn open(path: impl AsRef<Path>, access: Access) -> Result<Self> {
        Self::open_waiting(path, access, DEFAULT_WAIT)
    }

    /// The same with another time to wait.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`].
    pub fn open_waiting(path: impl AsRef<Path>, access: Access, wait: Duration) -> Result<Self> {
        let path = path.as_ref();
        match access {
            Access::Read => open_for_reading(path, wait),
            Access::Write => open_for_writing(path, wait, MIGRATIONS),
        }
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.db.path
    }

    /// From now on all that is read is one state of the database, that of the first look, whatever another process writes. While the
    /// store is open the write-ahead log cannot be reused, so this is for those who are soon done. One opened for writing needs
    /// it not.
    ///
    /// # Errors
    ///
    /// The database cannot be used.
    pub fn hold(&self) -> Result<()> {
        if self.access == Access::Write || !self.db.conn.is_autocommit() {
            return Ok(());
        }
        self.db.sql(self.db.conn.execute_batch("BEGIN DEFERRED"))
    }

    /// Keeps at most about so many bytes of the database in memory; 16 MiB unless told.
    ///
    /// # Errors
    ///
    /// The database cannot be used.
    pub fn set_cache_bytes(&mut self, bytes: u64) -> Result<()> {
        let kib = i64::try_from(bytes >> 10).unwrap_or(i64::MAX);
        self.db
            .sql(self.db.conn.pragma_update(None, "cache_size", -kib.max(64)))
    }

    pub(crate) fn writable(&self) -> Result<()> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(Error::OpenedForReading(self.db.path.clone())),
        }
    }

    /// Stores a proof with its claim, at once or not at all, and forgets the saved searches that it answers. Whether it names tables
    /// tells its basis.
    ///
    /// Of two entries for one position and basis the one with the smaller height stays. A claim that is stored already on the same
    /// basis keeps its row unless the newcomer is shorter. Cost: a small proof pays for its positions, a large one for a rewrite of
    /// its set.
    ///
    /// # Errors
    ///
    /// The database cannot be written, or the proof holds a move that no man can make.
    pub fn put_proof(&mut self, proof: &Proof, provenance: &Provenance) -> Result<ClaimId> {
        self.put(proof, provenance, Ties::Stored)
    }

    /// The same for a proof that is to take the place of the stored one: of two entries of one height its own stays. It does so wherever
    /// it has no greater heights than what is stored.
    ///
    /// # Errors
    ///
    /// As for [`Store::put_proof`].
    pub fn replace_proof(&mut self, proof: &Proof, provenance: &Provenance) -> Result<ClaimId> {
        self.put(proof, provenance, Ties::Newcomer)
    }

    fn put(&mut self, proof: &Proof, provenance: &Provenance, ties: Ties) -> Result<ClaimId> {
        self.writable()?;
        let set = SetKey {
            basis: Basis::of(proof),
            ruleset: proof.claim.ruleset,
            winner: proof.claim.winner,
        };
        let records = sorted(&proof.records);
        let put = || {
            let source = records.iter().map(|&record| Ok(record));
            let (tx, merged) = merge::merge(&self.db, set, records.len() as u64, source, ties)?;
            for (position, entry) in &proof.exact {
                let key = position.unpack(set.ruleset).map(|position| position.key());
                let key = key.map_err(|error| self.db.damaged(error.to_string()))?;
                set.put_exact(&self.db, key, position, *entry)?;
            }
            let mut wanted = merged.unplaced;
            let strategy = |position: &Position| Ok(proof.entry(position));
            let exactly = |wanted: &Record, check| wanted.check == check;
            for located in locate(&proof.claim, strategy, &mut wanted, exactly)? {
                set.put_exact(&self.db, located.key, &located.position, located.entry)?;
            }
            let facts = ClaimFacts::of(proof, provenance);
            let id = claim::put(&self.db, &proof.claim, &facts)?;
            campaign::answered(&self.db, proof)?;
            self.db.sql(tx.commit())?;
            Ok(id)
        };
        self.swept(put())
    }

    /// Stores proven positions that belong to no claim, such as those of a search that was interrupted. What is stored must be
    /// closed for a reader of `ruleset` and `basis`: each position that a move and a reply lead to is among the records or stored
    /// already, with a smaller height; on the basis of tables, unless a table covers it or the position between.
    /// Memory: 24 bytes a record.
    ///
    /// # Errors
    ///
    /// The database cannot be written, or a record holds a move that no man can make.
    pub fn put_entries(
        &mut self,
        ruleset: Ruleset,
        winner: Color,
        basis: Basis,
        records: impl IntoIterator<Item = Record>,
    ) -> Result<Merged> {
        self.writable()?;
        let records: Vec<Record> = records.into_iter().collect();
        let records = sorted(&records);
        let put = || {
            let set = SetKey {
                basis,
                ruleset,
                winner,
            };
            let source = records.iter().map(|&record| Ok(record));
            let (tx, merged) =
                merge::merge(&self.db, set, records.len() as u64, source, Ties::Stored)?;
            self.db.sql(tx.commit())?;
            Ok(merged)
        };
        self.swept(put())
    }

    /// Stores the entry of a position whose key is another position's, which [`Merged::unplaced`] tells.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn put_position(
        &mut self,
        ruleset: Ruleset,
        winner: Color,
        basis: Basis,
        position: &Position,
        entry: Entry,
    ) -> Result<()> {
        self.writable()?;
        let set = SetKey {
            basis,
            ruleset,
            winner,
        };
        let tx = self.db.begin()?;
        set.put_exact(&self.db, position.key(), &position.pack(), entry)?;
        self.db.sql(tx.commit())
    }

    /// Clears away what a merge left behind, whether it succeeded or not.
    pub(crate) fn swept<T>(&self, result: Result<T>) -> Result<T> {
        let swept = merge::sweep(&self.db);
        let value = result?;
        swept?;
        Ok(value)
    }

    /// Hands every record of the ruleset's own set of this basis, and of no other, to `f`: by ascending key, and then those of
    /// positions that share a key.
    /// Nothing else may be written meanwhile that is to be seen, and the write-ahead log grows while this runs.
    ///
    /// # Errors
    ///
    /// The database cannot be read, or a page is damaged.
    pub fn for_each_record(
        &self,
        ruleset: Ruleset,
        winner: Color,
        basis: Basis,
        mut f: impl FnMut(StoredRecord),
    ) -> Result<()> {
        let set = SetKey {
            basis,
            ruleset,
            winner,
        };
        let snapshot = self.db.snapshot()?;
        if let Some(row) = set.live(&self.db)? {
            for record in SetRecords::new(&self.db, set, row.id) {
                f(record?);
            }
        }
        for row in set.exact_rows(&self.db)? {
            f(StoredRecord {
                key: row.key,
                check: Record::check_of(&row.position).to_le_bytes()[0],
                entry: row.entry,
            });
        }
        snapshot.end(&self.db)
    }

    /// All claims in the order in which they were first stored.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn claims(&self) -> Result<Vec<StoredClaim>> {
        claim::all(&self.db)
    }

    /// The claim about `root` that answers for `ruleset`: its own, or one under a ruleset that serves it. On the basis of the rules
    /// only claims of that basis answer, on the basis of tables all do; those on tables lean on the tables of their own ruleset, so
    /// their moves are to be asked for under [`StoredClaim::ruleset`] and [`StoredClaim::basis`]. Of several the one with the
    /// fewest plies, at a tie the one that leans on no tables, then the ruleset's own; a rejected one only if there is no other.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn claim(
        &self,
        root: &Position,
        ruleset: Ruleset,
        winner: Option<Color>,
        basis: Basis,
    ) -> Result<Option<StoredClaim>> {
        let claims = claim::about(&self.db, root)?;
        let fits = |claim: &StoredClaim| {
            claim.ruleset.serves(ruleset)
                && winner.is_none_or(|winner| winner == claim.winner)
                && (claim.basis == basis || basis == Basis::Tables)
        };
        Ok(claims.into_iter().filter(fits).min_by_key(|claim| {
            let rejected = claim.rejection().is_some();
            (rejected, claim.plies, claim.basis, claim.ruleset != ruleset)
        }))
    }

    /// Whether the verifier has rejected a claim that `winner` wins under `ruleset`, or one whose set serves it, as far as a reader
    /// of `basis` sees: then some of what is stored for them is false.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn any_rejected(&self, ruleset: Ruleset, winner: Color, basis: Basis) -> Result<bool> {
        for set in SetKey::serving(ruleset, winner, basis) {
            if claim::any_rejected(&self.db, set)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The move and height stored for `position`, which has `winner` to move, by the ruleset's own set or one that serves it, and
    /// on the basis of tables by the ruleset's own set of that basis; the smaller height wins. Cost: some 20 µs.
    ///
    /// # Errors
    ///
    /// The database cannot be read, or the page is damaged.
    pub fn entry(
        &self,
        ruleset: Ruleset,
        winner: Color,
        basis: Basis,
        position: &Position,
    ) -> Result<Option<Entry>> {
        strategy::look_up(&self.db, ruleset, winner, basis, position)
    }

    /// What a reader of `ruleset` and `basis` sees of `winner`'s wins, read as it is asked.
    #[must_use]
    pub fn strategy(&self, ruleset: Ruleset, winner: Color, basis: Basis) -> StoredStrategy<'_> {
        StoredStrategy::new(&self.db, ruleset, winner, basis)
    }

    /// What a reader of `ruleset` and `basis` sees of `winner`'s wins, all of it in memory: 12 bytes a position.
    ///
    /// # Errors
    ///
    /// The database cannot be read, or a page is damaged.
    pub fn load_strategy(
        &self,
        ruleset: Ruleset,
        winner: Color,
        basis: Basis,
    ) -> Result<LoadedStrategy> {
        LoadedStrategy::load(&self.db, ruleset, winner, basis)
    }

    /// Records what the verifier said of a claim.
    ///
    /// # Errors
    ///
    /// The database cannot be written, or there is no such claim.
    pub fn record_verdict(&mut self, id: ClaimId, verdict: &Verdict) -> Result<()> {
        self.writable()?;
        let tx = self.db.begin()?;
        claim::record_verdict(&self.db, id, verdict, crate::now())?;
        self.db.sql(tx.commit())
    }

    /// Records the size of a claim's proof as it stands: other proofs may have brought entries of smaller height since it was
    /// stored.
    ///
    /// # Errors
    ///
    /// The database cannot be written, or there is no such claim.
    pub fn record_size(&mut self, id: ClaimId, positions: u64, plies: Plies) -> Result<()> {
        self.writable()?;
        let tx = self.db.begin()?;
        claim::record_size(&self.db, id, positions, plies)?;
        self.db.sql(tx.commit())
    }

    /// Records the tables that a claim's proof leans on as it stands: entries of smaller height that other proofs have brought may
    /// lean on others, or on none. The basis of the claim stays.
    ///
    /// # Errors
    ///
    /// The database cannot be written, or there is no such claim on the basis of tables.
    pub fn record_tables(&mut self, id: ClaimId, tables: &[TableId]) -> Result<()> {
        self.writable()?;
        let tx = self.db.begin()?;
        claim::record_tables(&self.db, id, tables)?;
        self.db.sql(tx.commit())
    }
}

/// The records by key, check and height, of those with one key and check the lowest.
fn sorted(records: &[Record]) -> Cow<'_, [Record]> {
    let place = |record: &Record| (record.key, record.check, record.entry.height);
    if records.is_sorted_by(|a, b| a.key < b.key) {
        return Cow::Borrowed(records);
    }
    let mut records = records.to_vec();
    records.sort_by_key(place);
    records.dedup_by_key(|record| (record.key, record.check));
    Cow::Owned(records)
}
