//! FEN in and out. Errors name the field (section 6 of the rules text).

use std::fmt;

use thiserror::Error;

use crate::{
    Bitboard, Color, Game, MoveGen, Position, PositionBuilder, Role, Ruleset, Square, castling,
    for_class, variant34,
};

/// What is wrong with a FEN; each variant is about one field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FenError {
    /// Not four to six fields.
    #[error(
        "FEN has {0} fields, expected 4 to 6: placement, side to move, castling, en passant, clocks"
    )]
    FieldCount(usize),
    /// The first field.
    #[error("FEN placement: {0}")]
    Placement(String),
    /// The second field.
    #[error("FEN side to move: {0}")]
    SideToMove(String),
    /// The third field.
    #[error("FEN castling: expected - or letters of KQkq, each at most once, found '{0}'")]
    Castling(String),
    /// The fourth field.
    #[error("FEN en passant: {0}")]
    EnPassant(String),
    /// The fifth field.
    #[error("FEN half-move clock: expected a number up to 65535, found '{0}'")]
    HalfMoveClock(String),
    /// The sixth field.
    #[error("FEN full-move number: expected a number up to 65535, found '{0}'")]
    FullMoveNumber(String),
}

/// Something in a FEN that was read but not taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FenNote {
    /// The ruleset has no castling (rule `M2`).
    CastlingDropped,
    /// Castling rights, as bits of [`Position::castling`], whose king or rook is not on its square.
    CastlingWithoutMen(u8),
}

impl fmt::Display for FenNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CastlingDropped => {
                f.write_str("castling rights dropped: this ruleset has no castling")
            }
            Self::CastlingWithoutMen(rights) => {
                let letters = castling_letters(*rights);
                write!(
                    f,
                    "castling rights {letters} dropped: king or rook is not on its square"
                )
            }
        }
    }
}

/// A FEN read: the game it starts, and what was left out.
#[derive(Clone, Debug)]
pub struct Fen {
    /// The position with its clocks.
    pub game: Game,
    /// What was read but not taken over.
    pub notes: Vec<FenNote>,
}

/// Reads a FEN of four, five or six fields for `ruleset`. Missing clocks are `0 1`; a `~` behind a man is skipped.
///
/// # Errors
///
/// The first field, from the left, that is malformed or that no game of the ruleset can have.
pub fn parse(text: &str, ruleset: Ruleset) -> Result<Fen, FenError> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    if !(4..=6).contains(&fields.len()) {
        return Err(FenError::FieldCount(fields.len()));
    }
    let men = parse_placement(fields[0])?;
    check_men(&set_up(&men, Color::White).build(), ruleset)?;
    let side_to_move = match fields[1] {
        "w" => Color::White,
        "b" => Color::Black,
        other => {
            let message = format!("expected w or b, found '{other}'");
            return Err(FenError::SideToMove(message));
        }
    };
    let mut builder = set_up(&men, side_to_move);
    check_kings(&builder.build(), ruleset)?;
    let (rights, note) = keep_rights(parse_castling(fields[2])?, &builder.build(), ruleset);
    builder.castling(rights);
    let passed = parse_en_passant(fields[3], &builder.build())?;
    let counts = passed.filter(|&square| en_passant_counts(&builder.build(), square, ruleset));
    builder.en_passant_that_counts(counts);
    let half_moves = parse_clock(fields.get(4), 0, FenError::HalfMoveClock)?;
    let full_move = parse_clock(fields.get(5), 1, FenError::FullMoveNumber)?;
    Ok(Fen {
        // Some programs number the first move 0.
        game: Game::with_clocks(builder.build(), ruleset, half_moves, full_move.max(1)),
        notes: note.into_iter().collect(),
    })
}

fn parse_placement(field: &str) -> Result<Vec<(Square, Color, Role)>, FenError> {
    let bad = |message: String| FenError::Placement(message);
    let ranks: Vec<&str> = field.split('/').collect();
    if ranks.len() != 8 {
        return Err(bad(format!("{} ranks instead of 8", ranks.len())));
    }
    let mut men = Vec::new();
    for (text, rank) in ranks.iter().zip((0..8u8).rev()) {
        let name = rank + 1;
        let mut file = 0u8;
        let mut after_man = false;
        for letter in text.chars() {
            match letter {
                '1'..='8' => {
                    file += u8::try_from(u32::from(letter) - u32::from('0')).unwrap_or(8);
                    after_man = false;
                }
                '~' if after_man => after_man = false,
                _ => {
                    let role = Role::from_letter(letter).ok_or_else(|| {
                        bad(format!("'{letter}' on rank {name} is neither a man nor a number of empty squares"))
                    })?;
                    if file < 8 {
                        let color = if letter.is_ascii_uppercase() {
                            Color::White
                        } else {
                            Color::Black
                        };
                        men.push((Square::at(file, rank), color, role));
                    }
                    file += 1;
                    after_man = true;
                }
            }
            if file > 8 {
                return Err(bad(format!("rank {name} has more than 8 squares")));
            }
        }
        if file != 8 {
            return Err(bad(format!("rank {name} has {file} squares instead of 8")));
        }
    }
    Ok(men)
}

fn set_up(men: &[(Square, Color, Role)], side_to_move: Color) -> PositionBuilder {
    let mut builder = PositionBuilder::new(side_to_move);
    for &(square, color, role) in men {
        builder.put(square, color, role);
    }
    builder
}

/// Whether a FEN for `ruleset` can give this position.
pub(crate) fn check(position: &Position, ruleset: Ruleset) -> Result<(), FenError> {
    check_men(position, ruleset)?;
    check_kings(position, ruleset)?;
    let (rights, _) = keep_rights(position.castling(), position, ruleset);
    if rights != position.castling() {
        return Err(FenError::Castling(castling_letters(position.castling())));
    }
    let Some(square) = position.en_passant() else {
        return Ok(());
    };
    check_en_passant(square, position)
        .and_then(|()| {
            let counts = en_passant_counts(position, square, ruleset);
            counts.then_some(()).ok_or("allows no capture")
        })
        .map_err(|why| FenError::EnPassant(format!("'{square}' {why}")))
}

fn en_passant_counts(position: &Position, square: Square, ruleset: Ruleset) -> bool {
    for_class!(ruleset.class(), G => G::en_passant_counts(position, square))
}

/// Whether these men can stand on a board: not none, at most sixteen a side, pawns where pawns can be, and where kings are
/// royal, one king a side and something else beside them.
fn check_men(position: &Position, ruleset: Ruleset) -> Result<(), FenError> {
    let bad = |message: String| Err(FenError::Placement(message));
    if position.occupied().is_empty() {
        return bad("the board is empty".to_owned());
    }
    let last_ranks = Bitboard::rank(0) | Bitboard::rank(7);
    if let Some(square) = (position.role(Role::Pawn) & last_ranks).first() {
        return bad(format!("a pawn stands on {square}"));
    }
    for color in Color::ALL {
        let (men, pawns) = (
            position.men(color).count(),
            position.men_of(color, Role::Pawn).count(),
        );
        if men > 16 {
            return bad(format!("{color} has {men} men, more than 16"));
        }
        if pawns > 8 {
            return bad(format!("{color} has {pawns} pawns, more than 8"));
        }
        let kings = position.men_of(color, Role::King).count();
        if ruleset.class().king_is_royal() && kings != 1 {
            return bad(format!("{color} has {kings} kings instead of 1"));
        }
    }
    if ruleset.class().king_is_royal() && position.occupied().count() == 2 {
        return bad("both sides have a bare king".to_owned());
    }
    Ok(())
}

/// Whether the king of the side that has just moved is safe, where kings are royal.
fn check_kings(position: &Position, ruleset: Ruleset) -> Result<(), FenError> {
    let (us, them) = (position.side_to_move(), !position.side_to_move());
    if ruleset.class().king_is_royal() && variant34::is_king_attacked(position, them) {
        let message = format!("{us} to move could capture {them}'s king");
        return Err(FenError::SideToMove(message));
    }
    Ok(())
}

const CASTLING_LETTERS: &str = "KQkq";

fn castling_letters(rights: u8) -> String {
    let letters = CASTLING_LETTERS.chars().enumerate();
    letters
        .filter(|(bit, _)| rights >> bit & 1 == 1)
        .map(|(_, letter)| letter)
        .collect()
}

/// The rights that the field grants, each named once. Letters of rook files mean the same as those of sides.
fn parse_castling(field: &str) -> Result<u8, FenError> {
    let bad = || FenError::Castling(field.to_owned());
    if field == "-" {
        return Ok(0);
    }
    let mut rights = 0;
    for letter in field.chars() {
        let right = match letter {
            'K' | 'H' => 1,
            'Q' | 'A' => 2,
            'k' | 'h' => 4,
            'q' | 'a' => 8,
            _ => return Err(bad()),
        };
        if rights & right != 0 {
            return Err(bad());
        }
        rights |= right;
    }
    Ok(rights)
}

/// The rights that there are, and what to say about the others.
fn keep_rights(rights: u8, position: &Position, ruleset: Ruleset) -> (u8, Option<FenNote>) {
    if !ruleset.class().has_castling() {
        return (0, (rights != 0).then_some(FenNote::CastlingDropped));
    }
    let kept = rights & castling::rights_with_men(position);
    let lost = rights & !kept;
    (
        kept,
        (lost != 0).then_some(FenNote::CastlingWithoutMen(lost)),
    )
}

fn parse_en_passant(field: &str, position: &Position) -> Result<Option<Square>, FenError> {
    if field == "-" {
        return Ok(None);
    }
    let bad = |why: &str| FenError::EnPassant(format!("'{field}' {why}"));
    let square = Square::parse(field).ok_or_else(|| bad("is neither - nor a square"))?;
    check_en_passant(square, position).map_err(bad)?;
    Ok(Some(square))
}

/// Whether an enemy pawn may just have passed over `square`; if not, why.
pub(crate) fn check_en_passant(square: Square, position: &Position) -> Result<(), &'static str> {
    let us = position.side_to_move();
    if square.relative_rank(us) != 5 {
        return Err("is not on the rank that a pawn of the other side has just passed");
    }
    let (origin_rank, pawn_rank) = match us {
        Color::White => (6, 4),
        Color::Black => (1, 3),
    };
    let pawn = Square::at(square.file(), pawn_rank);
    if !position.men_of(!us, Role::Pawn).contains(pawn) {
        return Err("has no pawn in front of it that could have just moved two squares");
    }
    let origin = Square::at(square.file(), origin_rank);
    if (position.occupied() & (square.bitboard() | origin.bitboard())).any() {
        return Err("needs two empty squares behind the pawn");
    }
    Ok(())
}

fn parse_clock(
    field: Option<&&str>,
    missing: u16,
    error: fn(String) -> FenError,
) -> Result<u16, FenError> {
    match field {
        None => Ok(missing),
        Some(text) if text.bytes().all(|b| b.is_ascii_digit()) => {
            text.parse().map_err(|_| error((*text).to_owned()))
        }
        Some(text) => Err(error((*text).to_owned())),
    }
}

/// The first four fields: placement, side to move, castling, en passant (only if such a capture is legal).
#[must_use]
pub fn write_position(position: &Position) -> String {
    let mut text = String::new();
    for rank in (0..8u8).rev() {
        let mut empty = 0;
        for file in 0..8u8 {
            let Some((color, role)) = position.man_at(Square::at(file, rank)) else {
                empty += 1;
                continue;
            };
            push_empty(&mut text, &mut empty);
            text.push(match color {
                Color::White => role.letter().to_ascii_uppercase(),
                Color::Black => role.letter(),
            });
        }
        push_empty(&mut text, &mut empty);
        if rank > 0 {
            text.push('/');
        }
    }
    text.push(' ');
    text.push(position.side_to_move().letter());
    text.push(' ');
    if position.castling() == 0 {
        text.push('-');
    }
    text.push_str(&castling_letters(position.castling()));
    text.push(' ');
    match position.en_passant() {
        Some(square) => text.push_str(&square.to_string()),
        None => text.push('-'),
    }
    text
}

fn push_empty(text: &mut String, empty: &mut u8) {
    if *empty > 0 {
        text.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}

/// All six fields.
#[must_use]
pub fn write(game: &Game) -> String {
    format!(
        "{} {} {}",
        write_position(game.position()),
        game.half_moves(),
        game.full_move()
    )
}
