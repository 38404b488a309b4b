//! Moves.

use std::fmt;

use thiserror::Error;

use crate::{Role, Square};

/// A move: origin, destination and promotion, packed so that the numerical order is the canonical order.
///
/// ```text
/// bit 14      9 8       3 2      0
///     origin    destination  promotion (0 none, 1 knight … 5 king)
/// ```
///
/// Castling is the king's two-square move; an en-passant capture is the pawn's diagonal move to the empty square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

/// Why a text is no move in UCI notation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not a move in UCI notation, such as e2e4 or a7a8k")]
pub struct MoveParseError(pub String);

impl Move {
    /// A move without promotion.
    #[inline]
    #[must_use]
    pub const fn new(from: Square, to: Square) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "indices are below 64")]
        Self((from.index() << 9 | to.index() << 3) as u16)
    }

    /// A pawn's move to the last rank that makes it a `role`. A pawn here means no promotion.
    #[inline]
    #[must_use]
    pub const fn promotion_to(from: Square, to: Square, role: Role) -> Self {
        Self(Self::new(from, to).0 | role as u16)
    }

    /// Origin.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square::from_low_bits((self.0 >> 9) as u32)
    }

    /// Destination.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square::from_low_bits((self.0 >> 3) as u32)
    }

    /// What the pawn becomes.
    #[inline]
    #[must_use]
    pub const fn promotion(self) -> Option<Role> {
        match self.0 & 7 {
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            5 => Some(Role::King),
            _ => None,
        }
    }

    /// The packed form, below 2^15.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move with this packed form; `None` if no move has it.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        if bits < 1 << 15 && bits & 7 <= 5 {
            Some(Self(bits))
        } else {
            None
        }
    }

    /// The same move on the board mirrored at its middle, colours exchanged.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self(self.0 ^ (0b11_1000 << 9 | 0b11_1000 << 3))
    }

    /// Reads UCI notation: `e2e4`, `a7a8k`. Whether the move is legal is another question.
    ///
    /// # Errors
    ///
    /// The text is not of that form, or promotes to a pawn.
    pub fn parse_uci(text: &str) -> Result<Self, MoveParseError> {
        let read = || {
            let from = Square::parse(text.get(0..2)?)?;
            let to = Square::parse(text.get(2..4)?)?;
            let mut rest = text.get(4..)?.chars();
            let role = match rest.next() {
                None => return Some(Self::new(from, to)),
                Some(letter) if letter.is_ascii_lowercase() => Role::from_letter(letter)?,
                Some(_) => return None,
            };
            (role != Role::Pawn && rest.next().is_none())
                .then(|| Self::promotion_to(from, to, role))
        };
        read().ok_or_else(|| MoveParseError(text.to_owned()))
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(role) => write!(f, "{}", role.letter()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
