//! The manager: best-first proof-number search over a [`Graph`] whose leaves are searched by df-pn jobs.
//!
//! On the way from the root to the most-proving leaf the manager computes the thresholds at which df-pn would leave it again
//! (Pawlewicz and Lew 2007, 1 + ε with ε = 1/2) and hands them to the job with a budget of expansions; a leaf that has
//! cost [`Manager::split`] expansions is split into its children instead. Measured (search notes, section 5): without
//! the thresholds the work triples, and splitting after every job makes millions of nodes.
//!
//! A leaf that is being searched is not chosen again, and counts twice its numbers, so that several workers spread. With one worker
//! everything happens in the same order in every run.
//!
//! **Repetition.** The graph has no cycles: an edge that would close one is cut, and counts as failure until its child is proven
//! by another way. A job knows the positions on the way to its leaf, and a failure that leans on one of them cuts the edge
//! by which the leaf was reached. Disproofs that lean on cut edges are tainted: they steer, and are never reported.

use std::sync::Arc;

use rules::{Color, Move, PackedPosition, Position, Ruleset};
use search::{
    Answer, Branch, Hints, INFINITY, PnDn, Report, StopFlag, Thresholds, unless_saturated,
    with_slack,
};

use crate::{
    checkpoint::{NodeRow, node_parts},
    graph::{Decided, Edge, Graph, Link, Node, NodeId, ROOT},
};

/// Expansions of a job at least, unless a limit is nearer.
const LEAST_JOB: u64 = 200;
/// A leaf that has cost so many expansions is split, while the whole search is small.
pub(crate) const FIRST_SPLIT: u64 = 20_000;
/// The expansions that make a leaf worth splitting are at least this part of all, so that the number of splits grows with the
/// logarithm of the work.
const SPLIT_PART: u64 = 2_048;

/// What is wrong with rows of which [`graph_of`] makes nothing.
pub(crate) const MISFIT: &str = "the nodes of its graph do not fit together";

/// A leaf that is being searched.
#[derive(Debug)]
struct Flight {
    ticket: u64,
    leaf: NodeId,
    /// Nodes from the root to the leaf, with the keys that tell them from others that took their numbers.
    way: Vec<(NodeId, u64)>,
    budget: u64,
    stop: Arc<StopFlag>,
}

/// A leaf chosen to be searched.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) ticket: u64,
    pub(crate) position: Position,
    /// Keys of the positions from the root to the leaf's parent.
    pub(crate) path: Vec<u64>,
    pub(crate) budget: u64,
    pub(crate) thresholds: Thresholds,
    pub(crate) stop: Arc<StopFlag>,
}

/// What a manager does to the world around it.
pub(crate) trait Ground {
    /// The children of a position, without regard to advice.
    fn branches(&self, position: &Position) -> Vec<Branch>;
    /// The attacker wins the position within so many plies, by this move if the attacker is to move. Called before anything
    /// rests on it.
    fn proven(&self, position: &Position, winning: Option<Move>, height: u16, work: u64);
    /// The attacker does not win the position, whatever came before it.
    fn disproven(&self, position: &Position, work: u64);
}

/// The manager of one claim.
#[derive(Debug)]
pub(crate) struct Manager {
    graph: Graph,
    attacker: Color,
    ruleset: Ruleset,
    hints: Arc<Hints>,
    /// Bytes that the graph may take.
    most_bytes: usize,
    first_split: u64,
    flights: Vec<Flight>,
    next_ticket: u64,
    /// Expansions of the jobs that have ended.
    work: u64,
    /// Nodes proven so far, and when failures by repetition were last tried anew.
    proven: u64,
    proven_at_retry: u64,
}

/// The place of a descent: a node and the thresholds at which it is left, from its mover's point of view.
#[derive(Clone, Copy)]
struct Step {
    node: NodeId,
    a: u64,
    b: u64,
}

/// The graph that rows tell of. None if they tell of none that a search for a win of `attacker` from `root` can have.
pub(crate) fn graph_of(
    rows: Vec<NodeRow>,
    root: &PackedPosition,
    attacker: Color,
    ruleset: Ruleset,
    hints: &Hints,
) -> Option<Graph> {
    let graph = Graph::from_rows(rows, |key, mv| hints.of(key, mv))?;
    let sound = |node: &Node| match node.position.unpack(ruleset) {
        Ok(position) => {
            let attacker_to_move = position.side_to_move() == attacker;
            (node.key, node.attacker_to_move) == (position.key(), attacker_to_move)
        }
        // Positions at the end of the game need not be ones to begin with.
        Err(_) => node.is_decided(),
    };
    let begins_there = graph.node(ROOT).position == *root;
    (begins_there && graph.iter().all(|(_, node)| sound(node))).then_some(graph)
}

impl Manager {
    /// A manager that knows nothing but the root.
    pub(crate) fn new(
        root: &Position,
        attacker: Color,
        ruleset: Ruleset,
        hints: Arc<Hints>,
        most_bytes: usize,
    ) -> Self {
        let leaf = Node::new(root.pack(), root.key(), root.side_to_move() == attacker);
        Self {
            graph: Graph::new(leaf),
            attacker,
            ruleset,
            hints,
            most_bytes,
            first_split: FIRST_SPLIT,
            flights: Vec::new(),
            next_ticket: 0,
            work: 0,
            proven: 0,
            proven_at_retry: 0,
        }
    }

    /// The graph as parts of a checkpoint. Leaves that are being searched stand there with the numbers from before.
    pub(crate) fn parts(&self) -> Vec<Vec<u8>> {
        node_parts(self.graph.rows())
    }

    /// Takes the place of the graph that the rows tell of, after so many expansions. Says whether they tell of one that begins at
    /// the root; if not, nothing is changed.
    pub(crate) fn restore(&mut self, rows: Vec<NodeRow>, work: u64, ground: &impl Ground) -> bool {
        let root = &self.graph.node(ROOT).position;
        let Some(graph) = graph_of(rows, root, self.attacker, self.ruleset, &self.hints) else {
            return false;
        };
        self.graph = graph;
        self.work = work;
        // Failures by repetition may have come to an end meanwhile.
        self.proven = self.proven_at_retry + 1;
        // Nothing is being searched any more.
        self.update_those(Node::is_leaf, ground);
        true
    }

    /// Updates the graph upwards from some nodes.
    fn update_those(&mut self, which: impl Fn(&Node) -> bool, ground: &impl Ground) {
        let nodes = self.graph.iter().filter(|(_, node)| which(node));
        for (id, key) in nodes.map(|(id, node)| (id, node.key)).collect::<Vec<_>>() {
            if self.graph.still(id, key).is_some() {
                self.update(id, ground);
            }
        }
    }

    /// Whether the root was split.
    pub(crate) fn is_split(&self) -> bool {
        !self.graph.node(ROOT).is_leaf()
    }

    /// Takes other hints.
    pub(crate) fn set_hints(&mut self, hints: Arc<Hints>, ground: &impl Ground) {
        self.graph.advise(|key, mv| hints.of(key, mv));
        self.hints = hints;
        self.update_those(|_| true, ground);
    }

    /// Counts expansions outside the jobs, and of runs whose graph is lost.
    pub(crate) fn add_work(&mut self, nodes: u64) {
        self.work += nodes;
    }

    /// Splits leaves when they have cost so many expansions.
    pub(crate) fn set_first_split(&mut self, nodes: u64) {
        self.first_split = nodes.max(LEAST_JOB);
    }

    /// The graph may take so many bytes.
    pub(crate) fn set_most_bytes(&mut self, bytes: usize) {
        self.most_bytes = bytes;
    }

    /// Expansions of the jobs that have ended.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Expansions that the jobs under way may take.
    pub(crate) fn in_flight(&self) -> u64 {
        self.flights.iter().map(|flight| flight.budget).sum()
    }

    /// Whether no job is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.flights.is_empty()
    }

    /// Tells all jobs under way to end soon.
    pub(crate) fn stop_all(&self) {
        for flight in &self.flights {
            flight.stop.raise();
        }
    }

    /// What is known of the root. `Open` with infinite numbers: all lines that are left end in repetitions.
    pub(crate) fn answer(&self) -> Answer {
        let root = self.graph.node(ROOT);
        match root.numbers {
            numbers if numbers.is_proven() => Answer::Proven(self.graph.height(ROOT)),
            numbers if numbers.is_disproven() && !root.tainted => Answer::Disproven,
            numbers => Answer::Open(numbers),
        }
    }

    /// The work that makes a leaf worth splitting.
    fn split(&self) -> u64 {
        self.first_split.max(self.work / SPLIT_PART)
    }

    /// Chooses a leaf for a job of at most `most` expansions, and splits leaves that have cost enough on the way. None if all that could be searched is being
    /// searched.
    pub(crate) fn choose(&mut self, most: u64, ground: &impl Ground) -> Option<Chosen> {
        loop {
            self.retry(ground);
            let way = self.descend()?;
            let leaf = *way.last().expect("the root at least");
            let work = self.graph.node(leaf.node).work;
            let room = self.graph.bytes() < self.most_bytes;
            if work >= self.split() && room {
                self.split_leaf(leaf.node, ground);
                self.stop_moot();
                continue;
            }
            // Without room for its children a leaf is searched on and on, longer each time.
            let budget = if room {
                self.split() - work
            } else {
                self.split().max(work)
            };
            return Some(self.launch(&way, budget.max(LEAST_JOB).min(most)));
        }
    }

    /// Whether there is something to be searched, now or when a job has ended.
    pub(crate) fn is_open(&self) -> bool {
        let root = self.graph.node(ROOT);
        !root.is_decided() && (!root.tainted || !self.is_idle() || self.may_retry())
    }

    /// Whether something was proven since failures by repetition were met.
    fn may_retry(&self) -> bool {
        self.proven > self.proven_at_retry
    }

    /// If nothing but repetitions is left, tries them anew.
    fn retry(&mut self, ground: &impl Ground) {
        if !(self.graph.node(ROOT).tainted && self.is_idle() && self.may_retry()) {
            return;
        }
        self.proven_at_retry = self.proven;
        for node in self.graph.retry() {
            self.update(node, ground);
        }
    }

    /// The way to the best leaf that is not being searched, with the thresholds of each of its nodes.
    fn descend(&mut self) -> Option<Vec<Step>> {
        let root = self.graph.node(ROOT);
        if root.is_decided() || root.numbers.is_disproven() {
            return None;
        }
        self.graph.unmark_all();
        let mut way = vec![Step {
            node: ROOT,
            a: u64::MAX,
            b: u64::MAX,
        }];
        while let Some(&step) = way.last() {
            let node = self.graph.node(step.node);
            if node.is_leaf() && !node.in_flight {
                return Some(way);
            }
            if let Some(next) = self.best(step) {
                way.push(next);
            } else {
                // Nothing is to be done below it for now.
                self.graph.mark(step.node);
                way.pop();
            }
        }
        None
    }

    /// The best child that was not given up, with its thresholds.
    fn best(&self, step: Step) -> Option<Step> {
        let node = self.graph.node(step.node);
        let mut best: Option<(u32, &Edge, u32)> = None;
        let mut second = INFINITY;
        let mut sum = 0;
        for edge in &node.edges {
            let seen = self.graph.seen(node, edge);
            sum += u64::from(seen.b);
            if seen.a == INFINITY || seen.a == 0 || self.graph.is_marked(edge.child) {
                continue;
            }
            match best {
                Some((a, ..)) if seen.a >= a => second = second.min(seen.a),
                _ => {
                    second = best.map_or(second, |(a, ..)| a);
                    best = Some((seen.a, edge, seen.b));
                }
            }
        }
        let (_, edge, b) = best?;
        let mut threshold = step.a.min(with_slack(second));
        if let Some(advice) = edge.advice {
            threshold = unless_saturated(advice.unweigh(threshold));
        }
        let others = sum - u64::from(b);
        let rest = unless_saturated(step.b.saturating_sub(others));
        let same_mover = self.graph.node(edge.child).attacker_to_move == node.attacker_to_move;
        let (a, b) = if same_mover {
            (threshold, rest)
        } else {
            (rest, threshold)
        };
        Some(Step {
            node: edge.child,
            a,
            b,
        })
    }

    fn launch(&mut self, way: &[Step], budget: u64) -> Chosen {
        let leaf = *way.last().expect("the root at least");
        let way: Vec<(NodeId, u64)> = way
            .iter()
            .map(|step| (step.node, self.graph.node(step.node).key))
            .collect();
        let node = self.graph.node_mut(leaf.node);
        node.in_flight = true;
        let PnDn { pn, dn } = node.numbers;
        let (for_pn, others) = if node.attacker_to_move {
            (leaf.a, leaf.b)
        } else {
            (leaf.b, leaf.a)
        };
        let thresholds = Thresholds {
            pn: for_pn.max(with_slack(pn)),
            dn: others.max(with_slack(dn)),
        };
        let position = self.position(leaf.node);
        self.graph.update(leaf.node, |_, _| {});
        self.next_ticket += 1;
        let stop = Arc::new(StopFlag::new());
        let path = way[..way.len() - 1].iter().map(|&(_, key)| key).collect();
        self.flights.push(Flight {
            ticket: self.next_ticket,
            leaf: leaf.node,
            way,
            budget,
            stop: Arc::clone(&stop),
        });
        Chosen {
            ticket: self.next_ticket,
            position,
            path,
            budget,
            thresholds,
            stop,
        }
    }

    fn position(&self, id: NodeId) -> Position {
        let packed = &self.graph.node(id).position;
        packed
            .unpack(self.ruleset)
            .expect("it was packed from a position of this ruleset")
    }

    /// Makes a leaf an inner node.
    fn split_leaf(&mut self, leaf: NodeId, ground: &impl Ground) {
        let position = self.position(leaf);
        let branches = ground.branches(&position);
        self.graph.mark_ancestors(leaf);
        let mut news = Vec::new();
        for branch in branches {
            let (packed, key) = (branch.position.pack(), branch.position.key());
            let (child, link) = match self.graph.find(&packed, key) {
                Some(above) if self.graph.is_marked(above) => (above, Link::Cycle),
                Some(known) => {
                    if branch.numbers.is_decided() {
                        news.push((known, branch));
                    }
                    (known, Link::Live)
                }
                None => (self.insert(&branch), Link::Live),
            };
            let edge = Edge {
                mv: branch.mv,
                forced: branch.forced,
                child,
                link,
                advice: self.hints.of(position.key(), branch.mv),
            };
            self.graph.link(leaf, edge);
        }
        for (known, branch) in news {
            // What one of them decides may have taken others away.
            let still = self.graph.still(known, branch.position.key());
            if still.is_some_and(|node| !node.is_decided()) {
                let node = self.graph.node_mut(known);
                node.numbers = branch.numbers;
                node.height = branch.height.0;
                node.tainted = false;
                self.update(known, ground);
            }
        }
        self.update(leaf, ground);
    }

    fn insert(&mut self, branch: &Branch) -> NodeId {
        let position = &branch.position;
        let mut node = Node::new(
            position.pack(),
            position.key(),
            position.side_to_move() == self.attacker,
        );
        node.numbers = branch.numbers;
        node.height = branch.height.0;
        self.graph.insert(node)
    }

    /// Takes what a job has found.
    ///
    /// # Panics
    ///
    /// If no such job is under way.
    pub(crate) fn land(&mut self, ticket: u64, report: &Report, ground: &impl Ground) {
        let at = self.flights.iter().position(|f| f.ticket == ticket);
        let flight = self.flights.remove(at.expect("a job lands once"));
        self.work += report.nodes;
        for &(id, key) in &flight.way {
            if self.graph.still(id, key).is_some() {
                self.graph.node_mut(id).work += report.nodes;
            }
        }
        if !self.graph.landed(flight.leaf) || self.graph.node(flight.leaf).is_decided() {
            return;
        }
        let node = self.graph.node_mut(flight.leaf);
        match report.answer {
            Answer::Proven(height) => {
                node.numbers = PnDn::PROVEN;
                node.height = height.0;
                self.proven += 1;
            }
            Answer::Disproven => node.numbers = PnDn::DISPROVEN,
            Answer::Open(numbers) if !numbers.is_decided() => node.numbers = numbers,
            Answer::Open(_) => {
                let above = flight.way.len().checked_sub(2).map(|at| flight.way[at]);
                if let Some((parent, key)) = above
                    && self.graph.still(parent, key).is_some()
                {
                    self.graph.fail(parent, flight.leaf);
                    self.update(parent, ground);
                }
            }
        }
        self.update(flight.leaf, ground);
        self.stop_moot();
    }

    /// Updates the graph upwards from a node, and tells the ground what is decided.
    fn update(&mut self, from: NodeId, ground: &impl Ground) {
        let ruleset = self.ruleset;
        let mut proven = 0;
        self.graph.update(from, |graph, Decided { node, winning }| {
            let node = graph.node(node);
            let position = node
                .position
                .unpack(ruleset)
                .expect("it was packed from a position of this ruleset");
            if node.numbers.is_proven() {
                ground.proven(&position, winning, node.height, node.work);
                proven += 1;
            } else {
                ground.disproven(&position, node.work);
            }
        });
        self.proven += proven;
    }

    /// Tells the jobs to end whose results nobody waits for any more.
    fn stop_moot(&mut self) {
        for flight in &self.flights {
            if !flight.stop.is_raised() && !self.graph.matters(flight.leaf) {
                flight.stop.raise();
            }
        }
    }

    /// Checks the graph's invariants.
    #[cfg(test)]
    pub(crate) fn debug_validate(&mut self) {
        self.graph.debug_validate();
    }
}
