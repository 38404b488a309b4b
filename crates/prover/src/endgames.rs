//! Endgame tables as the search and the making of proofs ask them.

use std::sync::{Arc, OnceLock};

use proof::{EndTables, Plies, TableEnd, TableId};
use rules::{Color, Position};
use search::{Oracle, Verdict};
use tablebase::{MAX_MEN, Tables, Wdl};

use crate::codec::CRC;

/// Tables, or none. A search that meets a damaged one goes on without it; whoever runs the search asks for
/// [`Endgames::failure`] now and then.
#[derive(Debug)]
pub struct Endgames {
    tables: Option<Arc<Tables>>,
    failure: OnceLock<String>,
}

impl Endgames {
    /// Asks `tables`, if there are any.
    #[must_use]
    pub fn new(tables: Option<Arc<Tables>>) -> Self {
        Self {
            tables,
            failure: OnceLock::new(),
        }
    }

    /// A text that is another for other tables; empty without tables.
    pub(crate) fn fingerprint(&self) -> String {
        let Some(tables) = &self.tables else {
            return String::new();
        };
        let mut names: Vec<String> = tables
            .usable()
            .map(|material| format!("{material} {:x?}", tables.hash(&material)))
            .collect();
        names.sort_unstable();
        let digest = CRC.checksum(names.join("\n").as_bytes());
        format!("{} tables {digest:016x}", names.len())
    }

    /// The tables that are asked.
    #[must_use]
    pub fn tables(&self) -> Option<&Arc<Tables>> {
        self.tables.as_ref()
    }

    /// What was wrong with the first damaged table that was asked.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    #[inline]
    fn probe(&self, position: &Position, winner: Color) -> Result<TableEnd, String> {
        match &self.tables {
            Some(tables) if position.occupied().count() as usize <= MAX_MEN => {
                probe(tables, position, winner)
            }
            _ => Ok(TableEnd::NotCovered),
        }
    }
}

fn probe(tables: &Tables, position: &Position, winner: Color) -> Result<TableEnd, String> {
    let Some(value) = tables.probe(position).map_err(|error| error.to_string())? else {
        return Ok(TableEnd::NotCovered);
    };
    let wanted = if position.side_to_move() == winner {
        Wdl::Win
    } else {
        Wdl::Loss
    };
    Ok(match value.dtw() {
        Some(plies) if value.wdl() == wanted => TableEnd::Won(Plies(plies)),
        _ => TableEnd::NotWon,
    })
}

impl Oracle for Endgames {
    #[inline]
    fn ask(&self, position: &Position, attacker: Color) -> Option<Verdict> {
        match self.probe(position, attacker) {
            Ok(TableEnd::NotCovered) => None,
            Ok(TableEnd::Won(plies)) => Some(Verdict::Won(plies)),
            Ok(TableEnd::NotWon) => Some(Verdict::NotWon),
            Err(problem) => {
                // Only the first is told.
                let _ = self.failure.set(problem);
                None
            }
        }
    }
}

impl EndTables for Endgames {
    fn end(&self, position: &Position, winner: Color) -> Result<TableEnd, String> {
        self.probe(position, winner)
    }

    fn leaned_on(&self, position: &Position) -> Vec<TableId> {
        let Some(tables) = &self.tables else {
            return Vec::new();
        };
        let leaned_on = tables.leaned_on(position).into_iter();
        leaned_on
            .filter_map(|material| {
                Some(TableId {
                    name: material.to_string(),
                    sha256: tables.hash(&material)?,
                })
            })
            .collect()
    }
}
