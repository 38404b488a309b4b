//! Perft: the number of move sequences of a given length.

use crate::{Move, MoveGen, Position, Ruleset, canonical_moves, for_class};

/// The number of sequences of `depth` legal moves from `position`. Leaves are counted, not visited.
#[must_use]
pub fn perft(position: &Position, depth: u32, ruleset: Ruleset) -> u64 {
    for_class!(ruleset.class(), G => count::<G>(position, depth))
}

/// [`perft`] split by first move, in canonical order.
#[must_use]
pub fn divide(position: &Position, depth: u32, ruleset: Ruleset) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    canonical_moves(position, ruleset)
        .into_iter()
        .map(|mv| (mv, perft(&position.after(mv, ruleset), rest, ruleset)))
        .collect()
}

fn count<G: MoveGen>(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => u64::from(G::count_moves(position)),
        _ => {
            let mut nodes = 0;
            G::for_each_move(position, |mv| {
                let mut child = *position;
                G::play_unchecked(&mut child, mv);
                nodes += count::<G>(&child, depth - 1);
            });
            nodes
        }
    }
}
