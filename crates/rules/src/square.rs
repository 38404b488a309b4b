//! Squares, a1 = 0 to h8 = 63.

use std::fmt;

use crate::{Bitboard, Color};

/// A square; a1 = 0, b1 = 1, …, a2 = 8, …, h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square with this index.
    ///
    /// # Panics
    ///
    /// If `index` is above 63.
    #[inline]
    #[must_use]
    pub const fn new(index: u8) -> Self {
        assert!(index < 64, "a square's index is below 64");
        Self(index)
    }

    /// The square whose index is the low six bits.
    #[inline]
    #[must_use]
    pub const fn from_low_bits(bits: u32) -> Self {
        Self((bits & 63) as u8)
    }

    /// The square on `file` (0 = a) and `rank` (0 = first); only the low three bits of each count.
    #[inline]
    #[must_use]
    pub const fn at(file: u8, rank: u8) -> Self {
        Self((rank & 7) << 3 | (file & 7))
    }

    /// 0 to 63.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// 0 for the a file to 7 for the h file.
    #[inline]
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 for the first rank to 7 for the eighth, seen from White.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// 0 for the rank on which `color`'s pieces start to 7 for the one on which its pawns promote.
    #[inline]
    #[must_use]
    pub const fn relative_rank(self, color: Color) -> u8 {
        match color {
            Color::White => self.rank(),
            Color::Black => 7 - self.rank(),
        }
    }

    /// The square mirrored at the middle of the board, a1 to a8.
    #[inline]
    #[must_use]
    pub const fn flip_vertical(self) -> Self {
        Self(self.0 ^ 0b11_1000)
    }

    /// The square `delta` further towards h8 (negative: towards a1), which must be on the board.
    #[inline]
    pub(crate) fn offset(self, delta: i32) -> Self {
        Self::from_low_bits((i32::from(self.0) + delta).cast_unsigned())
    }

    /// A set that holds this square alone.
    #[inline]
    #[must_use]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << (self.0 & 63))
    }

    /// Reads `a1` to `h8`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(Self::at(file - b'a', rank - b'1')),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            char::from(b'a' + self.file()),
            char::from(b'1' + self.rank())
        )
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
