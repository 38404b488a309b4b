//! One run of `takeme prove`: each question to its answer, the proofs into the database and past the verifier.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    mem,
    sync::Arc,
};

use anyhow::Result;
use proof::{Claim, Proof, Record, extract};
use prover::{
    Checkpoint, Endgames, Event, Goal, LeafCount, Outcome, Resumed, Settings, Snapshot, Task,
    Undecided, Verdict, prove_all,
};
use rules::{Color, PackedPosition, Ruleset};
use search::StopFlag;
use store::{Basis, ClaimId, ErrorKind, Provenance, Store};
use tablebase::Tables;

use crate::{
    answer::{Answer, Cost, Source, Status, add_cost},
    args::{Prove, Winner},
    checkpoints::{Checkpoints, Spared},
    commands::prove::basis,
    context::Context,
    exit::Exit,
    hints::Guide,
    known,
    known::Known,
    leaned_on::LeanedOn,
    lookup::{Finding, Lookup, Proved, RejectedProof, Settled, Tabled, proof_of},
    memory,
    question::Question,
    summary::Summary,
    table_files::{self, is_of_a_table},
    units,
    verification::{Checked, StoredProofs, Watch},
};

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
    spared: Vec<[Spared; 2]>,
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
    /// Whether the database could not take something that will not be offered again.
    lost: bool,
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
            lost: false,
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

    /// Answers what the rules or the database settle; returns the other questions.
    fn answer_without_search(&mut self) -> Result<Vec<usize>> {
        let mut open = Vec::new();
        for index in 0..self.questions.len() {
            let position = *self.questions[index].position();
            let (ruleset, basis) = (self.ruleset(), self.basis);
            let mut lookup = Lookup::new(&self.store, ruleset, basis, &self.endgames);
            let finding = match lookup.find(&position) {
                Err(error) if is_of_a_table(&error) => {
                    self.table_failed(index, &error.to_string(), Cost::default())?;
                    continue;
                }
                finding => finding?,
            };
            match finding {
                Finding::Over(winner) => {
                    self.settle(index, Answer::game_over(winner), Cost::default())?;
                }
                Finding::Tabled(tabled) => self.answer_from_table(index, &tabled)?,
                Finding::Proved(proved) if !proved.by_rules => {
                    if !self.answer_from_database(index, &proved)? {
                        open.push(index);
                    }
                }
                Finding::Proved(_) | Finding::Open | Finding::Unknown => open.push(index),
            }
        }
        Ok(open)
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

    /// A table that the question needs is damaged. Others may still be answered.
    fn table_failed(&mut self, index: usize, problem: &str, cost: Cost) -> Result<()> {
        let name = self.questions[index].name();
        self.context.progress.error(&format!("{name}: {problem}"));
        self.worst = self.worst.worse(Exit::Damaged);
        let answer = Answer {
            remark: Some("an endgame table is damaged".to_owned()),
            ..Answer::without_winner(Status::Unknown, Source::Search)
        };
        self.settle(index, answer, cost)
    }

    /// Answers from a table. A win is a claim whose proof is the table's word.
    fn answer_from_table(&mut self, index: usize, tabled: &Tabled) -> Result<()> {
        let Some(winner) = tabled.winner else {
            return self.settle(index, Answer::tabled(tabled), Cost::default());
        };
        let claim = Claim {
            ruleset: self.ruleset(),
            root: *self.questions[index].position(),
            winner,
        };
        let mut nothing = self.store.strategy(claim.ruleset, winner, Basis::Rules);
        let proof = extract(&claim, &mut nothing, &self.endgames)?;
        self.keep(index, &proof, Source::Table, Cost::default())
    }

    /// Answers with a stored claim, or makes a claim of stored positions. Says no if they are not complete.
    fn answer_from_database(&mut self, index: usize, proved: &Proved) -> Result<bool> {
        let Some(stored) = &proved.claim else {
            let claim = Claim {
                ruleset: self.ruleset(),
                root: *self.questions[index].position(),
                winner: proved.winner,
            };
            let (ruleset, winner) = (claim.ruleset, claim.winner);
            let mut strategy = self.store.strategy(ruleset, winner, self.basis);
            let Ok(proof) = extract(&claim, &mut strategy, &self.endgames) else {
                return Ok(false);
            };
            self.keep(index, &proof, Source::Database, Cost::default())?;
            return Ok(true);
        };
        if let Some(verdict) = proved.rejection().filter(|_| self.args.no_verify) {
            let error = RejectedProof::new(&self.questions[index], verdict);
            self.context.progress.error(&error.to_string());
            self.worst = self.worst.worse(Exit::Rejected);
            self.settle(index, Answer::rejected(), Cost::default())?;
            return Ok(true);
        }
        let mut answer = Answer {
            status: Status::Proved,
            winner: Some(proved.winner),
            mv: proved.mv,
            plies: Some(proved.plies),
            positions: Some(stored.positions),
            source: Source::Database,
            verified: proved.is_verified(),
            remark: None,
        };
        if !answer.verified && !self.args.no_verify {
            let settled = Settled::stored(stored.claim(), stored.basis);
            self.verify(index, stored.id, &settled, stored.positions, &mut answer)?;
        }
        if answer.verified {
            // A search under another ruleset may have been on its way when the proof came.
            let forgotten = self.store.forget_answered(&stored.claim(), stored.basis);
            self.written(index, forgotten)?;
        }
        self.settle(index, answer, Cost::default())?;
        Ok(true)
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

    fn checkpoints(&self, index: usize) -> Checkpoints {
        let question = &self.questions[index];
        let (root, ruleset) = (question.position(), question.ruleset());
        Checkpoints::new(self.store.path(), root, ruleset, self.basis)
    }

    /// Saves what is needed to go on with a line.
    fn save(&mut self, index: usize, checkpoints: Vec<Checkpoint>) -> store::Result<()> {
        let place = self.checkpoints(index);
        let spared = &mut self.spared[index];
        place.save(&mut self.store, checkpoints, spared, &self.provenance)
    }

    /// The same while the search goes on. What could not be saved is in its next checkpoint, too.
    fn save_on_the_way(&mut self, index: usize, checkpoints: Vec<Checkpoint>) -> Result<()> {
        let saved = self.save(index, checkpoints);
        let name = self.questions[index].name();
        let progress = &self.context.progress;
        match saved {
            Err(error) if may_pass(&error) => {
                if !mem::replace(&mut self.unsaved[index], true) {
                    progress.error(&format!("{name}: {error}; the search goes on unsaved"));
                }
            }
            saved => {
                saved?;
                if mem::take(&mut self.unsaved[index]) {
                    progress.note(&format!("{name}: the search is saved again"));
                }
            }
        }
        Ok(())
    }

    /// What came of writing something about a line. Where the database could not take it, that is told, and nothing comes back: other
    /// lines may have more luck.
    ///
    /// # Errors
    ///
    /// The database cannot be written at all.
    fn written<T>(&mut self, index: usize, written: store::Result<T>) -> Result<Option<T>> {
        match written {
            Err(error) if may_pass(&error) => {
                let name = self.questions[index].name();
                self.context.progress.error(&format!("{name}: {error}"));
                self.lost = true;
                self.worst = self.worst.worse(Exit::of_error(&error.into()));
                Ok(None)
            }
            written => Ok(Some(written?)),
        }
    }

    fn resumed(&mut self, index: usize, from: &[Resumed]) {
        for side in from {
            self.spared[index][side.attacker.index()] = side.keep_until;
        }
        self.tell_resumed(index, from);
    }

    fn tell_resumed(&self, index: usize, from: &[Resumed]) {
        let name = self.questions[index].name();
        let progress = &self.context.progress;
        let nodes = from.iter().map(|side| side.nodes).sum();
        if nodes > 0 {
            let nodes = units::count(nodes, "expansion");
            progress.note(&format!("resuming {name} at {nodes}"));
        }
        for side in from {
            let Some(trouble) = &side.trouble else {
                continue;
            };
            let on = if side.nodes == 0 {
                "starting anew".to_owned()
            } else {
                let positions = units::count(side.positions, "position");
                format!("going on with the {positions} proven so far")
            };
            let spared = side.keep_until.map_or(String::new(), |until| {
                let own = units::count(until - side.nodes, "expansion");
                format!("; what was saved stays until this search has done more than its {own}")
            });
            progress.note(&format!(
                "{name}, for a win of {}: not all that was saved is of use: {trouble}; {on}{spared}",
                side.attacker
            ));
        }
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

    /// Stores and verifies what a search has found.
    fn finish(&mut self, index: usize, outcome: Outcome, known: &Known) -> Result<()> {
        let cost = Cost {
            nodes: outcome.effort.nodes,
            elapsed: outcome.effort.elapsed,
        };
        match outcome.verdict {
            Verdict::Proved(proof) => self.keep(index, &proof, Source::Search, cost),
            Verdict::Disproved => {
                self.forget(index)?;
                let answer = Answer::without_winner(Status::Disproved, Source::Search);
                self.settle(index, answer, cost)
            }
            Verdict::KnownFail(what) => {
                let error = store::Error::Damaged {
                    path: self.store.path().to_owned(),
                    what,
                };
                let name = self.questions[index].name();
                self.context.progress.error(&format!("{name}: {error}"));
                self.damaged = true;
                if let Some(side) = outcome.spoilt {
                    let key = self.checkpoints(index).key(side);
                    let forgotten = self.store.forget_campaign(&key);
                    self.written(index, forgotten)?;
                }
                self.worst = self.worst.worse(Exit::Damaged);
                let answer = Answer {
                    remark: Some("the database is damaged".to_owned()),
                    ..Answer::without_winner(Status::Unknown, Source::Search)
                };
                self.settle(index, answer, cost)
            }
            Verdict::TablesFail(problem) => self.table_failed(index, &problem, cost),
            Verdict::Undecided(why) => {
                if !self.damaged {
                    let saved = self.save(index, outcome.checkpoints);
                    self.written(index, saved)?;
                    self.keep_proven(index, outcome.proven, known)?;
                }
                if why == Undecided::Stopped {
                    return Ok(());
                }
                let answer = Answer {
                    remark: Some(remark(why).to_owned()),
                    ..Answer::without_winner(Status::Unknown, Source::Search)
                };
                self.settle(index, answer, cost)
            }
        }
    }

    /// Forgets the saved searches of a line.
    fn forget(&mut self, index: usize) -> Result<()> {
        let forgotten = self.checkpoints(index).forget(&mut self.store);
        self.written(index, forgotten).map(|_| ())
    }

    /// Stores what a search has proven that has not ended.
    fn keep_proven(
        &mut self,
        index: usize,
        proven: Vec<(Color, Vec<Record>)>,
        known: &Known,
    ) -> Result<()> {
        for (winner, found) in proven {
            let (ruleset, basis) = (self.ruleset(), self.basis);
            let news = known::news(found, &known[winner.index()]);
            let merged = self.store.put_entries(ruleset, winner, basis, news);
            if let Some(merged) = self.written(index, merged)? {
                self.kept += merged.added + merged.improved;
            }
        }
        Ok(())
    }

    /// Stores a proof at once, and then verifies it as it stands in the database.
    fn keep(&mut self, index: usize, proof: &Proof, source: Source, cost: Cost) -> Result<()> {
        let provenance = Provenance {
            nodes: cost.nodes,
            seconds: cost.elapsed.as_secs_f64(),
            ..self.provenance.clone()
        };
        let stored = self.store.put_proof(proof, &provenance);
        let Some(id) = self.written(index, stored)? else {
            let answer = Answer {
                remark: Some("the proof that was found could not be stored".to_owned()),
                ..Answer::without_winner(Status::Unknown, source)
            };
            return self.settle(index, answer, cost);
        };
        let claim = proof.claim;
        let mut answer = Answer::proved(proof, source);
        if !self.args.no_verify {
            let settled = Settled::stored(claim, Basis::of(proof));
            self.verify(index, id, &settled, proof.positions(), &mut answer)?;
        }
        self.settle(index, answer, cost)
    }

    /// Verifies a stored claim and records the verdict. If it is rejected, nothing is called proved.
    fn verify(
        &mut self,
        index: usize,
        id: ClaimId,
        settled: &Settled,
        positions: u64,
        answer: &mut Answer,
    ) -> Result<()> {
        let name = self.questions[index].name();
        let mut tables = LeanedOn::nothing();
        if settled.basis == Basis::Tables {
            // As it stands in the database now: entries of other proofs may have come in.
            let list = proof_of(&self.store, settled, &self.endgames)?.tables;
            tables = LeanedOn::open(&list, settled.claim.ruleset, self.context)?;
            let recorded = self.store.record_tables(id, &list);
            self.written(index, recorded)?;
        }
        let watch = Watch {
            progress: &self.context.progress,
            stop: &self.stop,
            name: &name,
            // The prover leaves a quarter of the memory for this.
            memory_bytes: self.context.memory_bytes() / 4,
        };
        let mut proofs = StoredProofs::new(&self.store);
        let checked = proofs.check(settled, positions, &mut tables, &watch)?;
        let recorded = checked.record(&mut self.store, id);
        self.written(index, recorded)?;
        let Some(problem) = checked.problem() else {
            answer.verified = true;
            return Ok(());
        };
        if matches!(checked, Checked::Interrupted) {
            return Ok(());
        }
        self.worst = self.worst.worse(checked.exit());
        self.context.progress.error(&format!("{name}: {problem}"));
        if matches!(checked, Checked::Rejected(_) | Checked::Damaged(_)) {
            *answer = Answer {
                source: answer.source,
                ..Answer::rejected()
            };
        }
        Ok(())
    }

    /// Takes note of an answer, and prints it at once; also for the questions that are the same, which have cost nothing.
    fn settle(&mut self, index: usize, answer: Answer, cost: Cost) -> Result<()> {
        let answer = self.asked_for(answer);
        self.settle_one(index, &answer, cost)?;
        for twin in mem::take(&mut self.twins[index]) {
            self.settle_one(twin, &answer, Cost::default())?;
        }
        Ok(())
    }

    fn settle_one(&mut self, index: usize, answer: &Answer, cost: Cost) -> Result<()> {
        let question = &self.questions[index];
        self.worst = self.worst.worse(answer.status.exit());
        self.summary.add(index, question, answer, cost);
        if answer.status == Status::Proved {
            self.proved.push(question.clone());
        }
        let context = &mut *self.context;
        context.progress.aside(|| {
            if context.global.json {
                let mut object = answer.object("prove", question);
                add_cost(&mut object, cost);
                context.out.object(object)?;
            } else {
                context.out.line(&answer.sentence(question, Some(cost)))?;
            }
            context.out.flush()
        })
    }

    /// A win of the side that was not asked for is a no.
    fn asked_for(&self, answer: Answer) -> Answer {
        match answer.winner {
            Some(winner) if !self.args.winner.includes(winner) => Answer {
                status: Status::Disproved,
                ..answer
            },
            _ => answer,
        }
    }

    fn end(mut self) -> Result<Exit> {
        self.context.progress.clear();
        if !self.context.global.json && !self.context.global.quiet {
            self.print_summary()?;
        }
        if !self.stop.is_raised() {
            return Ok(self.worst);
        }
        let path = self.store.path().display();
        if self.lost {
            self.context.progress.say(&format!(
                "interrupted: {} of {} answered, and not all that was found could be stored in {path}",
                units::thousands(self.summary.answered()),
                units::count(self.questions.len() as u64, "line"),
            ));
            return Ok(self.worst);
        }
        let kept = match (self.saved_searches()?, self.kept) {
            (0, 0) => "nothing of the others to keep",
            (0, kept) => &format!(
                "{} of unfinished lines kept in {path}",
                units::count(kept, "proven position")
            ),
            (searches, _) => &format!(
                "{} kept in {path} with all that was proven",
                units::count(searches, "unfinished search")
            ),
        };
        self.context.progress.say(&format!(
            "interrupted: {} of {} answered, {kept}; the same command goes on from there",
            units::thousands(self.summary.answered()),
            units::count(self.questions.len() as u64, "line"),
        ));
        Ok(Exit::Interrupted)
    }

    /// How many searches of lines without an answer the database keeps: one for each side of a position.
    fn saved_searches(&self) -> Result<u64> {
        let open = (0..self.questions.len()).filter(|&index| !self.summary.is_answered(index));
        let keys = open.flat_map(|index| {
            let place = self.checkpoints(index);
            self.sides().into_iter().map(move |side| place.key(side))
        });
        let mut seen = HashSet::new();
        let mut saved = 0;
        for key in keys {
            if seen.insert((key.root.pack(), key.attacker)) && self.store.campaign(&key)?.is_some()
            {
                saved += 1;
            }
        }
        Ok(saved)
    }

    fn print_summary(&mut self) -> Result<()> {
        let table = self.summary.table();
        if table.is_empty() {
            return Ok(());
        }
        let out = &mut self.context.out;
        out.line("")?;
        for line in table {
            out.line(&line)?;
        }
        let threads = self.threads() as u64;
        self.context.out.line(&format!(
            "({}, {}, {} in all)",
            self.context.ruleset(),
            units::count(threads, "thread"),
            units::seconds(self.summary.elapsed()),
        ))?;
        self.context.out.flush()
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

/// Whether the database may be able to take other things, or the same later: it lacks room, or another program writes it.
fn may_pass(error: &store::Error) -> bool {
    matches!(error.kind(), ErrorKind::Full | ErrorKind::Locked)
}

fn remark(why: Undecided) -> &'static str {
    match why {
        Undecided::Nodes => "the limit on nodes was reached",
        Undecided::Time => "the limit on time was reached",
        Undecided::Memory => "the limit on memory was reached",
        Undecided::Stopped => "stopped",
        Undecided::Repetition => "the lines that are left end in repetitions",
    }
}
