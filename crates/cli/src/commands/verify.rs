//! `takeme verify`: stored proofs and certificates before the independent verifier.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use proof::Claim;
use rules::{Color, Ruleset};
use search::StopFlag;
use serde_json::{Map, Value, json};
use store::{Access, ClaimId, ErrorKind, Store};

use crate::{
    args::Verify,
    context::{Context, extend, name_or_null, object},
    exit::Exit,
    interrupt,
    lookup::settled_claim,
    names::Names,
    position_file,
    question::{self, Question},
    units,
    verification::{self, Checked, StoredProofs, Watch},
};

pub(crate) fn run(args: &Verify, context: &mut Context) -> Result<Exit> {
    let stop = interrupt::watch()?;
    if let Some(file) = &args.file {
        return certificate(file, context, &stop);
    }
    let questions = question::several(&args.positions, context)?;
    let store = context.open(Access::Read)?;
    let (subjects, missing) = if questions.is_empty() {
        (all_claims(&store)?, Exit::Done)
    } else {
        of_lines(&store, questions, context)?
    };
    if subjects.is_empty() && missing == Exit::Done {
        context.progress.note("no claims are stored");
    }
    stored(context, &store, &subjects, &stop).map(|worst| worst.worse(missing))
}

/// A claim to be verified.
struct Subject {
    question: Question,
    claim: Claim,
    positions: u64,
    /// If it is stored as a claim, rather than part of another's proof.
    id: Option<ClaimId>,
}

fn all_claims(store: &Store) -> Result<Vec<Subject>> {
    let claims = store.claims()?;
    let mut subjects = Vec::new();
    for ruleset in Ruleset::ALL {
        let mut claims = claims.iter().filter(|claim| claim.ruleset == ruleset);
        let Some(first) = claims.next() else { continue };
        let names = Names::new(ruleset);
        subjects.extend([first].into_iter().chain(claims).map(|claim| Subject {
            question: names.question(&claim.root),
            claim: claim.claim(),
            positions: claim.positions,
            id: Some(claim.id),
        }));
    }
    subjects.sort_by_key(|subject| subject.id);
    Ok(subjects)
}

/// The claims about these positions; tells those about which there is none.
fn of_lines(
    store: &Store,
    questions: Vec<Question>,
    context: &Context,
) -> Result<(Vec<Subject>, Exit)> {
    let mut subjects = Vec::new();
    let mut missing = Exit::Done;
    for question in questions {
        let position = *question.position();
        // A damaged proof is to be judged, so the claim alone must do.
        let claim = store.claim(&position, context.ruleset(), None)?;
        if let Some(claim) = claim {
            subjects.push(Subject {
                question,
                claim: claim.claim(),
                positions: claim.positions,
                id: Some(claim.id),
            });
            continue;
        }
        let Some(claim) = settled_claim(store, &question, context)? else {
            missing = Exit::Undecided;
            continue;
        };
        subjects.push(Subject {
            claim,
            question,
            positions: 0,
            id: None,
        });
    }
    Ok((subjects, missing))
}

fn stored(
    context: &mut Context,
    store: &Store,
    subjects: &[Subject],
    stop: &Arc<StopFlag>,
) -> Result<Exit> {
    let mut worst = Exit::Done;
    let mut verdicts = Vec::new();
    let mut proofs = StoredProofs::new(store);
    for subject in subjects {
        let start = Instant::now();
        let name = subject.question.name();
        let watch = Watch {
            progress: &context.progress,
            stop,
            name: &name,
            memory_bytes: context.memory_bytes(),
        };
        let checked = proofs.check(&subject.claim, subject.positions, &watch)?;
        if matches!(checked, Checked::Interrupted) {
            worst = Exit::Interrupted;
            break;
        }
        let shown = Shown {
            question: Some(&subject.question),
            ruleset: subject.claim.ruleset,
            winner: Some(subject.claim.winner),
            checked: &checked,
            elapsed: start.elapsed(),
        };
        worst = worst.worse(checked.exit());
        shown.print(context)?;
        context.out.flush()?;
        verdicts.extend(subject.id.map(|id| (id, checked)));
    }
    let recorded = record(context, &verdicts)?;
    if worst == Exit::Interrupted {
        let count = units::count(verdicts.len() as u64, "claim");
        context
            .progress
            .say(&format!("interrupted: {count} verified"));
    }
    Ok(worst.worse(recorded))
}

/// Writes the verdicts into the database. That it cannot be written does not change them.
fn record(context: &Context, verdicts: &[(ClaimId, Checked)]) -> Result<Exit> {
    if verdicts.is_empty() {
        return Ok(Exit::Done);
    }
    let write = || -> store::Result<()> {
        let mut store = Store::open(&context.global.db, Access::Write)?;
        for (id, checked) in verdicts {
            checked.record(&mut store, *id)?;
        }
        Ok(())
    };
    match write() {
        Ok(()) => Ok(Exit::Done),
        Err(error) if matches!(error.kind(), ErrorKind::Usage) => {
            context
                .progress
                .note(&format!("the verdicts were not recorded: {error}"));
            Ok(Exit::Done)
        }
        Err(error) => Err(anyhow::Error::from(error).context("the verdicts were not recorded")),
    }
}

/// Verifies a certificate.
fn certificate(file: &Path, context: &mut Context, stop: &Arc<StopFlag>) -> Result<Exit> {
    let bytes = position_file::read_bytes(file)?;
    let start = Instant::now();
    let name = file.display().to_string();
    let (ruleset, winner, checked) = match verify::Certificate::parse(&bytes) {
        Err(error) => (context.ruleset(), None, Checked::Damaged(error.to_string())),
        Ok(certificate) => {
            let watch = Watch {
                progress: &context.progress,
                stop,
                name: &name,
                memory_bytes: context.memory_bytes(),
            };
            let claim = certificate.claim();
            (
                verification::ruleset_from_verifier(claim.ruleset),
                Some((
                    verification::color_from_verifier(claim.winner),
                    verification::position_from_verifier(&claim.root),
                )),
                verification::check_certificate(&certificate, &watch),
            )
        }
    };
    let names = Names::new(ruleset);
    let question = winner.map(|(_, root)| names.question(&root));
    let shown = Shown {
        question: question.as_ref(),
        ruleset,
        winner: winner.map(|(winner, _)| winner),
        checked: &checked,
        elapsed: start.elapsed(),
    };
    shown.print(context)?;
    Ok(checked.exit())
}

/// A verdict to be printed.
struct Shown<'a> {
    /// Unknown if the certificate cannot be read.
    question: Option<&'a Question>,
    ruleset: Ruleset,
    winner: Option<Color>,
    checked: &'a Checked,
    elapsed: Duration,
}

impl Shown<'_> {
    fn print(&self, context: &mut Context) -> Result<()> {
        let json = context.global.json;
        let out = &mut context.out;
        context.progress.aside(|| {
            if json {
                out.object(self.object())
            } else {
                out.line(&self.sentence())
            }
        })
    }

    fn object(&self) -> Map<String, Value> {
        let (verified, rejection) = match self.checked {
            Checked::Verified(verified) => (Some(verified), None),
            Checked::Rejected(rejection) => (None, Some(rejection)),
            _ => (None, None),
        };
        let reason = match self.checked {
            Checked::Damaged(problem) => Some(problem.clone()),
            _ => rejection.map(|rejection| rejection.reason.to_string()),
        };
        let assumptions = verified.map_or(Vec::new(), verification::assumptions);
        let mut object = object("verify", self.ruleset);
        extend(
            &mut object,
            json!({
                "line": self.question.map(Question::uci),
                "fen": self.question.map(Question::fen),
                "verdict": self.checked.name(),
                "winner": name_or_null(self.winner),
                "positions": verified.map(|verified| verified.positions),
                "plies": verified.map(|verified| verified.plies),
                "assumptions": assumptions,
                "defects": rejection.map_or(0, |rejection| rejection.defects),
                "first_defect": rejection.map(verification::path),
                "reason": reason,
                "seconds": self.elapsed.as_secs_f64(),
            }),
        );
        object
    }

    fn sentence(&self) -> String {
        let mut subject = self.question.map_or("the file".to_owned(), Question::name);
        if let Some(winner) = self.winner {
            subject = format!("{subject}: {winner} wins");
        }
        let found = match self.checked {
            Checked::Verified(verified) => {
                let seconds = units::seconds(self.elapsed);
                let rate = units::per_second(verified.positions, self.elapsed);
                format!(
                    "verified, {}, {} plies ({}, {seconds}, {} positions/s); assumed: {}",
                    units::count(verified.positions, "position"),
                    verified.plies,
                    self.ruleset,
                    units::thousands(rate),
                    verification::assumptions(verified).join("; "),
                )
            }
            other => format!("{} ({})", other.problem().unwrap_or_default(), self.ruleset),
        };
        format!("{subject}: {found}")
    }
}
