//! The search for a win of one side of one position.

use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
    time::Duration,
};

use proof::{Claim, Entry, ExtractError, Plies, Proof, Record, Strategy, extract};
use rules::{Color, PackedPosition, Position, Ruleset};
use search::{
    Answer, ENTRY_BYTES, Hints, Job, Known, Limits, MIN_BYTES, ProofLog, StopFlag, Table, Workspace,
};

use crate::{
    Archive, Assignment, Checkpoint, Endgames, Finding, Part,
    checkpoint::{Head, Owed, Reading, Saving, most_entries, nodes_of, records_of, restore_table},
    codec::CRC,
    manager::{Ground, MISFIT, Manager},
};

mod workplace;

pub use workplace::Workplace;

/// Bytes of a new table. Most lines need no more, and a small table stays in the processor's cache.
const FIRST_TABLE_BYTES: usize = 16 << 20;
/// The table doubles when there are so many expansions for each of its entries.
const NODES_PER_ENTRY: u64 = 4;
/// The work at which proven positions of a log count in the table.
const PROVEN_WORK: u64 = 1 << 16;
/// Holes of a strategy that are searched anew before the campaign gives up. Each is a collision of two keys.
const MAX_REPAIRS: usize = 16;

/// What a campaign may use.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Bytes for the table and the log of proven positions together. The log gets what it needs: the table gives way.
    pub search_bytes: usize,
    /// Bytes for the manager's graph.
    pub manager_bytes: usize,
}

impl Memory {
    /// Bytes for the table at most, the new one included while it grows.
    const fn table_bytes(self) -> usize {
        self.search_bytes / 3 * 2
    }
}

/// The search for a win of one side of one position: a manager, and what its workers share.
#[derive(Debug)]
pub struct Campaign {
    memory: Memory,
    workplace: Workplace,
    manager: Manager,
    /// Expansions outside the manager's jobs.
    repairs: u64,
    /// What its checkpoints have to make up for.
    owed: Arc<Owed>,
    /// What [`Campaign::engine`] has said: it looks at the root anew each time, and every checkpoint asks.
    engine: OnceLock<String>,
}

/// What a campaign took from a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumed {
    /// The side whose win is searched for.
    pub attacker: Color,
    /// Expansions up to then.
    pub nodes: u64,
    /// Time up to then.
    pub elapsed: Duration,
    /// Proven positions.
    pub positions: u64,
    /// What could not be used, and why.
    pub trouble: Option<String>,
    /// With other tables, or by another version of the program, the search could go on from what could not be used. That is worth
    /// more than what this one saves until it counts more expansions than these.
    pub keep_until: Option<u64>,
}

/// What the log knows.
struct LogStrategy<'a>(&'a ProofLog);

impl Strategy for LogStrategy<'_> {
    type Error = Infallible;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, Infallible> {
        Ok(self.0.get(position.key()))
    }
}

impl Campaign {
    /// A campaign for the claim, in which nothing was searched yet.
    #[must_use]
    pub fn new(claim: &Claim, memory: Memory, endgames: Endgames, hints: Arc<Hints>) -> Self {
        let table_bytes = FIRST_TABLE_BYTES.min(memory.table_bytes());
        let workplace = Workplace::new(claim, table_bytes, endgames, Arc::clone(&hints));
        let (root, winner, ruleset) = (&claim.root, claim.winner, claim.ruleset);
        Self {
            memory,
            manager: Manager::new(root, winner, ruleset, hints, memory.manager_bytes),
            workplace,
            repairs: 0,
            owed: Arc::new(Owed::new(true)),
            engine: OnceLock::new(),
        }
    }

    /// Takes these positions for proven. Each must lean only on others among them, or on what the campaign knows.
    ///
    /// To be called before the first job.
    ///
    /// # Panics
    ///
    /// If a job is under way.
    pub fn learn(&mut self, known: &[Record]) {
        assert!(self.is_idle(), "the table is about to grow");
        while self.workplace.table.bytes() < known.len() * ENTRY_BYTES * 2
            && self.workplace.table.bytes() * 2 <= self.memory.table_bytes()
        {
            self.workplace.table = Arc::new(self.workplace.table.doubled());
        }
        self.workplace.learn(known);
    }

    /// Goes on where the last checkpoint in the archive was made, and keeps what is needed to make others. Whatever cannot be used
    /// is left out, and told; what remains is sound. None if there is no checkpoint.
    ///
    /// To be called first of all.
    pub fn resume(&mut self, archive: &dyn Archive) -> Option<Resumed> {
        self.workplace.log = Arc::new(ProofLog::with_news());
        let reading = Reading {
            archive,
            attacker: self.attacker(),
        };
        let mut head = None;
        let mut seen = false;
        let found = reading.each(Part::Head, |bytes| {
            seen = true;
            head = Some(Head::from_bytes(bytes)?);
            Ok(())
        });
        let nothing = |trouble, keep_until| Resumed {
            attacker: reading.attacker,
            nodes: 0,
            elapsed: Duration::ZERO,
            positions: 0,
            trouble: Some(trouble),
            keep_until,
        };
        let head = match (found, head) {
            (Ok(()), Some(head)) => head,
            (Ok(()), None) if !seen => return None,
            (found, _) => return Some(nothing(found.err().unwrap_or_default(), None)),
        };
        if head.tables != self.workplace.endgames.fingerprint() {
            let trouble = "other endgame tables were used".to_owned();
            return Some(nothing(trouble, Some(head.nodes)));
        }
        let trouble = self.take_over(&reading, &head).err();
        // Without its log the graph is of no use to any version.
        let is_of_another = !self.owed.is_fresh() && head.engine != self.engine();
        Some(Resumed {
            attacker: reading.attacker,
            nodes: head.nodes,
            elapsed: head.elapsed,
            positions: self.proven() as u64,
            trouble,
            // This search counts those of the other as well.
            keep_until: is_of_another.then(|| head.nodes.saturating_mul(2)),
        })
    }

    /// Takes over what follows the head of a checkpoint. An error says what could not be used.
    fn take_over(&mut self, reading: &Reading<'_>, head: &Head) -> Result<(), String> {
        let mut records = 0;
        let log = Arc::clone(&self.workplace.log);
        let mut whole = reading.each(Part::Log, |bytes| {
            let part = records_of(bytes)?;
            records += part.len() as u64;
            for record in part {
                log.insert(record);
            }
            Ok(())
        });
        if whole.is_ok() {
            whole = head.check_log(records);
            if whole.is_ok() {
                // They are saved already.
                drop(log.take_news());
                self.owed.set_kept(records);
            } else {
                // What is there may lean on what is not.
                self.workplace.log = Arc::new(ProofLog::with_news());
            }
        }
        let log = Arc::clone(&self.workplace.log);
        let mut graph = whole;
        if graph.is_ok() && head.engine != self.engine() {
            graph = Err("another version of the program made it".to_owned());
        }
        let graph = graph.and_then(|()| self.take_over_graph(reading, head));
        if graph.is_err() {
            self.manager.add_work(head.nodes);
        }
        self.grow();
        let table = Arc::clone(&self.workplace.table);
        let entries = match &graph {
            Ok(()) => {
                let mut bytes_found = 0;
                let read = reading.each(Part::Table, |bytes| {
                    bytes_found += restore_table(&table, bytes)?;
                    Ok(())
                });
                read.and_then(|()| head.check_table(bytes_found))
            }
            Err(problem) => Err(problem.clone()),
        };
        if entries.is_err() {
            log.for_each(|record| self.workplace.put_record(&record, PROVEN_WORK));
        }
        entries
    }

    fn take_over_graph(&mut self, reading: &Reading<'_>, head: &Head) -> Result<(), String> {
        let mut rows = Vec::new();
        reading.each(Part::Manager, |bytes| {
            rows.extend(nodes_of(bytes)?);
            Ok(())
        })?;
        if self.manager.restore(rows, head.nodes, &self.workplace) {
            Ok(())
        } else {
            Err(MISFIT.to_owned())
        }
    }

    /// What is needed to go on later. `elapsed` is the time over all runs of the line.
    pub(crate) fn checkpoint(&self, elapsed: Duration, saving: Option<Arc<Saving>>) -> Checkpoint {
        Checkpoint {
            attacker: self.attacker(),
            head: Head {
                engine: self.engine().to_owned(),
                tables: self.workplace.endgames.fingerprint(),
                nodes: self.nodes(),
                elapsed,
                root: self.answer().numbers(),
                held: None,
            },
            nodes: self.manager.parts(),
            table: Arc::clone(&self.workplace.table),
            log: Arc::clone(&self.workplace.log),
            owed: Arc::clone(&self.owed),
            most_entries: most_entries(&self.workplace.table, self.memory.table_bytes()),
            _saving: saving,
        }
    }

    /// The version of the program, and what its evaluator thinks of the root's children: numbers of different evaluators do not
    /// compare.
    fn engine(&self) -> &str {
        self.engine.get_or_init(|| {
            let workplace = Workplace {
                table: Arc::new(Table::with_bytes(0)),
                ..self.workplace()
            };
            let numbers = workplace.branches(&workplace.root).into_iter();
            let text: Vec<String> = numbers
                .map(|branch| format!("{:?}", branch.numbers))
                .collect();
            let digest = CRC.checksum(text.join(" ").as_bytes());
            format!("{} {digest:016x}", env!("CARGO_PKG_VERSION"))
        })
    }

    /// Splits leaves of the manager when they have cost so many expansions, while the whole search is small.
    pub fn set_first_split(&mut self, nodes: u64) {
        self.manager.set_first_split(nodes);
    }

    /// From now on the campaign may use so much, which is no less than before.
    pub(crate) fn set_memory(&mut self, memory: Memory) {
        self.memory = memory;
        self.manager.set_most_bytes(memory.manager_bytes);
    }

    /// The side whose win is searched for.
    #[must_use]
    pub fn attacker(&self) -> Color {
        self.workplace.attacker
    }

    /// The game that is played.
    pub(crate) fn ruleset(&self) -> Ruleset {
        self.workplace.ruleset
    }

    /// What is known by now.
    #[must_use]
    pub fn answer(&self) -> Answer {
        self.manager.answer()
    }

    /// Whether there is something left to be searched.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.manager.is_open()
    }

    /// What is wrong with a table that was asked.
    #[must_use]
    pub fn table_failure(&self) -> Option<&str> {
        self.workplace.endgames.failure()
    }

    /// Expansions of the jobs that have ended.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.manager.work() + self.repairs
    }

    /// Expansions that the jobs under way may take.
    #[must_use]
    pub fn nodes_in_flight(&self) -> u64 {
        self.manager.in_flight()
    }

    /// Whether no job is under way.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.manager.is_idle()
    }

    /// Positions proven so far.
    #[must_use]
    pub fn proven(&self) -> usize {
        self.workplace.log.len()
    }

    /// Whether the log has used up all memory, and the table has given way as far as it can.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_crowded() && self.workplace.table.bytes() <= MIN_BYTES
    }

    /// Whether log and table need more than there is.
    fn is_crowded(&self) -> bool {
        self.log_bytes() + self.workplace.table.bytes() > self.memory.search_bytes
    }

    /// What the log takes, and what of it still waits to be saved.
    fn log_bytes(&self) -> usize {
        self.workplace.log.bytes_soon() + self.owed.bytes()
    }

    /// The next job, of at most `most` expansions, and the flag that tells it to end early. None if all that could be searched is
    /// being searched, or if the table is to grow or to shrink as soon as the jobs under way have ended.
    ///
    /// Each job must be given back by [`Campaign::land`], whatever came of it.
    pub fn next(&mut self, most: u64) -> Option<(Assignment, Arc<StopFlag>)> {
        if !self.make_room(true) {
            return None;
        }
        let chosen = self.manager.choose(most, &self.workplace)?;
        let assignment = Assignment {
            ticket: chosen.ticket,
            root: chosen.position.pack(),
            ruleset: self.workplace.ruleset,
            attacker: self.workplace.attacker,
            path: chosen.path,
            nodes: chosen.budget,
            thresholds: chosen.thresholds,
        };
        Some((assignment, chosen.stop))
    }

    /// Lets the table grow or shrink if it should. Says whether that is done: it cannot be while jobs are under way,
    /// the manager's or others.
    pub(crate) fn make_room(&mut self, others_idle: bool) -> bool {
        if self.wants_to_grow() || self.is_crowded() {
            if !(self.is_idle() && others_idle) {
                return false;
            }
            self.grow();
            self.give_way();
        }
        true
    }

    /// Whether the search from the root has gone beyond its first job.
    pub(crate) fn is_split(&self) -> bool {
        self.manager.is_split()
    }

    /// From now on these are the moves to look at first.
    pub(crate) fn set_hints(&mut self, hints: Arc<Hints>) {
        self.workplace.hints = Arc::clone(&hints);
        self.manager.set_hints(hints, &self.workplace);
    }

    /// Counts expansions outside the manager's jobs.
    pub(crate) fn add_work(&mut self, nodes: u64) {
        self.manager.add_work(nodes);
    }

    /// If the position has the attacker to move and is in the log: the plies that its win takes at most.
    pub(crate) fn knows(&self, position: &PackedPosition) -> Option<Plies> {
        let position = position.unpack(self.workplace.ruleset).ok()?;
        let entry = self.workplace.log.get(position.key())?;
        (position.side_to_move() == self.attacker()).then_some(entry.height)
    }

    /// Makes sure that the table knows of a position that jobs of this campaign have proven.
    pub(crate) fn recall(&self, position: &PackedPosition, height: Plies) {
        if let Ok(position) = position.unpack(self.workplace.ruleset) {
            self.workplace
                .put(&position, Known::Proven(height), PROVEN_WORK);
        }
    }

    /// Where the jobs handed out by [`Campaign::next`] are to be done, until it hands out another.
    #[must_use]
    pub fn workplace(&self) -> Workplace {
        self.workplace.clone()
    }

    /// Takes what came of a job.
    ///
    /// # Panics
    ///
    /// If no such job is under way.
    pub fn land(&mut self, finding: &Finding) {
        self.manager
            .land(finding.ticket, &finding.report, &self.workplace);
    }

    /// Tells all jobs under way to end soon.
    pub fn stop_all(&self) {
        self.manager.stop_all();
    }

    /// Whether the work done is worth a larger table and memory allows it. While it is copied the old table is there too.
    fn wants_to_grow(&self) -> bool {
        let bytes = self.workplace.table.bytes();
        self.nodes() > NODES_PER_ENTRY * (bytes / ENTRY_BYTES) as u64
            && 3 * bytes <= self.memory.table_bytes()
            && 3 * bytes + self.log_bytes() <= self.memory.search_bytes
    }

    /// Shrinks the table until there is room for the log.
    fn give_way(&mut self) {
        while self.is_crowded() && self.workplace.table.bytes() > MIN_BYTES {
            self.workplace.table = Arc::new(self.workplace.table.halved());
        }
    }

    /// Gives back the memory of a campaign that does no more jobs, but for the log.
    pub fn retire(&mut self) {
        self.workplace.table = Arc::new(Table::with_bytes(0));
    }

    fn grow(&mut self) {
        while self.wants_to_grow() {
            self.workplace.table = Arc::new(self.workplace.table.doubled());
        }
    }

    /// The proof of a proven root. Where the log has a hole, the position is searched again, which costs expansions, within the limits and
    /// until `stop` is raised.
    ///
    /// # Errors
    ///
    /// The log's strategy was not repaired within the limits, or cannot be. That takes several collisions of 64-bit keys, a checkpoint that was tampered with, or a
    /// fault in the search.
    pub fn proof(
        &mut self,
        claim: &Claim,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<Proof, ExtractError<Infallible>> {
        let mut repairs = 0;
        let mut limits = *limits;
        loop {
            let Workplace { log, endgames, .. } = &self.workplace;
            let error = match extract(claim, &mut LogStrategy(log), &**endgames) {
                Ok(proof) => return Ok(proof),
                Err(error) => error,
            };
            let (ExtractError::Missing { position, .. }
            | ExtractError::Illegal { position, .. }
            | ExtractError::Loop { position, .. }) = &error
            else {
                return Err(error);
            };
            repairs += 1;
            if repairs > MAX_REPAIRS || !self.repair(position, &mut limits, stop) {
                return Err(error);
            }
        }
    }

    /// Proves a position for which the log's entry is missing or belongs to another, in a table of its own. What that costs comes off the
    /// limits.
    fn repair(&mut self, position: &Position, limits: &mut Limits, stop: &StopFlag) -> bool {
        if limits.nodes == 0 {
            return false;
        }
        let workplace = Workplace {
            table: Arc::new(Table::with_bytes(FIRST_TABLE_BYTES)),
            ..self.workplace()
        };
        let job = Job::new(*position, workplace.attacker, workplace.ruleset);
        let enough = Limits {
            nodes: limits.nodes.min(self.nodes().max(1 << 20)),
            ..*limits
        };
        let mut workspace = Workspace::default();
        let report = workplace.search(&job, &mut workspace, &enough, stop, &());
        self.repairs += report.nodes;
        limits.nodes = limits.nodes.saturating_sub(report.nodes);
        matches!(report.answer, Answer::Proven(_))
    }

    /// Checks the manager's invariants.
    #[cfg(test)]
    fn debug_validate(&mut self) {
        self.manager.debug_validate();
    }

    /// All positions proven so far.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        let log = &self.workplace.log;
        let mut records = Vec::with_capacity(log.len());
        log.for_each(|record| records.push(record));
        records
    }
}

#[cfg(test)]
pub(crate) mod tests;
