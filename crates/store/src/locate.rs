//! Finding the positions of records in a proof.
//!
//! Records name positions by key and check. When two positions turn out to share a key, one of them has to be stored with its
//! exact position, and the proof it comes from knows where that is: a walk from its root passes it.

use std::collections::HashSet;

use proof::{Proof, Record};
use rules::{PackedPosition, canonical_moves};

/// The positions in `proof` whose key and check are those of `wanted`, in the order in which a walk meets them. Memory: about
/// 16 bytes a position of the proof.
pub(crate) fn locate(proof: &Proof, wanted: &[Record]) -> Vec<(PackedPosition, Record)> {
    let ruleset = proof.claim.ruleset;
    let mut missing: HashSet<(u64, u64)> = wanted.iter().map(|r| (r.key, r.check)).collect();
    let mut found = Vec::new();
    let mut met = HashSet::new();
    let mut stack = vec![proof.claim.root];
    while let Some(position) = stack.pop() {
        if missing.is_empty() {
            break;
        }
        if position.side_to_move() != proof.claim.winner {
            let replies = canonical_moves(&position, ruleset);
            stack.extend(replies.iter().map(|&mv| position.after(mv, ruleset)));
            continue;
        }
        let Some(entry) = proof.entry(&position) else {
            continue;
        };
        let id = Record::id(&position);
        if !met.insert(id) {
            continue;
        }
        if missing.remove(&id) {
            let (key, check) = id;
            found.push((position.pack(), Record { key, check, entry }));
        }
        stack.push(position.after(entry.mv, ruleset));
    }
    found
}
