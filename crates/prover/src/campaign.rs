//! The search for a win of one side of one position.

use std::{convert::Infallible, sync::Arc, time::Instant};

use proof::{Claim, Entry, ExtractError, Proof, Record, Strategy, extract};
use rules::{Color, Position, for_class};
use search::{
    Answer, ENTRY_BYTES, Hints, Job, Known, Limits, Observer, PnDn, ProofLog, Report, StopFlag,
    Table, Tools, Trained, search,
};

use crate::Endgames;

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
}

/// The search for a win of one side of one position, kept between slices of work.
#[derive(Debug)]
pub struct Campaign {
    job: Job,
    memory: Memory,
    endgames: Endgames,
    hints: Arc<Hints>,
    table: Table,
    log: ProofLog,
    nodes: u64,
    answer: Answer,
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
        let first = FIRST_TABLE_BYTES.max(known.len() * ENTRY_BYTES * 2);
        let campaign = Self {
            job: Job::new(claim.root, claim.winner, claim.ruleset),
            memory,
            endgames,
            hints,
            table: Table::with_bytes(first.min(memory.table_bytes)),
            log: ProofLog::default(),
            nodes: 0,
            answer: Answer::Open(PnDn { pn: 1, dn: 1 }),
        };
        for record in known {
            campaign.log.insert(*record);
            let key = campaign.job.table_key(record.key);
            let known = Known::Proven(record.entry.height);
            campaign.table.put(key, known, u64::MAX);
        }
        campaign
    }

    /// The side whose win is searched for.
    #[must_use]
    pub fn attacker(&self) -> Color {
        self.job.attacker
    }

    /// What is known by now.
    #[must_use]
    pub fn answer(&self) -> Answer {
        self.answer
    }

    /// What is wrong with a table that was asked.
    #[must_use]
    pub fn table_failure(&self) -> Option<&str> {
        self.endgames.failure()
    }

    /// Expansions so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Positions proven so far.
    #[must_use]
    pub fn proven(&self) -> usize {
        self.log.len()
    }

    /// Whether the log has used up its memory.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.log.bytes() > self.memory.log_bytes
    }

    /// Searches for up to `nodes` expansions more.
    pub fn advance(
        &mut self,
        nodes: u64,
        deadline: Option<Instant>,
        stop: &StopFlag,
        observer: &dyn Observer,
    ) {
        self.grow();
        let limits = Limits {
            deadline,
            ..Limits::nodes(nodes)
        };
        let report = self.search(&self.job, &limits, stop, observer);
        self.nodes += report.nodes;
        self.answer = report.answer;
    }

    fn search(
        &self,
        job: &Job,
        limits: &Limits,
        stop: &StopFlag,
        observer: &dyn Observer,
    ) -> Report {
        for_class!(job.ruleset.class(), G => {
            let tools = Tools {
                evaluator: G::net(job.ruleset),
                oracle: &self.endgames,
                table: &self.table,
                log: &self.log,
                hints: &self.hints,
            };
            search::<G, _, _>(job, tools, limits, stop, observer)
        })
    }

    /// Doubles the table as long as the work done is worth a larger one and memory allows it. While it is copied the old
    /// table is there too.
    fn grow(&mut self) {
        while self.nodes > NODES_PER_ENTRY * (self.table.bytes() / ENTRY_BYTES) as u64
            && 3 * self.table.bytes() <= self.memory.table_bytes
        {
            self.table = self.table.doubled();
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
            let error = match extract(claim, &mut LogStrategy(&self.log), &self.endgames) {
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
        let job = Job::new(*position, self.job.attacker, self.job.ruleset);
        let kept = std::mem::replace(&mut self.table, Table::with_bytes(FIRST_TABLE_BYTES));
        let limits = Limits::nodes(self.nodes.max(1 << 20));
        let report = self.search(&job, &limits, &StopFlag::new(), &());
        self.table = kept;
        self.nodes += report.nodes;
        matches!(report.answer, Answer::Proven(_))
    }

    /// All positions proven so far.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        let mut records = Vec::with_capacity(self.log.len());
        self.log.for_each(|record| records.push(record));
        records
    }
}
