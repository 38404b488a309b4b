//! What a campaign needs to go on later, as parts of bytes.
//!
//! | part | holds | in a save |
//! |---|---|---|
//! | [`Part::Head`] | who saved it, expansions and time so far, what the other parts lean on and how much they hold | replaced |
//! | [`Part::Log`] | proven positions that were new: key, check, move, height | added |
//! | [`Part::Manager`] | the nodes of the manager's graph | replaced |
//! | [`Part::Table`] | the entries of the transposition table that cost most work | replaced |
//!
//! The log comes after graph and table when a save is made and before them when it is read: whatever they hold as proven is in it. The head
//! is written last, since it tells how much the others hold. The log's parts
//! are closed, each with those before it. So proven positions can be used whatever becomes of the rest, and by every version of
//! the program; graph and table only by the one that wrote them, since numbers of different evaluators do not compare.

use std::{fmt, sync::Arc, time::Duration};

use proof::{Entry, Plies, Record};
use rules::{Color, Move};
use search::{DUMPED_BYTES, ENTRY_BYTES, PnDn, ProofLog, Table};

use crate::codec::{self, CodecError};

mod owed;
mod pace;

pub(crate) use owed::Owed;
pub use owed::Written;
pub(crate) use pace::Pace;
pub use pace::Saving;

/// What a part of a checkpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// Who saved it, and what it leans on.
    Head = 1,
    /// Proven positions.
    Log = 2,
    /// Nodes of the manager's graph.
    Manager = 3,
    /// Entries of the transposition table.
    Table = 4,
}

impl Part {
    /// All, in the order in which they are to be read.
    pub const ALL: [Self; 4] = [Self::Head, Self::Log, Self::Manager, Self::Table];

    /// Whether a save adds such parts to those of earlier ones. It replaces the others.
    #[must_use]
    pub const fn adds(self) -> bool {
        matches!(self, Self::Log)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Log => "log of proven positions",
            Self::Manager => "graph",
            Self::Table => "table",
        }
    }

    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Head => *b"TMh2",
            Self::Log => *b"TMlg",
            Self::Manager => *b"TMmg",
            Self::Table => *b"TMtb",
        }
    }
}

/// The head of those that did not count what the other parts hold.
const OLD_HEAD: [u8; 4] = *b"TMhd";
/// Payload bytes of a part at most.
const MOST_BYTES: usize = 4 << 20;
/// Expansions, or milliseconds, at most: those of several runs and sides can be added.
const MOST_COUNTED: u64 = 1 << 56;
/// Records, nodes and entries in a part.
const PER_PART: usize = 1 << 14;
/// Nodes in a part: each takes some 60 bytes, and 10 for each edge.
const NODES_PER_PART: usize = 1 << 12;
/// Entries of the table in a checkpoint at most.
const MOST_ENTRIES: usize = 4 << 20;
/// So many in any case …
const LEAST_ENTRIES: usize = 1 << 20;
/// … and one of so many entries that the table has room for: those that cost most, since the others are soon found again.
const ENTRIES_FOR_ONE: usize = 8;
/// What stands at the head of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The version of the program.
    pub(crate) engine: String,
    /// The endgame tables that were used, as a text that differs where they do.
    pub(crate) tables: String,
    pub(crate) nodes: u64,
    pub(crate) elapsed: Duration,
    pub(crate) root: PnDn,
    /// None: an earlier version of the program did not count them.
    pub(crate) held: Option<Held>,
}

/// How much of what may be missing, or never have been, the parts of a checkpoint hold at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// Proven positions in the log, of all saves.
    pub(crate) records: u64,
    /// Bytes of the table's entries.
    pub(crate) table_bytes: u64,
}

impl Head {
    /// Looks whether the log has all its proven positions.
    pub(crate) fn check_log(&self, found: u64) -> Result<(), String> {
        self.check(Part::Log, found, |held| held.records)
    }

    /// Looks whether the table has all its entries.
    pub(crate) fn check_table(&self, found: u64) -> Result<(), String> {
        self.check(Part::Table, found, |held| held.table_bytes)
    }

    fn check(&self, part: Part, found: u64, wanted: fn(Held) -> u64) -> Result<(), String> {
        if self.held.is_some_and(|held| found < wanted(held)) {
            return Err(format!("parts of its {} are missing", part.name()));
        }
        Ok(())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let millis = u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX);
        let value = (
            &self.engine,
            &self.tables,
            self.nodes,
            millis,
            (self.root.pn, self.root.dn),
            self.held.map(|held| (held.records, held.table_bytes)),
        );
        codec::encode(Part::Head.magic(), MOST_BYTES, &value).expect("a few lines of text")
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let (engine, tables, nodes, millis, (pn, dn), held) = if bytes.starts_with(&OLD_HEAD) {
            let (engine, tables, nodes, millis, pn, dn) =
                codec::decode(OLD_HEAD, MOST_BYTES, bytes)?;
            (engine, tables, nodes, millis, (pn, dn), None)
        } else {
            codec::decode(Part::Head.magic(), MOST_BYTES, bytes)?
        };
        Ok(Self {
            engine,
            tables,
            nodes: countable(nodes)?,
            elapsed: Duration::from_millis(countable(millis)?),
            root: PnDn { pn, dn },
            held: held.map(|(records, table_bytes)| Held {
                records,
                table_bytes,
            }),
        })
    }
}

/// A number, if somebody can have counted so far.
fn countable(number: u64) -> Result<u64, CodecError> {
    let is_countable = number <= MOST_COUNTED;
    is_countable.then_some(number).ok_or(CodecError::Senseless)
}

/// A row of the manager's graph: a node. Its place in the list is its number, the root has 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeRow {
    pub(crate) position: Vec<u8>,
    pub(crate) key: u64,
    pub(crate) attacker_to_move: bool,
    pub(crate) numbers: PnDn,
    pub(crate) tainted: bool,
    pub(crate) height: u16,
    pub(crate) work: u64,
    pub(crate) edges: Vec<EdgeRow>,
}

/// An edge of a [`NodeRow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EdgeRow {
    pub(crate) mv: Move,
    pub(crate) forced: u16,
    pub(crate) child: u32,
    /// The kind of the link, by number.
    pub(crate) link: u8,
}

type NodeValue = (
    (Vec<u8>, u64, bool),
    (u32, u32),
    (bool, u16, u64),
    Vec<(u16, u16, u32, u8)>,
);

/// Parts that hold these nodes.
pub(crate) fn node_parts(rows: impl Iterator<Item = NodeRow>) -> Vec<Vec<u8>> {
    let value = |row: NodeRow| -> NodeValue {
        let edges = row.edges.iter();
        (
            (row.position, row.key, row.attacker_to_move),
            (row.numbers.pn, row.numbers.dn),
            (row.tainted, row.height, row.work),
            edges
                .map(|edge| (edge.mv.to_bits(), edge.forced, edge.child, edge.link))
                .collect(),
        )
    };
    let mut parts = Vec::new();
    let mut values = rows.map(value).peekable();
    while values.peek().is_some() {
        let part: Vec<NodeValue> = values.by_ref().take(NODES_PER_PART).collect();
        let bytes = codec::encode(Part::Manager.magic(), MOST_BYTES, &part);
        parts.push(bytes.expect("few nodes a part"));
    }
    parts
}

/// The nodes that a part holds.
pub(crate) fn nodes_of(bytes: &[u8]) -> Result<Vec<NodeRow>, CodecError> {
    let values: Vec<NodeValue> = codec::decode(Part::Manager.magic(), MOST_BYTES, bytes)?;
    let row = |value: NodeValue| {
        let ((position, key, attacker_to_move), (pn, dn), (tainted, height, work), edges) = value;
        let edges = edges.into_iter().map(|(mv, forced, child, link)| {
            let mv = Move::from_bits(mv).ok_or(CodecError::Senseless)?;
            Ok(EdgeRow {
                mv,
                forced,
                child,
                link,
            })
        });
        Ok(NodeRow {
            position,
            key,
            attacker_to_move,
            numbers: PnDn { pn, dn },
            tainted,
            height,
            work: countable(work)?,
            edges: edges.collect::<Result<_, CodecError>>()?,
        })
    };
    values.into_iter().map(row).collect()
}

fn log_part(records: &[Record]) -> Vec<u8> {
    let value = |record: &Record| {
        let Record { key, check, entry } = record;
        (*key, *check, entry.mv.to_bits(), entry.height.0)
    };
    let values: Vec<(u64, u64, u16, u16)> = records.iter().map(value).collect();
    codec::encode(Part::Log.magic(), MOST_BYTES, &values).expect("few records a part")
}

/// The records that a part holds.
pub(crate) fn records_of(bytes: &[u8]) -> Result<Vec<Record>, CodecError> {
    let values: Vec<(u64, u64, u16, u16)> = codec::decode(Part::Log.magic(), MOST_BYTES, bytes)?;
    let record = |(key, check, mv, height)| {
        let mv = Move::from_bits(mv).ok_or(CodecError::Senseless)?;
        let height = Plies(height);
        Ok(Record {
            key,
            check,
            entry: Entry { mv, height },
        })
    };
    values.into_iter().map(record).collect()
}

/// Hands the table's dearest entries on, part by part. How many bytes they have.
fn table_parts<E, S: FnMut(Part, &[u8]) -> Result<(), E>>(
    table: &Table,
    most: usize,
    sink: &mut S,
) -> Result<u64, E> {
    let mut all = 0;
    let mut held: Vec<u8> = Vec::with_capacity(PER_PART * DUMPED_BYTES);
    let mut result = Ok(());
    let mut hand_on = |held: &mut Vec<u8>| {
        all += held.len() as u64;
        if result.is_ok() && !held.is_empty() {
            let bytes = codec::encode(Part::Table.magic(), MOST_BYTES, held);
            result = sink(Part::Table, &bytes.expect("few entries a part"));
        }
        held.clear();
    };
    table.dump(most, |entry| {
        held.extend(entry);
        if held.len() >= PER_PART * DUMPED_BYTES {
            hand_on(&mut held);
        }
    });
    hand_on(&mut held);
    result.map(|()| all)
}

/// Takes back the entries that a part holds. How many bytes they have.
pub(crate) fn restore_table(table: &Table, bytes: &[u8]) -> Result<u64, CodecError> {
    let all: Vec<u8> = codec::decode(Part::Table.magic(), MOST_BYTES, bytes)?;
    let (entries, rest) = all.as_chunks::<DUMPED_BYTES>();
    if !rest.is_empty() {
        return Err(CodecError::Senseless);
    }
    for entry in entries {
        table.restore(entry);
    }
    Ok(all.len() as u64)
}

/// The state of a campaign, to be written somewhere. While it is written the campaign goes on.
#[derive(Debug)]
pub struct Checkpoint {
    pub(crate) attacker: Color,
    pub(crate) head: Head,
    /// The manager's parts.
    pub(crate) nodes: Vec<Vec<u8>>,
    pub(crate) table: Arc<Table>,
    pub(crate) log: Arc<ProofLog>,
    pub(crate) owed: Arc<Owed>,
    /// Tells when the writing has ended.
    pub(crate) _saving: Option<Arc<Saving>>,
    /// Entries of the table at most.
    pub(crate) most_entries: usize,
}

impl Checkpoint {
    /// The side whose win is searched for.
    #[must_use]
    pub fn attacker(&self) -> Color {
        self.attacker
    }

    /// Expansions so far, over all runs.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.head.nodes
    }

    /// Time so far, over all runs of the line.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.head.elapsed
    }

    /// The root's numbers.
    #[must_use]
    pub fn root(&self) -> PnDn {
        self.head.root
    }

    /// Whether parts of earlier checkpoints are to go, also of the kinds that are added.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.owed.is_fresh()
    }

    /// Hands all parts to `sink`, which must keep all of them or none. Proven positions are handed out once, unless what comes back is
    /// dropped before [`Written::keep`]: then the campaign's next checkpoint holds them.
    ///
    /// # Errors
    ///
    /// The first that `sink` says.
    pub fn write<E, S: FnMut(Part, &[u8]) -> Result<(), E>>(
        self,
        sink: &mut S,
    ) -> Result<Written, E> {
        for part in &self.nodes {
            sink(Part::Manager, part)?;
        }
        let table_bytes = table_parts(&self.table, self.most_entries, sink)?;
        // After all that may lean on it.
        let written = Written::of(&self.log, &self.owed);
        for records in written.records.chunks(PER_PART) {
            sink(Part::Log, &log_part(records))?;
        }
        let head = Head {
            held: Some(Held {
                records: written.records_then(),
                table_bytes,
            }),
            ..self.head
        };
        sink(Part::Head, &head.to_bytes())?;
        Ok(written)
    }
}

/// Entries of a table that a checkpoint holds at most, where this many bytes of memory may be used.
pub(crate) fn most_entries(table: &Table, memory_bytes: usize) -> usize {
    let entries = table.bytes() / ENTRY_BYTES / ENTRIES_FOR_ONE;
    entries
        .max(LEAST_ENTRIES)
        .min(memory_bytes / 64)
        .min(MOST_ENTRIES)
}

/// Where checkpoints are read from.
pub trait Archive: fmt::Debug {
    /// Hands the parts of one kind of the last checkpoint of the search for a win of `attacker` to `sink`, in the order in which
    /// they were written, until it says `false`. None if there is no checkpoint.
    ///
    /// # Errors
    ///
    /// A text that says what cannot be read.
    fn read(
        &self,
        attacker: Color,
        part: Part,
        sink: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), String>;
}

/// A checkpoint that is being read.
pub(crate) struct Reading<'a> {
    pub(crate) archive: &'a dyn Archive,
    pub(crate) attacker: Color,
}

impl Reading<'_> {
    /// Hands each part of a kind to `f`. The first complaint ends it.
    pub(crate) fn each(
        &self,
        part: Part,
        mut f: impl FnMut(&[u8]) -> Result<(), CodecError>,
    ) -> Result<(), String> {
        let mut sound = Ok(());
        self.archive.read(self.attacker, part, &mut |bytes| {
            sound = f(bytes);
            sound.is_ok()
        })?;
        sound.map_err(|error| format!("its {} is damaged: {error}", part.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<NodeRow> {
        let mv = Move::parse_uci("a2a1q").expect("UCI");
        let edge = EdgeRow {
            mv,
            forced: 3,
            child: 1,
            link: 2,
        };
        let row = |edges| NodeRow {
            position: vec![1, 2, 3],
            key: 9,
            attacker_to_move: true,
            numbers: PnDn { pn: 5, dn: 6 },
            tainted: true,
            height: 7,
            work: 1 << 40,
            edges,
        };
        vec![row(vec![edge; 30]), row(Vec::new())]
    }

    #[test]
    fn nodes_and_records_survive_the_way_through_bytes() {
        let rows: Vec<NodeRow> = (0..5_000).flat_map(|_| rows()).collect();
        let parts = node_parts(rows.iter().cloned());
        assert!(parts.len() > 1);
        let back = parts.iter().flat_map(|part| nodes_of(part).expect("sound"));
        assert!(back.eq(rows));
        let record = Record {
            key: u64::MAX,
            check: 1 << 63,
            entry: Entry {
                mv: Move::parse_uci("a2a1q").expect("UCI"),
                height: Plies(300),
            },
        };
        let records = vec![record; 3];
        assert_eq!(records_of(&log_part(&records)), Ok(records));
        assert!(nodes_of(&log_part(&[record])).is_err());
    }

    /// What the program wrote before it counted what the parts hold.
    #[test]
    fn an_old_head_is_read() {
        let (engine, tables) = ("0.1.0".to_owned(), "none".to_owned());
        let value = (&engine, &tables, 5_u64, 7_000_u64, 3_u32, 4_u32);
        let bytes = codec::encode(OLD_HEAD, MOST_BYTES, &value).expect("short");
        let head = Head::from_bytes(&bytes).expect("sound");
        let expected = Head {
            engine,
            tables,
            nodes: 5,
            elapsed: Duration::from_secs(7),
            root: PnDn { pn: 3, dn: 4 },
            held: None,
        };
        assert_eq!(head, expected);
        assert_eq!((head.check_log(0), head.check_table(0)), (Ok(()), Ok(())));
    }

    #[test]
    fn numbers_that_nobody_can_have_counted_are_refused() {
        let with = |nodes, millis| {
            let head = Head {
                engine: String::new(),
                tables: String::new(),
                nodes,
                elapsed: Duration::from_millis(millis),
                root: PnDn { pn: 1, dn: 1 },
                held: None,
            };
            Head::from_bytes(&head.to_bytes()).map(|read| read == head)
        };
        assert_eq!(with(1 << 40, 1 << 40), Ok(true));
        assert_eq!(with(u64::MAX, 0), Err(CodecError::Senseless));
        assert_eq!(with(0, u64::MAX), Err(CodecError::Senseless));
        let row = NodeRow {
            work: u64::MAX,
            ..rows().remove(1)
        };
        let parts = node_parts([row].into_iter());
        assert_eq!(nodes_of(&parts[0]), Err(CodecError::Senseless));
    }

    #[test]
    fn a_part_as_large_as_any_is_written() {
        let wide = NodeRow {
            position: vec![255; 26],
            edges: vec![
                EdgeRow {
                    mv: Move::from_bits(0x7FFD).expect("a move"),
                    forced: u16::MAX,
                    child: u32::MAX,
                    link: 2,
                };
                60
            ],
            ..rows().remove(1)
        };
        let parts = node_parts(vec![wide; NODES_PER_PART].into_iter());
        assert_eq!(parts.len(), 1);
    }
}
