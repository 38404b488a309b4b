//! Walks through a strategy: each position of the winner once, or each line.

use std::collections::HashSet;

use anyhow::Result;
use proof::{Claim, Entry, Plies, Record, Strategy as _};
use rules::{Move, MoveList, Position, canonical_moves, fen};
use store::{Basis, Store, StoredStrategy};

/// The longest line that a proof can have.
const MAX_PLIES: usize = u16::MAX as usize;
const ENDLESS: &str = "the stored strategy goes round in circles before";

/// A stored strategy, which may be none.
struct Walk<'a> {
    store: &'a Store,
    claim: &'a Claim,
    strategy: StoredStrategy<'a>,
}

impl<'a> Walk<'a> {
    fn new(store: &'a Store, claim: &'a Claim) -> Self {
        Self {
            store,
            claim,
            strategy: store.strategy(claim.ruleset, claim.winner, Basis::Rules),
        }
    }

    /// The complaint that the strategy fails in `position`.
    fn damaged(&self, what: &str, position: &Position) -> store::Error {
        store::Error::Damaged {
            path: self.store.path().to_owned(),
            what: format!("{what} {}", fen::write_position(position)),
        }
    }

    /// Whether the game is over in `position`, which has these legal moves, and then by the win that is claimed.
    fn is_over(&self, position: &Position, legal: &[Move]) -> store::Result<bool> {
        if !legal.is_empty() {
            return Ok(false);
        }
        let winner = self.claim.ruleset.outcome(position).winner();
        if winner == Some(self.claim.winner) {
            return Ok(true);
        }
        Err(self.damaged("the stored strategy ends without a win in", position))
    }

    /// What the strategy plays in a position with the winner to move; where there is no choice it need not know.
    fn choose(&mut self, position: &Position, legal: &[Move]) -> store::Result<Entry> {
        let entry = self.strategy.entry(position)?;
        match (entry, legal) {
            (Some(entry), _) if legal.contains(&entry.mv) => Ok(entry),
            (_, [mv]) => Ok(Entry {
                mv: *mv,
                height: Plies::ZERO,
            }),
            _ => Err(self.damaged("the stored strategy has no legal move for", position)),
        }
    }
}

/// Visits each position of the winner that can arise, once, depth first in canonical order, until `visit` says no. Memory: 24
/// bytes a position.
///
/// # Errors
///
/// The strategy cannot be read, or proves nothing, or `visit` fails.
pub(crate) fn positions(
    store: &Store,
    claim: &Claim,
    mut visit: impl FnMut(&Position, Entry) -> Result<bool>,
) -> Result<()> {
    let mut walk = Walk::new(store, claim);
    let mut met = HashSet::new();
    let mut stack = vec![claim.root];
    while let Some(mut position) = stack.pop() {
        let mut legal = canonical_moves(&position, claim.ruleset);
        if walk.is_over(&position, &legal)? {
            continue;
        }
        if position.side_to_move() == claim.winner {
            if !met.insert(Record::id(&position)) {
                continue;
            }
            let entry = walk.choose(&position, &legal)?;
            if !visit(&position, entry)? {
                return Ok(());
            }
            position = position.after(entry.mv, claim.ruleset);
            legal = canonical_moves(&position, claim.ruleset);
            walk.is_over(&position, &legal)?;
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
/// The strategy cannot be read, or proves nothing, or `visit` fails.
pub(crate) fn lines(
    store: &Store,
    claim: &Claim,
    depth: usize,
    mut visit: impl FnMut(&[Move], bool) -> Result<bool>,
) -> Result<()> {
    let mut walk = Walk::new(store, claim);
    let mut line: Vec<Move> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut next = Some(claim.root);
    loop {
        if let Some(position) = next.take() {
            let legal = canonical_moves(&position, claim.ruleset);
            let over = walk.is_over(&position, &legal)?;
            if over || line.len() >= depth {
                if !visit(&line, over)? {
                    return Ok(());
                }
                line.pop();
            } else if line.len() >= MAX_PLIES {
                return Err(walk.damaged(ENDLESS, &position).into());
            } else {
                let moves = if position.side_to_move() == claim.winner {
                    MoveList::from_iter([walk.choose(&position, &legal)?.mv])
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
