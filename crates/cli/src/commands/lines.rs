//! `takeme lines`: the lines of a stored strategy.

use anyhow::Result;
use proof::Claim;
use rules::{Color, line};
use serde_json::json;
use store::Access;

use crate::{
    args::Lines,
    context::{Context, extend, object},
    exit::Exit,
    lookup::settled_with_tables,
    question::{self, Question},
    usage::Usage,
    walk::{self, End},
};

pub(crate) fn run(args: &Lines, context: &mut Context) -> Result<Exit> {
    for (flag, value) in [
        ("--max-lines", args.most),
        ("--depth", args.depth.map(u64::from)),
    ] {
        if value == Some(0) {
            return Err(Usage::new(format!("{flag} 0 asks for nothing")).into());
        }
    }
    let question = question::one(&args.position, context)?;
    let store = context.open(Access::Read)?;
    let Some((settled, endgames)) = settled_with_tables(&store, &question, context)? else {
        return Ok(Exit::Undecided);
    };
    let depth = args.depth.map_or(usize::MAX, |depth| depth as usize);
    let mut left = args.most.unwrap_or(u64::MAX);
    walk::lines(&store, &settled, &endgames, depth, |moves, end| {
        print(context, &question, &settled.claim, moves, end)?;
        left -= 1;
        Ok(left > 0)
    })?;
    Ok(Exit::Done)
}

fn print(
    context: &mut Context,
    question: &Question,
    claim: &Claim,
    moves: &[rules::Move],
    end: End,
) -> Result<()> {
    let full_move = question.game.full_move();
    let san = line::write_san(&claim.root, full_move, moves, claim.ruleset);
    if context.global.json {
        let mut object = object("lines", claim.ruleset);
        extend(
            &mut object,
            json!({
                "line": line::write_uci(moves),
                "line_san": san,
                "plies": moves.len(),
                "winner": claim.winner.name(),
                "complete": end != End::Cut,
                "ends": match end {
                    End::Over => Some("game-over"),
                    End::Table => Some("table"),
                    End::Cut => None,
                },
            }),
        );
        return context.out.object(object);
    }
    let result = match claim.winner {
        Color::White => "1-0",
        Color::Black => "0-1",
    };
    let result = match end {
        End::Over => result.to_owned(),
        End::Table => format!("{{table}} {result}"),
        End::Cut => String::new(),
    };
    context.out.line(format!("{san} {result}").trim())
}
