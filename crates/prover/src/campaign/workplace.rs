//! Where the jobs of a campaign are done.

use std::{sync::Arc, time::Instant};

use proof::{Claim, Entry, Plies, Record};
use rules::{Color, Move, Position, Ruleset, for_class};
use search::{
    Branch, Hints, Job, Known, Limits, Net, Observer, ProofLog, Report, StopFlag, Table, Tools,
    Trained, Workspace, branches, search,
};

use crate::{Assignment, Endgames, Finding, manager::Ground};

/// What a worker needs for the jobs of a campaign. Copies share table and log.
#[derive(Clone, Debug)]
pub struct Workplace {
    pub(super) root: Position,
    pub(super) attacker: Color,
    pub(super) ruleset: Ruleset,
    pub(super) table: Arc<Table>,
    pub(super) log: Arc<ProofLog>,
    pub(super) endgames: Arc<Endgames>,
    pub(super) hints: Arc<Hints>,
}

impl Workplace {
    /// A place for searches for the claim, in which nothing is known yet.
    pub(crate) fn new(
        claim: &Claim,
        table_bytes: usize,
        endgames: Endgames,
        hints: Arc<Hints>,
    ) -> Self {
        Self {
            root: claim.root,
            attacker: claim.winner,
            ruleset: claim.ruleset,
            table: Arc::new(Table::with_bytes(table_bytes)),
            log: Arc::default(),
            endgames: Arc::new(endgames),
            hints,
        }
    }

    pub(crate) fn attacker(&self) -> Color {
        self.attacker
    }

    pub(crate) fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    pub(crate) fn log(&self) -> &ProofLog {
        &self.log
    }

    pub(crate) fn endgames(&self) -> &Endgames {
        &self.endgames
    }

    /// Takes these positions for proven.
    pub(crate) fn learn(&self, known: &[Record]) {
        for record in known {
            self.log.insert(*record);
            self.put_record(record, u64::MAX);
        }
    }

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

    pub(crate) fn search(
        &self,
        job: &Job,
        workspace: &mut Workspace,
        limits: &Limits,
        stop: &StopFlag,
        observer: &dyn Observer,
    ) -> Report {
        for_class!(job.ruleset.class(), G => {
            let tools = self.tools::<G>(&self.hints);
            search::<G, _, _>(job, tools, workspace, limits, stop, observer)
        })
    }

    fn tools<'a, G: Trained>(&'a self, hints: &'a Hints) -> Tools<'a, Net<G::Features>, Endgames> {
        Tools {
            evaluator: G::net(self.ruleset),
            oracle: &self.endgames,
            table: &self.table,
            log: &self.log,
            hints,
        }
    }

    pub(super) fn put_record(&self, record: &Record, work: u64) {
        let known = Known::Proven(record.entry.height);
        self.table.put(self.table_key(record.key), known, work);
    }

    /// The key in the table of the position with this key.
    fn table_key(&self, key: u64) -> u64 {
        Job::new(self.root, self.attacker, self.ruleset).table_key(key)
    }

    pub(super) fn put(&self, position: &Position, known: Known, work: u64) {
        self.table.put(self.table_key(position.key()), known, work);
    }
}

impl Ground for Workplace {
    fn branches(&self, position: &Position) -> Vec<Branch> {
        let job = Job::new(*position, self.attacker, self.ruleset);
        for_class!(job.ruleset.class(), G => {
            branches::<G, _, _>(&job, self.tools::<G>(&Hints::default()))
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
