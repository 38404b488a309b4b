//! `takeme tables probe`.

use anyhow::Result;
use rules::{Game, Move, fen, san};
use serde_json::json;
use tablebase::{Material, Tables, Trust, Value};

use crate::{
    context::{Context, extend, object},
    exit::Exit,
    table_files, units,
    usage::Usage,
};

/// Tells what each position is worth to the side to move.
pub(super) fn run(fens: &[String], context: &mut Context) -> Result<Exit> {
    let games = read(fens, context)?;
    let tables = table_files::open(context, context.ruleset(), Trust::Listed)?;
    let mut worst = Exit::Done;
    for game in &games {
        if let Some(found) = probe(&tables, game)? {
            found.print(game, context)?;
            continue;
        }
        let fen = fen::write(game);
        let folder = tables.folder().display();
        let unlisted = Material::of(game.position())
            .map(|(material, _)| tables.path(&material))
            .filter(|path| path.exists());
        let why = match unlisted {
            Some(path) => format!(
                "{} is there, but it or one that it rests on is not listed in {folder}/MANIFEST",
                path.display()
            ),
            None => format!("no table in {folder} has it"),
        };
        context
            .progress
            .error(&format!("{fen} is not covered: {why}"));
        worst = worst.worse(Exit::NotCovered);
    }
    Ok(worst)
}

/// All positions, or what is wrong with each that cannot be read.
fn read(fens: &[String], context: &Context) -> Result<Vec<Game>> {
    let mut games = Vec::new();
    let mut wrong = Vec::new();
    for text in fens {
        match fen::parse(text, context.ruleset()) {
            Ok(read) => {
                for note in &read.notes {
                    context.progress.note(&note.to_string());
                }
                games.push(read.game);
            }
            Err(error) => wrong.push(format!("'{text}': {error}")),
        }
    }
    if wrong.is_empty() {
        Ok(games)
    } else {
        Err(Usage::several(wrong).into())
    }
}

/// A value, and the moves that keep its result, best first.
struct Found {
    value: Value,
    best: Vec<Move>,
}

fn probe(tables: &Tables, game: &Game) -> Result<Option<Found>> {
    let position = game.position();
    let over = tables.ruleset().outcome(position);
    if let Some(winner) = over.winner() {
        let value = if winner == position.side_to_move() {
            Value::win(0)
        } else {
            Value::loss(0)
        };
        let best = Vec::new();
        return Ok(Some(Found { value, best }));
    }
    let Some(value) = tables.probe(position)? else {
        return Ok(None);
    };
    let Some(moves) = tables.moves(position)? else {
        return Ok(None);
    };
    let keeps = |(mv, after): (Move, Value)| (after.wdl() == value.wdl()).then_some(mv);
    let best = moves.into_iter().filter_map(keeps).collect();
    Ok(Some(Found { value, best }))
}

impl Found {
    fn print(&self, game: &Game, context: &mut Context) -> Result<()> {
        let (position, ruleset) = (game.position(), game.ruleset());
        let uci: Vec<String> = self.best.iter().map(ToString::to_string).collect();
        let san: Vec<String> = self
            .best
            .iter()
            .map(|&mv| san::write(position, mv, ruleset))
            .collect();
        if context.global.json {
            let mut object = object("tables probe", ruleset);
            extend(
                &mut object,
                json!({
                    "fen": fen::write(game),
                    "result": self.value.wdl().name(),
                    "dtw": self.value.dtw(),
                    "fifty": self.value.fifty().name(),
                    "best": uci,
                    "best_san": san,
                }),
            );
            return context.out.object(object);
        }
        let moves = if san.is_empty() {
            String::new()
        } else {
            format!("; best: {}", san.join(" "))
        };
        context.out.line(&format!(
            "{}: {} for {} to move ({ruleset}){moves}",
            fen::write(game),
            sentence(self.value),
            position.side_to_move(),
        ))
    }
}

/// A value with its unit, and with what the fifty-move rule makes of it.
fn sentence(value: Value) -> String {
    let Some(plies) = value.dtw() else {
        return "draw".to_owned();
    };
    let length = format!(
        "{} in {} ({}) to the end of the game (DTW)",
        value.wdl().name(),
        units::plies(u32::from(plies)),
        units::count(u64::from(plies.div_ceil(2)), "move"),
    );
    if value.is_spoiled() {
        format!("{length}, drawn under the fifty-move rule,")
    } else {
        length
    }
}
