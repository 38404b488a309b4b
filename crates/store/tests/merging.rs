//! Random records in random batches, against a plain map.

mod common;

use std::collections::BTreeMap;

use common::{fresh, record};
use proof::Record;
use proptest::prelude::*;
use rules::{Color, Ruleset};
use store::{Basis, Merged, Store, StoredRecord};

const RULESET: Ruleset = Ruleset::Joint;
const WINNER: Color = Color::Black;

/// What a set must hold.
#[derive(Default)]
struct Model(BTreeMap<u64, Record>);

impl Model {
    fn put(&mut self, batch: &[Record]) -> Merged {
        let mut merged = Merged::default();
        let mut best: BTreeMap<u64, Record> = BTreeMap::new();
        for &record in batch {
            let kept = best.entry(record.key).or_insert(record);
            if record.entry.height < kept.entry.height {
                *kept = record;
            }
        }
        for (key, record) in best {
            match self.0.get_mut(&key) {
                None => {
                    self.0.insert(key, record);
                    merged.added += 1;
                }
                Some(stored) if record.entry.height < stored.entry.height => {
                    *stored = record;
                    merged.improved += 1;
                }
                Some(_) => merged.kept += 1,
            }
        }
        merged
    }

    fn assert_is(&self, store: &Store) {
        let mut stored = Vec::new();
        store
            .for_each_record(RULESET, WINNER, Basis::Rules, |record| stored.push(record))
            .expect("readable");
        let expected: Vec<StoredRecord> = self
            .0
            .values()
            .map(|record| StoredRecord {
                key: record.key,
                check: record.check.to_le_bytes()[0],
                entry: record.entry,
            })
            .collect();
        assert!(stored == expected, "the store and the map differ");
        let stats = store.stats().expect("counted");
        assert_eq!(stats.positions(), self.0.len() as u64);
    }
}

/// A batch: so many records of so many, with heights from a seed.
fn batch() -> impl Strategy<Value = Vec<Record>> {
    let len = prop_oneof![4 => 0..40usize, 2 => 40..2_000usize, 1 => 2_000..6_000usize];
    (len, 1..12_000u64, any::<u64>()).prop_map(|(len, range, seed)| {
        let numbers = (0..len as u64).map(|i| common::mix(seed ^ i));
        numbers
            .map(|n| {
                let height = u16::try_from(n >> 32 & 127).expect("seven bits");
                record(n % range, height)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_smaller_height_stays(batches in prop::collection::vec((batch(), any::<bool>()), 1..8)) {
        let (_dir, mut store) = fresh();
        let mut model = Model::default();
        for (batch, vacuum) in &batches {
            let merged = store.put_entries(RULESET, WINNER, Basis::Rules, batch.iter().copied()).expect("stored");
            prop_assert_eq!(merged, model.put(batch));
            model.assert_is(&store);
            if *vacuum {
                store.vacuum().expect("packed");
                model.assert_is(&store);
            }
        }
        prop_assert_eq!(store.check().expect("readable"), []);
        let other = store.put_entries(Ruleset::Fics, WINNER, Basis::Rules, [record(1, 1)]).expect("stored");
        prop_assert_eq!(other.added, 1, "another ruleset's set is empty");
    }
}

#[test]
fn a_large_set_takes_at_most_twelve_bytes_a_position() {
    let (_dir, mut store) = fresh();
    let count = 100_000;
    let records =
        (0..count).map(|i| record(i, u16::try_from(common::mix(!i) % 120).expect("small")));
    store
        .put_entries(RULESET, WINNER, Basis::Rules, records)
        .expect("stored");
    store.vacuum().expect("packed");
    let bytes = std::fs::metadata(store.path()).expect("there").len();
    assert!(bytes <= 12 * count, "{bytes} bytes for {count} positions");
    let stats = store.stats().expect("counted");
    assert_eq!((stats.file_bytes, stats.free_bytes), (bytes, 0));
    assert!(stats.bytes_per_position().is_some_and(|bytes| bytes < 10.5));
}
