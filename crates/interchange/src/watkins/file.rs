//! The file: header, records, footer.

use std::io::{self, Read, Seek, SeekFrom};

use rules::{Game, Move, Ruleset};
use thiserror::Error;

use super::word::{Below, Data, INDEX, MORE, Played, read_move};

/// Bytes of the word that opens the file, and of the number of prolog moves.
const HEAD_BYTES: u64 = 6;
pub(super) const RECORD_BYTES: u64 = 6;
pub(super) const FOOTER_BYTES: u64 = 8;
/// Records at most; the greatest index is the mark of an unsolved node.
pub(super) const MAX_RECORDS: u32 = INDEX - 1;
/// Bytes that are read at once. Records mostly follow each other.
const WINDOW_BYTES: usize = 1 << 16;

/// Why a file cannot be read as a tree at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file could not be read.
    #[error("the file cannot be read")]
    Io(#[from] io::Error),
    /// It ends inside the header or the opening moves.
    #[error("not a Watkins file: it ends inside the {0}")]
    Short(&'static str),
    /// The number of records makes no sense.
    #[error("the file is damaged: N, the number of records, is {0}")]
    Records(u32),
    /// The root's word has bits that no root has.
    #[error("the file is damaged: the first word, {0:#010x}, is not that of a root with a child")]
    Root(u32),
    /// Bytes follow the records that are no footer.
    #[error(
        "the file is damaged: bytes after the last of N = {records} records: {bytes}; a footer has 8 bytes an entry"
    )]
    Trailing {
        /// How many bytes.
        bytes: u64,
        /// N.
        records: u32,
    },
    /// An entry of the footer does not fit.
    #[error(
        "the file is damaged: footer entry {entry} gives record {record} the size {size}: {problem}"
    )]
    Footer {
        /// Its place, from 0.
        entry: u64,
        /// The record it is about.
        record: u32,
        /// What it says.
        size: i32,
        /// What is wrong.
        problem: String,
    },
    /// The opening moves cannot be played.
    #[error("the file is damaged: opening move {number} ({word:#06x}) {problem}, after {line}")]
    Prolog {
        /// Its place, from 1.
        number: usize,
        /// The move as it is written.
        word: u16,
        /// What is wrong.
        problem: &'static str,
        /// The moves before it.
        line: String,
    },
    /// A null move, which gives the move to the other side.
    #[error("the null move (0xfedc) in the opening is not supported")]
    Null,
    /// A link leads nowhere, or pointers in a circle.
    #[error("the file is damaged: a link of record {0} leads astray")]
    Link(u32),
}

/// The words of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) data: u32,
    pub(super) mv: u16,
}

/// A Watkins file, open for reading. What is kept in memory does not grow with the file.
#[derive(Debug)]
pub struct WinTree<R> {
    source: R,
    window: Vec<u8>,
    window_at: u64,
    base: u64,
    root: u32,
    records: u32,
    present: u32,
    footer: u64,
    prolog: Vec<u16>,
    /// Records that were read, each time that they were.
    reads: u64,
}

impl<R: Read + Seek> WinTree<R> {
    /// Reads the header and compares it with the length of the file. A file that ends inside its records is opened, too: the walk tells
    /// where it ends.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is none of this format.
    pub fn open(mut source: R) -> Result<Self, FileError> {
        let len = source.seek(SeekFrom::End(0))?;
        let mut tree = Self {
            source,
            window: Vec::new(),
            window_at: 0,
            base: 0,
            root: 0,
            records: 0,
            present: 0,
            footer: 0,
            prolog: Vec::new(),
            reads: 0,
        };
        if len < HEAD_BYTES {
            return Err(FileError::Short("header"));
        }
        tree.root = u32::from_le_bytes(tree.bytes(0)?);
        tree.records = tree.root & INDEX;
        if tree.records == 0 || tree.records > MAX_RECORDS {
            return Err(FileError::Records(tree.records));
        }
        if tree.root >> 31 != 0 || (tree.root & MORE == 0 && tree.records > 1) {
            return Err(FileError::Root(tree.root));
        }
        let prolog = u64::from(u16::from_le_bytes(tree.bytes(4)?));
        tree.base = HEAD_BYTES + 2 * prolog;
        if len < tree.base {
            return Err(FileError::Short("opening moves"));
        }
        for place in 0..prolog {
            let word = u16::from_le_bytes(tree.bytes(HEAD_BYTES + 2 * place)?);
            tree.prolog.push(word);
        }
        let rest = len - tree.base;
        let wanted = RECORD_BYTES * u64::from(tree.records - 1);
        let present = rest.min(wanted) / RECORD_BYTES;
        tree.present = u32::try_from(present).unwrap_or(MAX_RECORDS) + 1;
        let trailing = rest.saturating_sub(wanted);
        if !trailing.is_multiple_of(FOOTER_BYTES) {
            return Err(FileError::Trailing {
                bytes: trailing,
                records: tree.records,
            });
        }
        tree.footer = trailing / FOOTER_BYTES;
        Ok(tree)
    }

    /// The number of records, the root included.
    #[must_use]
    pub fn records(&self) -> u32 {
        self.records
    }

    /// The number of footer entries: sizes of subtrees that were counted beforehand.
    #[must_use]
    pub fn footer(&self) -> u64 {
        self.footer
    }

    /// Records that the file holds, the root included: fewer than it should if it was cut off.
    pub(super) fn present(&self) -> u32 {
        self.present
    }

    /// How many records were read so far, counted each time that they were.
    pub(super) fn reads(&self) -> u64 {
        self.reads
    }

    pub(super) fn has_root_child(&self) -> bool {
        self.root & MORE != 0
    }

    pub(super) fn prolog_words(&self) -> &[u16] {
        &self.prolog
    }

    /// Plays the opening moves.
    ///
    /// # Errors
    ///
    /// One of them is illegal.
    pub fn prolog(&self, ruleset: Ruleset) -> Result<(Game, Vec<Move>), FileError> {
        let mut game = Game::initial(ruleset);
        let mut moves = Vec::new();
        for (&word, number) in self.prolog.iter().zip(1..) {
            let wrong = |problem| FileError::Prolog {
                number,
                word,
                problem,
                line: super::defect::line_from_start(&moves, ruleset),
            };
            let mv = match read_move(word) {
                Played::Move(mv) => mv,
                Played::Null => return Err(FileError::Null),
                Played::Unsolved(_) => return Err(wrong("is marked as not solved")),
                Played::NoMove => return Err(wrong("is no move")),
            };
            if game.play(mv).is_err() {
                return Err(wrong("is illegal"));
            }
            moves.push(mv);
        }
        Ok((game, moves))
    }

    /// The record `index`, which must be present and not the root.
    pub(super) fn record(&mut self, index: u32) -> Result<Record, FileError> {
        self.reads += 1;
        let at = self.base + RECORD_BYTES * (u64::from(index) - 1);
        let [data @ .., low, high] = self.bytes::<6>(at)?;
        Ok(Record {
            data: u32::from_le_bytes(data),
            mv: u16::from_le_bytes([low, high]),
        })
    }

    /// The moves from the root to a record, as far as the links lead there.
    pub(super) fn line_to(&mut self, wanted: u32) -> Vec<Move> {
        let mut line = Vec::new();
        let mut at = 1;
        while at < self.present {
            let Ok(record) = self.record(at) else {
                break;
            };
            let data = Data::read(at, record.data);
            match data.next {
                Some(next) if at < next && next <= wanted => at = next,
                _ => {
                    if let Played::Move(mv) | Played::Unsolved(mv) = read_move(record.mv) {
                        line.push(mv);
                    }
                    if at >= wanted || data.below != Below::Child {
                        break;
                    }
                    at += 1;
                }
            }
        }
        line
    }

    /// The record and the size of a footer entry.
    pub(super) fn footer_entry(&mut self, entry: u64) -> Result<(u32, i32), FileError> {
        let records = RECORD_BYTES * u64::from(self.records - 1);
        let at = self.base + records + FOOTER_BYTES * entry;
        let record = u32::from_le_bytes(self.bytes(at)?);
        Ok((record, i32::from_le_bytes(self.bytes(at + 4)?)))
    }

    fn bytes<const LEN: usize>(&mut self, at: u64) -> Result<[u8; LEN], FileError> {
        let inside = |tree: &Self| {
            let start = usize::try_from(at.checked_sub(tree.window_at)?).ok()?;
            tree.window.get(start..)?.first_chunk::<LEN>().copied()
        };
        if let Some(bytes) = inside(self) {
            return Ok(bytes);
        }
        self.source.seek(SeekFrom::Start(at))?;
        self.window.clear();
        self.window_at = at;
        let mut window = (&mut self.source).take(WINDOW_BYTES as u64);
        window.read_to_end(&mut self.window)?;
        inside(self).ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof).into())
    }
}
