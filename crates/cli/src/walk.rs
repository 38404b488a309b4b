//! Walks through a strategy: each position of the winner once, or each line.

use std::collections::HashSet;

use anyhow::Result;
use proof::{Claim, EndTables as _, Entry, Plies, Record, Strategy as _, TableEnd};
use prover::Endgames;
use rules::{Move, MoveList, Position, canonical_moves, fen};
use store::{Basis, Store, StoredStrategy};

use crate::{
    leaned_on::NoTableFor,
    lookup::{Begun, Settled, is_for_a_table},
    table_files::DamagedTable,
};

/// The longest line that a proof can have.
const MAX_PLIES: usize = u16::MAX as usize;
pub(crate) const ENDLESS: &str = "the stored strategy goes round in circles before";

/// How far a line goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// To the end of the game.
    Over,
    /// To a position that an endgame table gives as won.
    Table,
    /// To the depth that was asked for.
    Cut,
}

/// A stored strategy, which may be none.
pub(crate) struct Walk<'a> {
    store: &'a Store,
    claim: Claim,
    basis: Basis,
    endgames: &'a Endgames,
    strategy: Begun<StoredStrategy<'a>>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(store: &'a Store, settled: &Settled, endgames: &'a Endgames) -> Self {
        let Settled { claim, basis, .. } = *settled;
        Self {
            store,
            claim,
            basis,
            endgames,
            strategy: settled.strategy(store.strategy(claim.ruleset, claim.winner, basis)),
        }
    }

    /// The complaint that the strategy fails in `position`.
    pub(crate) fn damaged(&self, what: &str, position: &Position) -> store::Error {
        store::Error::Damaged {
            path: self.store.path().to_owned(),
            what: format!("{what} {}", fen::write_position(position)),
        }
    }

    /// How the line ends in `position`, which has these legal moves, if it does, and then by the win that is claimed.
    pub(crate) fn end(&self, position: &Position, legal: &[Move]) -> Result<Option<End>> {
        let Claim {
            ruleset, winner, ..
        } = self.claim;
        if legal.is_empty() {
            if ruleset.outcome(position).winner() == Some(winner) {
                return Ok(Some(End::Over));
            }
            let what = "the stored strategy ends without a win in";
            return Err(self.damaged(what, position).into());
        }
        if self.basis == Basis::Rules {
            return Ok(None);
        }
        match self.endgames.end(position, winner).map_err(DamagedTable)? {
            TableEnd::NotCovered => Ok(None),
            TableEnd::Won(_) => Ok(Some(End::Table)),
            TableEnd::NotWon => {
                let what = "the stored strategy leads to what a table does not give as won:";
                Err(self.damaged(what, position).into())
            }
        }
    }

    /// The plies that the strategy promises at most in a position with the winner to move, if it says so.
    pub(crate) fn height(&mut self, position: &Position) -> Result<Option<Plies>> {
        Ok(self.strategy.entry(position)?.map(|entry| entry.height))
    }

    /// What the strategy plays in a position with the winner to move; where there is no choice it need not know.
    pub(crate) fn choose(&mut self, position: &Position, legal: &[Move]) -> Result<Entry> {
        let entry = self.strategy.entry(position)?;
        match (entry, legal) {
            (Some(entry), _) if legal.contains(&entry.mv) => Ok(entry),
            (_, [mv]) => Ok(Entry {
                mv: *mv,
                height: Plies::ZERO,
            }),
            (None, _) if is_for_a_table(self.basis, position) => {
                Err(NoTableFor(fen::write_position(position)).into())
            }
            _ => {
                let what = "the stored strategy has no legal move for";
                Err(self.damaged(what, position).into())
            }
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
    settled: &Settled,
    endgames: &Endgames,
    mut visit: impl FnMut(&Position, Entry) -> Result<bool>,
) -> Result<()> {
    let claim = &settled.claim;
    let mut walk = Walk::new(store, settled, endgames);
    let mut met = HashSet::new();
    let mut stack = vec![claim.root];
    while let Some(mut position) = stack.pop() {
        let mut legal = canonical_moves(&position, claim.ruleset);
        if walk.end(&position, &legal)?.is_some() {
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
            if walk.end(&position, &legal)?.is_some() {
                continue;
            }
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
/// how the line ends. Memory depends on the length of a line only.
///
/// # Errors
///
/// The strategy cannot be read, or proves nothing, or `visit` fails.
pub(crate) fn lines(
    store: &Store,
    settled: &Settled,
    endgames: &Endgames,
    depth: usize,
    mut visit: impl FnMut(&[Move], End) -> Result<bool>,
) -> Result<()> {
    let claim = &settled.claim;
    let mut walk = Walk::new(store, settled, endgames);
    let mut line: Vec<Move> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut next = Some(claim.root);
    loop {
        if let Some(position) = next.take() {
            let legal = canonical_moves(&position, claim.ruleset);
            let cut = (line.len() >= depth).then_some(End::Cut);
            if let Some(end) = walk.end(&position, &legal)?.or(cut) {
                if !visit(&line, end)? {
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
