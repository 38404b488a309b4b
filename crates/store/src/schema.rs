//! Tables, migrations, and whether a file is a database of ours.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{Error, Result};

/// "take": the mark of our databases in SQLite's header.
pub(crate) const APPLICATION_ID: i32 = 0x7461_6B65;

/// What leads from each schema version to the next; the first makes version 1. Each runs in one transaction.
pub(crate) const MIGRATIONS: &[&str] = &[VERSION_1, VERSION_2, VERSION_3, VERSION_4];

const VERSION_1: &str = "
PRAGMA application_id = 0x74616B65;
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    command TEXT NOT NULL,
    engine TEXT NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER NOT NULL
) STRICT;
CREATE TABLE claim (
    id INTEGER PRIMARY KEY,
    ruleset TEXT NOT NULL,
    root BLOB NOT NULL,
    root_fen TEXT NOT NULL,
    winner TEXT NOT NULL,
    positions INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    tables TEXT NOT NULL,
    engine TEXT NOT NULL,
    nodes INTEGER NOT NULL,
    seconds REAL NOT NULL,
    stored_at INTEGER NOT NULL,
    run_id INTEGER NOT NULL REFERENCES run(id),
    verified INTEGER,
    verifier TEXT,
    verdict_detail TEXT,
    verified_at INTEGER,
    UNIQUE (root, ruleset, winner)
) STRICT;
CREATE TABLE proof_set (
    id INTEGER PRIMARY KEY,
    ruleset TEXT NOT NULL,
    winner TEXT NOT NULL,
    state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
    pages INTEGER NOT NULL,
    recent INTEGER NOT NULL,
    positions INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX proof_set_live ON proof_set (ruleset, winner) WHERE state = 1;
CREATE TABLE proof_page (
    id INTEGER PRIMARY KEY,
    set_id INTEGER NOT NULL REFERENCES proof_set(id),
    first_key INTEGER NOT NULL,
    page BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX proof_page_key ON proof_page (set_id, first_key);
CREATE TABLE proof_recent (
    set_id INTEGER NOT NULL REFERENCES proof_set(id),
    key INTEGER NOT NULL,
    check8 INTEGER NOT NULL,
    move INTEGER NOT NULL,
    height INTEGER NOT NULL,
    PRIMARY KEY (set_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE proof_exact (
    ruleset TEXT NOT NULL,
    winner TEXT NOT NULL,
    key INTEGER NOT NULL,
    position BLOB NOT NULL,
    move INTEGER NOT NULL,
    height INTEGER NOT NULL,
    PRIMARY KEY (ruleset, winner, key, position)
) STRICT, WITHOUT ROWID;
";

/// Adds the basis, and makes it part of what a claim, a set and a position of the side table are told apart by. A constraint cannot be
/// changed in place, so two tables are written anew; `proof_set` is not, since rows of other tables refer to it.
const VERSION_2: &str = "
ALTER TABLE claim RENAME TO claim_1;
CREATE TABLE claim (
    id INTEGER PRIMARY KEY,
    ruleset TEXT NOT NULL,
    root BLOB NOT NULL,
    root_fen TEXT NOT NULL,
    winner TEXT NOT NULL,
    basis TEXT NOT NULL,
    positions INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    tables TEXT NOT NULL,
    engine TEXT NOT NULL,
    nodes INTEGER NOT NULL,
    seconds REAL NOT NULL,
    stored_at INTEGER NOT NULL,
    run_id INTEGER NOT NULL REFERENCES run(id),
    verified INTEGER,
    verifier TEXT,
    verdict_detail TEXT,
    verified_at INTEGER,
    UNIQUE (root, ruleset, winner, basis)
) STRICT;
INSERT INTO claim (id, ruleset, root, root_fen, winner, basis, positions, plies, tables, engine, nodes, seconds, stored_at,
                   run_id, verified, verifier, verdict_detail, verified_at)
SELECT id, ruleset, root, root_fen, winner, 'rules', positions, plies, tables, engine, nodes, seconds, stored_at,
       run_id, verified, verifier, verdict_detail, verified_at FROM claim_1;
DROP TABLE claim_1;
ALTER TABLE proof_set ADD COLUMN basis TEXT NOT NULL DEFAULT 'rules';
DROP INDEX proof_set_live;
CREATE UNIQUE INDEX proof_set_live ON proof_set (ruleset, winner, basis) WHERE state = 1;
ALTER TABLE proof_exact RENAME TO proof_exact_1;
CREATE TABLE proof_exact (
    ruleset TEXT NOT NULL,
    winner TEXT NOT NULL,
    basis TEXT NOT NULL,
    key INTEGER NOT NULL,
    position BLOB NOT NULL,
    move INTEGER NOT NULL,
    height INTEGER NOT NULL,
    PRIMARY KEY (ruleset, winner, basis, key, position)
) STRICT, WITHOUT ROWID;
INSERT INTO proof_exact (ruleset, winner, basis, key, position, move, height)
SELECT ruleset, winner, 'rules', key, position, move, height FROM proof_exact_1;
DROP TABLE proof_exact_1;
";

/// Adds searches that have not ended.
const VERSION_3: &str = "
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY,
    ruleset TEXT NOT NULL,
    root BLOB NOT NULL,
    root_fen TEXT NOT NULL,
    attacker TEXT NOT NULL,
    basis TEXT NOT NULL,
    engine TEXT NOT NULL,
    nodes INTEGER NOT NULL,
    seconds REAL NOT NULL,
    pn INTEGER NOT NULL,
    dn INTEGER NOT NULL,
    saved_at INTEGER NOT NULL,
    UNIQUE (root, ruleset, attacker, basis)
) STRICT;
CREATE TABLE campaign_part (
    id INTEGER PRIMARY KEY,
    campaign_id INTEGER NOT NULL REFERENCES campaign(id),
    kind INTEGER NOT NULL,
    adds INTEGER NOT NULL CHECK (adds IN (0, 1)),
    bytes BLOB NOT NULL
) STRICT;
CREATE INDEX campaign_part_kind ON campaign_part (campaign_id, kind);
";

/// Adds moves that books say win.
const VERSION_4: &str = "
CREATE TABLE hint (
    ruleset TEXT NOT NULL,
    position BLOB NOT NULL,
    move INTEGER NOT NULL,
    PRIMARY KEY (ruleset, position)
) STRICT, WITHOUT ROWID;
";

/// What a file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// Nothing: it is new.
    Fresh,
    /// It is ours, of this version.
    Ours(i64),
}

/// Tells ours from others'. Changes nothing.
pub(crate) fn identify(conn: &Connection, path: &Path, known: i64) -> Result<Identity> {
    let number = |sql: &str| {
        conn.query_row(sql, [], |row| row.get::<_, i64>(0))
            .map_err(|error| Error::sqlite(path, error))
    };
    let id = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let objects = number("SELECT count(*) FROM sqlite_schema")?;
    let path = path.to_owned();
    if id == 0 && version == 0 && objects == 0 {
        return Ok(Identity::Fresh);
    }
    if id != i64::from(APPLICATION_ID) {
        return Err(Error::Foreign {
            path,
            application_id: i32::try_from(id).unwrap_or_default(),
        });
    }
    if version > known {
        return Err(Error::NewerSchema {
            path,
            found: version,
            known,
        });
    }
    Ok(Identity::Ours(version))
}

/// The version that `migrations` lead to.
pub(crate) fn version_of(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).expect("few migrations")
}

/// Brings the database from version `from` to the latest, one transaction a version. What fails is undone.
pub(crate) fn migrate(
    conn: &Connection,
    path: &Path,
    from: i64,
    migrations: &[&str],
) -> Result<()> {
    for (version, sql) in (1..).zip(migrations).filter(|(version, _)| *version > from) {
        let step = || {
            let tx = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
            tx.execute_batch(sql)?;
            tx.pragma_update(None, "user_version", version)?;
            tx.commit()
        };
        step().map_err(|error| match Error::sqlite(path, error) {
            Error::Sqlite { path, source } => Error::Upgrade {
                path,
                version,
                source,
            },
            other => other,
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
