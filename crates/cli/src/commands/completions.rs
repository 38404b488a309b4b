//! `takeme completions`: scripts for shells.

use anyhow::Result;
use clap::CommandFactory;

use crate::{
    args::{Cli, Completions},
    context::Context,
    exit::Exit,
};

pub(crate) fn run(args: &Completions, context: &mut Context) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "takeme", &mut script);
    context.out.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
