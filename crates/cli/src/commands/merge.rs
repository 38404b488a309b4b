//! `takeme merge`: what another database holds, taken over as far as the verifier accepts what comes of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use proof::{Claim, TableId};
use prover::Endgames;
use rules::Ruleset;
use search::StopFlag;
use serde_json::json;
use store::{Access, Basis, ClaimId, Merged, Store, StoredClaim};

use super::verify::{Asked, Subject, judge};
use crate::{
    args::Merge,
    context::{Context, extend, object},
    exit::Exit,
    interrupt,
    lookup::{Settled, is_asked_for},
    names::Names,
    same_file::is_same,
    stored_proofs::StoredProofs,
    table_files, units,
    usage::Usage,
    verification::Checked,
};

pub(crate) fn run(args: &Merge, context: &mut Context) -> Result<Exit> {
    let path = args.other.display().to_string();
    let start = Instant::now();
    let stop = interrupt::watch()?;
    if is_same(&args.other, &context.global.db) {
        return Err(Usage::new(format!("{path} is the database that it would go into")).into());
    }
    let upgrade = format!("`takeme status --db {path}` brings it up to this version's schema");
    let other = match Store::open(&args.other, Access::Read) {
        Err(error @ store::Error::OlderSchema { .. }) => {
            return Err(anyhow::Error::from(error).context(upgrade));
        }
        opened => opened?,
    };
    let mut store = context.open(Access::Write)?;
    // Of a damaged database nothing is taken, rather than what comes before the damage.
    let problems = other.check()?;
    if !problems.is_empty() {
        for problem in &problems {
            context.progress.error(&format!("{path}: {problem}"));
        }
        context
            .progress
            .error(&format!("{path} is damaged: nothing was taken over"));
        return Ok(Exit::Damaged);
    }
    let rulesets: Vec<Ruleset> = Ruleset::ALL
        .into_iter()
        .filter(|&ruleset| is_asked_for(ruleset, context.global.rules))
        .collect();
    let mut judge = Judge {
        context,
        stop: &stop,
        names: BTreeMap::new(),
        accepted: Vec::new(),
        refused: BTreeSet::new(),
        worst: Exit::Done,
    };
    let merged = store.merge_from(&other, &rulesets, |store, claims| {
        judge.accepts(store, claims)
    })?;
    let Judge {
        accepted,
        refused,
        worst,
        ..
    } = judge;
    for verdict in &accepted {
        let Verdict {
            id,
            claim,
            basis,
            checked,
            tables,
        } = verdict;
        checked
            .record_with_tables(&mut store, *id, tables)
            .context("the verdicts were not recorded; `takeme verify` finds them again")?;
        store.forget_answered(claim, *basis)?;
    }
    let hints = store.take_hints(&other, &rulesets)?;
    tell_of_others(&other, &path, &rulesets, context)?;
    let left = other.campaigns()?.len();
    if left > 0 {
        let note = format!("searches of {path} that have not ended are left there: {left}");
        context.progress.note(&note);
    }
    let known: BTreeSet<ClaimId> = accepted.iter().map(|verdict| verdict.id).collect();
    report(
        context,
        &path,
        &merged,
        hints,
        (known.len(), refused.len()),
        start.elapsed(),
    )?;
    Ok(worst)
}

/// Says how many claims are left where they are since they do not answer for the ruleset that was asked for.
fn tell_of_others(
    other: &Store,
    path: &str,
    rulesets: &[Ruleset],
    context: &Context,
) -> Result<()> {
    let mut claims = other.claims()?;
    claims.retain(|claim| !rulesets.contains(&claim.ruleset));
    if !claims.is_empty() {
        let count = units::count(claims.len() as u64, "claim");
        let ruleset = context.ruleset();
        let note =
            format!("{count} of {path} under rulesets that do not answer for {ruleset} left there");
        context.progress.note(&note);
    }
    Ok(())
}

/// What the verifier said of a claim.
struct Verdict {
    id: ClaimId,
    claim: Claim,
    basis: Basis,
    checked: Checked,
    tables: Vec<TableId>,
}

/// Has the verifier look at every proof that a merged set serves, before the set is committed.
struct Judge<'a> {
    context: &'a Context,
    stop: &'a StopFlag,
    names: BTreeMap<Ruleset, Names>,
    accepted: Vec<Verdict>,
    /// The claims for which a set was left out.
    refused: BTreeSet<String>,
    worst: Exit,
}

impl Judge<'_> {
    fn accepts(&mut self, store: &Store, claims: &[StoredClaim]) -> bool {
        let mut proofs = StoredProofs::new(store);
        let mut verdicts = Vec::new();
        let mut accepted = true;
        for claim in claims {
            if self.stop.is_raised() {
                self.worst = Exit::Interrupted;
                return false;
            }
            match self.check(store, &mut proofs, claim) {
                Ok(verdict) => verdicts.push(verdict),
                Err((_, Exit::Interrupted)) => {
                    self.worst = Exit::Interrupted;
                    return false;
                }
                // What was wrong before is no reason against the newcomers.
                Err(_) if claim.rejection().is_some() => {}
                Err((problem, exit)) => {
                    accepted = false;
                    self.worst = self.worst.worse(exit);
                    self.refuse(claim, &problem);
                }
            }
        }
        if accepted {
            self.accepted.extend(verdicts);
        }
        accepted
    }

    /// The verdict on a claim, if it is a good one; else what is wrong, and how the command is to end.
    fn check(
        &mut self,
        store: &Store,
        proofs: &mut StoredProofs<'_>,
        claim: &StoredClaim,
    ) -> Result<Verdict, (String, Exit)> {
        let ruleset = claim.ruleset;
        let names = self.names.entry(ruleset);
        let names = names.or_insert_with(|| Names::new(ruleset));
        let subject = Subject::of_claim(claim, names.question(&claim.root));
        let failed = |error: &anyhow::Error| (format!("{error:#}"), Exit::of_error(error));
        let asked = Asked::default();
        let judged = judge(&subject, store, proofs, asked, self.stop, self.context);
        let (checked, tables) = judged.map_err(|error| failed(&error))?;
        if !checked.is_verified() {
            return Err((checked.problem().unwrap_or_default(), checked.exit()));
        }
        let hold = self.heights_hold(proofs, &subject.settled);
        if !hold.map_err(|error| failed(&error))? {
            let problem = "it is to take fewer plies somewhere than its moves do";
            return Err((problem.to_owned(), Exit::Rejected));
        }
        Ok(Verdict {
            id: claim.id,
            claim: claim.claim(),
            basis: claim.basis,
            checked,
            tables,
        })
    }

    fn heights_hold(&self, proofs: &mut StoredProofs<'_>, settled: &Settled) -> Result<bool> {
        let endgames = match settled.basis {
            Basis::Rules => Endgames::new(None),
            Basis::Tables => table_files::endgames(self.context, settled.claim.ruleset)?,
        };
        proofs.heights_hold(settled, &endgames, self.context.memory_bytes())
    }

    fn refuse(&mut self, claim: &StoredClaim, problem: &str) {
        let StoredClaim {
            ruleset, winner, ..
        } = *claim;
        let names = self.names.entry(ruleset);
        let names = names.or_insert_with(|| Names::new(ruleset));
        let name = names.question(&claim.root).name();
        self.context.progress.error(&format!(
            "{name}: {winner} wins ({ruleset}), as it would be after the merge: {problem}; nothing of its strategy set was taken over"
        ));
        self.refused.insert(name);
    }
}

fn report(
    context: &mut Context,
    from: &str,
    merged: &Merged,
    hints: u64,
    (verified, refused): (usize, usize),
    elapsed: Duration,
) -> Result<()> {
    let Merged {
        added,
        improved,
        kept,
        unplaced,
    } = merged;
    let into = context.global.db.display().to_string();
    if context.global.json {
        let mut object = object("merge", context.global.rules);
        extend(
            &mut object,
            json!({
                "file": from,
                "database": into,
                "added": added,
                "improved": improved,
                "kept": kept,
                "left_out": unplaced.len(),
                "hints": hints,
                "claims_verified": verified,
                "claims_refused": refused,
                "seconds": elapsed.as_secs_f64(),
            }),
        );
        return context.out.object(object);
    }
    let mut parts = vec![
        format!("{} added", units::count(*added, "position")),
        format!("{} with a shorter way now", units::thousands(*improved)),
        format!("{} known", units::thousands(*kept)),
    ];
    if !unplaced.is_empty() {
        let count = units::thousands(unplaced.len() as u64);
        parts.push(format!(
            "{count} of no claim left out, with the key of another"
        ));
    }
    parts.push(format!(
        "{} verified",
        units::count(verified as u64, "claim")
    ));
    if refused > 0 {
        parts.push(format!("{} refused", units::count(refused as u64, "claim")));
    }
    if hints > 0 {
        parts.push(format!("{} added", units::count(hints, "hint")));
    }
    let seconds = units::seconds(elapsed);
    context.out.line(&format!(
        "{from} into {into}: {} ({seconds})",
        parts.join(", ")
    ))
}
