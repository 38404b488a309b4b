//! Stored positions that a search begins with.

use anyhow::Result;
use proof::Record;
use rules::{Color, Ruleset};
use store::{Basis, SetStats, Store, StoredRecord};

/// Bytes that a search's log and table take for each known position.
const BYTES_IN_SEARCH: u64 = 128;

/// What is known, by the side that wins.
pub(crate) type Known = [Vec<Record>; 2];

/// The stored sets that a search for these sides on this basis can use.
fn sets(store: &Store, ruleset: Ruleset, basis: Basis, sides: &[Color]) -> Result<Vec<SetStats>> {
    let mut sets = store.stats()?.sets;
    sets.retain(|set| sides.contains(&set.winner) && set.serves(ruleset, basis));
    Ok(sets)
}

/// How many positions are stored that a search for these sides on this basis can use.
pub(crate) fn count(store: &Store, ruleset: Ruleset, basis: Basis, sides: &[Color]) -> Result<u64> {
    let sets = sets(store, ruleset, basis, sides)?.into_iter();
    Ok(sets.map(|set| set.positions).fold(0, u64::saturating_add))
}

/// The bytes that so many known positions take when each of `tasks` has its own copy.
pub(crate) fn bytes(count: u64, tasks: usize) -> u64 {
    let copies = count.saturating_mul(tasks as u64);
    copies.saturating_mul(size_of::<Record>() as u64)
}

/// Whether so many known positions leave a search enough of its memory: they take at most an eighth of it, and of each thread's
/// part at most an eighth again.
pub(crate) fn fits(count: u64, tasks: usize, threads: usize, memory_bytes: u64) -> bool {
    let running = threads.min(tasks).max(1) as u64;
    bytes(count, tasks) <= memory_bytes / 8
        && count.saturating_mul(BYTES_IN_SEARCH) <= memory_bytes / running / 8
}

/// Loads what is stored for these sides.
///
/// # Errors
///
/// The database cannot be read, or is damaged.
pub(crate) fn load(
    store: &Store,
    ruleset: Ruleset,
    basis: Basis,
    sides: &[Color],
) -> Result<Known> {
    let mut known = Known::default();
    for set in sets(store, ruleset, basis, sides)? {
        let records = &mut known[set.winner.index()];
        store.for_each_record(set.ruleset, set.winner, set.basis, |stored| {
            records.push(record(&stored));
        })?;
    }
    for records in &mut known {
        records.sort_by_key(|record| (record.key, record.entry.height));
        records.dedup_by_key(|record| record.key);
    }
    Ok(known)
}

/// Of the check only a byte is stored. The search uses none of it, and the store compares no more.
fn record(stored: &StoredRecord) -> Record {
    Record {
        key: stored.key,
        check: u64::from(stored.check),
        entry: stored.entry,
    }
}

/// The records that say more than what was known.
pub(crate) fn news(found: Vec<Record>, known: &[Record]) -> impl Iterator<Item = Record> {
    found.into_iter().filter(|record| {
        let at = known.binary_search_by_key(&record.key, |known| known.key);
        at.map_or(true, |at| record.entry.height < known[at].entry.height)
    })
}

#[cfg(test)]
mod tests {
    use proof::{Entry, Plies};
    use rules::Move;

    use super::*;

    fn record(key: u64, height: u16) -> Record {
        Record {
            key,
            check: 7,
            entry: Entry {
                mv: Move::parse_uci("e2e3").expect("UCI"),
                height: Plies(height),
            },
        }
    }

    #[test]
    fn only_what_is_new_or_shorter_is_news() {
        let known = [record(1, 5), record(3, 5)];
        let found = vec![record(3, 4), record(2, 9), record(1, 5)];
        let news: Vec<Record> = news(found, &known).collect();
        assert_eq!(news, [record(3, 4), record(2, 9)]);
    }

    #[test]
    fn known_positions_take_a_small_part_of_the_memory() {
        assert!(fits(0, 20, 2, 1 << 20));
        assert!(fits(2_000_000, 1, 2, 12 << 30));
        // Each line has its own copy.
        assert!(!fits(10_000_000, 100, 2, 12 << 30));
        // Each thread has its own tables.
        assert!(!fits(10_000_000, 8, 8, 12 << 30));
        assert!(fits(10_000_000, 1, 8, 12 << 30));
    }
}
