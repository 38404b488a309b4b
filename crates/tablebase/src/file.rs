//! Table files: `FORMAT.md`, from and to bytes.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use crc::{CRC_64_XZ, Crc};
use rules::{Color, Ruleset};
use sha2::{Digest, Sha256};

use crate::{
    Error, Result,
    catalog::Shape,
    value::{MAX_PLIES, Value, Wdl},
    work::{Counts, Dense},
};

const MAGIC: [u8; 8] = *b"\x89TKMTBL\n";
const VERSION: u16 = 1;
/// Plies to the end of the game.
const METRIC_DTW: u8 = 1;
const NAME_BYTES: usize = 8;
const FIXED_BYTES: usize = 36;
const COUNTS_BYTES: usize = 28;
/// Cells a block in files that we write: enough to compress well, few enough to unpack for one probe.
const BLOCK_CELLS: u32 = 1 << 15;
const MAX_BLOCK_CELLS: u32 = 1 << 20;
/// Measured on `KQRvN` and `KBNvK`: 15 saves a tenth more and takes a second more a table, 19 two and a half.
const COMPRESSION_LEVEL: i32 = 9;

static CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// SHA-256 of a table file.
pub type Hash = [u8; 32];

/// A table file: its header, and its blocks on demand.
#[derive(Debug)]
pub(crate) struct TableFile {
    path: PathBuf,
    file: File,
    sides: usize,
    wide: bool,
    cells: u32,
    block: u32,
    counts: Vec<Counts>,
    dictionary: Vec<Value>,
    /// Where each block begins and how long it is, and its checksum.
    blocks: Vec<(u64, usize, u64)>,
}

/// The unpacked symbols of one block.
pub(crate) type Block = Box<[u8]>;

/// Takes fields off the front of a header.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

/// What is to be read, in errors.
struct Reading<'a> {
    path: &'a Path,
}

impl Reading<'_> {
    fn damaged(&self, reason: impl Into<String>) -> Error {
        Error::Damaged {
            path: self.path.to_owned(),
            reason: reason.into(),
        }
    }

    fn io(&self, source: io::Error) -> Error {
        if source.kind() == io::ErrorKind::UnexpectedEof {
            return self.damaged("it is cut short");
        }
        Error::Io {
            path: self.path.to_owned(),
            source,
        }
    }
}

impl TableFile {
    /// Opens the file of a table of `shape` and checks its header.
    pub(crate) fn open(path: &Path, ruleset: Ruleset, shape: &Shape) -> Result<Self> {
        let reading = Reading { path };
        let mut file = File::open(path).map_err(|error| reading.io(error))?;
        let mut fixed = [0; FIXED_BYTES];
        file.read_exact(&mut fixed)
            .map_err(|error| reading.io(error))?;
        let (sides, wide, symbols, block) = read_fixed(&reading, &fixed, ruleset, shape)?;
        let cells = shape.layout.cells;
        let blocks = sides * cells.div_ceil(block) as usize;
        let len = FIXED_BYTES + sides * COUNTS_BYTES + 3 * symbols + 12 * blocks + 8;
        let mut header = vec![0; len];
        header[..FIXED_BYTES].copy_from_slice(&fixed);
        file.read_exact(&mut header[FIXED_BYTES..])
            .map_err(|error| reading.io(error))?;
        let (content, sum) = header.split_at(len - 8);
        if CRC.checksum(content).to_le_bytes() != *sum {
            return Err(reading.damaged("its header's checksum is wrong"));
        }
        let mut fields = Fields(&content[FIXED_BYTES..]);
        let wrong = |what: &str| reading.damaged(format!("its {what} make no sense"));
        let counts = (0..sides)
            .map(|_| read_counts(&mut fields))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| wrong("counts"))?;
        let dictionary = (0..symbols)
            .map(|_| read_entry(&mut fields))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| wrong("symbols"))?;
        let mut values: Vec<u16> = dictionary.iter().map(|value| value.bits()).collect();
        values.sort_unstable();
        if values.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(reading.damaged("its dictionary has an entry twice"));
        }
        let mut offset = len as u64;
        let mut index = Vec::with_capacity(blocks);
        for _ in 0..blocks {
            let (Some(length), Some(sum)) = (fields.u32(), fields.u64()) else {
                return Err(wrong("blocks"));
            };
            index.push((offset, length as usize, sum));
            offset += u64::from(length);
        }
        let found = file.metadata().map_err(|error| reading.io(error))?.len();
        if found != offset {
            return Err(reading.damaged(format!("it has {found} bytes, and should have {offset}")));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            sides,
            wide,
            cells,
            block,
            counts,
            dictionary,
            blocks: index,
        })
    }

    /// The number, among the file's blocks, of that which holds the cell, and the cell's place in it.
    ///
    /// # Panics
    ///
    /// If the side is not stored, or there is no such cell.
    #[inline]
    pub(crate) fn locate(&self, side: Color, index: u32) -> (usize, usize) {
        assert!(
            side.index() < self.sides && index < self.cells,
            "cells are asked that there are"
        );
        let blocks = self.cells.div_ceil(self.block) as usize;
        let block = side.index() * blocks + (index / self.block) as usize;
        (block, (index % self.block) as usize)
    }

    /// Reads and unpacks a block.
    pub(crate) fn read_block(&self, number: usize) -> Result<Block> {
        let reading = Reading { path: &self.path };
        let (offset, length, sum) = self.blocks[number];
        let mut packed = vec![0; length];
        self.file
            .read_exact_at(&mut packed, offset)
            .map_err(|error| reading.io(error))?;
        if CRC.checksum(&packed) != sum {
            return Err(reading.damaged(format!("the checksum of block {number} is wrong")));
        }
        let first =
            (number % self.cells.div_ceil(self.block) as usize) as u64 * u64::from(self.block);
        let cells = u64::from(self.block).min(u64::from(self.cells) - first);
        let bytes = usize::try_from(cells).unwrap_or(0) * (1 + usize::from(self.wide));
        match unpack(&packed, bytes) {
            Ok(block) => Ok(block.into_boxed_slice()),
            Err(error) => {
                Err(reading.damaged(format!("block {number} cannot be unpacked: {error}")))
            }
        }
    }

    /// The value of the cell at a place of a block.
    #[inline]
    pub(crate) fn value(&self, block: &Block, place: usize) -> Result<Value> {
        let symbol = if self.wide {
            u16::from_le_bytes([block[2 * place], block[2 * place + 1]])
        } else {
            u16::from(block[place])
        };
        self.dictionary
            .get(usize::from(symbol))
            .copied()
            .ok_or_else(|| {
                Reading { path: &self.path }.damaged(format!("there is no symbol {symbol}"))
            })
    }

    /// The file's length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.blocks
            .last()
            .map_or(0, |&(offset, length, _)| offset + length as u64)
    }

    /// What the file says of the table's positions with `side` to move.
    pub(crate) fn counts(&self, side: Color) -> Counts {
        self.counts[side.index().min(self.sides - 1)]
    }

    /// All cells, as they are kept.
    pub(crate) fn read_cells(&self, shape: &Shape) -> Result<Dense> {
        let mut sides: [Vec<u16>; 2] = Default::default();
        let blocks = self.cells.div_ceil(self.block) as usize;
        for (side, cells) in sides.iter_mut().enumerate().take(self.sides) {
            cells.reserve_exact(self.cells as usize);
            for number in 0..blocks {
                let block = self.read_block(side * blocks + number)?;
                for place in 0..block.len() / (1 + usize::from(self.wide)) {
                    cells.push(self.value(&block, place)?.bits());
                }
            }
        }
        if self.sides == 1 {
            sides[1] = exchanged(shape, &sides[0]);
        }
        Ok(Dense::quiet(sides))
    }
}

/// The cells of a symmetric table with Black to move, from those with White to move.
fn exchanged(shape: &Shape, white: &[u16]) -> Vec<u16> {
    let layout = &shape.layout;
    (0..layout.cells)
        .map(|index| {
            let other = shape.exchange(layout.squares(index));
            white[layout.place(other).index as usize]
        })
        .collect()
}

fn read_fixed(
    reading: &Reading<'_>,
    fixed: &[u8; FIXED_BYTES],
    ruleset: Ruleset,
    shape: &Shape,
) -> Result<(usize, bool, usize, u32)> {
    let short = || reading.damaged("it is cut short");
    let mut fields = Fields(fixed);
    if fields.take() != Some(MAGIC) {
        return Err(reading.damaged("it is no table file"));
    }
    let version = fields.u16().ok_or_else(short)?;
    let unknown = |what, found, known| Error::Unknown {
        path: reading.path.to_owned(),
        what,
        found,
        known,
    };
    if version != VERSION {
        return Err(unknown("version", version, VERSION));
    }
    let [code, metric] = fields.take().ok_or_else(short)?;
    if metric != METRIC_DTW {
        return Err(unknown("metric", metric.into(), METRIC_DTW.into()));
    }
    let name: [u8; NAME_BYTES] = fields.take().ok_or_else(short)?;
    check_identity(reading, (code, &name), ruleset, shape)?;
    let [sides, width] = fields.take().ok_or_else(short)?;
    let symbols = fields.u16().ok_or_else(short)?;
    let cells = fields.u64().ok_or_else(short)?;
    let block = fields.u32().ok_or_else(short)?;
    let sides_right = usize::from(sides) == stored_sides(shape);
    if !sides_right
        || !matches!(width, 1 | 2)
        || symbols == 0
        || cells != u64::from(shape.layout.cells)
        || !(1..=MAX_BLOCK_CELLS).contains(&block)
    {
        return Err(reading.damaged("its header makes no sense"));
    }
    Ok((sides.into(), width == 2, symbols.into(), block))
}

fn check_identity(
    reading: &Reading<'_>,
    (code, name): (u8, &[u8; NAME_BYTES]),
    ruleset: Ruleset,
    shape: &Shape,
) -> Result<()> {
    let expected = shape.material.to_string();
    if code == ruleset.code() && *name == padded(&expected) {
        return Ok(());
    }
    let of = Ruleset::from_code(code).map_or("an unknown ruleset", Ruleset::name);
    let name = String::from_utf8_lossy(name);
    Err(Error::Misplaced {
        path: reading.path.to_owned(),
        found: format!("{} under {of}", name.trim_end_matches('\0')),
        expected: format!("{expected} under {}", ruleset.name()),
    })
}

fn padded(name: &str) -> [u8; NAME_BYTES] {
    let mut bytes = [0; NAME_BYTES];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    bytes
}

fn stored_sides(shape: &Shape) -> usize {
    if shape.material.is_symmetric() { 1 } else { 2 }
}

fn read_counts(fields: &mut Fields<'_>) -> Option<Counts> {
    Some(Counts {
        wins: fields.u64()?,
        losses: fields.u64()?,
        draws: fields.u64()?,
        longest_win: fields.u16()?,
        longest_loss: fields.u16()?,
    })
}

fn read_entry(fields: &mut Fields<'_>) -> Option<Value> {
    let [kind] = fields.take()?;
    let plies = fields.u16().filter(|&plies| plies <= MAX_PLIES)?;
    match kind {
        0 if plies == 0 => Some(Value::DRAW),
        1 => Some(Value::win(plies)),
        2 => Some(Value::loss(plies)),
        3 => Some(Value::win(plies).spoiled(true)),
        4 => Some(Value::loss(plies).spoiled(true)),
        _ => None,
    }
}

/// SHA-256 of a file.
pub(crate) fn hash_of(path: &Path) -> Result<Hash> {
    let reading = Reading { path };
    let mut file = File::open(path).map_err(|error| reading.io(error))?;
    let mut hasher = Sha256::new();
    io::copy(&mut file, &mut hasher).map_err(|error| reading.io(error))?;
    Ok(hasher.finalize().into())
}

/// Unpacks a zstd frame whose content has so many bytes.
///
/// # Errors
///
/// The frame is damaged, or its content has another length.
pub fn unpack(frame: &[u8], bytes: usize) -> io::Result<Vec<u8>> {
    let content = zstd::bulk::decompress(frame, bytes)?;
    if content.len() != bytes {
        let problem = format!("{} bytes instead of {bytes}", content.len());
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    Ok(content)
}

/// The bytes of a table's file.
pub(crate) fn encode(ruleset: Ruleset, shape: &Shape, table: &Dense) -> io::Result<Vec<u8>> {
    let sides = &Color::ALL[..stored_sides(shape)];
    let kept: Vec<Vec<u16>> = sides.iter().map(|&side| kept_cells(table, side)).collect();
    let (dictionary, symbol_of) = dictionary(&kept);
    let wide = dictionary.len() > 256;
    let mut packed = Vec::new();
    let mut index = Vec::new();
    let mut compressor = zstd::bulk::Compressor::new(COMPRESSION_LEVEL)?;
    for block in kept
        .iter()
        .flat_map(|cells| cells.chunks(BLOCK_CELLS as usize))
    {
        let frame = compressor.compress(&symbols(block, &symbol_of, wide))?;
        let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
        index.extend(length.to_le_bytes());
        index.extend(CRC.checksum(&frame).to_le_bytes());
        packed.extend(frame);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([ruleset.code(), METRIC_DTW]);
    bytes.extend(padded(&shape.material.to_string()));
    bytes.extend([u8::from(sides.len() == 2) + 1, 1 + u8::from(wide)]);
    bytes.extend(
        u16::try_from(dictionary.len())
            .map_err(io::Error::other)?
            .to_le_bytes(),
    );
    bytes.extend(u64::from(table.len()).to_le_bytes());
    bytes.extend(BLOCK_CELLS.to_le_bytes());
    for &side in sides {
        write_counts(&mut bytes, &table.counts(shape, side));
    }
    for value in dictionary {
        write_entry(&mut bytes, value);
    }
    bytes.extend(index);
    bytes.extend(CRC.checksum(&bytes).to_le_bytes());
    bytes.extend(packed);
    Ok(bytes)
}

/// In the bits of [`Value`]: no value of any position.
const NOT_KEPT: u16 = u16::MAX;

fn kept_cells(table: &Dense, side: Color) -> Vec<u16> {
    (0..table.len())
        .map(|index| table.kept(side, index).map_or(NOT_KEPT, Value::bits))
        .collect()
}

/// The values that occur, the most frequent first, and for the bits of each its place.
fn dictionary(kept: &[Vec<u16>]) -> (Vec<Value>, Vec<u16>) {
    let mut numbers = vec![0_u64; usize::from(NOT_KEPT) + 1];
    for &bits in kept.iter().flatten() {
        numbers[usize::from(bits)] += 1;
    }
    numbers[usize::from(NOT_KEPT)] = 0;
    let mut occurring: Vec<u16> = (0..NOT_KEPT)
        .filter(|&bits| numbers[usize::from(bits)] > 0)
        .collect();
    occurring.sort_by_key(|&bits| std::cmp::Reverse(numbers[usize::from(bits)]));
    if occurring.is_empty() {
        occurring.push(Value::DRAW.bits());
    }
    let mut places = vec![0; usize::from(NOT_KEPT) + 1];
    for (place, &bits) in (0..).zip(&occurring) {
        places[usize::from(bits)] = place;
    }
    (
        occurring.into_iter().map(Value::from_bits).collect(),
        places,
    )
}

/// A block's symbols. Cells that are not kept repeat the one before them, which costs next to nothing.
fn symbols(block: &[u16], symbol_of: &[u16], wide: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(block.len() * 2);
    let first = block.iter().find(|&&bits| bits != NOT_KEPT);
    let mut last = first.map_or(0, |&bits| symbol_of[usize::from(bits)]);
    for &bits in block {
        if bits != NOT_KEPT {
            last = symbol_of[usize::from(bits)];
        }
        let [low, high] = last.to_le_bytes();
        bytes.push(low);
        if wide {
            bytes.push(high);
        }
    }
    bytes
}

fn write_counts(bytes: &mut Vec<u8>, counts: &Counts) {
    for number in [counts.wins, counts.losses, counts.draws] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(counts.longest_win.to_le_bytes());
    bytes.extend(counts.longest_loss.to_le_bytes());
}

fn write_entry(bytes: &mut Vec<u8>, value: Value) {
    let kind = match (value.wdl(), value.is_spoiled()) {
        (Wdl::Draw, _) => 0,
        (Wdl::Win, false) => 1,
        (Wdl::Loss, false) => 2,
        (Wdl::Win, true) => 3,
        (Wdl::Loss, true) => 4,
    };
    bytes.push(kind);
    bytes.extend(value.dtw().unwrap_or(0).to_le_bytes());
}

/// How the names of files begin that are being written.
pub(crate) const UNFINISHED: &str = ".tmp-";

/// Writes a file that appears whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(folder)
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
