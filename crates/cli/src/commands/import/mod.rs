//! `takeme import`: a proof from a file, stored if it holds.

mod certificate;

use anyhow::Result;

use crate::{args::Import, context::Context, exit::Exit, format::ImportFormat};

pub(crate) fn run(args: &Import, context: &mut Context) -> Result<Exit> {
    match args.format {
        ImportFormat::Certificate => certificate::run(args, context),
    }
}
