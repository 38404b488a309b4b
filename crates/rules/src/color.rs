//! The two sides.

use std::{fmt, ops::Not, str::FromStr};

use thiserror::Error;

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first from the initial position.
    White = 0,
    /// The other side.
    Black = 1,
}

impl Color {
    /// Both sides, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `white` or `black`, as used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
        }
    }

    /// `w` or `b`, as used in FEN.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::White => 'w',
            Self::Black => 'b',
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no side's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no side is called '{0}': use white or black")]
pub struct UnknownColor(pub String);

impl FromStr for Color {
    type Err = UnknownColor;

    fn from_str(text: &str) -> Result<Self, UnknownColor> {
        match text {
            "white" | "w" => Ok(Self::White),
            "black" | "b" => Ok(Self::Black),
            _ => Err(UnknownColor(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_read_by_its_name_or_letter_only() {
        for color in Color::ALL {
            assert_eq!(color.name().parse(), Ok(color));
            assert_eq!(color.letter().to_string().parse(), Ok(color));
        }
        let error = "red".parse::<Color>().expect_err("no side");
        assert_eq!(
            error.to_string(),
            "no side is called 'red': use white or black"
        );
    }
}
