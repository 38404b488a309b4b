//! The marks of the fifty-move rule: which wins and losses are draws under it when the clock stands at 0.
//!
//! For each decided position the *distance* is the number of plies until the next capture, pawn move or end of the game, if the
//! winner plays for the least and the loser for the greatest number, and only captures and pawn moves that lead to positions
//! not spoiled themselves are good for the winner. A position is spoiled if it has no distance of at most a hundred. So the
//! distances are the least solution of
//!
//! - 0 if the game is over, and 1 if a capture settles the position and its value is not spoiled;
//! - for the winner the least of 1 for a pawn move to a position that is not spoiled, and 1 + *d* for another move to a position
//!   lost for the other side at distance *d*;
//! - for the loser the greatest of the same, all moves taken;
//!
//! where only distances up to a hundred count. The winner may leave the shortest way. They are found by lowering from "none":
//! each position is looked at once, and again whenever a distance after one of its moves has become less, until none does.
//! A value that is lowered only on the ground of others stays above the solution and ends in it, in whatever order
//! the positions are looked at.

use std::sync::atomic::AtomicBool;

use crate::board::Color;
use crate::table_check::{CheckError, Defects};
use crate::table_expanded::{ExpandedTable, poll};
use crate::table_ground::{Ground, moved};
use crate::table_index::Squares;
use crate::table_value::Code;

/// Plies without a capture or a pawn move that make a draw; the last may still be one of those, or end the game.
pub(crate) const FIFTY_MOVES: u8 = 100;
/// No distance of at most a hundred.
const NONE: u8 = u8::MAX;

/// Whether the value is long enough for the rule to matter.
pub(crate) fn may_be_spoiled(code: Code) -> bool {
    code.plies() > u16::from(FIFTY_MOVES)
}

/// Compares the marks of a table, whose values are right, with the distances of at most `most` plies, which is
/// [`FIFTY_MOVES`].
pub(crate) fn check(
    table: &ExpandedTable,
    ground: &Ground<'_>,
    most: u8,
    stop: &AtomicBool,
) -> Result<Defects, CheckError> {
    let mut distances = Distances::new(table, ground, most);
    distances.settle(stop)?;
    while distances.lower(stop)? {}
    let mut defects = Defects::default();
    for index in 0..table.index.cells() {
        poll(stop, index)?;
        let Some((squares, _)) = table.index.placement(index) else {
            continue;
        };
        for side in table.sides() {
            let code = table.at(side, index);
            let is_stored = !code.is_settled() && (code.is_win() || code.is_loss());
            let is_spoiled = distances.at(side, index) > most;
            if is_stored && code.is_spoiled() != is_spoiled {
                defects.add(ground, squares, side, code, code.spoiled(is_spoiled));
            }
        }
    }
    Ok(defects)
}

struct Distances<'a> {
    table: &'a ExpandedTable,
    ground: &'a Ground<'a>,
    /// The greatest distance that counts.
    most: u8,
    /// For each side to move and cell.
    plies: Vec<Vec<u8>>,
    /// The cells to be looked at, a bit each; and those of the next round.
    now: Vec<Cells>,
    next: Vec<Cells>,
}

/// A set of cells.
type Cells = Vec<u64>;

impl<'a> Distances<'a> {
    fn new(table: &'a ExpandedTable, ground: &'a Ground<'a>, most: u8) -> Self {
        let cells = table.index.cells();
        let sets =
            || -> Vec<Cells> { table.sides().map(|_| vec![0; cells.div_ceil(64)]).collect() };
        Self {
            plies: table.sides().map(|_| vec![NONE; cells]).collect(),
            now: sets(),
            next: sets(),
            table,
            ground,
            most,
        }
    }

    /// Enters the distances that need no other, and every other decided position as one to be looked at.
    fn settle(&mut self, stop: &AtomicBool) -> Result<(), CheckError> {
        for side in self.table.sides() {
            for index in 0..self.table.index.cells() {
                poll(stop, index)?;
                let code = self.table.at(side, index);
                if code == Code::UNUSED || !(code.is_win() || code.is_loss()) {
                    continue;
                }
                if !code.is_settled() && code.plies() > 0 {
                    mark(&mut self.now, side, index);
                } else if !code.is_spoiled() || code.plies() == 0 {
                    let distance = u8::from(code.plies() > 0);
                    self.set(side, index, distance);
                }
            }
        }
        Ok(())
    }

    /// Looks at the positions that are due; whether others have become due by that.
    fn lower(&mut self, stop: &AtomicBool) -> Result<bool, CheckError> {
        for side in self.table.sides() {
            let words = self.table.index.cells().div_ceil(64);
            for word in 0..words {
                poll(stop, word)?;
                let mut due = self.due(side, word);
                while let Some(rest) = due.checked_sub(1) {
                    let place = usize::try_from(due.trailing_zeros()).unwrap_or_default();
                    due &= rest;
                    self.look_at(side, word.wrapping_mul(64).wrapping_add(place));
                }
            }
        }
        for cells in &mut self.now {
            cells.fill(0);
        }
        std::mem::swap(&mut self.now, &mut self.next);
        Ok(self.now.iter().flatten().any(|&word| word != 0))
    }

    /// Sixty-four cells, a bit for each that is to be looked at.
    fn due(&self, side: Color, word: usize) -> u64 {
        let cells = self.now.get(usize::from(side == Color::Black));
        let word = cells.and_then(|cells| cells.get(word));
        word.copied().unwrap_or_default()
    }

    fn look_at(&mut self, side: Color, index: usize) {
        let Some((squares, _)) = self.table.index.placement(index) else {
            return;
        };
        let distance = self.distance(squares, side);
        if distance < self.at(side, index) {
            self.set(side, index, distance);
            self.mark_predecessors(squares, side);
        }
    }

    /// The distance that those after the moves of a stored position give.
    fn distance(&self, squares: Squares, side: Color) -> u8 {
        let (own_side, index) = self.table.locate(squares, side);
        let is_win = self.table.at(own_side, index).is_win();
        let mut best = if is_win { NONE } else { 0 };
        let mut add = |distance: u8| {
            let distance = distance.checked_add(1).filter(|&plies| plies <= self.most);
            let distance = distance.unwrap_or(NONE);
            best = if is_win {
                best.min(distance)
            } else {
                best.max(distance)
            };
        };
        for mover in self.ground.moves.slots(side) {
            if self.ground.moves.is_pawn(mover) {
                let table = self.table;
                self.ground
                    .pawn_moves(squares, side, mover, table, &mut |code, after| {
                        // After a pawn move the clock is at 0 again.
                        let holds = if is_win {
                            code.is_loss()
                        } else {
                            code.is_win()
                        };
                        let is_spoiled = match after {
                            Some(after) => self.after(after, side.opponent()) == NONE,
                            None => code.is_spoiled(),
                        };
                        add(if holds && !is_spoiled { 0 } else { NONE });
                    });
                continue;
            }
            for to in self.ground.moves.quiet(squares, mover) {
                let after = moved(squares, mover, to);
                let (after_side, index) = self.table.locate(after, side.opponent());
                if self.table.at(after_side, index).is_win() == is_win {
                    // The winner throws the win away.
                    add(NONE);
                } else {
                    add(self.at(after_side, index));
                }
            }
        }
        best
    }

    /// The positions that a move leads from to this one, and that may have a lower distance now.
    fn mark_predecessors(&mut self, squares: Squares, side: Color) {
        let mover_side = side.opponent();
        for mover in self.ground.moves.slots(mover_side) {
            let is_pawn = self.ground.moves.is_pawn(mover);
            let came_from = if is_pawn {
                self.ground.moves.pawn_origins(squares, mover, mover_side)
            } else {
                // Men other than pawns go back the way they came.
                self.ground.moves.quiet(squares, mover)
            };
            for from in came_from {
                let before = moved(squares, mover, from);
                let (before_side, index) = self.table.locate(before, mover_side);
                let code = self.table.at(before_side, index);
                if code != Code::UNUSED && !code.is_settled() && (code.is_win() || code.is_loss()) {
                    mark(&mut self.next, before_side, index);
                }
            }
        }
    }

    fn after(&self, squares: Squares, side: Color) -> u8 {
        let (side, index) = self.table.locate(squares, side);
        self.at(side, index)
    }

    fn at(&self, side: Color, index: usize) -> u8 {
        let plies = self.plies.get(usize::from(side == Color::Black));
        let plies = plies.and_then(|plies| plies.get(index));
        plies.copied().unwrap_or(NONE)
    }

    fn set(&mut self, side: Color, index: usize, distance: u8) {
        let plies = self.plies.get_mut(usize::from(side == Color::Black));
        if let Some(plies) = plies.and_then(|plies| plies.get_mut(index)) {
            *plies = distance;
        }
    }
}

fn mark(sets: &mut [Cells], side: Color, index: usize) {
    let cells = sets.get_mut(usize::from(side == Color::Black));
    if let Some(word) = cells.and_then(|cells| cells.get_mut(index >> 6)) {
        *word |= bit(index);
    }
}

/// The bit of a cell in its word.
fn bit(index: usize) -> u64 {
    let place = u32::try_from(index & 63).unwrap_or_default();
    1_u64.wrapping_shl(place)
}

#[cfg(test)]
#[path = "table_fifty_tests.rs"]
mod tests;
