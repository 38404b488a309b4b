//! Looking for damage.

use std::{collections::HashSet, fmt};

use rules::{Position, canonical_moves, fen};

use crate::{
    Basis, Error, Result, Store, StoredClaim, claim,
    db::{Db, key_of_sql},
    maintenance::live_sets,
    move_code,
    set::{SetKey, SetPages, all_recent},
    strategy::look_up,
};

/// Something that is wrong with a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The table, or empty if it concerns none in particular.
    pub table: &'static str,
    /// The row, if it concerns one.
    pub row: Option<i64>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.table, self.row) {
            ("", _) => f.write_str(&self.what),
            (table, None) => write!(f, "{table}: {}", self.what),
            (table, Some(row)) => write!(f, "{table} row {row}: {}", self.what),
        }
    }
}

/// Collects problems.
struct Check<'a> {
    db: &'a Db,
    problems: Vec<Problem>,
}

impl Store {
    /// Looks for damage everywhere: SQLite's own structure, each page, the order and number of records, and whether each claim has
    /// entries for its root and for what its first move and the replies to it lead to, tables aside: which positions they cover is
    /// not known here. What a saved search holds is its own affair. An empty list is no proof of the claims: that is what the verifier is for. Cost: reads all of the database.
    ///
    /// # Errors
    ///
    /// The disk cannot be read, or another process is in the way. What is damaged is no error but a problem of the list.
    pub fn check(&self) -> Result<Vec<Problem>> {
        let mut check = Check {
            db: &self.db,
            problems: Vec::new(),
        };
        let snapshot = self.db.snapshot()?;
        let structure = check.structure();
        check.absorb("", structure)?;
        match live_sets(&self.db) {
            Ok(sets) => {
                for set in sets {
                    let checked = check.set(set);
                    check.absorb("proof_set", checked)?;
                }
            }
            Err(error) => check.absorb("proof_set", Err(error))?,
        }
        let checked = check.exact_sets();
        check.absorb("proof_exact", checked)?;
        match claim::all(&self.db) {
            Ok(claims) => {
                for claim in &claims {
                    let checked = check.claim(claim);
                    check.absorb("claim", checked)?;
                }
            }
            Err(error) => check.absorb("claim", Err(error))?,
        }
        match self.senseless_campaigns() {
            Ok(senseless) => check.problems.extend(senseless),
            Err(error) => check.absorb("campaign", Err(error))?,
        }
        match self.senseless_hints() {
            Ok(senseless) => check.problems.extend(senseless),
            Err(error) => check.absorb("hint", Err(error))?,
        }
        snapshot.end(&self.db)?;
        Ok(check.problems)
    }
}

impl Check<'_> {
    fn add(&mut self, table: &'static str, row: Option<i64>, what: impl Into<String>) {
        self.problems.push(Problem {
            table,
            row,
            what: what.into(),
        });
    }

    /// Makes a problem of an error that tells of damage.
    fn absorb(&mut self, table: &'static str, result: Result<()>) -> Result<()> {
        match result {
            Err(Error::Damaged { what, .. }) => self.add(table, None, what),
            Err(Error::NotADatabase(_)) => self.add(table, None, "not a database"),
            Err(Error::Sqlite { source, .. }) => self.add(table, None, source.to_string()),
            other => return other,
        }
        Ok(())
    }

    fn structure(&mut self) -> Result<()> {
        let db = self.db;
        let lines = || -> rusqlite::Result<Vec<String>> {
            db.conn
                .prepare("PRAGMA integrity_check")?
                .query_map([], |row| row.get(0))?
                .collect()
        };
        for line in db.sql(lines())? {
            if line != "ok" {
                self.add("", None, line);
            }
        }
        let dangling = || -> rusqlite::Result<Vec<(String, Option<i64>, String)>> {
            db.conn
                .prepare("PRAGMA foreign_key_check")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect()
        };
        for (table, row, parent) in db.sql(dangling())? {
            let row = row.map_or_else(String::new, |row| format!(" row {row}"));
            self.add(
                "",
                None,
                format!("{table}{row}: its row of {parent} is missing"),
            );
        }
        Ok(())
    }

    fn set(&mut self, set: SetKey) -> Result<()> {
        let db = self.db;
        let Some(row) = set.live(db)? else {
            return Ok(());
        };
        let mut rows = SetPages::new(db, row.id);
        let (mut pages, mut positions) = (0, 0);
        let mut last_key = None;
        let mut whole = true;
        let recent = all_recent(db, row.id)?;
        let mut new: HashSet<u64> = recent.iter().map(|record| record.key).collect();
        while let Some(page_row) = rows.next_row()? {
            pages += 1;
            let id = page_row.id;
            let page = match page_row.parse_in_full(db, set) {
                Ok(page) => page,
                Err(Error::Damaged { what, .. }) => {
                    whole = false;
                    self.add("", None, what);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if last_key.is_some_and(|last| last >= page.first_key()) {
                self.add(
                    "proof_page",
                    Some(id),
                    "its keys overlap those of the page before",
                );
            }
            last_key = Some(page.last_key());
            positions += page.count() as u64;
            if !new.is_empty() {
                for record in page.records().flatten() {
                    new.remove(&record.key);
                }
            }
        }
        for record in &recent {
            if move_code::encode(record.entry.mv).is_none() {
                let what = format!("key {:#018x}: no man moves {}", record.key, record.entry.mv);
                self.add("proof_recent", None, what);
            }
        }
        positions += new.len() as u64;
        let counts = [
            ("pages", row.pages, pages),
            ("recent rows", row.recent, recent.len() as u64),
            ("positions", row.positions, positions),
        ];
        for (what, said, found) in counts {
            // Of a damaged page nobody knows how many it held.
            if said != found && (whole || what != "positions") {
                let [ruleset, winner, basis] = set.names();
                let what = format!(
                    "{ruleset}, {winner}, {basis}: {said} {what} were stored, {found} are there"
                );
                self.add("proof_set", Some(row.id), what);
            }
        }
        Ok(())
    }

    /// The side table: each row is of a set, and then what it should be.
    fn exact_sets(&mut self) -> Result<()> {
        let db = self.db;
        let names = || -> rusqlite::Result<Vec<(String, String, String, i64)>> {
            db.conn
                .prepare(
                    "SELECT ruleset, winner, basis, min(key) FROM proof_exact
                     GROUP BY ruleset, winner, basis",
                )?
                .query_map([], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                })?
                .collect()
        };
        for (ruleset, winner, basis, key) in db.sql(names())? {
            if let Some(set) = SetKey::named(&ruleset, &winner, &basis) {
                let checked = self.exact(set);
                self.absorb("proof_exact", checked)?;
            } else {
                let what = format!(
                    "key {:#018x}: no ruleset, side or basis is called {ruleset}, {winner}, {basis}",
                    key_of_sql(key)
                );
                self.add("proof_exact", None, what);
            }
        }
        Ok(())
    }

    fn exact(&mut self, set: SetKey) -> Result<()> {
        for row in set.exact_rows(self.db)? {
            let complaint = match row.position.unpack(set.ruleset) {
                Err(error) => Some(error.to_string()),
                Ok(position) if position.key() != row.key => {
                    Some("the key is not that of the position".to_owned())
                }
                Ok(position) if position.side_to_move() != set.winner => {
                    Some("the winner is not to move".to_owned())
                }
                Ok(position) => {
                    let mv = row.entry.mv;
                    let legal = canonical_moves(&position, set.ruleset).contains(&mv);
                    (!legal).then(|| format!("the move {mv} is illegal"))
                }
            };
            if let Some(what) = complaint {
                self.add(
                    "proof_exact",
                    None,
                    format!("key {:#018x}: {what}", row.key),
                );
            }
        }
        Ok(())
    }

    /// The root is won, or has an entry whose move and the replies to it lead to positions that are won or have entries with
    /// smaller heights. Where tables may cover a position, it needs no entry, and one that is there may be of another proof.
    fn claim(&mut self, claim: &StoredClaim) -> Result<()> {
        let Some(what) = self.complaint(claim)? else {
            return Ok(());
        };
        self.add("claim", Some(claim.id.0), what);
        Ok(())
    }

    fn complaint(&self, claim: &StoredClaim) -> Result<Option<String>> {
        let StoredClaim {
            ruleset,
            winner,
            basis,
            root,
            ..
        } = *claim;
        let entry_of = |position: &Position| look_up(self.db, ruleset, winner, basis, position);
        let fen: String = self.db.sql(self.db.conn.query_row(
            "SELECT root_fen FROM claim WHERE id = ?1",
            [claim.id.0],
            |row| row.get(0),
        ))?;
        if fen != fen::write_position(&root) {
            return Ok(Some(format!("the FEN {fen} is not that of the root")));
        }
        let moves = canonical_moves(&root, ruleset);
        if moves.is_empty() {
            return Ok((ruleset.outcome(&root).winner() != Some(winner))
                .then(|| format!("{winner} has not won the root")));
        }
        let tables = basis == Basis::Tables;
        let mut below = None;
        let mut after = root;
        if root.side_to_move() == winner {
            let entry = entry_of(&root)?;
            below = entry.map(|entry| entry.height);
            let mv = match (entry, &moves[..]) {
                (Some(entry), _) => entry.mv,
                // A forced move needs no entry.
                (None, [forced]) => *forced,
                (None, _) => return Ok((!tables).then(|| "the root has no entry".to_owned())),
            };
            if !moves.contains(&mv) {
                return Ok(Some(format!("the move {mv} of the root is illegal")));
            }
            after = root.after(mv, ruleset);
        }
        let replies = canonical_moves(&after, ruleset);
        if replies.is_empty() && ruleset.outcome(&after).winner() != Some(winner) {
            return Ok(Some(format!("{winner} has not won after the first move")));
        }
        for &reply in &replies {
            let position = after.after(reply, ruleset);
            let next = canonical_moves(&position, ruleset).len();
            if next == 0 {
                if ruleset.outcome(&position).winner() != Some(winner) {
                    return Ok(Some(format!(
                        "{winner} has not won after the reply {reply}"
                    )));
                }
                continue;
            }
            match entry_of(&position)? {
                None if next > 1 && !tables => {
                    return Ok(Some(format!("there is no entry after the reply {reply}")));
                }
                Some(entry) if !tables && below.is_some_and(|below| entry.height >= below) => {
                    return Ok(Some(format!(
                        "the height does not fall after the reply {reply}"
                    )));
                }
                _ => {}
            }
        }
        Ok(None)
    }
}
