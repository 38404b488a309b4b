//! The directory of endgame tables that a command works with.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Result;
use prover::Endgames;
use rules::Ruleset;
use store::{Basis, Store};
use tablebase::{Tables, Trust, has_tables};
use thiserror::Error;

use crate::{context::Context, leaned_on::disagreement, units, usage::Usage};

/// A table that was asked is damaged.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct DamagedTable(pub(crate) String);

/// Whether an error is about a table that was asked.
pub(crate) fn is_of_a_table(error: &anyhow::Error) -> bool {
    error.is::<DamagedTable>() || error.is::<tablebase::Error>()
}

/// Where tables are if nobody says.
const DEFAULT: &str = "tables";
/// Bytes of unpacked blocks that are kept at most, and at least.
const MOST_CACHE_BYTES: u64 = 1 << 30;
const LEAST_CACHE_BYTES: u64 = 4 << 20;

/// Bytes of the memory that unpacked blocks may take.
pub(crate) fn cache_bytes(context: &Context) -> u64 {
    (context.memory_bytes() / 16).clamp(LEAST_CACHE_BYTES, MOST_CACHE_BYTES)
}

/// The directory, there or not.
pub(crate) fn directory(context: &Context) -> PathBuf {
    let given = context.global.tables.clone();
    given.unwrap_or_else(|| PathBuf::from(DEFAULT))
}

/// The tables of a ruleset for a command that is about them.
///
/// # Errors
///
/// The directory is not there, or there are no tables for the ruleset.
pub(crate) fn open(context: &Context, ruleset: Ruleset, trust: Trust) -> Result<Tables> {
    let directory = directory(context);
    if !directory.is_dir() {
        return Err(missing(&directory).into());
    }
    Ok(Tables::open(
        &directory,
        ruleset,
        trust,
        cache_bytes(context),
    )?)
}

/// The tables of a ruleset for a command that can do without: those in the directory that was named, or in the usual one if it
/// is there.
///
/// # Errors
///
/// A directory was named and is not there, or a list of tables is damaged.
pub(crate) fn open_if_there(context: &Context, ruleset: Ruleset) -> Result<Option<Tables>> {
    let directory = directory(context);
    if !has_tables(ruleset) {
        return Ok(None);
    }
    if !directory.is_dir() {
        let named = context.global.tables.is_some();
        return if named {
            Err(missing(&directory).into())
        } else {
            Ok(None)
        };
    }
    let tables = Tables::open(&directory, ruleset, Trust::Verified, cache_bytes(context))?;
    let unused = tables.listed().count() - tables.usable().count();
    if unused > 0 {
        let count = units::count(unused as u64, "table");
        context.progress.note(&format!(
            "{count} in {} not verified, and not used: takeme tables verify checks them",
            tables.folder().display()
        ));
    }
    Ok(Some(tables))
}

/// The verified tables that are here, for a command that looks into the proofs of a database, and on which basis to read them.
///
/// # Errors
///
/// As for [`open_if_there`], or the database cannot be read.
pub(crate) fn at_hand(
    store: &Store,
    context: &Context,
    ruleset: Ruleset,
) -> Result<(Endgames, Basis)> {
    let tables = open_if_there(context, ruleset)?;
    if let Some(tables) = &tables
        && let Some(problem) = disagreement(store, tables)?
    {
        context.progress.note(&format!(
            "tables, and proofs that lean on them, are left aside: {problem}"
        ));
        return Ok((Endgames::new(None), Basis::Rules));
    }
    Ok((Endgames::new(tables.map(Arc::new)), Basis::Tables))
}

/// The verified tables that are here, whatever stored proofs lean on.
///
/// # Errors
///
/// As for [`open_if_there`].
pub(crate) fn endgames(context: &Context, ruleset: Ruleset) -> Result<Endgames> {
    Ok(Endgames::new(
        open_if_there(context, ruleset)?.map(Arc::new),
    ))
}

fn missing(directory: &Path) -> Usage {
    Usage::new(format!("there is no directory {}", directory.display()))
        .hint("name another with --tables, or make tables with takeme tables generate")
}
