//! `takeme perft`: counts of move sequences, the fingerprint of a move generator.

use std::time::Instant;

use anyhow::Result;
use rules::perft;
use serde_json::{Map, Value, json};

use crate::{
    args::Perft,
    context::{Context, extend, object},
    exit::Exit,
    question, units,
};

pub(crate) fn run(args: &Perft, context: &mut Context) -> Result<Exit> {
    let question = question::one(&args.position, context)?;
    let (position, ruleset) = (question.position(), question.ruleset());
    let start = Instant::now();
    let divide = args
        .divide
        .then(|| perft::divide(position, args.depth, ruleset));
    let nodes = match &divide {
        Some(parts) if args.depth > 0 => parts.iter().map(|(_, nodes)| nodes).sum(),
        _ => perft::perft(position, args.depth, ruleset),
    };
    let elapsed = start.elapsed();
    if context.global.json {
        let mut object = object("perft", ruleset);
        extend(
            &mut object,
            json!({
                "line": question.uci(),
                "fen": question.fen(),
                "depth": args.depth,
                "nodes": nodes,
                "seconds": elapsed.as_secs_f64(),
            }),
        );
        if let Some(parts) = divide {
            let parts: Map<String, Value> = parts
                .into_iter()
                .map(|(mv, nodes)| (mv.to_string(), nodes.into()))
                .collect();
            object.insert("divide".to_owned(), parts.into());
        }
        context.out.object(object)?;
        return Ok(Exit::Done);
    }
    for (mv, nodes) in divide.into_iter().flatten() {
        context.out.line(&format!("{mv}: {nodes}"))?;
    }
    let per_second = units::per_second(nodes, elapsed);
    context.out.line(&format!(
        "{}: {} of {} ({ruleset}, {}, {} nodes/s)",
        question.name(),
        units::plain_count(nodes, "sequence"),
        units::count(u64::from(args.depth), "move"),
        units::seconds(elapsed),
        units::thousands(per_second),
    ))?;
    Ok(Exit::Done)
}
