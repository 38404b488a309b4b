//! `takeme export`: a stored proof as a file.

mod certificate;
mod json_lines;
mod pgn;
mod watkins;

use std::path::Path;

use anyhow::Result;
use prover::Endgames;
use serde_json::json;
use store::{Access, Store};

use crate::{
    args::Export,
    context::{Context, extend, object},
    exit::Exit,
    format::ExportFormat,
    lookup::{Settled, settled_with_tables},
    new_file::Destination,
    output::Output,
    question::{self, Question},
    same_file::is_same,
    units,
    usage::Usage,
};

/// The proof that is written.
struct Source<'a> {
    question: &'a Question,
    store: &'a Store,
    settled: Settled,
    endgames: &'a Endgames,
}

/// Where it is written to.
struct Sink<'a> {
    destination: Destination,
    out: &'a mut Output,
}

impl Sink<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.destination.write(bytes, self.out)
    }
}

pub(crate) fn run(args: &Export, context: &mut Context) -> Result<Exit> {
    check_flags(args, context.global.json)?;
    let question = question::one(&args.position, context)?;
    let store = context.open(Access::Read)?;
    if is_same(&args.output, store.path()) {
        let message = format!("{} is the database", args.output.display());
        return Err(Usage::new(message).into());
    }
    let destination = Destination::open(&args.output, args.force)?;
    let Some((settled, endgames)) = settled_with_tables(&store, &question, context)? else {
        return Ok(Exit::Undecided);
    };
    let source = Source {
        question: &question,
        store: &store,
        settled,
        endgames: &endgames,
    };
    let memory_bytes = context.memory_bytes();
    let mut sink = Sink {
        destination,
        out: &mut context.out,
    };
    // Each writer returns the number of positions with the winner to move.
    let positions = match args.format {
        ExportFormat::Certificate => certificate::write(&source, &mut sink, memory_bytes)?,
        ExportFormat::JsonLines => json_lines::write(&source, &mut sink)?,
        ExportFormat::Pgn => pgn::write(&source, &mut sink, args)?,
        ExportFormat::Watkins => watkins::write(&source, &mut sink, &context.progress)?,
    };
    let is_stdout = matches!(sink.destination, Destination::Stdout);
    sink.destination.finish()?;
    report(args, &question, &settled, positions, is_stdout, context)
}

/// Some flags are for one format, and what stands on standard output is either objects or a file.
fn check_flags(args: &Export, json: bool) -> Result<()> {
    let flags = [
        ("--max-lines", args.most.is_some()),
        ("--split", args.split),
    ];
    if args.format != ExportFormat::Pgn
        && let Some((flag, _)) = flags.into_iter().find(|&(_, is_given)| is_given)
    {
        return Err(Usage::new(format!("{flag} is for --format pgn")).into());
    }
    if json && args.output == Path::new("-") && args.format != ExportFormat::JsonLines {
        let message = "--json has objects on standard output, and only --format jsonl writes such: name a file";
        return Err(Usage::new(message).into());
    }
    if args.most == Some(0) {
        return Err(Usage::new("--max-lines 0 asks for nothing").into());
    }
    Ok(())
}

/// Says what was written.
fn report(
    args: &Export,
    question: &Question,
    settled: &Settled,
    positions: u64,
    is_stdout: bool,
    context: &mut Context,
) -> Result<Exit> {
    let (winner, ruleset) = (settled.claim.winner, settled.claim.ruleset);
    let path = args.output.display();
    let written = format!(
        "{}: {winner} wins, {} written to",
        question.name(),
        units::count(positions, "position")
    );
    if is_stdout {
        // There the proof stands alone.
        context
            .progress
            .note(&format!("{written} standard output ({ruleset})"));
    } else if context.global.json {
        let mut object = object("export", ruleset);
        extend(
            &mut object,
            json!({
                "line": question.uci(),
                "fen": question.fen(),
                "winner": winner.name(),
                "positions": positions,
                "file": path.to_string(),
            }),
        );
        context.out.object(object)?;
    } else {
        context.out.line(&format!("{written} {path} ({ruleset})"))?;
    }
    Ok(Exit::Done)
}
