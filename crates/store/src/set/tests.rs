use rules::{Move, Ruleset};

use super::*;
use crate::{Access, Store, page::PageBuilder};

const SET: SetKey = SetKey {
    basis: Basis::Rules,
    ruleset: Ruleset::Joint,
    winner: Color::White,
};

fn record(key: u64) -> StoredRecord {
    StoredRecord {
        key,
        check: 0,
        entry: Entry {
            mv: Move::parse_uci("e2e4").expect("UCI"),
            height: Plies(1),
        },
    }
}

/// A page whose header gives a greater last key, or a smaller first key, than its records have. Found by `scripts/fuzz`.
#[test]
fn a_page_whose_header_does_not_fit_its_records_is_damage_to_every_reader() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut store = Store::open(dir.path().join("p.db"), Access::Write).expect("made");
    let records = [3, 7].map(|key| proof::Record {
        key,
        check: 0,
        entry: record(key).entry,
    });
    let (ruleset, winner, basis) = (SET.ruleset, SET.winner, SET.basis);
    store
        .put_entries(ruleset, winner, basis, records)
        .expect("stored");
    store.vacuum().expect("packed");
    // The last key is the third field of eight bytes from the end of the header.
    for (at, key) in [(16, 8u64), (8, 2)] {
        let mut builder = PageBuilder::new(SET);
        for key in [3, 7] {
            builder.push(record(key)).expect("possible moves");
        }
        let mut bytes = builder.finish().expect("a page").bytes;
        bytes[at..at + 8].copy_from_slice(&key.to_le_bytes());
        crate::page::seal(SET, &mut bytes);
        let first_key = if at == 8 { sql_key(key) } else { sql_key(3) };
        let sql = "UPDATE proof_page SET page = ?1, first_key = ?2";
        let changed = store.db.conn.execute(sql, (bytes, first_key));
        assert_eq!(changed.expect("written"), 1);
        store
            .for_each_record(ruleset, winner, basis, |_| {})
            .expect_err("damaged");
        store
            .load_strategy(ruleset, winner, basis)
            .expect_err("damaged");
        assert!(!store.check().expect("readable").is_empty());
    }
}
