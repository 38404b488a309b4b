//! The transposition table: fixed size, shared between threads, without locks.
//!
//! An entry is two words. Threads may interleave their writes, so the first word is stored combined with the second
//! (Hyatt and Mann, 2002): words of two different writes do not fit together and the entry reads as absent.
//!
//! ```text
//! word 0 xor word 1   bits 63–16 key check, 15–8 log2 of the work, 7–0 unused
//! word 1              bits 63–32 proof number, 31–0 disproof number (proven: height)
//! ```
//!
//! The bucket is chosen by the key's high bits and the check is its low 48 bits. With at least 2^16 buckets a hit
//! therefore agrees in the whole key, and an entry can move to a larger table. A new entry takes the place of the one in its
//! bucket that cost least work.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use proof::Plies;

use crate::{
    numbers::{INFINITY, PnDn},
    pages::Words,
};

/// Entries in a bucket: one cache line.
const WAYS: usize = 4;
/// Words in a bucket.
const BUCKET_WORDS: usize = 2 * WAYS;
/// Bytes of an entry.
pub const ENTRY_BYTES: usize = 16;
/// Bytes of the smallest table: below it a hit would not tell all bits of a key.
pub const MIN_BYTES: usize = (1 << 16) * BUCKET_WORDS * size_of::<u64>();

const CHECK_SHIFT: u32 = 16;
const WORK_SHIFT: u32 = 8;

/// Bytes of an entry as [`Table::dump`] hands it out: key, numbers and work.
pub const DUMPED_BYTES: usize = 17;

/// What is known about an expanded position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The attacker wins within so many plies.
    Proven(Plies),
    /// The attacker does not win, whatever the path.
    Disproven,
    /// Neither is shown yet.
    Open(PnDn),
}

/// A transposition table. The key must tell apart the sides to be proved.
#[derive(Debug)]
pub struct Table {
    words: Words,
    bucket_bits: u32,
}

impl Table {
    /// A table of the largest power of two of bytes up to `bytes`, at least [`MIN_BYTES`].
    ///
    /// Memory that is not touched costs nothing.
    #[must_use]
    pub fn with_bytes(bytes: usize) -> Self {
        let bytes = bytes.max(MIN_BYTES);
        let buckets = 1usize << (bytes / (BUCKET_WORDS * size_of::<u64>())).ilog2();
        Self {
            words: Words::zeroed(buckets * BUCKET_WORDS),
            bucket_bits: buckets.ilog2(),
        }
    }

    /// The size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice())
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[AtomicU64; BUCKET_WORDS] {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a 64-bit machine, or a small table"
        )]
        let first = (key >> (64 - self.bucket_bits)) as usize * BUCKET_WORDS;
        self.words.as_slice()[first..]
            .first_chunk()
            .expect("the bucket index has as many bits as there are buckets")
    }

    /// Starts to load the bucket of `key` into the cache.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let line = std::ptr::from_ref(self.bucket(key)).cast::<i8>();
            #[expect(unsafe_code, reason = "the only way to prefetch")]
            // SAFETY: a prefetch does not read memory as far as the language can tell, and the address is valid.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(line);
            }
        }
    }

    /// What is known about the position with this key.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u64) -> Option<Known> {
        for entry in self.bucket(key).as_chunks::<2>().0 {
            let numbers = entry[1].load(Relaxed);
            let tag = entry[0].load(Relaxed) ^ numbers;
            if tag >> CHECK_SHIFT == key & (u64::MAX >> CHECK_SHIFT) && tag != 0 {
                return Some(decode(numbers));
            }
        }
        None
    }

    /// Stores what is known about the position with this key, found with `work` expansions.
    #[inline]
    pub fn put(&self, key: u64, known: Known, work: u64) {
        let tag = key << CHECK_SHIFT | u64::from(work.max(1).ilog2() + 1) << WORK_SHIFT;
        self.put_words(key, tag, encode(known));
    }

    fn put_words(&self, key: u64, tag: u64, numbers: u64) {
        let bucket = self.bucket(key).as_chunks::<2>().0;
        let mut place = &bucket[0];
        let mut least = u64::MAX;
        for entry in bucket {
            let old = entry[0].load(Relaxed) ^ entry[1].load(Relaxed);
            if old >> CHECK_SHIFT == tag >> CHECK_SHIFT {
                place = entry;
                break;
            }
            let work = u64::from(work_of(old));
            if work < least {
                least = work;
                place = entry;
            }
        }
        place[1].store(numbers, Relaxed);
        place[0].store(tag ^ numbers, Relaxed);
    }

    /// The same entries in a table of twice the size. Costs a pass over the table; no other thread may use it meanwhile.
    #[must_use]
    pub fn doubled(&self) -> Self {
        let larger = Self::with_bytes(2 * self.bytes());
        self.for_each(|key, tag, numbers| larger.put_words(key, tag, numbers));
        larger
    }

    /// The entries that cost most work in a table of half the size. Costs a pass over the table; no other thread may use it meanwhile.
    #[must_use]
    pub fn halved(&self) -> Self {
        let smaller = Self::with_bytes(self.bytes() / 2);
        self.for_each(|key, tag, numbers| smaller.put_dearer(key, tag, numbers));
        smaller
    }

    /// Puts an entry in the place of a cheaper one, if there is one.
    fn put_dearer(&self, key: u64, tag: u64, numbers: u64) {
        let bucket = self.bucket(key).as_chunks::<2>().0;
        let work =
            |entry: &[AtomicU64; 2]| work_of(entry[0].load(Relaxed) ^ entry[1].load(Relaxed));
        if bucket.iter().any(|entry| work(entry) < work_of(tag)) {
            self.put_words(key, tag, numbers);
        }
    }

    /// Hands each entry's key, tag and numbers to `f`.
    fn for_each(&self, mut f: impl FnMut(u64, u64, u64)) {
        let buckets = self.words.as_slice().as_chunks::<BUCKET_WORDS>().0;
        for (index, bucket) in buckets.iter().enumerate() {
            for entry in bucket.as_chunks::<2>().0 {
                let numbers = entry[1].load(Relaxed);
                let tag = entry[0].load(Relaxed) ^ numbers;
                if tag != 0 {
                    // The key's high bits choose the bucket, its low 48 bits are the check; together they are all.
                    let high = (index as u64) << (64 - self.bucket_bits);
                    let low = tag >> CHECK_SHIFT;
                    f(high & !(u64::MAX >> CHECK_SHIFT) | low, tag, numbers);
                }
            }
        }
    }

    /// Hands the entries that cost most work to `f`, about `most` of them at most, in bytes that [`Table::restore`] of the same version
    /// of the program understands. Costs two passes over the table; other threads may use it meanwhile.
    pub fn dump(&self, most: usize, mut f: impl FnMut(&[u8; DUMPED_BYTES])) {
        let mut by_work = [0usize; 256];
        self.for_each(|_, tag, _| by_work[usize::from(work_of(tag))] += 1);
        let mut least = u8::MAX;
        let mut count = by_work[usize::from(least)];
        while least > 0 && count + by_work[usize::from(least - 1)] <= most {
            least -= 1;
            count += by_work[usize::from(least)];
        }
        self.for_each(|key, tag, numbers| {
            if work_of(tag) >= least {
                let mut bytes = [0; DUMPED_BYTES];
                bytes[..8].copy_from_slice(&key.to_le_bytes());
                bytes[8..16].copy_from_slice(&numbers.to_le_bytes());
                bytes[16] = work_of(tag);
                f(&bytes);
            }
        });
    }

    /// Takes back an entry that [`Table::dump`] handed out. Entries of proven positions are to be taken back only with the log that
    /// holds their proofs.
    pub fn restore(&self, bytes: &[u8; DUMPED_BYTES]) {
        let (words, rest) = bytes.as_chunks();
        let [key, numbers] = [0, 1].map(|at: usize| u64::from_le_bytes(words[at]));
        let work = rest[0];
        let tag = key << CHECK_SHIFT | u64::from(work) << WORK_SHIFT;
        self.put_words(key, tag, numbers);
    }
}

/// The logarithm of the work of an entry with this tag.
const fn work_of(tag: u64) -> u8 {
    (tag >> WORK_SHIFT).to_le_bytes()[0]
}

fn encode(known: Known) -> u64 {
    let (pn, dn) = match known {
        Known::Proven(height) => (0, u32::from(height.0)),
        Known::Disproven => (INFINITY, 0),
        Known::Open(numbers) => (numbers.pn, numbers.dn),
    };
    u64::from(pn) << 32 | u64::from(dn)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "halves of a word")]
fn decode(numbers: u64) -> Known {
    match ((numbers >> 32) as u32, numbers as u32) {
        (0, height) => Known::Proven(Plies(height as u16)),
        (INFINITY, _) => Known::Disproven,
        (pn, dn) => Known::Open(PnDn { pn, dn }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Known = Known::Open(PnDn { pn: 7, dn: 9 });

    fn keys() -> impl Iterator<Item = u64> {
        (1..=20_000u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    #[test]
    fn what_is_put_is_got() {
        let table = Table::with_bytes(0);
        for known in [Known::Proven(Plies(300)), Known::Disproven, OPEN] {
            table.put(5 << 40, known, 1);
            assert_eq!(table.get(5 << 40), Some(known));
        }
        assert_eq!(table.get(6 << 40), None);
        assert_eq!(table.get(0), None);
    }

    #[test]
    fn the_dearest_entries_of_a_full_bucket_stay() {
        let table = Table::with_bytes(0);
        for i in 0..5u64 {
            table.put(i, OPEN, 1 << (10 - i));
        }
        assert!((0..3).all(|i| table.get(i).is_some()));
        assert_eq!(table.get(3), None);
        assert!(table.get(4).is_some());
    }

    #[test]
    fn a_doubled_table_knows_the_same() {
        let mut table = Table::with_bytes(0);
        for key in keys() {
            table.put(
                key,
                Known::Open(PnDn {
                    pn: 1 + (key >> 40) as u32,
                    dn: 3,
                }),
                2,
            );
        }
        let known: Vec<_> = keys().map(|key| table.get(key)).collect();
        assert!(known.iter().filter(|known| known.is_some()).count() > 19_900);
        for _ in 0..3 {
            table = table.doubled();
            assert!(keys().map(|key| table.get(key)).eq(known.iter().copied()));
        }
    }

    #[test]
    fn what_was_dumped_is_restored_the_dearest_first() {
        let table = Table::with_bytes(0);
        for (key, work) in keys().zip(0..) {
            table.put(key, OPEN, 1 << (work % 8));
        }
        table.put(5 << 40, Known::Proven(Plies(3)), u64::MAX);
        let other = Table::with_bytes(4 * MIN_BYTES);
        let mut count = 0;
        table.dump(usize::MAX, |bytes| {
            other.restore(bytes);
            count += 1;
        });
        assert!(count > 19_900);
        assert!(keys().all(|key| table.get(key) == other.get(key)));
        assert_eq!(other.get(5 << 40), Some(Known::Proven(Plies(3))));

        let mut few = Vec::new();
        table.dump(3_000, |bytes| few.push(bytes[16]));
        assert!((2_000..=3_000).contains(&few.len()), "{}", few.len());
        assert!(few.iter().all(|&work| work >= 8));
    }

    #[test]
    fn a_halved_table_keeps_the_dearest() {
        let table = Table::with_bytes(2 * MIN_BYTES);
        // Two buckets that become one, full of entries.
        let first = 63 - table.bucket_bits;
        for i in 0..8u64 {
            table.put((i % 2) << (first + 1) | i, OPEN, 1 << i);
        }
        let halved = table.halved();
        assert_eq!(halved.bytes(), MIN_BYTES);
        let known = |i: u64| halved.get((i % 2) << (first + 1) | i).is_some();
        assert!((4..8).all(known) && !(0..4).any(known));
        assert_eq!(halved.halved().bytes(), MIN_BYTES, "no table is smaller");
    }
}
