//! The records that transpositions point to, and what is known of them.

use std::io::{Read, Seek};

use proof::Plies;

use super::{
    file::{FileError, WinTree},
    word::{Below, Data},
};

/// A record that a transposition points to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Target {
    /// The key of its position: once `seen`, its own, before that the one that a pointer expects.
    pub(super) key: u64,
    /// The first record that pointed here before this one was seen; 0 if none did.
    pub(super) pointer: u32,
    /// The plies to the end of its longest line, as far as they are known.
    pub(super) height: Plies,
    pub(super) seen: bool,
}

/// All targets of a tree, by record. Memory: 20 bytes for each.
#[derive(Debug)]
pub(super) struct Targets {
    records: Vec<u32>,
    states: Vec<Target>,
    /// The first target not yet passed by the walk.
    cursor: usize,
}

impl Targets {
    /// Collects them in a pass over the file. None is beyond the last record.
    pub(super) fn collect<R: Read + Seek>(tree: &mut WinTree<R>) -> Result<Self, FileError> {
        let mut records: Vec<u32> = Vec::new();
        let mut tidy_at = 1 << 16;
        for index in 1..tree.present() {
            let record = tree.record(index)?;
            if let Below::SameAs(target) = Data::read(index, record.data).below
                && target < tree.records()
            {
                records.push(target);
                if records.len() >= tidy_at {
                    tidy(&mut records);
                    tidy_at = (2 * records.len()).max(1 << 16);
                }
            }
        }
        tidy(&mut records);
        records.shrink_to_fit();
        Ok(Self {
            states: vec![Target::default(); records.len()],
            records,
            cursor: 0,
        })
    }

    /// The place of a record that the walk visits, if it is a target. The walk visits records in ascending order.
    pub(super) fn pass(&mut self, record: u32) -> Option<usize> {
        while self.records.get(self.cursor)? < &record {
            self.cursor += 1;
        }
        (self.records[self.cursor] == record).then_some(self.cursor)
    }

    /// The place of a target.
    pub(super) fn find(&self, record: u32) -> Option<usize> {
        self.records.binary_search(&record).ok()
    }

    pub(super) fn at(&mut self, place: usize) -> &mut Target {
        &mut self.states[place]
    }

    /// Targets with a pointer that the walk never came to, each with the pointer.
    pub(super) fn never_seen(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = self.records.iter().zip(&self.states);
        all.filter(|(_, target)| !target.seen && target.pointer != 0)
            .map(|(&record, target)| (record, target.pointer))
    }

    pub(super) fn bytes(&self) -> usize {
        self.records.len() * (size_of::<u32>() + size_of::<Target>())
    }
}

fn tidy(records: &mut Vec<u32>) {
    records.sort_unstable();
    records.dedup();
}
