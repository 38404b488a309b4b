//! `takeme db`: looking after the database.

use std::path::Path;

use anyhow::Result;
use prover::CampaignView;
use serde_json::{Value, json};
use store::{Access, Problem, Store};

use crate::{
    args::DbCommand,
    checkpoints::SavedSearch,
    context::{Context, extend, object},
    exit::Exit,
    names::Names,
    units,
    usage::Usage,
};

pub(crate) fn run(command: DbCommand, context: &mut Context) -> Result<Exit> {
    match command {
        DbCommand::Check => check(context),
        DbCommand::Backup { file, force } => backup(context, &file, force),
        DbCommand::Stats => stats(context),
    }
}

fn check(context: &mut Context) -> Result<Exit> {
    let store = context.open(Access::Read)?;
    store.hold()?;
    let mut problems = store.check()?;
    match searches(&store) {
        Ok(searches) => problems.extend(searches),
        // The damage that is in the way is told.
        Err(_) if !problems.is_empty() => {}
        Err(error) => return Err(error),
    }
    let exit = if problems.is_empty() {
        Exit::Done
    } else {
        Exit::Damaged
    };
    if context.global.json {
        let mut object = object("db check", context.ruleset());
        let problems: Vec<Value> = problems
            .iter()
            .map(
                |problem| json!({"table": problem.table, "row": problem.row, "what": problem.what}),
            )
            .collect();
        extend(
            &mut object,
            json!({"file": store.path().display().to_string(), "problems": problems}),
        );
        context.out.object(object)?;
        return Ok(exit);
    }
    for problem in &problems {
        context.out.line(&problem.to_string())?;
    }
    let path = store.path().display();
    let verdict = match problems.len() {
        0 => "no damage found".to_owned(),
        count => units::count(count as u64, "problem"),
    };
    context.out.line(&format!("{path}: {verdict}"))?;
    Ok(exit)
}

/// What is wrong with what searches that have not ended have saved.
fn searches(store: &Store) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for saved in &store.campaigns()? {
        let key = &saved.key;
        let search = SavedSearch { store, saved };
        let Err(what) = CampaignView::check(&search, &key.root, key.ruleset, key.attacker) else {
            continue;
        };
        let line = Names::new(key.ruleset).question(&key.root);
        let (name, attacker) = (line.name(), key.attacker);
        problems.push(Problem {
            table: "",
            row: None,
            what: format!("the search of {name} for a win of {attacker}: {what}"),
        });
    }
    Ok(problems)
}

fn backup(context: &mut Context, file: &Path, force: bool) -> Result<Exit> {
    if file == Path::new("-") {
        return Err(
            Usage::new("a database cannot be written to standard output: name a file").into(),
        );
    }
    let store = context.open(Access::Read)?;
    store.backup(file, force)?;
    let (from, to) = (
        store.path().display().to_string(),
        file.display().to_string(),
    );
    if context.global.json {
        let mut object = object("db backup", context.ruleset());
        extend(&mut object, json!({"file": from, "copy": to}));
        context.out.object(object)?;
    } else {
        context.out.line(&format!("{from}: copied to {to}"))?;
    }
    Ok(Exit::Done)
}

fn stats(context: &mut Context) -> Result<Exit> {
    let store = context.open(Access::Read)?;
    let stats = store.stats()?;
    if context.global.json {
        let sets: Vec<Value> = stats
            .sets
            .iter()
            .map(|set| {
                json!({
                    "rules": set.ruleset.name(),
                    "winner": set.winner.name(),
                    "basis": set.basis.name(),
                    "positions": set.positions,
                    "pages": set.pages,
                    "recent": set.recent,
                    "exact": set.exact,
                })
            })
            .collect();
        let mut object = object("db stats", context.ruleset());
        extend(
            &mut object,
            json!({
                "file": store.path().display().to_string(),
                "claims": stats.claims,
                "claims_verified": stats.verified,
                "positions": stats.positions(),
                "file_bytes": stats.file_bytes,
                "free_bytes": stats.free_bytes,
                "wal_bytes": stats.wal_bytes,
                "bytes_per_position": stats.bytes_per_position(),
                "sets": sets,
            }),
        );
        context.out.object(object)?;
        return Ok(Exit::Done);
    }
    let mut lines = vec![
        format!("database: {}", store.path().display()),
        format!(
            "claims: {}, {} of them verified",
            units::thousands(stats.claims),
            units::thousands(stats.verified)
        ),
    ];
    for set in &stats.sets {
        lines.push(format!(
            "{}, {} wins, by {}: {} in {} and {}, {} with the key of another",
            set.ruleset,
            set.winner,
            set.basis,
            units::count(set.positions, "position"),
            units::count(set.pages, "page"),
            units::count(set.recent, "recent row"),
            units::thousands(set.exact),
        ));
    }
    lines.push(format!(
        "size: {}, {} of it unused; write-ahead log {}",
        units::bytes(stats.file_bytes),
        units::bytes(stats.free_bytes),
        units::bytes(stats.wal_bytes)
    ));
    if let Some(bytes) = stats.bytes_per_position() {
        lines.push(format!("bytes a position: {bytes:.1}"));
    }
    for line in lines {
        context.out.line(&line)?;
    }
    Ok(Exit::Done)
}
