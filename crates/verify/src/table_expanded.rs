//! A table in memory with a value for every position, those with a capture included.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::Color;
use crate::geometry::SquareSet;
use crate::ruleset::Ruleset;
use crate::table_check::CheckError;
use crate::table_file::TableFile;
use crate::table_ground::{Ground, mirrored};
use crate::table_index::{Squares, TableIndex};
use crate::table_material::{MOST_MEN, Material};
use crate::table_value::Code;

/// Cells between two looks at the stop flag.
const POLL: usize = 1 << 16;

/// A table in memory, two bytes a cell. Positions in which the side to move can capture have values too, from smaller tables.
///
/// Its values are claims of the file that it comes from: [`check`](crate::check_table) finds out whether they are right,
/// [`expand`](crate::expand_table) does not.
pub struct ExpandedTable {
    ruleset: Ruleset,
    material: Material,
    pub(crate) index: TableIndex,
    is_symmetric: bool,
    /// For White to move, and then for Black, unless both sides have the same men.
    codes: Vec<Vec<Code>>,
}

impl fmt::Debug for ExpandedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandedTable")
            .field("ruleset", &self.ruleset)
            .field("material", &self.material.name())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl ExpandedTable {
    /// The table's ruleset.
    #[must_use]
    pub const fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// The material's name.
    #[must_use]
    pub fn name(&self) -> String {
        self.material.name()
    }

    /// The memory that the table takes, in bytes, but for some hundred kilobytes at most.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let cells = self.codes.iter().map(Vec::capacity);
        cells.sum::<usize>().saturating_mul(size_of::<Code>())
    }

    pub(crate) fn is_of(&self, ruleset: Ruleset, material: &Material) -> bool {
        self.ruleset == ruleset && self.material == *material
    }

    /// The code of a position without a right to capture en passant; [`Code::UNUSED`] if there is none.
    #[inline]
    pub(crate) fn code(&self, squares: Squares, side: Color) -> Code {
        if self.is_symmetric && side == Color::Black {
            let exchanged = self.with_sides_exchanged(squares);
            let index = self.index.canonical(exchanged).index;
            return self.at(Color::White, index);
        }
        self.at(side, self.index.canonical(squares).index)
    }

    /// Where the man in a slot can go, and the code after that move. `side` is to move after it.
    #[inline]
    pub(crate) fn codes_after(
        &self,
        squares: Squares,
        mover: usize,
        side: Color,
        destinations: SquareSet,
    ) -> impl Iterator<Item = Code> {
        let exchanges = self.is_symmetric && side == Color::Black;
        let (placement, slot, side) = if exchanges {
            let first_men = self.material.first_men();
            let slot = match mover.checked_sub(first_men) {
                Some(slot) => slot,
                None => mover.saturating_add(first_men),
            };
            (self.with_sides_exchanged(squares), slot, Color::White)
        } else {
            (squares, mover, side)
        };
        let mut around = self.index.around(placement, slot);
        let mirror = if exchanges { 0o70 } else { 0 };
        destinations
            .into_iter()
            .map(move |to| self.at(side, around.index(to ^ mirror)))
    }

    /// Where the cell of a position of this table lies.
    pub(crate) fn locate(&self, squares: Squares, side: Color) -> (Color, usize) {
        if self.is_symmetric && side == Color::Black {
            let exchanged = self.with_sides_exchanged(squares);
            return (Color::White, self.index.canonical(exchanged).index);
        }
        (side, self.index.canonical(squares).index)
    }

    /// The code of a cell; [`Code::UNUSED`] if there is no such cell.
    #[inline]
    pub(crate) fn at(&self, side: Color, index: usize) -> Code {
        let codes = self.codes.get(usize::from(side == Color::Black));
        let code = codes.and_then(|codes| codes.get(index));
        code.copied().unwrap_or(Code::UNUSED)
    }

    /// The sides to move that have cells.
    pub(crate) fn sides(&self) -> impl Iterator<Item = Color> + use<> {
        let both = [Color::White, Color::Black];
        both.into_iter().take(self.codes.len())
    }

    /// A table that has one code everywhere.
    #[cfg(test)]
    pub(crate) fn filled(ruleset: Ruleset, material: Material, code: Code) -> Self {
        let index = TableIndex::new(&material);
        let sides = if material.is_symmetric() { 1 } else { 2 };
        Self {
            ruleset,
            is_symmetric: material.is_symmetric(),
            codes: vec![vec![code; index.cells()]; sides],
            index,
            material,
        }
    }

    #[cfg(test)]
    pub(crate) fn set(&mut self, side: Color, index: usize, code: Code) {
        let codes = self.codes.get_mut(usize::from(side == Color::Black));
        if let Some(old) = codes.and_then(|codes| codes.get_mut(index)) {
            *old = code;
        }
    }

    /// The placement with the colours exchanged, of a table both of whose sides have the same men.
    fn with_sides_exchanged(&self, squares: Squares) -> Squares {
        let mut exchanged = mirrored(squares);
        if let Some(used) = exchanged.get_mut(..self.material.men()) {
            used.rotate_left(self.material.first_men());
        }
        exchanged
    }
}

/// Reads every block of a table, and works out the positions with a capture from smaller tables, without checking a value.
///
/// `smaller` must hold every table that [`prerequisites`](crate::prerequisites) names; others are ignored. Cost: about 100 ns a
/// cell. Memory: two bytes a cell and one block.
///
/// # Errors
///
/// [`CheckError`] if a block is damaged or a smaller table missing, or if `stop` was set.
pub fn expand<B: AsRef<[u8]>>(
    file: &TableFile<B>,
    smaller: &[Arc<ExpandedTable>],
    stop: &AtomicBool,
) -> Result<ExpandedTable, CheckError> {
    let ground =
        Ground::new(file.ruleset(), file.material(), smaller).map_err(CheckError::MissingTable)?;
    expand_on(file, &ground, stop)
}

pub(crate) fn expand_on<B: AsRef<[u8]>>(
    file: &TableFile<B>,
    ground: &Ground<'_>,
    stop: &AtomicBool,
) -> Result<ExpandedTable, CheckError> {
    let mut codes = Vec::new();
    for side in file.sides() {
        let mut cells = Vec::with_capacity(file.index().cells());
        for number in 0..file.block_count(side) {
            poll(stop, 0)?;
            cells.extend(file.block(side, number).map_err(CheckError::Damaged)?);
        }
        codes.push(cells);
    }
    // The index is computed again rather than shared: it is small beside the cells.
    let mut table = ExpandedTable {
        ruleset: file.ruleset(),
        material: file.material().clone(),
        index: TableIndex::new(file.material()),
        is_symmetric: file.material().is_symmetric(),
        codes,
    };
    for index in 0..table.index.cells() {
        poll(stop, index)?;
        let placement = table.index.placement(index);
        for (side, codes) in [Color::White, Color::Black]
            .into_iter()
            .zip(&mut table.codes)
        {
            let Some(code) = codes.get_mut(index) else {
                continue;
            };
            match placement {
                None => *code = Code::UNUSED,
                Some((squares, _)) => {
                    if let Some(settled) = ground.settle(squares, side, None) {
                        if settled == Code::UNUSED {
                            return Err(CheckError::NoValue(ground.fen(squares, side)));
                        }
                        *code = settled;
                    }
                }
            }
        }
    }
    Ok(table)
}

/// Looks at the stop flag now and then.
#[inline]
pub(crate) fn poll(stop: &AtomicBool, index: usize) -> Result<(), CheckError> {
    if index.is_multiple_of(POLL) && stop.load(Ordering::Relaxed) {
        return Err(CheckError::Interrupted);
    }
    Ok(())
}

const _: () = assert!(MOST_MEN == 4, "a placement is copied freely");
