use std::collections::BTreeMap;

use proptest::prelude::*;
use rules::{Move, Ruleset};

use super::*;

const SET: SetKey = SetKey {
    basis: Basis::Rules,
    ruleset: Ruleset::Joint,
    winner: Color::White,
};

fn record(key: u64, check: u8, code: u16, height: u16) -> StoredRecord {
    StoredRecord {
        key,
        check,
        entry: Entry {
            mv: move_code::decode(code).expect("a code"),
            height: Plies(height),
        },
    }
}

/// Records by ascending key, with keys close together or far apart.
fn records(max: usize) -> impl Strategy<Value = Vec<StoredRecord>> {
    let field = (
        any::<u8>(),
        0..2012u16,
        prop_oneof![0..120u16, any::<u16>()],
    );
    (
        0u32..60,
        prop::collection::btree_map(any::<u64>(), field, 1..max),
    )
        .prop_map(|(shift, map)| {
            let map: BTreeMap<u64, _> = map.into_iter().map(|(key, v)| (key >> shift, v)).collect();
            map.into_iter()
                .map(|(key, (check, code, height))| record(key, check, code, height))
                .collect()
        })
}

fn build(records: &[StoredRecord]) -> Vec<Built> {
    let mut builder = PageBuilder::new(SET);
    let mut pages = Vec::new();
    for &record in records {
        pages.extend(builder.push(record).expect("possible moves"));
    }
    pages.extend(builder.finish());
    pages
}

fn parse(built: &Built) -> Page {
    Page::parse(SET, built.bytes.clone().into()).expect("what was built is a page")
}

proptest! {
    #[test]
    fn what_is_packed_is_found(records in records(1200)) {
        let pages = build(&records);
        let mut read = Vec::new();
        for built in &pages {
            prop_assert!(built.bytes.len() <= MAX_BYTES);
            let page = parse(built);
            prop_assert_eq!(page.validate(), Ok(()));
            prop_assert_eq!(page.first_key(), built.first_key);
            for record in page.records() {
                let record = record.expect("a checked page");
                prop_assert_eq!(page.find(record.key), Ok(Some(record)));
                let beside = record.key ^ 1;
                if !records.iter().any(|other| other.key == beside) {
                    prop_assert_eq!(page.find(beside), Ok(None));
                }
                read.push(record);
            }
            prop_assert_eq!(page.bytes(), &built.bytes[..]);
        }
        prop_assert_eq!(read, records);
    }

    #[test]
    fn random_bytes_are_refused_or_read_without_a_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Page::parse(SET, bytes.clone().into()).is_err());
        if let Some(format) = bytes.first_mut() {
            *format = FORMAT;
        }
        if bytes.len() > HEADER_BYTES + CHECKSUM_BYTES {
            seal(SET, &mut bytes);
            touch(&bytes);
        }
    }

    /// Bytes that pass for a page in length and checksum, but not in what they hold.
    #[test]
    fn forged_pages_are_refused_or_read_without_a_panic(
        records in records(30),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        resize in prop::option::of(0usize..MAX_BYTES),
    ) {
        let mut bytes = build(&records)[0].bytes.clone();
        for (at, value) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *value;
        }
        if let Some(len) = resize {
            bytes.resize(len.max(HEADER_BYTES + CHECKSUM_BYTES), 0);
        }
        seal(SET, &mut bytes);
        touch(&bytes);
    }

    #[test]
    fn a_changed_bit_is_damage(records in records(400), at in any::<prop::sample::Index>(), bit in 0u32..8) {
        let mut bytes = build(&records)[0].bytes.clone();
        let at = at.index(bytes.len());
        bytes[at] ^= 1u8 << bit;
        prop_assert!(Page::parse(SET, bytes.into()).is_err());
    }
}

/// Reads all there is, if it passes for a page at all.
fn touch(bytes: &[u8]) {
    let Ok(page) = Page::parse(SET, bytes.into()) else {
        return;
    };
    let valid = page.validate().is_ok();
    for record in page.records() {
        if let Ok(record) = record {
            let found = page.find(record.key);
            assert!(!valid || found == Ok(Some(record)));
        } else {
            assert!(!valid);
        }
    }
    let (first, last) = (page.first_key(), page.last_key());
    for key in [first, first / 2 + last / 2, last] {
        let _ = page.find(key);
    }
}

fn sample() -> Vec<StoredRecord> {
    let spread = 0x9E37_79B9_7F4A_7C15_u64;
    let mut keys: Vec<u64> = (1..=300).map(|i| spread.wrapping_mul(i)).collect();
    keys.sort_unstable();
    keys.iter()
        .zip(0u16..)
        .map(|(&key, i)| record(key, key.to_le_bytes()[0], i * 6 % 2012, 3 + i % 100))
        .collect()
}

#[test]
fn every_changed_byte_is_damage() {
    let bytes = &build(&sample())[0].bytes;
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] = changed[at].wrapping_add(1);
        assert!(Page::parse(SET, changed.into()).is_err(), "byte {at}");
    }
}

#[test]
fn every_other_length_is_damage() {
    let bytes = &build(&sample())[0].bytes;
    for len in 0..bytes.len() {
        assert!(
            Page::parse(SET, bytes[..len].into()).is_err(),
            "{len} bytes"
        );
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(Page::parse(SET, longer.into()).is_err());
}

#[test]
fn a_page_of_another_set_is_refused() {
    let bytes = &build(&sample())[0].bytes;
    for other in [
        SetKey {
            ruleset: Ruleset::International,
            ..SET
        },
        SetKey {
            winner: Color::Black,
            ..SET
        },
        SetKey {
            basis: Basis::Tables,
            ..SET
        },
    ] {
        let parsed = Page::parse(other, bytes.clone().into());
        assert_eq!(parsed.err(), Some(PageError::Checksum));
    }
}

#[test]
fn a_page_is_laid_out_as_specified() {
    let e2e4 = Move::parse_uci("e2e4").expect("UCI");
    let records = [0x100, 0x107, 0x1FF].map(|key| StoredRecord {
        key,
        check: 0xA5,
        entry: Entry {
            mv: e2e4,
            height: Plies(if key == 0x107 { 9 } else { 7 }),
        },
    });
    let bytes = &build(&records)[0].bytes;
    // Distances 0, 7, 255 with L = ⌊log2 (255 / 3)⌋ = 6: highs 0, 0, 3 and lows 0, 7, 63.
    assert_eq!(bytes[..8], [1, 6, 3, 0, 7, 0, 2, 0]);
    assert_eq!(bytes[8..16], 0x100u64.to_le_bytes());
    assert_eq!(bytes[16..24], 0x1FFu64.to_le_bytes());
    assert_eq!(bytes[24], 0b10_0011);
    assert_eq!(bytes[25..28], [0b1100_0000, 0b1111_0001, 0b11]);
    let code = u64::from(move_code::encode(e2e4).expect("a code"));
    let moves = code | code << 11 | code << 22;
    assert_eq!(bytes[28..33], moves.to_le_bytes()[..5]);
    assert_eq!(bytes[33], 0b00_1000);
    assert_eq!(bytes[34..37], [0xA5; 3]);
    assert_eq!(bytes.len(), 37 + CHECKSUM_BYTES);
}

#[test]
fn an_impossible_move_cannot_be_packed() {
    let mv = Move::parse_uci("a1b4").expect("UCI");
    let mut builder = PageBuilder::new(SET);
    let entry = Entry {
        mv,
        height: Plies::ZERO,
    };
    let pushed = builder.push(StoredRecord {
        key: 0,
        check: 0,
        entry,
    });
    assert_eq!(pushed.err(), Some(ImpossibleMove(mv)));
}
