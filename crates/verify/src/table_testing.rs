//! Tables for tests: a writer of the format that can lie, an oracle that solves all positions of two men by the plain board,
//! and a maker of tables of more men.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use crate::board::{Color, Kind, Man, Position};
use crate::crc::crc64_xz;
use crate::moves::legal_moves;
use crate::outcome::{Outcome, outcome};
use crate::ruleset::Ruleset;
use crate::table_check::{CheckError, check};
use crate::table_expanded::{ExpandedTable, expand};
use crate::table_file::{Counts, TableFile};
use crate::table_ground::Ground;
use crate::table_index::{Squares, TableIndex};
use crate::table_material::{Material, prerequisites};
use crate::table_value::{Code, TableValue};

pub(crate) static GO: AtomicBool = AtomicBool::new(false);

/// A "frame" is its content.
#[expect(clippy::unnecessary_wraps, reason = "as the type asks for")]
pub(crate) fn stored(frame: &[u8], _: usize) -> Result<Vec<u8>, String> {
    Ok(frame.to_vec())
}

/// What a table file says, right or wrong.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) version: u16,
    pub(crate) ruleset: u8,
    pub(crate) metric: u8,
    pub(crate) name: [u8; 8],
    pub(crate) sides: u8,
    pub(crate) width: u8,
    pub(crate) symbol_count: u16,
    pub(crate) cells: u64,
    pub(crate) block: u32,
    pub(crate) counts: Vec<Counts>,
    /// Kind and plies.
    pub(crate) dictionary: Vec<(u8, u16)>,
    /// For each side the symbols of its cells.
    pub(crate) symbols: Vec<Vec<u16>>,
}

impl Draft {
    /// A table whose positions have these values; cells without one hold the first symbol. A draw is always in the dictionary.
    pub(crate) fn new(
        name: &str,
        ruleset: Ruleset,
        value: &dyn Fn(Squares, Color) -> TableValue,
        is_stored: &dyn Fn(Squares, Color) -> bool,
    ) -> Self {
        let material = Material::from_name(name).unwrap();
        let index = TableIndex::new(&material);
        let sides = if material.is_symmetric() { 1 } else { 2 };
        let mut dictionary = vec![(0, 0)];
        let mut counts = vec![Counts::default(); sides];
        let mut symbols = vec![vec![0; index.cells()]; sides];
        for (number, side) in [Color::White, Color::Black]
            .into_iter()
            .take(sides)
            .enumerate()
        {
            for (cell, symbol) in symbols[number].iter_mut().enumerate() {
                let Some((squares, canonical)) = index.placement(cell) else {
                    continue;
                };
                let value = value(squares, side);
                let weight = index.symmetries() / canonical.symmetries;
                count(&mut counts[number], value, weight);
                if is_stored(squares, side) {
                    let entry = entry(value);
                    let place = dictionary.iter().position(|&other| other == entry);
                    let place = place.unwrap_or_else(|| {
                        dictionary.push(entry);
                        dictionary.len() - 1
                    });
                    *symbol = u16::try_from(place).unwrap();
                }
            }
        }
        let mut padded = [0; 8];
        padded[..name.len()].copy_from_slice(name.as_bytes());
        Self {
            version: 1,
            ruleset: ruleset.code(),
            metric: 1,
            name: padded,
            sides: u8::try_from(sides).unwrap(),
            width: 1,
            symbol_count: u16::try_from(dictionary.len()).unwrap(),
            cells: u64::try_from(index.cells()).unwrap(),
            block: 1000,
            counts,
            dictionary,
            symbols,
        }
    }

    /// Changes the value of the position of a cell, its dictionary entry being added.
    pub(crate) fn set(&mut self, side: Color, cell: usize, entry: (u8, u16)) {
        let place = self.dictionary.iter().position(|&other| other == entry);
        let place = place.unwrap_or_else(|| {
            self.dictionary.push(entry);
            self.symbol_count += 1;
            self.dictionary.len() - 1
        });
        self.symbols[usize::from(side == Color::Black)][cell] = u16::try_from(place).unwrap();
    }

    pub(crate) fn entry(&self, side: Color, cell: usize) -> (u8, u16) {
        let symbol = self.symbols[usize::from(side == Color::Black)][cell];
        self.dictionary[usize::from(symbol)]
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut header = b"\x89TKMTBL\n".to_vec();
        header.extend(self.version.to_le_bytes());
        header.extend([self.ruleset, self.metric]);
        header.extend(self.name);
        header.extend([self.sides, self.width]);
        header.extend(self.symbol_count.to_le_bytes());
        header.extend(self.cells.to_le_bytes());
        header.extend(self.block.to_le_bytes());
        for counts in &self.counts {
            header.extend(counts.wins.to_le_bytes());
            header.extend(counts.losses.to_le_bytes());
            header.extend(counts.draws.to_le_bytes());
            header.extend(counts.longest_win.to_le_bytes());
            header.extend(counts.longest_loss.to_le_bytes());
        }
        for &(kind, plies) in &self.dictionary {
            header.push(kind);
            header.extend(plies.to_le_bytes());
        }
        let mut blocks = Vec::new();
        for side in &self.symbols {
            for cells in side.chunks(usize::try_from(self.block.max(1)).unwrap()) {
                let width = usize::from(self.width.clamp(1, 2));
                let content: Vec<u8> = cells
                    .iter()
                    .flat_map(|symbol| symbol.to_le_bytes().into_iter().take(width))
                    .collect();
                header.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
                header.extend(crc64_xz(&content).to_le_bytes());
                blocks.extend(content);
            }
        }
        let checksum = crc64_xz(&header);
        header.extend(checksum.to_le_bytes());
        header.extend(blocks);
        header
    }

    pub(crate) fn name(&self) -> String {
        let name = String::from_utf8(self.name.to_vec()).unwrap();
        name.trim_end_matches('\0').to_owned()
    }

    pub(crate) fn file(&self) -> TableFile<Vec<u8>> {
        let ruleset = Ruleset::from_code(self.ruleset).unwrap();
        TableFile::read(self.bytes(), ruleset, &self.name(), stored).unwrap()
    }

    pub(crate) fn check(
        &self,
        smaller: &[Arc<ExpandedTable>],
    ) -> Result<ExpandedTable, CheckError> {
        check(&self.file(), smaller, &GO)
    }
}

fn entry(value: TableValue) -> (u8, u16) {
    match value {
        TableValue::Draw => (0, 0),
        TableValue::Win { plies, spoiled } => (if spoiled { 3 } else { 1 }, plies),
        TableValue::Loss { plies, spoiled } => (if spoiled { 4 } else { 2 }, plies),
    }
}

pub(crate) fn count(counts: &mut Counts, value: TableValue, weight: u64) {
    match value {
        TableValue::Draw => counts.draws += weight,
        TableValue::Win { plies, .. } => {
            counts.wins += weight;
            counts.longest_win = counts.longest_win.max(plies);
        }
        TableValue::Loss { plies, .. } => {
            counts.losses += weight;
            counts.longest_loss = counts.longest_loss.max(plies);
        }
    }
}

/// The position of a placement, on the plain board.
pub(crate) fn position(
    slots: &[(Color, Kind)],
    squares: Squares,
    side: Color,
    ruleset: Ruleset,
) -> Position {
    let mut position = Position::empty(ruleset.move_class());
    position.set_side_to_move(side);
    for (&(color, kind), square) in slots.iter().zip(squares) {
        position.put(square, Man { color, kind }, &mut |_, _| ());
    }
    position
}

/// Whether the side to move can capture.
pub(crate) fn can_capture(position: &Position) -> bool {
    legal_moves(position).first().is_some_and(|mv| {
        position.piece_at(mv.destination).is_some()
            || position.en_passant() == Some(mv.destination)
                && position.piece_at(mv.origin).unwrap().1 == Kind::Pawn
    })
}

/// All positions of two men under a ruleset, solved by the plain board.
pub(crate) struct Oracle {
    numbers: HashMap<Position, usize>,
    values: Vec<TableValue>,
    /// With whether the move is a capture or a pawn move.
    successors: Vec<Vec<(usize, bool)>>,
    positions: Vec<Position>,
}

impl Oracle {
    pub(crate) fn of(ruleset: Ruleset) -> &'static Self {
        static ALL: [OnceLock<Oracle>; 4] = [const { OnceLock::new() }; 4];
        ALL[usize::from(ruleset.code())].get_or_init(|| {
            let pairs = Kind::ALL.into_iter().flat_map(|white| {
                Kind::ALL.map(|black| vec![(Color::White, white), (Color::Black, black)])
            });
            Self::solve(ruleset, pairs.collect())
        })
    }

    pub(crate) fn value(&self, position: &Position) -> TableValue {
        self.values[self.numbers[position]]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&Position, TableValue)> {
        self.positions.iter().zip(self.values.iter().copied())
    }

    /// Solves all positions with one of these sets of men; play must not lead to others.
    pub(crate) fn solve(ruleset: Ruleset, sets: Vec<Vec<(Color, Kind)>>) -> Self {
        let mut oracle = Self {
            numbers: HashMap::new(),
            values: Vec::new(),
            successors: Vec::new(),
            positions: Vec::new(),
        };
        for slots in sets {
            let squares = 64_usize.pow(u32::try_from(slots.len()).unwrap());
            for number in 0..squares {
                let at = |slot: u32| u8::try_from(number / 64_usize.pow(slot) % 64).unwrap();
                let placed = [at(0), at(1), at(2), at(3)];
                let mut sorted = placed[..slots.len()].to_vec();
                sorted.sort_unstable();
                sorted.dedup();
                let mut men = slots.iter().zip(placed);
                if sorted.len() == slots.len()
                    && men.all(|(man, square)| man.1 != Kind::Pawn || (8..56).contains(&square))
                {
                    for side in [Color::White, Color::Black] {
                        oracle.number(position(&slots, placed, side, ruleset));
                    }
                }
            }
        }
        let mut known: Vec<Option<TableValue>> = Vec::new();
        let mut number = 0;
        while let Some(position) = oracle.positions.get(number).copied() {
            known.push(match outcome(&position, ruleset) {
                Outcome::Ongoing => None,
                Outcome::Drawn => Some(TableValue::Draw),
                Outcome::Won(side) if side == position.side_to_move() => Some(win(0)),
                Outcome::Won(_) => Some(loss(0)),
            });
            let moves = legal_moves(&position);
            let after = moves.iter().map(|&mv| {
                let zeroes = position.piece_at(mv.destination).is_some()
                    || position.piece_at(mv.origin).unwrap().1 == Kind::Pawn;
                (oracle.number(position.play_unchecked(mv)), zeroes)
            });
            let after = after.collect();
            oracle.successors.push(after);
            number += 1;
        }
        for plies in 1.. {
            let mut found = Vec::new();
            for (number, successors) in oracle.successors.iter().enumerate() {
                if known[number].is_some() {
                    continue;
                }
                let mut after = successors.iter().map(|&(after, _)| known[after]);
                if after.clone().any(|value| value == Some(loss(plies - 1))) {
                    found.push((number, win(plies)));
                } else if after.all(|value| matches!(value, Some(TableValue::Win { .. }))) {
                    found.push((number, loss(plies)));
                }
            }
            if found.is_empty() {
                break;
            }
            for (number, value) in found {
                known[number] = Some(value);
            }
        }
        let values = known.into_iter();
        oracle.values = values
            .map(|value| value.unwrap_or(TableValue::Draw))
            .collect();
        oracle
    }

    /// The same values, wins and losses marked that are draws where so many plies without a capture or a pawn move make one:
    /// for every state of the clock from the last, who has won by force, and again with what is known for a clock at 0.
    pub(crate) fn with_marks(&self, limit: usize) -> Self {
        let is_over = |number: usize| self.successors[number].is_empty();
        let winner_is_mover = |number: usize| match self.values[number] {
            TableValue::Draw => None,
            TableValue::Win { .. } => Some(true),
            TableValue::Loss { .. } => Some(false),
        };
        let mut kept: Vec<bool> = (0..self.values.len()).map(is_over).collect();
        loop {
            // At the limit only what is over is not drawn.
            let mut later: Vec<bool> = (0..self.values.len()).map(is_over).collect();
            for _ in 0..limit {
                let won = (0..self.values.len()).map(|number| {
                    let after = |&(after, zeroes): &(usize, bool)| {
                        let same_winner = winner_is_mover(after) != winner_is_mover(number);
                        let decided = winner_is_mover(after).is_some() && same_winner;
                        decided && if zeroes { kept[after] } else { later[after] }
                    };
                    let mut successors = self.successors[number].iter();
                    match winner_is_mover(number) {
                        None => false,
                        Some(_) if is_over(number) => true,
                        Some(true) => successors.any(after),
                        Some(false) => successors.all(after),
                    }
                });
                later = won.collect();
            }
            if later == kept {
                break;
            }
            kept = later;
        }
        let values = self.values.iter().zip(kept);
        let values = values.map(|(&value, kept)| match value {
            TableValue::Draw => value,
            TableValue::Win { plies, .. } => TableValue::Win {
                plies,
                spoiled: !kept,
            },
            TableValue::Loss { plies, .. } => TableValue::Loss {
                plies,
                spoiled: !kept,
            },
        });
        Self {
            values: values.collect(),
            numbers: self.numbers.clone(),
            successors: Vec::new(),
            positions: Vec::new(),
        }
    }

    fn number(&mut self, position: Position) -> usize {
        let next = self.positions.len();
        *self.numbers.entry(position).or_insert_with(|| {
            self.positions.push(position);
            next
        })
    }
}

pub(crate) const fn win(plies: u16) -> TableValue {
    let spoiled = false;
    TableValue::Win { plies, spoiled }
}

pub(crate) const fn loss(plies: u16) -> TableValue {
    let spoiled = false;
    TableValue::Loss { plies, spoiled }
}

/// The right table of two men.
pub(crate) fn two_men(name: &str, ruleset: Ruleset) -> Draft {
    from_oracle(name, ruleset, Oracle::of(ruleset))
}

/// The table that an oracle gives.
pub(crate) fn from_oracle(name: &str, ruleset: Ruleset, oracle: &Oracle) -> Draft {
    let slots = Material::from_name(name).unwrap().slots();
    let at = |squares, side| position(&slots, squares, side, ruleset);
    Draft::new(
        name,
        ruleset,
        &|squares, side| oracle.value(&at(squares, side)),
        &|squares, side| !can_capture(&at(squares, side)),
    )
}

/// Tables by name, with those that they rest on.
#[derive(Clone, Default)]
pub(crate) struct Shelf {
    pub(crate) drafts: BTreeMap<String, Draft>,
    pub(crate) tables: Vec<Arc<ExpandedTable>>,
}

impl Shelf {
    /// All tables of two men.
    pub(crate) fn pairs(ruleset: Ruleset) -> Self {
        static ALL: [OnceLock<Shelf>; 4] = [const { OnceLock::new() }; 4];
        let made = ALL[usize::from(ruleset.code())].get_or_init(|| {
            let mut shelf = Self::default();
            let letters = ['K', 'Q', 'R', 'B', 'N', 'P'];
            for (place, first) in letters.into_iter().enumerate() {
                for second in letters.into_iter().skip(place) {
                    shelf.make(&format!("{first}v{second}"), ruleset);
                }
            }
            shelf
        });
        made.clone()
    }

    /// Makes a table and those that it rests on, and checks each.
    pub(crate) fn make(&mut self, name: &str, ruleset: Ruleset) {
        if self.drafts.contains_key(name) {
            return;
        }
        for smaller in prerequisites(name, ruleset).unwrap() {
            self.make(&smaller, ruleset);
        }
        let draft = if name.len() == 3 {
            two_men(name, ruleset)
        } else {
            make_by_iteration(name, ruleset, &self.tables)
        };
        let checked = draft.check(&self.tables);
        let checked = checked.unwrap_or_else(|error| panic!("{name}: {error}"));
        self.tables.push(Arc::new(checked));
        self.drafts.insert(name.to_owned(), draft);
    }
}

/// Raises values from draws until each is what its successors give.
fn make_by_iteration(name: &str, ruleset: Ruleset, smaller: &[Arc<ExpandedTable>]) -> Draft {
    let draws = Draft::new(name, ruleset, &|_, _| TableValue::Draw, &|_, _| true);
    let mut table = expand(&draws.file(), smaller, &GO).unwrap();
    let material = Material::from_name(name).unwrap();
    let ground = Ground::new(ruleset, &material, smaller).unwrap();
    let mut changed = true;
    while changed {
        changed = false;
        for cell in 0..table.index.cells() {
            let Some((squares, _)) = table.index.placement(cell) else {
                continue;
            };
            for side in table.sides() {
                let old = table.at(side, cell);
                if old.is_settled() {
                    continue;
                }
                let least = ground.least_after(squares, side, &table);
                let right = least.map_or_else(|| ground.without_moves(side), Code::before);
                if right != old {
                    table.set(side, cell, right);
                    changed = true;
                }
            }
        }
    }
    Draft::new(
        name,
        ruleset,
        &|squares, side| table.code(squares, side).value(),
        &|squares, side| !table.code(squares, side).is_settled(),
    )
}

/// The value that a position's successors give, played on the plain board and looked up in tables where nothing is to be captured.
pub(crate) fn look_ahead(
    position: &Position,
    ruleset: Ruleset,
    tables: &[Arc<ExpandedTable>],
) -> TableValue {
    let moves = legal_moves(position);
    match outcome(position, ruleset) {
        Outcome::Drawn => return TableValue::Draw,
        Outcome::Won(side) if side == position.side_to_move() => return win(0),
        Outcome::Won(_) => return loss(0),
        Outcome::Ongoing => {}
    }
    let after = moves.iter().map(|&mv| {
        let after = position.play_unchecked(mv);
        let is_over = outcome(&after, ruleset) != Outcome::Ongoing;
        if is_over || can_capture(&after) {
            look_ahead(&after, ruleset, tables)
        } else {
            look_up(&after, ruleset, tables)
        }
    });
    let after: Vec<TableValue> = after.collect();
    let losses = after.iter().filter_map(|value| match value {
        TableValue::Loss { plies, .. } => Some(*plies),
        _ => None,
    });
    let wins = after.iter().map(|value| match value {
        TableValue::Win { plies, .. } => Some(*plies),
        _ => None,
    });
    if let Some(least) = losses.min() {
        return win(least + 1);
    }
    let longest = wins.collect::<Option<Vec<_>>>();
    longest.map_or(TableValue::Draw, |wins| {
        loss(wins.into_iter().max().unwrap() + 1)
    })
}

fn look_up(position: &Position, ruleset: Ruleset, tables: &[Arc<ExpandedTable>]) -> TableValue {
    let placed: Vec<_> = position.all_men().collect();
    let men: Vec<_> = placed
        .iter()
        .map(|(_, man)| (man.color, man.kind))
        .collect();
    let (material, order) = Material::of(&men);
    let (canonical, exchanged) = material.canonical();
    let mut squares: Vec<u8> = order.iter().map(|&number| placed[number].0).collect();
    let mut side = position.side_to_move();
    if exchanged {
        squares.rotate_left(material.first_men());
        for square in &mut squares {
            *square ^= 0o70;
        }
        side = side.opponent();
    }
    squares.resize(4, 0);
    let table = tables
        .iter()
        .find(|table| table.is_of(ruleset, &canonical))
        .unwrap();
    table
        .code([squares[0], squares[1], squares[2], squares[3]], side)
        .value()
}

/// Whether a move leads to a position in which two pawns can capture en passant.
pub(crate) fn has_double_en_passant(position: &Position) -> bool {
    let after = legal_moves(position);
    let mut after = after.iter().map(|&mv| position.play_unchecked(mv));
    after.any(|position| {
        let Some(square) = position.en_passant() else {
            return false;
        };
        let captures = legal_moves(&position);
        captures
            .iter()
            .filter(|mv| mv.destination == square)
            .count()
            > 1
    })
}
