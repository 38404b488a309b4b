//! Values of positions, for the side to move.

use std::fmt;

/// The longest value that is read from a table, in plies.
pub(crate) const MOST_PLIES: u16 = 8000;

/// The value of a position for the side to move, in plies to the end of the game: the winner plays for the least, the loser
/// for the greatest number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TableValue {
    /// A draw.
    Draw,
    /// The side to move wins.
    Win {
        /// Plies to the end of the game; 0 if it is over.
        plies: u16,
        /// A draw under the fifty-move rule when the clock stands at 0.
        spoiled: bool,
    },
    /// The side to move loses.
    Loss {
        /// Plies to the end of the game; 0 if it is over.
        plies: u16,
        /// A draw under the fifty-move rule when the clock stands at 0.
        spoiled: bool,
    },
}

impl fmt::Display for TableValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, plies, spoiled) = match *self {
            Self::Draw => return f.write_str("draw"),
            Self::Win { plies, spoiled } => ("win", plies, spoiled),
            Self::Loss { plies, spoiled } => ("loss", plies, spoiled),
        };
        let unit = if plies == 1 { "ply" } else { "plies" };
        let rule = if spoiled {
            ", spoiled by the fifty-move rule"
        } else {
            ""
        };
        write!(f, "{word} in {plies} {unit}{rule}")
    }
}

/// A value in sixteen bits, so that of two codes the greater is the better for the side to move.
///
/// Layout: bit 0 spoiled, bit 1 *settled* (the value follows from other tables or from the rules; no file holds it), above them
/// the signed score: [`Code::SURE`] − plies for a win, the negative of that for a loss, 0 for a draw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Code(i16);

impl Code {
    /// Not the code of any position. The worst of all, so that it does not go unnoticed among successors.
    pub(crate) const UNUSED: Self = Self(i16::MIN);
    pub(crate) const DRAW: Self = Self(0);
    /// The score of a win in 0 plies: more than [`MOST_PLIES`] and a few captures, and four times as much is a sixteen-bit number.
    const SURE: i16 = 8100;
    const SPOILED: i16 = 1;
    const SETTLED: i16 = 2;

    const fn new(score: i16, spoiled: bool) -> Self {
        let code = score.wrapping_mul(4);
        Self(if spoiled { code | Self::SPOILED } else { code })
    }

    /// The code of a value of at most [`MOST_PLIES`] plies.
    pub(crate) fn of(value: TableValue) -> Self {
        let score = |plies| Self::SURE.saturating_sub(i16::try_from(plies).unwrap_or(Self::SURE));
        match value {
            TableValue::Draw => Self::DRAW,
            TableValue::Win { plies, spoiled } => Self::new(score(plies), spoiled),
            TableValue::Loss { plies, spoiled } => {
                Self::new(score(plies).saturating_neg(), spoiled)
            }
        }
    }

    /// The value that has this code; [`Code::UNUSED`] reads as a draw.
    pub(crate) fn value(self) -> TableValue {
        let (score, spoiled) = (self.score(), self.is_spoiled());
        let plies = u16::try_from(Self::SURE.saturating_sub(score.saturating_abs())).unwrap_or(0);
        match score {
            _ if self == Self::UNUSED => TableValue::Draw,
            1.. => TableValue::Win { plies, spoiled },
            0 => TableValue::Draw,
            _ => TableValue::Loss { plies, spoiled },
        }
    }

    /// The code of a position whose best move leads to a position with this code, which is the least of its successors'.
    /// Neither spoiled nor settled; [`Code::UNUSED`] stays what it is.
    pub(crate) fn before(self) -> Self {
        if self == Self::UNUSED {
            return self;
        }
        let score = self.score();
        Self::new(score.signum().saturating_sub(score), false)
    }

    /// The plies to the end of the game; 0 for a draw.
    pub(crate) fn plies(self) -> u16 {
        match self.value() {
            TableValue::Draw => 0,
            TableValue::Win { plies, .. } | TableValue::Loss { plies, .. } => plies,
        }
    }

    const fn score(self) -> i16 {
        self.0 >> 2
    }

    pub(crate) const fn is_win(self) -> bool {
        self.score() > 0
    }

    /// [`Code::UNUSED`] is no loss.
    pub(crate) fn is_loss(self) -> bool {
        self.score() < 0 && self != Self::UNUSED
    }

    /// Meaningless for [`Code::UNUSED`].
    pub(crate) const fn is_spoiled(self) -> bool {
        self.0 & Self::SPOILED != 0
    }

    /// Meaningless for [`Code::UNUSED`].
    pub(crate) const fn is_settled(self) -> bool {
        self.0 & Self::SETTLED != 0
    }

    pub(crate) const fn spoiled(self, spoiled: bool) -> Self {
        Self(if spoiled {
            self.0 | Self::SPOILED
        } else {
            self.0 & !Self::SPOILED
        })
    }

    pub(crate) const fn settled(self) -> Self {
        Self(self.0 | Self::SETTLED)
    }

    /// Without the two marks: equal codes are equal values but for the fifty-move rule.
    pub(crate) const fn unmarked(self) -> Self {
        Self(self.0 & !(Self::SPOILED | Self::SETTLED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn win(plies: u16, spoiled: bool) -> TableValue {
        TableValue::Win { plies, spoiled }
    }

    const fn loss(plies: u16, spoiled: bool) -> TableValue {
        TableValue::Loss { plies, spoiled }
    }

    #[test]
    fn codes_keep_values_and_order_them() {
        let best_first = [
            win(0, false),
            win(1, false),
            win(174, true),
            win(MOST_PLIES, true),
            TableValue::Draw,
            loss(MOST_PLIES, true),
            loss(161, false),
            loss(1, false),
            loss(0, false),
        ];
        let codes = best_first.map(Code::of);
        assert!(codes.is_sorted_by(|better, worse| better > worse));
        for (code, value) in codes.into_iter().zip(best_first) {
            assert_eq!(code.value(), value);
            assert_eq!(code.settled().value(), value);
            assert!(code.settled().is_settled() && !code.is_settled());
            assert!(code > Code::UNUSED);
            assert_eq!(code.settled().unmarked(), code.unmarked());
        }
    }

    #[test]
    fn a_move_back_is_a_ply_more() {
        let before = |value| Code::of(value).before().value();
        assert_eq!(before(win(0, false)), loss(1, false));
        assert_eq!(before(win(173, true)), loss(174, false));
        assert_eq!(before(loss(0, false)), win(1, false));
        assert_eq!(before(loss(161, true)), win(162, false));
        assert_eq!(before(TableValue::Draw), TableValue::Draw);
    }
}
