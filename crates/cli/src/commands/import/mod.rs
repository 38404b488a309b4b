//! `takeme import`: a proof from a file, stored if it holds.

mod certificate;
mod colibri;
mod leaves;
mod refusal;
mod watkins;

use anyhow::Result;
use proof::Proof;
use rules::Game;
use search::StopFlag;
use serde_json::json;
use store::{Access, Provenance};

use crate::{
    answer::{Answer, Source, Status},
    args::Import,
    context::Context,
    exit::Exit,
    format::ImportFormat,
    leaned_on::LeanedOn,
    names::Names,
    question::Question,
    recheck::recheck,
    usage::Usage,
};

pub(crate) fn run(args: &Import, context: &mut Context) -> Result<Exit> {
    match args.format {
        ImportFormat::Certificate => certificate::run(args, context),
        ImportFormat::Colibri => colibri::run(args, context),
        ImportFormat::Watkins => watkins::run(args, context),
    }
}

/// The file must begin where `--line` says.
fn must_begin_with(args: &Import, name: &str, begins: &Question) -> Result<()> {
    let Some(text) = &args.line else {
        return Ok(());
    };
    let start = Game::initial(begins.ruleset());
    let wanted = Question::play(&start, text, false).map_err(Usage::new)?;
    if wanted.position() == begins.position() {
        return Ok(());
    }
    let place = |question: &Question| {
        let mover = question.position().side_to_move();
        format!("{} with {mover} to move", question.name())
    };
    let (begins, wanted) = (place(begins), place(&wanted));
    Err(Usage::new(format!("{name} begins at {begins}, not at {wanted}")).into())
}

/// Where a proof comes from.
struct Origin<'a> {
    /// The kind of file, as the database names it.
    engine: &'static str,
    /// The file.
    name: &'a str,
    /// The moves that lead to the claim's position, if the file has them.
    begins: Option<Question>,
}

/// Stores a proof that the verifier has accepted, has it verified as it is stored, and says so.
fn store(
    context: &mut Context,
    proof: &Proof,
    tables: &mut LeanedOn,
    origin: &Origin<'_>,
    stop: &StopFlag,
) -> Result<Exit> {
    let claim = proof.claim;
    let name = origin.name;
    let mut store = context.open(Access::Write)?;
    let provenance = Provenance {
        engine: origin.engine.to_owned(),
        ..Context::provenance()
    };
    let id = store.put_proof(proof, &provenance)?;
    let checked = recheck(&mut store, id, proof, tables, name, stop, context)?;
    let exit = checked.exit();
    let verified = exit == Exit::Done;
    let answer = Answer {
        status: if verified {
            Status::Proved
        } else {
            Status::Unknown
        },
        verified,
        ..Answer::proved(proof, Source::Database)
    };
    let names = || Names::new(claim.ruleset).question(&claim.root);
    let question = origin.begins.clone().unwrap_or_else(names);
    if context.global.json {
        let mut object = answer.object("import", &question);
        object.insert("file".to_owned(), json!(name));
        context.out.object(object)?;
    } else {
        context.out.line(&answer.sentence(&question, None))?;
    }
    Ok(exit)
}
