//! Walks through a strategy: each position of the winner once, or each line.

use std::collections::HashSet;

use anyhow::Result;
use proof::{Claim, Entry, Plies, Record, Strategy};
use rules::{Move, MoveList, Position, canonical_moves, fen};
use thiserror::Error;

/// A stored strategy has no legal move for a position that it leads to.
#[derive(Debug, Error)]
#[error("the database is damaged: the stored strategy has no legal move for {0}")]
pub(crate) struct Hole(String);

/// What a strategy plays in a position with the winner to move; where there is no choice it need not know.
fn choose<S: Strategy<Error = store::Error>>(
    strategy: &mut S,
    position: &Position,
    legal: &[Move],
) -> Result<Entry> {
    let entry = strategy.entry(position)?;
    match (entry, legal) {
        (Some(entry), _) if legal.contains(&entry.mv) => Ok(entry),
        (_, [mv]) => Ok(Entry {
            mv: *mv,
            height: Plies::ZERO,
        }),
        _ => Err(Hole(fen::write_position(position)).into()),
    }
}

/// Visits each position of the winner that can arise, once, depth first in canonical order, until `visit` says no. Memory: 24
/// bytes a position.
///
/// # Errors
///
/// The strategy cannot be read or is incomplete, or `visit` fails.
pub(crate) fn positions<S: Strategy<Error = store::Error>>(
    claim: &Claim,
    strategy: &mut S,
    mut visit: impl FnMut(&Position, Entry) -> Result<bool>,
) -> Result<()> {
    let mut met = HashSet::new();
    let mut stack = vec![claim.root];
    while let Some(mut position) = stack.pop() {
        let mut legal = canonical_moves(&position, claim.ruleset);
        if position.side_to_move() == claim.winner && !legal.is_empty() {
            if !met.insert(Record::id(&position)) {
                continue;
            }
            let entry = choose(strategy, &position, &legal)?;
            if !visit(&position, entry)? {
                return Ok(());
            }
            position = position.after(entry.mv, claim.ruleset);
            legal = canonical_moves(&position, claim.ruleset);
        }
        let replies = legal.iter().rev();
        stack.extend(replies.map(|&mv| position.after(mv, claim.ruleset)));
    }
    Ok(())
}

/// A position of the current line, and the moves still to be followed there, last first.
struct Step {
    position: Position,
    moves: MoveList,
}

/// Visits each line of the strategy to its end, or to `depth` plies, depth first, until `visit` says no. `visit` is told the moves and
/// whether the game is over after them. Memory depends on the length of a line only.
///
/// # Errors
///
/// The strategy cannot be read or is incomplete, or `visit` fails.
pub(crate) fn lines<S: Strategy<Error = store::Error>>(
    claim: &Claim,
    strategy: &mut S,
    depth: usize,
    mut visit: impl FnMut(&[Move], bool) -> Result<bool>,
) -> Result<()> {
    let mut line: Vec<Move> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut next = Some(claim.root);
    loop {
        if let Some(position) = next.take() {
            let legal = canonical_moves(&position, claim.ruleset);
            if legal.is_empty() || line.len() >= depth {
                if !visit(&line, legal.is_empty())? {
                    return Ok(());
                }
                line.pop();
            } else {
                let moves = if position.side_to_move() == claim.winner {
                    MoveList::from_iter([choose(strategy, &position, &legal)?.mv])
                } else {
                    legal.into_iter().rev().collect()
                };
                steps.push(Step { position, moves });
            }
        }
        let Some(step) = steps.last_mut() else {
            return Ok(());
        };
        if let Some(mv) = step.moves.pop() {
            line.push(mv);
            next = Some(step.position.after(mv, claim.ruleset));
        } else {
            steps.pop();
            line.pop();
        }
    }
}
