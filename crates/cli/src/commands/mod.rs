//! The commands, a file each.

mod bench;
mod completions;
mod db;
mod eval;
mod export;
mod import;
mod lines;
mod man;
mod merge;
mod open;
mod perft;
pub(crate) mod prove;
mod query;
mod status;
mod tables;
mod verify;

use anyhow::Result;

use crate::{args::Command, context::Context, exit::Exit};

/// Runs a command.
///
/// # Errors
///
/// What ended it before it was done.
pub(crate) fn run(command: Command, context: &mut Context) -> Result<Exit> {
    match command {
        Command::Prove(args) => prove::run(&args, context),
        Command::Query(args) => query::run(&args, context),
        Command::Verify(args) => verify::run(&args, context),
        Command::Status => status::run(context),
        Command::Open(args) => open::run(&args, context),
        Command::Lines(args) => lines::run(&args, context),
        Command::Export(args) => export::run(&args, context),
        Command::Import(args) => import::run(&args, context),
        Command::Merge(args) => merge::run(&args, context),
        Command::Perft(args) => perft::run(&args, context),
        Command::Eval(args) => eval::run(&args, context),
        Command::Bench(args) => bench::run(&args, context),
        Command::Tables(args) => tables::run(args.command, context),
        Command::Db(args) => db::run(args.command, context),
        Command::Completions(args) => completions::run(&args, context),
        Command::Man => man::run(context),
    }
}
