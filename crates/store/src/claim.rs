//! Claims as rows: what was proved, by whom, and what the verifier said.

use proof::{Claim, Plies, Proof};
use rules::{Color, PackedPosition, Position, Ruleset, fen};
use rusqlite::{OptionalExtension, Row, types::Type};

use crate::{
    Error, Result,
    db::{Db, count_of_sql, sql_count},
};

/// The number of a claim in its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClaimId(pub i64);

/// Where a proof comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// The program that found it, with its version.
    pub engine: String,
    /// The command line.
    pub command: String,
    /// When the command was started, in seconds since 1970.
    pub started: u64,
    /// Positions expanded by the search.
    pub nodes: u64,
    /// Time taken.
    pub seconds: f64,
    /// The endgame tables assumed, one name and hash each.
    pub tables: Vec<String>,
}

/// What the verifier said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the proof held.
    pub verified: bool,
    /// The verifier with its version.
    pub verifier: String,
    /// Assumptions, or the first defect.
    pub detail: String,
}

/// A verdict as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVerdict {
    /// What was said.
    pub verdict: Verdict,
    /// When, in seconds since 1970.
    pub when: u64,
}

/// A claim whose proof is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredClaim {
    /// Its number.
    pub id: ClaimId,
    /// The game that is played.
    pub ruleset: Ruleset,
    /// Where it starts.
    pub root: Position,
    /// Who wins it.
    pub winner: Color,
    /// Distinct positions with the winner to move in the proof that was stored.
    pub positions: u64,
    /// The longest line of that proof.
    pub plies: Plies,
    /// The endgame tables assumed.
    pub tables: Vec<String>,
    /// The program that found it, with its version.
    pub engine: String,
    /// Positions expanded by the search.
    pub nodes: u64,
    /// Time taken by the search.
    pub seconds: f64,
    /// When it was stored, in seconds since 1970.
    pub when: u64,
    /// The latest verdict on it.
    pub verified: Option<StoredVerdict>,
}

impl StoredClaim {
    /// What the verifier said when it rejected the proof; `None` if it accepted it, or was not asked.
    #[must_use]
    pub fn rejection(&self) -> Option<&Verdict> {
        let verdict = self.verified.as_ref().map(|stored| &stored.verdict);
        verdict.filter(|verdict| !verdict.verified)
    }

    /// The claim alone.
    #[must_use]
    pub fn claim(&self) -> Claim {
        Claim {
            ruleset: self.ruleset,
            root: self.root,
            winner: self.winner,
        }
    }
}

const COLUMNS: &str = "id, ruleset, root, winner, positions, plies, tables, engine, nodes, seconds, stored_at, verified,
    verifier, verdict_detail, verified_at";

/// Rulesets and winners by the names in the tables.
pub(crate) fn ruleset_named(name: &str) -> Option<Ruleset> {
    Ruleset::ALL.into_iter().find(|known| known.name() == name)
}

pub(crate) fn color_named(name: &str) -> Option<Color> {
    Color::ALL.into_iter().find(|known| known.name() == name)
}

/// The complaint that a column holds what no writer puts there.
pub(crate) fn bad_column(at: usize, what: &'static str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, Type::Text, what.into())
}

fn claim_row(row: &Row<'_>) -> rusqlite::Result<StoredClaim> {
    let ruleset = row.get_ref(1)?.as_str()?;
    let root = PackedPosition::from_bytes(row.get_ref(2)?.as_blob()?);
    let winner = row.get_ref(3)?.as_str()?;
    let tables: String = row.get(6)?;
    let verified = match row.get::<_, Option<bool>>(11)? {
        None => None,
        Some(verified) => Some(StoredVerdict {
            verdict: Verdict {
                verified,
                verifier: row.get(12)?,
                detail: row.get(13)?,
            },
            when: count_of_sql(row.get(14)?),
        }),
    };
    let ruleset =
        ruleset_named(ruleset).ok_or_else(|| bad_column(1, "claim: no ruleset is called so"))?;
    Ok(StoredClaim {
        id: ClaimId(row.get(0)?),
        ruleset,
        root: root
            .and_then(|root| root.unpack(ruleset))
            .map_err(|_| bad_column(2, "claim: the root is no packed position"))?,
        winner: color_named(winner).ok_or_else(|| bad_column(3, "claim: no side is called so"))?,
        positions: count_of_sql(row.get(4)?),
        plies: Plies(row.get(5)?),
        tables: tables.lines().map(str::to_owned).collect(),
        engine: row.get(7)?,
        nodes: count_of_sql(row.get(8)?),
        seconds: row.get(9)?,
        when: count_of_sql(row.get(10)?),
        verified,
    })
}

/// All claims in the order in which they were first stored.
pub(crate) fn all(db: &Db) -> Result<Vec<StoredClaim>> {
    let rows = || -> rusqlite::Result<Vec<StoredClaim>> {
        db.conn
            .prepare_cached(&format!("SELECT {COLUMNS} FROM claim ORDER BY id"))?
            .query_map([], claim_row)?
            .collect()
    };
    db.sql(rows())
}

/// The claims about `root`, under whatever ruleset.
pub(crate) fn about(db: &Db, root: &Position) -> Result<Vec<StoredClaim>> {
    let packed = root.pack();
    let rows = || -> rusqlite::Result<Vec<StoredClaim>> {
        db.conn
            .prepare_cached(&format!("SELECT {COLUMNS} FROM claim WHERE root = ?1"))?
            .query_map([packed.as_bytes()], claim_row)?
            .collect()
    };
    db.sql(rows())
}

/// Whether a claim under `ruleset` that `winner` wins is stored whose proof the verifier rejected.
pub(crate) fn any_rejected(db: &Db, ruleset: Ruleset, winner: Color) -> Result<bool> {
    db.sql(db.conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM claim WHERE verified = 0 AND ruleset = ?1 AND winner = ?2)",
        (ruleset.name(), winner.name()),
        |row| row.get(0),
    ))
}

/// Where a stored claim comes from.
pub(crate) fn provenance(db: &Db, claim: &StoredClaim) -> Result<Provenance> {
    let run = || {
        db.conn.query_row(
            "SELECT command, started FROM run WHERE id = (SELECT run_id FROM claim WHERE id = ?1)",
            [claim.id.0],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    };
    let (command, started) = db.sql(run())?;
    Ok(Provenance {
        engine: claim.engine.clone(),
        command,
        started: count_of_sql(started),
        nodes: claim.nodes,
        seconds: claim.seconds,
        tables: claim.tables.clone(),
    })
}

/// What is said of a claim besides the claim.
pub(crate) struct ClaimFacts<'a> {
    pub(crate) positions: u64,
    pub(crate) plies: Plies,
    pub(crate) provenance: &'a Provenance,
    pub(crate) when: u64,
}

impl<'a> ClaimFacts<'a> {
    pub(crate) fn of(proof: &Proof, provenance: &'a Provenance) -> Self {
        Self {
            positions: proof.positions(),
            plies: proof.plies,
            provenance,
            when: crate::now(),
        }
    }
}

/// Stores a claim. One that is stored already keeps its row if its proof is as short, by plies and then by positions; else
/// the newcomer takes the row, and the verdict goes.
pub(crate) fn put(db: &Db, claim: &Claim, facts: &ClaimFacts<'_>) -> Result<ClaimId> {
    let packed = claim.root.pack();
    let id = (packed.as_bytes(), claim.ruleset.name(), claim.winner.name());
    let found = || {
        let sql = "SELECT id, plies, positions FROM claim
                   WHERE root = ?1 AND ruleset = ?2 AND winner = ?3";
        let row = db.conn.query_row(sql, id, |row| {
            let size = (row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
            Ok((row.get::<_, i64>(0)?, size))
        });
        row.optional()
    };
    let size = (i64::from(facts.plies.0), sql_count(facts.positions));
    let found = db.sql(found())?;
    if let Some((id, stored)) = found
        && stored <= size
    {
        return Ok(ClaimId(id));
    }
    let Provenance {
        engine,
        nodes,
        seconds,
        tables,
        ..
    } = facts.provenance;
    let run = put_run(db, facts)?;
    let put = || {
        db.conn.execute(
            "INSERT INTO claim (id, root, ruleset, winner, root_fen, plies, positions, tables, engine, nodes, seconds,
                                stored_at, run_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (id) DO UPDATE SET plies = excluded.plies, positions = excluded.positions,
                 tables = excluded.tables, engine = excluded.engine, nodes = excluded.nodes,
                 seconds = excluded.seconds, stored_at = excluded.stored_at, run_id = excluded.run_id,
                 verified = NULL, verifier = NULL, verdict_detail = NULL, verified_at = NULL",
            rusqlite::params![
                found.map(|(id, _)| id),
                id.0,
                id.1,
                id.2,
                fen::write_position(&claim.root),
                size.0,
                size.1,
                tables.join("\n"),
                engine,
                sql_count(*nodes),
                seconds,
                sql_count(facts.when),
                run,
            ],
        )
    };
    db.sql(put())?;
    Ok(ClaimId(
        found.map_or_else(|| db.conn.last_insert_rowid(), |(id, _)| id),
    ))
}

/// The row of the command that a claim comes from; its end moves on with each claim.
fn put_run(db: &Db, facts: &ClaimFacts<'_>) -> Result<i64> {
    let Provenance {
        engine,
        command,
        started,
        ..
    } = facts.provenance;
    let run = (command, engine, sql_count(*started));
    let put = || {
        let found = db
            .conn
            .query_row(
                "SELECT id FROM run WHERE command = ?1 AND engine = ?2 AND started = ?3",
                run,
                |row| row.get(0),
            )
            .optional()?;
        let now = sql_count(facts.when);
        if let Some(id) = found {
            db.conn
                .execute("UPDATE run SET ended = ?2 WHERE id = ?1", (id, now))?;
            return Ok(id);
        }
        db.conn.execute(
            "INSERT INTO run (command, engine, started, ended) VALUES (?1, ?2, ?3, ?4)",
            (run.0, run.1, run.2, now),
        )?;
        Ok(db.conn.last_insert_rowid())
    };
    db.sql(put())
}

/// Records the size of a claim's proof.
pub(crate) fn record_size(db: &Db, id: ClaimId, positions: u64, plies: Plies) -> Result<()> {
    let changed = db.sql(db.conn.execute(
        "UPDATE claim SET positions = ?2, plies = ?3 WHERE id = ?1",
        (id.0, sql_count(positions), plies.0),
    ))?;
    must_exist(db, id, changed)
}

fn must_exist(db: &Db, id: ClaimId, changed: usize) -> Result<()> {
    if changed == 0 {
        return Err(Error::NoClaim {
            path: db.path.clone(),
            id: id.0,
        });
    }
    Ok(())
}

/// Records what the verifier said of a claim.
pub(crate) fn record_verdict(db: &Db, id: ClaimId, verdict: &Verdict, when: u64) -> Result<()> {
    let changed = db.sql(db.conn.execute(
        "UPDATE claim SET verified = ?2, verifier = ?3, verdict_detail = ?4, verified_at = ?5 WHERE id = ?1",
        (
            id.0,
            verdict.verified,
            &verdict.verifier,
            &verdict.detail,
            sql_count(when),
        ),
    ))?;
    must_exist(db, id, changed)
}
