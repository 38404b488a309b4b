//! Reading and writing positions as FEN.
//!
//! Reading is strict: four to six fields, each judged on its own, and the error names the field. Two things are accepted
//! and dropped: castling rights where the ruleset has no castling or king and rook are not at home, and an en-passant square
//! that no pawn may capture on.

use std::error::Error;
use std::fmt;

use crate::board::{Color, Kind, Man, Position};
use crate::castling::Rights;
use crate::check;
use crate::geometry;
use crate::ruleset::{MoveClass, Ruleset};

/// Why a text is not the FEN of a position that can be judged.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FenError {
    /// The number of fields is not 4, 5 or 6.
    FieldCount(usize),
    /// The first field does not describe eight ranks of eight squares.
    Placement(String),
    /// A side has more than sixteen men.
    TooManyMen(Color),
    /// A side has more than eight pawns.
    TooManyPawns(Color),
    /// A pawn stands on the first or last rank, on the square named.
    PawnOnEdge(String),
    /// The board is empty.
    NoMen,
    /// A side has not exactly one king, where kings are royal.
    KingCount {
        /// The side.
        color: Color,
        /// How many kings it has.
        count: usize,
    },
    /// Neither side has a man but its king, where the first side to come to that wins.
    BareKings,
    /// A royal king of that side is attacked, but the other side is to move.
    OpponentInCheck(Color),
    /// The second field is not `w` or `b`.
    SideToMove(String),
    /// The third field is not castling rights.
    Castling(String),
    /// The fourth field is not an en-passant square that the position allows.
    EnPassant {
        /// The field.
        field: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The fifth field is not a number.
    HalfmoveClock(String),
    /// The sixth field is not a number.
    MoveNumber(String),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldCount(count) => write!(f, "FEN has {count} fields, expected 4 to 6"),
            Self::Placement(problem) => write!(f, "FEN placement field: {problem}"),
            Self::TooManyMen(color) => {
                write!(f, "FEN placement field: {color} has more than 16 men")
            }
            Self::TooManyPawns(color) => {
                write!(f, "FEN placement field: {color} has more than 8 pawns")
            }
            Self::PawnOnEdge(square) => write!(f, "FEN placement field: pawn on {square}"),
            Self::NoMen => f.write_str("FEN placement field: neither side has a man"),
            Self::KingCount { color, count } => write!(
                f,
                "FEN placement field: {color} has {count} kings, expected 1"
            ),
            Self::BareKings => {
                f.write_str("FEN placement field: neither side has a man but its king")
            }
            Self::OpponentInCheck(color) => write!(
                f,
                "FEN side-to-move field: the king of {color} is attacked, so {color} must be to move"
            ),
            Self::SideToMove(field) => write!(f, "FEN side-to-move field: {field:?} is not w or b"),
            Self::Castling(field) => write!(
                f,
                "FEN castling field: {field:?} is not - or letters of KQkq"
            ),
            Self::EnPassant { field, problem } => {
                write!(f, "FEN en-passant field: {field:?} {problem}")
            }
            Self::HalfmoveClock(field) => {
                write!(f, "FEN half-move clock field: {field:?} is not a number")
            }
            Self::MoveNumber(field) => {
                write!(f, "FEN move number field: {field:?} is not a number")
            }
        }
    }
}

impl Error for FenError {}

impl Position {
    /// Reads a FEN of four to six fields; the clocks are read and forgotten.
    ///
    /// # Errors
    ///
    /// [`FenError`] names the field that is wrong.
    pub fn from_fen(fen: &str, ruleset: Ruleset) -> Result<Self, FenError> {
        let class = ruleset.move_class();
        let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        let (&[placement, side, castling, en_passant], clocks) = fields
            .split_first_chunk()
            .ok_or(FenError::FieldCount(fields.len()))?;
        if clocks.len() > 2 {
            return Err(FenError::FieldCount(fields.len()));
        }
        let mut position = read_placement(placement, class)?;
        position.set_side_to_move(match side {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(FenError::SideToMove(side.to_owned())),
        });
        if class.king_is_royal() {
            check_royal_kings(&position)?;
        }
        let rights = Rights::read(castling, &position)
            .ok_or_else(|| FenError::Castling(castling.to_owned()))?;
        if class.has_castling() {
            position.set_castling(rights);
        }
        read_en_passant(en_passant, &mut position).map_err(|problem| FenError::EnPassant {
            field: en_passant.to_owned(),
            problem,
        })?;
        let is_number = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
        match *clocks {
            [clock, ..] if !is_number(clock) => Err(FenError::HalfmoveClock(clock.to_owned())),
            [_, number] if !is_number(number) => Err(FenError::MoveNumber(number.to_owned())),
            _ => Ok(position),
        }
    }

    /// The first four fields of the position's FEN, in the one form that certificates use.
    #[must_use]
    pub fn fen(&self) -> String {
        let mut fen = String::new();
        for rank in (0..8_u8).rev() {
            let mut empty = 0_u8;
            for file in 0..8_u8 {
                match self.man(geometry::join(file, rank << 3)) {
                    None => empty = empty.saturating_add(1),
                    Some(man) => {
                        push_empty(&mut fen, &mut empty);
                        let letter = man.kind.letter();
                        fen.push(if man.color == Color::White {
                            letter.to_ascii_uppercase()
                        } else {
                            letter
                        });
                    }
                }
            }
            push_empty(&mut fen, &mut empty);
            if rank != 0 {
                fen.push('/');
            }
        }
        fen.push_str(if self.side_to_move() == Color::White {
            " w "
        } else {
            " b "
        });
        fen.push_str(&self.castling().to_string());
        fen.push(' ');
        match self.en_passant() {
            Some(square) => fen.push_str(&geometry::square_name(square)),
            None => fen.push('-'),
        }
        fen
    }
}

fn push_empty(fen: &mut String, empty: &mut u8) {
    if *empty > 0 {
        fen.push_str(&empty.to_string());
        *empty = 0;
    }
}

fn read_placement(field: &str, class: MoveClass) -> Result<Position, FenError> {
    let wrong = |problem: String| FenError::Placement(problem);
    let ranks: Vec<&str> = field.split('/').collect();
    if ranks.len() != 8 {
        return Err(wrong(format!("{} ranks, expected 8", ranks.len())));
    }
    let mut position = Position::empty(class);
    let mut pawns = [(Color::White, 0_u8), (Color::Black, 0_u8)];
    for (rank, text) in (0..8_u8).rev().zip(ranks) {
        // A square counts its rank in eights, so `rank << 3` is its first square.
        let mut squares = (0..8_u8).map(|file| geometry::join(file, rank << 3));
        let overfull = || FenError::Placement(format!("rank {text:?} has more than 8 squares"));
        let mut previous = '/';
        for letter in text.chars() {
            if let Some(run @ 1..=8) = letter.to_digit(10) {
                if previous.is_ascii_digit() {
                    return Err(wrong(format!("two digits in a row in {text:?}")));
                }
                for _ in 0..run {
                    squares.next().ok_or_else(overfull)?;
                }
            } else if let Some(kind) = Kind::from_letter(letter.to_ascii_lowercase()) {
                let color = if letter.is_ascii_uppercase() {
                    Color::White
                } else {
                    Color::Black
                };
                let square = squares.next().ok_or_else(overfull)?;
                if kind == Kind::Pawn {
                    if matches!(rank, 0 | 7) {
                        return Err(FenError::PawnOnEdge(geometry::square_name(square)));
                    }
                    for (_, count) in pawns.iter_mut().filter(|(side, _)| *side == color) {
                        *count = count.saturating_add(1);
                    }
                }
                position.put(square, Man { color, kind }, &mut |_, _| ());
            } else if letter != '~' || !previous.is_ascii_alphabetic() {
                // A tilde marks a promoted man in some files and means nothing here.
                return Err(wrong(format!(
                    "{letter:?} is not a man or a digit from 1 to 8"
                )));
            }
            previous = letter;
        }
        if squares.next().is_some() {
            return Err(wrong(format!("rank {text:?} has fewer than 8 squares")));
        }
    }
    for (color, count) in pawns {
        if position.men(color) > 16 {
            return Err(FenError::TooManyMen(color));
        }
        if count > 8 {
            return Err(FenError::TooManyPawns(color));
        }
    }
    if position.men(Color::White) == 0 && position.men(Color::Black) == 0 {
        return Err(FenError::NoMen);
    }
    Ok(position)
}

/// Refuses what cannot come up in a game with royal kings.
fn check_royal_kings(position: &Position) -> Result<(), FenError> {
    for color in [Color::White, Color::Black] {
        let king = Man {
            color,
            kind: Kind::King,
        };
        let count = position.all_men().filter(|&(_, man)| man == king).count();
        if count != 1 {
            return Err(FenError::KingCount { color, count });
        }
    }
    let opponent = position.side_to_move().opponent();
    if check::is_in_check(position, opponent) {
        return Err(FenError::OpponentInCheck(opponent));
    }
    if position.men(Color::White) == 1 && position.men(Color::Black) == 1 {
        return Err(FenError::BareKings);
    }
    Ok(())
}

fn read_en_passant(field: &str, position: &mut Position) -> Result<(), &'static str> {
    if field == "-" {
        return Ok(());
    }
    let square = geometry::square_from_name(field).ok_or("is not - or a square")?;
    let side = position.side_to_move();
    let (rank, forward, backward) = match side {
        Color::White => (5, geometry::NORTH, geometry::SOUTH),
        Color::Black => (2, geometry::SOUTH, geometry::NORTH),
    };
    if geometry::rank(square) != rank {
        return Err("is not on the rank that a pawn of the other side passes with a double step");
    }
    let origin = geometry::step(square, forward).ok_or("is on the edge")?;
    let pawn = geometry::step(square, backward).ok_or("is on the edge")?;
    if position.man(pawn)
        != Some(Man {
            color: side.opponent(),
            kind: Kind::Pawn,
        })
    {
        return Err("has no pawn of the other side in front of it");
    }
    if position.man(square).is_some() || position.man(origin).is_some() {
        return Err("is not empty, or the square that the pawn came from is not");
    }
    position.offer_en_passant(square, pawn);
    Ok(())
}
