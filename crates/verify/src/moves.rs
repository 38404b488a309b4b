//! Moves and their generation, by walking rays over the board.
//!
//! Where capturing is compulsory, the captures (en passant included) are the only legal moves as soon as there is one. Where
//! kings are royal, a move that leaves the own king attacked is not legal, and a capture that is not legal compels nobody.
//! Moves are made in canonical order: by origin square, by destination square, and by promotion in the order none, knight,
//! bishop, rook, queen, king. The order needs no sorting: origins are visited in ascending order, and the destinations of
//! one man are collected in a set that gives them back in ascending order.

use std::fmt;

use crate::board::{Color, Kind, Man, Position};
use crate::castling::Rights;
use crate::check;
use crate::geometry::{self, ALL_AROUND, DIAGONAL, STRAIGHT, SquareSet};
use crate::material;

/// A move of one man. Castling, in rulesets that have it, is the king's two-square move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the man comes from, a1 = 0 … h8 = 63.
    pub origin: u8,
    /// Where it goes.
    pub destination: u8,
    /// What a pawn that reaches the last rank becomes.
    pub promotion: Option<Kind>,
}

impl Move {
    /// The move in UCI notation, such as `e2e4` or `a7a8k`.
    #[must_use]
    pub fn to_uci(self) -> String {
        self.to_string()
    }

    /// Reads UCI notation; whether the move is legal anywhere is not asked.
    #[must_use]
    pub fn from_uci(text: &str) -> Option<Self> {
        let origin = geometry::square_from_name(text.get(0..2)?)?;
        let destination = geometry::square_from_name(text.get(2..4)?)?;
        let promotion = match text.get(4..)? {
            "" => None,
            letter => {
                let mut letters = letter.chars();
                let kind = Kind::from_letter(letters.next()?).filter(|&kind| kind != Kind::Pawn)?;
                if letters.next().is_some() {
                    return None;
                }
                Some(kind)
            }
        };
        Some(Self {
            origin,
            destination,
            promotion,
        })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            geometry::square_name(self.origin),
            geometry::square_name(self.destination)
        )?;
        self.promotion
            .map_or(Ok(()), |kind| write!(f, "{}", kind.letter()))
    }
}

/// The legal moves of a position, in canonical order. A decided position has none.
#[must_use]
pub fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    legal_moves_into(position, &mut moves);
    moves
}

/// Appends the legal moves of a position to a list, in canonical order; allocates only if the list must grow.
pub fn legal_moves_into(position: &Position, moves: &mut Vec<Move>) {
    if material::winner(position).is_some() {
        return;
    }
    let own = position.men_of(position.side_to_move());
    // A position has at most sixteen men a side: the FEN reader sees to it, and no move adds one.
    let mut reaches: Reaches = [None; 16];
    let mut any_capture = false;
    for (entry, (square, man)) in reaches.iter_mut().zip(own) {
        let targets = targets(position, square, man);
        any_capture |= !targets.captures.is_empty();
        *entry = Some((square, man, targets));
    }
    if position.class().king_is_royal() {
        any_capture = keep_safe(position, &mut reaches);
    }
    let captures_only = any_capture && position.class().capture_is_compulsory();
    for (square, man, targets) in reaches.into_iter().flatten() {
        let others = if captures_only {
            SquareSet::default()
        } else {
            targets.others
        };
        emit(position, square, man, targets.captures.union(others), moves);
    }
}

/// Takes out the destinations that leave the own king attacked; says whether a capture is left. If one is, the other
/// destinations, which do not matter then, stay as they are.
fn keep_safe(position: &Position, reaches: &mut Reaches) -> bool {
    let mut any_capture = false;
    for (square, _, targets) in reaches.iter_mut().flatten() {
        targets.captures = safe(position, *square, targets.captures);
        any_capture |= !targets.captures.is_empty();
    }
    if !any_capture {
        for (square, _, targets) in reaches.iter_mut().flatten() {
            targets.others = safe(position, *square, targets.others);
        }
    }
    any_capture
}

fn safe(position: &Position, origin: u8, destinations: SquareSet) -> SquareSet {
    destinations.filter(|destination| check::is_safe(position, origin, destination))
}

/// Each man of the side to move with its square and destinations.
type Reaches = [Option<(u8, Man, Targets)>; 16];

/// Where one man can go.
#[derive(Clone, Copy, Default)]
struct Targets {
    captures: SquareSet,
    others: SquareSet,
}

fn targets(position: &Position, square: u8, man: Man) -> Targets {
    let mut targets = Targets::default();
    match man.kind {
        Kind::Pawn => pawn_targets(position, square, &mut targets),
        Kind::Knight => {
            for to in geometry::jumps(square) {
                reach(position, to, &mut targets);
            }
        }
        Kind::King => {
            for &direction in ALL_AROUND {
                if let Some(to) = geometry::step(square, direction) {
                    reach(position, to, &mut targets);
                }
            }
            if position.castling() != Rights::NONE {
                castling_targets(position, square, &mut targets);
            }
        }
        Kind::Bishop => walk_rays(position, square, DIAGONAL, &mut targets),
        Kind::Rook => walk_rays(position, square, STRAIGHT, &mut targets),
        Kind::Queen => walk_rays(position, square, ALL_AROUND, &mut targets),
    }
    targets
}

/// Adds a square that a man of the side to move can reach; says whether the way goes on behind it.
fn reach(position: &Position, to: u8, targets: &mut Targets) -> bool {
    let own = position.side_to_move();
    if position.squares(own.opponent()).contains(to) {
        targets.captures.insert(to);
        false
    } else if position.squares(own).contains(to) {
        false
    } else {
        targets.others.insert(to);
        true
    }
}

fn walk_rays(position: &Position, square: u8, directions: &[usize], targets: &mut Targets) {
    for &direction in directions {
        for to in geometry::ray(square, direction) {
            if !reach(position, to, targets) {
                break;
            }
        }
    }
}

/// Out of line, because in most rulesets no king ever asks.
#[inline(never)]
fn castling_targets(position: &Position, square: u8, targets: &mut Targets) {
    for castle in position.castling().castles_from(square) {
        let mut between = castle.between.iter();
        if between.all(|&square| position.man(square).is_none()) {
            targets.others.insert(castle.king_to);
        }
    }
}

fn pawn_targets(position: &Position, square: u8, targets: &mut Targets) {
    let (forward, first_rank, diagonals) = match position.side_to_move() {
        Color::White => (geometry::NORTH, 1, geometry::NORTH_DIAGONALS),
        Color::Black => (geometry::SOUTH, 6, geometry::SOUTH_DIAGONALS),
    };
    let empty = |to: &u8| position.man(*to).is_none();
    if let Some(single) = geometry::step(square, forward).filter(empty) {
        targets.others.insert(single);
        if geometry::rank(square) == first_rank
            && let Some(double) = geometry::step(single, forward).filter(empty)
        {
            targets.others.insert(double);
        }
    }
    for &direction in diagonals {
        if let Some(to) = geometry::step(square, direction) {
            let enemy = position
                .man(to)
                .is_some_and(|man| man.color != position.side_to_move());
            if enemy || position.en_passant() == Some(to) {
                targets.captures.insert(to);
            }
        }
    }
}

fn emit(position: &Position, origin: u8, man: Man, destinations: SquareSet, moves: &mut Vec<Move>) {
    let last_rank = match man.color {
        Color::White => 7,
        Color::Black => 0,
    };
    for destination in destinations {
        if man.kind == Kind::Pawn && geometry::rank(destination) == last_rank {
            let promotions = position.class().promotions();
            moves.extend(promotions.iter().map(|&kind| Move {
                origin,
                destination,
                promotion: Some(kind),
            }));
        } else {
            moves.push(Move {
                origin,
                destination,
                promotion: None,
            });
        }
    }
}
