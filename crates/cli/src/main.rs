//! `takeme` proves who wins positions of losing chess, stores the proofs and checks them.

#![forbid(unsafe_code)]

mod answer;
mod args;
mod books;
mod checkpoints;
mod columns;
mod commands;
mod context;
mod crossing;
mod exit;
mod format;
mod hints;
mod interrupt;
mod known;
mod leaned_on;
mod lookup;
mod memory;
mod names;
mod new_file;
mod output;
mod position_file;
mod progress;
mod question;
mod recheck;
mod run;
mod same_file;
mod shrinking;
mod standing;
mod stored_proofs;
mod summary;
mod table_check;
mod table_files;
mod units;
mod usage;
mod variant_tag;
mod verification;
mod walk;

use std::process::ExitCode;

use clap::Parser;

use crate::{args::Cli, context::Context, exit::Exit, output::ClosedPipe};

fn main() -> ExitCode {
    let Cli { global, command } = Cli::parse();
    let mut context = Context::new(global);
    let ended = commands::run(command, &mut context);
    // What was written before an error counts.
    let flushed = context.out.flush();
    context.progress.clear();
    let exit = match ended.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit,
        Err(error) => {
            if !error.is::<ClosedPipe>() {
                context.progress.error(&sentence(&error));
            }
            Exit::of_error(&error)
        }
    };
    exit.into()
}

/// An error with its causes. A cause that is part of the text before it is not repeated.
fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
