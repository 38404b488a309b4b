//! `takeme man`: the manual page, in troff.

use anyhow::Result;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::{args::Cli, context::Context, exit::Exit};

/// The page of the program, and behind it those of its commands.
pub(crate) fn run(context: &mut Context) -> Result<Exit> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands() {
        let name = format!("takeme-{}", sub.get_name());
        Man::new(sub.clone().display_name(name)).render(&mut page)?;
    }
    context.out.text(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}
