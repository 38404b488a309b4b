//! What a side attacks, in one pass over sets of men: the raw material of evaluators, and how to see at once that there is a
//! choice of moves.
//!
//! All men of a kind move at once: sliders by parallel prefix fills (Kogge and Stone 1973; for chess Fenner and Tord, "fill
//! algorithms"), four directions side by side in one vector register.

#![expect(
    clippy::inline_always,
    reason = "the search lives on it, and what a caller does not use should vanish"
)]

use wide::u64x4;

use crate::{Bitboard, Color, Position, Role, Square, attacks, pseudo::pawn_pushes};

/// Four directions at once.
type Lanes = u64x4;

/// What one side attacks, and where its pawns can advance to.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideSurvey {
    /// Squares that the men of a kind attack, by [`Role::index`], men of their own side included.
    pub by_role: [Bitboard; 6],
    /// Squares that the side attacks.
    pub attacked: Bitboard,
    /// Empty squares that a pawn can advance to.
    pub pushes: Bitboard,
}

impl SideSurvey {
    /// The `empty` squares that a man can go to.
    #[inline]
    #[must_use]
    pub fn quiet(&self, empty: Bitboard) -> Bitboard {
        let [_, knights, bishops, rooks, queens, kings] = self.by_role;
        (knights | bishops | rooks | queens | kings) & empty | self.pushes
    }
}

/// The squares next to a square, those that a king attacks.
#[inline]
#[must_use]
pub fn king_neighbours(square: Square) -> Bitboard {
    attacks::king(square)
}

const ALL: u64 = u64::MAX;
const NOT_A: u64 = !Bitboard::FILE_A.0;
const NOT_H: u64 = !Bitboard::FILE_H.0;
const NOT_AB: u64 = NOT_A & !(Bitboard::FILE_A.0 << 1);
const NOT_GH: u64 = NOT_H & !(Bitboard::FILE_H.0 >> 1);

/// Steps towards h8: two of a bishop, two of a rook. Towards a1 it is the same ones backwards.
const STEPS: Lanes = Lanes::new([7, 9, 1, 8]);
/// Squares on which such a step can end.
const UP_ENDS: Lanes = Lanes::new([NOT_H, NOT_A, NOT_A, ALL]);
const DOWN_ENDS: Lanes = Lanes::new([NOT_A, NOT_H, NOT_H, ALL]);

/// Four of a knight's steps, and the squares on which they can end.
const LEAPS: Lanes = Lanes::new([17, 15, 10, 6]);
const LEAPS_UP_END: Lanes = Lanes::new([NOT_A, NOT_H, NOT_AB, NOT_GH]);
const LEAPS_DOWN_END: Lanes = Lanes::new([NOT_H, NOT_A, NOT_GH, NOT_AB]);

/// How far lines are free in each direction: by one step, two, and four. All fills over one board share it.
#[derive(Debug)]
pub struct Lines {
    up: [Lanes; 3],
    down: [Lanes; 3],
}

impl Lines {
    /// The lines of a position.
    #[inline(always)]
    #[must_use]
    pub fn new(position: &Position) -> Self {
        let empty = Lanes::splat(!position.occupied().0);
        let mut up = [empty & UP_ENDS; 3];
        let mut down = [empty & DOWN_ENDS; 3];
        let mut steps = STEPS;
        for doubling in 1..3 {
            up[doubling] = up[doubling - 1] & up[doubling - 1] << steps;
            down[doubling] = down[doubling - 1] & down[doubling - 1] >> steps;
            steps += steps;
        }
        Self { up, down }
    }

    /// The squares that sliders attack; `sliders` has those of each of the four pairs of directions.
    #[inline(always)]
    fn attacks(&self, sliders: Lanes) -> Lanes {
        let mut up = sliders;
        let mut down = sliders;
        let mut steps = STEPS;
        for (free_up, free_down) in self.up.into_iter().zip(self.down) {
            up |= free_up & up << steps;
            down |= free_down & down >> steps;
            steps += steps;
        }
        UP_ENDS & up << STEPS | DOWN_ENDS & down >> STEPS
    }

    /// Surveys one side of the position that the lines are of. Castling and the safety of kings are left out.
    #[inline(always)]
    #[must_use]
    pub fn survey(&self, position: &Position, us: Color) -> SideSurvey {
        let of = |role| position.men_of(us, role).0;
        let pawns = Bitboard(of(Role::Pawn));
        let (west, east) = attacks::pawns(us, pawns);
        let (bishops, rooks, queens) = (of(Role::Bishop), of(Role::Rook), of(Role::Queen));
        let sliders = self
            .attacks(Lanes::new([bishops, bishops, rooks, rooks]))
            .to_array();
        let by_role = [
            (west | east).0,
            knights(of(Role::Knight)),
            sliders[0] | sliders[1],
            sliders[2] | sliders[3],
            // The children of a position mostly agree in this, so the jump is predicted.
            if queens == 0 {
                0
            } else {
                union(self.attacks(Lanes::splat(queens)))
            },
            kings(of(Role::King)),
        ];
        let [single, double] = pawn_pushes(pawns, us, !position.occupied());
        SideSurvey {
            by_role: by_role.map(Bitboard),
            attacked: Bitboard(by_role.into_iter().fold(0, |all, set| all | set)),
            pushes: single.to | double.to,
        }
    }
}

#[inline(always)]
fn union(lanes: Lanes) -> u64 {
    let [a, b, c, d] = lanes.to_array();
    a | b | c | d
}

#[inline(always)]
fn knights(men: u64) -> u64 {
    let men = Lanes::splat(men);
    union(LEAPS_UP_END & men << LEAPS | LEAPS_DOWN_END & men >> LEAPS)
}

#[inline(always)]
fn kings(men: u64) -> u64 {
    let men = Lanes::splat(men);
    union(UP_ENDS & men << STEPS | DOWN_ENDS & men >> STEPS)
}

/// Surveys both sides. Castling and the safety of kings are left out. By [`Color::index`].
#[inline(always)]
#[must_use]
pub fn survey(position: &Position) -> [SideSurvey; 2] {
    let lines = Lines::new(position);
    Color::ALL.map(|us| lines.survey(position, us))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Ruleset, canonical_moves};

    /// What man after man attacks and can do, from the tables.
    fn slow(position: &Position, us: Color) -> SideSurvey {
        let occupied = position.occupied();
        let mut side = SideSurvey::default();
        for role in Role::ALL {
            for square in position.men_of(us, role) {
                side.by_role[role.index()] |= attacks(us, role, square, occupied);
            }
            side.attacked |= side.by_role[role.index()];
        }
        let (step, start) = match us {
            Color::White => (8, 1),
            Color::Black => (-8, 6),
        };
        for square in position.men_of(us, Role::Pawn) {
            let single = square.bitboard().shift(step) & !occupied;
            side.pushes |= single;
            if square.rank() == start {
                side.pushes |= single.shift(step) & !occupied;
            }
        }
        side
    }

    #[test]
    fn sets_of_men_attack_what_their_members_attack() {
        let mut state = 5u64;
        for _ in 0..300 {
            let mut position = *Game::initial(Ruleset::Joint).position();
            for _ in 0..80 {
                let moves = canonical_moves(&position, Ruleset::Joint);
                if moves.is_empty() {
                    break;
                }
                state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                position =
                    position.after(moves[(state >> 33) as usize % moves.len()], Ruleset::Joint);
                let survey = survey(&position);
                for us in Color::ALL {
                    let (found, expected) = (survey[us.index()], slow(&position, us));
                    assert_eq!(found.by_role, expected.by_role, "{position:?}");
                    assert_eq!(found.attacked, expected.attacked);
                    assert_eq!(found.pushes, expected.pushes);
                }
            }
        }
    }
}
