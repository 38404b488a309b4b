//! What a strategy says about one position.

use std::fmt;

use rules::{Move, PackedPosition, Position};

/// A number of plies: moves by one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Plies(pub u16);

impl Plies {
    /// No ply: the game is over.
    pub const ZERO: Self = Self(0);

    /// So many plies more; `None` beyond 65,535.
    #[must_use]
    pub fn plus(self, plies: u16) -> Option<Self> {
        self.0.checked_add(plies).map(Self)
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The winner's move in a position, and a bound on the plies to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The move to play.
    pub mv: Move,
    /// At least the plies to the end of the game if the strategy is followed from here.
    pub height: Plies,
}

/// An entry with the position it belongs to, the latter by its key.
///
/// `key` alone is an index, and two positions may share it. `check` is an independent hash: positions that agree in both
/// are taken for equal when entries are written. No proof rests on that, since a proof is replayed by the verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// [`Position::key`].
    pub key: u64,
    /// [`Record::check_of`] the packed position.
    pub check: u64,
    /// What to play.
    pub entry: Entry,
}

impl Record {
    /// The record of `position`.
    #[must_use]
    pub fn new(position: &Position, entry: Entry) -> Self {
        let (key, check) = Self::id(position);
        Self { key, check, entry }
    }

    /// Key and check of `position`.
    #[must_use]
    pub fn id(position: &Position) -> (u64, u64) {
        (position.key(), Self::check_of(&position.pack()))
    }

    /// A 64-bit hash of the packed position, independent of its key: CRC-64/XZ of the bytes. Part of the database format.
    #[must_use]
    pub fn check_of(position: &PackedPosition) -> u64 {
        crate::certificate::CRC.checksum(position.as_bytes())
    }
}
