//! Advice about moves: it changes the order in which a search looks at them, never what is true.

use std::collections::HashMap;

use rules::{Move, Position};

use crate::numbers::{INFINITY, finite};

/// What a piece of advice is worth, as a power of two by which the number that the mover minimises is changed.
const WEIGHT: u32 = 8;

/// What to do with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Look at it before the others.
    Prefer,
    /// Look at it after the others.
    Avoid,
}

impl Advice {
    /// The number by which the mover chooses, for a child with the number `a`.
    #[must_use]
    pub fn weigh(self, a: u32) -> u32 {
        match (self, a) {
            (_, 0 | INFINITY) => a,
            (Self::Prefer, a) => (a >> WEIGHT).max(1),
            (Self::Avoid, a) => finite(u64::from(a) << WEIGHT),
        }
    }

    /// The child's own number at which its weighed one reaches `threshold`.
    #[must_use]
    pub fn unweigh(self, threshold: u64) -> u64 {
        match self {
            Self::Prefer => threshold.saturating_mul(1 << WEIGHT),
            Self::Avoid if threshold == u64::MAX => threshold,
            Self::Avoid => threshold.div_ceil(1 << WEIGHT),
        }
    }
}

/// Advice by position.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    by_key: HashMap<u64, Vec<(Move, Advice)>>,
}

impl Hints {
    /// Adds a piece of advice about a move of `position`; it replaces what was said of that move.
    pub fn insert(&mut self, position: &Position, mv: Move, advice: Advice) {
        let moves = self.by_key.entry(position.key()).or_default();
        moves.retain(|&(other, _)| other != mv);
        moves.push((mv, advice));
    }

    /// Takes back what was said of a move of `position`.
    pub fn remove(&mut self, position: &Position, mv: Move) {
        if let Some(moves) = self.by_key.get_mut(&position.key()) {
            moves.retain(|&(other, _)| other != mv);
        }
    }

    /// Whether there is no advice at all.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// The advice about the position with this key.
    #[inline]
    #[must_use]
    pub fn at(&self, key: u64) -> &[(Move, Advice)] {
        if self.is_empty() {
            return &[];
        }
        self.by_key.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The advice about one move.
    #[must_use]
    pub fn of(&self, key: u64, mv: Move) -> Option<Advice> {
        let advice = self.at(key).iter().find(|&&(hinted, _)| hinted == mv);
        advice.map(|&(_, advice)| advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::FINITE_MAX;

    #[test]
    fn advice_leaves_decided_numbers_alone() {
        for advice in [Advice::Prefer, Advice::Avoid] {
            assert_eq!((advice.weigh(0), advice.weigh(INFINITY)), (0, INFINITY));
            for a in [1, 255, 256, 1 << 20, FINITE_MAX] {
                assert!(advice.weigh(a) > 0 && advice.weigh(a) <= FINITE_MAX);
            }
        }
        assert_eq!(Advice::Prefer.weigh(FINITE_MAX), FINITE_MAX >> WEIGHT);
        assert_eq!(Advice::Avoid.weigh(FINITE_MAX), FINITE_MAX);
    }

    /// Else the search would go back and forth between a child and its parent.
    #[test]
    fn a_child_below_its_own_threshold_is_below_it_when_weighed() {
        for advice in [Advice::Prefer, Advice::Avoid] {
            for threshold in [2u64, 300, 70_000, 1 << 25] {
                let own = advice.unweigh(threshold);
                let below = u32::try_from(own - 1).unwrap_or(FINITE_MAX);
                assert!(
                    u64::from(advice.weigh(below)) < threshold,
                    "{advice:?} {threshold}"
                );
                let Ok(at) = u32::try_from(own) else { continue };
                assert!(
                    u64::from(advice.weigh(at)) >= threshold,
                    "{advice:?} {threshold}"
                );
            }
            assert_eq!(advice.unweigh(u64::MAX), u64::MAX);
        }
    }
}
