//! One run of `takeme prove`: each question to its answer, the proofs into the database and past the verifier.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    mem,
    sync::Arc,
};

use anyhow::Result;
use prover::{
    Endgames, Event, Goal, LeafCount, Settings, Snapshot, Task, Undecided, Verdict, prove_all,
};
use rules::{Color, PackedPosition, Ruleset};
use search::StopFlag;
use store::{Basis, Provenance, Store};
use tablebase::Tables;

use crate::{
    args::{Prove, Winner},
    checkpoints::Spared,
    commands::prove::basis,
    context::Context,
    exit::Exit,
    hints::Guide,
    known,
    known::Known,
    memory,
    question::Question,
    summary::Summary,
    table_files, units,
};

mod answers;
mod proofs;
mod saves;
mod stored;

/// Up to so many stored positions are handed to every search.
const FEW_KNOWN: u64 = 2_000_000;
/// If more are stored, each line is first searched for so many expansions without them: for an easy line that takes less time
/// than to load them.
const SCOUT_NODES: u64 = 100_000;

/// One run of the command.
pub(crate) struct Run<'a> {
    args: &'a Prove,
    context: &'a mut Context,
    questions: Vec<Question>,
    /// By question: others about the same position, which it is searched for as well.
    twins: Vec<Vec<usize>>,
    /// By question and side: saved searches that are not to be replaced yet.
    spared: Vec<[Option<Spared>; 2]>,
    /// Which moves to look at first.
    hints: Guide,
    summary: Summary,
    /// Those that were answered with a proof.
    proved: Vec<Question>,
    worst: Exit,
    /// Proven positions of unfinished lines that were stored.
    kept: u64,
    /// Whether stored positions turned out false: what searches have found may lean on them.
    damaged: bool,
    /// What the database could not take, by question: it will not be offered again.
    lost: HashSet<(usize, String)>,
    /// By question: whether the last try to save its search failed.
    unsaved: Vec<bool>,
    provenance: Provenance,
    stop: Arc<StopFlag>,
    store: Store,
    tables: Option<Arc<Tables>>,
    endgames: Endgames,
    /// What proofs may rest on.
    basis: Basis,
}

impl<'a> Run<'a> {
    /// A run in which nothing is answered yet.
    pub(crate) fn new(
        args: &'a Prove,
        context: &'a mut Context,
        questions: Vec<Question>,
        hints: Guide,
        store: Store,
        tables: Option<Arc<Tables>>,
        stop: Arc<StopFlag>,
    ) -> Self {
        Self {
            args,
            summary: Summary::new(questions.len()),
            proved: Vec::new(),
            twins: vec![Vec::new(); questions.len()],
            spared: vec![Default::default(); questions.len()],
            unsaved: vec![false; questions.len()],
            worst: Exit::Done,
            kept: 0,
            damaged: false,
            lost: HashSet::new(),
            provenance: Context::provenance(),
            questions,
            hints,
            stop,
            store,
            endgames: Endgames::new(tables.clone()),
            basis: basis(tables.as_ref()),
            tables,
            context,
        }
    }

    /// Answers all questions, as far as limits and signals let it. Returns those, too, for which there is a proof.
    ///
    /// # Errors
    ///
    /// The database or standard output cannot be written. What was stored before stays.
    pub(crate) fn run(mut self) -> Result<(Exit, Vec<Question>)> {
        let open = self.answer_without_search()?;
        let open = self.without_twins(&open);
        self.search(open)?;
        let proved = mem::take(&mut self.proved);
        Ok((self.end()?, proved))
    }

    fn ruleset(&self) -> Ruleset {
        self.context.ruleset()
    }

    fn sides(&self) -> Vec<Color> {
        self.goal().sides()
    }

    fn goal(&self) -> Goal {
        match self.args.winner {
            Winner::White => Goal::Side(Color::White),
            Winner::Black => Goal::Side(Color::Black),
            Winner::Either => Goal::Either,
        }
    }

    /// Of questions about one position only the first, which answers for the others.
    fn without_twins(&mut self, open: &[usize]) -> Vec<usize> {
        let mut first: HashMap<PackedPosition, usize> = HashMap::new();
        let mut left = Vec::new();
        for &index in open {
            match first.entry(self.questions[index].position().pack()) {
                Entry::Occupied(first) => self.twins[*first.get()].push(index),
                Entry::Vacant(place) => {
                    place.insert(index);
                    left.push(index);
                }
            }
        }
        left
    }

    /// The threads that memory has room for, of those that were asked for.
    fn threads(&self) -> usize {
        let most = memory::most_threads(self.context.memory_bytes());
        self.context.threads().min(most)
    }

    fn search(&mut self, mut open: Vec<usize>) -> Result<()> {
        let (threads, asked) = (self.threads(), self.context.threads());
        if threads < asked {
            self.context.progress.note(&format!(
                "{} is room for {} of the {asked}: more --memory lets all work",
                units::bytes(self.context.memory_bytes()),
                units::count(threads as u64, "thread"),
            ));
        }
        let mut memory_bytes = memory::for_search(self.context.memory_bytes()) as u64;
        memory_bytes -= memory::for_threads(threads);
        if self.tables.is_some() {
            memory_bytes -= table_files::cache_bytes(self.context).min(memory_bytes / 2);
        }
        let stored = known::count(&self.store, self.ruleset(), self.basis, &self.sides())?;
        let mut nodes = self.args.nodes;
        if stored > FEW_KNOWN && nodes.is_none_or(|nodes| nodes > SCOUT_NODES) {
            let scout = self.settings(Some(SCOUT_NODES), memory_bytes);
            open = self.round(&open, &Known::default(), &scout, true)?;
            nodes = nodes.map(|nodes| nodes - SCOUT_NODES);
        }
        if open.is_empty() {
            return Ok(());
        }
        let mut known = Known::default();
        let mut left = memory_bytes;
        if known::fits(stored, open.len(), threads, memory_bytes) {
            known = known::load(&self.store, self.ruleset(), self.basis, &self.sides())?;
            left -= known::bytes(stored, open.len());
        } else {
            self.context.progress.note(&format!(
                "the {} stored do not fit the memory: searching without them; more --memory or fewer lines at once help",
                units::count(stored, "position")
            ));
        }
        let settings = self.settings(nodes, left);
        self.round(&open, &known, &settings, false)?;
        Ok(())
    }

    fn settings(&self, nodes: Option<u64>, memory_bytes: u64) -> Settings {
        Settings {
            nodes,
            time: self.args.time,
            memory_bytes: usize::try_from(memory_bytes).unwrap_or(usize::MAX),
        }
    }

    /// Searches the open questions. A scouting round leaves those alone for which its expansions were too few, and returns
    /// them.
    fn round(
        &mut self,
        open: &[usize],
        known: &Known,
        settings: &Settings,
        scouting: bool,
    ) -> Result<Vec<usize>> {
        let goal = self.goal();
        let tasks: Vec<Task> = open
            .iter()
            .map(|&index| {
                let question = &self.questions[index];
                let archive = (!scouting).then(|| Arc::new(self.checkpoints(index)) as _);
                Task {
                    known: known.clone(),
                    tables: self.tables.clone(),
                    hints: Arc::clone(&self.hints.hints),
                    skeleton: Arc::clone(&self.hints.skeleton),
                    archive,
                    ..Task::new(*question.position(), question.ruleset(), goal)
                }
            })
            .collect();
        let stop = Arc::clone(&self.stop);
        let threads = self.threads();
        let mut failed = None;
        let mut left = Vec::new();
        prove_all(&tasks, threads, settings, &stop, |event| match event {
            _ if failed.is_some() => {}
            Event::Progress { task, snapshot } => self.show(open[task], &snapshot),
            Event::Resumed { task, from } => self.resumed(open[task], &from),
            Event::Checkpoint { task, checkpoints } => {
                if let Err(error) = self.save_on_the_way(open[task], checkpoints) {
                    failed = Some(error);
                    stop.raise();
                }
            }
            Event::Done { task, outcome } => {
                let short = matches!(outcome.verdict, Verdict::Undecided(Undecided::Nodes));
                if scouting && short {
                    left.push(open[task]);
                } else if let Err(error) = self.finish(open[task], *outcome, known) {
                    failed = Some(error);
                    stop.raise();
                }
            }
        });
        left.sort_unstable();
        failed.map_or(Ok(left), Err)
    }

    fn show(&self, index: usize, snapshot: &Snapshot) {
        self.context.progress.show(|| {
            format!(
                "{}: {}, {}pn {} dn {}, {}, {} nodes/s, {} proven, {}",
                self.questions[index].name(),
                snapshot.attacker,
                leaves(snapshot.leaves),
                snapshot.root.pn,
                snapshot.root.dn,
                units::count(snapshot.nodes, "node"),
                units::thousands(units::per_second(snapshot.nodes, snapshot.elapsed)),
                units::thousands(snapshot.proven),
                units::seconds(snapshot.elapsed),
            )
        });
    }
}

/// How far the leaves of a book have come, if there are any.
fn leaves(count: LeafCount) -> String {
    if count.all == 0 {
        return String::new();
    }
    let [proven, all, resisting] =
        [count.proven, count.all, count.resisting].map(|leaves| units::thousands(leaves as u64));
    match count.resisting {
        0 => format!("{proven} of {all} leaves, "),
        _ => format!("{proven} of {all} leaves ({resisting} resisting), "),
    }
}
