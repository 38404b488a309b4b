//! `takeme bench`: the fingerprint of the search.
//!
//! Each line is proved from nothing, in memory, on one thread, with memory that does not depend on the machine: so the nodes
//! are the same everywhere, and differ as soon as the search does.

use std::time::Duration;

use anyhow::Result;
use prover::{Goal, Outcome, Settings, Task, prove};
use rules::{Color, Game};
use serde_json::json;

use crate::{
    args::Bench,
    context::{Context, extend, name_or_null, object},
    exit::Exit,
    interrupt,
    question::Question,
    units,
    usage::Usage,
};

/// The lines with the sides that win them, from the easiest.
const SUITE: [(&str, Color); 8] = [
    ("e3 d5", Color::White),
    ("e3 d6", Color::White),
    ("e4", Color::Black),
    ("d4", Color::Black),
    ("d3", Color::Black),
    ("e3 Na6", Color::White),
    ("e3 g6", Color::White),
    ("e3 h6", Color::White),
];

const MEMORY_BYTES: usize = 1 << 30;

pub(crate) fn run(args: &Bench, context: &mut Context) -> Result<Exit> {
    let count = args.lines.unwrap_or(SUITE.len());
    if count == 0 || count > SUITE.len() {
        let message = format!("--lines must be between 1 and {}", SUITE.len());
        return Err(Usage::new(message).into());
    }
    let stop = interrupt::watch()?;
    let start = Game::initial(context.ruleset());
    let mut exit = Exit::Done;
    let (mut nodes, mut elapsed) = (0, Duration::ZERO);
    for (text, winner) in &SUITE[..count] {
        let question = Question::play(&start, text, false).map_err(Usage::new)?;
        let task = Task::new(*question.position(), question.ruleset(), Goal::Either);
        let settings = Settings {
            nodes: None,
            time: None,
            memory_bytes: MEMORY_BYTES,
        };
        let outcome = prove(&task, &settings, &stop, &|snapshot| {
            context.progress.show(|| {
                let nodes = units::count(snapshot.nodes, "node");
                format!("{}: {nodes}", question.name())
            });
        });
        if stop.is_raised() {
            return Ok(Exit::Interrupted);
        }
        nodes += outcome.effort.nodes;
        elapsed += outcome.effort.elapsed;
        if outcome.verdict.proved().map(|(winner, _)| winner) != Some(*winner) {
            exit = Exit::No;
        }
        print(context, &question, &outcome)?;
    }
    print_total(context, nodes, elapsed)?;
    Ok(exit)
}

fn print(context: &mut Context, question: &Question, outcome: &Outcome) -> Result<()> {
    let effort = outcome.effort;
    let proved = outcome.verdict.proved();
    if context.global.json {
        let mut object = object("bench", question.ruleset());
        extend(
            &mut object,
            json!({
                "line": question.uci(),
                "winner": name_or_null(proved.map(|(winner, _)| winner)),
                "plies": proved.map(|(_, plies)| plies.0),
                "nodes": effort.nodes,
                "seconds": effort.elapsed.as_secs_f64(),
            }),
        );
        context.out.object(object)?;
        return context.out.flush();
    }
    let result = proved.map_or("not proved".to_owned(), |(winner, plies)| {
        format!("{winner} wins in {plies} plies at most")
    });
    context.out.line(&format!(
        "{}: {result}, {} nodes, {}",
        question.name(),
        effort.nodes,
        units::seconds(effort.elapsed)
    ))?;
    context.out.flush()
}

fn print_total(context: &mut Context, nodes: u64, elapsed: Duration) -> Result<()> {
    let per_second = units::per_second(nodes, elapsed);
    if context.global.json {
        let mut object = object("bench", context.ruleset());
        extend(
            &mut object,
            json!({
                "nodes_total": nodes,
                "seconds": elapsed.as_secs_f64(),
                "nodes_per_second": per_second,
            }),
        );
        return context.out.object(object);
    }
    context.out.line(&format!(
        "{nodes} nodes in all ({}, {}, {} nodes/s)",
        context.ruleset(),
        units::seconds(elapsed),
        units::thousands(per_second)
    ))
}
