#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use crate::table_testing::{Draft, stored, two_men};

const RULESET: Ruleset = Ruleset::Joint;

fn right() -> Draft {
    two_men("NvP", RULESET)
}

fn error_of(bytes: &[u8], ruleset: Ruleset, name: &str) -> TableError {
    TableFile::read(bytes, ruleset, name, stored).unwrap_err()
}

fn error(change: impl FnOnce(&mut Draft)) -> TableError {
    let mut draft = right();
    change(&mut draft);
    error_of(&draft.bytes(), RULESET, "NvP")
}

/// Every block of a file read.
fn read_all(bytes: &[u8], name: &str) -> Result<(), TableError> {
    let file = TableFile::read(bytes, RULESET, name, stored)?;
    for side in file.sides() {
        for number in 0..file.block_count(side) {
            file.block(side, number)?;
        }
    }
    Ok(())
}

fn block_problem(bytes: &[u8], decompress: Decompress) -> String {
    let file = TableFile::read(bytes, RULESET, "NvP", decompress).unwrap();
    file.block(Color::Black, 1).unwrap_err().to_string()
}

#[test]
fn a_right_file_is_read_as_it_is() {
    let draft = right();
    let file = draft.file();
    assert_eq!((file.name().as_str(), file.ruleset()), ("NvP", RULESET));
    assert_eq!(file.counts(), draft.counts);
    assert_eq!(file.cells(), 2 * 32 * 48);
    for (side, symbols) in file.sides().zip(&draft.symbols) {
        for (cell, &symbol) in symbols.iter().enumerate() {
            let (number, place) = file.locate(cell);
            let code = file.block(side, number).unwrap()[place];
            assert_eq!(code, file.dictionary[usize::from(symbol)]);
        }
    }
    // Wide symbols and any size of block say the same.
    for (width, block) in [(2, 1000), (1, 1), (2, 7), (1, 1 << 20)] {
        let mut other = draft.clone();
        (other.width, other.block) = (width, block);
        let other = other.file();
        for side in file.sides() {
            let codes = |file: &TableFile<Vec<u8>>| -> Vec<Code> {
                let blocks = (0..file.block_count(side)).map(|number| file.block(side, number));
                blocks.flat_map(Result::unwrap).collect()
            };
            assert_eq!(codes(&file), codes(&other));
        }
    }
}

#[test]
fn every_cut_of_a_file_is_refused() {
    for name in ["NvP", "PvP"] {
        let bytes = two_men(name, RULESET).bytes();
        for len in 0..bytes.len() {
            let error = error_of(&bytes[..len], RULESET, name);
            let is_cut = match error {
                TableError::NotATable => len == 0,
                TableError::Truncated(_) => true,
                _ => false,
            };
            assert!(is_cut, "{len}: {error}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert_eq!(
            error_of(&longer, RULESET, name),
            TableError::TrailingBytes(1)
        );
    }
}

#[test]
fn every_flipped_bit_of_a_file_is_noticed() {
    let bytes = right().bytes();
    assert_eq!(read_all(&bytes, "NvP"), Ok(()));
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            let error = read_all(&damaged, "NvP");
            assert!(error.is_err(), "byte {place} bit {bit}");
        }
    }
}

#[test]
fn random_bytes_are_refused() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for round in 0..2000_usize {
        let mut bytes: Vec<u8> = (0..round % 300)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state.to_le_bytes()[3]
            })
            .collect();
        // Half of them with a right start, so that the numbers are looked at.
        let start = right().bytes();
        if round % 2 == 0 && bytes.len() > 24 {
            bytes[..21].copy_from_slice(&start[..21]);
        }
        assert!(read_all(&bytes, "NvP").is_err());
    }
}

#[test]
fn each_field_of_the_header_has_its_complaint() {
    let field = |field, stated, expected: &str| TableError::Field {
        field,
        stated,
        expected: expected.to_owned(),
    };
    assert_eq!(
        error(|draft| draft.version = 2),
        TableError::UnsupportedVersion(2)
    );
    assert_eq!(
        error(|draft| draft.version = 0),
        TableError::UnsupportedVersion(0)
    );
    assert_eq!(
        error(|draft| draft.ruleset = 7),
        TableError::UnknownRuleset(7)
    );
    // A ruleset that has no tables.
    assert_eq!(
        error(|draft| draft.ruleset = 6),
        TableError::UnknownRuleset(6)
    );
    let other = TableError::OtherRuleset {
        stated: Ruleset::Fics,
        expected: RULESET,
    };
    assert_eq!(error(|draft| draft.ruleset = 1), other);
    assert_eq!(
        error(|draft| draft.metric = 2),
        TableError::UnknownMetric(2)
    );
    let material = |stated: &str| TableError::OtherMaterial {
        stated: stated.to_owned(),
        expected: "NvP".to_owned(),
    };
    assert_eq!(
        error(|draft| draft.name = *b"BvP\0\0\0\0\0"),
        material("BvP")
    );
    assert_eq!(
        error(|draft| draft.name = *b"NvPP\0\0\0\0"),
        material("NvPP")
    );
    assert_eq!(
        error(|draft| draft.name = *b"NvP\0\0\0\0P"),
        material("NvP\0\0\0\0P")
    );
    assert_eq!(
        error(|draft| draft.name = *b"nvp\0\0\0\0\0"),
        material("nvp")
    );
    assert_eq!(
        error(|draft| draft.width = 0),
        field("the width of a symbol", 0, "1 or 2")
    );
    assert_eq!(
        error(|draft| draft.width = 3),
        field("the width of a symbol", 3, "1 or 2")
    );
    let cells = "the number of cells";
    assert_eq!(error(|draft| draft.cells -= 1), field(cells, 1535, "1536"));
    assert_eq!(error(|draft| draft.cells += 1), field(cells, 1537, "1536"));
    let block = "the block size";
    let huge = (1 << 20) + 1;
    assert_eq!(
        error(|draft| draft.block = huge),
        field(block, huge.into(), "1 to 1048576")
    );
}

#[test]
fn sizes_beyond_the_file_are_not_believed() {
    let truncated = |error| matches!(error, TableError::Truncated(_));
    assert!(truncated(error(|draft| draft.cells = u64::MAX)));
    assert!(truncated(error(|draft| draft.cells = 1 << 40)));
    assert!(truncated(error(|draft| draft.symbol_count = u16::MAX)));
    // No blocks' size at all: as many blocks as cells, which the list does not have.
    let mut draft = right();
    draft.block = 0;
    assert!(TableFile::read(draft.bytes(), RULESET, "NvP", stored).is_err());
}

#[test]
fn the_number_of_sides_is_that_of_the_material() {
    let sides = |stated, expected: &str| TableError::Field {
        field: "the number of sides",
        stated,
        expected: expected.to_owned(),
    };
    let one = error(|draft| {
        draft.sides = 1;
        draft.counts.pop();
        draft.symbols.pop();
    });
    assert_eq!(one, sides(1, "2"));
    let mut draft = two_men("PvP", RULESET);
    draft.sides = 2;
    draft.counts.extend_from_within(..);
    draft.symbols.extend_from_within(..);
    assert_eq!(error_of(&draft.bytes(), RULESET, "PvP"), sides(2, "1"));
    let none = error(|draft| {
        draft.sides = 0;
        draft.counts.clear();
        draft.symbols.clear();
    });
    assert_eq!(none, sides(0, "2"));
}

#[test]
fn the_dictionary_holds_values_each_once() {
    let wrong = |entry, problem| TableError::Dictionary { entry, problem };
    let with = |kind, plies| {
        error(|draft| {
            draft.dictionary[2] = (kind, plies);
        })
    };
    assert_eq!(with(0, 0), wrong(2, "repeats an earlier one"));
    assert_eq!(with(0, 1), wrong(2, "is a draw in a number of plies"));
    assert_eq!(with(5, 1), wrong(2, "has an unknown kind"));
    assert_eq!(
        with(1, 8001),
        wrong(2, "has more plies than are supported, 8000")
    );
    let none = error(|draft| {
        draft.dictionary.clear();
        draft.symbol_count = 0;
    });
    assert!(matches!(
        none,
        TableError::Field {
            field: "the number of symbols",
            ..
        }
    ));
}

#[test]
fn the_table_asked_for_must_be_one() {
    let bytes = right().bytes();
    for name in ["PvN", "NvPP", "", "KKvKKK", "../NvP"] {
        let error = error_of(&bytes, RULESET, name);
        assert!(matches!(
            error,
            TableError::NotAMaterial(_) | TableError::OtherMaterial { .. }
        ));
    }
    let variant3 = Ruleset::Variant3;
    assert_eq!(
        error_of(&bytes, variant3, "NvP"),
        TableError::NoTables(variant3)
    );
    assert_eq!(
        error_of(b"\x28\xB5\x2F\xFD", RULESET, "NvP"),
        TableError::NotATable
    );
}

#[test]
fn a_damaged_block_is_named() {
    let mut draft = right();
    let bytes = draft.bytes();
    assert_eq!(
        block_problem(&bytes, |_, _| Err("no frame".to_owned())),
        "block 1 of black to move cannot be decompressed: no frame"
    );
    let short: Decompress = |frame, _| Ok(frame[1..].to_vec());
    assert_eq!(
        block_problem(&bytes, short),
        "block 1 of black to move has 535 bytes instead of 536"
    );
    let long: Decompress = |frame, _| Ok([frame, &[0]].concat());
    assert_eq!(
        block_problem(&bytes, long),
        "block 1 of black to move has 537 bytes instead of 536"
    );
    // The last byte of the file is in that block.
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let problem = block_problem(&flipped, stored);
    assert!(
        problem.starts_with("block 1 of black to move has checksum "),
        "{problem}"
    );
    let symbols = draft.symbol_count;
    *draft.symbols[1].last_mut().unwrap() = symbols;
    assert_eq!(
        block_problem(&draft.bytes(), stored),
        format!(
            "block 1 of black to move has symbol {symbols}, which the dictionary does not have"
        )
    );
}

#[test]
fn messages_say_what_is_wrong() {
    for (error, message) in [
        (
            error(|draft| draft.version = 3),
            "newer table version 3 is not supported, only version 1 is",
        ),
        (
            error(|draft| draft.version = 0),
            "table version 0 is not supported, only version 1 is",
        ),
        (
            error(|draft| draft.ruleset = 0),
            "a table for international, not for joint",
        ),
        (
            error(|draft| draft.name = *b"BvP\0\0\0\0\0"),
            "a table of \"BvP\", not of NvP",
        ),
        (
            error(|draft| draft.cells += 1),
            "the number of cells is stated as 1537, expected 1536",
        ),
        (
            error_of(b"", RULESET, "NvP"),
            "not a table: the file does not begin with its magic",
        ),
        (
            error_of(b"\x89TKM", RULESET, "NvP"),
            "the file ends within the magic",
        ),
        (
            error_of(b"", Ruleset::Extinction, "NvP"),
            "there are no tables for extinction",
        ),
    ] {
        assert_eq!(error.to_string(), message);
    }
}
