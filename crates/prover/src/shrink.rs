//! Making a proof smaller.
//!
//! The lines of a proof that weigh most are looked at first: other moves at their heads are searched, with a budget that grows with the weight,
//! and with all that is proven known from the start, so that a move counts for the new positions it needs. What is proven so becomes
//! an option, and [`Choices`] tells whether it makes the whole smaller. Heights never grow: the smaller proof fits wherever the
//! larger one did.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use proof::{Entry, Proof, Record, Strategy, extract};
use rules::{Move, Position};
use search::{Answer, Job, Limits, StopFlag, Thresholds, Workspace};

use crate::{
    Endgames, Undecided,
    campaign::Workplace,
    choices::{Choices, Proven},
    manager::Ground as _,
};

/// Expansions for each position that could be saved, in the first round; each round has four times those of the last.
const FIRST_NODES: u64 = 4;
/// The same in the last round, if nothing but that bounds the work …
const LAST_NODES: u64 = 16;
/// … and if there are limits.
const MOST_NODES: u64 = 1 << 32;
/// Moves that are searched at a node at most, those with the smallest proof numbers.
const MOST_MOVES: usize = 16;
/// Nodes where less could be saved are left alone.
const LEAST_WEIGHT: usize = 4;

/// Limits of one task.
#[derive(Clone, Copy, Debug)]
pub struct ShrinkLimits {
    /// Expansions at most.
    pub nodes: Option<u64>,
    /// Time at most.
    pub time: Option<Duration>,
    /// Bytes for the table of the searches. What is known of the proof takes some 500 bytes a position besides.
    pub table_bytes: usize,
}

/// How far it has come.
#[derive(Clone, Copy, Debug)]
pub struct Shrinking {
    /// Positions of the proof that was given.
    pub before: u64,
    /// Positions of the smallest one so far.
    pub positions: u64,
    /// Expansions so far.
    pub nodes: u64,
}

/// What came of it.
#[derive(Debug)]
pub struct Shrunk {
    /// The smallest proof that was found, if it is smaller than the one given.
    pub proof: Option<Proof>,
    /// Expansions.
    pub nodes: u64,
    /// Why it ended before everything was tried.
    pub ended: Option<Undecided>,
}

/// Looks for a smaller proof of the same claim, with no greater heights. `known` are other positions won for its winner; each must lean only
/// on others among them, or on the proof.
///
/// One thread, and the same result each time unless time or the stop flag ends it.
#[must_use]
pub fn shrink(
    proof: &Proof,
    known: &[Record],
    endgames: Endgames,
    limits: &ShrinkLimits,
    stop: &StopFlag,
    progress: &mut dyn FnMut(&Shrinking),
) -> Shrunk {
    let workplace = Workplace::new(&proof.claim, limits.table_bytes, endgames, Arc::default());
    workplace.learn(&proof.records);
    workplace.learn(known);
    let proven = Proven {
        ruleset: proof.claim.ruleset,
        winner: proof.claim.winner,
        log: workplace.log(),
        endgames: workplace.endgames(),
    };
    let mut shrunk = Shrunk {
        proof: None,
        nodes: 0,
        ended: None,
    };
    // A proof with two positions of one key is left as it is.
    let Some(choices) = Choices::new(proof, proven) else {
        return shrunk;
    };
    let mut run = Run {
        before: proof.positions(),
        choices,
        workplace: &workplace,
        workspace: Workspace::default(),
        is_limited: limits.nodes.is_some() || limits.time.is_some(),
        deadline: limits.time.map(|time| Instant::now() + time),
        nodes_left: limits.nodes.unwrap_or(u64::MAX),
        nodes: 0,
        stop,
        progress,
    };
    shrunk.ended = run.all().err();
    shrunk.nodes = run.nodes;
    let mut chosen = Chosen(&run.choices);
    let tables = (!proof.tables.is_empty()).then_some(workplace.endgames());
    let smaller = extract(&proof.claim, &mut chosen, &tables).ok();
    shrunk.proof = smaller.filter(|smaller| smaller.positions() < proof.positions());
    shrunk
}

/// The strategy that was chosen.
struct Chosen<'a>(&'a Choices<'a>);

impl Strategy for Chosen<'_> {
    type Error = std::convert::Infallible;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, Self::Error> {
        Ok(self.0.entry(position))
    }
}

struct Run<'a> {
    before: u64,
    choices: Choices<'a>,
    workplace: &'a Workplace,
    workspace: Workspace,
    /// Whether expansions or time end it.
    is_limited: bool,
    deadline: Option<Instant>,
    nodes_left: u64,
    nodes: u64,
    stop: &'a StopFlag,
    progress: &'a mut dyn FnMut(&Shrinking),
}

impl Run<'_> {
    /// Goes round with growing budgets, as long as limits let it, or for some rounds if there are none.
    fn all(&mut self) -> Result<(), Undecided> {
        self.choices.sweep();
        let last = if self.is_limited {
            MOST_NODES
        } else {
            LAST_NODES
        };
        let mut budget = FIRST_NODES;
        while budget <= last {
            self.round(budget)?;
            budget *= 4;
        }
        Ok(())
    }

    /// Tries all live nodes, the heaviest first.
    fn round(&mut self, budget: u64) -> Result<(), Undecided> {
        let mut least = self.choices.live().max(1).next_power_of_two() / 2;
        while least >= LEAST_WEIGHT {
            let mut weights = self.choices.weights();
            weights.retain(|(_, weight)| (least..2 * least).contains(weight));
            weights.sort_by_key(|&(node, weight)| (std::cmp::Reverse(weight), node));
            for (node, weight) in weights {
                if self.choices.is_live(node) {
                    self.try_others(node, budget.saturating_mul(weight as u64))?;
                }
            }
            self.choices.sweep();
            least /= 2;
        }
        Ok(())
    }

    /// Searches other moves at a node, each for so many expansions at most.
    fn try_others(&mut self, node: usize, most: u64) -> Result<(), Undecided> {
        let position = *self.choices.position(node);
        for mv in self.moves(node, &position, most) {
            (self.progress)(&Shrinking {
                before: self.before,
                positions: self.choices.live() as u64,
                nodes: self.nodes,
            });
            if self.is_proven(&position.after(mv, self.workplace.ruleset()), most)?
                && self.choices.add_option(node, mv)
            {
                self.choices.improve(node);
            }
        }
        Ok(())
    }

    /// Moves worth a search, the most promising first.
    fn moves(&self, node: usize, position: &Position, most: u64) -> Vec<Move> {
        let mut branches = self.workplace.branches(position);
        branches.retain(|branch| {
            let pn = branch.numbers.pn;
            u64::from(pn) < most && !self.choices.has_option(node, branch.mv)
        });
        branches.sort_by_key(|branch| branch.numbers.pn);
        branches.truncate(MOST_MOVES);
        branches.into_iter().map(|branch| branch.mv).collect()
    }

    fn is_proven(&mut self, position: &Position, most: u64) -> Result<bool, Undecided> {
        if self.stop.is_raised() {
            return Err(Undecided::Stopped);
        }
        if self.deadline.is_some_and(|end| Instant::now() >= end) {
            return Err(Undecided::Time);
        }
        if self.nodes_left == 0 {
            return Err(Undecided::Nodes);
        }
        let limits = Limits {
            nodes: most.min(self.nodes_left),
            deadline: self.deadline,
            root: Thresholds {
                pn: most,
                ..Thresholds::NONE
            },
        };
        let job = Job::new(
            *position,
            self.workplace.attacker(),
            self.workplace.ruleset(),
        );
        let workspace = &mut self.workspace;
        let report = self
            .workplace
            .search(&job, workspace, &limits, self.stop, &());
        self.nodes += report.nodes;
        self.nodes_left -= report.nodes.min(self.nodes_left);
        Ok(matches!(report.answer, Answer::Proven(_)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
