//! What the net sees of a position: a set of rows.
//!
//! Everything is seen from the attacker: its men come first, and the board is turned so that its pawns move up. Each feature is a
//! value in a small range, and each value has a row of its own; a feature that is capped counts larger values as the cap.
//!
//! Mobility by kind of man, unprotected men, the numbers of men and the number of legal moves were tried too: what the net
//! explained did not change by more than the noise.

use std::fmt::Debug;

use rules::{Change, Color, Position, Role, SideSurvey, king_neighbours, survey};

/// What a net sees of a position beside the men on their squares. Each class of moves has the set that fits its goal.
pub trait FeatureSet: Debug + Send + Sync + 'static {
    /// The number of rows, those of the men included.
    const ROWS: usize;
    /// The row of each slot.
    const ROW_OF_SLOT: &'static [u16];

    /// Calls `f` with the slot of each row of a position that is not a man's. The side to move has `moves` legal moves; where [`rules::MoveGen::choice`]
    /// says so, 2 stands for more.
    fn for_each_scalar(
        position: &Position,
        survey: &[SideSurvey; 2],
        attacker: Color,
        moves: u32,
        f: impl FnMut(usize),
    );
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

/// A feature: its slots, one for each value that it can have.
///
/// Values that share a row have slots of their own, so that nobody need compare a value with a cap.
#[derive(Clone, Copy)]
struct Feature {
    first: usize,
}

impl Feature {
    /// A place to be filled.
    const NONE: Self = Self { first: 0 };

    #[inline]
    fn slot(self, value: usize) -> usize {
        self.first + value
    }
}

/// Slots of the largest set at most: a power of two, so that an index needs no comparison.
pub(crate) const MAX_SLOTS: usize = 2048;

/// Lays features out one after another.
#[derive(Clone, Copy)]
struct Layout {
    slots: usize,
    rows: usize,
    row_of: [u16; MAX_SLOTS],
}

impl Layout {
    /// The men on their squares, a row each.
    const fn of_men() -> Self {
        let mut layout = Self {
            slots: 0,
            rows: 0,
            row_of: [0; MAX_SLOTS],
        };
        layout.next(MEN_ROWS, MEN_ROWS);
        layout
    }

    /// A feature with so many rows and possible values; values beyond the rows count as the last.
    #[expect(clippy::cast_possible_truncation, reason = "fewer rows than slots")]
    const fn next(&mut self, rows: usize, values: usize) -> Feature {
        let first = self.slots;
        while self.slots < first + values {
            let value = self.slots - first;
            let row = if value < rows { value } else { rows - 1 };
            self.row_of[self.slots] = (self.rows + row) as u16;
            self.slots += 1;
        }
        self.rows += rows;
        Feature { first }
    }
}

/// Values of a number of men of one side.
const MEN: usize = 17;
/// Values of a number of squares that men of one side can go to.
const SQUARES: usize = 64;
/// Values of a number of legal moves, see [`rules::MoveList`].
const MOVES: usize = 433;

/// Features of one side.
struct Side {
    /// Men that each kind of man attacks.
    captures: [Feature; 6],
    /// Men that the enemy attacks; of these, the men that are protected.
    attacked: Feature,
    exchanged: Feature,
    /// Empty squares within reach that the enemy attacks, and others.
    offers: Feature,
    safe: Feature,
}

impl Side {
    const fn new(layout: &mut Layout) -> Self {
        let mut captures = [Feature::NONE; 6];
        let mut role = 0;
        while role < 6 {
            captures[role] = layout.next(8, MEN);
            role += 1;
        }
        Self {
            captures,
            attacked: layout.next(16, MEN),
            exchanged: layout.next(16, MEN),
            offers: layout.next(32, SQUARES),
            safe: layout.next(32, SQUARES),
        }
    }
}

/// Features that all sets share.
struct Features {
    sides: [Side; 2],
    /// Whether the side to move can capture, whether the other could, whether an en-passant capture is there.
    tension: Feature,
    layout: Layout,
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
    layout: Layout,
}

/// Of each side and kind of man: the number of men, and of those that are attacked, both up to 3.
struct KindFeatures {
    sides: [[Feature; 6]; 2],
    layout: Layout,
}

/// Rows of the men: side, kind, square.
const MEN_ROWS: usize = 2 * 6 * 64;

const FEATURES: Features = {
    let mut layout = Layout::of_men();
    Features {
        sides: [Side::new(&mut layout), Side::new(&mut layout)],
        tension: layout.next(8, 8),
        layout,
    }
};

const ROYAL: RoyalFeatures = {
    let mut layout = FEATURES.layout;
    RoyalFeatures {
        sides: [RoyalSide::new(&mut layout), RoyalSide::new(&mut layout)],
        moves: layout.next(32, MOVES),
        layout,
    }
};

impl RoyalSide {
    const fn new(layout: &mut Layout) -> Self {
        Self {
            men: layout.next(17, MEN),
            king: layout.next(18, 18),
        }
    }
}

const KINDS: KindFeatures = {
    let mut layout = FEATURES.layout;
    let mut sides = [[Feature::NONE; 6]; 2];
    let mut i = 0;
    while i < 12 {
        sides[i / 6][i % 6] = layout.next(16, 16);
        i += 1;
    }
    KindFeatures { sides, layout }
};

/// The row of a man as the attacker sees it; `man` counts as [`rules::Change::man`] does.
#[inline]
pub(crate) fn man_row(man: usize, attacker: Color) -> usize {
    match attacker {
        Color::White => man,
        // The other side's man on the square that lies across the middle of the board.
        Color::Black => {
            (if man < MEN_ROWS / 2 {
                man + MEN_ROWS / 2
            } else {
                man - MEN_ROWS / 2
            }) ^ 0x38
        }
    }
}

/// Calls `f` with the row of each man on the board.
pub(crate) fn for_each_man(position: &Position, attacker: Color, mut f: impl FnMut(usize)) {
    for color in Color::ALL {
        for role in Role::ALL {
            for square in position.men_of(color, role) {
                f(man_row(Change::put(color, role, square).man(), attacker));
            }
        }
    }
}

/// Calls `f` with each slot of the features that all sets share.
#[expect(
    clippy::inline_always,
    reason = "several classes call it, and a call costs the search a twentieth"
)]
#[inline(always)]
fn for_each_shared(
    position: &Position,
    survey: &[SideSurvey; 2],
    attacker: Color,
    f: &mut impl FnMut(usize),
) {
    let empty = !position.occupied();
    for (features, color) in FEATURES.sides.iter().zip([attacker, !attacker]) {
        let side = &survey[color.index()];
        let (men, them) = (position.men(color), position.men(!color));
        let enemy = survey[(!color).index()].attacked;
        let threatened = men & enemy;
        for (feature, &attacks) in features.captures.iter().zip(&side.by_role) {
            f(feature.slot((attacks & them).count() as usize));
        }
        f(features.attacked.slot(threatened.count() as usize));
        f(features
            .exchanged
            .slot((threatened & side.attacked).count() as usize));
        let quiet = side.quiet(empty);
        f(features.offers.slot((quiet & enemy).count() as usize));
        f(features.safe.slot((quiet & !enemy).count() as usize));
    }
    let us = position.side_to_move();
    let attacks_a_man =
        |color: Color| (survey[color.index()].attacked & position.men(!color)).any();
    f(FEATURES.tension.slot(
        usize::from(attacks_a_man(us))
            | usize::from(attacks_a_man(!us)) << 1
            | usize::from(position.en_passant().is_some()) << 2,
    ));
}

impl FeatureSet for FreeKing {
    const ROWS: usize = FEATURES.layout.rows;
    const ROW_OF_SLOT: &'static [u16] = FEATURES.layout.row_of.split_at(FEATURES.layout.slots).0;

    #[expect(
        clippy::inline_always,
        reason = "the sums that `f` adds to must stay in a register"
    )]
    #[inline(always)]
    fn for_each_scalar(
        position: &Position,
        survey: &[SideSurvey; 2],
        attacker: Color,
        _: u32,
        mut f: impl FnMut(usize),
    ) {
        for_each_shared(position, survey, attacker, &mut f);
    }
}

impl FeatureSet for RoyalKing {
    const ROWS: usize = ROYAL.layout.rows;
    const ROW_OF_SLOT: &'static [u16] = ROYAL.layout.row_of.split_at(ROYAL.layout.slots).0;

    #[expect(
        clippy::inline_always,
        reason = "the sums that `f` adds to must stay in a register"
    )]
    #[inline(always)]
    fn for_each_scalar(
        position: &Position,
        survey: &[SideSurvey; 2],
        attacker: Color,
        moves: u32,
        mut f: impl FnMut(usize),
    ) {
        for_each_shared(position, survey, attacker, &mut f);
        for (features, color) in ROYAL.sides.iter().zip([attacker, !attacker]) {
            let men = position.men(color);
            let under_attack = survey[(!color).index()].attacked;
            f(features.men.slot(men.count() as usize));
            let king = men & position.role(Role::King);
            let free = king.first().map_or(0, |square| {
                (king_neighbours(square) & !men & !under_attack).count() as usize
            });
            let in_check = usize::from((king & under_attack).any());
            f(features.king.slot(free + 9 * in_check));
        }
        f(ROYAL.moves.slot(moves as usize));
    }
}

impl FeatureSet for Kinds {
    const ROWS: usize = KINDS.layout.rows;
    const ROW_OF_SLOT: &'static [u16] = KINDS.layout.row_of.split_at(KINDS.layout.slots).0;

    #[expect(
        clippy::inline_always,
        reason = "the sums that `f` adds to must stay in a register"
    )]
    #[inline(always)]
    fn for_each_scalar(
        position: &Position,
        survey: &[SideSurvey; 2],
        attacker: Color,
        _: u32,
        mut f: impl FnMut(usize),
    ) {
        for_each_shared(position, survey, attacker, &mut f);
        for (features, color) in KINDS.sides.iter().zip([attacker, !attacker]) {
            let under_attack = survey[(!color).index()].attacked;
            for (feature, role) in features.iter().zip(Role::ALL) {
                let men = position.men_of(color, role);
                let threatened = (men & under_attack).count().min(3);
                f(feature.slot((4 * men.count().min(3) + threatened) as usize));
            }
        }
    }
}

/// All rows of a position, for training.
#[must_use]
pub fn feature_rows<F: FeatureSet>(position: &Position, attacker: Color, moves: u32) -> Vec<usize> {
    let mut slots = Vec::new();
    for_each_man(position, attacker, |slot| slots.push(slot));
    F::for_each_scalar(position, &survey(position), attacker, moves, |slot| {
        slots.push(slot);
    });
    let row_of = |slot: usize| usize::from(F::ROW_OF_SLOT[slot]);
    slots.into_iter().map(row_of).collect()
}
