//! Values of positions.

use std::fmt;

/// What a position is worth to the side to move. The order is that of its wishes: a loss is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl {
    /// The other side wins.
    Loss,
    /// Neither side can win against best play.
    Draw,
    /// The side to move wins.
    Win,
}

impl Wdl {
    /// `win`, `loss` or `draw`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

/// The exact value of a position for the side to move: the result, plies to the end of the game (DTW), and whether the fifty-move
/// rule spoils it.
///
/// Bits: 0 for a draw; otherwise 2·plies + 1 for a loss and 2·plies + 2 for a win, and one bit more if it is spoiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(u16);

/// The longest game that a [`Value`] can tell, in plies.
pub const MAX_PLIES: u16 = 4_000;
/// Plies in a row without a capture or a pawn move that the fifty-move rule allows.
pub const FIFTY_PLIES: u16 = 100;

impl Value {
    /// A draw.
    pub const DRAW: Self = Self(0);
    const SPOILED: u16 = 1 << 13;

    /// A win in so many plies, at most [`MAX_PLIES`].
    #[inline]
    #[must_use]
    pub const fn win(plies: u16) -> Self {
        debug_assert!(plies <= MAX_PLIES);
        Self(2 * plies + 2)
    }

    /// A loss in so many plies, at most [`MAX_PLIES`].
    #[inline]
    #[must_use]
    pub const fn loss(plies: u16) -> Self {
        debug_assert!(plies <= MAX_PLIES);
        Self(2 * plies + 1)
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    /// The result without the fifty-move rule.
    #[inline]
    #[must_use]
    pub const fn wdl(self) -> Wdl {
        match self.0 & !Self::SPOILED {
            0 => Wdl::Draw,
            bits if bits % 2 == 1 => Wdl::Loss,
            _ => Wdl::Win,
        }
    }

    /// Plies to the end of the game if both sides play for the result and then for length; `None` for a draw.
    #[inline]
    #[must_use]
    pub const fn dtw(self) -> Option<u16> {
        match self.0 & !Self::SPOILED {
            0 => None,
            bits => Some((bits - 1) / 2),
        }
    }

    /// Whether a win or loss becomes a draw by the fifty-move rule, the clock standing at 0.
    #[inline]
    #[must_use]
    pub const fn is_spoiled(self) -> bool {
        self.0 & Self::SPOILED != 0
    }

    /// The result under the fifty-move rule, the clock standing at 0.
    #[inline]
    #[must_use]
    pub const fn fifty(self) -> Wdl {
        if self.is_spoiled() {
            Wdl::Draw
        } else {
            self.wdl()
        }
    }

    /// The same value, spoiled or not. A draw is never spoiled.
    #[must_use]
    pub(crate) const fn spoiled(self, spoiled: bool) -> Self {
        let bits = self.0 & !Self::SPOILED;
        if spoiled && bits != 0 {
            Self(bits | Self::SPOILED)
        } else {
            Self(bits)
        }
    }

    /// What a move to a position of this value is worth to its mover.
    ///
    /// # Panics
    ///
    /// If the game would be longer than [`MAX_PLIES`].
    #[inline]
    #[must_use]
    pub const fn before(self) -> Self {
        let spoiled = self.0 & Self::SPOILED;
        let bits = match self.0 & !Self::SPOILED {
            0 => return Self::DRAW,
            // A loss in n for them is a win in n + 1, a win in n a loss in n + 1.
            bits if bits % 2 == 1 => bits + 3,
            bits => bits + 1,
        };
        assert!(bits <= 2 * MAX_PLIES + 2, "no known game is so long");
        Self(bits | spoiled)
    }

    /// How much the side to move likes it: wins before draws before losses, short wins and long losses first.
    #[inline]
    #[must_use]
    pub const fn preference(self) -> i32 {
        match (self.wdl(), self.dtw()) {
            (Wdl::Win, Some(plies)) => i32::MAX - plies as i32,
            (Wdl::Loss, Some(plies)) => i32::MIN + plies as i32,
            _ => 0,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.wdl().name())?;
        if let Some(plies) = self.dtw() {
            write!(f, " in {plies}")?;
        }
        if self.is_spoiled() {
            f.write_str(" (spoiled by the fifty-move rule)")?;
        }
        Ok(())
    }
}

/// Gathers the values of the positions after a side's moves into the value of the position before them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Best {
    value: Option<Value>,
    a_win_holds: bool,
    a_loss_is_spoiled: bool,
}

impl Best {
    /// Takes in the value, to its mover, of the position after a move.
    #[inline]
    pub(crate) fn add(&mut self, after: Value) {
        let value = after.before();
        match value.wdl() {
            Wdl::Win => self.a_win_holds |= !value.is_spoiled(),
            Wdl::Loss => self.a_loss_is_spoiled |= value.is_spoiled(),
            Wdl::Draw => {}
        }
        if self
            .value
            .is_none_or(|best| value.preference() > best.preference())
        {
            self.value = Some(value);
        }
    }

    /// The value of the position, `None` without a move. Whether it is spoiled is right if each move was a capture or a pawn move.
    #[inline]
    pub(crate) fn value(self) -> Option<Value> {
        let best = self.value?;
        Some(best.spoiled(match best.wdl() {
            Wdl::Win => !self.a_win_holds,
            Wdl::Loss => self.a_loss_is_spoiled,
            Wdl::Draw => false,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(after: &[Value]) -> Option<Value> {
        let mut best = Best::default();
        for &value in after {
            best.add(value);
        }
        best.value()
    }

    #[test]
    fn the_winner_hurries_and_the_loser_does_not() {
        use Value as V;
        assert_eq!(best(&[]), None);
        assert_eq!(best(&[V::loss(3), V::loss(1), V::DRAW]), Some(V::win(2)));
        assert_eq!(best(&[V::win(2), V::win(4)]), Some(V::loss(5)));
        assert_eq!(best(&[V::win(2), V::DRAW, V::win(4)]), Some(V::DRAW));
        assert_eq!(best(&[V::loss(0)]), Some(V::win(1)));
    }

    #[test]
    fn one_win_that_holds_is_enough_and_every_loss_must_hold() {
        use Value as V;
        let (spoiled_loss, spoiled_win) = (V::loss(150).spoiled(true), V::win(150).spoiled(true));
        assert_eq!(best(&[spoiled_loss]), Some(V::win(151).spoiled(true)));
        assert_eq!(best(&[spoiled_loss, V::loss(161)]), Some(V::win(151)));
        assert_eq!(
            best(&[spoiled_win, V::win(100)]),
            Some(V::loss(151).spoiled(true))
        );
        assert_eq!(best(&[V::win(150), V::win(100)]), Some(V::loss(151)));
        assert_eq!(spoiled_win.fifty(), Wdl::Draw);
        assert_eq!(
            spoiled_win.to_string(),
            "win in 150 (spoiled by the fifty-move rule)"
        );
    }
}
