//! `takeme status`: what is in the database.

use std::time::Duration;

use anyhow::Result;
use rules::{Position, Ruleset};
use serde_json::json;
use store::{Access, Basis, SavedCampaign, SetStats, StoredClaim};

use crate::{
    answer::plural_plies,
    context::{Context, extend, object},
    exit::Exit,
    lookup::is_asked_for,
    names::Names,
    question::Question,
    units,
};

pub(crate) fn run(context: &mut Context) -> Result<Exit> {
    let store = context.open(Access::Read)?;
    let asked_for = context.global.rules;
    let mut claims = store.claims()?;
    claims.retain(|claim| is_asked_for(claim.ruleset, asked_for));
    let mut searches = store.campaigns()?;
    searches.retain(|search| is_asked_for(search.key.ruleset, asked_for));
    let names = Ruleset::ALL.map(|ruleset| {
        let claimed = claims.iter().map(|claim| claim.ruleset);
        let mut all = claimed.chain(searches.iter().map(|search| search.key.ruleset));
        let any = all.any(|other| other == ruleset);
        any.then(|| Names::new(ruleset))
    });
    let question = |root: &Position, ruleset: Ruleset| match &names[usize::from(ruleset.code())] {
        Some(names) => names.question(root),
        None => Question::of_position(root, ruleset),
    };
    for claim in &claims {
        print_claim(context, &question(&claim.root, claim.ruleset), claim)?;
    }
    for search in &searches {
        print_search(
            context,
            &question(&search.key.root, search.key.ruleset),
            search,
        )?;
    }
    for set in store.stats()?.sets {
        if is_asked_for(set.ruleset, asked_for) {
            print_set(context, &set)?;
        }
    }
    let mut exit = Exit::Done;
    for problem in store.senseless_campaigns()? {
        let path = store.path().display();
        context.progress.error(&format!("{path}: {problem}"));
        exit = Exit::Damaged;
    }
    if !context.global.json {
        let count = units::count(claims.len() as u64, "claim");
        let rules = asked_for.map_or(String::new(), |ruleset| format!(" for {ruleset}"));
        let searches = match searches.len() {
            0 => String::new(),
            count => format!(" and {} under way", units::count(count as u64, "search")),
        };
        let path = store.path().display();
        context
            .out
            .line(&format!("{count}{searches}{rules} in {path}"))?;
    }
    Ok(exit)
}

fn print_claim(context: &mut Context, question: &Question, claim: &StoredClaim) -> Result<()> {
    let verdict = claim.verified.as_ref().map(|stored| &stored.verdict);
    let tables: Vec<String> = claim.tables.iter().map(ToString::to_string).collect();
    if context.global.json {
        let mut object = object("status", claim.ruleset);
        extend(
            &mut object,
            json!({
                "kind": "claim",
                "line": question.uci(),
                "fen": question.fen(),
                "winner": claim.winner.name(),
                "plies": claim.plies.0,
                "positions": claim.positions,
                "basis": claim.basis.name(),
                "tables": tables,
                "verified": verdict.is_some_and(|verdict| verdict.verified),
                "verifier": verdict.map(|verdict| &verdict.verifier),
                "verdict": verdict.map(|verdict| &verdict.detail),
                "engine": claim.engine,
                "nodes": claim.nodes,
                "seconds": claim.seconds,
                "stored_at": claim.when,
            }),
        );
        return context.out.object(object);
    }
    let verified = match verdict {
        None => "not verified".to_owned(),
        Some(verdict) if verdict.verified => format!("verified by {}", verdict.verifier),
        Some(verdict) => format!("REJECTED by {}: {}", verdict.verifier, verdict.detail),
    };
    let leans = match tables.len() {
        0 => String::new(),
        count => format!(", leans on {}", units::count(count as u64, "table")),
    };
    context.out.line(&format!(
        "{}: {} wins, {} at most, {}{leans}, {verified} ({}, {})",
        question.name(),
        claim.winner,
        plural_plies(claim.plies),
        units::count(claim.positions, "position"),
        claim.ruleset,
        units::count(claim.nodes, "node"),
    ))
}

/// A search that has not ended, as it was last saved.
fn print_search(context: &mut Context, question: &Question, search: &SavedCampaign) -> Result<()> {
    let SavedCampaign { key, state, .. } = search;
    if context.global.json {
        let mut object = object("status", key.ruleset);
        extend(
            &mut object,
            json!({
                "kind": "search",
                "line": question.uci(),
                "fen": question.fen(),
                "attacker": key.attacker.name(),
                "basis": key.basis.name(),
                "pn": state.pn,
                "dn": state.dn,
                "nodes": state.nodes,
                "seconds": state.seconds,
                "engine": state.engine,
                "saved_at": state.when,
            }),
        );
        return context.out.object(object);
    }
    let tables = match key.basis {
        Basis::Rules => "",
        Basis::Tables => ", with tables",
    };
    context.out.line(&format!(
        "{}: searched for a win of {}{tables}: pn {}, dn {}, {}, {} ({})",
        question.name(),
        key.attacker,
        units::thousands(state.pn.into()),
        units::thousands(state.dn.into()),
        units::count(state.nodes, "node"),
        units::long_time(Duration::try_from_secs_f64(state.seconds).unwrap_or_default()),
        key.ruleset,
    ))
}

fn print_set(context: &mut Context, set: &SetStats) -> Result<()> {
    if context.global.json {
        let mut object = object("status", set.ruleset);
        extend(
            &mut object,
            json!({
                "kind": "set",
                "winner": set.winner.name(),
                "basis": set.basis.name(),
                "positions": set.positions,
            }),
        );
        return context.out.object(object);
    }
    context.out.line(&format!(
        "{}, {} wins: {} stored{}",
        set.ruleset,
        set.winner,
        units::count(set.positions, "position"),
        if set.basis == Basis::Tables {
            ", leaning on tables"
        } else {
            ""
        },
    ))
}
