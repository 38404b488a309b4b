//! One task: which side's campaign goes on, and for how long.
//!
//! The campaigns of a task take turns in slices. The side that looks nearer to a proof, by its root's proof number, gets most
//! of the work ([`FAVOUR`] slices to one), so that a search for either side costs little more than one for the winner, and a
//! wrong favourite costs a constant factor. The slices grow with the work done, since each starts again at the root.

use std::{
    cell::Cell,
    sync::Arc,
    time::{Duration, Instant},
};

use proof::ExtractError;
use rules::Color;
use search::{Answer, INFINITY, Observer, PnDn, Progress, StopFlag};

use crate::{
    Campaign, Effort, Endgames, Memory, Outcome, Settings, Snapshot, Task, Undecided, Verdict,
};

/// Expansions of the first slice of each side.
const FIRST_SLICE: u64 = 1 << 12;
/// A slice is at most this part of the work done so far, but at least [`FIRST_SLICE`].
const SLICE_PART: u64 = 8;
/// Slices of the favourite for one of the other side.
const FAVOUR: u64 = 15;

/// Turns the kernel's view of one slice into one of the whole task.
struct Relay<'a> {
    watch: &'a dyn Fn(&Snapshot),
    attacker: Color,
    nodes_before: u64,
    proven: u64,
    start: Instant,
    last: &'a Cell<Instant>,
}

/// Snapshots at most so often; a look at the log costs locks.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(50);

impl Observer for Relay<'_> {
    fn progress(&self, progress: &Progress) {
        if self.last.get().elapsed() < SNAPSHOT_EVERY {
            return;
        }
        self.last.set(Instant::now());
        (self.watch)(&Snapshot {
            attacker: self.attacker,
            root: progress.root,
            nodes: self.nodes_before + progress.nodes,
            proven: self.proven,
            elapsed: self.start.elapsed(),
        });
    }
}

/// Answers a task on the calling thread. `watch` is called some twenty times a second.
///
/// Nodes, proof and verdict are the same in every run with the same task and settings, unless a limit on time or the stop
/// flag ends it.
pub fn prove(
    task: &Task,
    settings: &Settings,
    stop: &StopFlag,
    watch: &dyn Fn(&Snapshot),
) -> Outcome {
    let sides = task.goal.sides();
    let memory = share(settings.memory_bytes, sides.len());
    let start = Instant::now();
    let mut schedule = Schedule {
        task,
        settings,
        stop,
        watch,
        start,
        deadline: settings.time.map(|time| start + time),
        last_snapshot: Cell::new(start),
        campaigns: sides
            .into_iter()
            .map(|side| {
                let endgames = Endgames::new(task.tables.clone());
                let known = &task.known[side.index()];
                Campaign::new(
                    &task.claim(side),
                    memory,
                    known,
                    endgames,
                    Arc::clone(&task.hints),
                )
            })
            .collect(),
    };
    let verdict = schedule.run();
    schedule.outcome(verdict)
}

/// Half of the memory for tables, a quarter for logs; the rest is for reading the proof out and checking it.
fn share(bytes: usize, sides: usize) -> Memory {
    Memory {
        table_bytes: bytes / 2 / sides,
        log_bytes: bytes / 4 / sides,
    }
}

struct Schedule<'a> {
    task: &'a Task,
    settings: &'a Settings,
    stop: &'a StopFlag,
    watch: &'a dyn Fn(&Snapshot),
    start: Instant,
    deadline: Option<Instant>,
    last_snapshot: Cell<Instant>,
    campaigns: Vec<Campaign>,
}

impl Schedule<'_> {
    fn run(&mut self) -> Verdict {
        loop {
            if let Some(verdict) = self.answer() {
                return verdict;
            }
            if let Some(limit) = self.limit() {
                return Verdict::Undecided(limit);
            }
            let Some(next) = self.next() else {
                return Verdict::Undecided(Undecided::Repetition);
            };
            self.advance(next);
        }
    }

    /// The answer, if the campaigns add up to one.
    fn answer(&mut self) -> Option<Verdict> {
        if let Some(problem) = self.campaigns.iter().find_map(Campaign::table_failure) {
            return Some(Verdict::TablesFail(problem.to_owned()));
        }
        for campaign in &mut self.campaigns {
            if let Answer::Proven(_) = campaign.answer() {
                let claim = self.task.claim(campaign.attacker());
                let proof = campaign.proof(&claim);
                // Nor is what tables say: one may contradict another.
                if let Err(error @ (ExtractError::TableNotWon { .. } | ExtractError::Tables(_))) =
                    &proof
                {
                    return Some(Verdict::TablesFail(error.to_string()));
                }
                // What the task brought along is not this crate's to vouch for.
                if let Err(error) = &proof
                    && !self.task.known[claim.winner.index()].is_empty()
                {
                    return Some(Verdict::KnownFail(error.to_string()));
                }
                let proof = proof.expect("the log holds a strategy for each proven position");
                return Some(Verdict::Proved(Box::new(proof)));
            }
        }
        let disproved = |campaign: &Campaign| campaign.answer() == Answer::Disproven;
        self.campaigns
            .iter()
            .all(disproved)
            .then_some(Verdict::Disproved)
    }

    fn nodes(&self) -> u64 {
        self.campaigns.iter().map(Campaign::nodes).sum()
    }

    fn limit(&self) -> Option<Undecided> {
        if self.stop.is_raised() {
            Some(Undecided::Stopped)
        } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
            Some(Undecided::Time)
        } else if self.settings.nodes.is_some_and(|most| self.nodes() >= most) {
            Some(Undecided::Nodes)
        } else if self.campaigns.iter().any(Campaign::is_full) {
            Some(Undecided::Memory)
        } else {
            None
        }
    }

    /// The campaign whose turn it is; none if no open one is left.
    fn next(&self) -> Option<usize> {
        let open = |campaign: &Campaign| match campaign.answer() {
            Answer::Open(PnDn { pn, .. }) if pn < INFINITY => Some(pn),
            _ => None,
        };
        let candidates: Vec<(usize, u32)> = (0..)
            .zip(&self.campaigns)
            .filter_map(|(index, campaign)| Some((index, open(campaign)?)))
            .collect();
        let &(favourite, _) = candidates.iter().min_by_key(|&&(_, pn)| pn)?;
        let worked = self.campaigns[favourite].nodes();
        let neglected = candidates.iter().find(|&&(index, _)| {
            self.campaigns[index].nodes() < (worked / FAVOUR).max(FIRST_SLICE)
        });
        Some(neglected.map_or(favourite, |&(index, _)| index))
    }

    fn advance(&mut self, index: usize) {
        let nodes_before = self.nodes();
        let campaign = &mut self.campaigns[index];
        let slice = (campaign.nodes() / SLICE_PART).max(FIRST_SLICE);
        let left = self
            .settings
            .nodes
            .map_or(u64::MAX, |most| most.saturating_sub(nodes_before));
        let relay = Relay {
            watch: self.watch,
            attacker: campaign.attacker(),
            nodes_before,
            proven: campaign.proven() as u64,
            start: self.start,
            last: &self.last_snapshot,
        };
        campaign.advance(slice.min(left), self.deadline, self.stop, &relay);
    }

    fn outcome(&self, verdict: Verdict) -> Outcome {
        let proven = match verdict {
            Verdict::Undecided(_) => self
                .campaigns
                .iter()
                .map(|campaign| (campaign.attacker(), campaign.records()))
                .collect(),
            _ => Vec::new(),
        };
        Outcome {
            verdict,
            effort: Effort {
                nodes: self.nodes(),
                elapsed: self.start.elapsed(),
            },
            proven,
        }
    }
}

#[cfg(test)]
mod tests;
