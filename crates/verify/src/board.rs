//! The board: men on 64 squares, and how a move changes them.
//!
//! Invariants of a [`Position`]: `white` and `black` are the squares of the men in `cells`; `en_passant` is set only if a capture onto
//! it is legal, and `castling` holds only rights that fit the men, so that two positions are equal in the sense of the
//! certificate format exactly if their fields are.

use crate::castling::Rights;
use crate::check;
use crate::geometry::{self, EAST, SquareSet, WEST};
use crate::material;
use crate::moves::{Move, legal_moves};
use crate::ruleset::MoveClass;

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    /// The side that has the first move of a game.
    White,
    /// The other side.
    Black,
}

impl Color {
    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// `white` or `black`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
        }
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A kind of man.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Pawn.
    Pawn,
    /// Knight.
    Knight,
    /// Bishop.
    Bishop,
    /// Rook.
    Rook,
    /// Queen.
    Queen,
    /// King, which is a man like any other where it is not royal.
    King,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
    ];

    /// The lower-case letter of the kind in FEN and UCI.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'p',
            Self::Knight => 'n',
            Self::Bishop => 'b',
            Self::Rook => 'r',
            Self::Queen => 'q',
            Self::King => 'k',
        }
    }

    /// The kind that has a lower-case letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter)
    }

    /// Place in [`Kind::ALL`].
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Pawn => 0,
            Self::Knight => 1,
            Self::Bishop => 2,
            Self::Rook => 3,
            Self::Queen => 4,
            Self::King => 5,
        }
    }
}

/// A man on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Man {
    pub(crate) color: Color,
    pub(crate) kind: Kind,
}

/// A position: men, side to move, castling rights and en-passant square; clocks and history are no part of it.
///
/// Equality is that of the certificate format: an en-passant square is kept only while a capture onto it is legal, and a
/// castling right only in rulesets that have castling, while king and rook stand on their home squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    cells: [Option<Man>; 64],
    white: SquareSet,
    black: SquareSet,
    side_to_move: Color,
    castling: Rights,
    en_passant: Option<u8>,
    class: MoveClass,
}

impl Position {
    /// A board without men.
    pub(crate) const fn empty(class: MoveClass) -> Self {
        Self {
            cells: [None; 64],
            white: SquareSet::EMPTY,
            black: SquareSet::EMPTY,
            side_to_move: Color::White,
            castling: Rights::NONE,
            en_passant: None,
            class,
        }
    }

    /// The side that is to move.
    #[must_use]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The man on a square (a1 = 0 … h8 = 63), if there is one.
    #[must_use]
    pub fn piece_at(&self, square: u8) -> Option<(Color, Kind)> {
        self.man(square).map(|man| (man.color, man.kind))
    }

    /// The men on the board with their squares, from a1 to h8.
    pub fn pieces(&self) -> impl Iterator<Item = (u8, Color, Kind)> {
        self.all_men()
            .map(|(square, man)| (square, man.color, man.kind))
    }

    /// The number of men of a side, kings and pawns included.
    #[must_use]
    pub fn men(&self, color: Color) -> u8 {
        self.squares(color).len()
    }

    /// The square that a pawn can be captured on en passant; set only if such a capture is legal.
    #[must_use]
    pub const fn en_passant(&self) -> Option<u8> {
        self.en_passant
    }

    /// The castling rights that count: bits 0 and 1 White's on the king's and the queen's side, bits 2 and 3 Black's.
    #[must_use]
    pub const fn castling_rights(&self) -> u8 {
        self.castling.bits()
    }

    /// The position after a move, or `None` if the move is not legal.
    #[must_use]
    pub fn play(&self, mv: Move) -> Option<Self> {
        legal_moves(self)
            .contains(&mv)
            .then(|| self.play_unchecked(mv))
    }

    /// The position after a move that the caller knows to be legal.
    ///
    /// An illegal move does not panic, but gives a position that means nothing.
    #[must_use]
    pub fn play_unchecked(&self, mv: Move) -> Self {
        self.play_noting(mv, &mut |_, _| ())
    }

    /// As [`Position::play_unchecked`]; `note` is told of every man that leaves a square or comes to it.
    pub(crate) fn play_noting(&self, mv: Move, note: &mut impl FnMut(u8, Man)) -> Self {
        let mut next = self.after_men_move(mv, note);
        let is_pawn = self
            .man(mv.origin)
            .is_some_and(|man| man.kind == Kind::Pawn);
        if is_pawn && mv.origin.abs_diff(mv.destination) == 16 {
            next.offer_en_passant(u8::midpoint(mv.origin, mv.destination), mv.destination);
        }
        next
    }

    /// As [`Position::play_noting`], but without a new en-passant square.
    pub(crate) fn after_men_move(&self, mv: Move, note: &mut impl FnMut(u8, Man)) -> Self {
        let mut next = *self;
        next.side_to_move = self.side_to_move.opponent();
        next.en_passant = None;
        let Some(man) = next.take(mv.origin, note) else {
            return next;
        };
        next.take(mv.destination, note);
        if man.kind == Kind::Pawn && self.en_passant == Some(mv.destination) {
            next.take(geometry::join(mv.destination, mv.origin), note);
        }
        next.put(
            mv.destination,
            Man {
                kind: mv.promotion.unwrap_or(man.kind),
                ..man
            },
            note,
        );
        if self.castling != Rights::NONE {
            next.castling = self.castling.after(mv);
            if let Some(castle) = self.castling.castle_of(mv)
                && let Some(rook) = next.take(castle.rook_from, note)
            {
                next.put(castle.rook_to, rook, note);
            }
        }
        next
    }

    /// Sets the en-passant square if a pawn of the side to move may capture onto it.
    ///
    /// `pawn` is where the pawn stands that has just passed `square`. Every pawn beside it may capture, unless that leaves
    /// a royal king attacked or the position is decided.
    pub(crate) fn offer_en_passant(&mut self, square: u8, pawn: u8) {
        let capturer = Some(Man {
            color: self.side_to_move,
            kind: Kind::Pawn,
        });
        let royal = self.class.king_is_royal();
        // The capture is a move of a position that has the square.
        let offering = Self {
            en_passant: Some(square),
            ..*self
        };
        let may_capture = |direction| {
            geometry::step(pawn, direction).is_some_and(|beside| {
                self.man(beside) == capturer
                    && (!royal || check::is_safe(&offering, beside, square))
            })
        };
        if (may_capture(EAST) || may_capture(WEST)) && material::winner(self).is_none() {
            *self = offering;
        }
    }

    pub(crate) fn man(&self, square: u8) -> Option<Man> {
        self.cells.get(usize::from(square)).copied().flatten()
    }

    /// All men with their squares, from a1 to h8.
    pub(crate) fn all_men(&self) -> impl Iterator<Item = (u8, Man)> {
        self.men_on(self.white.union(self.black))
    }

    /// The men of a side with their squares, from a1 to h8.
    pub(crate) fn men_of(&self, color: Color) -> impl Iterator<Item = (u8, Man)> {
        self.men_on(self.squares(color))
    }

    fn men_on(&self, squares: SquareSet) -> impl Iterator<Item = (u8, Man)> {
        squares
            .into_iter()
            .filter_map(|square| Some((square, self.man(square)?)))
    }

    /// The squares on which men of a side stand.
    pub(crate) const fn squares(&self, color: Color) -> SquareSet {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    pub(crate) const fn class(&self) -> MoveClass {
        self.class
    }

    pub(crate) const fn castling(&self) -> Rights {
        self.castling
    }

    /// The caller has made sure that the rights fit the men.
    pub(crate) const fn set_castling(&mut self, rights: Rights) {
        self.castling = rights;
    }

    pub(crate) const fn set_side_to_move(&mut self, color: Color) {
        self.side_to_move = color;
    }

    /// Puts a man on an empty square.
    pub(crate) fn put(&mut self, square: u8, man: Man, note: &mut impl FnMut(u8, Man)) {
        if let Some(cell) = self.cells.get_mut(usize::from(square)) {
            *cell = Some(man);
            self.squares_mut(man.color).insert(square);
            note(square, man);
        }
    }

    /// Takes the man from a square, if there is one.
    fn take(&mut self, square: u8, note: &mut impl FnMut(u8, Man)) -> Option<Man> {
        let man = self.cells.get_mut(usize::from(square))?.take()?;
        self.squares_mut(man.color).remove(square);
        note(square, man);
        Some(man)
    }

    const fn squares_mut(&mut self, color: Color) -> &mut SquareSet {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::ruleset::Ruleset;

    #[test]
    fn pieces_are_the_men_on_their_squares() {
        let mut level = vec![
            Position::from_fen("1n1r4/P1P5/8/2P5/1p6/8/1p1P4/2N1R3 w - -", Ruleset::Joint).unwrap(),
        ];
        for _ in 0..3 {
            let next = level.iter().flat_map(|position| {
                let moves = legal_moves(position).into_iter();
                moves.map(|mv| position.play_unchecked(mv))
            });
            level = next.collect();
            for position in &level {
                let found: Vec<_> = position.pieces().collect();
                let expected: Vec<_> = (0..64)
                    .filter_map(|square| position.piece_at(square).map(|(c, k)| (square, c, k)))
                    .collect();
                assert_eq!(found, expected, "{}", position.fen());
                for color in [Color::White, Color::Black] {
                    let men = expected.iter().filter(|man| man.1 == color).count();
                    assert_eq!(usize::from(position.men(color)), men);
                }
            }
        }
    }
}
