//! The exact position in at most 26 bytes.

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::{Bitboard, Color, Position, PositionBuilder, Role, Ruleset, Square, fen};

/// A position packed without loss. Equal exactly if the positions are equal; part of the database format.
///
/// ```text
/// 8 bytes           occupied squares, little-endian
/// ⌈men / 2⌉ bytes   the men by square, low nibble first: role + 8 for Black
/// 1 byte            bit 0 Black to move, bits 1–4 castling rights, bit 5 an en-passant square follows
/// 0 or 1 byte       the en-passant square
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedPosition(ArrayVec<u8, 26>);

/// Bytes that pack no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the bytes are no packed position")]
pub struct UnpackError;

const EN_PASSANT: u8 = 1 << 5;

impl PackedPosition {
    /// The packed bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes bytes that [`PackedPosition::as_bytes`] gave; [`PackedPosition::unpack`] checks them.
    ///
    /// # Errors
    ///
    /// There are more than 26.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, UnpackError> {
        ArrayVec::try_from(bytes).map(Self).map_err(|_| UnpackError)
    }

    /// The position. It is one that a FEN for `ruleset` could give, so that no move from it leaves the board.
    ///
    /// # Errors
    ///
    /// The bytes are too few or too many, name a man, a right or an en-passant square that cannot be, or are not those that
    /// [`Position::pack`] gives.
    pub fn unpack(&self, ruleset: Ruleset) -> Result<Position, UnpackError> {
        let (occupied, rest) = self.0.split_first_chunk::<8>().ok_or(UnpackError)?;
        let occupied = Bitboard(u64::from_le_bytes(*occupied));
        let men_len = (occupied.count() as usize).div_ceil(2);
        let (men, tail) = rest.split_at_checked(men_len).ok_or(UnpackError)?;
        let (&flags, tail) = tail.split_first().ok_or(UnpackError)?;
        let mut builder = PositionBuilder::new(if flags & 1 == 0 {
            Color::White
        } else {
            Color::Black
        });
        for (i, square) in occupied.into_iter().enumerate() {
            let nibble = men[i / 2] >> (4 * (i % 2)) & 15;
            let role = Role::from_index(usize::from(nibble & 7)).ok_or(UnpackError)?;
            let color = Color::ALL[usize::from(nibble >> 3)];
            builder.put(square, color, role);
        }
        builder.castling(flags >> 1 & 15);
        match (flags & EN_PASSANT != 0, tail) {
            (false, []) => {}
            (true, [square @ 0..64]) => {
                builder.en_passant_that_counts(Some(Square::new(*square)));
            }
            _ => return Err(UnpackError),
        }
        let position = builder.build();
        if fen::check(&position, ruleset).is_err() || position.pack() != *self {
            return Err(UnpackError);
        }
        Ok(position)
    }
}

impl Position {
    /// The exact position in at most 26 bytes.
    ///
    /// # Panics
    ///
    /// If there are more than 32 men on the board, which no FEN and no game allows.
    #[must_use]
    pub fn pack(&self) -> PackedPosition {
        let mut bytes = ArrayVec::new();
        bytes.extend(self.occupied().0.to_le_bytes());
        let mut low = None;
        for square in self.occupied() {
            let (color, role) = self.man_at(square).expect("the square is occupied");
            #[expect(clippy::cast_possible_truncation, reason = "below 16")]
            let nibble = (role.index() | color.index() << 3) as u8;
            match low.take() {
                None => low = Some(nibble),
                Some(first) => bytes.push(first | nibble << 4),
            }
        }
        bytes.extend(low);
        let black_to_move = u8::from(self.side_to_move() == Color::Black);
        bytes.push(black_to_move | self.castling() << 1);
        if let Some(square) = self.en_passant() {
            *bytes.last_mut().expect("the flags were pushed") |= EN_PASSANT;
            #[expect(clippy::cast_possible_truncation, reason = "below 64")]
            bytes.push(square.index() as u8);
        }
        PackedPosition(bytes)
    }
}
