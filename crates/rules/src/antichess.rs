//! The move-generation classes in which the king is an ordinary man and capturing is compulsory (rules `M1` to `M3`, `V2`).
//!
//! One pass over the men computes every attack set; whether any of them hits an enemy decides if captures or quiet moves
//! are legal. Counting sums set sizes and never makes a move.

use arrayvec::ArrayVec;

use crate::{
    Bitboard, Change, Choice, Class, Color, Move, MoveGen, Position, Role, SideSurvey, Square,
    attacks, play,
    pseudo::{
        LAST_RANKS, count_pawn_moves, emit_pawn_moves, for_each_piece, pawn_captures, pawn_pushes,
        pawn_targets, pawns_advancing, pawns_attacking,
    },
};

/// The move generator of the rulesets `international`, `fics` and `joint`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Antichess;

/// The move generator of the ruleset `variant2`: a pawn becomes a queen, nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variant2;

/// A class that moves as this module says; they differ in what a pawn may become.
trait Compulsory: Copy + std::fmt::Debug + Default + Send + Sync + 'static {
    const CLASS: Class;
    const PROMOTIONS: &'static [Role] = Self::CLASS.promotions();
}

impl Compulsory for Antichess {
    const CLASS: Class = Class::Antichess;
}

impl Compulsory for Variant2 {
    const CLASS: Class = Class::Variant2;
}

/// The choice among the men that can go to `to`, if moves lead nowhere else and none is en passant.
#[inline]
fn choice_of_men<C: Compulsory>(position: &Position, to: Square) -> Choice {
    let us = position.side_to_move();
    let occupied = position.occupied();
    let pawns = if occupied.contains(to) {
        pawns_attacking(position, to)
    } else {
        pawns_advancing(position, to)
    };
    if pawns.any() && LAST_RANKS.contains(to) {
        return Choice::among_generated::<C>(position);
    }
    let [knights, bishops, rooks, queens, kings] = [
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ]
    .map(|role| position.men_of(us, role));
    let men = pawns
        | attacks::knight(to) & knights
        | attacks::king(to) & kings
        | attacks::bishop(to, occupied) & (bishops | queens)
        | attacks::rook(to, occupied) & (rooks | queens);
    match (men.first(), men.count()) {
        (Some(from), 1) => Choice::Forced(Move::new(from, to)),
        (_, moves) => Choice::Free(moves),
    }
}

impl<C: Compulsory> MoveGen for C {
    const CLASS: Class = C::CLASS;

    #[inline]
    fn for_each_move(position: &Position, mut f: impl FnMut(Move)) {
        let us = position.side_to_move();
        let them = position.men(!us);
        if them.is_empty() {
            return;
        }
        let (pawns, occupied) = (position.men_of(us, Role::Pawn), position.occupied());
        // A queen comes twice: sixteen men, twice, is the most.
        let mut pieces: ArrayVec<(Square, Bitboard), 32> = ArrayVec::new();
        let mut attacked = Bitboard::EMPTY;
        for_each_piece(position, us, occupied, |square, attacks| {
            pieces.push((square, attacks));
            attacked |= attacks;
        });
        let captures = pawn_captures(pawns, us, pawn_targets(position, them));
        let must_capture = (captures[0].to | captures[1].to | attacked & them).any();
        let (pawn_moves, targets) = if must_capture {
            (captures, them)
        } else {
            (pawn_pushes(pawns, us, !occupied), !occupied)
        };
        for moves in &pawn_moves {
            emit_pawn_moves(moves, C::PROMOTIONS, &mut f);
        }
        for &(square, attacks) in &pieces {
            for to in attacks & targets {
                f(Move::new(square, to));
            }
        }
    }

    #[inline]
    fn count_moves(position: &Position) -> u32 {
        let us = position.side_to_move();
        let them = position.men(!us);
        if them.is_empty() {
            return 0;
        }
        let (pawns, occupied) = (position.men_of(us, Role::Pawn), position.occupied());
        let [west, east] = pawn_captures(pawns, us, pawn_targets(position, them));
        let mut captures =
            count_pawn_moves(west.to, C::PROMOTIONS) + count_pawn_moves(east.to, C::PROMOTIONS);
        let mut quiet = 0;
        for_each_piece(position, us, occupied, |_, attacks| {
            captures += (attacks & them).count();
            quiet += (attacks & !occupied).count();
        });
        if captures > 0 {
            captures
        } else {
            let [single, double] = pawn_pushes(pawns, us, !occupied);
            quiet + count_pawn_moves(single.to, C::PROMOTIONS) + double.to.count()
        }
    }

    #[inline]
    fn play_noting(position: &mut Position, mv: Move, note: impl FnMut(Change)) {
        play::play::<C>(position, mv, note);
    }

    #[inline]
    fn choice(position: &Position, survey: &SideSurvey) -> Choice {
        let us = position.side_to_move();
        let them = position.men(!us);
        let captures = survey.attacked & them;
        let quiet = survey.quiet(!position.occupied());
        // Whether a man can be captured cannot be predicted: so no jump.
        let no_captures = Bitboard(u64::from(captures.any()).wrapping_sub(1));
        let targets = captures | quiet & no_captures;
        // Capturing en passant is not in the survey.
        if them.is_empty() || position.en_passant().is_some() {
            return Choice::among_generated::<C>(position);
        }
        // A set of two squares takes two moves to reach.
        if targets.count() > 1 {
            return Choice::Free(2);
        }
        targets
            .first()
            .map_or(Choice::Over, |to| choice_of_men::<C>(position, to))
    }

    #[inline]
    fn winner_by_men(position: &Position) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|&color| position.men(color).is_empty())
    }

    #[inline]
    fn en_passant_counts(position: &Position, square: Square) -> bool {
        pawns_attacking(position, square).any()
    }
}
