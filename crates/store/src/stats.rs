//! How much is stored, and how much room it takes.

use rules::{Color, Ruleset};

use crate::{Basis, Result, SetKey, Store, db::count_of_sql, maintenance::live_sets};

/// How much is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Claims.
    pub claims: u64,
    /// Of these, claims that the verifier has accepted.
    pub verified: u64,
    /// Sets that hold anything.
    pub sets: Vec<SetStats>,
    /// Size of the database, what is still in the write-ahead log included.
    pub file_bytes: u64,
    /// Of that, unused: the next writes take it, and [`Store::vacuum`] gives it back.
    pub free_bytes: u64,
    /// Size of the write-ahead log.
    pub wal_bytes: u64,
}

/// How much one set holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetStats {
    /// The game that is played.
    pub ruleset: Ruleset,
    /// Who wins.
    pub winner: Color,
    /// What its lines end in.
    pub basis: Basis,
    /// Distinct positions with the winner to move.
    pub positions: u64,
    /// Pages.
    pub pages: u64,
    /// Rows not merged into pages yet.
    pub recent: u64,
    /// Positions whose key is another position's.
    pub exact: u64,
}

impl SetStats {
    /// Whether the set answers a reader of `ruleset` and `basis`.
    #[must_use]
    pub fn serves(&self, ruleset: Ruleset, basis: Basis) -> bool {
        let set = SetKey {
            basis: self.basis,
            ruleset: self.ruleset,
            winner: self.winner,
        };
        set.serves(ruleset, basis)
    }
}

impl Stats {
    /// Positions in all sets; one that several sets hold counts in each.
    #[must_use]
    pub fn positions(&self) -> u64 {
        let positions = self.sets.iter().map(|set| set.positions);
        positions.fold(0, u64::saturating_add)
    }

    /// Bytes of the file in use for each position; `None` if there is none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    pub fn bytes_per_position(&self) -> Option<f64> {
        let used = self.file_bytes.saturating_sub(self.free_bytes);
        let positions = self.positions();
        (positions > 0).then(|| used as f64 / positions as f64)
    }
}

impl Store {
    /// Counts what is stored. Cost: a few rows, whatever the size of the database.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn stats(&self) -> Result<Stats> {
        let db = &self.db;
        let snapshot = db.snapshot()?;
        let number = |sql: &str| {
            let number = db.conn.query_row(sql, [], |row| row.get(0));
            db.sql(number).map(count_of_sql)
        };
        let mut sets = Vec::new();
        for set in live_sets(db)? {
            let Some(row) = set.live(db)? else { continue };
            let exact: i64 = db.sql(db.conn.query_row(
                "SELECT count(*) FROM proof_exact WHERE ruleset = ?1 AND winner = ?2 AND basis = ?3",
                set.names(),
                |row| row.get(0),
            ))?;
            let exact = count_of_sql(exact);
            sets.push(SetStats {
                ruleset: set.ruleset,
                winner: set.winner,
                basis: set.basis,
                positions: row.positions + exact,
                pages: row.pages,
                recent: row.recent,
                exact,
            });
        }
        let page_size = number("PRAGMA page_size")?;
        let stats = Stats {
            claims: number("SELECT count(*) FROM claim")?,
            verified: number("SELECT count(*) FROM claim WHERE verified = 1")?,
            sets,
            file_bytes: number("PRAGMA page_count")? * page_size,
            free_bytes: number("PRAGMA freelist_count")? * page_size,
            wal_bytes: self.wal_bytes(),
        };
        snapshot.end(db)?;
        Ok(stats)
    }
}
