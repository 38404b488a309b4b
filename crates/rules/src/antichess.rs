//! The move-generation class `antichess`: capturing is compulsory, the king is an ordinary man, pawns promote to any piece
//! and to king, nobody castles (rules `M1` to `M3`).
//!
//! One pass over the men computes every attack set; whether any of them hits an enemy decides if captures or quiet moves
//! are legal. Counting sums set sizes and never makes a move.

use arrayvec::ArrayVec;

use crate::{Bitboard, Class, Color, Move, MoveGen, Position, Role, Square, attacks};

/// The move generator of the rulesets `international`, `fics` and `joint`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Antichess;

const PROMOTIONS: [Role; 5] = [
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// Pawn moves of one kind: the destinations, and how far a pawn has come to reach them.
struct PawnMoves {
    to: Bitboard,
    delta: i32,
}

/// The pawn captures of `us`: on `targets`, towards the a file and towards the h file.
#[inline]
fn pawn_captures(position: &Position, us: Color, targets: Bitboard) -> [PawnMoves; 2] {
    let (west, east) = attacks::pawns(us, position.men_of(us, Role::Pawn));
    let (west_delta, east_delta) = match us {
        Color::White => (7, 9),
        Color::Black => (-9, -7),
    };
    [
        PawnMoves {
            to: west & targets,
            delta: west_delta,
        },
        PawnMoves {
            to: east & targets,
            delta: east_delta,
        },
    ]
}

/// The pawn advances of `us`: by one square and by two.
#[inline]
fn pawn_pushes(position: &Position, us: Color, empty: Bitboard) -> [PawnMoves; 2] {
    let (delta, third) = match us {
        Color::White => (8, Bitboard::rank(2)),
        Color::Black => (-8, Bitboard::rank(5)),
    };
    let single = position.men_of(us, Role::Pawn).shift(delta) & empty;
    let double = (single & third).shift(delta) & empty;
    [
        PawnMoves { to: single, delta },
        PawnMoves {
            to: double,
            delta: 2 * delta,
        },
    ]
}

const LAST_RANKS: Bitboard = Bitboard(0xFF00_0000_0000_00FF);

fn emit_pawn_moves(moves: &PawnMoves, f: &mut impl FnMut(Move)) {
    for to in moves.to {
        let from = to.offset(-moves.delta);
        if LAST_RANKS.contains(to) {
            for role in PROMOTIONS {
                f(Move::promotion_to(from, to, role));
            }
        } else {
            f(Move::new(from, to));
        }
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "five promotions")]
fn count_pawn_moves(to: Bitboard) -> u32 {
    to.count() + (to & LAST_RANKS).count() * (PROMOTIONS.len() as u32 - 1)
}

/// Calls `f` with each man of `us` other than the pawns and the squares it attacks.
#[inline]
fn for_each_piece(position: &Position, us: Color, mut f: impl FnMut(Square, Bitboard)) {
    let men = position.men(us);
    let occupied = position.occupied();
    for square in men & position.role(Role::Knight) {
        f(square, attacks::knight(square));
    }
    for square in men & position.role(Role::King) {
        f(square, attacks::king(square));
    }
    let queens = position.role(Role::Queen);
    for square in men & (position.role(Role::Bishop) | queens) {
        f(square, attacks::bishop(square, occupied));
    }
    for square in men & (position.role(Role::Rook) | queens) {
        f(square, attacks::rook(square, occupied));
    }
}

/// What a pawn may capture on: enemy men and the en-passant square.
#[inline]
fn pawn_targets(position: &Position, them: Bitboard) -> Bitboard {
    them | position
        .en_passant()
        .map_or(Bitboard::EMPTY, Square::bitboard)
}

impl MoveGen for Antichess {
    const CLASS: Class = Class::Antichess;

    #[inline]
    fn for_each_move(position: &Position, mut f: impl FnMut(Move)) {
        let us = position.side_to_move();
        let them = position.men(!us);
        if them.is_empty() {
            return;
        }
        let empty = !position.occupied();
        // A queen comes twice: sixteen men, twice, is the most.
        let mut pieces: ArrayVec<(Square, Bitboard), 32> = ArrayVec::new();
        let mut attacked = Bitboard::EMPTY;
        for_each_piece(position, us, |square, attacks| {
            pieces.push((square, attacks));
            attacked |= attacks;
        });
        let captures = pawn_captures(position, us, pawn_targets(position, them));
        let must_capture = (captures[0].to | captures[1].to | attacked & them).any();
        let (pawn_moves, targets) = if must_capture {
            (captures, them)
        } else {
            (pawn_pushes(position, us, empty), empty)
        };
        for moves in &pawn_moves {
            emit_pawn_moves(moves, &mut f);
        }
        for (square, attacks) in pieces {
            for to in attacks & targets {
                f(Move::new(square, to));
            }
        }
    }

    #[inline]
    fn count_moves(position: &Position) -> u32 {
        let us = position.side_to_move();
        let them = position.men(!us);
        if them.is_empty() {
            return 0;
        }
        let empty = !position.occupied();
        let pawn_captures = pawn_captures(position, us, pawn_targets(position, them));
        let mut captures =
            count_pawn_moves(pawn_captures[0].to) + count_pawn_moves(pawn_captures[1].to);
        let mut quiet = 0;
        for_each_piece(position, us, |_, attacks| {
            captures += (attacks & them).count();
            quiet += (attacks & empty).count();
        });
        if captures > 0 {
            captures
        } else {
            let [single, double] = pawn_pushes(position, us, empty);
            quiet + count_pawn_moves(single.to) + double.to.count()
        }
    }

    #[inline]
    fn play_unchecked(position: &mut Position, mv: Move) {
        let us = position.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        let Some(role) = position.role_at(from) else {
            return; // no legal move starts from an empty square
        };
        let en_passant = position.en_passant();
        position.set_en_passant(None);
        if position.men(!us).contains(to)
            && let Some(captured) = position.role_at(to)
        {
            position.remove(to, !us, captured);
        }
        position.remove(from, us, role);
        position.put(to, us, mv.promotion().unwrap_or(role));
        if role == Role::Pawn {
            if en_passant == Some(to) {
                let passed = Square::at(to.file(), from.rank());
                position.remove(passed, !us, Role::Pawn);
            } else if from.rank().abs_diff(to.rank()) == 2 {
                let middle = Square::at(from.file(), u8::midpoint(from.rank(), to.rank()));
                position.pass_the_move();
                let counts = Self::en_passant_counts(position, middle);
                position.set_en_passant(counts.then_some(middle));
                return;
            }
        }
        position.pass_the_move();
    }

    #[inline]
    fn winner_by_men(position: &Position) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|&color| position.men(color).is_empty())
    }

    #[inline]
    fn en_passant_counts(position: &Position, square: Square) -> bool {
        // Our pawns that attack `square` stand where an enemy pawn on `square` would attack.
        let us = position.side_to_move();
        let (west, east) = attacks::pawns(!us, square.bitboard());
        ((west | east) & position.men_of(us, Role::Pawn)).any()
    }
}
