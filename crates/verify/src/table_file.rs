//! Reading a table file, format version 1.
//!
//! The header is read at once: its layout, then its checksum, then the meaning of each field against what the ruleset and
//! the material ask for. Blocks are read one by one, when they are needed, each with its own checksum; what is in them is as
//! untrusted as any claim. No number in the header is believed before it is compared with the length of the file.

use std::fmt;

use crate::board::Color;
use crate::crc::crc64_xz;
use crate::ruleset::Ruleset;
use crate::table_error::TableError;
use crate::table_index::TableIndex;
use crate::table_material::{Material, has_tables};
use crate::table_value::{Code, MOST_PLIES, TableValue};

/// The version that is read.
pub(crate) const VERSION: u16 = 1;
const MAGIC: [u8; 8] = *b"\x89TKMTBL\n";
const METRIC: u8 = 1;
const MOST_BLOCK: u32 = 1 << 20;
/// Bytes of a block's length and checksum in the directory.
const DIRECTORY_ENTRY: usize = 12;
/// Bytes of an entry of the dictionary.
const DICTIONARY_ENTRY: usize = 3;

/// Gives the content of one zstd frame, which should have the length named; an error says what is wrong with the frame.
///
/// The length of what is returned is checked, so that it need not be exact; it should not be much greater.
pub type Decompress = fn(&[u8], usize) -> Result<Vec<u8>, String>;

/// What a table's header counts for one side to move, over all placements, those with a capture included.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Placements won for the side to move.
    pub wins: u64,
    /// Placements lost for it.
    pub losses: u64,
    /// Drawn placements.
    pub draws: u64,
    /// Plies of the longest win; 0 if there is none.
    pub longest_win: u16,
    /// Plies of the longest loss; 0 if there is none.
    pub longest_loss: u16,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} wins, {} losses, {} draws, at most {} and {} plies",
            self.wins, self.losses, self.draws, self.longest_win, self.longest_loss
        )
    }
}

/// A table file whose header is in order. `B` holds the bytes of the whole file.
pub struct TableFile<B> {
    bytes: B,
    decompress: Decompress,
    ruleset: Ruleset,
    material: Material,
    index: TableIndex,
    symbol_bytes: usize,
    block_cells: usize,
    counts: Vec<Counts>,
    dictionary: Vec<Code>,
    /// For each side to move its blocks.
    blocks: Vec<Vec<Block>>,
}

/// Where a block lies in the file.
struct Block {
    start: usize,
    len: usize,
    checksum: u64,
}

impl<B> fmt::Debug for TableFile<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableFile")
            .field("ruleset", &self.ruleset)
            .field("material", &self.material.name())
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl<B: AsRef<[u8]>> TableFile<B> {
    /// Reads the header of a file that should be the table of a ruleset and a material; checks nothing of what the table
    /// claims, nor its blocks.
    ///
    /// # Errors
    ///
    /// [`TableError`], whatever the bytes are.
    pub fn read(
        bytes: B,
        ruleset: Ruleset,
        name: &str,
        decompress: Decompress,
    ) -> Result<Self, TableError> {
        if !has_tables(ruleset) {
            return Err(TableError::NoTables(ruleset));
        }
        let material =
            Material::from_name(name).ok_or_else(|| TableError::NotAMaterial(name.to_owned()))?;
        let layout = Layout::read(bytes.as_ref())?;
        layout.judge_identity(ruleset, &material)?;
        let index = TableIndex::new(&material);
        layout.judge_sizes(&material, index.cells())?;
        Ok(Self {
            counts: layout.counts()?,
            dictionary: read_dictionary(layout.dictionary)?,
            blocks: layout.blocks(bytes.as_ref().len())?,
            symbol_bytes: usize::from(layout.symbol_bytes),
            block_cells: usize::try_from(layout.block_cells).unwrap_or(usize::MAX),
            bytes,
            decompress,
            ruleset,
            material,
            index,
        })
    }

    /// The codes of the cells of one block, in order. `side` must be one that [`TableFile::sides`] gives.
    pub(crate) fn block(&self, side: Color, number: usize) -> Result<Vec<Code>, TableError> {
        let damaged = |problem: String| TableError::Block {
            side,
            number,
            problem,
        };
        let block = self.blocks_of(side).get(number);
        let block = block.ok_or_else(|| damaged("does not exist".to_owned()))?;
        let end = block.start.saturating_add(block.len);
        let frame = self.bytes.as_ref().get(block.start..end);
        let frame = frame.ok_or_else(|| damaged("lies beyond the end of the file".to_owned()))?;
        let found = crc64_xz(frame);
        if found != block.checksum {
            let stated = block.checksum;
            return Err(damaged(format!(
                "has checksum {found:016x}, but {stated:016x} is stated"
            )));
        }
        let first_cell = number.saturating_mul(self.block_cells);
        let cells = self.index.cells().saturating_sub(first_cell);
        let expected = cells
            .min(self.block_cells)
            .saturating_mul(self.symbol_bytes);
        let content = (self.decompress)(frame, expected)
            .map_err(|problem| damaged(format!("cannot be decompressed: {problem}")))?;
        if content.len() != expected {
            let found = content.len();
            return Err(damaged(format!("has {found} bytes instead of {expected}")));
        }
        let code = |symbol: &[u8]| {
            let symbol = match *symbol {
                [low] => usize::from(low),
                [low, high] => usize::from(u16::from_le_bytes([low, high])),
                _ => usize::MAX,
            };
            let code = self.dictionary.get(symbol).copied();
            code.ok_or_else(|| {
                damaged(format!(
                    "has symbol {symbol}, which the dictionary does not have"
                ))
            })
        };
        content.chunks(self.symbol_bytes).map(code).collect()
    }
}

impl<B> TableFile<B> {
    /// The table's ruleset.
    #[must_use]
    pub const fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// The material's name.
    #[must_use]
    pub fn name(&self) -> String {
        self.material.name()
    }

    /// The number of cells, used or not, of all sides to move that the table stores.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.index.cells().saturating_mul(self.blocks.len())
    }

    /// What the header counts: for White to move, and then for Black, unless both sides have the same men.
    #[must_use]
    pub fn counts(&self) -> &[Counts] {
        &self.counts
    }

    pub(crate) const fn material(&self) -> &Material {
        &self.material
    }

    pub(crate) const fn index(&self) -> &TableIndex {
        &self.index
    }

    /// The sides to move that the table stores.
    pub(crate) fn sides(&self) -> impl Iterator<Item = Color> + use<B> {
        let both = [Color::White, Color::Black];
        both.into_iter().take(self.blocks.len())
    }

    /// The number of blocks of a side to move.
    pub(crate) fn block_count(&self, side: Color) -> usize {
        self.blocks_of(side).len()
    }

    /// The block of a cell and the cell's place in it.
    pub(crate) fn locate(&self, cell: usize) -> (usize, usize) {
        // A block of no cells has been refused.
        let number = cell.checked_div(self.block_cells);
        let place = cell.checked_rem(self.block_cells);
        (number.unwrap_or_default(), place.unwrap_or_default())
    }

    fn blocks_of(&self, side: Color) -> &[Block] {
        let place = usize::from(side == Color::Black);
        self.blocks.get(place).map_or(&[], Vec::as_slice)
    }
}

/// The fields of a header as bytes and numbers, from a header whose checksum is right.
struct Layout<'a> {
    ruleset: u8,
    metric: u8,
    name: [u8; 8],
    sides: u8,
    symbol_bytes: u8,
    symbols: u16,
    cells: u64,
    block_cells: u32,
    counts: &'a [u8],
    dictionary: &'a [u8],
    directory: &'a [u8],
    header_len: usize,
}

impl<'a> Layout<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, TableError> {
        if bytes.iter().zip(MAGIC).any(|(&byte, magic)| byte != magic) || bytes.is_empty() {
            return Err(TableError::NotATable);
        }
        let mut reader = Reader { rest: bytes };
        reader.take(MAGIC.len(), "the magic")?;
        let version = u16::from_le_bytes(reader.array("the version")?);
        if version != VERSION {
            return Err(TableError::UnsupportedVersion(version));
        }
        let [ruleset, metric] = reader.array("the ruleset and metric")?;
        let name = reader.array("the name")?;
        let [sides, symbol_bytes] = reader.array("the sides and symbol width")?;
        let symbols = u16::from_le_bytes(reader.array("the number of symbols")?);
        let cells = u64::from_le_bytes(reader.array("the number of cells")?);
        let block_cells = u32::from_le_bytes(reader.array("the block size")?);
        // What follows has the length that these three fields give; whether they are right is judged after the checksum.
        let blocks = cells
            .checked_next_multiple_of(u64::from(block_cells.max(1)))
            .and_then(|cells| cells.checked_div(u64::from(block_cells.max(1))))
            .and_then(|blocks| blocks.checked_mul(u64::from(sides)))
            .and_then(|blocks| usize::try_from(blocks).ok())
            .unwrap_or(usize::MAX);
        let counts = reader.take(usize::from(sides).saturating_mul(28), "the counts")?;
        let dictionary = usize::from(symbols).saturating_mul(DICTIONARY_ENTRY);
        let dictionary = reader.take(dictionary, "the dictionary")?;
        let directory = blocks.saturating_mul(DIRECTORY_ENTRY);
        let directory = reader.take(directory, "the list of blocks")?;
        let summed = bytes.len().saturating_sub(reader.rest.len());
        let stated = u64::from_le_bytes(reader.array("the header's checksum")?);
        let found = crc64_xz(bytes.get(..summed).unwrap_or_default());
        if stated != found {
            return Err(TableError::HeaderChecksum { stated, found });
        }
        Ok(Self {
            ruleset,
            metric,
            name,
            sides,
            symbol_bytes,
            symbols,
            cells,
            block_cells,
            counts,
            dictionary,
            directory,
            header_len: bytes.len().saturating_sub(reader.rest.len()),
        })
    }

    /// Whether the table is the one asked for.
    fn judge_identity(&self, ruleset: Ruleset, material: &Material) -> Result<(), TableError> {
        let stated = Ruleset::from_code(self.ruleset)
            .filter(|&ruleset| has_tables(ruleset))
            .ok_or(TableError::UnknownRuleset(self.ruleset))?;
        if stated != ruleset {
            return Err(TableError::OtherRuleset {
                stated,
                expected: ruleset,
            });
        }
        if self.metric != METRIC {
            return Err(TableError::UnknownMetric(self.metric));
        }
        let expected = material.name();
        let padded = expected.bytes().chain(std::iter::repeat(0));
        if self.name.iter().copied().zip(padded).any(|(a, b)| a != b) {
            let stated = String::from_utf8_lossy(&self.name);
            return Err(TableError::OtherMaterial {
                stated: stated.trim_end_matches('\0').to_owned(),
                expected,
            });
        }
        Ok(())
    }

    /// Whether the numbers are those of the material.
    fn judge_sizes(&self, material: &Material, cells: usize) -> Result<(), TableError> {
        let judge = |field, stated: u64, is_right: bool, expected: &dyn fmt::Display| {
            if is_right {
                return Ok(());
            }
            Err(TableError::Field {
                field,
                stated,
                expected: expected.to_string(),
            })
        };
        let sides = if material.is_symmetric() { 1 } else { 2 };
        let cells = u64::try_from(cells).unwrap_or(u64::MAX);
        let (width, block) = (self.symbol_bytes, self.block_cells);
        judge(
            "the number of sides",
            self.sides.into(),
            self.sides == sides,
            &sides,
        )?;
        judge(
            "the width of a symbol",
            width.into(),
            matches!(width, 1 | 2),
            &"1 or 2",
        )?;
        judge(
            "the number of symbols",
            self.symbols.into(),
            self.symbols > 0,
            &"at least 1",
        )?;
        judge(
            "the number of cells",
            self.cells,
            self.cells == cells,
            &cells,
        )?;
        judge(
            "the block size",
            block.into(),
            (1..=MOST_BLOCK).contains(&block),
            &format_args!("1 to {MOST_BLOCK}"),
        )
    }

    fn counts(&self) -> Result<Vec<Counts>, TableError> {
        let mut reader = Reader { rest: self.counts };
        let mut counts = Vec::new();
        while !reader.rest.is_empty() {
            counts.push(Counts {
                wins: u64::from_le_bytes(reader.array("the counts")?),
                losses: u64::from_le_bytes(reader.array("the counts")?),
                draws: u64::from_le_bytes(reader.array("the counts")?),
                longest_win: u16::from_le_bytes(reader.array("the counts")?),
                longest_loss: u16::from_le_bytes(reader.array("the counts")?),
            });
        }
        Ok(counts)
    }

    /// The blocks of each side, which must fill the rest of a file of that length.
    fn blocks(&self, file_len: usize) -> Result<Vec<Vec<Block>>, TableError> {
        let mut blocks = Vec::new();
        let mut reader = Reader {
            rest: self.directory,
        };
        let mut start = self.header_len;
        while !reader.rest.is_empty() {
            let len = u32::from_le_bytes(reader.array("the list of blocks")?);
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            let checksum = u64::from_le_bytes(reader.array("the list of blocks")?);
            blocks.push(Block {
                start,
                len,
                checksum,
            });
            start = start.saturating_add(len);
        }
        let missing = start.saturating_sub(file_len);
        if missing > 0 {
            return Err(TableError::Truncated("the blocks"));
        }
        let trailing = file_len.saturating_sub(start);
        if trailing > 0 {
            let trailing = u64::try_from(trailing).unwrap_or(u64::MAX);
            return Err(TableError::TrailingBytes(trailing));
        }
        if self.sides == 1 {
            return Ok(vec![blocks]);
        }
        let second = blocks.split_off(blocks.len() >> 1);
        Ok(vec![blocks, second])
    }
}

/// The codes of the symbols.
fn read_dictionary(bytes: &[u8]) -> Result<Vec<Code>, TableError> {
    let mut codes = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (entry, field) in bytes.chunks(DICTIONARY_ENTRY).enumerate() {
        let wrong = |problem| TableError::Dictionary { entry, problem };
        let &[kind, low, high] = field else {
            return Err(TableError::Truncated("the dictionary"));
        };
        let plies = u16::from_le_bytes([low, high]);
        let value = match kind {
            0 if plies == 0 => TableValue::Draw,
            0 => return Err(wrong("is a draw in a number of plies")),
            1 | 3 => TableValue::Win {
                plies,
                spoiled: kind == 3,
            },
            2 | 4 => TableValue::Loss {
                plies,
                spoiled: kind == 4,
            },
            _ => return Err(wrong("has an unknown kind")),
        };
        if plies > MOST_PLIES {
            return Err(wrong("has more plies than are supported, 8000"));
        }
        if !seen.insert((kind, plies)) {
            return Err(wrong("repeats an earlier one"));
        }
        codes.push(Code::of(value));
    }
    Ok(codes)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize, field: &'static str) -> Result<&'a [u8], TableError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(TableError::Truncated(field))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], TableError> {
        let (&taken, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(TableError::Truncated(field))?;
        self.rest = rest;
        Ok(taken)
    }
}

#[cfg(test)]
#[path = "table_file_tests.rs"]
mod tests;
