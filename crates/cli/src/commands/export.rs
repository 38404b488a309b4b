//! `takeme export`: a stored proof as a file.

use std::io::Write;

use anyhow::{Context as _, Result};
use proof::{Claim, certificate};
use rules::{Position, fen, san};
use serde_json::{Value, json};
use store::Access;

use crate::{
    args::Export,
    context::{Context, extend, object},
    exit::Exit,
    format::Format,
    lookup::{proof_of, settled_claim},
    new_file::NewFile,
    question, units, walk,
};

pub(crate) fn run(args: &Export, context: &mut Context) -> Result<Exit> {
    let question = question::one(&args.position, context)?;
    let store = context.open(Access::Read)?;
    let mut file = NewFile::create(&args.output, args.force)?;
    let Some(claim) = settled_claim(&store, &question, context)? else {
        return Ok(Exit::Undecided);
    };
    let winner = claim.winner;
    let written = || format!("cannot write {}", args.output.display());
    let proof = proof_of(&store, &claim)?;
    let positions = match args.format {
        Format::Certificate => {
            certificate::write(&proof, &mut file).with_context(written)?;
            proof.positions()
        }
        Format::JsonLines => {
            walk::positions(&store, &claim, |position, entry| {
                let row = row(position, entry, &claim);
                writeln!(file, "{row}").with_context(written)?;
                Ok(true)
            })?;
            proof.positions()
        }
    };
    file.finish()?;
    let path = args.output.display();
    if context.global.json {
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
        context.out.line(&format!(
            "{}: {winner} wins, {} written to {path} ({})",
            question.name(),
            units::count(positions, "position"),
            claim.ruleset
        ))?;
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
