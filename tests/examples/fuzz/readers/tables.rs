//! Endgame tables, before both readers: of a file that the verifier accepts the prover's side must read the values that it was made with.

use std::{
    fmt::Write as _,
    fs,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use rules::{Position, Ruleset, fen};
use sha2::{Digest, Sha256};
use tablebase::{Material, Order, Tables as Listed, Trust, Value, generate, unpack};
use tempfile::TempDir;
use verify::{CheckError, ExpandedTable, TableFile};

use super::{Read, Reader, kept};

const RULESET: Ruleset = Ruleset::Joint;
/// The table that is spoilt; captures in it end the game.
const NAME: &str = "KvN";
const ASKED: [&str; 4] = [
    "8/8/3n4/8/8/8/8/K7 w - -",
    "8/8/3n4/8/8/8/8/K7 b - -",
    "7K/8/8/8/8/8/8/n7 w - -",
    "8/8/8/3k4/8/8/8/1N6 b - -",
];
/// Of so many files that the verifier refuses one is shown to the prover's side.
const OURS_ONE_IN: u64 = 16;
const CACHE_BYTES: u64 = 1 << 20;
const CHECKSUM_BYTES: usize = 8;
/// The bytes of a header before the counts, of the counts of a side, of a symbol, of a block's entry.
const FIXED: usize = 36;
const COUNTS: usize = 28;
const SYMBOL: usize = 3;
const BLOCK: usize = 12;

pub(super) struct Tables {
    folder: TempDir,
    /// What is asked, with what the sound table says.
    asked: Vec<(Position, Value)>,
}

impl Tables {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            asked: Vec::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(RULESET.name()).join(name)
    }

    fn open(&self) -> Listed {
        Listed::open(self.folder.path(), RULESET, Trust::Listed, CACHE_BYTES).expect("a list")
    }

    /// What the prover's side says of each position that is asked.
    fn ours(&self, input: &[u8]) -> Result<Vec<Value>, String> {
        let mut list = String::new();
        for byte in Sha256::digest(input) {
            write!(list, "{byte:02x}").expect("text can be written");
        }
        writeln!(list, "  {NAME}.tkt").expect("text can be written");
        fs::write(self.path("MANIFEST"), list).expect("written");
        fs::write(self.path(&format!("{NAME}.tkt")), input).expect("written");
        let tables = self.open();
        let values = self.asked.iter().map(|(position, _)| {
            let value = tables.probe(position).map_err(|error| error.to_string())?;
            Ok(value.expect("a covered position"))
        });
        values.collect()
    }
}

impl Reader for Tables {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let material = Material::all(2).into_iter();
        let material = material.filter(|material| material.to_string() == NAME);
        let order = Order {
            ruleset: RULESET,
            directory: self.folder.path().to_owned(),
            materials: material.collect(),
            threads: 1,
            memory_bytes: 1 << 30,
            again: false,
        };
        generate(&order, &AtomicBool::new(false), &|_| {}).expect("room on the disk");
        let tables = self.open();
        for text in ASKED {
            let read = fen::parse(text, RULESET).expect("a FEN");
            let position = *read.game.position();
            let value = tables.probe(&position).expect("a sound table");
            self.asked
                .push((position, value.expect("a covered position")));
        }
        let bytes = fs::read(self.path(&format!("{NAME}.tkt"))).expect("the table");
        let mut seeds = vec![bytes];
        seeds.extend(kept("tables"));
        seeds
    }

    fn seal(&self, bytes: &mut Vec<u8>) {
        let number = |bytes: &[u8], at: usize, len: usize| {
            let bytes = bytes.get(at..at + len).unwrap_or_default().iter().rev();
            bytes.fold(0, |number: usize, &byte| number << 8 | usize::from(byte))
        };
        let (sides, symbols, cells, block) = (
            number(bytes, 20, 1),
            number(bytes, 22, 2),
            number(bytes, 24, 4),
            number(bytes, 32, 4).max(1),
        );
        let blocks = sides * cells.div_ceil(block);
        let first = FIXED + sides * COUNTS + symbols * SYMBOL;
        let header = first + blocks * BLOCK;
        let mut from = header + CHECKSUM_BYTES;
        if from > bytes.len() {
            return;
        }
        for entry in (0..blocks).map(|number| first + number * BLOCK) {
            let to = from + number(bytes, entry, 4);
            let Some(frame) = bytes.get(from..to) else {
                break;
            };
            let checksum = verify::crc64_xz(frame).to_le_bytes();
            bytes[entry + 4..entry + BLOCK].copy_from_slice(&checksum);
            from = to;
        }
        let checksum = verify::crc64_xz(&bytes[..header]).to_le_bytes();
        bytes[header..header + CHECKSUM_BYTES].copy_from_slice(&checksum);
    }

    fn read(&mut self, input: &[u8]) -> Read {
        let Err(why) = theirs(input) else {
            let values = self.ours(input);
            let values = values.unwrap_or_else(|why| panic!("only the verifier reads it: {why}"));
            let sound: Vec<Value> = self.asked.iter().map(|&(_, value)| value).collect();
            assert_eq!(values, sound);
            return Read::accepted("both");
        };
        // Opening tables takes long, so only some files are shown to the prover's side.
        if verify::crc64_xz(input).is_multiple_of(OURS_ONE_IN) {
            return Read::refused(match self.ours(input) {
                Ok(_) => format!("only ours: {why}"),
                Err(ours) => format!("{why} and {}", ours.rsplit(": ").next().unwrap_or_default()),
            });
        }
        Read::refused(why)
    }
}

/// What the verifier makes of a table.
fn theirs(input: &[u8]) -> Result<ExpandedTable, String> {
    let decompress = |frame: &[u8], bytes| unpack(frame, bytes).map_err(|error| error.to_string());
    let ruleset = verify::Ruleset::from_name(RULESET.name()).expect("the same names");
    let file =
        TableFile::read(input, ruleset, NAME, decompress).map_err(|error| error.to_string())?;
    let smaller: [Arc<ExpandedTable>; 0] = [];
    verify::check_table(&file, &smaller, &AtomicBool::new(false))
        .map_err(|error: CheckError| error.to_string())
}
