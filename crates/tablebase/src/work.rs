//! Retrograde analysis of one table.
//!
//! Positions in which the side to move can capture are settled first, from smaller tables; so are those without a move.
//! The others, the *quiet* ones, have only moves inside the table, besides promotions and double steps past an enemy
//! pawn. Then, for n = 0, 1, 2, …: each position that is lost in n makes every quiet position before it a win in n + 1
//! at most; each that is won in n takes a move away from every quiet position before it, and one with no move left is lost.
//! What is never reached is drawn. (Thompson 1986; the counters of moves are the classical way.)
//!
//! **Symmetry.** A cell stands for all images of its placement. Where a placement has fewer images than there are
//! symmetries (its *stabilizer* is greater than 1), moves between two cells do not pair up with unmoves: a placement *p* has
//! (unmoves from *c* to images of *p*) · stab(*p*) / stab(*c*) moves to images of *c*. Counters count eighths.
//!
//! **Fifty moves.** The same analysis gives the plies to the next capture or pawn move, if those that lead out of the table
//! are replaced by a win or loss in one ply where the position after the move holds under the fifty-move rule.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rules::{Color, Role, Square};

use crate::{
    catalog::{Catalog, MaterialId, Shape},
    layout::Squares,
    resolve::{Board, Cells, Resolver, behind, index_of},
    value::{Best, FIFTY_PLIES, MAX_PLIES, Value, Wdl},
};

/// The side to move has quiet moves and is not settled; the other bits count them, in eighths.
const OPEN: u16 = 1 << 15;
/// The side to move can capture; the value is final from the start.
const CLOSED: u16 = 1 << 14;
/// The cell is not in use, for no side to move.
const UNUSED: u16 = OPEN | CLOSED;
const EIGHTHS: u32 = 8;
/// Cells for which one bit says whether any of them has a certain length.
const STRETCH_BITS: u32 = 12;

/// Somebody asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// The cells of one table, for White and for Black to move.
#[derive(Debug)]
pub(crate) struct Dense {
    cells: [Vec<u16>; 2],
    /// Whether positions in which the side to move can capture have their value, too.
    is_complete: bool,
}

/// What a table adds up to for one side to move, over all placements without an en-passant right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions won for the side to move.
    pub wins: u64,
    /// Positions lost.
    pub losses: u64,
    /// Positions drawn.
    pub draws: u64,
    /// Plies of the longest win; 0 if there is none.
    pub longest_win: u16,
    /// Plies of the longest loss; 0 if there is none.
    pub longest_loss: u16,
}

impl Dense {
    /// A table as its file keeps it.
    pub(crate) fn quiet(cells: [Vec<u16>; 2]) -> Self {
        Self {
            cells,
            is_complete: false,
        }
    }

    /// Whether positions in which the side to move can capture have their value, too.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The value of a cell in use.
    #[inline]
    pub(crate) fn value(&self, side: Color, index: u32) -> Value {
        Value::from_bits(self.cells[side.index()][index as usize] & !CLOSED)
    }

    /// The value of a cell that a file keeps: one in use whose side to move cannot capture.
    #[inline]
    pub(crate) fn kept(&self, side: Color, index: u32) -> Option<Value> {
        let cell = self.cells[side.index()][index as usize];
        (cell & CLOSED == 0).then(|| Value::from_bits(cell))
    }

    /// The number of cells for one side to move.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.cells[0].len()).expect("at most 20 million")
    }

    /// Bytes that the cells take.
    pub(crate) fn bytes(&self) -> usize {
        2 * size_of_val(&self.cells[0][..])
    }

    /// The counts for one side to move.
    pub(crate) fn counts(&self, shape: &Shape, side: Color) -> Counts {
        let mut counts = Counts::default();
        let layout = &shape.layout;
        for (index, &cell) in (0..).zip(&self.cells[side.index()]) {
            if cell == UNUSED {
                continue;
            }
            let images = if layout.has_one_symmetry(index) {
                layout.symmetries
            } else {
                layout.symmetries / layout.place(layout.squares(index)).stabilizer
            };
            let value = Value::from_bits(cell & !CLOSED);
            let plies = value.dtw().unwrap_or(0);
            let count = match value.wdl() {
                Wdl::Win => {
                    counts.longest_win = counts.longest_win.max(plies);
                    &mut counts.wins
                }
                Wdl::Loss => {
                    counts.longest_loss = counts.longest_loss.max(plies);
                    &mut counts.losses
                }
                Wdl::Draw => &mut counts.draws,
            };
            *count += u64::from(images);
        }
        counts
    }

    /// The values of a table whose quiet cells are known: those of the others follow from smaller tables.
    pub(crate) fn complete<C: Cells>(
        resolver: &Resolver<'_, C>,
        id: MaterialId,
        mut quiet: impl FnMut(Color, u32) -> Value,
    ) -> Result<Self, C::Error> {
        let shape = resolver.catalog.shape(id);
        let layout = &shape.layout;
        let mut cells = [(); 2].map(|()| vec![UNUSED; layout.cells as usize]);
        for index in 0..layout.cells {
            let squares = layout.squares(index);
            let board = Board::new(shape, squares);
            if board.overlaps() || layout.stabilizer(index, squares).is_none() {
                continue;
            }
            for side in Color::ALL {
                cells[side.index()][index as usize] =
                    match resolver.best_capture(&board, side, None)? {
                        Some(value) => value.bits() | CLOSED,
                        None => quiet(side, index).bits(),
                    };
            }
        }
        Ok(Self {
            cells,
            is_complete: true,
        })
    }
}

/// One table in the making.
pub(crate) struct Work<'a, C> {
    resolver: Resolver<'a, C>,
    id: MaterialId,
    shape: &'a Shape,
    stop: &'a AtomicBool,
    cells: [Vec<u16>; 2],
    /// For each number of plies, one flag a stretch of cells: whether a cell there was given that many.
    pending: Vec<Vec<bool>>,
    /// While the fifty-move rule is looked after: the values, and which of them hold as far as is known. What is asked then are plies
    /// to the next capture, pawn move or end of the game, of wins that hold.
    values: Option<Dense>,
}

impl<'a, C: Cells> Work<'a, C> {
    pub(crate) fn new(
        catalog: &'a Catalog,
        cells: &'a C,
        id: MaterialId,
        stop: &'a AtomicBool,
    ) -> Self {
        let shape = catalog.shape(id);
        Self {
            resolver: Resolver { catalog, cells },
            id,
            shape,
            stop,
            cells: [Vec::new(), Vec::new()],
            pending: Vec::new(),
            values: None,
        }
    }

    /// All values.
    pub(crate) fn values(mut self) -> Result<Result<Dense, Stopped>, C::Error> {
        if self.analyse()?.is_err() {
            return Ok(Err(Stopped));
        }
        let longest = self.pending.len().saturating_sub(1);
        let dense = Dense {
            cells: std::mem::take(&mut self.cells),
            is_complete: true,
        };
        if longest <= usize::from(FIFTY_PLIES) {
            return Ok(Ok(dense));
        }
        self.look_after_fifty_moves(dense)
    }

    /// Finds out which of the long wins and losses hold under the fifty-move rule.
    ///
    /// Whether a position holds may lean, through a pawn move inside the table, on another that holds. So rounds follow
    /// until one adds nothing.
    fn look_after_fifty_moves(
        &mut self,
        mut dense: Dense,
    ) -> Result<Result<Dense, Stopped>, C::Error> {
        for cell in dense.cells.iter_mut().flatten() {
            if *cell & CLOSED == 0 {
                let value = Value::from_bits(*cell);
                let long = value.dtw().is_some_and(|plies| plies > FIFTY_PLIES);
                *cell = value.spoiled(long).bits();
            }
        }
        self.values = Some(dense);
        let mut found = true;
        while found {
            if self.analyse()?.is_err() {
                return Ok(Err(Stopped));
            }
            found = false;
            let values = self.values.as_mut().expect("set above");
            for (value, zeroing) in values
                .cells
                .iter_mut()
                .flatten()
                .zip(self.cells.iter().flatten())
            {
                let holds = Value::from_bits(*zeroing & !CLOSED)
                    .dtw()
                    .is_some_and(|plies| *zeroing & OPEN == 0 && plies <= FIFTY_PLIES);
                let old = Value::from_bits(*value);
                if *value & UNUSED == 0 && old.is_spoiled() && holds {
                    *value = old.spoiled(false).bits();
                    found = true;
                }
            }
            // Without pawns nothing inside the table leans on what was found.
            found &= self.shape.material.pawns() > 0;
        }
        Ok(Ok(self.values.take().expect("set above")))
    }

    fn analyse(&mut self) -> Result<Result<(), Stopped>, C::Error> {
        let len = self.shape.layout.cells as usize;
        self.cells = [(); 2].map(|()| vec![UNUSED; len]);
        self.pending.clear();
        for index in 0..self.shape.layout.cells {
            if index.trailing_zeros() >= STRETCH_BITS && self.stop.load(Relaxed) {
                return Ok(Err(Stopped));
            }
            let squares = self.shape.layout.squares(index);
            let board = Board::new(self.shape, squares);
            if board.overlaps() || self.shape.layout.stabilizer(index, squares).is_none() {
                continue;
            }
            for side in Color::ALL {
                let cell = self.first(&board, side, index)?;
                self.set(side, index, cell);
            }
        }
        self.propagate()
    }

    /// Writes a cell, and notes its length if it has one.
    fn set(&mut self, side: Color, index: u32, cell: u16) {
        self.cells[side.index()][index as usize] = cell;
        if cell & OPEN != 0 {
            return;
        }
        if let Some(plies) = Value::from_bits(cell & !CLOSED).dtw() {
            self.note(plies, index);
        }
    }

    fn note(&mut self, plies: u16, index: u32) {
        let plies = usize::from(plies);
        assert!(plies <= usize::from(MAX_PLIES), "no known game is so long");
        let stretches = (self.shape.layout.cells >> STRETCH_BITS) as usize + 1;
        while self.pending.len() <= plies {
            self.pending.push(vec![false; stretches]);
        }
        self.pending[plies][(index >> STRETCH_BITS) as usize] = true;
    }

    /// What a cell is before any move inside the table is looked at.
    fn first(&mut self, board: &Board<'_>, side: Color, index: u32) -> Result<u16, C::Error> {
        if let Some(values) = &self.values {
            let known = values.cells[side.index()][index as usize];
            // What is settled already need not be found out: a capture makes it a matter of one ply.
            if known & CLOSED != 0 {
                let value = Value::from_bits(known & !CLOSED);
                return Ok(CLOSED | zeroing(value, 1).bits());
            }
        } else if let Some(value) = self.resolver.best_capture(board, side, None)? {
            return Ok(value.bits() | CLOSED);
        }
        let mut moves = 0;
        let mut outside = Best::default();
        let mut has_outside = false;
        for (_, role, square) in board.men(side) {
            if role != Role::Pawn {
                moves += (board.attacks(side, role, square) & !board.occupied).count();
            }
        }
        self.for_each_pawn_move(
            board,
            side,
            |value| {
                outside.add(value);
                has_outside = true;
            },
            || moves += 1,
        )?;
        if moves == 0 && !has_outside {
            return Ok(self.stuck(board, side).bits());
        }
        let best = outside.value();
        match best.map(Value::wdl) {
            Some(Wdl::Win) => return Ok(best.unwrap_or(Value::DRAW).bits()),
            // A move that draws is never taken away.
            Some(Wdl::Draw) => moves += 1,
            Some(Wdl::Loss) if moves == 0 => return Ok(best.unwrap_or(Value::DRAW).bits()),
            _ => {}
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "three men have fewer than 100 moves"
        )]
        let eighths = (EIGHTHS * moves) as u16;
        Ok(OPEN | eighths)
    }

    /// Calls `outside` with the value after each pawn move of `side` that is not searched inside the table, to the side to move
    /// then, and `inside` for each other.
    fn for_each_pawn_move(
        &self,
        board: &Board<'_>,
        side: Color,
        mut outside: impl FnMut(Value),
        mut inside: impl FnMut(),
    ) -> Result<(), C::Error> {
        let zeroing_asked = self.values.is_some();
        for (man, role, square) in board.men(side) {
            if role != Role::Pawn {
                continue;
            }
            let mut targets = arrayvec::ArrayVec::<Square, 2>::new();
            let mut found = |value: Value| {
                outside(if zeroing_asked {
                    zeroing_after(value)
                } else {
                    value
                });
            };
            self.resolver.add_pawn_moves(
                self.id,
                board,
                side,
                (man, square),
                &mut found,
                &mut |to| {
                    targets.push(to);
                },
            )?;
            for to in targets {
                match &self.values {
                    None => inside(),
                    Some(values) => {
                        let mut squares = board.squares;
                        squares[man] = index_of(to);
                        let place = self.shape.layout.place(squares);
                        outside(zeroing_after(values.value(!side, place.index)));
                    }
                }
            }
        }
        Ok(())
    }

    /// The value of a position whose side to move has men, but no move.
    fn stuck(&self, board: &Board<'_>, side: Color) -> Value {
        let [ours, theirs] = [side, !side].map(|color| board.sides[color.index()].count());
        let ruleset = self.resolver.catalog.ruleset;
        match ruleset.wins_by_stalemate(ours, theirs) {
            Some(true) => Value::win(0),
            Some(false) => Value::loss(0),
            None => Value::DRAW,
        }
    }

    fn propagate(&mut self) -> Result<Result<(), Stopped>, C::Error> {
        let mut plies = 0;
        while plies < self.pending.len() {
            if self.values.is_some() && plies > usize::from(FIFTY_PLIES) {
                break;
            }
            if self.stop.load(Relaxed) {
                return Ok(Err(Stopped));
            }
            let stretches = std::mem::take(&mut self.pending[plies]);
            for stretch in (0..)
                .zip(stretches)
                .filter_map(|(stretch, any)| any.then_some(stretch))
            {
                self.propagate_stretch(stretch, u16::try_from(plies).unwrap_or(MAX_PLIES))?;
            }
            plies += 1;
        }
        self.settle_open();
        Ok(Ok(()))
    }

    /// What was not reached is drawn, or if zeroing was asked for, does not hold.
    fn settle_open(&mut self) {
        for cell in self.cells.iter_mut().flatten() {
            if *cell & UNUSED == OPEN {
                *cell = Value::DRAW.bits();
            }
        }
    }

    fn propagate_stretch(&mut self, stretch: u32, plies: u16) -> Result<(), C::Error> {
        let first = stretch << STRETCH_BITS;
        let end = (first + (1 << STRETCH_BITS)).min(self.shape.layout.cells);
        for side in Color::ALL {
            for index in first..end {
                let cell = self.cells[side.index()][index as usize];
                if cell & OPEN != 0 {
                    continue;
                }
                let value = Value::from_bits(cell & !CLOSED);
                if value.dtw() == Some(plies) {
                    self.unmove_all(side, index, value)?;
                }
            }
        }
        Ok(())
    }

    /// Tells the positions before this one, in which `side` is to move, of its value.
    fn unmove_all(&mut self, side: Color, index: u32, value: Value) -> Result<(), C::Error> {
        let shape = self.shape;
        let layout = &shape.layout;
        let squares = layout.squares(index);
        let board = Board::new(shape, squares);
        let alone = layout.has_one_symmetry(index);
        let stabilizer = if alone {
            1
        } else {
            layout.place(squares).stabilizer
        };
        for (man, role, square) in board.men(!side) {
            let origins = if role == Role::Pawn {
                if self.values.is_some() {
                    continue;
                }
                pawn_origins(&board, !side, square)
            } else {
                board.attacks(!side, role, square) & !board.occupied
            };
            for origin in origins {
                let mut before = squares;
                before[man] = index_of(origin);
                let near = if alone {
                    layout.place_after(index, squares, man, before[man])
                } else {
                    None
                };
                let place = near.unwrap_or_else(|| layout.place(before));
                // Both are powers of two.
                let eighths = (EIGHTHS * place.stabilizer) >> stabilizer.trailing_zeros();
                self.tell(!side, place.index, before, value, eighths)?;
            }
        }
        Ok(())
    }

    /// Tells a position that moves of it, so many eighths of one, lead to one of this value.
    #[inline]
    fn tell(
        &mut self,
        side: Color,
        index: u32,
        squares: Squares,
        after: Value,
        eighths: u32,
    ) -> Result<(), C::Error> {
        let cell = self.cells[side.index()][index as usize];
        if cell & CLOSED != 0 {
            return Ok(());
        }
        if after.wdl() == Wdl::Loss {
            let win = after.before();
            if cell & OPEN != 0 || Value::from_bits(cell).preference() < win.preference() {
                self.set(side, index, win.bits());
            }
        } else if cell & OPEN != 0 {
            #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
            let left = cell - eighths as u16;
            if left == OPEN {
                let loss = self.loss(side, squares, after)?;
                self.set(side, index, loss.bits());
            } else {
                self.cells[side.index()][index as usize] = left;
            }
        }
        Ok(())
    }

    /// The value of a position all of whose moves lose, those inside the table at the latest now.
    fn loss(&self, side: Color, squares: Squares, last: Value) -> Result<Value, C::Error> {
        let mut best = Best::default();
        best.add(last);
        if self.shape.material.pawns() > 0 {
            let board = Board::new(self.shape, squares);
            self.for_each_pawn_move(&board, side, |value| best.add(value), || ())?;
        }
        Ok(best.value().unwrap_or(Value::DRAW).spoiled(false))
    }
}

/// Where a pawn of `side` on `square` may have come from without capturing and without giving a right to capture en passant.
fn pawn_origins(board: &Board<'_>, side: Color, square: Square) -> rules::Bitboard {
    let mut origins = rules::Bitboard::EMPTY;
    if square.relative_rank(side) < 2 {
        return origins;
    }
    let Some(near) = behind(side, square).filter(|&near| !board.occupied.contains(near)) else {
        return origins;
    };
    origins |= near.bitboard();
    if square.relative_rank(side) == 3
        && let Some(far) = behind(side, near).filter(|&far| !board.occupied.contains(far))
        && !board.may_capture_passed(!side, square)
    {
        origins |= far.bitboard();
    }
    origins
}

/// So many plies to zeroing, as a value, of a position of this value; nothing if it does not hold.
fn zeroing(value: Value, plies: u16) -> Value {
    match value.fifty() {
        Wdl::Win => Value::win(plies),
        Wdl::Loss => Value::loss(plies),
        Wdl::Draw => Value::DRAW,
    }
}

/// The value to give the position after a zeroing move, so that the move takes one ply and counts if the position holds.
fn zeroing_after(after: Value) -> Value {
    zeroing(after, 0)
}
