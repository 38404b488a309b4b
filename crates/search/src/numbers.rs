//! Proof and disproof numbers.

/// The proof or disproof number of a position that cannot be proven or disproven.
pub const INFINITY: u32 = u32::MAX;

/// The largest finite number; sums stop here.
pub const FINITE_MAX: u32 = 1 << 31;

/// A proof number and a disproof number: estimates of the effort left to prove that the attacker wins, and to prove that it
/// does not. Proven is `pn == 0`, disproven is `dn == 0`; the other number is then [`INFINITY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PnDn {
    /// Proof number.
    pub pn: u32,
    /// Disproof number.
    pub dn: u32,
}

impl PnDn {
    /// The attacker wins.
    pub const PROVEN: Self = Self {
        pn: 0,
        dn: INFINITY,
    };
    /// The attacker does not win.
    pub const DISPROVEN: Self = Self {
        pn: INFINITY,
        dn: 0,
    };

    /// Whether the attacker's win is shown.
    #[must_use]
    pub const fn is_proven(self) -> bool {
        self.pn == 0
    }

    /// Whether it is shown that the attacker does not win.
    #[must_use]
    pub const fn is_disproven(self) -> bool {
        self.dn == 0
    }

    /// Whether either is shown.
    #[must_use]
    pub const fn is_decided(self) -> bool {
        self.is_proven() || self.is_disproven()
    }

    /// The numbers as the side to move sees them: the one that it minimises over its moves, and the one that adds up.
    #[inline]
    #[must_use]
    pub const fn for_mover(self, attacker_to_move: bool) -> (u32, u32) {
        if attacker_to_move {
            (self.pn, self.dn)
        } else {
            (self.dn, self.pn)
        }
    }

    /// The numbers that the side to move sees so: [`PnDn::for_mover`] the other way round.
    #[inline]
    #[must_use]
    pub const fn of_mover((a, b): (u32, u32), attacker_to_move: bool) -> Self {
        if attacker_to_move {
            Self { pn: a, dn: b }
        } else {
            Self { pn: b, dn: a }
        }
    }
}

/// A sum of numbers as a number.
#[inline]
#[must_use]
pub fn finite(sum: u64) -> u32 {
    u32::try_from(sum).map_or(FINITE_MAX, |sum| sum.min(FINITE_MAX))
}

/// A threshold that no finite number can reach is none. Sums that overcount transpositions do grow that far, and a child that is
/// sent back at once because it can neither reach its threshold nor grow would be searched for ever.
#[inline]
#[must_use]
pub const fn unless_saturated(threshold: u64) -> u64 {
    if threshold >= FINITE_MAX as u64 {
        u64::MAX
    } else {
        threshold
    }
}

/// The threshold 1 + ε times a number, ε = 1/2 (Pawlewicz and Lew 2007).
#[inline]
#[must_use]
pub const fn with_slack(number: u32) -> u64 {
    let number = number as u64;
    unless_saturated(number + number / 2 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers stop at `FINITE_MAX`. A child with such a number under a threshold a little above it was sent back at once, and
    /// searched for ever: 1. Nc3 stood still at 0.5 M expansions.
    #[test]
    fn a_threshold_beyond_the_greatest_number_is_none() {
        let greatest = u64::from(FINITE_MAX);
        assert_eq!(unless_saturated(greatest - 1), greatest - 1);
        assert_eq!(unless_saturated(greatest), u64::MAX);
        assert_eq!(unless_saturated(greatest + greatest / 4), u64::MAX);
    }
}
