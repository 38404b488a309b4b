//! `takeme export`: a stored proof as a file.

use anyhow::Result;
use proof::{Claim, certificate};
use rules::{Position, fen, san};
use serde_json::{Value, json};
use store::Access;

use crate::{
    args::Export,
    context::{Context, extend, object},
    exit::Exit,
    format::Format,
    lookup::{proof_of, settled_with_tables},
    new_file::Destination,
    question, units, walk,
};

pub(crate) fn run(args: &Export, context: &mut Context) -> Result<Exit> {
    let question = question::one(&args.position, context)?;
    let store = context.open(Access::Read)?;
    let mut destination = Destination::open(&args.output, args.force)?;
    let Some((settled, endgames)) = settled_with_tables(&store, &question, context)? else {
        return Ok(Exit::Undecided);
    };
    let claim = settled.claim;
    let winner = claim.winner;
    let proof = proof_of(&store, &settled, &endgames)?;
    let positions = proof.positions();
    match args.format {
        Format::Certificate => {
            let mut bytes = Vec::new();
            certificate::write(&proof, &mut bytes)?;
            destination.write(&bytes, &mut context.out)?;
        }
        Format::JsonLines => {
            walk::positions(&store, &settled, &endgames, |position, entry| {
                let row = format!("{}\n", row(position, entry, &claim));
                destination.write(row.as_bytes(), &mut context.out)?;
                Ok(true)
            })?;
        }
    }
    let is_stdout = matches!(destination, Destination::Stdout);
    destination.finish()?;
    let path = args.output.display();
    let written = format!(
        "{}: {winner} wins, {} written to",
        question.name(),
        units::count(positions, "position")
    );
    if is_stdout {
        // There the proof stands alone.
        let ruleset = claim.ruleset;
        context
            .progress
            .note(&format!("{written} standard output ({ruleset})"));
    } else if context.global.json {
        let mut object = object("export", claim.ruleset);
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
        context
            .out
            .line(&format!("{written} {path} ({})", claim.ruleset))?;
    }
    Ok(Exit::Done)
}

/// A position of the winner and what to play in it.
fn row(position: &Position, entry: proof::Entry, claim: &Claim) -> Value {
    json!({
        "schema": 1,
        "command": "export",
        "rules": claim.ruleset.name(),
        "winner": claim.winner.name(),
        "fen": fen::write_position(position),
        "move": entry.mv.to_string(),
        "move_san": san::write(position, entry.mv, claim.ruleset),
        "plies": entry.height.0,
    })
}
