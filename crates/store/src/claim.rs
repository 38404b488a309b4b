//! Claims as rows: what was proved, by whom, and what the verifier said.

use proof::{Claim, NoTableId, Plies, Proof, TableId};
use rules::{Color, PackedPosition, Position, Ruleset, fen};
use rusqlite::{OptionalExtension, Row, types::Type};

use crate::{
    Basis, Error, Result, SetKey,
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
    /// What the lines of its proof end in: the reader to ask for its moves is that of its ruleset and this basis.
    pub basis: Basis,
    /// Distinct positions with the winner to move in the proof that was stored.
    pub positions: u64,
    /// The longest line of that proof.
    pub plies: Plies,
    /// The endgame tables that the proof leaned on when it was stored or last verified; none on the basis of the rules.
    pub tables: Vec<TableId>,
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
    verifier, verdict_detail, verified_at, basis";

/// Rulesets and winners by the names in the tables.
pub(crate) fn ruleset_named(name: &str) -> Option<Ruleset> {
    Ruleset::ALL.into_iter().find(|known| known.name() == name)
}

pub(crate) fn color_named(name: &str) -> Option<Color> {
    Color::ALL.into_iter().find(|known| known.name() == name)
}

fn claim_row(row: &Row<'_>) -> rusqlite::Result<StoredClaim> {
    let id: i64 = row.get(0)?;
    // The complaint that a column holds what no writer puts there.
    let bad = |at: usize, what: &str| {
        let what = format!("claim row {id}: {what}");
        rusqlite::Error::FromSqlConversionFailure(at, Type::Text, what.into())
    };
    let ruleset = row.get_ref(1)?.as_str()?;
    let root = PackedPosition::from_bytes(row.get_ref(2)?.as_blob()?);
    let winner = row.get_ref(3)?.as_str()?;
    let tables = row.get_ref(6)?.as_str()?.lines().map(str::parse);
    let tables: Vec<TableId> = tables
        .collect::<Result<_, NoTableId>>()
        .map_err(|error| bad(6, &error.to_string()))?;
    let basis = row.get_ref(15)?.as_str()?;
    let basis = Basis::named(basis).ok_or_else(|| bad(15, "no basis is called so"))?;
    if basis == Basis::Rules && !tables.is_empty() {
        return Err(bad(6, "a proof on the basis of the rules names tables"));
    }
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
    let ruleset = ruleset_named(ruleset).ok_or_else(|| bad(1, "no ruleset is called so"))?;
    Ok(StoredClaim {
        id: ClaimId(id),
        ruleset,
        root: root
            .and_then(|root| root.unpack(ruleset))
            .map_err(|_| bad(2, "the root is no packed position"))?,
        winner: color_named(winner).ok_or_else(|| bad(3, "no side is called so"))?,
        basis,
        positions: count_of_sql(row.get(4)?),
        plies: Plies(row.get(5)?),
        tables,
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

/// Whether a claim is stored whose proof is in `set` and was rejected by the verifier.
pub(crate) fn any_rejected(db: &Db, set: SetKey) -> Result<bool> {
    db.sql(db.conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM claim
                        WHERE verified = 0 AND ruleset = ?1 AND winner = ?2 AND basis = ?3)",
        set.names(),
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
    })
}

/// What is said of a claim besides the claim.
pub(crate) struct ClaimFacts<'a> {
    pub(crate) positions: u64,
    pub(crate) plies: Plies,
    pub(crate) basis: Basis,
    pub(crate) tables: &'a [TableId],
    pub(crate) provenance: &'a Provenance,
    pub(crate) when: u64,
}

impl<'a> ClaimFacts<'a> {
    pub(crate) fn of(proof: &'a Proof, provenance: &'a Provenance) -> Self {
        Self {
            positions: proof.positions(),
            plies: proof.plies,
            basis: Basis::of(proof),
            tables: &proof.tables,
            provenance,
            when: crate::now(),
        }
    }
}

/// Stores a claim. One that is stored already on the same basis keeps its row if its proof is as short, by plies and then by
/// positions; else the newcomer takes the row, and the verdict goes.
pub(crate) fn put(db: &Db, claim: &Claim, facts: &ClaimFacts<'_>) -> Result<ClaimId> {
    let packed = claim.root.pack();
    let id = (
        packed.as_bytes(),
        claim.ruleset.name(),
        claim.winner.name(),
        facts.basis.name(),
    );
    let found = || {
        let sql = "SELECT id, plies, positions FROM claim
                   WHERE root = ?1 AND ruleset = ?2 AND winner = ?3 AND basis = ?4";
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
        ..
    } = facts.provenance;
    let run = put_run(db, facts)?;
    let put = || {
        db.conn.execute(
            "INSERT INTO claim (id, root, ruleset, winner, basis, root_fen, plies, positions, tables, engine, nodes,
                                seconds, stored_at, run_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT (id) DO UPDATE SET plies = excluded.plies, positions = excluded.positions,
                 tables = excluded.tables, engine = excluded.engine, nodes = excluded.nodes,
                 seconds = excluded.seconds, stored_at = excluded.stored_at, run_id = excluded.run_id,
                 verified = NULL, verifier = NULL, verdict_detail = NULL, verified_at = NULL",
            rusqlite::params![
                found.map(|(id, _)| id),
                id.0,
                id.1,
                id.2,
                id.3,
                fen::write_position(&claim.root),
                size.0,
                size.1,
                table_lines(facts.tables),
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

/// Tables as the column has them, one a line.
fn table_lines(tables: &[TableId]) -> String {
    let lines: Vec<String> = tables.iter().map(ToString::to_string).collect();
    lines.join("\n")
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

/// Records the tables that a claim leans on.
pub(crate) fn record_tables(db: &Db, id: ClaimId, tables: &[TableId]) -> Result<()> {
    let changed = db.sql(db.conn.execute(
        "UPDATE claim SET tables = ?2 WHERE id = ?1 AND basis = ?3",
        (id.0, table_lines(tables), Basis::Tables.name()),
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
