//! The leaves of a skeleton, proven one by one.
//!
//! A search that begins at the root has to find the claimed moves' worth anew at every level, and wanders between lines of which it
//! knows nothing yet. Here each leaf is a search of its own, with the campaign's table and log; what one has found helps the others.
//! A leaf that costs more than its round allows comes again in the next, which allows more, and those that resist to the end are left to
//! the search from the root. The order of the work changes with that, and nothing else: no claim is believed.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use proof::Plies;
use rules::PackedPosition;
use search::{Answer, Hints, StopFlag, Thresholds};

use crate::{Assignment, Campaign, Finding, Task, skeleton::Leading};

/// Expansions that a leaf may cost in the first round.
const FIRST_BUDGET: u64 = 1 << 14;
/// Each round allows so many times as much as the one before.
const GROWTH: u64 = 8;
/// A leaf that costs more than this part of all work so far, or one of many leaves that would together cost as much again, is left to the
/// search from the root: the claim may be false, and another move win.
const LARGEST_PART: u64 = 32;
/// So many expansions, or this part of all, the search from the root follows all claims that do not lead to a leaf that was given up at once.
/// Then those that lead there at all lose their precedence: by now their numbers say what they are worth.
const LEAST_FOLLOWED: u64 = 1 << 17;
const FOLLOWED_PART: u64 = 16;
/// Tickets of leaves begin here; a manager counts its own from 1.
const FIRST_TICKET: u64 = 1 << 63;

/// How far the leaves of a skeleton have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeafCount {
    /// All leaves.
    pub all: usize,
    /// Those that are proven.
    pub proven: usize,
    /// Those that were given up: not won, or too hard. The search from the root meets them again.
    pub resisting: usize,
}

/// A position to be proven, and what it has cost.
#[derive(Clone, Debug)]
struct Leaf {
    position: PackedPosition,
    spent: u64,
}

/// A leaf that is being searched.
#[derive(Debug)]
struct Flight {
    ticket: u64,
    leaf: Leaf,
    budget: u64,
    stop: Arc<StopFlag>,
}

/// What was done about the leaves that were given up.
#[derive(Debug, Default)]
enum Doubt {
    #[default]
    None,
    /// The claims that lead to one at once lost their precedence, and the others will at so many expansions.
    Near(u64),
    All,
}

/// The leaves that one campaign has to prove before it searches from the root.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    waiting: VecDeque<Leaf>,
    /// For the next round.
    later: VecDeque<Leaf>,
    /// Expansions that a leaf may cost in this round.
    allowed: u64,
    flights: Vec<Flight>,
    next_ticket: u64,
    proven: Vec<(PackedPosition, Plies)>,
    resisting: HashSet<PackedPosition>,
    doubt: Doubt,
    count: LeafCount,
}

impl Leaves {
    pub(crate) fn new(positions: Vec<PackedPosition>) -> Self {
        let count = LeafCount {
            all: positions.len(),
            ..LeafCount::default()
        };
        let leaf = |position| Leaf { position, spent: 0 };
        Self {
            waiting: positions.into_iter().map(leaf).collect(),
            allowed: FIRST_BUDGET,
            count,
            ..Self::default()
        }
    }

    pub(crate) fn count(&self) -> LeafCount {
        self.count
    }

    /// Whether leaves are left to be searched, or being searched.
    pub(crate) fn is_open(&self) -> bool {
        !(self.waiting.is_empty() && self.later.is_empty() && self.flights.is_empty())
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.flights.is_empty()
    }

    pub(crate) fn nodes_in_flight(&self) -> u64 {
        self.flights.iter().map(|flight| flight.budget).sum()
    }

    pub(crate) fn stop_all(&self) {
        self.flights.iter().for_each(|flight| flight.stop.raise());
    }

    /// The next leaf, to be searched for at most `most` expansions.
    pub(crate) fn next(
        &mut self,
        campaign: &Campaign,
        most: u64,
    ) -> Option<(Assignment, Arc<StopFlag>)> {
        // The next round begins when this one's leaves have all been told of: with one thread, and nearly so with several.
        if self.waiting.is_empty() && self.flights.is_empty() && !self.later.is_empty() {
            let parts = LARGEST_PART.max(self.later.len() as u64);
            self.next_round(campaign.nodes() / parts);
        }
        let leaf = self.unproven(campaign)?;
        let budget = self.allowed.saturating_sub(leaf.spent).max(1).min(most);
        self.next_ticket += 1;
        let ticket = FIRST_TICKET + self.next_ticket;
        let assignment = Assignment {
            ticket,
            root: leaf.position.clone(),
            ruleset: campaign.ruleset(),
            attacker: campaign.attacker(),
            path: Vec::new(),
            nodes: budget,
            thresholds: Thresholds::NONE,
        };
        let stop = Arc::new(StopFlag::new());
        self.flights.push(Flight {
            ticket,
            leaf,
            budget,
            stop: Arc::clone(&stop),
        });
        Some((assignment, stop))
    }

    /// Allows more, but not more than `most`. Leaves that cannot have more are given up.
    fn next_round(&mut self, most: u64) {
        let later = std::mem::take(&mut self.later);
        let allowed = (self.allowed * GROWTH).min(most);
        if allowed > self.allowed {
            self.allowed = allowed;
            self.waiting = later;
        } else {
            for leaf in later {
                self.give_up(leaf);
            }
        }
    }

    fn give_up(&mut self, leaf: Leaf) {
        self.count.resisting += 1;
        self.resisting.insert(leaf.position);
    }

    /// The next leaf that the campaign does not know to be proven.
    fn unproven(&mut self, campaign: &Campaign) -> Option<Leaf> {
        while let Some(leaf) = self.waiting.pop_front() {
            let Some(height) = campaign.knows(&leaf.position) else {
                return Some(leaf);
            };
            self.note_proven(leaf.position, height);
        }
        None
    }

    fn note_proven(&mut self, position: PackedPosition, height: Plies) {
        self.count.proven += 1;
        self.proven.push((position, height));
    }

    /// Takes what came of a leaf. Says whether it was one.
    pub(crate) fn land(&mut self, finding: &Finding) -> bool {
        let at = self
            .flights
            .iter()
            .position(|flight| flight.ticket == finding.ticket);
        let Some(at) = at else {
            return false;
        };
        let Flight { mut leaf, .. } = self.flights.remove(at);
        leaf.spent += finding.report.nodes;
        match finding.report.answer {
            Answer::Proven(height) => self.note_proven(leaf.position, height),
            Answer::Disproven => self.give_up(leaf),
            Answer::Open(numbers) if numbers.is_decided() => self.give_up(leaf),
            Answer::Open(_) if leaf.spent < self.allowed => self.waiting.push_front(leaf),
            Answer::Open(_) => self.later.push_back(leaf),
        }
        true
    }

    /// The hints for the search from the root, if they are others than before.
    pub(crate) fn new_hints(&mut self, task: &Task, campaign: &Campaign) -> Option<Arc<Hints>> {
        if self.resisting.is_empty() {
            return None;
        }
        let nodes = campaign.nodes();
        let how_far = match self.doubt {
            Doubt::None => {
                let more = LEAST_FOLLOWED.max(nodes / FOLLOWED_PART);
                self.doubt = Doubt::Near(nodes + more);
                Leading::AtOnce
            }
            Doubt::Near(until) if nodes >= until => {
                self.doubt = Doubt::All;
                Leading::AtLast
            }
            _ => return None,
        };
        let (root, attacker) = (&task.root, campaign.attacker());
        let claims = &task.skeleton;
        let leading = claims.leading_to(&self.resisting, how_far, root, attacker, task.ruleset);
        let mut hints = Hints::clone(&task.hints);
        for (position, mv) in leading {
            hints.remove(&position, mv);
        }
        Some(Arc::new(hints))
    }

    /// The leaves proven so far, each with a bound on the plies left, which are told once.
    pub(crate) fn take_proven(&mut self) -> Vec<(PackedPosition, Plies)> {
        std::mem::take(&mut self.proven)
    }
}

#[cfg(test)]
mod tests;
