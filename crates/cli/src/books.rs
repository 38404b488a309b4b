//! Books of other solvers.

use std::{io::BufRead, path::Path};

use anyhow::{Context as _, Result};
use interchange::colibri::{self, Book};
use rules::{Move, Position, Ruleset};

use crate::usage::Usage;

/// Reads a Colibri book, and tells of each position in which it knows a winning move.
///
/// # Errors
///
/// The book is damaged, or the ruleset is not one that Colibri plays.
pub(crate) fn read(
    path: &Path,
    file: impl BufRead,
    ruleset: Ruleset,
    mut on_win: impl FnMut(&Position, Move),
) -> Result<Book> {
    if !Ruleset::Joint.serves(ruleset) {
        let message = format!(
            "{} is a Colibri book, which knows no {ruleset}: --rules joint, international or fics",
            path.display()
        );
        return Err(Usage::new(message).into());
    }
    let book = colibri::read(file, ruleset, |node| {
        if let Some(mv) = node.winning {
            on_win(node.position, mv);
        }
    });
    book.with_context(|| format!("{} is no Colibri book, or a damaged one", path.display()))
}
