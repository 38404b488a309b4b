//! How men move while nothing forbids it: the parts that the move-generation classes are made of.

use crate::{Bitboard, Color, Move, Position, Role, Square, attacks};

/// Pawn moves of one kind: the destinations, and how far a pawn has come to reach them.
pub(crate) struct PawnMoves {
    pub(crate) to: Bitboard,
    delta: i32,
}

/// The captures of these pawns of `us`: on `targets`, towards the a file and towards the h file.
#[inline]
pub(crate) fn pawn_captures(pawns: Bitboard, us: Color, targets: Bitboard) -> [PawnMoves; 2] {
    let (west, east) = attacks::pawns(us, pawns);
    let (west_delta, east_delta) = match us {
        Color::White => (7, 9),
        Color::Black => (-9, -7),
    };
    [
        PawnMoves {
            to: west & targets,
            delta: west_delta,
        },
        PawnMoves {
            to: east & targets,
            delta: east_delta,
        },
    ]
}

/// The advances of these pawns of `us`: by one square and by two.
#[inline]
pub(crate) fn pawn_pushes(pawns: Bitboard, us: Color, empty: Bitboard) -> [PawnMoves; 2] {
    let (delta, third) = match us {
        Color::White => (8, Bitboard::rank(2)),
        Color::Black => (-8, Bitboard::rank(5)),
    };
    let single = pawns.shift(delta) & empty;
    let double = (single & third).shift(delta) & empty;
    [
        PawnMoves { to: single, delta },
        PawnMoves {
            to: double,
            delta: 2 * delta,
        },
    ]
}

/// What a pawn may become where nothing is forbidden, in canonical order.
pub(crate) const ANY_PROMOTION: &[Role] = &[
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// Where pawns of either side promote.
pub(crate) const LAST_RANKS: Bitboard = Bitboard(0xFF00_0000_0000_00FF);

/// Calls `f` with each of these moves, and with one for each of `promotions` on a last rank.
#[inline]
pub(crate) fn emit_pawn_moves(moves: &PawnMoves, promotions: &[Role], f: &mut impl FnMut(Move)) {
    for to in moves.to {
        emit_pawn_move(to.offset(-moves.delta), to, promotions, f);
    }
}

/// Calls `f` with a pawn's move, or with one for each of `promotions` if it ends on a last rank.
#[inline]
pub(crate) fn emit_pawn_move(
    from: Square,
    to: Square,
    promotions: &[Role],
    f: &mut impl FnMut(Move),
) {
    if LAST_RANKS.contains(to) {
        for &role in promotions {
            f(Move::promotion_to(from, to, role));
        }
    } else {
        f(Move::new(from, to));
    }
}

/// The number of pawn moves that end on `to`, with so many promotions each on a last rank.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "five promotions at most")]
pub(crate) fn count_pawn_moves(to: Bitboard, promotions: &[Role]) -> u32 {
    to.count() + (to & LAST_RANKS).count() * (promotions.len() as u32 - 1)
}

/// Calls `f` with each man of `us` other than the pawns and the squares it attacks on a board with these squares occupied; a
/// queen comes twice.
#[inline]
pub(crate) fn for_each_piece(
    position: &Position,
    us: Color,
    occupied: Bitboard,
    mut f: impl FnMut(Square, Bitboard),
) {
    let men = position.men(us);
    for square in men & position.role(Role::Knight) {
        f(square, attacks::knight(square));
    }
    for square in men & position.role(Role::King) {
        f(square, attacks::king(square));
    }
    let queens = position.role(Role::Queen);
    for square in men & (position.role(Role::Bishop) | queens) {
        f(square, attacks::bishop(square, occupied));
    }
    for square in men & (position.role(Role::Rook) | queens) {
        f(square, attacks::rook(square, occupied));
    }
}

/// The pawn of the side to move that can advance to an empty `square`, if there is one.
#[inline]
pub(crate) fn pawns_advancing(position: &Position, square: Square) -> Bitboard {
    let us = position.side_to_move();
    let pawns = position.men_of(us, Role::Pawn);
    let (back, third) = match us {
        Color::White => (-8, Bitboard::rank(2)),
        Color::Black => (8, Bitboard::rank(5)),
    };
    let behind = square.bitboard().shift(back);
    let two_behind = (behind & third & !position.occupied()).shift(back);
    (behind | two_behind) & pawns
}

/// The pawns of the side to move that attack `square`.
#[inline]
pub(crate) fn pawns_attacking(position: &Position, square: Square) -> Bitboard {
    // They stand where an enemy pawn on `square` would attack.
    let us = position.side_to_move();
    let (west, east) = attacks::pawns(!us, square.bitboard());
    (west | east) & position.men_of(us, Role::Pawn)
}

/// What a pawn may capture on: enemy men and the en-passant square.
#[inline]
pub(crate) fn pawn_targets(position: &Position, them: Bitboard) -> Bitboard {
    them | position
        .en_passant()
        .map_or(Bitboard::EMPTY, Square::bitboard)
}
