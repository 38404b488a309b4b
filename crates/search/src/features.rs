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

    /// Calls `f` with each row of a position that is not a man's. The side to move has `moves` legal moves; where [`rules::MoveGen::choice`]
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

/// Calls `f` with each row of the features that all sets share.
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
            f(feature.row((attacks & them).count() as usize));
        }
        f(features.attacked.row(threatened.count() as usize));
        f(features
            .exchanged
            .row((threatened & side.attacked).count() as usize));
        let quiet = side.quiet(empty);
        f(features.offers.row((quiet & enemy).count() as usize));
        f(features.safe.row((quiet & !enemy).count() as usize));
    }
    let us = position.side_to_move();
    let attacks_a_man =
        |color: Color| (survey[color.index()].attacked & position.men(!color)).any();
    f(FEATURES.tension.row(
        usize::from(attacks_a_man(us))
            | usize::from(attacks_a_man(!us)) << 1
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
    const ROWS: usize = ROYAL.rows;

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
                f(feature.row((4 * men.count().min(3) + threatened) as usize));
            }
        }
    }
}

/// All rows of a position, for training.
#[must_use]
pub fn feature_rows<F: FeatureSet>(position: &Position, attacker: Color, moves: u32) -> Vec<usize> {
    let mut rows = Vec::new();
    for_each_man(position, attacker, |row| rows.push(row));
    F::for_each_scalar(position, &survey(position), attacker, moves, |row| {
        rows.push(row);
    });
    rows
}
