//! Depth-first proof-number search.
//!
//! df-pn (Nagai 2002) with these departures, each measured in this game:
//!
//! - thresholds of the best child are 1 + ε times the second best's (Pawlewicz and Lew 2007), ε = 1/2;
//! - numbers of unexpanded positions come from an [`Evaluator`], not from 1/1;
//! - a position with one legal move is no node: the move is played at once, and the next position takes its place. A child
//!   stands for the whole chain of forced moves that leads to it;
//! - ends of the game, and positions that an [`Oracle`] knows, are seen when a child is made;
//! - values of children stay in their parent's frame; only expanded positions are stored in the table;
//! - the children of positions expanded lately are kept as they were made ([`Lists`]).
//!
//! **Repetition.** A position that is met again on the path counts as failure there. What follows for the nodes above it
//! holds on this path only: each frame notes the shallowest node on which its disproof leans ([`Child::leans_on`]), and a
//! disproof is stored only if it leans on nothing above its own node. Proofs never lean on repetition.
//!
//! **Stack.** The search keeps its own: [`Frame`]s, whose children lie one after another in one arena.

use std::time::Instant;

use proof::{Entry, Plies, Record};
use rules::{Change, Move, MoveGen, Position};

use crate::{
    child::{Child, NOTHING, Value, decided, follow, play_forced},
    evaluator::{Evaluator, Leaf},
    hints::Hints,
    job::{Answer, Job, Report},
    limits::{Limits, Observer, Progress, StopFlag},
    lists::{Lists, Workspace},
    log::ProofLog,
    numbers::{INFINITY, PnDn, finite, unless_saturated, with_slack},
    oracle::{Oracle, Verdict},
    table::{Known, Table},
};

/// Nodes on a path at most; a longer path counts as failure there.
const MAX_DEPTH: usize = 2_000;
/// How often limits, stop flag and observer are looked after, in expansions.
const LOOK_EVERY: u64 = 1 << 12;

/// A position on the path.
#[derive(Debug)]
struct Frame<C> {
    position: Position,
    /// Helps to evaluate its children.
    context: C,
    key: u64,
    /// Where its children begin in the arena; they end where the next frame's begin.
    first_child: usize,
    /// The child that the next frame belongs to.
    followed: usize,
    attacker_to_move: bool,
    /// Whether there is advice about its moves.
    hinted: bool,
    /// The frame ends when its own `a` or `b` reaches these.
    threshold_a: u64,
    threshold_b: u64,
    nodes_before: u64,
}

/// What the children of a frame add up to.
#[derive(Clone, Copy, Debug)]
struct Sums {
    a: u32,
    b: u64,
    best: usize,
    second_a: u32,
}

/// What a search works with.
#[derive(Debug)]
pub struct Tools<'a, E, O> {
    /// Gives positions that were not expanded their numbers.
    pub evaluator: &'a E,
    /// Knows results of some positions.
    pub oracle: &'a O,
    /// Remembers what was expanded.
    pub table: &'a Table,
    /// Keeps what was proven.
    pub log: &'a ProofLog,
    /// Says which moves to look at first.
    pub hints: &'a Hints,
}

impl<E, O> Clone for Tools<'_, E, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, O> Copy for Tools<'_, E, O> {}

struct Search<'a, G, E: Evaluator<G>, O> {
    tools: Tools<'a, E, O>,
    job: &'a Job,
    frames: Vec<Frame<E::Context>>,
    children: Vec<Child>,
    /// What changed on the board between a frame's position and the child being made.
    changes: Vec<Change>,
    lists: &'a mut Lists,
    nodes: u64,
    salt: u64,
    /// The length of [`Job::path`]: depths count from its beginning.
    depth_of_root: usize,
    generator: std::marker::PhantomData<G>,
}

/// Searches until the job is answered or a limit is reached. What was found stays in table and log, so that a later search
/// of the same or of a neighbouring job goes on from there.
///
/// With one thread, the same table contents and the same limits the result is always the same.
pub fn search<G: MoveGen, E: Evaluator<G>, O: Oracle>(
    job: &Job,
    tools: Tools<'_, E, O>,
    workspace: &mut Workspace,
    limits: &Limits,
    stop: &StopFlag,
    observer: &dyn Observer,
) -> Report {
    if let Some(answer) = answer_without_search::<G>(job, tools.oracle) {
        return Report { answer, nodes: 0 };
    }
    let mut search = Search::<G, E, O>::new(job, tools, workspace);
    let answer = search.run(limits, stop, observer);
    Report {
        answer,
        nodes: search.nodes,
    }
}

/// A child of a position, and what is known about it without searching.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// The move that leads to it.
    pub mv: Move,
    /// Forced moves played after it.
    pub forced: u16,
    /// The position after the forced moves.
    pub position: Position,
    /// Its numbers: final if it is decided, from the table if it was expanded, else from the evaluator.
    pub numbers: PnDn,
    /// If the attacker wins here, the plies it takes at most, counted from `position`.
    pub height: Plies,
}

/// The children of the job's root, as [`search`] sees them. Not counted as an expansion.
#[must_use]
pub fn branches<G: MoveGen, E: Evaluator<G>, O: Oracle>(
    job: &Job,
    tools: Tools<'_, E, O>,
) -> Vec<Branch> {
    let mut workspace = Workspace::default();
    let mut search = Search::<G, E, O>::new(job, tools, &mut workspace);
    let context = search.root_context();
    search.push(job.root, context, u64::MAX, u64::MAX);
    let attacker_to_move = search.frames[0].attacker_to_move;
    let branch = |child: &Child| Branch {
        mv: child.mv,
        forced: child.forced,
        position: follow::<G>(job.root, *child, |_| {}),
        numbers: PnDn::of_mover((child.a, child.b), attacker_to_move),
        height: Plies(child.height),
    };
    search.children.iter().map(branch).collect()
}

fn answer_without_search<G: MoveGen>(job: &Job, oracle: &impl Oracle) -> Option<Answer> {
    let winner = G::winner_by_men(&job.root);
    if winner.is_none() && G::count_moves(&job.root) > 0 {
        return Some(match oracle.ask(&job.root, job.attacker)? {
            Verdict::Won(plies) => Answer::Proven(plies),
            Verdict::NotWon => Answer::Disproven,
        });
    }
    let winner = winner.or_else(|| job.ruleset.winner_without_moves(&job.root));
    Some(if winner == Some(job.attacker) {
        Answer::Proven(Plies::ZERO)
    } else {
        Answer::Disproven
    })
}

impl<'a, G: MoveGen, E: Evaluator<G>, O: Oracle> Search<'a, G, E, O> {
    fn new(job: &'a Job, tools: Tools<'a, E, O>, workspace: &'a mut Workspace) -> Self {
        Self {
            tools,
            job,
            frames: Vec::new(),
            children: Vec::new(),
            changes: Vec::new(),
            lists: workspace.lists_for(job.ruleset),
            nodes: 0,
            salt: job.table_key(0),
            depth_of_root: job.path.len(),
            generator: std::marker::PhantomData,
        }
    }

    fn run(&mut self, limits: &Limits, stop: &StopFlag, observer: &dyn Observer) -> Answer {
        let start = Instant::now();
        let mut next_look = LOOK_EVERY.min(limits.nodes);
        let (pn, dn) = (limits.root.pn, limits.root.dn);
        let attacker_to_move = self.job.root.side_to_move() == self.job.attacker;
        let (a, b) = if attacker_to_move { (pn, dn) } else { (dn, pn) };
        let context = self.root_context();
        self.push(self.job.root, context, a, b);
        loop {
            if self.nodes >= next_look {
                next_look = (self.nodes + LOOK_EVERY).min(limits.nodes);
                observer.progress(&Progress {
                    root: self.value(0, &self.sums(0)).numbers,
                    nodes: self.nodes,
                    elapsed: start.elapsed(),
                });
                let late = limits.deadline.is_some_and(|end| Instant::now() >= end);
                if self.nodes >= limits.nodes || late || stop.is_raised() {
                    return self.give_up();
                }
            }
            let top = self.frames.len() - 1;
            let sums = self.sums(top);
            let frame = &self.frames[top];
            if sums.a == 0
                || sums.a == INFINITY
                || u64::from(sums.a) >= frame.threshold_a
                || sums.b >= frame.threshold_b
            {
                let value = self.value(top, &sums);
                if let Some(answer) = self.pop(value) {
                    return answer;
                }
            } else {
                self.descend(top, &sums);
            }
        }
    }

    fn root_context(&self) -> E::Context {
        self.tools
            .evaluator
            .context(&self.job.root, self.job.attacker)
    }

    /// Goes on with the best child of the frame on top.
    fn descend(&mut self, top: usize, sums: &Sums) {
        let child = self.children[sums.best];
        let frame = &mut self.frames[top];
        frame.followed = sums.best;
        let mut threshold_a = frame.threshold_a.min(with_slack(sums.second_a));
        if frame.hinted
            && let Some(advice) = self.tools.hints.of(frame.position.key(), child.mv)
        {
            threshold_a = unless_saturated(advice.unweigh(threshold_a));
        }
        // What the siblings contribute is not the child's to exceed.
        let others = sums.b - u64::from(child.b);
        let threshold_b = unless_saturated(frame.threshold_b.saturating_sub(others));
        self.changes.clear();
        let context = frame.context;
        let position = follow::<G>(frame.position, child, |change| self.changes.push(change));
        if let Some(depth) = self.depth_of(child.key) {
            self.fail_by_repetition(sums.best, depth);
        } else if self.depth_of_root + self.frames.len() >= MAX_DEPTH {
            self.fail_by_repetition(sums.best, 0);
        } else {
            let same_mover =
                (position.side_to_move() == self.job.attacker) == self.frames[top].attacker_to_move;
            let (a, b) = if same_mover {
                (threshold_a, threshold_b)
            } else {
                (threshold_b, threshold_a)
            };
            let context =
                self.tools
                    .evaluator
                    .next_context(&context, &self.changes, self.job.attacker);
            self.push(position, context, a, b);
        }
    }

    /// The depth at which the position with this key stands on the path.
    fn depth_of(&self, key: u64) -> Option<usize> {
        let in_search = self.frames.iter().rposition(|frame| frame.key == key);
        in_search.map_or_else(
            || {
                let key = key ^ self.salt;
                self.job.path.iter().rposition(|&before| before == key)
            },
            |frame| Some(self.depth_of_root + frame),
        )
    }

    /// The attacker fails in this child on this path.
    #[expect(clippy::cast_possible_truncation, reason = "paths end at MAX_DEPTH")]
    fn fail_by_repetition(&mut self, child: usize, depth: usize) {
        let attacker_to_move = self.frames[self.frames.len() - 1].attacker_to_move;
        self.set_child(
            child,
            attacker_to_move,
            Value {
                numbers: PnDn::DISPROVEN,
                height: 0,
                leans_on: depth as u16,
            },
        );
    }

    /// Gives a child of the frame on top its numbers.
    fn set_child(&mut self, index: usize, attacker_to_move: bool, value: Value) {
        let child = &mut self.children[index];
        (child.a, child.b) = value.numbers.for_mover(attacker_to_move);
        child.height = value.height;
        child.leans_on = value.leans_on;
        let frame = &self.frames[self.frames.len() - 1];
        if frame.hinted
            && let Some(advice) = self.tools.hints.of(frame.position.key(), child.mv)
        {
            child.a = advice.weigh(child.a);
        }
    }

    /// Expands a position: a frame, and its children with their first numbers.
    fn push(
        &mut self,
        position: Position,
        context: E::Context,
        threshold_a: u64,
        threshold_b: u64,
    ) {
        self.nodes += 1;
        let first_child = self.children.len();
        let attacker_to_move = position.side_to_move() == self.job.attacker;
        let key = position.key() ^ self.salt;
        let hinted = !self.tools.hints.at(position.key()).is_empty();
        self.frames.push(Frame {
            position,
            context,
            key,
            first_child,
            followed: first_child,
            attacker_to_move,
            hinted,
            threshold_a,
            threshold_b,
            nodes_before: self.nodes - 1,
        });
        if let Some(children) = self.lists.get(key) {
            for child in children {
                self.tools.table.prefetch(child.key);
            }
            self.children.extend_from_slice(children);
        } else {
            self.make_children(&position, &context);
            self.lists.put(key, &self.children[first_child..]);
        }
        self.look_up_children(first_child);
        if hinted {
            self.weigh(first_child);
        }
    }

    /// Appends the children of `position` with their numbers: of the end of the game, from the oracle, or the evaluator's.
    fn make_children(&mut self, position: &Position, context: &E::Context) {
        let Self {
            tools,
            job,
            children,
            changes,
            salt,
            ..
        } = self;
        let attacker_to_move = position.side_to_move() == job.attacker;
        G::for_each_move(position, |mv| {
            changes.clear();
            let mut child = *position;
            G::play_noting(&mut child, mv, |change| changes.push(change));
            let (forced, moves, survey) = play_forced::<G>(&mut child, changes);
            let key = child.key() ^ *salt;
            tools.table.prefetch(key);
            let value = decided(tools.oracle, job, &child, moves).unwrap_or_else(|| Value {
                numbers: tools.evaluator.evaluate(
                    context,
                    &Leaf {
                        position: &child,
                        survey: &survey,
                        changes,
                        attacker: job.attacker,
                        moves,
                    },
                ),
                height: 0,
                leans_on: NOTHING,
            });
            let (a, b) = value.numbers.for_mover(attacker_to_move);
            children.push(Child {
                key,
                a,
                b,
                mv,
                forced,
                height: value.height,
                leans_on: value.leans_on,
            });
        });
    }

    /// Gives the children from the arena's `first` on what the table knows of them.
    fn look_up_children(&mut self, first: usize) {
        let attacker_to_move = self.frames[self.frames.len() - 1].attacker_to_move;
        for child in &mut self.children[first..] {
            // The game is over, or the oracle knows: then that is all there is to know.
            if child.a.min(child.b) == 0 {
                continue;
            }
            let Some(known) = self.tools.table.get(child.key) else {
                continue;
            };
            let numbers = match known {
                Known::Proven(height) => {
                    child.height = height.0;
                    PnDn::PROVEN
                }
                Known::Disproven => PnDn::DISPROVEN,
                Known::Open(numbers) => numbers,
            };
            (child.a, child.b) = numbers.for_mover(attacker_to_move);
        }
    }

    /// Weighs the numbers of the children of the frame on top by the advice about them.
    #[cold]
    fn weigh(&mut self, first_child: usize) {
        let advice = self
            .tools
            .hints
            .at(self.frames[self.frames.len() - 1].position.key());
        for child in &mut self.children[first_child..] {
            if let Some(&(_, advice)) = advice.iter().find(|(mv, _)| *mv == child.mv) {
                child.a = advice.weigh(child.a);
            }
        }
    }

    fn children_of(&self, depth: usize) -> std::ops::Range<usize> {
        let end = self
            .frames
            .get(depth + 1)
            .map_or(self.children.len(), |next| next.first_child);
        self.frames[depth].first_child..end
    }

    fn sums(&self, depth: usize) -> Sums {
        let range = self.children_of(depth);
        // Number and index in one word, so that the smallest two are found without jumps: which child is the best cannot be
        // predicted.
        let (mut best, mut second) = (u64::MAX, u64::MAX);
        let mut b = 0;
        for (index, child) in (0u64..).zip(&self.children[range.clone()]) {
            let this = u64::from(child.a) << 32 | index;
            second = second.min(best.max(this));
            best = best.min(this);
            b += u64::from(child.b);
        }
        #[expect(clippy::cast_possible_truncation, reason = "halves of a word")]
        Sums {
            a: (best >> 32) as u32,
            b,
            best: range.start + (best as u32 as usize).min(range.len()),
            second_a: (second >> 32) as u32,
        }
    }

    /// The value of a frame for the frame above it.
    fn value(&self, depth: usize, sums: &Sums) -> Value {
        let children = &self.children[self.children_of(depth)];
        let attacker_to_move = self.frames[depth].attacker_to_move;
        let finite_b = finite(sums.b);
        let heights = children.iter().map(Child::plies);
        match (attacker_to_move, sums.a) {
            (true, 0) => Value {
                numbers: PnDn::PROVEN,
                height: self.winning_child(depth).map_or(0, Child::plies),
                leans_on: NOTHING,
            },
            (false, INFINITY) => Value {
                numbers: PnDn::PROVEN,
                height: heights.max().unwrap_or(0),
                leans_on: NOTHING,
            },
            (true, INFINITY) => Value {
                numbers: PnDn::DISPROVEN,
                height: 0,
                leans_on: children
                    .iter()
                    .map(|child| child.leans_on)
                    .min()
                    .unwrap_or(NOTHING),
            },
            (false, 0) => Value {
                numbers: PnDn::DISPROVEN,
                height: 0,
                leans_on: children
                    .iter()
                    .filter(|child| child.a == 0)
                    .map(|child| child.leans_on)
                    .max()
                    .unwrap_or(NOTHING),
            },
            (_, a) => Value {
                numbers: PnDn::of_mover((a, finite_b), attacker_to_move),
                height: 0,
                leans_on: NOTHING,
            },
        }
    }

    /// The proven child with the shortest way to the end.
    fn winning_child(&self, depth: usize) -> Option<&Child> {
        self.children[self.children_of(depth)]
            .iter()
            .filter(|child| child.a == 0)
            .min_by_key(|child| child.plies())
    }

    /// Ends the frame on top: stores what it found, and hands it to the frame below. An answer if there is none.
    fn pop(&mut self, mut value: Value) -> Option<Answer> {
        let depth = self.frames.len() - 1;
        let proven = value.numbers.is_proven();
        if proven && self.frames[depth].attacker_to_move {
            let frame = &self.frames[depth];
            if let Some(child) = self.winning_child(depth) {
                // The log comes first: whoever reads from the table that a position is proven finds it in the log.
                self.tools.log.insert(Record::new(
                    &frame.position,
                    Entry {
                        mv: child.mv,
                        height: Plies(value.height),
                    },
                ));
            }
        }
        let final_disproof = value.numbers.is_disproven()
            && usize::from(value.leans_on) >= self.depth_of_root + depth;
        let frame = &self.frames[depth];
        let known = if proven {
            Some(Known::Proven(Plies(value.height)))
        } else if value.numbers.is_disproven() {
            final_disproof.then_some(Known::Disproven)
        } else {
            Some(Known::Open(value.numbers))
        };
        if let Some(known) = known {
            self.tools
                .table
                .put(frame.key, known, self.nodes - frame.nodes_before);
        }
        self.children.truncate(frame.first_child);
        self.frames.pop();
        if final_disproof {
            value.leans_on = NOTHING;
        }
        if let Some(below) = self.frames.last() {
            let (index, attacker_to_move) = (below.followed, below.attacker_to_move);
            self.set_child(index, attacker_to_move, value);
            return None;
        }
        Some(if proven {
            Answer::Proven(Plies(value.height))
        } else if final_disproof {
            Answer::Disproven
        } else {
            Answer::Open(value.numbers)
        })
    }

    /// Ends all frames with the numbers they have.
    fn give_up(&mut self) -> Answer {
        loop {
            let top = self.frames.len() - 1;
            let sums = self.sums(top);
            let value = self.value(top, &sums);
            if let Some(answer) = self.pop(value) {
                return answer;
            }
        }
    }
}
