//! One line: which side's campaign gets the next job, and when the line is at its end.
//!
//! Both campaigns of a line that either side may win get work. The side that looks nearer to a proof, by its root's proof number, gets
//! most of it ([`FAVOUR`] times the other's), so that a search for either side costs little more than one for the winner, and a
//! wrong favourite costs a constant factor. Jobs under way count with all that they may take.

use std::{
    cell::Cell,
    convert::Infallible,
    sync::Arc,
    time::{Duration, Instant},
};

use proof::{Claim, ExtractError, Record};
use search::{Answer, Limits, Observer, PnDn, Progress, StopFlag, Workspace};

use rules::Color;

use crate::{
    Assignment, Campaign, Checkpoint, Effort, Endgames, Finding, Memory, Outcome, Resumed,
    Settings, Snapshot, Task, Undecided, Verdict, Workplace,
    blame::FalseLine,
    checkpoint::{Pace, Saving},
    leaves::Leaves,
};

/// Expansions that each side gets before the favourite is preferred.
const FIRST_SLICE: u64 = 1 << 12;
/// While another side may win, a job is at most this part of the work done for its own, but at least [`FIRST_SLICE`].
const SLICE_PART: u64 = 8;
/// Work for the favourite for one of the other side.
const FAVOUR: u64 = 15;
/// Snapshots at most so often; a look at the log costs locks.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(50);

/// A job of a line, with what is needed to do it.
#[derive(Debug)]
pub(crate) struct Work {
    /// The campaign's place in the line.
    side: usize,
    assignment: Assignment,
    deadline: Option<Instant>,
    workplace: Workplace,
    /// Told by the manager when nobody needs the result any more.
    moot: Arc<StopFlag>,
}

impl Work {
    /// Does the job. A raised `stop` ends it soon. `watch` hears of the expansions, every few thousand.
    pub(crate) fn run(
        &self,
        workspace: &mut Workspace,
        stop: &StopFlag,
        watch: &dyn Fn(u64),
    ) -> Finding {
        let observer = Watcher {
            stop,
            moot: &self.moot,
            watch,
        };
        self.workplace.work(
            &self.assignment,
            workspace,
            self.deadline,
            &self.moot,
            &observer,
        )
    }
}

/// Hands the signal to stop everything on to one job.
struct Watcher<'a> {
    stop: &'a StopFlag,
    moot: &'a StopFlag,
    watch: &'a dyn Fn(u64),
}

impl Observer for Watcher<'_> {
    fn progress(&self, progress: &Progress) {
        if self.stop.is_raised() {
            self.moot.raise();
        }
        (self.watch)(progress.nodes);
    }
}

/// What is to be done for a line.
#[derive(Debug)]
pub(crate) enum Next {
    /// A job.
    Job(Box<Work>),
    /// Nothing, until one of the jobs under way has ended.
    Wait,
    /// Nothing any more: [`Line::conclude`].
    End,
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
    let mut line = Line::new(task, settings);
    let teller = Teller::new(watch);
    let mut workspace = Workspace::default();
    while let Next::Job(work) = line.next(stop) {
        let snapshot = line.snapshot(&work);
        let finding = work.run(&mut workspace, stop, &|nodes| teller.tell(snapshot, nodes));
        line.land(&work, &finding);
        teller.tell(snapshot, finding.report.nodes);
    }
    line.conclude(stop)
}

/// Hands snapshots on, but not too many.
pub(crate) struct Teller<'a> {
    watch: &'a dyn Fn(&Snapshot),
    last: Cell<Instant>,
}

impl<'a> Teller<'a> {
    /// The first is due after [`SNAPSHOT_EVERY`].
    pub(crate) fn new(watch: &'a dyn Fn(&Snapshot)) -> Self {
        let last = Cell::new(Instant::now());
        Self { watch, last }
    }

    /// Tells of a snapshot taken so many expansions ago, if one is due.
    pub(crate) fn tell(&self, snapshot: Snapshot, nodes: u64) {
        let since = self.last.get().elapsed();
        if since >= SNAPSHOT_EVERY {
            self.last.set(Instant::now());
            (self.watch)(&Snapshot {
                nodes: snapshot.nodes + nodes,
                ..snapshot
            });
        }
    }
}

/// Three quarters of the memory for tables and logs, a sixteenth for managers; the rest is for checkpoints.
fn share(bytes: usize, sides: usize) -> Memory {
    Memory {
        search_bytes: bytes / 4 * 3 / sides,
        manager_bytes: bytes / 16 / sides,
    }
}

/// A task that is being answered.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    task: &'a Task,
    settings: Settings,
    start: Instant,
    deadline: Option<Instant>,
    campaigns: Vec<Campaign>,
    /// What is to be proven before the search from the root, by campaign.
    leaves: Vec<Leaves>,
    /// What was taken from checkpoints, by campaign.
    resumed: Vec<Resumed>,
    /// Expansions of earlier runs, by campaign.
    nodes_before: Vec<u64>,
    /// Time of earlier runs.
    elapsed_before: Duration,
    pace: Arc<Pace>,
    saved: Instant,
    /// Whether a checkpoint was made in this run.
    has_saved: bool,
    /// The side whose checkpoints hold what turned out false.
    spoilt: Option<Color>,
}

/// Why a line ends.
enum Ending {
    /// A table is damaged.
    TablesFail(String),
    /// A campaign has proven its root.
    Proven(usize),
    Disproved,
    Undecided(Undecided),
}

impl<'a> Line<'a> {
    /// A line in which nothing was searched yet. Its time runs from now.
    pub(crate) fn new(task: &'a Task, settings: &Settings) -> Self {
        let sides = task.goal.sides();
        let memory = share(settings.memory_bytes, sides.len());
        let start = Instant::now();
        let mut resumed = Vec::new();
        let campaign = |side: Color| {
            let endgames = Endgames::new(task.tables.clone());
            let hints = Arc::clone(&task.hints);
            let mut campaign = Campaign::new(&task.claim(side), memory, endgames, hints);
            if let Some(archive) = &task.archive {
                resumed.extend(campaign.resume(&**archive));
            }
            campaign.learn(&task.known[side.index()]);
            campaign
        };
        let campaigns: Vec<Campaign> = sides.into_iter().map(campaign).collect();
        let leaves = |campaign: &Campaign| {
            // A search from the root has begun: all leaves were tried.
            if campaign.is_split() {
                return Leaves::default();
            }
            Leaves::new(
                task.skeleton
                    .leaves(&task.root, campaign.attacker(), task.ruleset),
            )
        };
        Self {
            task,
            settings: *settings,
            start,
            deadline: settings.time.map(|time| start + time),
            nodes_before: campaigns.iter().map(Campaign::nodes).collect(),
            leaves: campaigns.iter().map(leaves).collect(),
            campaigns,
            elapsed_before: resumed.iter().map(|r| r.elapsed).max().unwrap_or_default(),
            resumed,
            pace: Arc::default(),
            saved: start,
            has_saved: false,
            spoilt: None,
        }
    }

    /// From now on the line may use so much, which is no less than before.
    pub(crate) fn set_memory(&mut self, bytes: usize) {
        if bytes == self.settings.memory_bytes {
            return;
        }
        self.settings.memory_bytes = bytes;
        let memory = share(bytes, self.campaigns.len());
        for campaign in &mut self.campaigns {
            campaign.set_memory(memory);
        }
    }

    /// What was taken from checkpoints: one for each side that had any.
    pub(crate) fn resumed(&self) -> &[Resumed] {
        &self.resumed
    }

    /// Time over all runs.
    fn elapsed(&self) -> Duration {
        self.elapsed_before + self.start.elapsed()
    }

    /// Checkpoints of the campaigns in which something was searched, if they are due.
    pub(crate) fn checkpoints_due(&mut self) -> Option<Vec<Checkpoint>> {
        self.task.archive.as_ref()?;
        let saving = self.pace.begin(self.saved.elapsed())?;
        self.saved = Instant::now();
        self.has_saved = true;
        Some(self.checkpoints(Some(&Arc::new(saving))))
    }

    fn checkpoints(&self, saving: Option<&Arc<Saving>>) -> Vec<Checkpoint> {
        let elapsed = self.elapsed();
        // The others' would say no more than those that are there, and less of the table if there is less memory now.
        let campaigns = self.campaigns.iter().zip(&self.nodes_before);
        campaigns
            .filter(|(campaign, before)| campaign.nodes() > **before)
            .map(|(campaign, _)| campaign.checkpoint(elapsed, saving.cloned()))
            .collect()
    }

    /// What is to be done now.
    pub(crate) fn next(&mut self, stop: &StopFlag) -> Next {
        loop {
            if self.ending(stop).is_some() {
                if self.is_idle() {
                    return Next::End;
                }
                self.campaigns.iter().for_each(Campaign::stop_all);
                self.leaves.iter().for_each(Leaves::stop_all);
                return Next::Wait;
            }
            let work = self.turn().and_then(|side| self.work(side));
            if let Some(work) = work {
                return Next::Job(Box::new(work));
            }
            if !self.is_idle() {
                return Next::Wait;
            }
            // A campaign has come to its end while it looked for a job.
        }
    }

    fn is_idle(&self) -> bool {
        self.campaigns.iter().all(Campaign::is_idle) && self.leaves.iter().all(Leaves::is_idle)
    }

    fn ending(&self, stop: &StopFlag) -> Option<Ending> {
        if let Some(problem) = self.campaigns.iter().find_map(Campaign::table_failure) {
            return Some(Ending::TablesFail(problem.to_owned()));
        }
        let answers = || self.campaigns.iter().map(Campaign::answer);
        if let Some(at) = answers().position(|answer| matches!(answer, Answer::Proven(_))) {
            return Some(Ending::Proven(at));
        }
        if answers().all(|answer| answer == Answer::Disproven) {
            return Some(Ending::Disproved);
        }
        self.limit(stop).map(Ending::Undecided)
    }

    /// The limit on what the line may cost that was reached.
    fn used_up(&self, stop: &StopFlag) -> Option<Undecided> {
        if stop.is_raised() {
            Some(Undecided::Stopped)
        } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
            Some(Undecided::Time)
        } else if self.nodes_left() == 0 {
            Some(Undecided::Nodes)
        } else {
            None
        }
    }

    /// Expansions that jobs may still take, those under way not counted.
    fn nodes_left(&self) -> u64 {
        let gone = self.nodes() - self.all_before();
        let most = self.settings.nodes.unwrap_or(u64::MAX);
        most.saturating_sub(gone)
    }

    fn limit(&self, stop: &StopFlag) -> Option<Undecided> {
        if let Some(why) = self.used_up(stop) {
            Some(why)
        } else if self.campaigns.iter().any(Campaign::is_full) {
            Some(Undecided::Memory)
        } else if !self.campaigns.iter().any(Campaign::is_open) {
            Some(Undecided::Repetition)
        } else {
            None
        }
    }

    /// Expansions of jobs that have ended.
    fn nodes(&self) -> u64 {
        self.campaigns.iter().map(Campaign::nodes).sum()
    }

    /// Expansions of earlier runs.
    fn all_before(&self) -> u64 {
        self.nodes_before.iter().sum()
    }

    /// The campaign whose turn it is; none if no open one is left.
    fn turn(&self) -> Option<usize> {
        let candidates: Vec<(usize, u32)> = (0..)
            .zip(&self.campaigns)
            .filter(|(_, campaign)| campaign.is_open())
            .filter_map(|(index, campaign)| match campaign.answer() {
                // Somebody knew how this side wins.
                Answer::Open(_) if self.leaves[index].is_open() => Some((index, 0)),
                Answer::Open(PnDn { pn, .. }) => Some((index, pn)),
                _ => None,
            })
            .collect();
        let work = |index: usize| {
            let campaign = &self.campaigns[index];
            campaign.nodes() + campaign.nodes_in_flight() + self.leaves[index].nodes_in_flight()
        };
        let &(favourite, _) = candidates.iter().min_by_key(|&&(_, pn)| pn)?;
        let worked = work(favourite);
        let neglected = candidates
            .iter()
            .find(|&&(index, _)| work(index) < (worked / FAVOUR).max(FIRST_SLICE));
        Some(neglected.map_or(favourite, |&(index, _)| index))
    }

    /// A job for a campaign, if there is one.
    fn work(&mut self, side: usize) -> Option<Work> {
        let leaves = self.leaves.iter().map(Leaves::nodes_in_flight);
        let in_flight: u64 = self
            .campaigns
            .iter()
            .map(Campaign::nodes_in_flight)
            .chain(leaves)
            .sum();
        let left = self.nodes_left().saturating_sub(in_flight);
        if left == 0 {
            return None;
        }
        let rivals = self.campaigns.iter().filter(|other| other.is_open());
        let slice = if rivals.count() > 1 {
            (self.campaigns[side].nodes() / SLICE_PART).max(FIRST_SLICE)
        } else {
            u64::MAX
        };
        let campaign = &mut self.campaigns[side];
        let leaves = &mut self.leaves[side];
        let (assignment, moot) = if leaves.is_open() {
            if !campaign.make_room(leaves.is_idle()) {
                return None;
            }
            leaves.next(campaign, slice.min(left))?
        } else {
            // The table may have lost some of them.
            for (position, height) in leaves.take_proven() {
                campaign.recall(&position, height);
            }
            if let Some(hints) = leaves.new_hints(self.task, campaign) {
                campaign.set_hints(hints);
            }
            campaign.next(slice.min(left))?
        };
        Some(Work {
            side,
            assignment,
            deadline: self.deadline,
            workplace: campaign.workplace(),
            moot,
        })
    }

    /// Takes what came of a job.
    pub(crate) fn land(&mut self, work: &Work, finding: &Finding) {
        let (campaign, leaves) = (&mut self.campaigns[work.side], &mut self.leaves[work.side]);
        if leaves.land(finding) {
            campaign.add_work(finding.report.nodes);
        } else {
            campaign.land(finding);
        }
    }

    /// How the campaign of a job stands.
    pub(crate) fn snapshot(&self, work: &Work) -> Snapshot {
        let campaign = &self.campaigns[work.side];
        Snapshot {
            attacker: campaign.attacker(),
            root: campaign.answer().numbers(),
            nodes: self.nodes(),
            proven: campaign.proven() as u64,
            elapsed: self.elapsed(),
            leaves: self.leaves[work.side].count(),
        }
    }

    /// What came of a line that is at its end.
    ///
    /// # Panics
    ///
    /// If it is not.
    pub(crate) fn conclude(&mut self, stop: &StopFlag) -> Outcome {
        let ending = self.ending(stop).expect("the line is at its end");
        // A log with a hole is worth a repair, but nobody else's trust.
        let is_whole = !matches!(ending, Ending::Proven(_));
        let verdict = match ending {
            Ending::TablesFail(problem) => Verdict::TablesFail(problem),
            Ending::Proven(side) => self.proved(side, stop),
            Ending::Disproved => Verdict::Disproved,
            Ending::Undecided(why) => Verdict::Undecided(why),
        };
        let undecided = matches!(verdict, Verdict::Undecided(_));
        let campaigns = self.campaigns.iter().filter(|_| undecided && is_whole);
        // What checkpoints hold need not be told as well.
        let few = |campaign: &&Campaign| {
            let bytes = campaign.proven() * size_of::<Record>();
            self.task.archive.is_none() || bytes <= self.settings.memory_bytes / 32
        };
        let proven = campaigns
            .filter(few)
            .map(|campaign| (campaign.attacker(), campaign.records()))
            .collect();
        let checkpoints = if undecided && self.task.archive.is_some() {
            self.checkpoints(None)
        } else {
            Vec::new()
        };
        Outcome {
            verdict,
            effort: Effort {
                nodes: self.nodes(),
                elapsed: self.elapsed(),
            },
            proven,
            checkpoints,
            spoilt: self.spoilt,
        }
    }

    /// The proof of a campaign that has proven its root.
    fn proved(&mut self, side: usize, stop: &StopFlag) -> Verdict {
        let limits = Limits {
            deadline: self.deadline,
            ..Limits::nodes(self.nodes_left())
        };
        // The proof needs memory.
        self.campaigns.iter_mut().for_each(Campaign::retire);
        let campaign = &mut self.campaigns[side];
        let claim = self.task.claim(campaign.attacker());
        let proof = campaign.proof(&claim, &limits, stop);
        // What tables say is not the search's fault: one may contradict another.
        if let Err(error @ (ExtractError::TableNotWon { .. } | ExtractError::Tables(_))) = &proof {
            return Verdict::TablesFail(error.to_string());
        }
        // What is left to be repaired may be next time.
        if proof.is_err()
            && let Some(why) = self.used_up(stop)
        {
            return Verdict::Undecided(why);
        }
        // What the task brought along, or a file kept, is not this crate's to vouch for.
        if let Err(error) = &proof
            && (!self.task.known[claim.winner.index()].is_empty() || !self.resumed.is_empty())
        {
            self.spoilt = self.is_spoilt(&claim, error).then_some(claim.winner);
            return Verdict::KnownFail(error.to_string());
        }
        let proof = proof.expect("the log holds a strategy for each proven position");
        Verdict::Proved(Box::new(proof))
    }

    /// Whether the checkpoint that is kept for a claim holds what failed. If the task has told of no position it is the only one that can.
    fn is_spoilt(&self, claim: &Claim, error: &ExtractError<Infallible>) -> bool {
        let Some(archive) = &self.task.archive else {
            return false;
        };
        let winner = claim.winner;
        self.has_saved
            || self.task.known[winner.index()].is_empty()
            || FalseLine::of(error, &claim.root, claim.ruleset, winner)
                .is_none_or(|line| line.is_in(&**archive, winner))
    }
}

#[cfg(test)]
mod tests;
