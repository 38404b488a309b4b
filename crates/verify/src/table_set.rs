//! Table files as a replay asks them, block by block.
//!
//! A position in which the side to move can capture is no cell of a file: its value is worked out from those after each capture,
//! by the moves of the plain board, down to positions that are cells or decided by the rules. None of the values are
//! checked here; the sources of an answer are what a verdict assumes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::board::{Color, Position};
use crate::moves::{Move, legal_moves};
use crate::outcome::{Outcome, outcome_knowing_moves};
use crate::ruleset::Ruleset;
use crate::table_error::TableError;
use crate::table_file::TableFile;
use crate::table_ground::{Best, mirrored};
use crate::table_index::Squares;
use crate::table_material::{MOST_MEN, Material, has_tables};
use crate::table_value::{Code, TableValue};
use crate::tables::{TableAnswer, TableId, Tables};

/// Table files of one ruleset with their hashes, and the blocks of them that were read last.
pub struct TableSet<B> {
    ruleset: Ruleset,
    tables: BTreeMap<Material, (TableId, TableFile<B>)>,
    blocks: Blocks,
    /// The tables that the last answer rests on.
    sources: BTreeSet<Material>,
}

impl<B> fmt::Debug for TableSet<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableSet")
            .field("ruleset", &self.ruleset)
            .field("tables", &self.tables.len())
            .field("cached_bytes", &self.blocks.bytes)
            .finish_non_exhaustive()
    }
}

/// Why there is no value.
enum Fault {
    Missing(String),
    Damaged(String),
}

impl<B: AsRef<[u8]>> TableSet<B> {
    /// No tables yet. At most `cache_bytes` bytes of decompressed blocks are kept, and always the last one.
    ///
    /// # Errors
    ///
    /// [`TableError::NoTables`] if there are none for the ruleset.
    pub fn new(ruleset: Ruleset, cache_bytes: usize) -> Result<Self, TableError> {
        if !has_tables(ruleset) {
            return Err(TableError::NoTables(ruleset));
        }
        Ok(Self {
            ruleset,
            tables: BTreeMap::new(),
            blocks: Blocks::new(cache_bytes),
            sources: BTreeSet::new(),
        })
    }

    /// Adds a table, or puts it in the place of one of the same material. `sha256` is that of the file's bytes, on the caller's word.
    ///
    /// # Errors
    ///
    /// [`TableError::OtherRuleset`] if the table is for another ruleset than the set.
    pub fn add(&mut self, file: TableFile<B>, sha256: [u8; 32]) -> Result<(), TableError> {
        if file.ruleset() != self.ruleset {
            return Err(TableError::OtherRuleset {
                stated: file.ruleset(),
                expected: self.ruleset,
            });
        }
        let name = file.name();
        let material = file.material().clone();
        // Blocks of a table that was replaced must not answer for the new one.
        self.blocks.clear();
        self.tables
            .insert(material, (TableId { name, sha256 }, file));
        Ok(())
    }

    /// The tables of the set, in the order of their names' letters.
    pub fn ids(&self) -> impl Iterator<Item = &TableId> {
        self.tables.values().map(|(id, _)| id)
    }

    /// The value of a position, or why there is none; [`TableAnswer::Won`] and [`TableAnswer::NotWon`] are not used.
    ///
    /// # Errors
    ///
    /// [`TableAnswer::NotCovered`] if the men are not those of a table at hand, [`TableAnswer::Missing`] if a smaller table is
    /// needed that is not, [`TableAnswer::Damaged`] if a block cannot be read.
    pub fn value(&mut self, position: &Position) -> Result<TableValue, TableAnswer> {
        self.sources.clear();
        if position.class() != self.ruleset.move_class() {
            return Err(TableAnswer::NotCovered);
        }
        let covering =
            Placed::of(position).filter(|placed| self.tables.contains_key(&placed.material));
        let covering = covering.ok_or(TableAnswer::NotCovered)?;
        match self.look_up(position) {
            Ok(code) => {
                self.sources.insert(covering.material);
                Ok(code.value())
            }
            Err(Fault::Missing(name)) => Err(TableAnswer::Missing(name)),
            Err(Fault::Damaged(problem)) => Err(TableAnswer::Damaged(problem)),
        }
    }

    /// Recursive over captures, so at most three deep.
    fn look_up(&mut self, position: &Position) -> Result<Code, Fault> {
        let (plies, spoiled) = (0, false);
        let moves = legal_moves(position);
        match outcome_knowing_moves(position, self.ruleset, !moves.is_empty()) {
            Outcome::Won(side) if side == position.side_to_move() => {
                return Ok(Code::of(TableValue::Win { plies, spoiled }));
            }
            Outcome::Won(_) => return Ok(Code::of(TableValue::Loss { plies, spoiled })),
            Outcome::Drawn => return Ok(Code::DRAW),
            Outcome::Ongoing => {}
        }
        // Captures are compulsory: if one move captures, all do.
        if !moves.iter().all(|&mv| is_capture(position, mv)) {
            return self.read(position);
        }
        let mut best = Best::default();
        for mv in moves {
            best.add(self.look_up(&position.play_unchecked(mv))?);
        }
        Ok(best.code().unwrap_or(Code::DRAW))
    }

    /// The value that a file holds.
    fn read(&mut self, position: &Position) -> Result<Code, Fault> {
        let Some(placed) = Placed::of(position) else {
            return Err(Fault::Missing("a table of so many men".to_owned()));
        };
        let Placed {
            material,
            squares,
            side,
        } = placed;
        let name = material.name();
        let Some((_, file)) = self.tables.get(&material) else {
            return Err(Fault::Missing(format!("table {name}")));
        };
        let damaged = |error: TableError| Fault::Damaged(format!("table {name}: {error}"));
        let (number, place) = file.locate(file.index().canonical(squares).index);
        let key = (material, side, number);
        let code = self
            .blocks
            .get(&key, || file.block(side, number))
            .map_err(damaged)?
            .get(place)
            .copied();
        self.sources.insert(key.0);
        code.ok_or_else(|| Fault::Damaged(format!("table {name}: no cell for {}", position.fen())))
    }
}

impl<B: AsRef<[u8]>> Tables for TableSet<B> {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        let mover = position.side_to_move();
        match self.value(position) {
            Ok(TableValue::Draw) => TableAnswer::NotWon,
            Ok(TableValue::Win { plies, .. }) => won(mover, plies),
            Ok(TableValue::Loss { plies, .. }) => won(mover.opponent(), plies),
            Err(answer) => answer,
        }
    }

    fn table(&self, position: &Position) -> Option<&TableId> {
        let placed = Placed::of(position)?;
        self.tables.get(&placed.material).map(|(id, _)| id)
    }

    /// The table that covers the position and those that its captures have led to.
    fn sources(&self, _: &Position) -> Vec<&TableId> {
        let tables = self
            .sources
            .iter()
            .filter_map(|material| self.tables.get(material));
        tables.map(|(id, _)| id).collect()
    }

    fn ruleset(&self) -> Option<Ruleset> {
        Some(self.ruleset)
    }
}

fn won(winner: Color, plies: u16) -> TableAnswer {
    let plies = u32::from(plies);
    TableAnswer::Won { winner, plies }
}

fn is_capture(position: &Position, mv: Move) -> bool {
    // The square of a capture en passant is kept only while the capture is legal, and then nothing else but captures is.
    position.piece_at(mv.destination).is_some() || position.en_passant().is_some()
}

/// Where a table has a position.
struct Placed {
    material: Material,
    squares: Squares,
    side: Color,
}

impl Placed {
    /// `None` if the men are more than a table's, or all on one side.
    fn of(position: &Position) -> Option<Self> {
        let count = position
            .men(Color::White)
            .saturating_add(position.men(Color::Black));
        if usize::from(count) > MOST_MEN {
            return None;
        }
        let (at, men): (Vec<u8>, Vec<_>) = position
            .all_men()
            .map(|(square, man)| (square, (man.color, man.kind)))
            .unzip();
        let (material, mut order) = Material::of(&men);
        if !material.is_a_table() {
            return None;
        }
        let side = position.side_to_move();
        // Colours are exchanged for a second side that is White, and for Black to move where that is White to move as well.
        let (canonical, mut exchanged) = material.canonical();
        exchanged |= canonical.is_symmetric() && side == Color::Black;
        if exchanged {
            order.rotate_left(material.first_men());
        }
        let mut squares = [0; MOST_MEN];
        for (square, number) in squares.iter_mut().zip(order) {
            *square = at.get(number).copied()?;
        }
        Some(Self {
            material: canonical,
            squares: if exchanged {
                mirrored(squares)
            } else {
                squares
            },
            side: if exchanged { side.opponent() } else { side },
        })
    }
}

/// A block of a table: its material, the side to move and its number.
type Key = (Material, Color, usize);

/// The blocks that were read last.
struct Blocks {
    most_bytes: usize,
    bytes: usize,
    clock: u64,
    /// With the time of the last use.
    kept: BTreeMap<Key, (u64, Vec<Code>)>,
}

impl Blocks {
    fn new(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            bytes: 0,
            clock: 0,
            kept: BTreeMap::new(),
        }
    }

    fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }

    /// A block, read if it is not kept.
    fn get(
        &mut self,
        key: &Key,
        read: impl FnOnce() -> Result<Vec<Code>, TableError>,
    ) -> Result<&[Code], TableError> {
        self.clock = self.clock.saturating_add(1);
        if !self.kept.contains_key(key) {
            let block = read()?;
            self.bytes = self.bytes.saturating_add(size_of_val(block.as_slice()));
            self.make_room();
            self.kept.insert(key.clone(), (self.clock, block));
        }
        let clock = self.clock;
        let kept = self.kept.get_mut(key).map(|(used, block)| {
            *used = clock;
            block.as_slice()
        });
        Ok(kept.unwrap_or_default())
    }

    /// Gives up blocks, the one longest unused first, until the count of bytes is in bounds or none is left.
    fn make_room(&mut self) {
        while self.bytes > self.most_bytes {
            let oldest = self.kept.iter().min_by_key(|(_, (used, _))| *used);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            if let Some((_, block)) = self.kept.remove(&key) {
                self.bytes = self.bytes.saturating_sub(size_of_val(block.as_slice()));
            }
        }
    }
}

#[cfg(test)]
#[path = "table_set_tests.rs"]
mod tests;
