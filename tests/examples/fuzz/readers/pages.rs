//! Pages of proofs, in a database. All ways to read a page must agree on it.

use std::collections::HashMap;

use proof::{Entry, Plies, Record};
use rules::{Color, Game, Position, Ruleset, canonical_moves};
use rusqlite::Connection;
use store::{Access, Basis, Store};
use tempfile::TempDir;

use super::{Read, Reader, kept};
use crate::{random::Random, run::magnitude};

const SET: (Ruleset, Color, Basis) = (Ruleset::Joint, Color::White, Basis::Rules);
const CHECKSUM_BYTES: usize = 8;
/// Where a page has its first key.
const FIRST_KEY: usize = 8;
/// Numbers of records in the pages to begin with.
const SIZES: [usize; 6] = [1, 2, 3, 20, 120, 400];

pub(super) struct Pages {
    folder: TempDir,
    /// Positions that the pages are of.
    positions: Vec<Position>,
    open: Option<(Store, Connection)>,
}

impl Pages {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            positions: Vec::new(),
            open: None,
        }
    }

    /// A database with one page of so many records, and the page.
    fn page(&self, count: usize) -> Vec<u8> {
        let path = self.folder.path().join(format!("{count}.db"));
        let mut store = Store::open(&path, Access::Write).expect("a database");
        let positions = self.positions.iter().take(count);
        let records = positions.zip(1..).map(|(position, number)| {
            let mv = canonical_moves(position, SET.0)[0];
            let height = Plies(number * 37 % 120);
            Record::new(position, Entry { mv, height })
        });
        store
            .put_entries(SET.0, SET.1, SET.2, records)
            .expect("stored");
        store.vacuum().expect("packed");
        drop(store);
        let sql = "SELECT page FROM proof_page";
        let database = Connection::open(&path).expect("a database");
        database
            .query_row(sql, [], |row| row.get(0))
            .expect("a page")
    }
}

impl Reader for Pages {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let mut random = Random::new(7);
        let mut game = Game::initial(SET.0);
        while self.positions.len() < 400 {
            let legal = game.legal_moves();
            if legal.is_empty() {
                game = Game::initial(SET.0);
                continue;
            }
            if game.position().side_to_move() == SET.1 && !self.positions.contains(game.position())
            {
                self.positions.push(*game.position());
            }
            game.play(legal[random.below(legal.len())]).expect("legal");
        }
        let mut seeds: Vec<Vec<u8>> = SIZES.iter().map(|&count| self.page(count)).collect();
        seeds.extend(kept("pages"));
        let path = self.folder.path().join(format!("{}.db", SIZES[0]));
        let database = Connection::open(&path).expect("a database");
        database
            .pragma_update(None, "synchronous", "OFF")
            .expect("set");
        let store = Store::open(&path, Access::Read).expect("a database");
        self.open = Some((store, database));
        seeds
    }

    fn seal(&self, bytes: &mut Vec<u8>) {
        if let Some(body) = bytes.len().checked_sub(CHECKSUM_BYTES) {
            // The set's ruleset, winner and basis come before the bytes.
            let sealed = [&[SET.0.code(), 0], &bytes[..body]].concat();
            bytes[body..].copy_from_slice(&verify::crc64_xz(&sealed).to_le_bytes());
        }
    }

    fn words(&self) -> &'static [&'static [u8]] {
        &[
            b"\x01\x3f",
            b"\x01\x00",
            b"\x10\x00",
            b"\x01\x00\x00\x00",
            b"\xff\xff\xff\xff\xff\xff\xff\xff",
        ]
    }

    fn read(&mut self, input: &[u8]) -> Read {
        let (store, database) = self.open.as_ref().expect("seeds were made");
        let first_key = input.get(FIRST_KEY..FIRST_KEY + 8).map_or(0, |bytes| {
            let key = bytes
                .iter()
                .rev()
                .fold(0, |key, &byte| key << 8 | u64::from(byte));
            (key ^ 1 << 63).cast_signed()
        });
        let sql = "UPDATE proof_page SET page = ?1, first_key = ?2";
        database.execute(sql, (input, first_key)).expect("written");
        let mut records = HashMap::new();
        let read = store.for_each_record(SET.0, SET.1, SET.2, |record| {
            records.insert(record.key, record);
        });
        let loaded = store.load_strategy(SET.0, SET.1, SET.2);
        let problems = store.check().expect("the database can be read");
        let asked: Vec<_> = (self.positions.iter().step_by(29))
            .map(|position| (position, store.entry(SET.0, SET.1, SET.2, position)))
            .collect();
        if let Err(error) = read {
            assert!(loaded.is_err(), "loaded in spite of {error}");
            assert!(!problems.is_empty(), "the check overlooks {error}");
            return Read::refused(format!(
                "{} {}",
                root_of(&error),
                magnitude(records.len() as u64)
            ));
        }
        let loaded = loaded.expect("what can be listed can be loaded");
        assert_eq!(loaded.positions(), records.len() as u64);
        for (position, entry) in asked {
            let check = Record::check_of(&position.pack()).to_le_bytes()[0];
            let record = records.get(&position.key());
            let listed = record.filter(|record| record.check == check);
            let listed = listed.map(|record| record.entry);
            assert_eq!(entry.expect("what can be listed can be asked"), listed);
            assert_eq!(loaded.get(position), listed);
        }
        let what: Vec<&str> = problems
            .iter()
            .map(|problem| problem.what.as_str())
            .collect();
        Read::accepted(format!(
            "{} {}",
            magnitude(records.len() as u64),
            what.join(" ")
        ))
    }
}

/// The innermost cause of an error.
fn root_of(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_of)
}
