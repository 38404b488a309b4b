//! What is to be proved, under which limits, and what came of it.

use std::{sync::Arc, time::Duration};

use proof::{Claim, Plies, Proof, Record};
use rules::{Color, Position, Ruleset};
use search::{Hints, PnDn};
use tablebase::Tables;

use crate::{Archive, Checkpoint, LeafCount, Skeleton};

/// Whose win is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// One side's.
    Side(Color),
    /// Either side's: both are searched, and the first proof ends the task.
    Either,
}

impl Goal {
    /// The sides to search for, White first.
    #[must_use]
    pub fn sides(self) -> Vec<Color> {
        match self {
            Self::Side(color) => vec![color],
            Self::Either => Color::ALL.to_vec(),
        }
    }
}

/// A question.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position in question.
    pub root: Position,
    /// The game that is played.
    pub ruleset: Ruleset,
    /// Whose win is to be shown.
    pub goal: Goal,
    /// Positions known to be won for White, by `Color::index`, and for Black: they are taken over without search. Each must lean only on
    /// others among them, as a stored strategy does.
    pub known: [Vec<Record>; 2],
    /// Endgame tables that the proof may lean on.
    pub tables: Option<Arc<Tables>>,
    /// Which moves to look at first.
    pub hints: Arc<Hints>,
    /// Moves that are said to win: what follows them is proven first, leaf by leaf.
    pub skeleton: Arc<Skeleton>,
    /// Where checkpoints of the task are; it goes on from there, and makes others. None: it makes none.
    pub archive: Option<Arc<dyn Archive + Send + Sync>>,
}

impl Task {
    /// A question about which nothing is known, to be answered without tables and without advice.
    #[must_use]
    pub fn new(root: Position, ruleset: Ruleset, goal: Goal) -> Self {
        Self {
            root,
            ruleset,
            goal,
            known: [Vec::new(), Vec::new()],
            tables: None,
            hints: Arc::default(),
            skeleton: Arc::default(),
            archive: None,
        }
    }

    /// The claim that `winner` wins the root.
    #[must_use]
    pub fn claim(&self, winner: Color) -> Claim {
        Claim {
            ruleset: self.ruleset,
            root: self.root,
            winner,
        }
    }
}

/// Limits of one task.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Expansions at most, all sides together, those before a checkpoint not counted.
    pub nodes: Option<u64>,
    /// Time at most, that before a checkpoint not counted.
    pub time: Option<Duration>,
    /// Bytes at most for the tables, logs and the proof. The rest of the process is the caller's to count.
    pub memory_bytes: usize,
}

/// What a task cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Expansions, all sides together, over all runs.
    pub nodes: u64,
    /// Time, over all runs.
    pub elapsed: Duration,
}

/// The answer.
#[derive(Debug)]
pub enum Verdict {
    /// A side wins, and this is how.
    Proved(Box<Proof>),
    /// None of the sides asked for wins.
    Disproved,
    /// Neither was shown.
    Undecided(Undecided),
    /// A win follows from the task's known positions, but they do not hold what they promise: why.
    KnownFail(String),
    /// An endgame table is damaged, and the text names its file; or one contradicts what others say.
    TablesFail(String),
}

/// Why a task ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// The limit on expansions.
    Nodes,
    /// The limit on time.
    Time,
    /// The limit on memory.
    Memory,
    /// Somebody raised the stop flag.
    Stopped,
    /// All lines that are left end in repetitions, from which nothing is concluded.
    Repetition,
}

/// An answered task.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// What it cost.
    pub effort: Effort,
    /// If undecided: the positions that were proven on the way, with the side that wins them. They lean only on each other. None
    /// if they are many and the checkpoints hold them.
    pub proven: Vec<(Color, Vec<Record>)>,
    /// If undecided, and the task has an archive: what is needed to go on.
    pub checkpoints: Vec<Checkpoint>,
    /// If known positions fail, and the task has an archive: the side whose checkpoint there holds what failed and is of no use. None
    /// if a search can still go on from it, once the known positions are put right.
    pub spoilt: Option<Color>,
}

/// The state of a running task.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    /// The side whose win is being searched for.
    pub attacker: Color,
    /// The root's numbers for that side.
    pub root: PnDn,
    /// Expansions so far, all sides together.
    pub nodes: u64,
    /// Positions proven so far for that side.
    pub proven: u64,
    /// Time so far.
    pub elapsed: Duration,
    /// The leaves of the skeleton, if it has any below the root.
    pub leaves: LeafCount,
}

impl Verdict {
    /// The winner and the longest line of its proof.
    #[must_use]
    pub fn proved(&self) -> Option<(Color, Plies)> {
        match self {
            Self::Proved(proof) => Some((proof.claim.winner, proof.plies)),
            _ => None,
        }
    }
}
