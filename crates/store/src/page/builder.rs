//! Writing pages.

use proof::{Entry, Plies};
use rules::Move;

use super::{CHECKSUM_BYTES, Layout, MAX_BYTES, bits, checksum};
use crate::{SetKey, StoredRecord, move_code, move_code::MOVE_BITS};

/// A move that no man can make, so that no page can hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImpossibleMove(pub(crate) Move);

/// Collects records in key order and cuts them into pages by size.
#[derive(Debug)]
pub(crate) struct PageBuilder {
    set: SetKey,
    records: Vec<(StoredRecord, u16)>,
    height_min: Plies,
    height_max: Plies,
}

/// A finished page.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) first_key: u64,
    pub(crate) bytes: Vec<u8>,
}

impl PageBuilder {
    pub(crate) fn new(set: SetKey) -> Self {
        Self {
            set,
            records: Vec::with_capacity(512),
            height_min: Plies(u16::MAX),
            height_max: Plies::ZERO,
        }
    }

    /// Takes the next record; gives the page before it if that is full.
    ///
    /// # Panics
    ///
    /// If the key is not greater than that of the record before.
    pub(crate) fn push(&mut self, record: StoredRecord) -> Result<Option<Built>, ImpossibleMove> {
        let Entry { mv, height } = record.entry;
        let code = move_code::encode(mv).ok_or(ImpossibleMove(mv))?;
        let last = self.records.last().map(|(last, _)| last.key);
        assert!(last.is_none_or(|last| last < record.key), "keys ascend");
        let min = self.height_min.min(height);
        let max = self.height_max.max(height);
        let fits = self.records.is_empty()
            || self
                .layout(self.records.len() + 1, record.key, min, max)
                .and_then(|layout| layout.page_len())
                .is_some_and(|len| len <= MAX_BYTES);
        let full = if fits { None } else { self.finish() };
        self.height_min = self.height_min.min(height);
        self.height_max = self.height_max.max(height);
        self.records.push((record, code));
        Ok(full)
    }

    /// The page of what has been collected, if anything; the builder is empty then.
    pub(crate) fn finish(&mut self) -> Option<Built> {
        let last_key = self.records.last()?.0.key;
        let layout = self
            .layout(
                self.records.len(),
                last_key,
                self.height_min,
                self.height_max,
            )
            .expect("each record was taken because it fits");
        let built = self.encode(layout);
        self.records.clear();
        self.height_min = Plies(u16::MAX);
        self.height_max = Plies::ZERO;
        Some(built)
    }

    /// The best layout of `count` records up to `last_key`.
    fn layout(&self, count: usize, last_key: u64, min: Plies, max: Plies) -> Option<Layout> {
        let first_key = self
            .records
            .first()
            .map_or(last_key, |(first, _)| first.key);
        let count = u16::try_from(count).ok()?;
        let mean = (last_key - first_key) / u64::from(count);
        // With L = ⌊log2 mean⌋ the highs take between one and two bits a key besides the one that ends each.
        let low_bits = mean.checked_ilog2().unwrap_or(0);
        let height_bits = u16::BITS - (max.0 - min.0).leading_zeros();
        #[expect(clippy::cast_possible_truncation, reason = "at most 63 and 16")]
        Some(Layout {
            first_key,
            last_key,
            count,
            height_min: min.0,
            low_bits: low_bits as u8,
            height_bits: height_bits as u8,
        })
    }

    fn encode(&self, layout: Layout) -> Built {
        let len = layout.page_len().expect("the page fits");
        let [highs, lows, moves, heights, checks, end] = layout.offsets().expect("as above");
        let mut bytes = vec![0; len];
        layout.write(&mut bytes);
        let low_bits = u32::from(layout.low_bits);
        let height_bits = u32::from(layout.height_bits);
        let low_mask = (1 << low_bits) - 1;
        for (i, (record, code)) in self.records.iter().enumerate() {
            let distance = record.key - layout.first_key;
            let high = usize::try_from(distance >> low_bits).expect("the highs fit a page");
            let above = record.entry.height.0 - layout.height_min;
            bits::put(&mut bytes[highs..], high + i, 1, 1);
            let low = distance & low_mask;
            bits::put(&mut bytes[lows..], i * low_bits as usize, low_bits, low);
            let code = u64::from(*code);
            bits::put(&mut bytes[moves..], i * MOVE_BITS as usize, MOVE_BITS, code);
            let at = i * height_bits as usize;
            bits::put(&mut bytes[heights..], at, height_bits, u64::from(above));
            bytes[checks + i] = record.check;
        }
        let sum = checksum(self.set, &bytes[..end]);
        bytes[end..end + CHECKSUM_BYTES].copy_from_slice(&sum.to_le_bytes());
        Built {
            first_key: layout.first_key,
            bytes,
        }
    }
}
