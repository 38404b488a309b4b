//! The search for a win of one side of one position.

use std::{convert::Infallible, sync::Arc, time::Instant};

use proof::{Claim, Entry, ExtractError, Plies, Proof, Record, Strategy, extract};
use rules::{Color, Move, Position, Ruleset, for_class};
use search::{
    Answer, Branch, ENTRY_BYTES, Hints, Job, Known, Limits, Observer, ProofLog, Report, StopFlag,
    Table, Tools, Trained, Workspace, branches, search,
};

use crate::{
    Assignment, Endgames, Finding,
    manager::{Ground, Manager},
};

/// Bytes of a new table. Most lines need no more, and a small table stays in the processor's cache.
const FIRST_TABLE_BYTES: usize = 16 << 20;
/// The table doubles when there are so many expansions for each of its entries.
const NODES_PER_ENTRY: u64 = 4;
/// Holes of a strategy that are searched anew before the campaign gives up. Each is a collision of two keys.
const MAX_REPAIRS: usize = 16;

/// What a campaign may use.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Bytes for the table, the new one included while it grows.
    pub table_bytes: usize,
    /// Bytes for the log of proven positions.
    pub log_bytes: usize,
    /// Bytes for the manager's graph.
    pub manager_bytes: usize,
}

/// What a worker needs for the jobs of a campaign. Copies share table and log.
#[derive(Clone, Debug)]
pub struct Workplace {
    attacker: Color,
    ruleset: Ruleset,
    table: Arc<Table>,
    log: Arc<ProofLog>,
    endgames: Arc<Endgames>,
    hints: Arc<Hints>,
}

impl Workplace {
    /// Searches as told, at most until `deadline`.
    ///
    /// # Panics
    ///
    /// If the assignment belongs to another campaign.
    #[must_use]
    pub fn work(
        &self,
        assignment: &Assignment,
        workspace: &mut Workspace,
        deadline: Option<Instant>,
        stop: &StopFlag,
        observer: &dyn Observer,
    ) -> Finding {
        let job = assignment.job().expect("the campaign's own positions");
        assert_eq!((job.attacker, job.ruleset), (self.attacker, self.ruleset));
        let limits = Limits {
            deadline,
            ..assignment.limits()
        };
        Finding {
            ticket: assignment.ticket,
            report: self.search(&job, workspace, &limits, stop, observer),
        }
    }

    fn search(
        &self,
        job: &Job,
        workspace: &mut Workspace,
        limits: &Limits,
        stop: &StopFlag,
        observer: &dyn Observer,
    ) -> Report {
        for_class!(job.ruleset.class(), G => {
            let tools = Tools {
                evaluator: G::net(job.ruleset),
                oracle: &*self.endgames,
                table: &self.table,
                log: &self.log,
                hints: &self.hints,
            };
            search::<G, _, _>(job, tools, workspace, limits, stop, observer)
        })
    }

    fn put(&self, position: &Position, known: Known, work: u64) {
        let job = Job::new(*position, self.attacker, self.ruleset);
        self.table.put(job.table_key(position.key()), known, work);
    }
}

impl Ground for Workplace {
    fn branches(&self, position: &Position) -> Vec<Branch> {
        let job = Job::new(*position, self.attacker, self.ruleset);
        for_class!(job.ruleset.class(), G => {
            let tools = Tools {
                evaluator: G::net(job.ruleset),
                oracle: &*self.endgames,
                table: &self.table,
                log: &self.log,
                hints: &Hints::default(),
            };
            branches::<G, _, _>(&job, tools)
        })
    }

    fn proven(&self, position: &Position, winning: Option<Move>, height: u16, work: u64) {
        let height = Plies(height);
        if let Some(mv) = winning {
            self.log.insert(Record::new(position, Entry { mv, height }));
        }
        self.put(position, Known::Proven(height), work);
    }

    fn disproven(&self, position: &Position, work: u64) {
        self.put(position, Known::Disproven, work);
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
    /// A campaign for the claim, in which nothing was searched yet. `known` positions are taken for proven.
    #[must_use]
    pub fn new(
        claim: &Claim,
        memory: Memory,
        known: &[Record],
        endgames: Endgames,
        hints: Arc<Hints>,
    ) -> Self {
        let Claim {
            ruleset,
            root,
            winner,
        } = *claim;
        let first = FIRST_TABLE_BYTES.max(known.len() * ENTRY_BYTES * 2);
        let workplace = Workplace {
            attacker: winner,
            ruleset,
            table: Arc::new(Table::with_bytes(first.min(memory.table_bytes))),
            log: Arc::default(),
            endgames: Arc::new(endgames),
            hints: Arc::clone(&hints),
        };
        let job = Job::new(root, winner, ruleset);
        for record in known {
            workplace.log.insert(*record);
            let known = Known::Proven(record.entry.height);
            workplace
                .table
                .put(job.table_key(record.key), known, u64::MAX);
        }
        Self {
            memory,
            workplace,
            manager: Manager::new(&root, winner, ruleset, hints, memory.manager_bytes),
            repairs: 0,
        }
    }

    /// Splits leaves of the manager when they have cost so many expansions, while the whole search is small.
    pub fn set_first_split(&mut self, nodes: u64) {
        self.manager.set_first_split(nodes);
    }

    /// The side whose win is searched for.
    #[must_use]
    pub fn attacker(&self) -> Color {
        self.workplace.attacker
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

    /// Whether the log has used up its memory.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.workplace.log.bytes() > self.memory.log_bytes
    }

    /// The next job, of at most `most` expansions, and the flag that tells it to end early. None if all that could be searched is
    /// being searched, or if the table is to grow as soon as the jobs under way have ended.
    ///
    /// Each job must be given back by [`Campaign::land`], whatever came of it.
    pub fn next(&mut self, most: u64) -> Option<(Assignment, Arc<StopFlag>)> {
        if self.wants_to_grow() {
            if !self.is_idle() {
                return None;
            }
            self.grow();
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
            && 3 * bytes <= self.memory.table_bytes
    }

    fn grow(&mut self) {
        while self.wants_to_grow() {
            self.workplace.table = Arc::new(self.workplace.table.doubled());
        }
    }

    /// The proof of a proven root. Where the log has a hole, the position is searched again, which costs expansions.
    ///
    /// # Errors
    ///
    /// The log's strategy cannot be repaired. That takes several collisions of 64-bit keys, or a fault in the search.
    pub fn proof(&mut self, claim: &Claim) -> Result<Proof, ExtractError<Infallible>> {
        let mut repairs = 0;
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
            if repairs > MAX_REPAIRS || !self.repair(position) {
                return Err(error);
            }
        }
    }

    /// Proves a position for which the log's entry is missing or belongs to another, in a table of its own.
    fn repair(&mut self, position: &Position) -> bool {
        let workplace = Workplace {
            table: Arc::new(Table::with_bytes(FIRST_TABLE_BYTES)),
            ..self.workplace()
        };
        let job = Job::new(*position, workplace.attacker, workplace.ruleset);
        let limits = Limits::nodes(self.nodes().max(1 << 20));
        let mut workspace = Workspace::default();
        let report = workplace.search(&job, &mut workspace, &limits, &StopFlag::new(), &());
        self.repairs += report.nodes;
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
mod tests;
