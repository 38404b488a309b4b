//! Moves of the few men of a table, from sets of squares computed once.
//!
//! A man on `from` reaches a square of its empty-board set unless another man stands on it or on the way. What another man
//! takes away is its *shadow*: its own square and, in the straight or diagonal direction in which it lies, those behind it. This
//! holds for every kind: a knight's squares and those of a king or a pawn's capture lie behind nobody.

use crate::board::{Color, Kind};
use crate::geometry::{
    self, ALL_AROUND, DIAGONAL, NORTH, NORTH_DIAGONALS, SOUTH, SOUTH_DIAGONALS, STRAIGHT, SquareSet,
};
use crate::table_index::Squares;
use crate::table_material::{MOST_MEN, Material};

/// A man's squares on an empty board.
#[derive(Clone, Copy, Default)]
struct Reach {
    captures: SquareSet,
    others: SquareSet,
}

/// The moves of one material.
pub(crate) struct TableMoves {
    men: usize,
    first_men: usize,
    is_pawn: [bool; MOST_MEN],
    /// For each slot and square.
    reach: [[Reach; 64]; MOST_MEN],
    /// For each square of a man that moves the shadows of a man on each square.
    shadows: Vec<[SquareSet; 64]>,
}

/// A capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Capture {
    /// The slot of the man that captures.
    pub(crate) mover: usize,
    /// The slot of the man that is captured.
    pub(crate) victim: usize,
    /// Where the mover goes.
    pub(crate) to: u8,
}

impl TableMoves {
    pub(crate) fn new(material: &Material) -> Self {
        let mut reach = [[Reach::default(); 64]; MOST_MEN];
        let mut is_pawn = [false; MOST_MEN];
        let slots = material.slots();
        for ((reach, is_pawn), &(color, kind)) in reach.iter_mut().zip(&mut is_pawn).zip(&slots) {
            *is_pawn = kind == Kind::Pawn;
            for (square, reach) in (0..).zip(reach) {
                *reach = reach_from(square, color, kind);
            }
        }
        let mut shadows = vec![[SquareSet::default(); 64]; 64];
        for (from, shadows) in (0..).zip(&mut shadows) {
            for (other, shadow) in (0..).zip(shadows) {
                *shadow = shadow_of(from, other);
            }
        }
        Self {
            men: slots.len(),
            first_men: material.first_men(),
            is_pawn,
            reach,
            shadows,
        }
    }

    /// The slots of a side, the first side being White.
    pub(crate) const fn slots(&self, side: Color) -> std::ops::Range<usize> {
        match side {
            Color::White => 0..self.first_men,
            Color::Black => self.first_men..self.men,
        }
    }

    pub(crate) fn is_pawn(&self, slot: usize) -> bool {
        self.is_pawn.get(slot).is_some_and(|&is| is)
    }

    /// Calls `visit` for each capture of a side but those en passant.
    #[inline]
    pub(crate) fn captures(&self, squares: Squares, side: Color, mut visit: impl FnMut(Capture)) {
        for mover in self.slots(side) {
            let Some((reach, from)) = self.reach(squares, mover) else {
                return;
            };
            for (victim, to) in self.placed(&squares, self.slots(side.opponent())) {
                if reach.captures.contains(to) {
                    let between = self.shade(squares, from, |slot| slot != mover && slot != victim);
                    if !between.contains(to) {
                        visit(Capture { mover, victim, to });
                    }
                }
            }
        }
    }

    /// Where the man in a slot can go without a capture.
    #[inline]
    pub(crate) fn quiet(&self, squares: Squares, mover: usize) -> SquareSet {
        let Some((reach, from)) = self.reach(squares, mover) else {
            return SquareSet::default();
        };
        reach
            .others
            .without(self.shade(squares, from, |slot| slot != mover))
    }

    /// Whether the man in a slot, a pawn, could capture on a square.
    pub(crate) fn attacks(&self, squares: Squares, slot: usize, on: u8) -> bool {
        self.reach(squares, slot)
            .is_some_and(|(reach, _)| reach.captures.contains(on))
    }

    /// The squares from which a pawn of a side, the one in a slot, can have come without a capture.
    pub(crate) fn pawn_origins(&self, squares: Squares, slot: usize, side: Color) -> SquareSet {
        let mut origins = SquareSet::default();
        let Some(&to) = squares.get(slot) else {
            return origins;
        };
        let (back, double_rank) = match side {
            Color::White => (SOUTH, 3),
            Color::Black => (NORTH, 4),
        };
        let steps = if geometry::rank(to) == double_rank {
            2
        } else {
            1
        };
        let is_free = |square: &u8| {
            let mut placed = self.placed(&squares, 0..self.men);
            let on_edge = matches!(geometry::rank(*square), 0 | 7);
            !on_edge && placed.all(|(_, other)| other != *square)
        };
        let way = geometry::ray(to, back).take(steps);
        way.take_while(is_free)
            .for_each(|square| origins.insert(square));
        origins
    }

    /// The shadows of the men in some slots, seen from a square.
    #[inline]
    fn shade(&self, squares: Squares, from: u8, counts: impl Fn(usize) -> bool) -> SquareSet {
        let mut shade = SquareSet::default();
        if let Some(shadows) = self.shadows.get(usize::from(from)) {
            for (slot, square) in self.placed(&squares, 0..self.men) {
                if counts(slot)
                    && let Some(&shadow) = shadows.get(usize::from(square))
                {
                    shade = shade.union(shadow);
                }
            }
        }
        shade
    }

    #[inline]
    fn reach(&self, squares: Squares, slot: usize) -> Option<(Reach, u8)> {
        let &from = squares.get(slot)?;
        let reach = self.reach.get(slot)?.get(usize::from(from))?;
        Some((*reach, from))
    }

    /// Some slots with their squares.
    #[inline]
    fn placed(
        &self,
        squares: &Squares,
        slots: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (usize, u8)> {
        let placed = squares.iter().copied().enumerate();
        placed.take(slots.end.min(self.men)).skip(slots.start)
    }
}

/// Where a man can go on an empty board, except that its captures need a man to capture. A pawn's double step is behind its
/// single one, so that the shadow of a man before the pawn covers both.
fn reach_from(square: u8, color: Color, kind: Kind) -> Reach {
    let mut set = SquareSet::default();
    match kind {
        Kind::Pawn => return pawn_reach(square, color),
        Kind::Knight => geometry::jumps(square).for_each(|to| set.insert(to)),
        Kind::King => {
            let steps = ALL_AROUND.iter();
            steps
                .filter_map(|&direction| geometry::step(square, direction))
                .for_each(|to| set.insert(to));
        }
        Kind::Bishop | Kind::Rook | Kind::Queen => {
            let directions = match kind {
                Kind::Bishop => DIAGONAL,
                Kind::Rook => STRAIGHT,
                _ => ALL_AROUND,
            };
            let rays = directions.iter();
            rays.flat_map(|&direction| geometry::ray(square, direction))
                .for_each(|to| set.insert(to));
        }
    }
    Reach {
        captures: set,
        others: set,
    }
}

fn pawn_reach(square: u8, color: Color) -> Reach {
    let (forward, first_rank, diagonals) = match color {
        Color::White => (NORTH, 1, NORTH_DIAGONALS),
        Color::Black => (SOUTH, 6, SOUTH_DIAGONALS),
    };
    let mut reach = Reach::default();
    let steps = if geometry::rank(square) == first_rank {
        2
    } else {
        1
    };
    for to in geometry::ray(square, forward).take(steps) {
        reach.others.insert(to);
    }
    for &direction in diagonals {
        if let Some(to) = geometry::step(square, direction) {
            reach.captures.insert(to);
        }
    }
    reach
}

/// What a man on `other` takes from one on `from`.
fn shadow_of(from: u8, other: u8) -> SquareSet {
    let mut shadow = SquareSet::default();
    shadow.insert(other);
    for &direction in ALL_AROUND {
        if geometry::ray(from, direction).any(|square| square == other) {
            let behind = geometry::ray(from, direction).skip_while(|&square| square != other);
            behind.for_each(|square| shadow.insert(square));
        }
    }
    shadow
}
