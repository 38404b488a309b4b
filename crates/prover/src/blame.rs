//! Whose fault it is that a strategy does not hold: a saved search's, or what the search was told.

use proof::ExtractError;
use rules::{Color, Move, Position, Ruleset};

use crate::{
    Archive, Part,
    checkpoint::{Reading, records_of},
};

/// The moves of the attacker in a line that fails, with the keys of their positions.
#[derive(Debug)]
pub(crate) struct FalseLine(Vec<(u64, Move)>);

impl FalseLine {
    /// The line of an error, if it names one.
    pub(crate) fn of<E>(
        error: &ExtractError<E>,
        root: &Position,
        ruleset: Ruleset,
        attacker: Color,
    ) -> Option<Self> {
        let (line, last) = match error {
            ExtractError::Missing { line, .. }
            | ExtractError::Loop { line, .. }
            | ExtractError::NotWon { line, .. } => (line, None),
            ExtractError::Illegal { line, mv, .. } => (line, Some(*mv)),
            _ => return None,
        };
        let mut position = *root;
        let mut moves = Vec::new();
        for &mv in line {
            if position.side_to_move() == attacker {
                moves.push((position.key(), mv));
            }
            position = position.after(mv, ruleset);
        }
        moves.extend(last.map(|mv| (position.key(), mv)));
        Some(Self(moves))
    }

    /// Whether a saved search holds any of it: all that it has proven leans on each other, so that the rest of the line is in it, too. What
    /// cannot be read holds none.
    pub(crate) fn is_in(&self, archive: &dyn Archive, attacker: Color) -> bool {
        let reading = Reading { archive, attacker };
        let mut found = false;
        let read = reading.each(Part::Log, |bytes| {
            for record in records_of(bytes)? {
                found |= self.0.contains(&(record.key, record.entry.mv));
            }
            Ok(())
        });
        found && read.is_ok()
    }
}
