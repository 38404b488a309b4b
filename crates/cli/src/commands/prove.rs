//! `takeme prove`: search, store, verify, say.

use anyhow::Result;
use store::Access;

use crate::{
    args::Prove,
    context::Context,
    exit::Exit,
    interrupt, position_file,
    question::{self, Question},
    run::Run,
    usage::Usage,
};

pub(crate) fn run(args: &Prove, context: &mut Context) -> Result<Exit> {
    let questions = questions(args, context)?;
    let stop = interrupt::watch()?;
    let store = context.open(Access::Write)?;
    Run::new(args, context, questions, store, stop).run()
}

fn questions(args: &Prove, context: &Context) -> Result<Vec<Question>> {
    let positions = &args.positions;
    let Some(file) = &args.file else {
        return question::at_least_one(positions, context);
    };
    // The FEN is where the file's lines begin, not a question of its own.
    let mut questions = if positions.lines.is_empty() {
        Vec::new()
    } else {
        question::several(positions, context)?
    };
    let start = question::start(positions.fen.as_deref(), context)?;
    questions.extend(position_file::read(file, &start, positions.fen.is_some())?);
    if questions.is_empty() {
        let message = format!("there is no position in {}", file.display());
        return Err(Usage::new(message).into());
    }
    Ok(questions)
}
