//! `takeme tables`: endgame tables.

mod generate;
mod probe;
mod stats;
mod verify;

use anyhow::Result;
use tablebase::{Material, Tables};

use crate::{args::TablesCommand, context::Context, exit::Exit, usage::Usage};

pub(crate) fn run(command: TablesCommand, context: &mut Context) -> Result<Exit> {
    match command {
        TablesCommand::Generate {
            men,
            only,
            force,
            no_verify,
        } => generate::run(men, &only, force, no_verify, context),
        TablesCommand::Verify { only } => verify::run(&only, context),
        TablesCommand::Probe { fens } => probe::run(&fens, context),
        TablesCommand::Stats { only } => stats::run(&only, context),
    }
}

/// The listed tables that a command is about, smaller ones first: all if none is named.
///
/// # Errors
///
/// One that is named is not there, or there is none at all.
fn selected(tables: &Tables, only: &[Material]) -> Result<Vec<Material>> {
    let listed: Vec<Material> = tables.listed().collect();
    if let Some(missing) = only.iter().find(|material| !listed.contains(material)) {
        let path = tables.path(missing);
        let needed_for = "this command".to_owned();
        return Err(tablebase::Error::Missing { path, needed_for }.into());
    }
    if listed.is_empty() {
        let message = format!("there are no tables in {}", tables.folder().display());
        return Err(Usage::new(message)
            .hint("make some with takeme tables generate")
            .into());
    }
    let chosen = |material: &Material| only.is_empty() || only.contains(material);
    Ok(listed.into_iter().filter(chosen).collect())
}
