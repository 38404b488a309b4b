//! The move-generation classes in which the king is an ordinary man and capturing is compulsory (rules `M1` to `M3`, `V2`).
//!
//! One pass over the men computes every attack set; whether any of them hits an enemy decides if captures or quiet moves
//! are legal. Counting sums set sizes and never makes a move.

use arrayvec::ArrayVec;

use crate::{
    Bitboard, Change, Class, Color, Move, MoveGen, Position, Role, SideSurvey, Square, play,
    pseudo::{
        count_pawn_moves, emit_pawn_moves, for_each_piece, pawn_captures, pawn_pushes,
        pawn_targets, pawns_attacking,
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
    fn surely_several(position: &Position, survey: &[SideSurvey; 2]) -> bool {
        let us = position.side_to_move();
        let side = &survey[us.index()];
        let them = position.men(!us);
        let captures = side.attacked & them;
        let quiet = side.quiet(!position.occupied());
        // Whether a man can be captured cannot be predicted: so no jump.
        let no_captures = Bitboard(u64::from(captures.any()).wrapping_sub(1));
        let moves = captures | quiet & no_captures;
        // A set of two squares takes two moves to reach. Capturing en passant is not in it.
        moves.count() > 1 && !them.is_empty() && position.en_passant().is_none()
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
