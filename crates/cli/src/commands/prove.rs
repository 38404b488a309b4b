//! `takeme prove`: search, store, verify, say.

use anyhow::Result;
use store::{Access, Store};

use crate::{
    args::Prove,
    context::Context,
    exit::Exit,
    interrupt,
    lookup::{Finding, Lookup},
    position_file,
    question::{self, Question},
    run::Run,
    usage::Usage,
};

pub(crate) fn run(args: &Prove, context: &mut Context) -> Result<Exit> {
    let questions = questions(args, context)?;
    let stop = interrupt::watch()?;
    let store = match context.open(Access::Write) {
        Ok(store) => store,
        // What is stored already needs no writing.
        Err(error) => match context.open(Access::Read) {
            Ok(store) if all_stored(&store, &questions)? => store,
            _ => return Err(error),
        },
    };
    Run::new(args, context, questions, store, stop).run()
}

/// Whether the rules or verified claims answer each question.
fn all_stored(store: &Store, questions: &[Question]) -> Result<bool> {
    for question in questions {
        let stored = match Lookup::new(store, question.ruleset()).find(question.position())? {
            Finding::Over(_) => true,
            Finding::Proved(proved) => proved.is_verified(),
            Finding::Open | Finding::Unknown => false,
        };
        if !stored {
            return Ok(false);
        }
    }
    Ok(true)
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
