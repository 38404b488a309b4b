//! `takeme verify`: stored proofs and certificates before the independent verifier.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use proof::TableId;
use rules::{Color, Ruleset};
use search::StopFlag;
use serde_json::{Map, Value, json};
use store::{Access, Basis, ClaimId, ErrorKind, Store, StoredClaim};
use verify::FiftyMoves;

use crate::{
    args::Verify,
    context::{Context, extend, name_or_null, object},
    crossing,
    exit::Exit,
    interrupt,
    leaned_on::{LeanedOn, NoTableFor, TablesChecked},
    lookup::{self, Settled, is_asked_for, proof_of, settled_with_tables},
    names::Names,
    position_file,
    question::{self, Question},
    stored_proofs::StoredProofs,
    table_files, units,
    verification::{self, Checked, Watch},
};

/// Verifies a file, or stored claims. Those are all claims if no line is given, and with `--rules` those that answer for its
/// ruleset.
pub(crate) fn run(args: &Verify, context: &mut Context) -> Result<Exit> {
    let stop = interrupt::watch()?;
    if let Some(file) = &args.file {
        return certificate(file, args, context, &stop);
    }
    let start = question::start(args.positions.fen.as_deref(), context)?;
    let questions = question::several(&args.positions, &start)?;
    let store = context.open(Access::Read)?;
    let (subjects, missing) = if questions.is_empty() {
        (all_claims(&store, context.global.rules)?, Exit::Done)
    } else {
        of_lines(&store, questions, args.fifty, context)?
    };
    if subjects.is_empty() && missing == Exit::Done {
        let under = context.global.rules;
        let under = under.map_or(String::new(), |ruleset| format!(" for {ruleset}"));
        context
            .progress
            .note(&format!("no claims{under} are stored"));
    }
    stored(context, &store, &subjects, args, &stop).map(|worst| worst.worse(missing))
}

/// A claim to be verified.
pub(crate) struct Subject {
    pub(crate) question: Question,
    pub(crate) settled: Settled,
    /// The tables that it is known to lean on.
    tables: Vec<TableId>,
    positions: u64,
    /// If it is stored as a claim, rather than part of another's proof.
    id: Option<ClaimId>,
}

impl Subject {
    /// A claim, by the name that a question gives it.
    pub(crate) fn of_claim(claim: &StoredClaim, question: Question) -> Self {
        Self {
            question,
            settled: Settled::stored(claim.claim(), claim.basis),
            tables: claim.tables.clone(),
            positions: claim.positions,
            id: Some(claim.id),
        }
    }
}

fn all_claims(store: &Store, asked_for: Option<Ruleset>) -> Result<Vec<Subject>> {
    let mut claims = store.claims()?;
    claims.retain(|claim| is_asked_for(claim.ruleset, asked_for));
    let mut subjects = Vec::new();
    for ruleset in Ruleset::ALL {
        let mut claims = claims.iter().filter(|claim| claim.ruleset == ruleset);
        let Some(first) = claims.next() else { continue };
        let names = Names::new(ruleset);
        let claims = [first].into_iter().chain(claims);
        subjects.extend(claims.map(|claim| Subject::of_claim(claim, names.question(&claim.root))));
    }
    subjects.sort_by_key(|subject| subject.id);
    Ok(subjects)
}

/// The claims about these positions; tells those about which there is none.
fn of_lines(
    store: &Store,
    questions: Vec<Question>,
    fifty: bool,
    context: &mut Context,
) -> Result<(Vec<Subject>, Exit)> {
    let mut subjects = Vec::new();
    let mut missing = Exit::Done;
    for question in questions {
        let position = *question.position();
        // A damaged proof is to be judged, so the claim alone must do.
        let claim = store.claim(&position, context.ruleset(), None, Basis::Tables)?;
        if let Some(claim) = claim {
            subjects.push(Subject::of_claim(&claim, question));
            continue;
        }
        let Some((settled, _)) = settled_with_tables(store, &question, context)? else {
            missing = Exit::Undecided;
            let shown = Shown {
                file: None,
                question: Some(&question),
                ruleset: Some(question.ruleset()),
                winner: None,
                found: Found::Unjudged(lookup::NO_PROOF),
                fifty,
                elapsed: Duration::ZERO,
            };
            shown.print(context)?;
            continue;
        };
        subjects.push(Subject {
            settled,
            tables: Vec::new(),
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
    args: &Verify,
    stop: &Arc<StopFlag>,
) -> Result<Exit> {
    let mut worst = Exit::Done;
    let mut verdicts = Vec::new();
    let mut proofs = StoredProofs::new(store);
    for subject in subjects {
        let start = Instant::now();
        let asked = Asked {
            tables_too: args.tables_too,
            fifty: args.fifty,
        };
        let judged = judge(subject, store, &mut proofs, asked, stop, context);
        if matches!(judged, Ok((Checked::Interrupted, _))) {
            worst = Exit::Interrupted;
            break;
        }
        let problem = judged.as_ref().err().map(|error| format!("{error:#}"));
        let claim = &subject.settled.claim;
        let shown = Shown {
            file: None,
            question: Some(&subject.question),
            ruleset: Some(claim.ruleset),
            winner: Some(claim.winner),
            found: match &judged {
                Ok((checked, _)) => Found::Checked(checked),
                Err(_) => Found::Unjudged(problem.as_deref().unwrap_or_default()),
            },
            fifty: args.fifty,
            elapsed: start.elapsed(),
        };
        shown.print(context)?;
        context.out.flush()?;
        match judged {
            Ok((checked, list)) => {
                worst = worst.worse(checked.exit());
                verdicts.extend(subject.id.map(|id| (id, checked, list)));
            }
            // One claim that cannot be judged here must not keep the others from it.
            Err(error) => {
                let name = subject.question.name();
                context.progress.error(&format!("{name}: {error:#}"));
                worst = worst.worse(Exit::of_error(&error));
            }
        }
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

/// What is asked about a proof besides whether it holds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked {
    /// Whether the tables that it leans on hold, value by value.
    pub(crate) tables_too: bool,
    /// Whether it holds under the fifty-move rule.
    pub(crate) fifty: bool,
}

/// Has the verifier look at a claim, and at its tables if it was asked to; returns what it found and the tables that it leans on.
pub(crate) fn judge(
    subject: &Subject,
    store: &Store,
    proofs: &mut StoredProofs<'_>,
    asked: Asked,
    stop: &StopFlag,
    context: &Context,
) -> Result<(Checked, Vec<TableId>)> {
    let (opened, list) = tables_of(subject, store, asked.tables_too, stop, context)?;
    let ruleset = subject.settled.claim.ruleset;
    let checked = match opened.for_fifty(asked.fifty, ruleset, context)? {
        TablesChecked::Accepted(mut tables) => {
            let watch = Watch {
                progress: &context.progress,
                stop,
                name: &subject.question.name(),
                memory_bytes: context.memory_bytes(),
            };
            proofs.check(&subject.settled, subject.positions, &mut tables, &watch)?
        }
        TablesChecked::Refused(problem) => Checked::TablesRefused(problem),
        TablesChecked::Interrupted => Checked::Interrupted,
    };
    Ok((checked, list))
}

/// The tables that a stored proof leans on as it stands now, ready, and their names.
fn tables_of(
    subject: &Subject,
    store: &Store,
    too: bool,
    stop: &StopFlag,
    context: &Context,
) -> Result<(TablesChecked, Vec<TableId>)> {
    let Settled { claim, basis, .. } = &subject.settled;
    if *basis == Basis::Rules {
        return Ok((TablesChecked::Accepted(LeanedOn::nothing()), Vec::new()));
    }
    let endgames = table_files::endgames(context, claim.ruleset)?;
    let list = match proof_of(store, &subject.settled, &endgames) {
        Ok(proof) => proof.tables,
        // What was recorded tells best which table is not here.
        Err(error) if error.is::<NoTableFor>() => {
            open(&subject.tables, claim.ruleset, too, stop, context)?;
            return Err(error);
        }
        // The verifier says what is wrong with it.
        Err(_) => subject.tables.clone(),
    };
    let opened = open(&list, claim.ruleset, too, stop, context)?;
    Ok((opened, list))
}

/// The tables in `list`, with `too` only if the verifier accepts them now.
fn open(
    list: &[TableId],
    ruleset: Ruleset,
    too: bool,
    stop: &StopFlag,
    context: &Context,
) -> Result<TablesChecked> {
    if too {
        LeanedOn::open_checked(list, ruleset, stop, context)
    } else {
        LeanedOn::open(list, ruleset, context).map(TablesChecked::Accepted)
    }
}

/// Writes the verdicts into the database. That it cannot be written does not change them.
fn record(context: &Context, verdicts: &[(ClaimId, Checked, Vec<TableId>)]) -> Result<Exit> {
    if verdicts.is_empty() {
        return Ok(Exit::Done);
    }
    let write = || -> store::Result<()> {
        let mut store = Store::open(&context.global.db, Access::Write)?;
        for (id, checked, tables) in verdicts {
            checked.record_with_tables(&mut store, *id, tables)?;
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
fn certificate(
    file: &Path,
    args: &Verify,
    context: &mut Context,
    stop: &Arc<StopFlag>,
) -> Result<Exit> {
    let bytes = position_file::read_bytes(file)?;
    let start = Instant::now();
    let name = file.display().to_string();
    let (claim, judged) = match verify::Certificate::parse(&bytes) {
        Err(error) => (None, Ok(Checked::Damaged(error.to_string()))),
        Ok(certificate) => {
            verification::must_serve(&certificate, context.global.rules, file)?;
            (
                Some(crossing::claim_from_verifier(certificate.claim())),
                judge_certificate(&certificate, &name, args, stop, context),
            )
        }
    };
    let problem = judged.as_ref().err().map(|error| format!("{error:#}"));
    let question = claim.map(|claim| Names::new(claim.ruleset).question(&claim.root));
    let shown = Shown {
        file: Some(&name),
        question: question.as_ref(),
        ruleset: claim.map(|claim| claim.ruleset),
        winner: claim.map(|claim| claim.winner),
        found: match &judged {
            Ok(checked) => Found::Checked(checked),
            Err(_) => Found::Unjudged(problem.as_deref().unwrap_or_default()),
        },
        fifty: args.fifty,
        elapsed: start.elapsed(),
    };
    shown.print(context)?;
    judged.map(|checked| checked.exit())
}

/// Has the verifier look at a certificate, and at its tables if it was asked to.
fn judge_certificate(
    certificate: &verify::Certificate<'_>,
    name: &str,
    args: &Verify,
    stop: &StopFlag,
    context: &Context,
) -> Result<Checked> {
    let ruleset = crossing::ruleset_from_verifier(certificate.claim().ruleset);
    let listed = crossing::tables_of_certificate(certificate);
    let opened = open(&listed, ruleset, args.tables_too, stop, context)?;
    Ok(match opened.for_fifty(args.fifty, ruleset, context)? {
        TablesChecked::Accepted(mut tables) => {
            let watch = Watch {
                progress: &context.progress,
                stop,
                name,
                memory_bytes: context.memory_bytes(),
            };
            verification::check_certificate(certificate, &mut tables, &watch)
        }
        TablesChecked::Refused(problem) => Checked::TablesRefused(problem),
        TablesChecked::Interrupted => Checked::Interrupted,
    })
}

/// What is printed: a verdict, or why there is none.
#[derive(Clone, Copy)]
enum Found<'a> {
    Checked(&'a Checked),
    /// It could not be judged. Text says so on standard error, so only an object has it.
    Unjudged(&'a str),
}

/// A claim or certificate that was to be verified.
struct Shown<'a> {
    /// The certificate, if it is one that is verified.
    file: Option<&'a str>,
    /// Unknown, as ruleset and winner are, if the certificate cannot be read.
    question: Option<&'a Question>,
    ruleset: Option<Ruleset>,
    winner: Option<Color>,
    found: Found<'a>,
    /// Whether the fifty-move rule was asked about.
    fifty: bool,
    elapsed: Duration,
}

impl Shown<'_> {
    fn print(&self, context: &mut Context) -> Result<()> {
        let json = context.global.json;
        let out = &mut context.out;
        context.progress.aside(|| match self.found {
            _ if json => out.object(self.object()),
            Found::Checked(checked) => out.line(&self.sentence(checked)),
            Found::Unjudged(_) => Ok(()),
        })
    }

    fn object(&self) -> Map<String, Value> {
        let (mut verified, mut rejection) = (None, None);
        let verdict = match self.found {
            Found::Checked(checked) => {
                match checked {
                    Checked::Verified(found) => verified = Some(found),
                    Checked::Rejected(found) => rejection = Some(found),
                    _ => {}
                }
                checked.name()
            }
            Found::Unjudged(_) => None,
        };
        let reason = match (self.found, rejection) {
            (_, Some(rejection)) => Some(rejection.reason.to_string()),
            (Found::Unjudged(problem), _) => Some(problem.to_owned()),
            (Found::Checked(Checked::Damaged(problem) | Checked::TablesRefused(problem)), _) => {
                Some(problem.clone())
            }
            (Found::Checked(checked), _) => checked.problem(),
        };
        let assumptions = verified.map_or(Vec::new(), verification::assumptions);
        let mut object = object("verify", self.ruleset);
        if let Some(file) = self.file {
            object.insert("file".to_owned(), file.into());
        }
        extend(
            &mut object,
            json!({
                "line": self.question.map(Question::uci),
                "fen": self.question.map(Question::fen),
                "verdict": verdict,
                "winner": name_or_null(self.winner),
                "positions": verified.map(|verified| verified.positions),
                "plies": verified.map(|verified| verified.plies),
                "assumptions": assumptions,
                "defects": rejection.map_or(0, |rejection| rejection.defects),
                "first_defect": rejection.map(|rejection| verification::path(&rejection.path)),
                "reason": reason,
                "seconds": self.elapsed.as_secs_f64(),
            }),
        );
        if self.fifty {
            let fifty = verified.and_then(|verified| verified.fifty.as_ref());
            // A run that is too long is one, whatever is not known of others.
            let run = fifty.filter(|fifty| fifty.holds().is_some());
            extend(
                &mut object,
                json!({
                    "fifty": fifty.and_then(FiftyMoves::holds),
                    "longest_quiet_run": run.map(|run| run.longest_quiet_run),
                    "quiet_run_after": run.map(|run| verification::path(&run.after)),
                    "fifty_reason": fifty.and_then(|fifty| fifty.unknown.as_ref()),
                }),
            );
        }
        object
    }

    fn sentence(&self, checked: &Checked) -> String {
        let mut subject = match (self.question, self.file) {
            (Some(question), _) => question.name(),
            (None, file) => file.unwrap_or_default().to_owned(),
        };
        if let Some(winner) = self.winner {
            subject = format!("{subject}: {winner} wins");
        }
        let found = match checked {
            Checked::Verified(verified) => {
                let seconds = units::seconds(self.elapsed);
                let rate = units::per_second(verified.positions, self.elapsed);
                let fifty = verified.fifty.as_ref();
                format!(
                    "verified, {}, {} ({}{seconds}, {} positions/s){}; assumed: {}",
                    units::count(verified.positions, "position"),
                    units::plies(verified.plies),
                    self.ruleset
                        .map_or(String::new(), |ruleset| format!("{ruleset}, ")),
                    units::thousands(rate),
                    fifty.map_or(String::new(), |fifty| format!(
                        "; under the fifty-move rule: {fifty}"
                    )),
                    verification::assumptions(verified).join("; "),
                )
            }
            other => {
                let problem = other.problem().unwrap_or_default();
                match self.ruleset {
                    Some(ruleset) => format!("{problem} ({ruleset})"),
                    None => problem,
                }
            }
        };
        format!("{subject}: {found}")
    }
}
