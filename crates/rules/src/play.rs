//! Playing a move on the board.

use crate::{Color, MoveGen, Position, Role, Square, castling};

/// A man that was put on the board or taken off it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    man: u16,
}

impl Change {
    const PUT: u16 = 1 << 15;

    /// A man put on a square.
    #[inline]
    #[must_use]
    pub const fn put(color: Color, role: Role, square: Square) -> Self {
        Self {
            man: Self::removed(color, role, square).man | Self::PUT,
        }
    }

    /// A man taken off a square.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below 768")]
    pub(crate) const fn removed(color: Color, role: Role, square: Square) -> Self {
        Self {
            man: ((color.index() * 6 + role.index()) * 64 + square.index()) as u16,
        }
    }

    /// Whether the man was put on the board.
    #[inline]
    #[must_use]
    pub const fn is_put(self) -> bool {
        self.man & Self::PUT != 0
    }

    /// The man: (colour · 6 + kind) · 64 + square, by their indices.
    #[inline]
    #[must_use]
    pub const fn man(self) -> usize {
        (self.man & !Self::PUT) as usize
    }
}

/// Plays a legal move of the class; see [`MoveGen::play_noting`].
#[inline]
pub(crate) fn play<G: MoveGen>(
    position: &mut Position,
    mv: crate::Move,
    mut note: impl FnMut(Change),
) {
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
        note(Change::removed(!us, captured, to));
    }
    let becomes = mv.promotion().unwrap_or(role);
    position.remove(from, us, role);
    note(Change::removed(us, role, from));
    position.put(to, us, becomes);
    note(Change::put(us, becomes, to));
    if G::CLASS.has_castling() {
        position.set_castling(castling::rights_after(position.castling(), mv));
        if role == Role::King
            && let Some((rook_from, rook_to)) = castling::rook_move(mv)
        {
            position.remove(rook_from, us, Role::Rook);
            position.put(rook_to, us, Role::Rook);
            note(Change::removed(us, Role::Rook, rook_from));
            note(Change::put(us, Role::Rook, rook_to));
        }
    }
    if role == Role::Pawn {
        if en_passant == Some(to) {
            let passed = Square::at(to.file(), from.rank());
            position.remove(passed, !us, Role::Pawn);
            note(Change::removed(!us, Role::Pawn, passed));
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
