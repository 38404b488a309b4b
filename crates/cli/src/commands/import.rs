//! `takeme import`: a proof from a file, stored if it holds.

use anyhow::{Context as _, Result, anyhow};
use proof::{NoTables, Proof, certificate::Certificate, extract};
use serde_json::json;
use store::{Access, Provenance};

use crate::{
    answer::{Answer, Source, Status},
    args::Import,
    context::Context,
    exit::Exit,
    format::Format,
    interrupt,
    names::Names,
    position_file,
    usage::Usage,
    verification::{self, StoredProofs, Watch},
};

pub(crate) fn run(args: &Import, context: &mut Context) -> Result<Exit> {
    if args.format != Format::Certificate {
        return Err(Usage::new("this version imports certificates only: --format cert").into());
    }
    let stop = interrupt::watch()?;
    let bytes = position_file::read_bytes(&args.file)?;
    let name = args.file.display().to_string();
    // The verifier reads the bytes first, with a reader of its own: what it rejects is not stored.
    let watch = Watch {
        progress: &context.progress,
        stop: &stop,
        name: &name,
        memory_bytes: context.memory_bytes(),
    };
    let damaged = || format!("{name} is damaged");
    let certificate = verify::Certificate::parse(&bytes).with_context(damaged)?;
    verification::must_serve(&certificate, context.global.rules, &args.file)?;
    let checked = verification::check_certificate(&certificate, &watch);
    if let Some(problem) = checked.problem() {
        context
            .progress
            .error(&format!("{name}: nothing was stored: {problem}"));
        return Ok(checked.exit());
    }
    let proof = read(&bytes).with_context(damaged)?;
    store(context, &proof, &name, &stop)
}

/// Reads a proof that the verifier has accepted.
fn read(bytes: &[u8]) -> Result<Proof> {
    let certificate = Certificate::parse(bytes)?;
    let mut strategy = certificate.strategy()?;
    extract(&certificate.claim, &mut strategy, &NoTables).map_err(|error| anyhow!("{error}"))
}

fn store(
    context: &mut Context,
    proof: &Proof,
    name: &str,
    stop: &search::StopFlag,
) -> Result<Exit> {
    let claim = proof.claim;
    let mut store = context.open(Access::Write)?;
    let provenance = Provenance {
        engine: "certificate".to_owned(),
        ..Context::provenance()
    };
    let id = store.put_proof(proof, &provenance)?;
    let watch = Watch {
        progress: &context.progress,
        stop,
        name,
        memory_bytes: context.memory_bytes(),
    };
    let positions = proof.positions();
    let checked = StoredProofs::new(&store).check(&claim, positions, &watch)?;
    checked.record(&mut store, id)?;
    let exit = checked.exit();
    if let Some(problem) = checked.problem() {
        context.progress.error(&format!("{name}: {problem}"));
    }
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
    let question = Names::new(claim.ruleset).question(&claim.root);
    if context.global.json {
        let mut object = answer.object("import", &question);
        object.insert("file".to_owned(), json!(name));
        context.out.object(object)?;
    } else {
        context.out.line(&answer.sentence(&question, None))?;
    }
    Ok(exit)
}
