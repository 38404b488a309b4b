//! The records of a set in memory, each where its key says.
//!
//! Keys are hashes, so their first bits spread the records evenly: they name a *group* of some eight records, which lie side by side in
//! the order of their keys. Finding one takes a look at where its group starts and a look at the group.
//!
//! All of it lies in one mapping, on huge pages where the system has them: read at random, 4 KiB pages miss the processor's page cache at
//! nearly every look.

use memmap2::MmapMut;
use proof::{Entry, Plies};
use rules::Move;

use crate::StoredRecord;

/// First bits of a key that are not kept with a record, since its group tells them.
const HEAD_BITS: u32 = 16;
const HEADS: usize = 1 << HEAD_BITS;

const START_BYTES: usize = 8;
const TAIL_BYTES: usize = 6;
const RECORD_BYTES: usize = 11;

/// ```text
///  0                5   6    7  8   9 10
/// | key without head |check| move |height|
/// ```
type Packed = [u8; RECORD_BYTES];

/// Records in a group on average, at least, if there are enough for [`HEADS`] groups.
const GROUP: usize = 8;

/// Records that are collected at a time.
const PART: usize = 1 << 16;

/// The records of a set by ascending key.
#[derive(Debug)]
pub(super) struct Table {
    /// For each group how many records come before it, and at last how many there are; then the records.
    map: MmapMut,
    /// How many first bits of a key name its group.
    group_bits: u32,
    len: usize,
}

impl Table {
    /// Takes records by ascending key.
    ///
    /// # Panics
    ///
    /// If the system has no address space left.
    pub(super) fn new<E>(
        source: impl IntoIterator<Item = Result<StoredRecord, E>>,
    ) -> Result<Self, E> {
        let mut parts: Vec<Vec<Packed>> = Vec::new();
        let mut with_head = vec![0; HEADS];
        for record in source {
            let record = record?;
            with_head[group(record.key, HEAD_BITS)] += 1;
            if parts.last().is_none_or(|part| part.len() == PART) {
                parts.push(Vec::with_capacity(PART));
            }
            if let Some(part) = parts.last_mut() {
                part.push(pack(&record));
            }
        }
        let len: usize = parts.iter().map(Vec::len).sum();
        let group_bits = (len / GROUP).max(HEADS).ilog2();
        let records = parts.iter().flatten();
        let starts = starts(records, len, &with_head, group_bits);
        Ok(Self {
            map: mapped(&starts, parts, len),
            group_bits,
            len,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The record with this key.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<StoredRecord> {
        let (starts, records) = self.map.split_at(start_bytes(self.group_bits));
        let (starts, _) = starts.as_chunks::<START_BYTES>();
        let (records, _) = records.as_chunks::<RECORD_BYTES>();
        let group = group(key, self.group_bits);
        let [from, to] = [group, group + 1].map(|group| start(starts[group]));
        let records = &records[from..to];
        let at = records.binary_search_by_key(&tail(key), packed_tail).ok()?;
        unpack(key, &records[at])
    }
}

/// Starts and `len` records side by side. Each part is given up once it is copied.
fn mapped(starts: &[usize], parts: Vec<Vec<Packed>>, len: usize) -> MmapMut {
    let at = starts.len() * START_BYTES;
    let mut map =
        MmapMut::map_anon(at + len * RECORD_BYTES).expect("address space for the records");
    #[cfg(target_os = "linux")]
    {
        // Advice: a system without huge pages refuses it, and the table works all the same.
        let _ = map.advise(memmap2::Advice::HugePage);
    }
    let (bytes, record_bytes) = map.split_at_mut(at);
    let (bytes, _) = bytes.as_chunks_mut::<START_BYTES>();
    for (bytes, &start) in bytes.iter_mut().zip(starts) {
        *bytes = (start as u64).to_le_bytes();
    }
    for (bytes, part) in record_bytes.chunks_mut(PART * RECORD_BYTES).zip(parts) {
        bytes.copy_from_slice(part.as_flattened());
    }
    map
}

/// Bytes of the starts of all groups and of the end of the last.
fn start_bytes(group_bits: u32) -> usize {
    ((1 << group_bits) + 1) * START_BYTES
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number of records in memory"
)]
fn start(bytes: [u8; START_BYTES]) -> usize {
    u64::from_le_bytes(bytes) as usize
}

/// Where each group of `len` records starts, of which so many have each head, and where the last one ends.
fn starts<'a>(
    records: impl Iterator<Item = &'a Packed>,
    len: usize,
    with_head: &[usize],
    group_bits: u32,
) -> Vec<usize> {
    let mut starts = Vec::with_capacity((1 << group_bits) + 1);
    let heads = (0..)
        .zip(with_head)
        .flat_map(|(head, &count)| std::iter::repeat_n(head, count));
    for (at, (head, packed)) in heads.zip(records).enumerate() {
        let key = head << (u64::BITS - HEAD_BITS) | packed_tail(packed);
        let begun = group(key, group_bits) + 1;
        starts.resize(begun.max(starts.len()), at);
    }
    starts.resize((1 << group_bits) + 1, len);
    starts
}

/// The group of a key if its first `bits` bits name it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "there is a start in memory for each group"
)]
fn group(key: u64, bits: u32) -> usize {
    (key >> (u64::BITS - bits)) as usize
}

/// A key without its head.
fn tail(key: u64) -> u64 {
    key << HEAD_BITS >> HEAD_BITS
}

fn packed_tail(packed: &Packed) -> u64 {
    let mut bytes = [0; 8];
    bytes[..TAIL_BYTES].copy_from_slice(&packed[..TAIL_BYTES]);
    u64::from_le_bytes(bytes)
}

fn pack(record: &StoredRecord) -> Packed {
    let Entry { mv, height } = record.entry;
    let mut packed = [0; RECORD_BYTES];
    packed[..TAIL_BYTES].copy_from_slice(&record.key.to_le_bytes()[..TAIL_BYTES]);
    packed[6] = record.check;
    packed[7..9].copy_from_slice(&mv.to_bits().to_le_bytes());
    packed[9..].copy_from_slice(&height.0.to_le_bytes());
    packed
}

fn unpack(key: u64, packed: &Packed) -> Option<StoredRecord> {
    let [.., check, mv_low, mv_high, height_low, height_high] = *packed;
    Some(StoredRecord {
        key,
        check,
        entry: Entry {
            mv: Move::from_bits(u16::from_le_bytes([mv_low, mv_high]))?,
            height: Plies(u16::from_le_bytes([height_low, height_high])),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn record(key: u64) -> StoredRecord {
        StoredRecord {
            key,
            check: key.to_be_bytes()[3],
            entry: Entry {
                mv: Move::parse_uci("e7d8q").expect("UCI"),
                height: Plies(key.to_be_bytes()[5].into()),
            },
        }
    }

    /// A table of these keys finds them and nothing else.
    fn finds_all(mut keys: Vec<u64>) {
        keys.sort_unstable();
        keys.dedup();
        let source = keys.iter().map(|&key| Ok::<_, Infallible>(record(key)));
        let Ok(table) = Table::new(source);
        assert_eq!(table.len(), keys.len());
        for &key in &keys {
            assert_eq!(table.find(key), Some(record(key)), "{key:#x}");
            for near in [
                key.wrapping_sub(1),
                key.wrapping_add(1),
                key ^ 1 << 63,
                key ^ 1 << 47,
            ] {
                let known = keys.binary_search(&near).is_ok();
                assert_eq!(table.find(near).is_some(), known, "{near:#x}");
            }
        }
    }

    #[test]
    fn what_is_in_the_table_is_found() {
        let word = |n: u64| (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        finds_all(Vec::new());
        finds_all(vec![0]);
        finds_all(vec![u64::MAX]);
        finds_all((0..1000).map(word).chain([0, 1, u64::MAX]).collect());
        // More than eight for each head, so that more bits name the groups.
        finds_all((0..1_200_000).map(word).collect());
        // Keys that are no hashes.
        finds_all((0..1_200_000).collect());
        finds_all((0..5000).map(|n| u64::MAX - n * n).collect());
    }
}
