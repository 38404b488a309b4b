//! Castling: the four castles, and the rights to them.
//!
//! Invariant of the [`Rights`] of a position: who has the right to a castle has a king and a rook of its colour on their home
//! squares. It holds because a right that does not fit the men is never granted, and because a man that leaves or comes to
//! one of those squares ends the rights that rest on it.

use std::fmt;

use crate::board::{Color, Kind, Man, Position};
use crate::moves::Move;

/// A castle: the king goes two squares towards a rook, which goes to the king's other side.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Castle {
    color: Color,
    /// Its bit in [`Rights`].
    bit: u8,
    /// Its letters in a FEN: the usual one, and the file of the rook, which some programs write.
    letters: [char; 2],
    pub(crate) king_from: u8,
    pub(crate) king_to: u8,
    pub(crate) rook_from: u8,
    pub(crate) rook_to: u8,
    /// The squares between king and rook, which must be empty.
    pub(crate) between: &'static [u8],
    /// The squares that the king leaves, passes and reaches.
    pub(crate) king_path: [u8; 3],
}

/// In the order of the letters in a FEN.
static CASTLES: [Castle; 4] = [
    Castle {
        color: Color::White,
        bit: 1,
        letters: ['K', 'H'],
        king_from: 4,
        king_to: 6,
        rook_from: 7,
        rook_to: 5,
        between: &[5, 6],
        king_path: [4, 5, 6],
    },
    Castle {
        color: Color::White,
        bit: 2,
        letters: ['Q', 'A'],
        king_from: 4,
        king_to: 2,
        rook_from: 0,
        rook_to: 3,
        between: &[1, 2, 3],
        king_path: [4, 3, 2],
    },
    Castle {
        color: Color::Black,
        bit: 4,
        letters: ['k', 'h'],
        king_from: 60,
        king_to: 62,
        rook_from: 63,
        rook_to: 61,
        between: &[61, 62],
        king_path: [60, 61, 62],
    },
    Castle {
        color: Color::Black,
        bit: 8,
        letters: ['q', 'a'],
        king_from: 60,
        king_to: 58,
        rook_from: 56,
        rook_to: 59,
        between: &[57, 58, 59],
        king_path: [60, 59, 58],
    },
];

impl Castle {
    /// Whether king and rook stand on their home squares.
    fn fits(&self, position: &Position) -> bool {
        let stands = |square, kind| {
            let color = self.color;
            position.man(square) == Some(Man { color, kind })
        };
        stands(self.king_from, Kind::King) && stands(self.rook_from, Kind::Rook)
    }
}

/// A set of castles that may still be made in the course of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Rights(u8);

impl Rights {
    pub(crate) const NONE: Self = Self(0);

    /// Reads the castling field of a FEN; `None` if it is neither `-` nor letters. Rights that do not fit the men are dropped.
    pub(crate) fn read(field: &str, position: &Position) -> Option<Self> {
        let mut rights = Self::NONE;
        if field == "-" {
            return Some(rights);
        }
        for letter in field.chars() {
            let castle = CASTLES
                .iter()
                .find(|castle| castle.letters.contains(&letter))?;
            if castle.fits(position) {
                rights.0 |= castle.bit;
            }
        }
        Some(rights)
    }

    /// A bit for each castle, in the order of the letters in a FEN from the lowest.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// The castles of the king on a square.
    pub(crate) fn castles_from(self, square: u8) -> impl Iterator<Item = &'static Castle> {
        self.castles()
            .filter(move |castle| castle.king_from == square)
    }

    /// The castle that a move makes, if it makes one.
    pub(crate) fn castle_of(self, mv: Move) -> Option<&'static Castle> {
        self.castles_from(mv.origin)
            .find(|castle| castle.king_to == mv.destination)
    }

    /// What is left when a man has gone from one square to another.
    pub(crate) fn after(self, mv: Move) -> Self {
        let rests_on =
            |castle: &Castle, square| square == castle.king_from || square == castle.rook_from;
        let lost = self
            .castles()
            .filter(|castle| rests_on(castle, mv.origin) || rests_on(castle, mv.destination))
            .fold(0, |lost, castle| lost | castle.bit);
        Self(self.0 & !lost)
    }

    fn castles(self) -> impl Iterator<Item = &'static Castle> {
        CASTLES
            .iter()
            .filter(move |castle| self.0 & castle.bit != 0)
    }
}

impl fmt::Display for Rights {
    /// As in a FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str("-");
        }
        self.castles().try_for_each(|castle| {
            let [letter, _] = castle.letters;
            write!(f, "{letter}")
        })
    }
}
