//! The winner's moves as they are collected from a tree.

use std::{
    collections::{HashMap, hash_map::Entry as Slot},
    convert::Infallible,
};

use proof::{Entry, Plies, Record, Strategy};
use rules::{Move, Position};

/// A move for each position with the winner to move.
///
/// A tree may hold a position several times, each time with a move of its own. The move with the least height stays: heights then fall
/// along each line whichever occurrences its moves come from.
#[derive(Clone, Debug, Default)]
pub struct WinnerMoves(HashMap<(u64, u64), (u16, Plies)>);

/// Bytes for each position, the free places of the map included.
const BYTES_A_POSITION: usize = 44;

impl WinnerMoves {
    /// How many positions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.len() * BYTES_A_POSITION
    }

    /// Adds a move with its height, unless a better one is known.
    pub fn add(&mut self, position: &Position, entry: Entry) {
        self.add_record(&Record::new(position, entry));
    }

    /// Adds a record of another proof in the same way.
    pub fn add_record(&mut self, record: &Record) {
        let new = (record.entry.mv.to_bits(), record.entry.height);
        match self.0.entry((record.key, record.check)) {
            Slot::Vacant(slot) => {
                slot.insert(new);
            }
            Slot::Occupied(mut slot) => {
                if new.1 < slot.get().1 {
                    slot.insert(new);
                }
            }
        }
    }
}

impl Strategy for WinnerMoves {
    type Error = Infallible;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, Infallible> {
        let found = self.0.get(&Record::id(position));
        Ok(found.and_then(|&(bits, height)| {
            let mv = Move::from_bits(bits)?;
            Some(Entry { mv, height })
        }))
    }
}
