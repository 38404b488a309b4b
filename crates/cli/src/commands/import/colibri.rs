//! `takeme import --format colibri`: a book is no proof. Its winning moves are kept, and `prove` looks at them first.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use anyhow::{Context as _, Result};
use interchange::colibri::Book;
use prover::{Skeleton, SkeletonPart};
use rules::{Game, Move, Position, Ruleset};
use serde_json::json;
use store::Access;

use crate::{
    args::Import,
    books,
    context::{Context, extend, object},
    exit::Exit,
    question::Question,
    units,
    usage::Usage,
};

pub(super) fn run(args: &Import, context: &mut Context) -> Result<Exit> {
    let ruleset = context.ruleset();
    let line = args.line.as_deref();
    let below = line.map(|line| Question::play(&Game::initial(ruleset), line, false));
    let below = below.transpose().map_err(Usage::new)?;
    let (book, claims) = read(&args.file, ruleset)?;
    let hints = match &below {
        Some(line) => below_line(&claims, line, args),
        None => claims
            .into_iter()
            .filter(|(position, _)| args.winner.includes(position.side_to_move()))
            .collect(),
    };
    let kept = hints.len() as u64;
    let mut store = context.open(Access::Write)?;
    let stored = store.put_hints(ruleset, hints)?;
    let name = args.file.display().to_string();
    if context.global.json {
        let mut object = object("import", ruleset);
        extend(
            &mut object,
            json!({
                "file": name,
                "nodes": book.nodes,
                "edges": book.edges,
                "hints": kept,
                "hints_stored": stored,
            }),
        );
        context.out.object(object)?;
    } else {
        let which = below.map_or(String::new(), |line| format!(" below {}", line.name()));
        context.out.line(&format!(
            "{name}: a Colibri book of {}; {}{which} kept as hints for prove, {} in all ({ruleset})",
            units::count(book.nodes, "position"),
            units::count(kept, "winning move"),
            units::thousands(stored),
        ))?;
    }
    Ok(Exit::Done)
}

fn read(path: &Path, ruleset: Ruleset) -> Result<(Book, Vec<(Position, Move)>)> {
    let mut claims = Vec::new();
    let input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path);
        Box::new(BufReader::new(
            file.with_context(|| format!("cannot read {}", path.display()))?,
        ))
    };
    let book = books::read(path, input, ruleset, |position, mv| {
        claims.push((*position, mv));
    })?;
    Ok((book, claims))
}

/// The moves that are met below a line, by whoever wins it.
fn below_line(
    claims: &[(Position, Move)],
    line: &Question,
    args: &Import,
) -> Vec<(Position, Move)> {
    let mut skeleton = Skeleton::default();
    for (position, mv) in claims {
        skeleton.insert(position, *mv);
    }
    let mut hints = Vec::new();
    for winner in rules::Color::ALL {
        if args.winner.includes(winner) {
            skeleton.walk(line.position(), winner, line.ruleset(), |position, part| {
                if let SkeletonPart::Winning(mv) = part {
                    hints.push((*position, mv));
                }
            });
        }
    }
    hints
}
