//! Strategy pages: sorted records packed into at most [`MAX_BYTES`] bytes. The layout is specified in `FORMAT.md`.
//!
//! Keys are an Elias–Fano code (Elias 1974, Fano 1971: low bits plain, high bits in unary), so a page is searched as it
//! stands, and a set kept in memory takes what it takes in the file.

use crc::{CRC_64_XZ, Crc, Table};
use proof::{Entry, Plies};
use rules::Color;
use thiserror::Error;

use crate::{Basis, SetKey, StoredRecord, move_code, move_code::MOVE_BITS};

mod bits;
mod builder;

pub(crate) use builder::{Built, ImpossibleMove, PageBuilder};

/// The largest page: with the other columns of its row it fits the local payload of a 4096-byte table leaf.
pub(crate) const MAX_BYTES: usize = 4040;

const FORMAT: u8 = 1;
const HEADER_BYTES: usize = 24;
const CHECKSUM_BYTES: usize = 8;
const CRC: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// Why bytes are no page of their set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub(crate) enum PageError {
    /// The format byte is not known.
    #[error("page format {0} is not known here")]
    Format(u8),
    /// The bytes are too few or too many.
    #[error("a page of {0} bytes")]
    Length(usize),
    /// The bytes were changed, or belong to another set.
    #[error("the checksum does not fit")]
    Checksum,
    /// A field has a value that no writer gives it.
    #[error("a bad {0}")]
    Field(&'static str),
}

/// Where the columns of a page lie; all that its header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    first_key: u64,
    last_key: u64,
    count: u16,
    height_min: u16,
    low_bits: u8,
    height_bits: u8,
}

impl Layout {
    /// `M`: the greatest high part of a key.
    fn max_high(&self) -> u64 {
        (self.last_key - self.first_key) >> self.low_bits
    }

    /// Bits of the highs; `None` if they are more than a page has.
    fn high_len(&self) -> Option<usize> {
        let max_high = usize::try_from(self.max_high()).ok()?;
        (max_high <= 8 * MAX_BYTES).then(|| max_high + usize::from(self.count))
    }

    /// The offsets of highs, lows, moves, heights, checks and checksum.
    fn offsets(&self) -> Option<[usize; 6]> {
        let count = usize::from(self.count);
        let mut at = HEADER_BYTES;
        let mut offsets = [at; 6];
        let lens = [
            self.high_len()?.div_ceil(8),
            (count * usize::from(self.low_bits)).div_ceil(8),
            (count * MOVE_BITS as usize).div_ceil(8),
            (count * usize::from(self.height_bits)).div_ceil(8),
            count,
        ];
        for (offset, len) in offsets[1..].iter_mut().zip(lens) {
            at += len;
            *offset = at;
        }
        Some(offsets)
    }

    /// Bytes of the whole page.
    fn page_len(&self) -> Option<usize> {
        Some(self.offsets()?[5] + CHECKSUM_BYTES)
    }

    fn read(bytes: &[u8]) -> Result<Self, PageError> {
        let header = bytes
            .first_chunk::<HEADER_BYTES>()
            .ok_or(PageError::Length(bytes.len()))?;
        let [
            format,
            low_bits,
            c0,
            c1,
            h0,
            h1,
            height_bits,
            zero,
            keys @ ..,
        ] = header;
        let (first, last) = keys.split_at(8);
        let key = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let layout = Self {
            first_key: key(first),
            last_key: key(last),
            count: u16::from_le_bytes([*c0, *c1]),
            height_min: u16::from_le_bytes([*h0, *h1]),
            low_bits: *low_bits,
            height_bits: *height_bits,
        };
        if *format != FORMAT {
            return Err(PageError::Format(*format));
        }
        let single = layout.first_key == layout.last_key;
        let bad = [
            (layout.low_bits > 63, "width of keys"),
            (layout.height_bits > 16, "width of heights"),
            (*zero != 0, "reserved byte"),
            (layout.count == 0, "count"),
            (layout.first_key > layout.last_key, "order of keys"),
            (single != (layout.count == 1), "range of keys"),
        ];
        match bad.into_iter().find(|(is_bad, _)| *is_bad) {
            Some((_, field)) => Err(PageError::Field(field)),
            None => Ok(layout),
        }
    }

    fn write(&self, bytes: &mut [u8]) {
        bytes[0] = FORMAT;
        bytes[1] = self.low_bits;
        bytes[2..4].copy_from_slice(&self.count.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.height_min.to_le_bytes());
        bytes[6] = self.height_bits;
        bytes[8..16].copy_from_slice(&self.first_key.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.last_key.to_le_bytes());
    }
}

fn checksum(set: SetKey, body: &[u8]) -> u64 {
    let winner = u8::from(set.winner == Color::Black);
    let basis = u8::from(set.basis == Basis::Tables);
    let mut digest = CRC.digest();
    digest.update(&[set.ruleset.code(), winner | basis << 1]);
    digest.update(body);
    digest.finalize()
}

/// Gives bytes that are wrong in other ways a checksum that fits.
#[cfg(test)]
pub(crate) fn seal(set: SetKey, bytes: &mut [u8]) {
    let end = bytes.len() - CHECKSUM_BYTES;
    let sum = checksum(set, &bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
}

/// A page whose header, length and checksum are right. That its records are, only [`Page::validate`] tells; reading them never
/// panics.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    bytes: Box<[u8]>,
    layout: Layout,
}

impl Page {
    /// Checks `bytes` as a page of `set`.
    pub(crate) fn parse(set: SetKey, bytes: Box<[u8]>) -> Result<Self, PageError> {
        let layout = Layout::read(&bytes)?;
        if bytes.len() > MAX_BYTES || layout.page_len() != Some(bytes.len()) {
            return Err(PageError::Length(bytes.len()));
        }
        let (body, sum) = bytes
            .split_last_chunk::<CHECKSUM_BYTES>()
            .ok_or(PageError::Length(bytes.len()))?;
        if checksum(set, body) != u64::from_le_bytes(*sum) {
            return Err(PageError::Checksum);
        }
        Ok(Self { bytes, layout })
    }

    /// The records are as many as the header says, ascend from `first_key` to `last_key` and hold only what they may.
    pub(crate) fn validate(&self) -> Result<(), PageError> {
        let mut seen = 0;
        let mut last = None;
        for record in self.records() {
            let record = record?;
            if last.is_some_and(|last| last >= record.key) {
                return Err(PageError::Field("order of keys"));
            }
            if seen == 0 && record.key != self.layout.first_key {
                return Err(PageError::Field("first key"));
            }
            last = Some(record.key);
            seen += 1;
        }
        if seen != self.count() || last != Some(self.layout.last_key) {
            return Err(PageError::Field("last key"));
        }
        Ok(())
    }

    /// The number of records.
    pub(crate) fn count(&self) -> usize {
        usize::from(self.layout.count)
    }

    /// The key of the first record.
    pub(crate) fn first_key(&self) -> u64 {
        self.layout.first_key
    }

    /// The key of the last record.
    pub(crate) fn last_key(&self) -> u64 {
        self.layout.last_key
    }

    /// The bytes as they are stored.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The record with this key.
    pub(crate) fn find(&self, key: u64) -> Result<Option<StoredRecord>, PageError> {
        if key < self.layout.first_key || key > self.layout.last_key {
            return Ok(None);
        }
        let columns = self.columns();
        let low_bits = u32::from(self.layout.low_bits);
        let distance = key - self.layout.first_key;
        let high = distance >> low_bits;
        let low = distance & ((1 << low_bits) - 1);
        // The fields of one high part lie between two zeros, and so many zeros come before.
        let mut at = 0;
        if high > 0 {
            let zero = bits::select_zero(columns.highs, columns.high_len, high - 1);
            at = zero.ok_or(PageError::Field("highs"))? + 1;
        }
        let high = usize::try_from(high).map_err(|_| PageError::Field("highs"))?;
        while at < columns.high_len && bits::get(columns.highs, at, 1) == 1 {
            let index = at - high;
            if bits::get(columns.lows, index * low_bits as usize, low_bits) == low {
                return self.record(&columns, index, key).map(Some);
            }
            at += 1;
        }
        Ok(None)
    }

    /// The records in the order of their keys, or what is wrong with them.
    pub(crate) fn records(&self) -> impl Iterator<Item = Result<StoredRecord, PageError>> + '_ {
        let columns = self.columns();
        let mut from = 0;
        (0..).map_while(move |index| {
            let at = bits::next_one(columns.highs, columns.high_len, from)?;
            from = at + 1;
            let key = self.key_at(&columns, at, index);
            Some(key.and_then(|key| self.record(&columns, index, key)))
        })
    }

    fn key_at(&self, columns: &Columns<'_>, at: usize, index: usize) -> Result<u64, PageError> {
        if index >= self.count() {
            return Err(PageError::Field("count"));
        }
        let low_bits = u32::from(self.layout.low_bits);
        // `at − index` zeros come before, at most `M`, so the distance is below 2^64.
        let high = (at - index) as u64;
        let low = bits::get(columns.lows, index * low_bits as usize, low_bits);
        self.layout
            .first_key
            .checked_add(high << low_bits | low)
            .ok_or(PageError::Field("key"))
    }

    fn record(
        &self,
        columns: &Columns<'_>,
        index: usize,
        key: u64,
    ) -> Result<StoredRecord, PageError> {
        let height_bits = u32::from(self.layout.height_bits);
        #[expect(clippy::cast_possible_truncation, reason = "11 and at most 16 bits")]
        let (code, above) = (
            bits::get(columns.moves, index * MOVE_BITS as usize, MOVE_BITS) as u16,
            bits::get(columns.heights, index * height_bits as usize, height_bits) as u16,
        );
        let height = Plies(self.layout.height_min)
            .plus(above)
            .ok_or(PageError::Field("height"))?;
        let mv = move_code::decode(code).ok_or(PageError::Field("move"))?;
        let check = *columns.checks.get(index).ok_or(PageError::Field("count"))?;
        Ok(StoredRecord {
            key,
            check,
            entry: Entry { mv, height },
        })
    }

    fn columns(&self) -> Columns<'_> {
        let [highs, lows, moves, heights, checks, end] = self
            .layout
            .offsets()
            .expect("the layout fits the bytes, or it would not have been parsed");
        Columns {
            high_len: self.layout.high_len().expect("as above"),
            highs: &self.bytes[highs..lows],
            lows: &self.bytes[lows..moves],
            moves: &self.bytes[moves..heights],
            heights: &self.bytes[heights..checks],
            checks: &self.bytes[checks..end],
        }
    }
}

struct Columns<'a> {
    /// In bits.
    high_len: usize,
    highs: &'a [u8],
    lows: &'a [u8],
    moves: &'a [u8],
    heights: &'a [u8],
    checks: &'a [u8],
}

#[cfg(test)]
mod tests;
