//! The move-generation class `extinction`: the king is an ordinary man, nothing is compulsory, castling pays no heed to
//! attacks (rules `X1` to `X7`).

use crate::{
    Bitboard, Change, Class, Color, Move, MoveGen, Position, Role, Square, castling, play,
    pseudo::{
        ANY_PROMOTION, count_pawn_moves, emit_pawn_moves, for_each_piece, pawn_captures,
        pawn_pushes, pawn_targets, pawns_attacking,
    },
};

/// The move generator of the ruleset `extinction`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extinction;

/// Whether `color` has no man of some kind.
fn is_extinct(position: &Position, color: Color) -> bool {
    Role::ALL
        .into_iter()
        .any(|role| position.men_of(color, role).is_empty())
}

/// Calls `f` with each move of a board on which nothing is compulsory or decided and no king is royal.
#[inline]
pub(crate) fn for_each_free_move(position: &Position, mut f: impl FnMut(Move)) {
    let us = position.side_to_move();
    let own = position.men(us);
    let pawns = position.men_of(us, Role::Pawn);
    let targets = pawn_targets(position, position.men(!us));
    let captures = pawn_captures(pawns, us, targets);
    let pushes = pawn_pushes(pawns, us, !position.occupied());
    for moves in captures.iter().chain(&pushes) {
        emit_pawn_moves(moves, ANY_PROMOTION, &mut f);
    }
    for_each_piece(position, us, position.occupied(), |square, attacks| {
        for to in attacks & !own {
            f(Move::new(square, to));
        }
    });
    castling::for_each_open(position, |castling| f(castling.mv()));
}

impl MoveGen for Extinction {
    const CLASS: Class = Class::Extinction;

    #[inline]
    fn for_each_move(position: &Position, f: impl FnMut(Move)) {
        if Self::winner_by_men(position).is_none() {
            for_each_free_move(position, f);
        }
    }

    #[inline]
    fn count_moves(position: &Position) -> u32 {
        if Self::winner_by_men(position).is_some() {
            return 0;
        }
        let us = position.side_to_move();
        let free = !position.men(us);
        let pawns = position.men_of(us, Role::Pawn);
        let targets = pawn_targets(position, position.men(!us));
        let [west, east] = pawn_captures(pawns, us, targets);
        let [single, double] = pawn_pushes(pawns, us, !position.occupied());
        let pawn_moves: [Bitboard; 4] = [west.to, east.to, single.to, double.to];
        let mut moves = 0;
        for to in pawn_moves {
            moves += count_pawn_moves(to, ANY_PROMOTION);
        }
        for_each_piece(position, us, position.occupied(), |_, attacks| {
            moves += (attacks & free).count();
        });
        castling::for_each_open(position, |_| moves += 1);
        moves
    }

    #[inline]
    fn play_noting(position: &mut Position, mv: Move, note: impl FnMut(Change)) {
        play::play::<Self>(position, mv, note);
    }

    /// The mover of the last move wins if both sides lack a kind of man (rule `X1`).
    #[inline]
    fn winner_by_men(position: &Position) -> Option<Color> {
        let us = position.side_to_move();
        if is_extinct(position, us) {
            Some(!us)
        } else if is_extinct(position, !us) {
            Some(us)
        } else {
            None
        }
    }

    #[inline]
    fn en_passant_counts(position: &Position, square: Square) -> bool {
        Self::winner_by_men(position).is_none() && pawns_attacking(position, square).any()
    }
}
