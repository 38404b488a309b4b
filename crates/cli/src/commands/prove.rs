//! `takeme prove`: search, store, verify, say.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Result;
use prover::Endgames;
use rules::Game;
use store::{Access, Basis, Store};
use tablebase::Tables;

use crate::{
    args::Prove,
    context::Context,
    exit::Exit,
    interrupt,
    leaned_on::disagreement,
    lookup::{Finding, Lookup},
    memory, position_file,
    question::{self, Question},
    run::Run,
    shrinking, table_files,
    usage::Usage,
};

pub(crate) fn run(args: &Prove, context: &mut Context) -> Result<Exit> {
    let start = question::start(args.positions.fen.as_deref(), context)?;
    let questions = questions(args, &start)?;
    let mut hints = args.hints.read(&start)?;
    let stop = interrupt::watch()?;
    let tables = if args.no_tables {
        None
    } else {
        table_files::open_if_there(context, context.ruleset())?.map(Arc::new)
    };
    let mut store = match context.open(Access::Write) {
        Ok(store) => store,
        // What is stored already needs no writing.
        Err(error) => match context.open(Access::Read) {
            Ok(store) if all_stored(&store, &questions, tables.as_ref())? => store,
            _ => return Err(error),
        },
    };
    if let Some(tables) = &tables
        && let Some(problem) = disagreement(&store, tables)?
    {
        let advice = "prove without tables (--no-tables), into another database, or with those tables; takeme verify looks \
                      whether the proofs hold with these";
        return Err(anyhow::Error::new(problem).context(advice));
    }
    hints.add_imported(&store, context.ruleset())?;
    for note in &hints.notes {
        context.progress.note(note);
    }
    store.set_cache_bytes(memory::for_database(context.memory_bytes()))?;
    let run = Run::new(
        args,
        context,
        questions,
        hints,
        store,
        tables,
        Arc::clone(&stop),
    );
    let (exit, proved) = run.run()?;
    if args.shrink && !stop.is_raised() {
        return Ok(exit.worse(shrinking::run(args, &proved, &stop, context)?));
    }
    Ok(exit)
}

/// Whether the rules or verified claims answer each question.
fn all_stored(store: &Store, questions: &[Question], tables: Option<&Arc<Tables>>) -> Result<bool> {
    let endgames = Endgames::new(tables.cloned());
    let basis = basis(tables);
    for question in questions {
        let mut lookup = Lookup::new(store, question.ruleset(), basis, &endgames);
        let stored = match lookup.find(question.position())? {
            Finding::Over(_) => true,
            Finding::Proved(proved) => proved.is_verified(),
            Finding::Tabled(_) | Finding::Open | Finding::Unknown => false,
        };
        if !stored {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What proofs may rest on if these tables are used.
pub(crate) fn basis(tables: Option<&Arc<Tables>>) -> Basis {
    match tables {
        Some(_) => Basis::Tables,
        None => Basis::Rules,
    }
}

fn questions(args: &Prove, start: &Game) -> Result<Vec<Question>> {
    let positions = &args.positions;
    let is_stdin = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    if is_stdin(&args.file) && is_stdin(&args.hints.file) {
        let message = "--file and --hints cannot both be read from standard input";
        return Err(Usage::new(message).into());
    }
    let Some(file) = &args.file else {
        return question::at_least_one(positions, start);
    };
    // The FEN is where the file's lines begin, not a question of its own.
    let mut questions = if positions.lines.is_empty() {
        Vec::new()
    } else {
        question::several(positions, start)?
    };
    questions.extend(position_file::read(file, start, positions.fen.is_some())?);
    if questions.is_empty() {
        let message = format!("there is no position in {}", file.display());
        return Err(Usage::new(message).into());
    }
    Ok(questions)
}
