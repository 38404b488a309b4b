//! Ends of lines that a file leaves to tables: asked of the tables that are here, else searched.

use std::collections::HashMap;

use anyhow::{Result, anyhow};
use interchange::watkins::{Leaf, Leaves, WinnerMoves};
use proof::{Claim, EndTables as _, Proof, Record, TableEnd};
use prover::{Endgames, Goal, Settings, Task, Undecided, Verdict, prove};
use rules::{Position, Ruleset};
use search::StopFlag;

use crate::{table_files::DamagedTable, units};

/// Expansions for one end of a line.
const NODES: u64 = 200_000;
/// Memory for its search.
const MEMORY_BYTES: usize = 64 << 20;

/// The ends of lines of one file.
pub(super) struct EndsOfLines<'a> {
    endgames: &'a Endgames,
    stop: &'a StopFlag,
    known: HashMap<(u64, u64), Leaf>,
    /// What the searches found.
    found: Vec<Record>,
    /// Ends that a table decided, each time one was met.
    pub(super) by_table: u64,
    /// Distinct positions that were searched.
    pub(super) searched: u64,
}

impl<'a> EndsOfLines<'a> {
    pub(super) fn new(endgames: &'a Endgames, stop: &'a StopFlag) -> Self {
        Self {
            endgames,
            stop,
            known: HashMap::new(),
            found: Vec::new(),
            by_table: 0,
            searched: 0,
        }
    }

    /// What ends the searches.
    pub(super) fn stop(&self) -> &'a StopFlag {
        self.stop
    }

    /// Adds what the searches found to the moves of a file.
    pub(super) fn join(&self, moves: &mut WinnerMoves) {
        for record in &self.found {
            moves.add_record(record);
        }
    }

    fn search(&mut self, position: &Position, claim: &Claim) -> Result<Leaf> {
        self.searched += 1;
        let goal = Goal::Side(claim.winner);
        let task = Task {
            tables: self.endgames.tables().cloned(),
            ..Task::new(*position, claim.ruleset, goal)
        };
        let settings = Settings {
            nodes: Some(NODES),
            time: None,
            memory_bytes: MEMORY_BYTES,
        };
        match prove(&task, &settings, self.stop, &|_| {}).verdict {
            Verdict::Proved(proof) => {
                self.by_table += u64::from(!proof.tables.is_empty());
                self.found.extend(records(&proof, claim.ruleset));
                Ok(Leaf::Won(proof.plies))
            }
            Verdict::Disproved => Ok(Leaf::NotWon),
            Verdict::Undecided(Undecided::Repetition) => Ok(unproved("a search")),
            Verdict::Undecided(_) => {
                let nodes = units::count(NODES, "node");
                Ok(unproved(&format!("a search of {nodes}")))
            }
            Verdict::KnownFail(problem) => Err(anyhow!("{problem}")),
            Verdict::TablesFail(problem) => Err(DamagedTable(problem).into()),
        }
    }
}

fn unproved(what: &str) -> Leaf {
    Leaf::Unknown(format!(
        "no table here covers it, and {what} did not prove it; --tables names a directory of tables"
    ))
}

/// All positions of a proof with their moves.
fn records(proof: &Proof, ruleset: Ruleset) -> impl Iterator<Item = Record> {
    let exact = proof.exact.iter().filter_map(move |(packed, entry)| {
        let position = packed.unpack(ruleset).ok()?;
        Some(Record::new(&position, *entry))
    });
    proof.records.iter().copied().chain(exact)
}

impl Leaves for EndsOfLines<'_> {
    type Error = anyhow::Error;

    fn judge(&mut self, position: &Position, claim: &Claim) -> Result<Leaf> {
        match self.endgames.end(position, claim.winner) {
            Err(problem) => return Err(DamagedTable(problem).into()),
            Ok(TableEnd::Won(plies)) => {
                self.by_table += 1;
                return Ok(Leaf::Won(plies));
            }
            Ok(TableEnd::NotWon) => return Ok(Leaf::NotWon),
            Ok(TableEnd::NotCovered) => {}
        }
        let id = Record::id(position);
        if let Some(leaf) = self.known.get(&id) {
            return Ok(leaf.clone());
        }
        let leaf = self.search(position, claim)?;
        self.known.insert(id, leaf.clone());
        Ok(leaf)
    }
}
