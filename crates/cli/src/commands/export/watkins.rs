//! `takeme export --format watkins`.

use std::io;

use anyhow::Result;
use interchange::watkins::{self, WriteError, Written};
use proof::{Claim, EndTables, TableEnd};
use prover::Endgames;
use rules::{Game, Move, fen, legal_moves, line};
use store::Basis;

use super::{Sink, Source};
use crate::{
    format::OutsideFormat, leaned_on::NoTableFor, lookup::is_for_a_table, progress::Progress,
    table_files::DamagedTable, units,
};

/// Memory: about 36 bytes for each position of either side.
pub(super) fn write(source: &Source<'_>, sink: &mut Sink<'_>, progress: &Progress) -> Result<u64> {
    let question = source.question;
    if !question.is_from_start() {
        let problem = "a Watkins file begins at the initial position: name the position by its moves, without --fen";
        return Err(OutsideFormat(problem.to_owned()).into());
    }
    let Claim {
        ruleset, winner, ..
    } = source.settled.claim;
    let tables = tables(source);
    let first = source.settled.first();
    let (claim, opening) = beginning(source, first, tables)?;
    let stored = source.store.strategy(ruleset, winner, source.settled.basis);
    let mut strategy = source.settled.strategy(stored);
    let mut out = Bytes {
        sink,
        failure: None,
    };
    let result = watkins::write(&claim, &opening, &mut strategy, &tables, &mut out);
    if let Some(failure) = out.failure {
        return Err(failure);
    }
    let written = result.map_err(|error| told(error, source))?;
    note(&written, &claim, &opening, progress);
    Ok(written.positions)
}

fn tables<'a>(source: &Source<'a>) -> Option<&'a Endgames> {
    (source.settled.basis == Basis::Tables).then_some(source.endgames)
}

/// Where the tree begins: behind the winner's move if it is the winner's turn, as in the author's files. A proof of the initial position
/// begins there, and so does one that ends with that move.
fn beginning(
    source: &Source<'_>,
    first: Option<Move>,
    tables: Option<&Endgames>,
) -> Result<(Claim, Vec<Move>)> {
    let claim = source.settled.claim;
    let Claim {
        ruleset,
        root,
        winner,
    } = claim;
    let is_end = |position| -> Result<bool> {
        let end = tables.end(position, winner).map_err(DamagedTable)?;
        Ok(legal_moves(position, ruleset).is_empty() || end != TableEnd::NotCovered)
    };
    if is_end(&root)? {
        let problem = "no move is left to write: the game is over there, or a table knows the rest";
        return Err(OutsideFormat(problem.to_owned()).into());
    }
    let mut opening = source.question.moves.clone();
    if let Some(mv) = first
        && !opening.is_empty()
    {
        let after = root.after(mv, ruleset);
        if !is_end(&after)? {
            opening.push(mv);
            return Ok((
                Claim {
                    root: after,
                    ..claim
                },
                opening,
            ));
        }
    }
    Ok((claim, opening))
}

/// The failure to write a tree as the program tells it.
fn told(error: WriteError<store::Error>, source: &Source<'_>) -> anyhow::Error {
    let damaged = |what: String| store::Error::Damaged {
        path: source.store.path().to_owned(),
        what: format!("the stored strategy is no proof: {what}"),
    };
    match error {
        WriteError::Strategy(error) => error.into(),
        WriteError::Tables(problem) => DamagedTable(problem).into(),
        WriteError::Io(error) => error.into(),
        WriteError::NoMove { position, .. } if is_for_a_table(source.settled.basis, &position) => {
            NoTableFor(fen::write_position(&position)).into()
        }
        error @ (WriteError::NoMove { .. } | WriteError::NoProof { .. }) => {
            damaged(error.to_string()).into()
        }
        error => OutsideFormat(error.to_string()).into(),
    }
}

/// What the file does not say, and where it begins.
fn note(written: &Written, claim: &Claim, opening: &[Move], progress: &Progress) {
    let records = units::count(u64::from(written.records), "record");
    let pointers = units::count(u64::from(written.transpositions), "transposition");
    let start = Game::initial(claim.ruleset);
    let begins = match opening {
        [] => "at the start of the game".to_owned(),
        moves => format!(
            "after {}",
            line::write_san(start.position(), start.full_move(), moves, claim.ruleset)
        ),
    };
    progress.note(&format!(
        "the tree begins {begins}: {records}, {pointers} among them; the format names neither the rules ({}) nor the winner ({})",
        claim.ruleset, claim.winner
    ));
}

/// The sink as a place for bytes, which keeps why it failed.
struct Bytes<'a, 'b> {
    sink: &'a mut Sink<'b>,
    failure: Option<anyhow::Error>,
}

impl io::Write for Bytes<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.sink.bytes(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                self.failure = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
