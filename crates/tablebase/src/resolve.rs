//! Values that follow from other tables: captures, promotions, double steps past an enemy pawn.
//!
//! A capture is compulsory, so a position with one is worth what its best capture is worth, and captures lead to smaller
//! tables. A right to capture en passant makes such a position, too, which is why no table has cells for it.

use rules::{Bitboard, Color, Role, Square, attacks};

use crate::{
    catalog::{Catalog, Link, MaterialId, Shape},
    layout::Squares,
    value::{Best, Value},
};

/// Cells of tables.
pub(crate) trait Cells {
    /// Why a cell could not be read.
    type Error;

    /// Whether a table has the values of positions in which the side to move can capture, too.
    fn is_complete(&self, id: MaterialId) -> bool;

    /// The cell of a placement and side to move, which means nothing if that side can capture and the table is not complete.
    fn cell(&self, id: MaterialId, squares: Squares, side: Color) -> Result<Value, Self::Error>;
}

/// A placement with a side to move, as move generation sees it.
pub(crate) struct Board<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) squares: Squares,
    pub(crate) occupied: Bitboard,
    pub(crate) sides: [Bitboard; 2],
}

impl<'a> Board<'a> {
    #[inline]
    pub(crate) fn new(shape: &'a Shape, squares: Squares) -> Self {
        let mut sides = [Bitboard::EMPTY; 2];
        for (&(color, _), square) in shape.layout.men.iter().zip(squares) {
            sides[color.index()] |= Square::new(square).bitboard();
        }
        Self {
            shape,
            squares,
            occupied: sides[0] | sides[1],
            sides,
        }
    }

    /// Whether two men stand on one square.
    #[inline]
    pub(crate) fn overlaps(&self) -> bool {
        (self.occupied.count() as usize) < self.shape.layout.men.len()
    }

    /// The men of one side: number, kind, square.
    #[inline]
    pub(crate) fn men(&self, side: Color) -> impl Iterator<Item = (usize, Role, Square)> + '_ {
        let men = self.shape.layout.men.iter().zip(self.squares).enumerate();
        men.filter(move |(_, ((color, _), _))| *color == side)
            .map(|(man, (&(_, role), square))| (man, role, Square::new(square)))
    }

    #[inline]
    pub(crate) fn attacks(&self, side: Color, role: Role, square: Square) -> Bitboard {
        attacks(side, role, square, self.occupied)
    }

    fn man_on(&self, square: Square) -> usize {
        let men = &self.squares[..self.shape.layout.men.len()];
        men.iter()
            .position(|&other| usize::from(other) == square.index())
            .expect("a capture is of a man")
    }
}

/// The square behind, seen from `side`'s pawns.
#[inline]
pub(crate) fn behind(side: Color, square: Square) -> Option<Square> {
    step(square, if side == Color::White { -8 } else { 8 })
}

/// The square in front, seen from `side`'s pawns.
#[inline]
pub(crate) fn ahead(side: Color, square: Square) -> Option<Square> {
    behind(!side, square)
}

fn step(square: Square, delta: i32) -> Option<Square> {
    square.bitboard().shift(delta).first()
}

/// The last rank of `side`.
#[inline]
pub(crate) fn is_last_rank(side: Color, square: Square) -> bool {
    square.relative_rank(side) == 7
}

/// Asks other tables for values.
pub(crate) struct Resolver<'a, C> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) cells: &'a C,
}

impl<C: Cells> Resolver<'_, C> {
    /// The value of a position; `passed` is the square that an enemy pawn has just passed.
    pub(crate) fn value(
        &self,
        id: MaterialId,
        squares: Squares,
        side: Color,
        passed: Option<Square>,
    ) -> Result<Value, C::Error> {
        if passed.is_none() && self.cells.is_complete(id) {
            return self.cells.cell(id, squares, side);
        }
        // Looking for a capture costs less than a cell that is not needed.
        let board = Board::new(self.catalog.shape(id), squares);
        match self.best_capture(&board, side, passed)? {
            Some(value) => Ok(value),
            // The right to capture en passant, if there was one, was none.
            None => self.cells.cell(id, squares, side),
        }
    }

    /// What the best capture is worth to `side`, `None` if there is none.
    pub(crate) fn best_capture(
        &self,
        board: &Board<'_>,
        side: Color,
        passed: Option<Square>,
    ) -> Result<Option<Value>, C::Error> {
        let mut best = Best::default();
        let them = board.sides[(!side).index()];
        for (man, role, square) in board.men(side) {
            let attacked = board.attacks(side, role, square);
            for to in attacked & them {
                self.add_capture(&mut best, board, side, (man, role), to, board.man_on(to))?;
            }
            if role == Role::Pawn
                && let Some(passed) = passed.filter(|&passed| attacked.contains(passed))
                && let Some(captured) = behind(side, passed)
            {
                self.add_capture(
                    &mut best,
                    board,
                    side,
                    (man, role),
                    passed,
                    board.man_on(captured),
                )?;
            }
        }
        Ok(best.value())
    }

    fn add_capture(
        &self,
        best: &mut Best,
        board: &Board<'_>,
        side: Color,
        (man, role): (usize, Role),
        to: Square,
        captured: usize,
    ) -> Result<(), C::Error> {
        if role == Role::Pawn && is_last_rank(side, to) {
            for &promotion in self.catalog.promotions {
                let link = board.shape.capture(man, captured, Some(promotion));
                best.add(self.after(link, board.squares, man, to, !side)?);
            }
            return Ok(());
        }
        let link = board.shape.capture(man, captured, None);
        best.add(self.after(link, board.squares, man, to, !side)?);
        Ok(())
    }

    /// What the position after a move of `man` to `to` is worth to `mover`, who is to move there.
    fn after(
        &self,
        link: Link,
        squares: Squares,
        man: usize,
        to: Square,
        mover: Color,
    ) -> Result<Value, C::Error> {
        let Link::To(way) = link else {
            // The captured man was the last of those who are to move now: they have won.
            return Ok(Value::win(0));
        };
        let mut after = squares;
        after[man] = index_of(to);
        let (squares, mover) = way.follow(after, mover);
        self.value(way.to, squares, mover, None)
    }

    /// Adds the moves of a pawn of `side`, which cannot capture, that lead out of the table or to a right to capture en
    /// passant. Calls `inside` with the square of each other move.
    pub(crate) fn add_pawn_moves(
        &self,
        id: MaterialId,
        board: &Board<'_>,
        side: Color,
        (man, square): (usize, Square),
        outside: &mut impl FnMut(Value),
        inside: &mut impl FnMut(Square),
    ) -> Result<(), C::Error> {
        let Some(to) = ahead(side, square).filter(|&to| !board.occupied.contains(to)) else {
            return Ok(());
        };
        if is_last_rank(side, to) {
            for &promotion in self.catalog.promotions {
                let link = board.shape.promotion(man, promotion);
                outside(self.after(link, board.squares, man, to, !side)?);
            }
            return Ok(());
        }
        inside(to);
        if square.relative_rank(side) != 1 {
            return Ok(());
        }
        let Some(far) = ahead(side, to).filter(|&far| !board.occupied.contains(far)) else {
            return Ok(());
        };
        if !board.may_capture_passed(!side, far) {
            inside(far);
            return Ok(());
        }
        let mut moved = board.squares;
        moved[man] = index_of(far);
        outside(self.value(id, moved, !side, Some(to))?);
        Ok(())
    }
}

impl Board<'_> {
    /// Whether a pawn of `side` stands beside `square`, and so may capture a pawn that has just arrived there by a double step.
    #[inline]
    pub(crate) fn may_capture_passed(&self, side: Color, square: Square) -> bool {
        let beside = self.attacks(side, Role::King, square) & Bitboard::rank(square.rank());
        self.men(side)
            .any(|(_, role, other)| role == Role::Pawn && beside.contains(other))
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below 64")]
pub(crate) fn index_of(square: Square) -> u8 {
    square.index() as u8
}
