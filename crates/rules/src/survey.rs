//! What both sides attack and could do, in one pass: the raw material of evaluators.

use crate::{Bitboard, Color, Position, Role, Square, attacks};

/// What one side attacks and could do if it were to move and free to choose between captures and quiet moves.
///
/// Promotions count once, whatever the pawn becomes.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideSurvey {
    /// Squares that the side attacks, its own men's included.
    pub attacked: Bitboard,
    /// Captures by each kind of man.
    pub captures: [u8; 6],
    /// Other moves.
    pub quiet: u8,
    /// Other moves that end on a square the enemy attacks.
    pub offers: u8,
}

/// The surveys of White and Black.
#[derive(Clone, Copy, Debug, Default)]
pub struct Survey {
    /// By [`Color::index`].
    pub sides: [SideSurvey; 2],
}

/// Quiet destinations of each of sixteen men, or of all pawns by one step and by two.
#[derive(Default)]
struct Quiet {
    sets: [Bitboard; 18],
    len: usize,
}

impl Quiet {
    #[inline]
    fn push(&mut self, set: Bitboard) {
        if let Some(slot) = self.sets.get_mut(self.len) {
            *slot = set;
            self.len += 1;
        }
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 27 for one man")]
fn count(set: Bitboard) -> u8 {
    set.count() as u8
}

/// The squares next to a square, those that a king attacks.
#[inline]
#[must_use]
pub fn king_neighbours(square: Square) -> Bitboard {
    attacks::king(square)
}

/// Surveys both sides. Castling and the safety of kings are left out.
#[expect(
    clippy::inline_always,
    reason = "several classes call it, and a call costs the search a twentieth"
)]
#[inline(always)]
#[must_use]
pub fn survey(position: &Position) -> Survey {
    let mut quiet = [Quiet::default(), Quiet::default()];
    let mut survey = Survey {
        sides: Color::ALL.map(|us| survey_side(position, us, &mut quiet[us.index()])),
    };
    for us in Color::ALL {
        let attacked = survey.sides[(!us).index()].attacked;
        let side = &mut survey.sides[us.index()];
        let quiet = &quiet[us.index()];
        for &to in &quiet.sets[..quiet.len] {
            side.quiet = side.quiet.saturating_add(count(to));
            side.offers = side.offers.saturating_add(count(to & attacked));
        }
    }
    survey
}

#[expect(
    clippy::inline_always,
    reason = "several classes call it, and a call costs the search a twentieth"
)]
#[inline(always)]
fn survey_side(position: &Position, us: Color, quiet: &mut Quiet) -> SideSurvey {
    let (men, them) = (position.men(us), position.men(!us));
    let occupied = position.occupied();
    let mut side = SideSurvey::default();
    survey_pawns(position, us, &mut side, quiet);
    let mut survey = |role: Role, attacks: Bitboard| {
        side.attacked |= attacks;
        side.captures[role.index()] += count(attacks & them);
        quiet.push(attacks & !occupied);
    };
    for square in men & position.role(Role::Knight) {
        survey(Role::Knight, attacks::knight(square));
    }
    for square in men & position.role(Role::Bishop) {
        survey(Role::Bishop, attacks::bishop(square, occupied));
    }
    for square in men & position.role(Role::Rook) {
        survey(Role::Rook, attacks::rook(square, occupied));
    }
    for square in men & position.role(Role::Queen) {
        let attacks = attacks::rook(square, occupied) | attacks::bishop(square, occupied);
        survey(Role::Queen, attacks);
    }
    for square in men & position.role(Role::King) {
        survey(Role::King, attacks::king(square));
    }
    side
}

#[expect(
    clippy::inline_always,
    reason = "several classes call it, and a call costs the search a twentieth"
)]
#[inline(always)]
fn survey_pawns(position: &Position, us: Color, side: &mut SideSurvey, quiet: &mut Quiet) {
    let pawns = position.men_of(us, Role::Pawn);
    let empty = !position.occupied();
    let (west, east) = attacks::pawns(us, pawns);
    let mut targets = position.men(!us);
    if us == position.side_to_move() {
        targets |= position
            .en_passant()
            .map_or(Bitboard::EMPTY, Square::bitboard);
    }
    let (delta, third) = match us {
        Color::White => (8, Bitboard::rank(2)),
        Color::Black => (-8, Bitboard::rank(5)),
    };
    let single = pawns.shift(delta) & empty;
    let double = (single & third).shift(delta) & empty;
    side.attacked = west | east;
    side.captures[0] = count(west & targets) + count(east & targets);
    quiet.push(single);
    quiet.push(double);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Ruleset, fen};

    #[test]
    fn the_initial_position_has_twenty_quiet_moves_a_side() {
        let survey = survey(Game::initial(Ruleset::Joint).position());
        for side in survey.sides {
            assert_eq!((side.captures, side.quiet, side.offers), ([0; 6], 20, 0));
            assert_eq!(side.attacked.count(), 22);
        }
    }

    #[test]
    fn offers_end_where_the_enemy_attacks() {
        let game = fen::parse("8/8/8/1p6/8/2K5/8/8 w - -", Ruleset::Joint)
            .expect("a FEN")
            .game;
        let [white, black] = survey(game.position()).sides;
        // Of the king's eight moves only Kc4 offers it; b4 walks next to the king.
        assert_eq!((white.quiet, white.offers), (8, 1));
        assert_eq!((black.quiet, black.offers), (1, 1));
    }
}
