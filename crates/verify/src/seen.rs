//! The positions that a replay has met, by fingerprint.
//!
//! A hash table with linear probing in one vector, kept in ascending order of fingerprints (O. Amble and D. E. Knuth, *Ordered
//! hash tables*, 1974). Fingerprints are random numbers already: read as a fraction of the *span*, one says at which slot
//! the search for it starts. Behind the span lie a few slots more, for those that the last slots of the span have no room for.
//!
//! Invariants:
//! - the slots in use hold ascending fingerprints;
//! - none lies before the slot at which its search starts, and none of the slots between the two is free.
//!
//! So the search for a fingerprint ends at it, at a free slot, or at a greater one. And since growing leaves the order as it is, it needs
//! no second table: when four fifths of the span are in use, the vector is lengthened by an eighth and the slots are spread over it in
//! place. Where the system lengthens a large vector by mapping it elsewhere (Linux does), a position thus never takes
//! more than 20 × 5/4 × 9/8 = 28.2 bytes, in the moment of growing too; where it copies, both copies are there for that moment.

use crate::quiet::Run;

/// How far the replay has come with a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// The replay is below the position.
    Open,
    /// The replay is done with the position.
    Closed(Closed),
}

/// What is kept of a position that the replay is done with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Closed {
    /// The plies of the longest line from it, 1 to [`MAX_LENGTH`].
    pub(crate) length: u16,
    /// The longest run without a capture or a pawn move that follows it.
    pub(crate) run: Run,
}

/// The greatest length that a closed position can have: one number more means "open", and zero "no position".
pub(crate) const MAX_LENGTH: u16 = u16::MAX - 1;

const FIRST_SPAN: usize = 1 << 10;

/// The set of positions.
#[derive(Default)]
pub(crate) struct Seen {
    slots: Vec<Slot>,
    span: usize,
    used: usize,
}

impl Seen {
    /// Number of positions met.
    pub(crate) fn len(&self) -> u64 {
        u64::try_from(self.used).unwrap_or(u64::MAX)
    }

    /// The most memory that the slots have taken at any time, in bytes. There are never fewer of them than before.
    pub(crate) const fn peak_bytes(&self) -> usize {
        self.slots.capacity().saturating_mul(size_of::<Slot>())
    }

    /// How far the replay has come with a position; `None` if it has not been met.
    pub(crate) fn get(&self, fingerprint: u128) -> Option<Status> {
        let place = self.place(fingerprint);
        self.holds(place, fingerprint)?.status()
    }

    /// Reads the slots where the searches for fingerprints start, so that memory brings all of them at once and the searches that
    /// follow wait for none. Has no other effect.
    pub(crate) fn fetch(&self, fingerprints: &[u128]) {
        let lengths = fingerprints.iter().map(|&fingerprint| {
            let slot = self.slots.get(start(fingerprint, self.span));
            slot.map_or(0, |slot| slot.length)
        });
        std::hint::black_box(lengths.fold(0, |all, length| all ^ length));
    }

    /// Enters a position as open.
    pub(crate) fn open(&mut self, fingerprint: u128) {
        self.put(Slot {
            fingerprint: fingerprint.to_le_bytes(),
            length: OPEN,
            run: Run::OVER,
        });
    }

    /// Closes a position, with a length of 1 to [`MAX_LENGTH`] plies.
    pub(crate) fn close(&mut self, fingerprint: u128, closed: Closed) {
        self.put(Slot {
            fingerprint: fingerprint.to_le_bytes(),
            length: closed.length.clamp(1, MAX_LENGTH),
            run: closed.run,
        });
    }

    /// Writes a slot over the one with its fingerprint, or makes room for it.
    fn put(&mut self, slot: Slot) {
        let fingerprint = slot.fingerprint();
        let mut place = self.place(fingerprint);
        if self.holds(place, fingerprint).is_none() {
            if self.used.saturating_mul(5) >= self.span.saturating_mul(4) {
                self.grow();
                place = self.place(fingerprint);
            }
            self.make_room(place);
            self.used = self.used.saturating_add(1);
        }
        if let Some(old) = self.slots.get_mut(place) {
            *old = slot;
        }
    }

    /// The slot at a place, if it holds a fingerprint.
    fn holds(&self, place: usize, fingerprint: u128) -> Option<&Slot> {
        let slot = self.slots.get(place)?;
        (!slot.is_free() && slot.fingerprint() == fingerprint).then_some(slot)
    }

    /// Where a fingerprint is, or else belongs: at a free slot, at a greater fingerprint, or behind all slots.
    fn place(&self, fingerprint: u128) -> usize {
        let start = start(fingerprint, self.span);
        let behind = self.slots.get(start..).unwrap_or_default();
        let stops = |slot: &Slot| slot.is_free() || slot.fingerprint() >= fingerprint;
        let distance = behind.iter().position(stops).unwrap_or(behind.len());
        start.saturating_add(distance)
    }

    /// Moves the slots from a place on to the next free one up by one.
    fn make_room(&mut self, place: usize) {
        let behind = self.slots.get(place..).unwrap_or_default();
        if !behind.iter().any(Slot::is_free) {
            self.slots.reserve_exact(1);
            self.slots.push(Slot::FREE);
        }
        let behind = self.slots.get_mut(place..).unwrap_or_default();
        if let Some(free) = behind.iter().position(Slot::is_free)
            && let Some(moving) = behind.get_mut(..=free)
        {
            moving.rotate_right(1);
        }
    }

    /// Makes the span an eighth longer.
    fn grow(&mut self) {
        let more = (self.span >> 3).max(FIRST_SPAN);
        self.span = self.span.saturating_add(more);
        let lower = self.slots.len();
        self.slots.reserve_exact(more);
        self.slots.resize(lower.saturating_add(more), Slot::FREE);
        // All slots in use go to the end, the last one first; then each, the first one first, down to where it belongs.
        let mut top = self.slots.len();
        for from in (0..lower).rev() {
            if self.slots.get(from).is_some_and(|slot| !slot.is_free()) {
                top = top.saturating_sub(1);
                self.slots.swap(from, top);
            }
        }
        // None belongs further up than it is now: its place has moved up by no more slots than were added, and before, all behind it
        // had room.
        let mut next = 0_usize;
        for from in top..self.slots.len() {
            let fingerprint = self.slots.get(from).map(Slot::fingerprint);
            let place = fingerprint.map_or(from, |fingerprint| start(fingerprint, self.span));
            let place = place.max(next).min(from);
            self.slots.swap(from, place);
            next = place.saturating_add(1);
        }
    }
}

/// Where the search for a fingerprint starts: its upper half, read as a fraction of the span.
fn start(fingerprint: u128, span: usize) -> usize {
    let upper = fingerprint >> 64;
    let span = u128::try_from(span).unwrap_or_default();
    usize::try_from(upper.wrapping_mul(span) >> 64).unwrap_or_default()
}

const OPEN: u16 = u16::MAX;

/// ```text
///  0              15 16  17 18  19
/// |  fingerprint    |length| run  |   length: 0 for a free slot, 65,535 for an open position
/// ```
#[derive(Clone, Copy)]
struct Slot {
    /// As bytes, so that a slot needs no padding.
    fingerprint: [u8; 16],
    length: u16,
    run: Run,
}

const _: () = assert!(
    size_of::<Slot>() == 20,
    "the bound on memory counts 20 bytes a slot"
);

impl Slot {
    const FREE: Self = Self {
        fingerprint: [0; 16],
        length: 0,
        run: Run::OVER,
    };

    const fn is_free(&self) -> bool {
        self.length == 0
    }

    const fn fingerprint(&self) -> u128 {
        u128::from_le_bytes(self.fingerprint)
    }

    const fn status(&self) -> Option<Status> {
        match *self {
            Self { length: 0, .. } => None,
            Self { length: OPEN, .. } => Some(Status::Open),
            Self { length, run, .. } => Some(Status::Closed(Closed { length, run })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::random_words;

    /// Closed with one of many runs.
    fn closed(length: u16, run: u16) -> Closed {
        let run = (0..run % 100).fold(Run::OVER, |run, _| run.before(true));
        Closed { length, run }
    }

    /// The invariants of the table.
    fn validate(seen: &Seen) {
        let mut last = None;
        let mut since_free = 0;
        let mut used = 0_usize;
        for (place, slot) in seen.slots.iter().enumerate() {
            if slot.is_free() {
                since_free = place.wrapping_add(1);
                continue;
            }
            used = used.saturating_add(1);
            let fingerprint = slot.fingerprint();
            assert!(last.is_none_or(|last| last < fingerprint));
            last = Some(fingerprint);
            let start = start(fingerprint, seen.span);
            assert!(since_free <= start && start <= place);
        }
        assert_eq!(used, seen.used);
        assert!(used.saturating_mul(5) < seen.span.saturating_mul(4).saturating_add(5));
    }

    #[test]
    fn positions_are_new_then_open_then_closed() {
        let mut seen = Seen::default();
        let words: Vec<u128> = random_words().take(20_000).collect();
        for &word in &words {
            assert_eq!(seen.get(word), None);
            seen.open(word);
            assert_eq!(seen.get(word), Some(Status::Open));
            if seen.used.is_multiple_of(97) {
                validate(&seen);
            }
        }
        assert_eq!(seen.len(), 20_000);
        for (&word, length) in words.iter().zip(1..) {
            seen.close(word, closed(length, length ^ 0x5555));
        }
        assert_eq!(seen.len(), 20_000);
        for (&word, length) in words.iter().zip(1..) {
            let kept = closed(length, length ^ 0x5555);
            assert_eq!(seen.get(word), Some(Status::Closed(kept)));
        }
        validate(&seen);
    }

    #[test]
    fn fingerprints_that_belong_to_one_slot_are_all_kept() {
        // At the start, in the middle, and at the end, where there is no room for them within the span.
        for base in [0, u128::MAX / 2, u128::MAX - 5000] {
            let mut seen = Seen::default();
            for step in 0..5000 {
                // Upwards and downwards in turn.
                let word = base + if step % 2 == 0 { step } else { 5000 - step };
                assert_eq!(seen.get(word), None);
                seen.open(word);
            }
            validate(&seen);
            for step in 0..5000 {
                let word = base + if step % 2 == 0 { step } else { 5000 - step };
                assert_eq!(seen.get(word), Some(Status::Open));
            }
            assert_eq!(seen.get(base.wrapping_sub(1)), None);
        }
    }

    #[test]
    fn fingerprints_that_differ_in_one_bit_are_told_apart() {
        let mut seen = Seen::default();
        seen.open(0);
        for bit in 0..128_u32 {
            assert_eq!(seen.get(1_u128 << bit), None, "bit {bit}");
        }
    }

    #[test]
    fn the_greatest_length_is_not_taken_for_open() {
        let mut seen = Seen::default();
        let greatest = Status::Closed(closed(MAX_LENGTH, 7));
        seen.close(1, closed(MAX_LENGTH, 7));
        assert_eq!(seen.get(1), Some(greatest));
        seen.close(1, closed(u16::MAX, 7));
        assert_eq!(seen.get(1), Some(greatest));
        seen.close(1, closed(0, 7));
        assert_eq!(seen.get(1), Some(Status::Closed(closed(1, 7))));
    }

    #[test]
    fn a_position_takes_less_than_29_bytes_while_the_set_grows() {
        let mut seen = Seen::default();
        for word in random_words().take(300_000) {
            seen.open(word);
            if seen.used >= 50_000 {
                // The peak so far stands against the positions of this moment, the worst that a caller can measure.
                assert!(
                    seen.peak_bytes() < 29 * seen.used,
                    "{} bytes for {} positions",
                    seen.peak_bytes(),
                    seen.used
                );
            }
        }
    }
}
