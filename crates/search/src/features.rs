//! What the net sees of a position: a set of rows.
//!
//! Everything is seen from the attacker: its men come first, and the board is turned so that its pawns move up. Each feature is a
//! value in a small range, and each value has a row of its own; a feature that is capped counts larger values as the cap.
//!
//! Mobility by kind of man, unprotected men, the numbers of men and the number of legal moves were tried too: what the net
//! explained did not change by more than the noise.

use rules::{Color, Position, Role, Survey, survey};

/// A feature's first row, and the number of its values.
#[derive(Clone, Copy)]
struct Feature {
    first: usize,
    values: usize,
}

impl Feature {
    #[inline]
    fn row(self, value: usize) -> usize {
        self.first + value.min(self.values - 1)
    }
}

/// Lays features out one after another.
struct Layout(usize);

impl Layout {
    const fn next(&mut self, values: usize) -> Feature {
        let first = self.0;
        self.0 += values;
        Feature { first, values }
    }
}

/// Features of one side.
struct Side {
    /// Captures by each kind of man.
    captures: [Feature; 6],
    /// Men that the enemy attacks; of these, the men that are protected.
    attacked: Feature,
    exchanged: Feature,
    /// Quiet moves to squares that the enemy attacks, and to others.
    offers: Feature,
    safe: Feature,
}

impl Side {
    const fn new(layout: &mut Layout) -> Self {
        let mut captures = [Feature {
            first: 0,
            values: 0,
        }; 6];
        let mut role = 0;
        while role < 6 {
            captures[role] = layout.next(8);
            role += 1;
        }
        Self {
            captures,
            attacked: layout.next(16),
            exchanged: layout.next(16),
            offers: layout.next(32),
            safe: layout.next(32),
        }
    }
}

struct Features {
    sides: [Side; 2],
    /// Whether the side to move can capture, whether the other could, whether an en-passant capture is there.
    tension: Feature,
    rows: usize,
}

/// Rows of the men: side, kind, square.
const MEN_ROWS: usize = 2 * 6 * 64;

const FEATURES: Features = {
    let mut layout = Layout(MEN_ROWS);
    Features {
        sides: [Side::new(&mut layout), Side::new(&mut layout)],
        tension: layout.next(8),
        rows: layout.0,
    }
};

/// The number of rows.
pub const ROWS: usize = FEATURES.rows;

/// Whose men stand where, as the attacker sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Men([[u64; 6]; 2]);

impl Men {
    #[inline]
    pub(crate) fn new(position: &Position, attacker: Color) -> Self {
        let turned = |set: rules::Bitboard| match attacker {
            Color::White => set.0,
            Color::Black => set.0.swap_bytes(),
        };
        Self(
            [attacker, !attacker]
                .map(|color| Role::ALL.map(|role| turned(position.men_of(color, role)))),
        )
    }

    /// No man at all.
    pub(crate) const NONE: Self = Self([[0; 6]; 2]);

    /// Calls `f` with the row of each man that is in one of the two placements only, and whether it is in `self`.
    #[inline]
    pub(crate) fn for_each_difference(&self, from: &Self, mut f: impl FnMut(usize, bool)) {
        for side in 0..2 {
            for role in 0..6 {
                let (new, old) = (self.0[side][role], from.0[side][role]);
                let mut changed = new ^ old;
                while changed != 0 {
                    let square = changed.trailing_zeros();
                    let row = (side * 6 + role) * 64 + square as usize;
                    f(row, new >> square & 1 == 1);
                    changed &= changed - 1;
                }
            }
        }
    }
}

/// Calls `f` with each row of a position that is not a man's.
#[inline]
pub(crate) fn for_each_scalar(position: &Position, attacker: Color, mut f: impl FnMut(usize)) {
    let Survey { sides } = survey(position);
    let mut can_capture = [false; 2];
    for (features, color) in FEATURES.sides.iter().zip([attacker, !attacker]) {
        let side = &sides[color.index()];
        let men = position.men(color);
        let threatened = men & sides[(!color).index()].attacked;
        for (feature, &captures) in features.captures.iter().zip(&side.captures) {
            can_capture[color.index()] |= captures > 0;
            f(feature.row(usize::from(captures)));
        }
        f(features.attacked.row(threatened.count() as usize));
        f(features
            .exchanged
            .row((threatened & side.attacked).count() as usize));
        f(features.offers.row(usize::from(side.offers)));
        f(features.safe.row(usize::from(side.quiet - side.offers)));
    }
    let us = position.side_to_move();
    f(FEATURES.tension.row(
        usize::from(can_capture[us.index()])
            | usize::from(can_capture[(!us).index()]) << 1
            | usize::from(position.en_passant().is_some()) << 2,
    ));
}

/// All rows of a position, for training.
#[must_use]
pub fn feature_rows(position: &Position, attacker: Color) -> Vec<usize> {
    let mut rows = Vec::new();
    Men::new(position, attacker).for_each_difference(&Men::NONE, |row, _| rows.push(row));
    for_each_scalar(position, attacker, |row| rows.push(row));
    rows
}
