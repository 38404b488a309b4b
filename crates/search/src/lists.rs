//! Children of positions that were expanded lately, as they were made: a third of all expansions are of such positions.

use rules::Ruleset;

use crate::child::Child;

/// Lists that can be found; a power of two.
const SLOTS: usize = 1 << 13;
/// Children kept.
const CHILDREN: usize = 1 << 17;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    /// Children written before those of this list; they lie at this number modulo [`CHILDREN`].
    begin: u64,
    len: usize,
}

/// The lists, each until its place is needed for newer ones.
#[derive(Debug)]
pub(crate) struct Lists {
    slots: Box<[Slot]>,
    children: Vec<Child>,
    written: u64,
}

impl Default for Lists {
    fn default() -> Self {
        Self {
            slots: vec![Slot::default(); SLOTS].into(),
            children: Vec::new(),
            written: 0,
        }
    }
}

/// What one thread keeps from search to search, to save work. Results do not depend on it.
///
/// It serves searches with one evaluator and one oracle. About 3 MiB.
#[derive(Debug, Default)]
pub struct Workspace {
    lists: Lists,
    ruleset: Option<Ruleset>,
}

impl Workspace {
    pub(crate) fn lists_for(&mut self, ruleset: Ruleset) -> &mut Lists {
        if self.ruleset.replace(ruleset) != Some(ruleset) {
            self.lists = Lists::default();
        }
        &mut self.lists
    }
}

impl Lists {
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
    fn slot(key: u64) -> usize {
        key as usize % SLOTS
    }

    /// The children of the position with this key.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "below the number of children"
    )]
    pub(crate) fn get(&self, key: u64) -> Option<&[Child]> {
        let slot = &self.slots[Self::slot(key)];
        let kept = slot.key == key && slot.len > 0 && self.written - slot.begin <= CHILDREN as u64;
        let begin = (slot.begin % CHILDREN as u64) as usize;
        kept.then(|| &self.children[begin..begin + slot.len])
    }

    /// Keeps the children of a position.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "below the number of children"
    )]
    pub(crate) fn put(&mut self, key: u64, children: &[Child]) {
        let mut begin = (self.written % CHILDREN as u64) as usize;
        if begin + children.len() > CHILDREN {
            // A list lies in one piece.
            self.written += (CHILDREN - begin) as u64;
            begin = 0;
        }
        if self.children.len() < begin + children.len() {
            self.children.truncate(begin);
            self.children.extend_from_slice(children);
        } else {
            self.children[begin..begin + children.len()].copy_from_slice(children);
        }
        self.slots[Self::slot(key)] = Slot {
            key,
            begin: self.written,
            len: children.len(),
        };
        self.written += children.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use rules::Move;

    use super::*;

    fn children(key: u64, len: usize) -> Vec<Child> {
        let mv = Move::parse_uci("e2e3").expect("UCI");
        (0..len as u64)
            .map(|i| Child::for_tests(key * 1_000 + i, mv))
            .collect()
    }

    fn keys(children: &[Child]) -> Vec<u64> {
        children.iter().map(|child| child.key).collect()
    }

    #[test]
    fn a_list_is_found_until_its_place_is_taken() {
        let mut lists = Lists::default();
        assert!(lists.get(0).is_none() && lists.get(7).is_none());
        // More children than fit: the ring comes round, and lists do not straddle its end.
        let len = |key: u64| 1 + (key % 50) as usize;
        let last = 3 * CHILDREN as u64 / 25;
        for key in 1..=last {
            lists.put(key, &children(key, len(key)));
            for back in [0, 1, 100] {
                let key = key.saturating_sub(back).max(1);
                let found = lists.get(key).expect("put lately");
                assert_eq!(keys(found), keys(&children(key, len(key))), "{key}");
            }
        }
        for key in 1..=last {
            if let Some(found) = lists.get(key) {
                assert_eq!(keys(found), keys(&children(key, len(key))), "{key}");
            }
        }
        assert!(lists.get(1).is_none());
        // Another position in the same slot.
        lists.put(last + SLOTS as u64, &children(5, 3));
        assert!(lists.get(last).is_none());
    }
}
