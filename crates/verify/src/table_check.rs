//! The check of a table: every value against those of its successors.
//!
//! A table is right if, for each of its positions, the value is what the rules or the successors' values give: a position that
//! the rules decide has 0 plies; a win has one ply more than the shortest loss that a move leads to; a loss has one more than the
//! longest of the wins that all moves lead to; anything else is a draw. That is enough. By induction over the
//! number of plies every win and loss is a true one and of true length, because each rests on ones that are shorter; and
//! in a position given as a draw neither side can do better, because no move leads to a loss of the other side, nor needs it do
//! worse, because one leads to a draw. The values of smaller tables are taken from tables checked before.
//!
//! A dead position is a draw by the same reasoning, and needs no rule of its own.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::Color;
use crate::table_error::TableError;
use crate::table_expanded::{ExpandedTable, expand_on, poll};
use crate::table_fifty::{self, FIFTY_MOVES};
use crate::table_file::{Counts, TableFile};
use crate::table_ground::Ground;
use crate::table_index::Squares;
use crate::table_value::{Code, TableValue};

/// A value in a table that is not right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defect {
    /// The position, with the colours that it has in the table.
    pub fen: String,
    /// What the table says.
    pub stated: TableValue,
    /// What the position's successors give, as the tables have them; for a wrong length or result without regard to the
    /// fifty-move rule.
    pub right: TableValue,
}

/// Why a table is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// A block of the file is damaged.
    Damaged(TableError),
    /// A table that this one rests on, by name, was not given.
    MissingTable(String),
    /// Values are wrong.
    Wrong {
        /// The first in the order of the table's index.
        first: Defect,
        /// How many there are. Values judged by a wrong one are counted too.
        defects: u64,
    },
    /// The header counts other values than the table has.
    Counts {
        /// The side to move.
        side: Color,
        /// What the header says.
        stated: Counts,
        /// What the table has.
        found: Counts,
    },
    /// The tables given have no value for a successor of this position: they are not what they should be.
    NoValue(String),
    /// The stop flag was set.
    Interrupted,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(error) => error.fmt(f),
            Self::MissingTable(name) => write!(f, "table {name} is needed and not at hand"),
            Self::Wrong {
                first: Defect { fen, stated, right },
                defects,
            } => {
                let count = if *defects == 1 {
                    "the only wrong value".to_owned()
                } else {
                    format!("first of {defects} wrong values")
                };
                write!(f, "{fen} is stated as {stated}, but is {right} ({count})")
            }
            Self::Counts {
                side,
                stated,
                found,
            } => write!(
                f,
                "the header counts {stated} for {side} to move, but there are {found}"
            ),
            Self::NoValue(fen) => write!(f, "no value is known for a successor of {fen}"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl Error for CheckError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Damaged(error) => Some(error),
            _ => None,
        }
    }
}

/// Checks every value, mark of the fifty-move rule and count of a table, and gives it back expanded.
///
/// `smaller` must hold every table that [`prerequisites`](crate::prerequisites) names, each of which must have been checked;
/// others are ignored. Single-threaded; memory: two bytes a cell and one block, and a byte more a cell if the table has
/// values of more than a hundred plies. `stop` interrupts the check when it is set.
///
/// # Errors
///
/// [`CheckError`] if the table is not right, or could not be checked.
pub fn check<B: AsRef<[u8]>>(
    file: &TableFile<B>,
    smaller: &[Arc<ExpandedTable>],
    stop: &AtomicBool,
) -> Result<ExpandedTable, CheckError> {
    let ground =
        Ground::new(file.ruleset(), file.material(), smaller).map_err(CheckError::MissingTable)?;
    let table = expand_on(file, &ground, stop)?;
    let mut defects = Defects::default();
    let mut found = [Counts::default(); 2];
    let mut needs_marks = false;
    for index in 0..table.index.cells() {
        poll(stop, index)?;
        let Some((squares, canonical)) = table.index.placement(index) else {
            continue;
        };
        let orbit = table.index.symmetries().checked_div(canonical.symmetries);
        for (side, counts) in table.sides().zip(&mut found) {
            let code = table.at(side, index);
            tally(counts, code, orbit.unwrap_or_default());
            if code.is_settled() {
                continue;
            }
            needs_marks |= code.is_spoiled() || table_fifty::may_be_spoiled(code);
            let right = match ground.least_after(squares, side, &table) {
                Some(least) => least.before(),
                None => ground.without_moves(side),
            };
            if right != code.unmarked() {
                defects.add(&ground, squares, side, code, right);
            }
        }
    }
    defects.judge()?;
    if needs_marks {
        table_fifty::check(&table, &ground, FIFTY_MOVES, stop)?.judge()?;
    }
    for ((side, &stated), found) in table.sides().zip(file.counts()).zip(found) {
        if stated != found {
            return Err(CheckError::Counts {
                side,
                stated,
                found,
            });
        }
    }
    Ok(table)
}

/// Counts the placements of an orbit.
fn tally(counts: &mut Counts, code: Code, orbit: u64) {
    let (count, longest) = match code.value() {
        TableValue::Draw => (&mut counts.draws, None),
        TableValue::Win { .. } => (&mut counts.wins, Some(&mut counts.longest_win)),
        TableValue::Loss { .. } => (&mut counts.losses, Some(&mut counts.longest_loss)),
    };
    *count = count.saturating_add(orbit);
    if let Some(longest) = longest {
        *longest = code.plies().max(*longest);
    }
}

/// Wrong values found so far.
#[derive(Default)]
pub(crate) struct Defects {
    first: Option<Defect>,
    count: u64,
}

impl Defects {
    pub(crate) fn add(
        &mut self,
        ground: &Ground<'_>,
        squares: Squares,
        side: Color,
        stated: Code,
        right: Code,
    ) {
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert_with(|| Defect {
            fen: ground.fen(squares, side),
            stated: stated.value(),
            right: right.value(),
        });
    }

    pub(crate) fn judge(self) -> Result<(), CheckError> {
        match self.first {
            None => Ok(()),
            Some(first) => Err(CheckError::Wrong {
                first,
                defects: self.count,
            }),
        }
    }
}

#[cfg(test)]
#[path = "table_check_tests.rs"]
mod tests;
