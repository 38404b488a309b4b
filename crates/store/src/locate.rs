//! Finding the positions of records.
//!
//! Records name positions by key and check. When two positions turn out to share a key, one of them has to be stored with its
//! exact position, and the strategy it comes from knows where that is: a walk from the root of its claim passes it.

use std::collections::HashSet;

use proof::{Claim, Entry, Record};
use rules::{PackedPosition, Position, canonical_moves};

use crate::Result;

/// A position that was looked for, with its key and entry.
pub(crate) struct Located {
    pub(crate) key: u64,
    pub(crate) position: PackedPosition,
    pub(crate) entry: Entry,
}

/// Takes out of `wanted` the records that a walk from the root of `claim` meets, as `fits` tells from record and check, and gives
/// their positions. A position without an entry ends its line: a table may cover it. Memory: about 16 bytes a position of the strategy.
pub(crate) fn locate(
    claim: &Claim,
    mut strategy: impl FnMut(&Position) -> Result<Option<Entry>>,
    wanted: &mut Vec<Record>,
    fits: impl Fn(&Record, u64) -> bool,
) -> Result<Vec<Located>> {
    let ruleset = claim.ruleset;
    let mut found = Vec::new();
    let mut met = HashSet::new();
    let mut stack = vec![claim.root];
    while let Some(position) = stack.pop() {
        if wanted.is_empty() {
            break;
        }
        if position.side_to_move() != claim.winner {
            let replies = canonical_moves(&position, ruleset);
            stack.extend(replies.iter().map(|&mv| position.after(mv, ruleset)));
            continue;
        }
        let (key, check) = Record::id(&position);
        if !met.insert((key, check)) {
            continue;
        }
        let Some(entry) = strategy(&position)? else {
            continue;
        };
        let at = wanted
            .iter()
            .position(|wanted| wanted.key == key && fits(wanted, check));
        if let Some(at) = at {
            wanted.swap_remove(at);
            let position = position.pack();
            found.push(Located {
                key,
                position,
                entry,
            });
        }
        if canonical_moves(&position, ruleset).contains(&entry.mv) {
            stack.push(position.after(entry.mv, ruleset));
        }
    }
    Ok(found)
}
