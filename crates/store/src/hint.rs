//! Moves that others say win, as books have them. They are claims: they steer searches, and nothing rests on them.

use rules::{Move, PackedPosition, Position, Ruleset};
use rusqlite::Row;

use crate::{Problem, Result, Store, claim::ruleset_named, db::count_of_sql};

/// Reads a row, whose ruleset is known.
fn row(row: &Row<'_>, ruleset: Ruleset) -> rusqlite::Result<Option<(Position, Move)>> {
    let packed = PackedPosition::from_bytes(row.get_ref(0)?.as_blob()?);
    let position = packed.and_then(|packed| packed.unpack(ruleset)).ok();
    let mv = Move::from_bits(row.get(1)?);
    Ok(position.zip(mv))
}

impl Store {
    /// Stores moves that are said to win, at once or not at all. Of two for one position the newer stays. Returns how many are stored for
    /// the ruleset now.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn put_hints(
        &mut self,
        ruleset: Ruleset,
        hints: impl IntoIterator<Item = (Position, Move)>,
    ) -> Result<u64> {
        self.writable()?;
        let tx = self.db.begin()?;
        let put = || {
            let sql = "INSERT OR REPLACE INTO hint (ruleset, position, move) VALUES (?1, ?2, ?3)";
            let mut statement = self.db.conn.prepare_cached(sql)?;
            for (position, mv) in hints {
                let packed = position.pack();
                statement.execute((ruleset.name(), packed.as_bytes(), mv.to_bits()))?;
            }
            Ok(())
        };
        self.db.sql(put())?;
        let count = self.hint_count(ruleset)?;
        self.db.sql(tx.commit())?;
        Ok(count)
    }

    /// Takes over the moves of `other` under these rulesets for positions that have none here. Returns how many.
    ///
    /// # Errors
    ///
    /// This database cannot be written, or the other one cannot be read.
    pub fn take_hints(&mut self, other: &Self, rulesets: &[Ruleset]) -> Result<u64> {
        self.writable()?;
        let mut added = 0;
        let tx = self.db.begin()?;
        for &ruleset in rulesets {
            let sql = "INSERT OR IGNORE INTO hint (ruleset, position, move) VALUES (?1, ?2, ?3)";
            let mut put = self.db.sql(self.db.conn.prepare_cached(sql))?;
            for (position, mv) in other.hints(ruleset)? {
                let packed = position.pack();
                let row = (ruleset.name(), packed.as_bytes(), mv.to_bits());
                added += self.db.sql(put.execute(row))? as u64;
            }
        }
        self.db.sql(tx.commit())?;
        Ok(added)
    }

    /// The moves that are stored for just this ruleset, as far as they make sense.
    fn hints(&self, ruleset: Ruleset) -> Result<Vec<(Position, Move)>> {
        let read = || {
            let sql = "SELECT position, move FROM hint WHERE ruleset = ?1";
            let mut statement = self.db.conn.prepare_cached(sql)?;
            let mut rows = statement.query([ruleset.name()])?;
            let mut hints = Vec::new();
            while let Some(found) = rows.next()? {
                hints.extend(row(found, ruleset)?);
            }
            Ok(hints)
        };
        self.db.sql(read())
    }

    /// How many moves are stored for a ruleset.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn hint_count(&self, ruleset: Ruleset) -> Result<u64> {
        let sql = "SELECT count(*) FROM hint WHERE ruleset = ?1";
        let count = self
            .db
            .conn
            .query_row(sql, [ruleset.name()], |row| row.get(0));
        self.db.sql(count).map(count_of_sql)
    }

    /// Hands to `f` each move that is said to win under `ruleset`, or under one whose wins are wins there too. Rows that make no sense are
    /// left out: [`Store::check`] tells of them.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn for_each_hint(
        &self,
        ruleset: Ruleset,
        mut f: impl FnMut(&Position, Move),
    ) -> Result<()> {
        let serving = Ruleset::ALL
            .into_iter()
            .filter(|known| known.serves(ruleset));
        for known in serving {
            for (position, mv) in self.hints(known)? {
                f(&position, mv);
            }
        }
        Ok(())
    }

    /// What is wrong with the rows that make no sense.
    pub(crate) fn senseless_hints(&self) -> Result<Vec<Problem>> {
        let read = || {
            let sql = "SELECT position, move, ruleset FROM hint";
            let mut statement = self.db.conn.prepare(sql)?;
            let mut rows = statement.query([])?;
            let mut senseless: u64 = 0;
            while let Some(found) = rows.next()? {
                let ruleset = ruleset_named(found.get_ref(2)?.as_str()?);
                let read = ruleset.map(|ruleset| row(found, ruleset)).transpose()?;
                senseless += u64::from(read.flatten().is_none());
            }
            Ok(senseless)
        };
        let count = self.db.sql(read())?;
        let problem = (count > 0).then(|| Problem {
            table: "hint",
            row: None,
            what: format!("rows that hold no position and move of their ruleset: {count}"),
        });
        Ok(problem.into_iter().collect())
    }
}
