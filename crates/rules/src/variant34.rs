//! The move-generation class `variant34`: one royal king a side, capturing is compulsory among the legal moves, castling as
//! in chess, no promotion to king (rules `B1` to `B4`).
//!
//! What a man may do without leaving its king attacked is found in sets: squares that answer a check, lines of pinned
//! men, squares that the enemy attacks through our king.

use arrayvec::ArrayVec;

use crate::{
    Bitboard, Change, Class, Color, Move, MoveGen, Position, Role, Square, attacks, castling, play,
    pseudo::{count_pawn_moves, emit_pawn_move, for_each_piece, pawn_pushes, pawns_attacking},
};

/// The move generator of the rulesets `variant3` and `variant4`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variant34;

const PROMOTIONS: &[Role] = Class::Variant34.promotions();

/// The men of `by` that attack `square` on a board with these men on it; those that stand outside `occupied` are gone.
fn attackers(position: &Position, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
    let queens = position.role(Role::Queen);
    let (west, east) = attacks::pawns(!by, square.bitboard());
    let all = (west | east) & position.role(Role::Pawn)
        | attacks::knight(square) & position.role(Role::Knight)
        | attacks::king(square) & position.role(Role::King)
        | attacks::bishop(square, occupied) & (position.role(Role::Bishop) | queens)
        | attacks::rook(square, occupied) & (position.role(Role::Rook) | queens);
    all & position.men(by) & occupied
}

/// The squares strictly between two on a common line; none if there is no such line.
fn between(a: Square, b: Square) -> Bitboard {
    let (from_a, from_b) = (a.bitboard(), b.bitboard());
    if attacks::rook(a, Bitboard::EMPTY).contains(b) {
        attacks::rook(a, from_b) & attacks::rook(b, from_a)
    } else if attacks::bishop(a, Bitboard::EMPTY).contains(b) {
        attacks::bishop(a, from_b) & attacks::bishop(b, from_a)
    } else {
        Bitboard::EMPTY
    }
}

/// What the safety of the king of the side to move asks of the other men.
struct Safety {
    king: Square,
    checkers: Bitboard,
    /// Where a man other than the king must go to answer a check; everywhere without one.
    answers: Bitboard,
    /// Men that must stay on a line, and the line.
    pins: ArrayVec<(Square, Bitboard), 8>,
    /// Squares that the king must not go to.
    attacked: Bitboard,
}

impl Safety {
    /// `None` if the side to move has no king.
    fn new(position: &Position) -> Option<Self> {
        let us = position.side_to_move();
        let king = position.men_of(us, Role::King).first()?;
        let occupied = position.occupied();
        let checkers = attackers(position, king, !us, occupied);
        let answers = match (checkers.count(), checkers.first()) {
            (0, _) => !Bitboard::EMPTY,
            (1, Some(checker)) => checkers | between(king, checker),
            _ => Bitboard::EMPTY,
        };
        Some(Self {
            king,
            checkers,
            answers,
            pins: pins(position, king, us),
            attacked: attacked(position, !us, occupied & !king.bitboard()),
        })
    }

    /// Where the man on `square` may go as far as the king is concerned.
    fn leave(&self, square: Square) -> Bitboard {
        let pin = self.pins.iter().find(|(pinned, _)| *pinned == square);
        self.answers & pin.map_or(!Bitboard::EMPTY, |&(_, line)| line)
    }
}

/// The men of `us` that alone stand between their king and an enemy slider, each with the squares from king to slider.
fn pins(position: &Position, king: Square, us: Color) -> ArrayVec<(Square, Bitboard), 8> {
    let them = position.men(!us);
    let queens = position.role(Role::Queen);
    let sliders = attacks::rook(king, them) & (position.role(Role::Rook) | queens)
        | attacks::bishop(king, them) & (position.role(Role::Bishop) | queens);
    let mut pins = ArrayVec::new();
    for slider in sliders & them {
        let line = between(king, slider);
        let blockers = line & position.men(us);
        if let (1, Some(pinned)) = (blockers.count(), blockers.first()) {
            pins.push((pinned, line | slider.bitboard()));
        }
    }
    pins
}

/// The squares that `by` attacks on a board with these squares occupied.
fn attacked(position: &Position, by: Color, occupied: Bitboard) -> Bitboard {
    let (west, east) = attacks::pawns(by, position.men_of(by, Role::Pawn));
    let mut attacked = west | east;
    for_each_piece(position, by, occupied, |_, attacks| attacked |= attacks);
    attacked
}

/// Whether the king of the side to move is safe after its pawn on `from` has captured en passant on `to`.
pub(crate) fn en_passant_is_safe(
    position: &Position,
    king: Square,
    from: Square,
    to: Square,
) -> bool {
    let us = position.side_to_move();
    let passed = Square::at(to.file(), from.rank());
    let occupied = position.occupied() & !from.bitboard() & !passed.bitboard() | to.bitboard();
    attackers(position, king, !us, occupied).is_empty()
}

/// Where one man may go without leaving its king attacked, castling left out.
struct Reach {
    from: Square,
    is_pawn: bool,
    captures: Bitboard,
    quiet: Bitboard,
}

impl Reach {
    fn count(&self, to: Bitboard) -> u32 {
        if self.is_pawn {
            count_pawn_moves(to, PROMOTIONS)
        } else {
            to.count()
        }
    }

    fn emit(&self, to: Bitboard, f: &mut impl FnMut(Move)) {
        for to in to {
            if self.is_pawn {
                emit_pawn_move(self.from, to, PROMOTIONS, f);
            } else {
                f(Move::new(self.from, to));
            }
        }
    }
}

/// Calls `f` with the reach of each man.
fn for_each_reach(position: &Position, safety: &Safety, mut f: impl FnMut(Reach)) {
    let us = position.side_to_move();
    let (them, empty) = (position.men(!us), !position.occupied());
    for from in position.men_of(us, Role::Pawn) {
        let (west, east) = attacks::pawns(us, from.bitboard());
        let leave = safety.leave(from);
        let mut captures = (west | east) & them & leave;
        if let Some(square) = position.en_passant()
            && (west | east).contains(square)
            && en_passant_is_safe(position, safety.king, from, square)
        {
            captures |= square.bitboard();
        }
        let [single, double] = pawn_pushes(from.bitboard(), us, empty);
        f(Reach {
            from,
            is_pawn: true,
            captures,
            quiet: (single.to | double.to) & leave,
        });
    }
    for from in position.men(us) & !position.role(Role::Pawn) {
        let to = match position.role_at(from) {
            Some(Role::King) => attacks::king(from) & !safety.attacked,
            Some(Role::Knight) => attacks::knight(from) & safety.leave(from),
            role => slides(position, from, role) & safety.leave(from),
        };
        f(Reach {
            from,
            is_pawn: false,
            captures: to & them,
            quiet: to & empty,
        });
    }
}

fn slides(position: &Position, from: Square, role: Option<Role>) -> Bitboard {
    let occupied = position.occupied();
    match role {
        Some(Role::Bishop) => attacks::bishop(from, occupied),
        Some(Role::Rook) => attacks::rook(from, occupied),
        _ => attacks::bishop(from, occupied) | attacks::rook(from, occupied),
    }
}

/// The castlings that are legal if no capture is.
fn for_each_castling(position: &Position, safety: &Safety, mut f: impl FnMut(Move)) {
    if safety.checkers.any() {
        return;
    }
    castling::for_each_open(position, |castling| {
        if (castling.king_path() & safety.attacked).is_empty() {
            f(castling.mv());
        }
    });
}

/// Whether the king of `color` is attacked.
pub(crate) fn is_king_attacked(position: &Position, color: Color) -> bool {
    let mut kings = position.men_of(color, Role::King).into_iter();
    kings.any(|king| attackers(position, king, !color, position.occupied()).any())
}

impl MoveGen for Variant34 {
    const CLASS: Class = Class::Variant34;

    fn for_each_move(position: &Position, mut f: impl FnMut(Move)) {
        if Self::winner_by_men(position).is_some() {
            return;
        }
        let Some(safety) = Safety::new(position) else {
            return;
        };
        let mut reaches: ArrayVec<Reach, 16> = ArrayVec::new();
        let mut must_capture = false;
        for_each_reach(position, &safety, |reach| {
            must_capture |= reach.captures.any();
            reaches.push(reach);
        });
        for reach in &reaches {
            let to = if must_capture {
                reach.captures
            } else {
                reach.quiet
            };
            reach.emit(to, &mut f);
        }
        if !must_capture {
            for_each_castling(position, &safety, f);
        }
    }

    fn count_moves(position: &Position) -> u32 {
        if Self::winner_by_men(position).is_some() {
            return 0;
        }
        let Some(safety) = Safety::new(position) else {
            return 0;
        };
        let (mut captures, mut quiet) = (0, 0);
        for_each_reach(position, &safety, |reach| {
            captures += reach.count(reach.captures);
            quiet += reach.count(reach.quiet);
        });
        if captures > 0 {
            return captures;
        }
        for_each_castling(position, &safety, |_| quiet += 1);
        quiet
    }

    #[inline]
    fn play_noting(position: &mut Position, mv: Move, note: impl FnMut(Change)) {
        play::play::<Self>(position, mv, note);
    }

    /// A bare king has won (rules `B5` to `B7`).
    #[inline]
    fn winner_by_men(position: &Position) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|&color| position.men(color).count() == 1)
    }

    fn en_passant_counts(position: &Position, square: Square) -> bool {
        let us = position.side_to_move();
        let Some(king) = position.men_of(us, Role::King).first() else {
            return false;
        };
        pawns_attacking(position, square)
            .into_iter()
            .any(|from| en_passant_is_safe(position, king, from, square))
    }
}
