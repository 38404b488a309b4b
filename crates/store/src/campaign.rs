//! Searches that have not ended: what they need to go on.
//!
//! What a search saves is its own affair: parts of bytes, each with its own frame and checksum, by kind and number. Only what
//! everybody wants to know about it stands in columns. Two kinds of parts are told apart by how they are saved: those of the
//! kinds that are *replaced* by each save, and those that are *added*, as records of proven positions are.

use proof::{Claim, Proof};
use rules::{Color, PackedPosition, Position, Ruleset, fen};
use rusqlite::{OptionalExtension, Row, Transaction, types::Type};

use crate::{
    Basis, Problem, Result, Store,
    claim::{color_named, ruleset_named},
    db::{Db, count_of_sql, sql_count},
    set::SetKey,
};

/// A search for a win of one side of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CampaignKey {
    /// The game that is played.
    pub ruleset: Ruleset,
    /// The position.
    pub root: Position,
    /// The side whose win is searched for.
    pub attacker: Color,
    /// What its proof may rest on.
    pub basis: Basis,
}

/// What everybody may want to know about a search.
#[derive(Clone, Debug, PartialEq)]
pub struct CampaignState {
    /// The program that saved it, with its version.
    pub engine: String,
    /// Expansions so far, over all runs.
    pub nodes: u64,
    /// Time so far, over all runs.
    pub seconds: f64,
    /// The root's proof number.
    pub pn: u32,
    /// The root's disproof number.
    pub dn: u32,
    /// When it was saved, in seconds since 1970.
    pub when: u64,
}

/// A search that was saved.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedCampaign {
    /// Which one.
    pub key: CampaignKey,
    /// How it stood.
    pub state: CampaignState,
    id: i64,
}

/// A save under way: nothing of it is visible, and nothing lost, until it is committed.
#[derive(Debug)]
pub struct CampaignWriter<'a> {
    db: &'a Db,
    transaction: Transaction<'a>,
}

/// What a kind of parts is called in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartKind {
    /// A number of the saver's choice.
    pub number: u8,
    /// Whether parts of earlier saves stay.
    pub adds: bool,
}

const COLUMNS: &str =
    "id, ruleset, root, attacker, basis, engine, nodes, seconds, pn, dn, saved_at";

fn row(row: &Row<'_>) -> rusqlite::Result<SavedCampaign> {
    let bad = |column, what: &str| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.into())
    };
    let named = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let ruleset = ruleset_named(named(1)?).ok_or_else(|| bad(1, "no ruleset"))?;
    let packed = row.get_ref(2)?.as_blob()?;
    let root = PackedPosition::from_bytes(packed).and_then(|packed| packed.unpack(ruleset));
    let number = |column| Ok::<_, rusqlite::Error>(count_of_sql(row.get(column)?));
    Ok(SavedCampaign {
        id: row.get(0)?,
        key: CampaignKey {
            ruleset,
            root: root.map_err(|_| bad(2, "no position"))?,
            attacker: color_named(named(3)?).ok_or_else(|| bad(3, "no side"))?,
            basis: Basis::named(named(4)?).ok_or_else(|| bad(4, "no basis"))?,
        },
        state: CampaignState {
            engine: row.get(5)?,
            nodes: number(6)?,
            seconds: row.get(7)?,
            pn: row.get(8)?,
            dn: row.get(9)?,
            when: number(10)?,
        },
    })
}

/// What is wrong with a row.
fn senseless(row: &Row<'_>, error: &rusqlite::Error) -> rusqlite::Result<Problem> {
    let what = match error {
        rusqlite::Error::FromSqlConversionFailure(.., why) => why.to_string(),
        other => other.to_string(),
    };
    let fen: Option<String> = row.get("root_fen").ok();
    let of = fen.map_or(String::new(), |fen| format!(", the search of {fen}"));
    Ok(Problem {
        table: "campaign",
        row: row.get(0)?,
        what: format!("{what}{of}"),
    })
}

impl Store {
    /// All searches that were saved and have not ended, in the order in which they were first saved. Rows that make no sense are
    /// left out: [`Store::senseless_campaigns`].
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn campaigns(&self) -> Result<Vec<SavedCampaign>> {
        Ok(self.campaign_rows()?.into_iter().flatten().collect())
    }

    /// What is wrong with the rows that should be searches and make no sense.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn senseless_campaigns(&self) -> Result<Vec<Problem>> {
        let rows = self.campaign_rows()?.into_iter();
        Ok(rows.filter_map(std::result::Result::err).collect())
    }

    fn campaign_rows(&self) -> Result<Vec<std::result::Result<SavedCampaign, Problem>>> {
        let rows = || {
            let sql = format!("SELECT {COLUMNS}, root_fen FROM campaign ORDER BY id");
            let mut statement = self.db.conn.prepare(&sql)?;
            let read = statement.query_map([], |found| {
                Ok(match row(found) {
                    Ok(saved) => Ok(saved),
                    Err(error) => Err(senseless(found, &error)?),
                })
            })?;
            read.collect()
        };
        self.db.sql(rows())
    }

    /// Whether a search of this position that answers for `ruleset` was saved and has not ended.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn is_searched(&self, root: &Position, ruleset: Ruleset) -> Result<bool> {
        let rulesets = || {
            let sql = "SELECT ruleset FROM campaign WHERE root = ?1";
            let mut statement = self.db.conn.prepare_cached(sql)?;
            let packed = root.pack();
            let names = statement.query_map([packed.as_bytes()], |row| row.get(0))?;
            names.collect::<rusqlite::Result<Vec<String>>>()
        };
        let mut rulesets = self.db.sql(rulesets())?.into_iter();
        Ok(rulesets.any(|name| ruleset_named(&name).is_some_and(|known| known.serves(ruleset))))
    }

    /// One search, if it was saved and has not ended.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn campaign(&self, key: &CampaignKey) -> Result<Option<SavedCampaign>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM campaign
             WHERE root = ?1 AND ruleset = ?2 AND attacker = ?3 AND basis = ?4"
        );
        let packed = key.root.pack();
        let names = (
            packed.as_bytes(),
            key.ruleset.name(),
            key.attacker.name(),
            key.basis.name(),
        );
        let found = self.db.conn.query_row(&sql, names, row);
        self.db.sql(found.optional())
    }

    /// Hands the parts of one kind to `f`, in the order in which they were saved, until it says `false`.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn for_each_part(
        &self,
        campaign: &SavedCampaign,
        kind: PartKind,
        mut f: impl FnMut(&[u8]) -> bool,
    ) -> Result<()> {
        let mut read = || {
            let sql =
                "SELECT bytes FROM campaign_part WHERE campaign_id = ?1 AND kind = ?2 ORDER BY id";
            let mut statement = self.db.conn.prepare_cached(sql)?;
            let mut rows = statement.query((campaign.id, kind.number))?;
            while let Some(row) = rows.next()? {
                if !f(row.get_ref(0)?.as_blob()?) {
                    break;
                }
            }
            Ok(())
        };
        self.db.sql(read())
    }

    /// Begins to save. Other writers wait until it is committed or dropped.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn save_campaigns(&mut self) -> Result<CampaignWriter<'_>> {
        self.writable()?;
        Ok(CampaignWriter {
            transaction: self.db.begin()?,
            db: &self.db,
        })
    }

    /// Forgets a search. Says whether there was one.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn forget_campaign(&mut self, key: &CampaignKey) -> Result<bool> {
        self.writable()?;
        let Some(found) = self.campaign(key)? else {
            return Ok(false);
        };
        let tx = self.db.begin()?;
        delete(&self.db, found.id)?;
        self.db.sql(tx.commit())?;
        Ok(true)
    }
}

impl Store {
    /// Forgets the searches that the stored proof of a claim on this basis answers, if the database is open for writing.
    ///
    /// # Errors
    ///
    /// The database cannot be read or written.
    pub fn forget_answered(&mut self, claim: &Claim, basis: Basis) -> Result<()> {
        let found = answered_by(&self.db, claim, basis)?;
        if found.is_empty() || self.writable().is_err() {
            return Ok(());
        }
        let tx = self.db.begin()?;
        for id in found {
            delete(&self.db, id)?;
        }
        self.db.sql(tx.commit())
    }
}

impl CampaignWriter<'_> {
    /// Begins a search's save: its state is written, and parts of the kinds that are replaced go. `fresh`: so do all others.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn begin(
        &mut self,
        key: &CampaignKey,
        state: &CampaignState,
        fresh: bool,
    ) -> Result<SavedCampaign> {
        let packed = key.root.pack();
        let put = || {
            self.db.conn.query_row(
                "INSERT INTO campaign (root, ruleset, attacker, basis, root_fen, engine, nodes, seconds, pn, dn, saved_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
                 ON CONFLICT (root, ruleset, attacker, basis) DO UPDATE SET engine = excluded.engine,
                     nodes = excluded.nodes, seconds = excluded.seconds, pn = excluded.pn, dn = excluded.dn,
                     saved_at = excluded.saved_at
                 RETURNING id",
                rusqlite::params![
                    packed.as_bytes(),
                    key.ruleset.name(),
                    key.attacker.name(),
                    key.basis.name(),
                    fen::write_position(&key.root),
                    state.engine,
                    sql_count(state.nodes),
                    state.seconds,
                    state.pn,
                    state.dn,
                    sql_count(state.when),
                ],
                |row| row.get(0),
            )
        };
        let id = self.db.sql(put())?;
        let clear = "DELETE FROM campaign_part WHERE campaign_id = ?1 AND (adds = 0 OR ?2)";
        self.db.sql(self.db.conn.execute(clear, (id, fresh)))?;
        Ok(SavedCampaign {
            key: *key,
            state: state.clone(),
            id,
        })
    }

    /// Adds a part.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn put(&mut self, campaign: &SavedCampaign, kind: PartKind, bytes: &[u8]) -> Result<()> {
        let put = || {
            let sql = "INSERT INTO campaign_part (campaign_id, kind, adds, bytes) VALUES (?1, ?2, ?3, ?4)";
            let mut statement = self.db.conn.prepare_cached(sql)?;
            statement.execute((campaign.id, kind.number, kind.adds, bytes))
        };
        self.db.sql(put()).map(|_| ())
    }

    /// Makes it visible.
    ///
    /// # Errors
    ///
    /// The database cannot be written. Nothing has changed then.
    pub fn commit(self) -> Result<()> {
        let Self { db, transaction } = self;
        db.sql(transaction.commit())
    }
}

fn delete(db: &Db, id: i64) -> Result<()> {
    for sql in [
        "DELETE FROM campaign_part WHERE campaign_id = ?1",
        "DELETE FROM campaign WHERE id = ?1",
    ] {
        db.sql(db.conn.execute(sql, [id]))?;
    }
    Ok(())
}

/// Forgets the searches that a proof answers. Part of the transaction that stores the proof.
pub(crate) fn answered(db: &Db, proof: &Proof) -> Result<()> {
    for id in answered_by(db, &proof.claim, Basis::of(proof))? {
        delete(db, id)?;
    }
    Ok(())
}

/// The searches that a proof of a claim answers: for either side. One by the rules alone does that under all rulesets that its own
/// serves and with tables as well, one that leans on tables under its own and with tables.
fn answered_by(db: &Db, claim: &Claim, basis: Basis) -> Result<Vec<i64>> {
    let proof = SetKey {
        ruleset: claim.ruleset,
        winner: claim.winner,
        basis,
    };
    let searches = || {
        let sql = "SELECT id, ruleset, basis FROM campaign WHERE root = ?1";
        let mut statement = db.conn.prepare_cached(sql)?;
        let packed = claim.root.pack();
        let rows = statement.query_map([packed.as_bytes()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        rows.collect::<rusqlite::Result<Vec<(i64, String, String)>>>()
    };
    let mut ids = Vec::new();
    for (id, ruleset, basis) in db.sql(searches())? {
        if let (Some(ruleset), Some(basis)) = (ruleset_named(&ruleset), Basis::named(&basis))
            && proof.serves(ruleset, basis)
        {
            ids.push(id);
        }
    }
    Ok(ids)
}
