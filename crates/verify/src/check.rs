//! Check: what a royal king must not be left in.
//!
//! Asked only where kings are royal, so that each side has one king.

use crate::board::{Color, Kind, Man, Position};
use crate::geometry::{self, DIAGONAL, STRAIGHT};
use crate::moves::Move;

/// Whether a king of that side is attacked.
pub(crate) fn is_in_check(position: &Position, color: Color) -> bool {
    let king = Man {
        color,
        kind: Kind::King,
    };
    position
        .all_men()
        .any(|(square, man)| man == king && is_attacked(position, square, color.opponent()))
}

/// Whether the king of the side to move is safe after a move that is legal but for that. A castling king must be safe on the
/// square that it leaves and on the one that it passes, too.
pub(crate) fn is_safe(position: &Position, origin: u8, destination: u8) -> bool {
    let mover = position.side_to_move();
    // What a pawn becomes makes no difference to its own king.
    let mv = Move {
        origin,
        destination,
        promotion: None,
    };
    if let Some(castle) = position.castling().castle_of(mv) {
        let mut path = castle.king_path.into_iter();
        return path.all(|square| !is_attacked(position, square, mover.opponent()));
    }
    !is_in_check(&position.after_men_move(mv, &mut |_, _| ()), mover)
}

/// Whether a man of that side could capture on a square.
fn is_attacked(position: &Position, square: u8, by: Color) -> bool {
    let is = |at: u8, kinds: &[Kind]| {
        position
            .man(at)
            .is_some_and(|man| man.color == by && kinds.contains(&man.kind))
    };
    let first_met =
        |direction: usize| geometry::ray(square, direction).find(|&at| position.man(at).is_some());
    let slides = |directions: &[usize], kinds: &[Kind]| {
        let mut met = directions
            .iter()
            .filter_map(|&direction| first_met(direction));
        met.any(|at| is(at, kinds))
    };
    let steps = |directions: &[usize], kind: Kind| {
        let mut beside = directions
            .iter()
            .filter_map(|&direction| geometry::step(square, direction));
        beside.any(|at| is(at, &[kind]))
    };
    // A pawn attacks forwards, so it is looked for backwards.
    let pawns_stand = match by {
        Color::White => geometry::SOUTH_DIAGONALS,
        Color::Black => geometry::NORTH_DIAGONALS,
    };
    slides(STRAIGHT, &[Kind::Rook, Kind::Queen])
        || slides(DIAGONAL, &[Kind::Bishop, Kind::Queen])
        || geometry::jumps(square).any(|at| is(at, &[Kind::Knight]))
        || steps(geometry::ALL_AROUND, Kind::King)
        || steps(pawns_stand, Kind::Pawn)
}
