//! The positions that a replay has met, by fingerprint.
//!
//! An open-addressing hash set in 256 shards. A shard that is three quarters full grows by half, alone, so that growing never
//! needs a second copy of more than one shard. A slot takes 18 bytes, and at least half of a shard's slots are in use once
//! it has left its first size: at most 36 bytes a position, and one shard more while it grows.
//!
//! The chains of a shard are found by linear probing. Fingerprints are random numbers already, so no further hashing is
//! needed: eight bits choose the shard and 64 others the slot.

/// How far the replay has come with a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// The replay is below the position.
    Open,
    /// The replay is done with the position; the longest line from it has that many plies.
    Closed(u16),
}

/// The greatest length that a closed position can have: one number more means "open", and zero "no position".
pub(crate) const MAX_LENGTH: u16 = u16::MAX - 1;

const SHARDS: usize = 256;
const FIRST_SLOTS: usize = 16;

/// The set of positions.
pub(crate) struct Seen {
    shards: Vec<Shard>,
    len: u64,
    slots: usize,
    peak_bytes: usize,
}

impl Seen {
    /// An empty set.
    pub(crate) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            len: 0,
            slots: 0,
            peak_bytes: 0,
        }
    }

    /// Number of positions met.
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    /// The most memory that the slots have taken at any time, in bytes.
    pub(crate) const fn peak_bytes(&self) -> usize {
        self.peak_bytes
    }

    /// How far the replay has come with a position; `None` if it has not been met.
    pub(crate) fn get(&self, fingerprint: u128) -> Option<Status> {
        let shard = self.shards.get(shard_of(fingerprint))?;
        shard.slots.get(shard.place(fingerprint)?)?.status()
    }

    /// Enters a position as open.
    pub(crate) fn open(&mut self, fingerprint: u128) {
        self.put(fingerprint, OPEN);
    }

    /// Closes a position with the length of its longest line, 1 to [`MAX_LENGTH`] plies.
    pub(crate) fn close(&mut self, fingerprint: u128, length: u16) {
        self.put(fingerprint, length.clamp(1, MAX_LENGTH));
    }

    fn put(&mut self, fingerprint: u128, state: u16) {
        let Some(shard) = self.shards.get_mut(shard_of(fingerprint)) else {
            return;
        };
        if shard.is_full() {
            let old = shard.slots.len();
            let new = shard.grow();
            // While a shard grows both of its copies are there.
            let bytes = self
                .slots
                .saturating_add(new)
                .saturating_mul(size_of::<Slot>());
            self.peak_bytes = self.peak_bytes.max(bytes);
            self.slots = self.slots.saturating_add(new).saturating_sub(old);
        }
        if shard.put(Slot {
            fingerprint: fingerprint.to_le_bytes(),
            state,
        }) {
            self.len = self.len.saturating_add(1);
        }
    }
}

/// The shard of a fingerprint: its highest byte.
fn shard_of(fingerprint: u128) -> usize {
    let [.., highest] = fingerprint.to_le_bytes();
    usize::from(highest)
}

const EMPTY: u16 = 0;
const OPEN: u16 = u16::MAX;

/// ```text
///  0              15 16 17
/// |  fingerprint    |state|   state: 0 empty, 1 to 65,534 closed with that length, 65,535 open
/// ```
#[derive(Clone, Copy)]
struct Slot {
    /// As bytes, so that a slot needs no padding.
    fingerprint: [u8; 16],
    state: u16,
}

const _: () = assert!(
    size_of::<Slot>() == 18,
    "the bound on memory counts 18 bytes a slot"
);

impl Slot {
    const fn status(self) -> Option<Status> {
        match self.state {
            EMPTY => None,
            OPEN => Some(Status::Open),
            length => Some(Status::Closed(length)),
        }
    }
}

#[derive(Default)]
struct Shard {
    slots: Vec<Slot>,
    used: usize,
}

impl Shard {
    fn is_full(&self) -> bool {
        self.used.saturating_mul(4) >= self.slots.len().saturating_mul(3)
    }

    /// Moves to half as many slots again; returns their number.
    fn grow(&mut self) -> usize {
        let old = std::mem::take(self);
        let more = old.slots.len().checked_div(2).unwrap_or_default();
        let len = old.slots.len().saturating_add(more).max(FIRST_SLOTS);
        self.slots = vec![
            Slot {
                fingerprint: [0; 16],
                state: EMPTY
            };
            len
        ];
        for slot in old.slots {
            if slot.state != EMPTY {
                self.put(slot);
            }
        }
        len
    }

    /// Writes a slot over the one with its fingerprint, or into a free one; says whether it is new.
    fn put(&mut self, slot: Slot) -> bool {
        let place = self.place(u128::from_le_bytes(slot.fingerprint));
        let Some(old) = place.and_then(|place| self.slots.get_mut(place)) else {
            return false;
        };
        let is_new = old.state == EMPTY;
        *old = slot;
        self.used = self.used.saturating_add(usize::from(is_new));
        is_new
    }

    /// The slot that holds a fingerprint, or the free slot where it belongs; `None` only in a shard without slots.
    fn place(&self, fingerprint: u128) -> Option<usize> {
        let sought = fingerprint.to_le_bytes();
        let start = self.start(fingerprint);
        let stops = |slot: &Slot| slot.state == EMPTY || slot.fingerprint == sought;
        let (before, behind) = self.slots.split_at_checked(start)?;
        match behind.iter().position(stops) {
            Some(distance) => start.checked_add(distance),
            None => before.iter().position(stops),
        }
    }

    /// Where the search for a fingerprint starts: its lower half, read as a fraction of the slots.
    fn start(&self, fingerprint: u128) -> usize {
        let lower = fingerprint & u128::from(u64::MAX);
        let slots = u128::try_from(self.slots.len()).unwrap_or_default();
        usize::try_from(lower.wrapping_mul(slots) >> 64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::random_words;

    #[test]
    fn positions_are_new_then_open_then_closed() {
        let mut seen = Seen::new();
        let words: Vec<u128> = random_words().take(10_000).collect();
        for &word in &words {
            assert_eq!(seen.get(word), None);
            seen.open(word);
            assert_eq!(seen.get(word), Some(Status::Open));
        }
        assert_eq!(seen.len(), 10_000);
        for shard in &seen.shards {
            // Chains of full slots stay short only while a quarter of them is free.
            assert!(4 * shard.used < 3 * shard.slots.len() + 4);
        }
        for (&word, length) in words.iter().zip(1..) {
            seen.close(word, length);
        }
        assert_eq!(seen.len(), 10_000);
        for (&word, length) in words.iter().zip(1..) {
            assert_eq!(seen.get(word), Some(Status::Closed(length)));
        }
    }

    #[test]
    fn fingerprints_that_differ_in_one_bit_are_told_apart() {
        let mut seen = Seen::new();
        seen.open(0);
        for bit in 0..128_u32 {
            assert_eq!(seen.get(1_u128 << bit), None, "bit {bit}");
        }
    }

    #[test]
    fn the_greatest_length_is_not_taken_for_open() {
        let mut seen = Seen::new();
        seen.close(1, MAX_LENGTH);
        assert_eq!(seen.get(1), Some(Status::Closed(MAX_LENGTH)));
        seen.close(1, u16::MAX);
        assert_eq!(seen.get(1), Some(Status::Closed(MAX_LENGTH)));
    }

    #[test]
    fn a_position_takes_less_than_48_bytes_while_the_set_grows() {
        let mut seen = Seen::new();
        for word in random_words().take(1_000_000) {
            seen.open(word);
            let len = usize::try_from(seen.len()).unwrap_or_default();
            if len >= 50_000 {
                // The peak so far stands against the positions of this moment, the worst that a caller can measure.
                assert!(
                    seen.peak_bytes() < 40 * len,
                    "{} bytes for {len} positions",
                    seen.peak_bytes()
                );
            }
        }
    }
}
