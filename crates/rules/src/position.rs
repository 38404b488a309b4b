//! Positions: placement, side to move, castling rights, en-passant square.

use crate::{Bitboard, Color, Move, Role, Square, zobrist};

/// A position without clocks and history.
///
/// Two positions are equal exactly if the game treats them as the same position: the en-passant square is kept only while
/// an en-passant capture is legal. Any number of kings is fine here; a [`crate::Class`] may ask for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    key: u64,
    side_to_move: Color,
    castling: u8,
    en_passant: Option<Square>,
}

const _: () = assert!(size_of::<Position>() <= 80);

impl Position {
    /// The side whose move it is.
    #[inline]
    #[must_use]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// All men of `color`.
    #[inline]
    #[must_use]
    pub const fn men(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// All men of the kind `role`, of both sides.
    #[inline]
    #[must_use]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.roles[role.index()]
    }

    /// The men of one kind and side.
    #[inline]
    #[must_use]
    pub fn men_of(&self, color: Color, role: Role) -> Bitboard {
        self.men(color) & self.role(role)
    }

    /// All men.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The square a pawn may capture on en passant; `Some` only while such a capture is legal.
    #[inline]
    #[must_use]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Castling rights: bit 0 White king side, 1 White queen side, 2 Black king side, 3 Black queen side. Always 0 in the
    /// classes without castling.
    #[inline]
    #[must_use]
    pub const fn castling(&self) -> u8 {
        self.castling
    }

    /// Whether a legal move captures, en passant included.
    #[must_use]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.occupied().contains(mv.to()) || self.is_en_passant(mv)
    }

    /// Whether a legal move captures en passant.
    #[inline]
    pub(crate) fn is_en_passant(&self, mv: Move) -> bool {
        self.en_passant == Some(mv.to()) && self.role(Role::Pawn).contains(mv.from())
    }

    /// A 64-bit key, equal for equal positions and part of the database format. Different positions may share one.
    #[inline]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The man on `square`.
    #[must_use]
    pub fn man_at(&self, square: Square) -> Option<(Color, Role)> {
        let color = Color::ALL
            .into_iter()
            .find(|&color| self.men(color).contains(square))?;
        Some((color, self.role_at(square)?))
    }

    /// The kind of the man on `square`.
    #[inline]
    #[must_use]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        // Without a jump for each kind: which man stands here cannot be predicted.
        let mut index = 0;
        let mut any = 0;
        for role in Role::ALL {
            let here = self.role(role).0 >> square.index() & 1;
            index += role.index() * here as usize;
            any |= here;
        }
        (any == 1).then(|| Role::ALL[index])
    }

    /// The position mirrored at the middle of the board with the colours exchanged: the same game for the other side.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut mirror = PositionBuilder::new(!self.side_to_move);
        for square in self.occupied() {
            if let Some((color, role)) = self.man_at(square) {
                mirror.put(square.flip_vertical(), !color, role);
            }
        }
        mirror.castling(self.castling << 2 & 0b1100 | self.castling >> 2);
        mirror.en_passant_that_counts(self.en_passant.map(Square::flip_vertical));
        mirror.position
    }

    /// The key computed from nothing, which [`Position::key`] must equal. For tests and checks.
    #[must_use]
    pub fn recomputed_key(&self) -> u64 {
        let mut key = zobrist::side_to_move(self.side_to_move)
            ^ zobrist::castling(self.castling)
            ^ zobrist::en_passant(self.en_passant);
        for color in Color::ALL {
            for role in Role::ALL {
                for square in self.men_of(color, role) {
                    key ^= zobrist::man(color, role, square);
                }
            }
        }
        key
    }

    #[inline]
    pub(crate) fn put(&mut self, square: Square, color: Color, role: Role) {
        let bit = square.bitboard();
        self.roles[role.index()] |= bit;
        self.colors[color.index()] |= bit;
        self.key ^= zobrist::man(color, role, square);
    }

    #[inline]
    pub(crate) fn remove(&mut self, square: Square, color: Color, role: Role) {
        let keep = !square.bitboard();
        self.roles[role.index()] &= keep;
        self.colors[color.index()] &= keep;
        self.key ^= zobrist::man(color, role, square);
    }

    #[inline]
    pub(crate) fn set_en_passant(&mut self, square: Option<Square>) {
        self.key ^= zobrist::en_passant(self.en_passant) ^ zobrist::en_passant(square);
        self.en_passant = square;
    }

    #[inline]
    pub(crate) fn set_castling(&mut self, rights: u8) {
        if rights != self.castling {
            self.key ^= zobrist::castling(self.castling) ^ zobrist::castling(rights);
            self.castling = rights;
        }
    }

    #[inline]
    pub(crate) fn pass_the_move(&mut self) {
        self.key ^= zobrist::black_to_move();
        self.side_to_move = !self.side_to_move;
    }
}

/// Sets up a [`Position`] man by man.
#[derive(Clone, Copy, Debug)]
pub struct PositionBuilder {
    position: Position,
}

impl PositionBuilder {
    /// An empty board with `side_to_move` to move.
    #[must_use]
    pub fn new(side_to_move: Color) -> Self {
        Self {
            position: Position {
                roles: [Bitboard::EMPTY; 6],
                colors: [Bitboard::EMPTY; 2],
                key: zobrist::side_to_move(side_to_move),
                side_to_move,
                castling: 0,
                en_passant: None,
            },
        }
    }

    /// Puts a man on an empty square.
    ///
    /// # Panics
    ///
    /// If the square is occupied.
    pub fn put(&mut self, square: Square, color: Color, role: Role) -> &mut Self {
        assert!(
            !self.position.occupied().contains(square),
            "a man is put on an empty square only"
        );
        self.position.put(square, color, role);
        self
    }

    /// Sets the castling rights, as in [`Position::castling`].
    pub fn castling(&mut self, rights: u8) -> &mut Self {
        self.position.set_castling(rights & 15);
        self
    }

    /// Sets an en-passant square of which the caller knows that a capture on it is legal.
    pub fn en_passant_that_counts(&mut self, square: Option<Square>) -> &mut Self {
        self.position.set_en_passant(square);
        self
    }

    /// The position as it stands.
    #[must_use]
    pub fn build(&self) -> Position {
        self.position
    }
}
