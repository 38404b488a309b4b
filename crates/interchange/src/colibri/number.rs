//! Proof and disproof numbers as a book has them.

use std::fmt;

/// A proof or disproof number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(pub u64);

impl Number {
    /// Nothing is left to be done.
    pub const ZERO: Self = Self(0);
    /// It cannot be done.
    pub const INFINITY: Self = Self(u64::MAX);

    /// A stored number: one more than its value, 0 for infinity.
    pub(super) const fn from_stored(stored: u64) -> Self {
        Self(stored.wrapping_sub(1))
    }

    /// The sum, infinite as soon as a summand is.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::INFINITY {
            f.write_str("infinity")
        } else {
            self.0.fmt(f)
        }
    }
}
