//! What surrounds a table: where captures and promotions lead, and how the game ends.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::board::{Color, Kind, Man, Position};
use crate::geometry;
use crate::ruleset::Ruleset;
use crate::table_expanded::ExpandedTable;
use crate::table_index::Squares;
use crate::table_material::{MOST_MEN, Material};
use crate::table_moves::{Capture, TableMoves};
use crate::table_value::{Code, TableValue};

/// The rules of the game among the men of one table, and the tables that a move leads out to.
pub(crate) struct Ground<'a> {
    ruleset: Ruleset,
    slots: Vec<(Color, Kind)>,
    pub(crate) moves: TableMoves,
    /// For each [`key`].
    descents: Vec<Descent<'a>>,
}

/// Where a capture, a promotion or both lead.
#[derive(Clone, Default)]
enum Descent<'a> {
    /// There is no such move.
    #[default]
    None,
    /// The side that is to move next has no man left, and has won.
    Over,
    /// To a position of another table.
    Table {
        table: &'a ExpandedTable,
        /// For each slot of that table the slot here.
        slots: [usize; MOST_MEN],
        /// Whether the colours are exchanged there.
        exchanged: bool,
    },
}

/// Which men a move changes: a pawn that is promoted, to what, and a man that is captured.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) promotion: Option<(usize, Kind)>,
    pub(crate) victim: Option<usize>,
}

impl Change {
    fn key(self) -> usize {
        let (pawn, kind) = match self.promotion {
            Some((pawn, kind)) => (pawn, kind.index()),
            None => (MOST_MEN, 0),
        };
        let victim = self.victim.unwrap_or(MOST_MEN);
        pawn.wrapping_mul(5)
            .wrapping_add(victim)
            .wrapping_mul(6)
            .wrapping_add(kind)
    }
}

/// One more than the greatest [`Change::key`].
const KEYS: usize = 5 * 5 * 6;

/// A right to capture en passant.
#[derive(Clone, Copy)]
pub(crate) struct EnPassant {
    /// The slot of the pawn that has just made a double step.
    pub(crate) pawn: usize,
    /// The square that it has passed.
    pub(crate) passed: u8,
}

/// The best of some moves, for the side that makes them.
#[derive(Default)]
pub(crate) struct Best {
    /// The least code after a move.
    least: Option<Code>,
    /// Whether a move leads to a loss that the fifty-move rule does not spoil.
    keeps_win: bool,
    /// Whether a move leads to a position that the rule does spoil.
    spoils_win: bool,
}

impl Best {
    pub(crate) fn add(&mut self, after: Code) {
        self.least = Some(self.least.map_or(after, |least| least.min(after)));
        self.keeps_win |= after.is_loss() && !after.is_spoiled();
        self.spoils_win |= after.is_spoiled();
    }

    /// The code of a position whose moves, all of them captures, have been added.
    pub(crate) fn code(&self) -> Option<Code> {
        let code = self.least?.before();
        if code == Code::UNUSED {
            return Some(code);
        }
        // The winner of a won position needs one capture that keeps the win; the loser one that spoils it.
        let spoiled = (code.is_win() && !self.keeps_win) || (code.is_loss() && self.spoils_win);
        Some(code.spoiled(spoiled).settled())
    }
}

impl<'a> Ground<'a> {
    /// # Errors
    ///
    /// The name of a table that is needed and not among `smaller`.
    pub(crate) fn new(
        ruleset: Ruleset,
        material: &Material,
        smaller: &'a [Arc<ExpandedTable>],
    ) -> Result<Self, String> {
        let slots = material.slots();
        let mut descents = vec![Descent::None; KEYS];
        for change in changes(&slots, ruleset) {
            if let Some(descent) = descents.get_mut(change.key()) {
                *descent = descend(&slots, change, ruleset, smaller)?;
            }
        }
        Ok(Self {
            ruleset,
            moves: TableMoves::new(material),
            slots,
            descents,
        })
    }

    /// The value of a position in which the side to move can capture, or `None` if it cannot; [`Code::UNUSED`] if a value is
    /// missing, which no complete set of tables brings about.
    pub(crate) fn settle(
        &self,
        squares: Squares,
        side: Color,
        en_passant: Option<EnPassant>,
    ) -> Option<Code> {
        let mut best = Best::default();
        self.moves.captures(squares, side, |capture| {
            self.add_capture(squares, side, capture, &mut best);
        });
        if let Some(EnPassant { pawn, passed }) = en_passant {
            for mover in self.moves.slots(side) {
                if self.moves.is_pawn(mover) && self.moves.attacks(squares, mover, passed) {
                    let capture = Capture {
                        mover,
                        victim: pawn,
                        to: passed,
                    };
                    self.add_capture(squares, side, capture, &mut best);
                }
            }
        }
        best.code()
    }

    fn add_capture(&self, squares: Squares, side: Color, capture: Capture, best: &mut Best) {
        let Capture { mover, victim, to } = capture;
        let after = moved(squares, mover, to);
        let victim = Some(victim);
        if self.is_promotion(mover, to) {
            for &kind in self.ruleset.move_class().promotions() {
                let promotion = Some((mover, kind));
                best.add(self.outside(after, side.opponent(), Change { promotion, victim }));
            }
        } else {
            let promotion = None;
            best.add(self.outside(after, side.opponent(), Change { promotion, victim }));
        }
    }

    /// The least code after a move of a side that has no capture; `None` if it has no move at all.
    ///
    /// `own` holds the values of this table's positions.
    pub(crate) fn least_after(
        &self,
        squares: Squares,
        side: Color,
        own: &ExpandedTable,
    ) -> Option<Code> {
        let mut least = None;
        let mut add = |code: Code| least = Some(least.map_or(code, |least: Code| least.min(code)));
        for mover in self.moves.slots(side) {
            if self.moves.is_pawn(mover) {
                self.pawn_moves(squares, side, mover, own, &mut |code, _| add(code));
                continue;
            }
            let destinations = self.moves.quiet(squares, mover);
            own.codes_after(squares, mover, side.opponent(), destinations)
                .for_each(&mut add);
        }
        least
    }

    /// Calls `visit` with the code after each move of a pawn that captures nothing, and with the placement if the position
    /// after it is one of this table without a right to capture en passant.
    pub(crate) fn pawn_moves(
        &self,
        squares: Squares,
        side: Color,
        mover: usize,
        own: &ExpandedTable,
        visit: &mut impl FnMut(Code, Option<Squares>),
    ) {
        let Some(&from) = squares.get(mover) else {
            return;
        };
        for to in self.moves.quiet(squares, mover) {
            let after = moved(squares, mover, to);
            if self.is_promotion(mover, to) {
                for &kind in self.ruleset.move_class().promotions() {
                    let change = Change {
                        promotion: Some((mover, kind)),
                        victim: None,
                    };
                    visit(self.outside(after, side.opponent(), change), None);
                }
                continue;
            }
            let en_passant = (from.abs_diff(to) == 16).then(|| EnPassant {
                pawn: mover,
                passed: u8::midpoint(from, to),
            });
            match en_passant.filter(|&right| self.is_open(after, side.opponent(), right)) {
                Some(right) => {
                    let code = self.settle(after, side.opponent(), Some(right));
                    visit(code.unwrap_or(Code::UNUSED), None);
                }
                None => visit(own.code(after, side.opponent()), Some(after)),
            }
        }
    }

    /// Whether a pawn of a side can make use of a right to capture en passant.
    fn is_open(&self, squares: Squares, side: Color, right: EnPassant) -> bool {
        let mut slots = self.moves.slots(side);
        slots
            .any(|slot| self.moves.is_pawn(slot) && self.moves.attacks(squares, slot, right.passed))
    }

    /// The value of the position after a move that changes the men.
    fn outside(&self, squares: Squares, side: Color, change: Change) -> Code {
        match self.descents.get(change.key()) {
            Some(Descent::Over) => Code::of(TableValue::Win {
                plies: 0,
                spoiled: false,
            }),
            Some(Descent::Table {
                table,
                slots,
                exchanged,
            }) => {
                let mut there = [0; MOST_MEN];
                for (square, &slot) in there.iter_mut().zip(slots) {
                    *square = squares.get(slot).copied().unwrap_or_default();
                }
                if *exchanged {
                    table.code(mirrored(there), side.opponent())
                } else {
                    table.code(there, side)
                }
            }
            Some(Descent::None) | None => Code::UNUSED,
        }
    }

    /// The value of a position whose side to move has no move at all.
    pub(crate) fn without_moves(&self, side: Color) -> Code {
        let own = self.moves.slots(side).len();
        let other = self.moves.slots(side.opponent()).len();
        let (plies, spoiled) = (0, false);
        Code::of(match (self.ruleset, own.cmp(&other)) {
            (Ruleset::International, _) | (Ruleset::Fics | Ruleset::Joint, Ordering::Less) => {
                TableValue::Win { plies, spoiled }
            }
            (Ruleset::Fics, Ordering::Greater) => TableValue::Loss { plies, spoiled },
            _ => TableValue::Draw,
        })
    }

    fn is_promotion(&self, mover: usize, to: u8) -> bool {
        // A pawn never goes back, so that whichever edge it comes to is its last rank.
        self.moves.is_pawn(mover) && matches!(geometry::rank(to), 0 | 7)
    }

    /// The position as a FEN, for messages.
    pub(crate) fn fen(&self, squares: Squares, side: Color) -> String {
        let mut position = Position::empty(self.ruleset.move_class());
        position.set_side_to_move(side);
        for (&(color, kind), square) in self.slots.iter().zip(squares) {
            position.put(square, Man { color, kind }, &mut |_, _| ());
        }
        position.fen()
    }
}

/// A placement after the man in a slot has moved.
#[inline]
pub(crate) fn moved(squares: Squares, mover: usize, to: u8) -> Squares {
    let mut after = squares;
    if let Some(square) = after.get_mut(mover) {
        *square = to;
    }
    after
}

/// The squares mirrored at the middle of the board; unused slots come to hold other numbers that mean nothing.
pub(crate) fn mirrored(squares: Squares) -> Squares {
    squares.map(|square| square ^ 0o70)
}

/// Every change of the men that a move can make.
fn changes(slots: &[(Color, Kind)], ruleset: Ruleset) -> Vec<Change> {
    let mut changes = Vec::new();
    for (victim, _) in slots.iter().enumerate() {
        changes.push(Change {
            promotion: None,
            victim: Some(victim),
        });
    }
    for (pawn, &(color, kind)) in slots.iter().enumerate() {
        if kind != Kind::Pawn {
            continue;
        }
        for &kind in ruleset.move_class().promotions() {
            let promotion = Some((pawn, kind));
            changes.push(Change {
                promotion,
                victim: None,
            });
            // No pawn stands on the last rank to be captured there.
            for (victim, &man) in slots.iter().enumerate() {
                if man.0 != color && man.1 != Kind::Pawn {
                    let victim = Some(victim);
                    changes.push(Change { promotion, victim });
                }
            }
        }
    }
    changes
}

/// Where a change of the men leads.
fn descend<'a>(
    slots: &[(Color, Kind)],
    change: Change,
    ruleset: Ruleset,
    smaller: &'a [Arc<ExpandedTable>],
) -> Result<Descent<'a>, String> {
    // The men that are left, and where they stood.
    let mut men = Vec::new();
    let mut numbers = Vec::new();
    for (slot, &(color, kind)) in slots.iter().enumerate() {
        if change.victim == Some(slot) {
            continue;
        }
        let promoted = change.promotion.filter(|&(pawn, _)| pawn == slot);
        men.push((color, promoted.map_or(kind, |(_, kind)| kind)));
        numbers.push(slot);
    }
    let (material, mut order) = Material::of(&men);
    if !material.is_a_table() {
        return Ok(Descent::Over);
    }
    let (canonical, exchanged) = material.canonical();
    if exchanged {
        order.rotate_left(material.first_men());
    }
    let mut there = [MOST_MEN; MOST_MEN];
    for (slot, number) in there.iter_mut().zip(order) {
        *slot = numbers.get(number).copied().unwrap_or(MOST_MEN);
    }
    let mut tables = smaller.iter();
    let table = tables.find(|table| table.is_of(ruleset, &canonical));
    Ok(Descent::Table {
        table: table.ok_or_else(|| canonical.name())?,
        slots: there,
        exchanged,
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::table_material::prerequisites;
    use crate::table_testing::{Draft, GO};

    /// A table of nothing but draws, for its name.
    fn blank(name: &str, ruleset: Ruleset, smaller: &[Arc<ExpandedTable>]) -> ExpandedTable {
        let draft = Draft::new(name, ruleset, &|_, _| TableValue::Draw, &|_, _| true);
        crate::table_expanded::expand(&draft.file(), smaller, &GO).unwrap()
    }

    fn blanks(name: &str, ruleset: Ruleset, made: &mut Vec<Arc<ExpandedTable>>) {
        for smaller in prerequisites(name, ruleset).unwrap() {
            if made.iter().all(|table| table.name() != smaller) {
                blanks(&smaller, ruleset, made);
            }
        }
        if made.iter().all(|table| table.name() != name) {
            made.push(Arc::new(blank(name, ruleset, made)));
        }
    }

    #[test]
    fn prerequisites_are_exactly_the_tables_that_are_needed() {
        let mut made = Vec::new();
        blanks("PPvP", Ruleset::Variant2, &mut made);
        for table in &made {
            let material = Material::from_name(&table.name()).unwrap();
            let names = prerequisites(&table.name(), Ruleset::Variant2).unwrap();
            let without_one = |without: Option<&String>| -> Vec<_> {
                let wanted = |other: &&Arc<ExpandedTable>| {
                    names.contains(&other.name()) && Some(&other.name()) != without
                };
                made.iter().filter(wanted).cloned().collect()
            };
            assert!(Ground::new(Ruleset::Variant2, &material, &without_one(None)).is_ok());
            for name in &names {
                let tables = without_one(Some(name));
                let missing = Ground::new(Ruleset::Variant2, &material, &tables);
                assert_eq!(missing.err().as_ref(), Some(name));
            }
        }
    }

    /// White has pawns on f5 and g2, Black on f4 and h4 (field case B01). After g2g4 both black pawns can take it.
    #[test]
    fn each_of_two_captures_en_passant_counts() {
        let ruleset = Ruleset::Variant2;
        let material = |name| Material::from_name(name).unwrap();
        let filled = |name, code| ExpandedTable::filled(ruleset, material(name), code);
        let win = Code::of(TableValue::Win {
            plies: 14,
            spoiled: false,
        });
        let (f4, f5, g2, g3, h4) = (29, 37, 14, 22, 31);
        let own = filled("PPvPP", Code::DRAW);
        for (won_after, expected) in [
            (vec![h4], Code::DRAW),
            (vec![f4], Code::DRAW),
            (vec![f4, h4], win.before()),
            (vec![], Code::DRAW),
        ] {
            // Where the other black pawn stands says which has captured; the colours are exchanged in the table.
            let mut smaller = filled("PPvP", Code::DRAW);
            for other in won_after {
                let there = mirrored([g3, other, f5, 0]);
                let (side, cell) = smaller.locate(there, Color::Black);
                smaller.set(side, cell, win);
            }
            let smaller = [Arc::new(smaller), Arc::new(filled("QPvPP", Code::DRAW))];
            let ground = Ground::new(ruleset, &material("PPvPP"), &smaller).unwrap();
            for squares in [[f5, g2, f4, h4], [g2, f5, h4, f4]] {
                let pawn = squares.iter().position(|&square| square == g2).unwrap();
                let mut after_double_step = None;
                ground.pawn_moves(squares, Color::White, pawn, &own, &mut |code, after| {
                    // The single step leads to a position of this table.
                    if after.is_none() {
                        assert_eq!(after_double_step.replace(code), None);
                    }
                });
                assert_eq!(after_double_step, Some(expected.settled()));
            }
        }
    }

    #[test]
    fn a_side_without_moves_is_judged_by_the_ruleset() {
        let value = |ruleset, name: &str, side| {
            let mut made = Vec::new();
            // Only the numbers of men count, so that kings will do.
            blanks(name, ruleset, &mut made);
            let material = Material::from_name(name).unwrap();
            let ground = Ground::new(ruleset, &material, &made).unwrap();
            ground.without_moves(side).value()
        };
        let (plies, spoiled) = (0, false);
        let win = TableValue::Win { plies, spoiled };
        let loss = TableValue::Loss { plies, spoiled };
        let draw = TableValue::Draw;
        for (ruleset, more, equal, fewer) in [
            (Ruleset::International, win, win, win),
            (Ruleset::Fics, loss, draw, win),
            (Ruleset::Joint, draw, draw, win),
            (Ruleset::Variant2, draw, draw, draw),
        ] {
            assert_eq!(value(ruleset, "KKvK", Color::White), more, "{ruleset}");
            assert_eq!(value(ruleset, "KvK", Color::White), equal, "{ruleset}");
            assert_eq!(value(ruleset, "KKvK", Color::Black), fewer, "{ruleset}");
        }
    }
}
