//! Whether stored heights promise no less than the moves take. One that does would drive out better ways, and be driven out by none.

use anyhow::Result;
use proof::{Entry, Plies, Strategy};
use prover::Endgames;
use rules::Position;
use store::Store;

use crate::lookup::{Settled, proof_from};

/// A stored strategy of which each height that it tells is noted, by key.
struct Noted<'a, S> {
    stored: S,
    heights: &'a mut Vec<(u64, Plies)>,
}

impl<S: Strategy> Strategy for Noted<'_, S> {
    type Error = S::Error;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, S::Error> {
        let entry = self.stored.entry(position)?;
        self.heights
            .extend(entry.map(|entry| (position.key(), entry.height)));
        Ok(entry)
    }
}

/// Whether no stored height of a proof that leans on these tables is below the plies that its moves take. What a table says is the least that
/// any strategy takes, so more tables than the proof was made with are no reason to refuse it.
///
/// # Errors
///
/// As for [`proof_of`](crate::lookup::proof_of).
pub(crate) fn hold(store: &Store, settled: &Settled, endgames: &Endgames) -> Result<bool> {
    let mut heights = Vec::new();
    let noted = Noted {
        stored: store.strategy(settled.claim.ruleset, settled.claim.winner, settled.basis),
        heights: &mut heights,
    };
    let proof = proof_from(noted, store, settled, endgames)?;
    Ok(heights.into_iter().all(|(key, height)| {
        let found = proof
            .records
            .binary_search_by_key(&key, |record| record.key);
        found.map_or(true, |at| proof.records[at].entry.height <= height)
    }))
}
