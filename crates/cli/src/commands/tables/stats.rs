//! `takeme tables stats`.

use anyhow::Result;
use rules::Color;
use serde_json::json;
use tablebase::{Counts, Material, Tables, Trust};

use crate::{
    context::{Context, extend, object},
    exit::Exit,
    table_files,
};

/// Counts over all placements, for each table and side to move.
pub(super) fn run(only: &[Material], context: &mut Context) -> Result<Exit> {
    let tables = table_files::open(context, context.ruleset(), Trust::Listed)?;
    let materials = super::selected(&tables, only)?;
    if !context.global.json {
        context
            .out
            .line("table\tstm\twins\tlosses\tdraws\tlongest win\tlongest loss (plies)")?;
    }
    for material in materials {
        for side in Color::ALL {
            let counts = tables.counts(&material, side)?;
            print(&tables, &material, side, &counts, context)?;
        }
    }
    Ok(Exit::Done)
}

fn print(
    tables: &Tables,
    material: &Material,
    side: Color,
    counts: &Counts,
    context: &mut Context,
) -> Result<()> {
    let Counts {
        wins,
        losses,
        draws,
        longest_win,
        longest_loss,
    } = counts;
    let stm = side.letter();
    if !context.global.json {
        return context.out.line(&format!(
            "{material}\t{stm}\t{wins}\t{losses}\t{draws}\t{longest_win}\t{longest_loss}"
        ));
    }
    let mut object = object("tables stats", tables.ruleset());
    extend(
        &mut object,
        json!({
            "table": material.to_string(),
            "stm": stm.to_string(),
            "wins": wins,
            "losses": losses,
            "draws": draws,
            "longest_win": longest_win,
            "longest_loss": longest_loss,
        }),
    );
    context.out.object(object)
}
