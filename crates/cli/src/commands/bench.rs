//! `takeme bench`: the fingerprint of the search.
//!
//! Each line of the main game, or position of another, is proved from nothing, in memory, on one thread, with memory that
//! does not depend on the machine: so the nodes are the same everywhere, and differ as soon as the search does.

use std::time::Duration;

use anyhow::Result;
use prover::{Goal, Outcome, Settings, Task, prove};
use rules::{Color, Game, Ruleset};
use serde_json::json;

use crate::{
    answer::plural_plies,
    args::Bench,
    context::{Context, extend, name_or_null, object},
    exit::Exit,
    interrupt, position_file,
    question::Question,
    units,
    usage::Usage,
};

/// Lines of the main game with the sides that win them, from the easiest.
const LINES: [(&str, Color); 8] = [
    ("e3 d5", Color::White),
    ("e3 d6", Color::White),
    ("e4", Color::Black),
    ("d4", Color::Black),
    ("d3", Color::Black),
    ("e3 Na6", Color::White),
    ("e3 g6", Color::White),
    ("e3 h6", Color::White),
];

/// Positions of the other games, from the easiest; each with an EPD operation `winner`.
fn positions(ruleset: Ruleset) -> Option<&'static str> {
    match ruleset {
        Ruleset::International | Ruleset::Fics | Ruleset::Joint => None,
        Ruleset::Variant2 => Some(include_str!("../../../../data/positions/variant2.epd")),
        Ruleset::Variant3 => Some(include_str!("../../../../data/positions/variant3.epd")),
        Ruleset::Variant4 => Some(include_str!("../../../../data/positions/variant4.epd")),
        Ruleset::Extinction => Some(include_str!("../../../../data/positions/extinction.epd")),
    }
}

/// The suite of a ruleset.
fn suite(ruleset: Ruleset) -> Result<Vec<(Question, Color)>, String> {
    let Some(text) = positions(ruleset) else {
        let start = Game::initial(ruleset);
        let question = |(line, winner)| Ok((Question::play(&start, line, false)?, winner));
        return LINES.into_iter().map(question).collect();
    };
    let read = |line: &str| {
        let winner = line
            .split(';')
            .find_map(|operation| operation.trim().strip_prefix("winner "));
        let winner = winner
            .and_then(|name| name.parse().ok())
            .ok_or("no winner")?;
        Ok((position_file::read_epd(line, ruleset)?, winner))
    };
    text.lines().map(read).collect()
}

const MEMORY_BYTES: usize = 1 << 30;

pub(crate) fn run(args: &Bench, context: &mut Context) -> Result<Exit> {
    let suite = suite(context.ruleset()).map_err(Usage::new)?;
    let count = args.lines.unwrap_or(suite.len());
    if count == 0 || count > suite.len() {
        let message = format!("--lines must be between 1 and {}", suite.len());
        return Err(Usage::new(message).into());
    }
    let stop = interrupt::watch()?;
    let mut exit = Exit::Done;
    let (mut nodes, mut elapsed) = (0, Duration::ZERO);
    for (question, winner) in &suite[..count] {
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
        print(context, question, &outcome)?;
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
        format!("{winner} wins in {} at most", plural_plies(plies))
    });
    context.out.line(&format!(
        "{}: {result}, {}, {}",
        question.name(),
        units::plain_count(effort.nodes, "node"),
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
        "{} in all ({}, {}, {} nodes/s)",
        units::plain_count(nodes, "node"),
        context.ruleset(),
        units::seconds(elapsed),
        units::thousands(per_second)
    ))
}
