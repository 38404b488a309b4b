//! Why some bytes are not the table that they should be.

use std::error::Error;
use std::fmt;

use crate::board::Color;
use crate::ruleset::Ruleset;
use crate::table_file::VERSION;
use crate::verdict::counted;

/// Why some bytes are not the table asked for. The caller adds the file's name.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TableError {
    /// The name asked for is not the canonical name of a material of at most four men.
    NotAMaterial(String),
    /// There are no tables for the ruleset asked for.
    NoTables(Ruleset),
    /// The bytes do not begin with a table's magic.
    NotATable,
    /// The format version is not known.
    UnsupportedVersion(u16),
    /// The bytes end within the field named.
    Truncated(&'static str),
    /// That many bytes follow the last block.
    TrailingBytes(u64),
    /// The header's checksum is not that of the bytes before it.
    HeaderChecksum {
        /// The checksum in the header.
        stated: u64,
        /// The checksum of the bytes before it.
        found: u64,
    },
    /// The ruleset code is not known, or there are no tables for it.
    UnknownRuleset(u8),
    /// The table is of another ruleset.
    OtherRuleset {
        /// The table's.
        stated: Ruleset,
        /// The one asked for.
        expected: Ruleset,
    },
    /// The metric is not known.
    UnknownMetric(u8),
    /// The table is of another material.
    OtherMaterial {
        /// The name in the table.
        stated: String,
        /// The one asked for.
        expected: String,
    },
    /// A number in the header is not what the material or the format asks for.
    Field {
        /// The field.
        field: &'static str,
        /// The number in the header.
        stated: u64,
        /// What it should be.
        expected: String,
    },
    /// An entry of the dictionary is not a value.
    Dictionary {
        /// The entry's place, from 0.
        entry: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A block is damaged.
    Block {
        /// The side to move of its cells.
        side: Color,
        /// Its place among the blocks of that side, from 0.
        number: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAMaterial(name) => write!(
                f,
                "{name:?} is not the name of a table, such as KRvN: at most four men, letters in the order KQRBNP, the greater side first"
            ),
            Self::NoTables(ruleset) => write!(f, "there are no tables for {ruleset}"),
            Self::NotATable => f.write_str("not a table: the file does not begin with its magic"),
            Self::UnsupportedVersion(version) => {
                let newer = if *version > VERSION { "newer " } else { "" };
                write!(
                    f,
                    "{newer}table version {version} is not supported, only version {VERSION} is"
                )
            }
            Self::Truncated(field) => write!(f, "the file ends within {field}"),
            Self::TrailingBytes(count) => {
                let bytes = counted(count, "byte follows", "bytes follow");
                write!(f, "{bytes} the last block")
            }
            Self::HeaderChecksum { stated, found } => write!(
                f,
                "header checksum {stated:016x} is stated, but the bytes have {found:016x}"
            ),
            Self::UnknownRuleset(code) => {
                write!(f, "ruleset code {code} is not one that has tables")
            }
            Self::OtherRuleset { stated, expected } => {
                write!(f, "a table for {stated}, not for {expected}")
            }
            Self::UnknownMetric(code) => write!(
                f,
                "metric {code} is not known, only 1 (plies to the end of the game) is"
            ),
            Self::OtherMaterial { stated, expected } => {
                write!(f, "a table of {stated:?}, not of {expected}")
            }
            Self::Field {
                field,
                stated,
                expected,
            } => write!(f, "{field} is stated as {stated}, expected {expected}"),
            Self::Dictionary { entry, problem } => {
                write!(f, "entry {entry} of the dictionary {problem}")
            }
            Self::Block {
                side,
                number,
                problem,
            } => write!(f, "block {number} of {side} to move {problem}"),
        }
    }
}

impl Error for TableError {}
