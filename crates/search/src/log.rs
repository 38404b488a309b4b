//! The log of proven positions with the attacker to move.
//!
//! A transposition table forgets, and a position that it lost may be proven anew by a move that leans on positions which once
//! leaned on it: strategies read from such a table were seen to loop. The log forgets nothing. Its invariant, for each
//! entry *e* of a position *p*: every position with the attacker to move that can arise from *p* by *e*'s move and one
//! reply has an entry of smaller height (or has a single legal move and leads, by forced moves, to such a position or to a won end).
//! An entry is replaced only by one of smaller height, which keeps the invariant true for those that lean on it. So a
//! strategy read from the log cannot loop, in whatever order, by however many threads it was written.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::Mutex,
};

use proof::{Entry, Record};

/// Locks are spread over so many parts, chosen by the key's low bits.
const SHARDS: usize = 64;

/// Keys are random already.
#[derive(Clone, Copy, Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 ^= word.rotate_left(20);
    }
}

#[derive(Debug, Default)]
struct Shard {
    entries: HashMap<u64, Value, BuildHasherDefault<KeyHasher>>,
    /// Keys of the entries that were made or replaced since [`ProofLog::take_news`], some of them twice.
    news: Vec<u64>,
}

/// A [`Record`] without its key.
#[derive(Clone, Copy, Debug)]
struct Value {
    check: u64,
    entry: Entry,
}

/// Proven positions of one attacker under one ruleset: the move that wins and a bound on the plies left, by key.
#[derive(Debug)]
pub struct ProofLog {
    shards: [Mutex<Shard>; SHARDS],
    keeps_news: bool,
}

impl Default for ProofLog {
    fn default() -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            keeps_news: false,
        }
    }
}

impl ProofLog {
    /// An empty log that remembers what is new, for [`ProofLog::take_news`]: 8 bytes an entry until then.
    #[must_use]
    pub fn with_news() -> Self {
        Self {
            keeps_news: true,
            ..Self::default()
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "below the number of shards"
    )]
    fn shard(&self, key: u64) -> std::sync::MutexGuard<'_, Shard> {
        self.shards[(key % SHARDS as u64) as usize]
            .lock()
            .expect("no thread panics while it holds the lock")
    }

    /// Enters a proven position, unless an entry of at most the same height is there.
    pub fn insert(&self, record: Record) {
        let Record { key, check, entry } = record;
        let value = Value { check, entry };
        let mut shard = self.shard(key);
        let old = shard.entries.get(&key);
        if old.is_none_or(|old| entry.height < old.entry.height) {
            shard.entries.insert(key, value);
            if self.keeps_news {
                shard.news.push(key);
            }
        }
    }

    /// The entries that were made or replaced since the last call, as of one moment: what they lean on is among them, or was handed
    /// out before. Empty if the log keeps no news. Entries wait meanwhile.
    ///
    /// # Panics
    ///
    /// If a thread has panicked over the log.
    #[must_use]
    pub fn take_news(&self) -> Vec<Record> {
        let mut shards: Vec<_> = (0..SHARDS as u64).map(|shard| self.shard(shard)).collect();
        let mut news = Vec::with_capacity(shards.iter().map(|shard| shard.news.len()).sum());
        for shard in &mut shards {
            let Shard {
                entries,
                news: keys,
            } = &mut **shard;
            for key in std::mem::take(keys) {
                let Value { check, entry } = entries[&key];
                news.push(Record { key, check, entry });
            }
        }
        news
    }

    /// The entry of the position with this key.
    #[must_use]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.shard(key).entries.get(&key).map(|value| value.entry)
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        (0..SHARDS as u64)
            .map(|shard| self.shard(shard).entries.len())
            .sum()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the log holds, about: the slots of its hash tables, and the keys of what is new.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let capacities = (0..SHARDS as u64).map(|shard| self.shard(shard).entries.capacity());
        capacities.map(slot_bytes).sum::<usize>() + self.news_bytes()
    }

    /// Bytes that the log will hold before long: its parts double when they are full, and where one is nearly so it counts as
    /// doubled. They fill alike, so the others follow; those that have doubled first do not double again meanwhile.
    #[must_use]
    pub fn bytes_soon(&self) -> usize {
        let capacities = (0..SHARDS as u64).map(|shard| {
            let entries = &self.shard(shard).entries;
            let nearly_full = entries.len() > entries.capacity() / 16 * 15;
            entries.capacity() * if nearly_full { 2 } else { 1 }
        });
        slot_bytes(capacities.max().unwrap_or(0)) * SHARDS + self.news_bytes()
    }

    fn news_bytes(&self) -> usize {
        let news: usize = (0..SHARDS as u64)
            .map(|shard| self.shard(shard).news.capacity())
            .sum();
        news * size_of::<u64>()
    }

    /// Calls `f` with each record, in no particular order.
    pub fn for_each(&self, mut f: impl FnMut(Record)) {
        for shard in 0..SHARDS as u64 {
            for (&key, &Value { check, entry }) in &self.shard(shard).entries {
                f(Record { key, check, entry });
            }
        }
    }
}

/// Bytes of the slots of a hash table that has room for so many entries.
fn slot_bytes(capacity: usize) -> usize {
    capacity * 8 / 7 * (size_of::<(u64, Value)>() + 1)
}

#[cfg(test)]
mod tests {
    use proof::Plies;
    use rules::Move;

    use super::*;

    fn entry(height: u16) -> Entry {
        Entry {
            mv: Move::parse_uci("e2e3").expect("UCI"),
            height: Plies(height),
        }
    }

    fn record(height: u16) -> Record {
        Record {
            key: 3,
            check: 5,
            entry: entry(height),
        }
    }

    #[test]
    fn the_smaller_height_stays() {
        let log = ProofLog::default();
        for height in [9, 11, 7, 8] {
            log.insert(record(height));
        }
        assert_eq!(log.get(3), Some(entry(7)));
        assert_eq!((log.len(), log.get(4)), (1, None));
    }

    #[test]
    fn news_are_handed_out_once() {
        let log = ProofLog::with_news();
        log.insert(record(9));
        log.insert(record(11));
        assert_eq!(log.take_news(), [record(9)]);
        assert_eq!(log.take_news(), []);
        log.insert(record(7));
        assert_eq!(log.take_news(), [record(7)]);
        let without = ProofLog::default();
        without.insert(record(9));
        assert_eq!(without.take_news(), []);
    }

    #[test]
    fn the_bytes_to_come_are_told_before_they_are_there() {
        let log = ProofLog::default();
        let mut before = 0;
        for key in 0..100_000u64 {
            let key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let soon = log.bytes_soon();
            log.insert(Record { key, ..record(3) });
            let bytes = log.bytes();
            // Small parts double within a few entries.
            assert!(bytes <= soon || bytes < 100_000, "{bytes} after {soon}");
            // Twice the slots, of 25 bytes, that 15 entries of 16 need; parts differ in size by a tenth. While some have doubled and some
            // not yet, too.
            let most = log.len() * 70;
            assert!(
                log.len() < 20_000 || soon <= most,
                "{soon} for {}",
                log.len()
            );
            before = before.max(bytes);
        }
        assert!(before > 2_000_000);
    }
}
