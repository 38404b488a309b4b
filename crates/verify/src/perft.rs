//! Counting move sequences, to compare the move generator with published numbers.

use crate::board::Position;
use crate::moves::{Move, legal_moves_into};

/// The number of sequences of `depth` legal moves from a position.
///
/// Saturates at `u64::MAX`. Time grows with the number of sequences of `depth − 1` moves; nothing is remembered.
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut count: u64 = 0;
    let mut moves: Vec<Move> = Vec::new();
    // Each entry: a position, where its moves start in `moves`, and the moves still allowed below it.
    let mut stack: Vec<(Position, usize, u32)> = vec![(*position, 0, depth)];
    legal_moves_into(position, &mut moves);
    while let Some(&(position, first, depth)) = stack.last() {
        if depth == 1 {
            let leaves = moves.len().saturating_sub(first);
            count = count.saturating_add(u64::try_from(leaves).unwrap_or(u64::MAX));
            moves.truncate(first);
        }
        if moves.len() > first
            && let Some(mv) = moves.pop()
        {
            let next = position.play_unchecked(mv);
            stack.push((next, moves.len(), depth.saturating_sub(1)));
            legal_moves_into(&next, &mut moves);
        } else {
            stack.pop();
        }
    }
    count
}
