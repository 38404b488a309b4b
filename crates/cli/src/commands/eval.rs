//! `takeme eval`: what a position is, without search.

use anyhow::Result;
use rules::Outcome;
use serde_json::json;

use crate::{
    args::Eval,
    context::{Context, extend, name_or_null, object},
    exit::Exit,
    question, units,
};

pub(crate) fn run(args: &Eval, context: &mut Context) -> Result<Exit> {
    let question = question::one(&args.position, context)?;
    let ruleset = question.ruleset();
    let outcome = question.game.outcome();
    let reason = outcome.reason().map(rules::EndReason::name);
    let legal = question.game.legal_moves();
    let uci: Vec<String> = legal.iter().map(ToString::to_string).collect();
    let san: Vec<String> = legal.iter().map(|&mv| question.san(mv)).collect();
    if context.global.json {
        let mut object = object("eval", ruleset);
        extend(
            &mut object,
            json!({
                "line": question.uci(),
                "fen": question.fen(),
                "outcome": outcome.name(),
                "reason": name_or_null(reason),
                "moves": uci,
                "moves_san": san,
            }),
        );
        context.out.object(object)?;
        return Ok(Exit::Done);
    }
    let state = match (outcome, reason) {
        (Outcome::Won { winner, .. }, Some(reason)) => format!("{winner} has won: {reason}"),
        (Outcome::Drawn { .. }, Some(reason)) => format!("drawn: {reason}"),
        _ => format!("ongoing, {} to move", question.position().side_to_move()),
    };
    context
        .out
        .line(&format!("{}: {state} ({ruleset})", question.name()))?;
    context.out.line(&format!("fen: {}", question.fen()))?;
    let moves: Vec<String> = san
        .iter()
        .zip(&uci)
        .map(|(san, uci)| format!("{san} ({uci})"))
        .collect();
    let list = if moves.is_empty() {
        "none".to_owned()
    } else {
        moves.join(", ")
    };
    context.out.line(&format!(
        "{}: {list}",
        units::count(moves.len() as u64, "legal move")
    ))?;
    Ok(Exit::Done)
}
