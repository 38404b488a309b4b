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

type Shard = HashMap<u64, Value, BuildHasherDefault<KeyHasher>>;

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
}

impl Default for ProofLog {
    fn default() -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }
}

impl ProofLog {
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
        self.shard(key)
            .entry(key)
            .and_modify(|old| {
                if entry.height < old.entry.height {
                    *old = value;
                }
            })
            .or_insert(value);
    }

    /// The entry of the position with this key.
    #[must_use]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.shard(key).get(&key).map(|value| value.entry)
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        (0..SHARDS as u64)
            .map(|shard| self.shard(shard).len())
            .sum()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the log holds, about: the slots of its hash tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let slots: usize = (0..SHARDS as u64)
            .map(|shard| self.shard(shard).capacity() * 8 / 7)
            .sum();
        slots * (size_of::<(u64, Value)>() + 1)
    }

    /// Calls `f` with each record, in no particular order.
    pub fn for_each(&self, mut f: impl FnMut(Record)) {
        for shard in 0..SHARDS as u64 {
            for (&key, &Value { check, entry }) in &*self.shard(shard) {
                f(Record { key, check, entry });
            }
        }
    }
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
}
