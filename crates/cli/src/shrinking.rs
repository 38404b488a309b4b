//! `takeme prove --shrink`: smaller proofs of what is proved.

use std::{collections::HashSet, time::Instant};

use anyhow::Result;
use proof::{Claim, Plies, Proof};
use prover::{Endgames, ShrinkLimits, Shrinking, Shrunk, Undecided, shrink};
use search::StopFlag;
use serde_json::json;
use store::{Access, Basis, Provenance, Store};

use crate::{
    args::Prove,
    context::{Context, extend, object},
    exit::Exit,
    known,
    leaned_on::LeanedOn,
    lookup::{Settled, settled_with_tables},
    memory,
    question::Question,
    recheck::recheck,
    stored_proofs::StoredProofs,
    units,
};

/// Bytes that the choices of a proof take for each of its positions, about, and those that come up on the way.
const BYTES_PER_POSITION: u64 = 2_000;
/// The table of the searches, at most.
const TABLE_BYTES: u64 = 256 << 20;

/// Looks for smaller proofs of the lines that are proved, one after another, each once.
///
/// # Errors
///
/// The database or standard output cannot be written.
pub(crate) fn run(
    args: &Prove,
    questions: &[Question],
    stop: &StopFlag,
    context: &mut Context,
) -> Result<Exit> {
    let mut worst = Exit::Done;
    let mut seen = HashSet::new();
    for question in questions {
        if !seen.insert(question.position().pack()) {
            continue;
        }
        worst = worst.worse(one(args, question, stop, context)?);
        if stop.is_raised() {
            context
                .progress
                .say("interrupted: the smallest proofs so far are stored");
            return Ok(Exit::Interrupted);
        }
    }
    Ok(worst)
}

fn one(args: &Prove, question: &Question, stop: &StopFlag, context: &mut Context) -> Result<Exit> {
    let mut store = context.open(Access::Write)?;
    let Some((settled, endgames)) = settled_with_tables(&store, question, context)? else {
        return Ok(Exit::Undecided);
    };
    let proof = StoredProofs::new(&store).proof(&settled, &endgames, context.memory_bytes())?;
    let start = Instant::now();
    let name = question.name();
    if proof.positions().saturating_mul(BYTES_PER_POSITION) > context.memory_bytes() {
        context.progress.error(&format!(
            "{name}: making {} smaller takes more memory than --memory allows",
            units::count(proof.positions(), "position")
        ));
        return Ok(Exit::Full);
    }
    let endgames = match settled.basis {
        Basis::Rules => Endgames::new(None),
        Basis::Tables => endgames,
    };
    let shrunk = search(
        args,
        &store,
        &settled,
        &proof,
        endgames,
        (&name, stop),
        context,
    )?;
    let nodes = shrunk.nodes;
    let seconds = start.elapsed().as_secs_f64();
    let claim = proof.claim;
    let stored = store.claim(
        &claim.root,
        claim.ruleset,
        Some(claim.winner),
        settled.basis,
    )?;
    // What the proof has cost is both.
    let before = stored.map_or((0, 0.0), |stored| (stored.nodes, stored.seconds));
    let provenance = Provenance {
        nodes: before.0 + nodes,
        seconds: before.1 + seconds,
        ..Context::provenance()
    };
    // As it stands in the database, where better entries of other proofs may be among it.
    let (after, exit) = match &shrunk.proof {
        Some(smaller) => {
            let id = store.replace_proof(smaller, &provenance)?;
            let mut tables = LeanedOn::open(&smaller.tables, smaller.claim.ruleset, context)?;
            let checked = recheck(&mut store, id, smaller, &mut tables, &name, stop, context)?;
            let found = (smaller.positions(), smaller.plies);
            (checked.size().unwrap_or(found), checked.exit())
        }
        None => ((proof.positions(), proof.plies), Exit::Done),
    };
    let report = Report {
        question,
        before: &proof,
        positions: after.0,
        plies: after.1,
        ended: shrunk.ended,
        nodes,
        seconds,
    };
    report.print(exit == Exit::Done, context)?;
    Ok(exit)
}

fn search(
    args: &Prove,
    store: &Store,
    settled: &Settled,
    proof: &Proof,
    endgames: Endgames,
    (name, stop): (&str, &StopFlag),
    context: &Context,
) -> Result<Shrunk> {
    let Claim {
        ruleset, winner, ..
    } = settled.claim;
    let memory_bytes = memory::for_search(context.memory_bytes()) as u64;
    let stored = known::count(store, ruleset, settled.basis, &[winner])?;
    let mut others = known::Known::default();
    if known::fits(stored, 1, 1, memory_bytes) {
        others = known::load(store, ruleset, settled.basis, &[winner])?;
    }
    let limits = ShrinkLimits {
        nodes: args.nodes,
        time: args.time,
        table_bytes: usize::try_from(TABLE_BYTES.min(memory_bytes / 4)).unwrap_or(0),
    };
    let mut show = |shrinking: &Shrinking| {
        context.progress.show(|| {
            format!(
                "{name}: {} of {}, {} nodes",
                units::thousands(shrinking.positions),
                units::count(shrinking.before, "position"),
                units::thousands(shrinking.nodes),
            )
        });
    };
    let others = &others[winner.index()];
    Ok(shrink(proof, others, endgames, &limits, stop, &mut show))
}

struct Report<'a> {
    question: &'a Question,
    before: &'a Proof,
    positions: u64,
    plies: Plies,
    ended: Option<Undecided>,
    nodes: u64,
    seconds: f64,
}

impl Report<'_> {
    fn print(&self, verified: bool, context: &mut Context) -> Result<()> {
        let claim = &self.before.claim;
        let (before, after) = (self.before.positions(), self.positions);
        let Self { nodes, seconds, .. } = *self;
        if context.global.json {
            let mut object = object("prove --shrink", claim.ruleset);
            extend(
                &mut object,
                json!({
                    "line": self.question.uci(),
                    "fen": self.question.fen(),
                    "status": "proved",
                    "winner": claim.winner.name(),
                    "positions_before": before,
                    "positions": after,
                    "plies_before": self.before.plies.0,
                    "plies": self.plies.0,
                    "verified": verified,
                    "complete": self.ended.is_none(),
                    "nodes": nodes,
                    "seconds": seconds,
                }),
            );
            return context.out.object(object);
        }
        let name = self.question.name();
        let found = if after < before {
            format!(
                "{} instead of {}, {} at most",
                units::count(after, "position"),
                units::thousands(before),
                units::plies(u32::from(self.plies.0)),
            )
        } else {
            format!(
                "no smaller proof than that of {} was found",
                units::count(before, "position")
            )
        };
        let verified = match (after < before, verified) {
            (false, _) => "",
            (true, true) => ", verified",
            (true, false) => ", not verified",
        };
        let ended = match self.ended {
            Some(Undecided::Nodes) => ", ended by the limit on nodes",
            Some(Undecided::Time) => ", ended by the limit on time",
            _ => "",
        };
        context.out.line(&format!(
            "{name}: {found}{verified}{ended} ({}, {}, {seconds:.1} s)",
            claim.ruleset,
            units::count(nodes, "node"),
        ))?;
        context.out.flush()
    }
}
