//! The records of positions that a walk has met, by key.
//!
//! A hash table with linear probing that holds the places of records in a vector, which stays in the order of meeting. Keys are hashes
//! themselves: the first bits of one say where the search for it starts, and the last ones are kept with the place, so
//! that few records of other positions are looked at. It takes 35 to 46 bytes a position, and no more while it grows.

use crate::Record;

/// Low bits of a slot: a place in the vector, counted from 1; 0 marks a free slot.
const PLACE_BITS: u32 = 40;
const PLACE: u64 = (1 << PLACE_BITS) - 1;

const FIRST_SLOTS: usize = 1 << 10;

/// Records of different keys, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Met {
    pub(crate) records: Vec<Record>,
    /// A power of two, at most three quarters of them in use.
    slots: Vec<u64>,
}

impl Met {
    pub(crate) fn new() -> Self {
        Self {
            records: Vec::new(),
            slots: vec![0; FIRST_SLOTS],
        }
    }

    /// Where the record with a key is.
    pub(crate) fn find(&self, key: u64) -> Option<usize> {
        let mut at = self.start(key);
        loop {
            let slot = self.slots[at];
            let place = place(slot)?;
            if slot >> PLACE_BITS == tag(key) && self.records[place].key == key {
                return Some(place);
            }
            at = self.next(at);
        }
    }

    /// Reads where the searches for keys start, so that memory brings all of that at once. Has no other effect.
    pub(crate) fn fetch(&self, keys: impl Iterator<Item = u64>) {
        let slots = keys.map(|key| self.slots[self.start(key)]);
        std::hint::black_box(slots.fold(0, |all, slot| all ^ slot));
    }

    /// Adds a record whose key is new; returns where it is.
    pub(crate) fn add(&mut self, record: Record) -> usize {
        if self.records.len() >= self.slots.len() / 4 * 3 {
            self.slots = vec![0; 2 * self.slots.len()];
            for place in 0..self.records.len() {
                self.enter(self.records[place].key, place);
            }
        }
        let place = self.records.len();
        self.enter(record.key, place);
        self.records.push(record);
        place
    }

    fn enter(&mut self, key: u64, place: usize) {
        let mut at = self.start(key);
        while self.slots[at] != 0 {
            at = self.next(at);
        }
        self.slots[at] = tag(key) << PLACE_BITS | (place as u64 + 1);
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "less than the number of slots"
    )]
    fn start(&self, key: u64) -> usize {
        (key >> (u64::BITS - self.slots.len().ilog2())) as usize
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }
}

/// The last bits of a key.
fn tag(key: u64) -> u64 {
    key & (u64::MAX >> PLACE_BITS)
}

/// The place that a slot names, if it is not free.
#[expect(
    clippy::cast_possible_truncation,
    reason = "places of a vector in memory"
)]
fn place(slot: u64) -> Option<usize> {
    (slot & PLACE).checked_sub(1).map(|place| place as usize)
}

#[cfg(test)]
mod tests {
    use rules::Move;

    use super::*;
    use crate::{Entry, Plies};

    fn record(key: u64) -> Record {
        let mv = Move::parse_uci("e2e3").expect("UCI");
        let height = Plies::ZERO;
        Record {
            key,
            check: !key,
            entry: Entry { mv, height },
        }
    }

    #[test]
    fn records_are_found_by_key_and_stay_in_order() {
        let hashes = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // At the end of the table, where the search goes on at its beginning, and with one tag for all.
        let at_the_end = |n: u64| u64::MAX - n;
        let alike = |n: u64| n << 24 | n << 50;
        for key in [hashes as fn(u64) -> u64, at_the_end, alike] {
            let mut met = Met::new();
            for n in 0..5000 {
                assert_eq!(met.find(key(n)), None);
                let place = met.add(record(key(n)));
                assert_eq!(place as u64, n);
            }
            for n in 0..5000 {
                let place = met.find(key(n)).expect("it was added");
                assert_eq!(met.records[place], record(key(n)));
            }
            assert_eq!(met.find(key(5000)), None);
        }
    }
}
