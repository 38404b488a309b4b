//! Castling: who may castle where, and what it moves. Which of it the rules allow is the class's business.

use crate::{Bitboard, Color, Move, Position, Role, Square};

/// One of the four castlings, numbered like the bits of [`Position::castling`].
#[derive(Clone, Copy)]
pub(crate) struct Castling {
    right: u8,
    king_from: Square,
    king_to: Square,
    rook_from: Square,
    rook_to: Square,
}

const ALL: [Castling; 4] = [
    Castling::new(0, 0, 7, 6),
    Castling::new(1, 0, 0, 2),
    Castling::new(2, 7, 7, 6),
    Castling::new(3, 7, 0, 2),
];

const KING_FILE: u8 = 4;

impl Castling {
    const fn new(bit: u8, rank: u8, rook_file: u8, king_to_file: u8) -> Self {
        Self {
            right: 1 << bit,
            king_from: Square::at(KING_FILE, rank),
            king_to: Square::at(king_to_file, rank),
            rook_from: Square::at(rook_file, rank),
            rook_to: Square::at(u8::midpoint(KING_FILE, king_to_file), rank),
        }
    }

    /// The king's move.
    pub(crate) const fn mv(self) -> Move {
        Move::new(self.king_from, self.king_to)
    }

    /// The squares that the king leaves, crosses and reaches.
    pub(crate) fn king_path(self) -> Bitboard {
        self.king_from.bitboard() | self.rook_to.bitboard() | self.king_to.bitboard()
    }

    /// Whether king and rook stand on their squares.
    fn men_stand(self, position: &Position, color: Color) -> bool {
        position.men_of(color, Role::King).contains(self.king_from)
            && position.men_of(color, Role::Rook).contains(self.rook_from)
    }

    fn way_is_free(self, position: &Position) -> bool {
        let (king, rook) = (self.king_from.index(), self.rook_from.index());
        let (low, high) = if king < rook {
            (king, rook)
        } else {
            (rook, king)
        };
        let between = (1u64 << high) - (2u64 << low);
        (position.occupied() & Bitboard(between)).is_empty()
    }
}

/// The castlings of the side to move for which it has the right and nothing stands between king and rook.
#[inline]
pub(crate) fn for_each_open(position: &Position, mut f: impl FnMut(Castling)) {
    if position.castling() == 0 {
        return;
    }
    for castling in of(position.side_to_move()) {
        if position.castling() & castling.right != 0 && castling.way_is_free(position) {
            f(castling);
        }
    }
}

fn of(color: Color) -> [Castling; 2] {
    match color {
        Color::White => [ALL[0], ALL[1]],
        Color::Black => [ALL[2], ALL[3]],
    }
}

/// The rights for which king and rook stand on their squares.
pub(crate) fn rights_with_men(position: &Position) -> u8 {
    let mut rights = 0;
    for color in Color::ALL {
        for castling in of(color) {
            if castling.men_stand(position, color) {
                rights |= castling.right;
            }
        }
    }
    rights
}

/// The squares from which or to which a move takes rights away, each with these rights.
fn rights_at(square: Square) -> u8 {
    let mut rights = 0;
    for castling in ALL {
        if square == castling.king_from || square == castling.rook_from {
            rights |= castling.right;
        }
    }
    rights
}

/// The rights that are left of `rights` after a move: a king or rook that moves or is captured takes its own away.
#[inline]
pub(crate) fn rights_after(rights: u8, mv: Move) -> u8 {
    if rights == 0 {
        return 0;
    }
    rights & !rights_at(mv.from()) & !rights_at(mv.to())
}

/// The rook's move if `mv`, by a king, castles.
#[inline]
pub(crate) fn rook_move(mv: Move) -> Option<(Square, Square)> {
    if mv.from().file().abs_diff(mv.to().file()) != 2 {
        return None;
    }
    ALL.into_iter()
        .find(|castling| castling.mv() == mv)
        .map(|castling| (castling.rook_from, castling.rook_to))
}
