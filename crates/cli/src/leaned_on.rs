//! The endgame tables that a proof leans on, as the verifier is given them.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use proof::TableId;
use rules::Ruleset;
use search::StopFlag;
use store::Store;
use tablebase::{Material, Tables, Trust, hex};
use thiserror::Error;
use verify::{ListError, Listed, NoTables, TableAnswer, TableFile, TableSet};

use crate::{
    context::Context,
    crossing::ruleset_to_verifier,
    table_check::{TableVerdict, check_tables, unpack_for_verifier},
    table_files,
    verification::Checked,
};

/// Bytes of unpacked blocks that a replay keeps.
const CACHE_BYTES: usize = 64 << 20;

/// A proof leans on tables that are not here.
#[derive(Debug, Error)]
#[error("the proof leans on the endgame table {table} (SHA-256 {sha256}), {problem}")]
pub(crate) struct TableNotHere {
    table: String,
    sha256: String,
    problem: String,
}

/// A proof ends in a position that no table here covers.
#[derive(Debug, Error)]
#[error(
    "the proof leans on endgame tables, and none here covers {0}; name the directory of its tables with --tables"
)]
pub(crate) struct NoTableFor(pub(crate) String);

/// Tables that a proof leans on cannot be judged, because others that they rest on are wrong.
#[derive(Debug, Error)]
#[error("the endgame tables cannot be checked: {0}")]
pub(crate) struct Unjudged(String);

/// The tables that one proof names, read and ready.
pub(crate) struct LeanedOn {
    list: Vec<verify::TableId>,
    set: Option<Box<Sets>>,
    /// How many the verifier has checked value by value, if it was asked to.
    checked: Option<usize>,
    /// Whether lines that end in a table are played on, for the fifty-move rule.
    played_on: bool,
}

/// The tables that a proof leans on, and with them those that play goes on into, if somebody asks for that.
///
/// They are kept apart, so that asking for it does not change what the proof may lean on.
struct Sets {
    leaned_on: TableSet<Vec<u8>>,
    all: Option<TableSet<Vec<u8>>>,
}

impl verify::Tables for Sets {
    fn probe(&mut self, position: &verify::Position) -> TableAnswer {
        self.leaned_on.probe(position)
    }

    fn table(&self, position: &verify::Position) -> Option<&verify::TableId> {
        self.leaned_on.table(position)
    }

    fn sources(&self, position: &verify::Position) -> Vec<&verify::TableId> {
        self.leaned_on.sources(position)
    }

    fn follow(&mut self, position: &verify::Position) -> TableAnswer {
        self.all
            .as_mut()
            .unwrap_or(&mut self.leaned_on)
            .probe(position)
    }

    fn ruleset(&self) -> Option<verify::Ruleset> {
        self.leaned_on.ruleset()
    }
}

/// What the verifier says of the tables themselves.
pub(crate) enum TablesChecked {
    /// It accepts them.
    Accepted(LeanedOn),
    /// One is wrong.
    Refused(String),
    /// The check was interrupted.
    Interrupted,
}

impl TablesChecked {
    /// With `fifty`, what the verifier accepts is made ready for a replay that asks about the fifty-move rule.
    ///
    /// # Errors
    ///
    /// As [`LeanedOn::played_on`].
    pub(crate) fn for_fifty(
        self,
        fifty: bool,
        ruleset: Ruleset,
        context: &Context,
    ) -> Result<Self> {
        match self {
            Self::Accepted(tables) if fifty => {
                tables.played_on(ruleset, context).map(Self::Accepted)
            }
            other => Ok(other),
        }
    }
}

impl LeanedOn {
    /// No tables, for a proof that needs none.
    pub(crate) fn nothing() -> Self {
        Self {
            list: Vec::new(),
            set: None,
            checked: None,
            played_on: false,
        }
    }

    /// Reads the tables in `list`, which must be verified.
    ///
    /// # Errors
    ///
    /// One of them is not here, is not verified, or another one is in its place.
    pub(crate) fn open(list: &[TableId], ruleset: Ruleset, context: &Context) -> Result<Self> {
        if list.is_empty() {
            return Ok(Self::nothing());
        }
        let tables = tables_for(list, ruleset, context)?;
        let materials = find(&tables, list, Trust::Verified)?;
        Self::read(&tables, list, &materials)
    }

    /// Has the verifier check the tables in `list` and all that they rest on, and reads them.
    ///
    /// # Errors
    ///
    /// One of them is not here, another one is in its place, or they cannot be judged.
    pub(crate) fn open_checked(
        list: &[TableId],
        ruleset: Ruleset,
        stop: &StopFlag,
        context: &Context,
    ) -> Result<TablesChecked> {
        if list.is_empty() {
            return Ok(TablesChecked::Accepted(Self::nothing()));
        }
        let mut tables = tables_for(list, ruleset, context)?;
        let materials = find(&tables, list, Trust::Listed)?;
        let all = foundations(&tables, &materials);
        if let Some(problem) = check(&mut tables, &materials, &all, stop, context)? {
            return Ok(TablesChecked::Refused(problem));
        }
        if stop.is_raised() {
            return Ok(TablesChecked::Interrupted);
        }
        Ok(TablesChecked::Accepted(Self {
            checked: Some(all.len()),
            ..Self::read(&tables, list, &materials)?
        }))
    }

    fn read(tables: &Tables, list: &[TableId], materials: &[Material]) -> Result<Self> {
        let ruleset = tables.ruleset();
        let mut set = TableSet::new(ruleset_to_verifier(ruleset), CACHE_BYTES)?;
        for material in materials {
            let bytes = tables.bytes(material)?;
            let file = table_file(bytes, ruleset, material)
                .with_context(|| tables.path(material).display().to_string())?;
            let sha256 = tables
                .hash(material)
                .context("the table was listed just now")?;
            set.add(file, sha256)?;
        }
        Ok(Self {
            list: list.iter().map(to_verifier).collect(),
            set: Some(Box::new(Sets {
                leaned_on: set,
                all: None,
            })),
            checked: None,
            played_on: false,
        })
    }

    /// The same for a replay that asks about the fifty-move rule: with the tables, too, that play goes on into. The verifier believes
    /// none of these, so they are taken as they are.
    ///
    /// # Errors
    ///
    /// The directory of the tables cannot be read.
    fn played_on(mut self, ruleset: Ruleset, context: &Context) -> Result<Self> {
        self.played_on = true;
        let Some(sets) = &mut self.set else {
            return Ok(self);
        };
        let tables = table_files::open(context, ruleset, Trust::Listed)?;
        let names = self.list.iter().map(|table| table.name.parse());
        let listed: Vec<Material> = names.collect::<Result<_, _>>()?;
        let mut all = TableSet::new(ruleset_to_verifier(ruleset), CACHE_BYTES)?;
        for material in foundations(&tables, &listed) {
            // One that is missing or damaged is named by the verifier, if play comes to it.
            if let (Some(hash), Ok(bytes)) = (tables.hash(&material), tables.bytes(&material))
                && let Ok(file) = table_file(bytes, ruleset, &material)
            {
                all.add(file, hash)?;
            }
        }
        sets.all = Some(all);
        Ok(self)
    }

    pub(crate) fn are_played_on(&self) -> bool {
        self.played_on
    }

    /// Runs a replay with the tables in the list.
    ///
    /// # Errors
    ///
    /// The list names something that is no table, or one twice.
    pub(crate) fn replay(
        &mut self,
        replay: impl FnOnce(&mut dyn verify::Tables) -> Checked,
    ) -> Result<Checked, ListError> {
        let checked = match &mut self.set {
            None => replay(&mut NoTables),
            Some(sets) => replay(&mut Listed::new(&self.list, &mut **sets)?),
        };
        Ok(self.checked_too(checked))
    }

    /// Runs a replay that restricts the tables to its list itself.
    pub(crate) fn replay_all(
        &mut self,
        replay: impl FnOnce(&mut dyn verify::Tables) -> Checked,
    ) -> Checked {
        let checked = match &mut self.set {
            None => replay(&mut NoTables),
            Some(sets) => replay(&mut **sets),
        };
        self.checked_too(checked)
    }

    /// Tables that were checked are not assumed.
    fn checked_too(&self, mut checked: Checked) -> Checked {
        if let (Checked::Verified(verified), Some(tables)) = (&mut checked, self.checked) {
            verified.assumptions = vec![format!(
                "tables: none ({tables} checked value by value, of which the proof leans on {})",
                verified.assumptions.len()
            )];
        }
        checked
    }
}

fn table_file(
    bytes: Vec<u8>,
    ruleset: Ruleset,
    material: &Material,
) -> Result<TableFile<Vec<u8>>, verify::TableError> {
    let ruleset = ruleset_to_verifier(ruleset);
    TableFile::read(bytes, ruleset, &material.to_string(), unpack_for_verifier)
}

fn to_verifier(table: &TableId) -> verify::TableId {
    verify::TableId {
        name: table.name.clone(),
        sha256: table.sha256,
    }
}

fn missing(table: &TableId, problem: String) -> TableNotHere {
    TableNotHere {
        table: table.name.clone(),
        sha256: hex(&table.sha256),
        problem,
    }
}

/// The tables that are here for a proof that leans on those in `list`.
fn tables_for(list: &[TableId], ruleset: Ruleset, context: &Context) -> Result<Tables> {
    table_files::open(context, ruleset, Trust::Listed)
        .map_err(|error| missing(&list[0], format!("and {error}")).into())
}

/// The materials of tables that are here with the hashes that a proof names.
fn find(tables: &Tables, list: &[TableId], trust: Trust) -> Result<Vec<Material>> {
    let mut materials = Vec::new();
    for table in list {
        let material: Material = table.name.parse()?;
        let folder = tables.folder().display();
        match tables.hash(&material) {
            Some(hash) if hash == table.sha256 => {
                if trust == Trust::Verified && !tables.is_verified(&material) {
                    let problem = format!(
                        "and the one in {folder} is not verified: use takeme tables verify, or --tables-too"
                    );
                    return Err(missing(table, problem).into());
                }
                materials.push(material);
            }
            Some(hash) => {
                let problem = format!(
                    "and the one in {folder} has SHA-256 {}; name the directory of its tables with --tables",
                    hex(&hash)
                );
                return Err(missing(table, problem).into());
            }
            None => {
                let problem = format!(
                    "which is not in {folder}; name the directory of its tables with --tables"
                );
                return Err(missing(table, problem).into());
            }
        }
    }
    Ok(materials)
}

/// The first table that a stored proof leans on and in whose place another is here.
pub(crate) fn disagreement(store: &Store, tables: &Tables) -> Result<Option<TableNotHere>> {
    let folder = tables.folder().display();
    for claim in store.claims()? {
        if claim.ruleset != tables.ruleset() {
            continue;
        }
        for table in &claim.tables {
            let here = table.name.parse().ok().and_then(|name| tables.hash(&name));
            if let Some(hash) = here.filter(|hash| *hash != table.sha256) {
                let problem = format!("and the one in {folder} has SHA-256 {}", hex(&hash));
                return Ok(Some(missing(table, problem)));
            }
        }
    }
    Ok(None)
}

/// Tables and all those that they rest on, smaller ones first.
fn foundations(tables: &Tables, materials: &[Material]) -> Vec<Material> {
    let ruleset = ruleset_to_verifier(tables.ruleset());
    let mut names: BTreeSet<String> = materials.iter().map(ToString::to_string).collect();
    let mut open: Vec<String> = names.iter().cloned().collect();
    while let Some(name) = open.pop() {
        for other in verify::prerequisites(&name, ruleset).unwrap_or_default() {
            if names.insert(other.clone()) {
                open.push(other);
            }
        }
    }
    let all = (2..=tablebase::MAX_MEN).flat_map(Material::all);
    let mut all: Vec<Material> = all
        .filter(|material| names.contains(&material.to_string()))
        .collect();
    all.sort_by_key(|material| (material.men(), material.pawns()));
    all
}

/// What is wrong with the first of `materials` that the verifier refuses, having checked `all` that they rest on. Those that it does not
/// accept are noted as such.
///
/// # Errors
///
/// Another table is wrong or cannot be read, so that these cannot be judged.
fn check(
    tables: &mut Tables,
    materials: &[Material],
    all: &[Material],
    stop: &StopFlag,
    context: &Context,
) -> Result<Option<String>> {
    let mut refused = None;
    let mut unjudged = None;
    let mut not_accepted = Vec::new();
    let (threads, memory_bytes) = (context.threads(), context.memory_bytes());
    let mut number = 0;
    check_tables(tables, all, threads, memory_bytes, stop, |table| {
        number += 1;
        let name = table.material;
        context
            .progress
            .show(|| format!("checking tables: {number} of {}: {name}", all.len()));
        let problem: anyhow::Error = match table.verdict {
            TableVerdict::Accepted => return,
            TableVerdict::Refused(reason) if materials.contains(&name) => {
                not_accepted.push(name);
                refused.get_or_insert(format!("table {name}: {reason}"));
                return;
            }
            TableVerdict::Refused(reason) | TableVerdict::Unfounded(reason) => {
                Unjudged(format!("table {name}: {reason}")).into()
            }
            TableVerdict::Damaged(error) => error,
        };
        not_accepted.push(name);
        unjudged.get_or_insert(problem);
    });
    for material in not_accepted {
        tables.set_verified(&material, false)?;
    }
    match (refused, unjudged) {
        (Some(problem), _) => Ok(Some(problem)),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(None),
    }
}
