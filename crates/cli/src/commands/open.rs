//! `takeme open`: how far the search of a line has come that has not ended.

use std::time::Duration;

use anyhow::Result;
use prover::{CampaignView, MoveStatus};
use rules::{Move, line};
use search::INFINITY;
use serde_json::{Map, Value, json};
use store::{Access, Basis, SavedCampaign, Store};

use crate::{
    answer::{Answer, Status},
    args::Open,
    checkpoints::SavedSearch,
    columns::{Side, align},
    commands::query,
    context::{Context, extend, object},
    exit::Exit,
    lookup::Lookup,
    names::Names,
    question::{self, Question},
    standing::{Reply, Standing},
    table_files, units,
};

/// Plies of a line that a table shows.
const SHOWN_PLIES: usize = 8;

pub(crate) fn run(args: &Open, context: &mut Context) -> Result<Exit> {
    let question = question::one(&args.position, context)?;
    let store = context.open(Access::Read)?;
    store.hold()?;
    if let Some(answer) = settled(&store, &question, context)? {
        print_settled(context, &question, &answer)?;
        return Ok(Exit::Done);
    }
    let found = standings(&store, &question)?;
    if found.is_empty() {
        let (name, path) = (question.name(), store.path().display());
        context.progress.error(&format!(
            "{name}: no search of it that has not ended is in {path}; takeme status lists those that are"
        ));
        return Ok(Exit::Undecided);
    }
    for found in &found {
        if context.global.json {
            context.out.object(to_json(found))?;
        } else {
            print(context, found)?;
        }
    }
    Ok(Exit::Done)
}

/// The answer about a position that needs no search any more.
fn settled(store: &Store, question: &Question, context: &Context) -> Result<Option<Answer>> {
    let (endgames, basis) = table_files::at_hand(store, context, question.ruleset())?;
    let mut lookup = Lookup::new(store, question.ruleset(), basis, &endgames);
    let finding = lookup.find(question.position())?;
    let answer = query::answer(store, question, finding, (&endgames, basis))?;
    let is_settled = matches!(answer.status, Status::Proved | Status::Disproved);
    Ok(is_settled.then_some(answer))
}

fn print_settled(context: &mut Context, question: &Question, answer: &Answer) -> Result<()> {
    if context.global.json {
        return context.out.object(answer.object("open", question));
    }
    context.out.line(&answer.sentence(question, None))
}

/// How a position stands in one search.
struct Found {
    /// The position, with the forced moves after it that lead to one of the tree.
    question: Question,
    search: SavedCampaign,
    standing: Standing,
}

/// The searches of exactly this position, or if there are none, those whose trees reach it; of those rulesets that answer for the
/// one that is asked for.
fn standings(store: &Store, question: &Question) -> Result<Vec<Found>> {
    let mut searches = store.campaigns()?;
    searches.retain(|search| search.key.ruleset.serves(question.ruleset()));
    let is_of_it = |search: &SavedCampaign| search.key.root == *question.position();
    if searches.iter().any(is_of_it) {
        searches.retain(is_of_it);
    }
    let mut found = Vec::new();
    for search in searches {
        let saved = SavedSearch {
            store,
            saved: &search,
        };
        let view = CampaignView::read(&saved, search.key.attacker).map_err(|what| {
            let path = store.path().to_owned();
            store::Error::Damaged { path, what }
        })?;
        let mut line = Some(question.clone());
        while let (Some(view), Some(question)) = (&view, line) {
            line = question.after_forced();
            if let Some(standing) = Standing::of(view, &question.game) {
                found.push(Found {
                    question,
                    search: search.clone(),
                    standing,
                });
                break;
            }
        }
    }
    Ok(found)
}

fn print(context: &mut Context, found: &Found) -> Result<()> {
    let Found {
        question,
        search,
        standing,
    } = found;
    let SavedCampaign { key, state, .. } = search;
    let out = &mut context.out;
    let tables = match key.basis {
        Basis::Rules => "",
        Basis::Tables => ", with tables",
    };
    let within = if key.root == *question.position() {
        String::new()
    } else {
        let root = Names::new(key.ruleset).question(&key.root);
        format!(", within the search of {}", root.name())
    };
    out.line(&format!(
        "{}: searched for a win of {}{tables}{within}: pn {}, dn {}, {}; {} in all ({})",
        question.name(),
        key.attacker,
        number(standing.numbers.pn),
        number(standing.numbers.dn),
        units::count(standing.work, "node"),
        units::long_time(Duration::try_from_secs_f64(state.seconds).unwrap_or_default()),
        key.ruleset,
    ))?;
    if standing.replies.is_empty() {
        return out.line("still searched as a whole, not move by move");
    }
    let mut counts = vec![format!(
        "open {}: {} of {}",
        if standing.attacker_to_move {
            "moves"
        } else {
            "replies"
        },
        standing.count(Reply::is_open),
        standing.replies.len()
    )];
    for (status, name) in [
        (MoveStatus::Proven, "proved"),
        (MoveStatus::Failed, "failed"),
    ] {
        match standing.count(|reply| reply.status == status) {
            0 => {}
            count => counts.push(format!("{count} {name}")),
        }
    }
    out.line(&counts.join(", "))?;
    for line in table(question, standing) {
        out.line(&line)?;
    }
    if !standing.next.is_empty() {
        let next = shown(question, &standing.next, usize::MAX);
        out.line(&format!("next: {next}"))?;
    }
    Ok(())
}

/// The moves as lines of text, with the heaviest line below each that is open.
fn table(question: &Question, standing: &Standing) -> Vec<String> {
    let head = ["move", "status", "pn", "dn", "nodes", "heaviest line"].map(str::to_owned);
    let row = |reply: &Reply| {
        [
            question.numbered(reply.mv),
            name(reply.status).to_owned(),
            number(reply.numbers.pn),
            number(reply.numbers.dn),
            units::thousands(reply.work),
            if reply.status == MoveStatus::Open {
                shown(question, &reply.heaviest, SHOWN_PLIES)
            } else {
                String::new()
            },
        ]
    };
    let rows: Vec<_> = std::iter::once(head)
        .chain(standing.replies.iter().map(row))
        .collect();
    let (left, right) = (Side::Left, Side::Right);
    align([left, left, right, right, right, left], &rows)
}

/// A line from the position in question, cut off behind so many plies.
fn shown(question: &Question, moves: &[Move], plies: usize) -> String {
    let (position, ruleset) = (question.position(), question.ruleset());
    let cut = &moves[..moves.len().min(plies)];
    let mut text = line::write_san(position, question.game.full_move(), cut, ruleset);
    if cut.len() < moves.len() {
        text.push_str(" ...");
    }
    text
}

fn to_json(found: &Found) -> Map<String, Value> {
    let Found {
        question,
        search,
        standing,
    } = found;
    let SavedCampaign { key, state, .. } = search;
    let mut object = object("open", key.ruleset);
    let row = |reply: &Reply| {
        json!({
            "move": reply.mv.to_string(),
            "move_san": question.san(reply.mv),
            "status": name(reply.status),
            "pn": finite(reply.numbers.pn),
            "dn": finite(reply.numbers.dn),
            "nodes": reply.work,
            "heaviest": line::write_uci(&reply.heaviest),
        })
    };
    extend(
        &mut object,
        json!({
            "line": question.uci(),
            "fen": question.fen(),
            "status": Status::Open.name(),
            "root_fen": rules::fen::write_position(&key.root),
            "attacker": key.attacker.name(),
            "basis": key.basis.name(),
            "pn": finite(standing.numbers.pn),
            "dn": finite(standing.numbers.dn),
            "nodes": standing.work,
            "nodes_total": state.nodes,
            "seconds": state.seconds,
            "saved_at": state.when,
            "engine": state.engine,
            "replies_open": standing.count(Reply::is_open),
            "replies": standing.replies.iter().map(row).collect::<Vec<_>>(),
            "next": line::write_uci(&standing.next),
        }),
    );
    object
}

/// A proof or disproof number for people.
fn number(number: u32) -> String {
    match number {
        INFINITY => "infinite".to_owned(),
        finite => units::thousands(finite.into()),
    }
}

/// The same as a value; null if it is infinite.
fn finite(number: u32) -> Option<u32> {
    (number != INFINITY).then_some(number)
}

const fn name(status: MoveStatus) -> &'static str {
    match status {
        MoveStatus::Proven => "proved",
        MoveStatus::Failed => "failed",
        MoveStatus::Open => "open",
        MoveStatus::Untouched => "untouched",
    }
}
