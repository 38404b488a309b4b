//! What the net sees of a position: a set of rows.
//!
//! Everything is seen from the attacker: its men come first, and the board is turned so that its pawns move up. Each feature is a
//! value in a small range, and each value has a row of its own; a feature that is capped counts larger values as the cap.
//!
//! Mobility by kind of man, unprotected men, the numbers of men and the number of legal moves were tried too: what the net
//! explained did not change by more than the noise.

use std::fmt::Debug;

use rules::{Color, Position, Role, Survey, king_neighbours, survey};

/// What a net sees of a position beside the men on their squares. Each class of moves has the set that fits its goal.
pub trait FeatureSet: Debug + Send + Sync + 'static {
    /// The number of rows, those of the men included.
    const ROWS: usize;

    /// Calls `f` with each row of a position that is not a man's. The side to move has `moves` legal moves.
    fn for_each_scalar(position: &Position, attacker: Color, moves: u32, f: impl FnMut(usize));
}

/// Features for a king that is an ordinary man where capturing is compulsory.
#[derive(Clone, Copy, Debug)]
pub struct FreeKing;

/// Features for a royal king: a bare king and a mate decide.
#[derive(Clone, Copy, Debug)]
pub struct RoyalKing;

/// Features for extinction: of each kind of man, how many there are and how many are attacked.
#[derive(Clone, Copy, Debug)]
pub struct Kinds;

/// A feature's first row, and the number of its values.
#[derive(Clone, Copy)]
struct Feature {
    first: usize,
    values: usize,
}

impl Feature {
    /// A place to be filled.
    const NONE: Self = Self {
        first: 0,
        values: 0,
    };

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
        let mut captures = [Feature::NONE; 6];
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

/// Features that all sets share.
struct Features {
    sides: [Side; 2],
    /// Whether the side to move can capture, whether the other could, whether an en-passant capture is there.
    tension: Feature,
    rows: usize,
}

/// Features of one side with a royal king.
struct RoyalSide {
    men: Feature,
    /// Squares around the king that it could go to, and twice as many values for a king that is attacked.
    king: Feature,
}

struct RoyalFeatures {
    sides: [RoyalSide; 2],
    moves: Feature,
    rows: usize,
}

/// Of each side and kind of man: the number of men, and of those that are attacked, both up to 3.
struct KindFeatures {
    sides: [[Feature; 6]; 2],
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

const ROYAL: RoyalFeatures = {
    let mut layout = Layout(FEATURES.rows);
    RoyalFeatures {
        sides: [RoyalSide::new(&mut layout), RoyalSide::new(&mut layout)],
        moves: layout.next(32),
        rows: layout.0,
    }
};

impl RoyalSide {
    const fn new(layout: &mut Layout) -> Self {
        Self {
            men: layout.next(17),
            king: layout.next(18),
        }
    }
}

const KINDS: KindFeatures = {
    let mut layout = Layout(FEATURES.rows);
    let mut sides = [[Feature::NONE; 6]; 2];
    let mut i = 0;
    while i < 12 {
        sides[i / 6][i % 6] = layout.next(16);
        i += 1;
    }
    KindFeatures {
        sides,
        rows: layout.0,
    }
};

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
    #[expect(
        clippy::inline_always,
        reason = "several classes call it, and a call costs the search a twentieth"
    )]
    #[inline(always)]
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

/// Calls `f` with each row of the features that all sets share.
#[expect(
    clippy::inline_always,
    reason = "several classes call it, and a call costs the search a twentieth"
)]
#[inline(always)]
fn for_each_shared(
    position: &Position,
    Survey { sides }: &Survey,
    attacker: Color,
    f: &mut impl FnMut(usize),
) {
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

impl FeatureSet for FreeKing {
    const ROWS: usize = FEATURES.rows;

    #[expect(
        clippy::inline_always,
        reason = "the sums that `f` adds to must stay in a register"
    )]
    #[inline(always)]
    fn for_each_scalar(position: &Position, attacker: Color, _: u32, mut f: impl FnMut(usize)) {
        for_each_shared(position, &survey(position), attacker, &mut f);
    }
}

impl FeatureSet for RoyalKing {
    const ROWS: usize = ROYAL.rows;

    #[expect(
        clippy::inline_always,
        reason = "the sums that `f` adds to must stay in a register"
    )]
    #[inline(always)]
    fn for_each_scalar(position: &Position, attacker: Color, moves: u32, mut f: impl FnMut(usize)) {
        let survey = survey(position);
        for_each_shared(position, &survey, attacker, &mut f);
        for (features, color) in ROYAL.sides.iter().zip([attacker, !attacker]) {
            let men = position.men(color);
            let under_attack = survey.sides[(!color).index()].attacked;
            f(features.men.row(men.count() as usize));
            let king = men & position.role(Role::King);
            let free = king.first().map_or(0, |square| {
                (king_neighbours(square) & !men & !under_attack).count() as usize
            });
            let in_check = usize::from((king & under_attack).any());
            f(features.king.row(free + 9 * in_check));
        }
        f(ROYAL.moves.row(moves as usize));
    }
}

impl FeatureSet for Kinds {
    const ROWS: usize = KINDS.rows;

    #[expect(
        clippy::inline_always,
        reason = "the sums that `f` adds to must stay in a register"
    )]
    #[inline(always)]
    fn for_each_scalar(position: &Position, attacker: Color, _: u32, mut f: impl FnMut(usize)) {
        let survey = survey(position);
        for_each_shared(position, &survey, attacker, &mut f);
        for (features, color) in KINDS.sides.iter().zip([attacker, !attacker]) {
            let under_attack = survey.sides[(!color).index()].attacked;
            for (feature, role) in features.iter().zip(Role::ALL) {
                let men = position.men_of(color, role);
                let threatened = (men & under_attack).count().min(3);
                f(feature.row((4 * men.count().min(3) + threatened) as usize));
            }
        }
    }
}

/// All rows of a position, for training.
#[must_use]
pub fn feature_rows<F: FeatureSet>(position: &Position, attacker: Color, moves: u32) -> Vec<usize> {
    let mut rows = Vec::new();
    Men::new(position, attacker).for_each_difference(&Men::NONE, |row, _| rows.push(row));
    F::for_each_scalar(position, attacker, moves, |row| rows.push(row));
    rows
}
