//! `takeme import --format cert`.

use anyhow::{Context as _, Result, anyhow};
use proof::{ExtractError, Proof, certificate::Certificate, extract};
use prover::Endgames;
use rules::fen;

use super::{Origin, must_begin_with, store};
use crate::{
    args::Import,
    context::Context,
    crossing::{claim_from_verifier, tables_of_certificate},
    exit::Exit,
    interrupt,
    leaned_on::{LeanedOn, NoTableFor},
    names::Names,
    position_file, table_files,
    usage::Usage,
    verification::{self, Watch},
};

pub(super) fn run(args: &Import, context: &mut Context) -> Result<Exit> {
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
    let claim = claim_from_verifier(certificate.claim());
    let ruleset = claim.ruleset;
    must_begin_with(args, &name, &Names::new(ruleset).question(&claim.root))?;
    if !args.winner.includes(claim.winner) {
        let message = format!("{name} is a proof that {} wins", claim.winner);
        return Err(Usage::new(message).into());
    }
    let listed = tables_of_certificate(&certificate);
    let mut tables = LeanedOn::open(&listed, ruleset, context)?;
    let checked = verification::check_certificate(&certificate, &mut tables, &watch);
    if let Some(problem) = checked.problem() {
        context
            .progress
            .error(&format!("{name}: nothing was stored: {problem}"));
        return Ok(checked.exit());
    }
    let endgames = table_files::endgames(context, ruleset)?;
    let proof = read(&bytes, &endgames).with_context(damaged)?;
    let origin = Origin {
        engine: "certificate",
        name: &name,
        begins: None,
    };
    store(context, &proof, &mut tables, &origin, &stop)
}

/// Reads a proof that the verifier has accepted.
fn read(bytes: &[u8], endgames: &Endgames) -> Result<Proof> {
    let certificate = Certificate::parse(bytes)?;
    let mut strategy = certificate.strategy()?;
    // Other tables that are here must not end lines that the certificate follows.
    let tables = (!certificate.tables.is_empty()).then_some(endgames);
    extract(&certificate.claim, &mut strategy, &tables).map_err(|error| match error {
        ExtractError::Missing { position, .. } if tables.is_some() => {
            NoTableFor(fen::write_position(&position)).into()
        }
        error => anyhow!("{error}"),
    })
}
