//! Playing a move on the board.

use crate::{MoveGen, Position, Role, Square, castling};

/// Plays a legal move of the class; see [`MoveGen::play_unchecked`].
#[inline]
pub(crate) fn play<G: MoveGen>(position: &mut Position, mv: crate::Move) {
    let us = position.side_to_move();
    let (from, to) = (mv.from(), mv.to());
    let Some(role) = position.role_at(from) else {
        return; // no legal move starts from an empty square
    };
    let en_passant = position.en_passant();
    position.set_en_passant(None);
    if position.men(!us).contains(to)
        && let Some(captured) = position.role_at(to)
    {
        position.remove(to, !us, captured);
    }
    position.remove(from, us, role);
    position.put(to, us, mv.promotion().unwrap_or(role));
    if G::CLASS.has_castling() {
        position.set_castling(castling::rights_after(position.castling(), mv));
        if role == Role::King
            && let Some((rook_from, rook_to)) = castling::rook_move(mv)
        {
            position.remove(rook_from, us, Role::Rook);
            position.put(rook_to, us, Role::Rook);
        }
    }
    if role == Role::Pawn {
        if en_passant == Some(to) {
            let passed = Square::at(to.file(), from.rank());
            position.remove(passed, !us, Role::Pawn);
        } else if from.rank().abs_diff(to.rank()) == 2 {
            let middle = Square::at(from.file(), u8::midpoint(from.rank(), to.rank()));
            position.pass_the_move();
            let counts = G::en_passant_counts(position, middle);
            position.set_en_passant(counts.then_some(middle));
            return;
        }
    }
    position.pass_the_move();
}
