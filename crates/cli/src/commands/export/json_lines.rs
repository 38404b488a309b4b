//! `takeme export --format jsonl`.

use anyhow::Result;
use proof::{Claim, Entry};
use rules::{Position, fen, san};
use serde_json::{Value, json};

use super::{Sink, Source};
use crate::walk;

/// Memory: 24 bytes a position.
pub(super) fn write(source: &Source<'_>, sink: &mut Sink<'_>) -> Result<u64> {
    let mut positions = 0;
    let Source {
        store,
        settled,
        endgames,
        ..
    } = source;
    walk::positions(store, settled, endgames, |position, entry| {
        positions += 1;
        let row = format!("{}\n", row(position, entry, &settled.claim));
        sink.bytes(row.as_bytes())?;
        Ok(true)
    })?;
    Ok(positions)
}

/// A position of the winner and what to play in it.
fn row(position: &Position, entry: Entry, claim: &Claim) -> Value {
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
