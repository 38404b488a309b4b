//! Standard algebraic notation. Kings are treated like any other piece; a check is marked where kings are royal.

use crate::{
    EndReason, Game, Move, PlayError, Position, Role, Ruleset, Square, attacks, canonical_moves,
    extinction::for_each_free_move, fen, legal_moves, variant34,
};

/// Writes a legal move. Only legal moves count as rivals when the origin is disambiguated. `+` and `#` mark check and mate of
/// a royal king, whoever wins by it; elsewhere there are none, since they would not say who wins (field case B22).
#[must_use]
pub fn write(position: &Position, mv: Move, ruleset: Ruleset) -> String {
    let text = write_unmarked(position, mv, ruleset);
    if !ruleset.class().king_is_royal() {
        return text;
    }
    let after = position.after(mv, ruleset);
    if !ruleset.is_check(&after) {
        text
    } else if ruleset.outcome(&after).reason() == Some(EndReason::Checkmate) {
        text + "#"
    } else {
        text + "+"
    }
}

fn write_unmarked(position: &Position, mv: Move, ruleset: Ruleset) -> String {
    let role = position.role_at(mv.from()).unwrap_or(Role::Pawn);
    if is_castling(position, mv, ruleset) {
        return if mv.to().file() > mv.from().file() {
            "O-O"
        } else {
            "O-O-O"
        }
        .to_owned();
    }
    let capture = position.is_capture(mv);
    let mut text = String::new();
    if role == Role::Pawn {
        if capture {
            text.push(file_letter(mv.from()));
        }
    } else {
        text.push(role.letter().to_ascii_uppercase());
        text.push_str(&disambiguation(position, mv, role, ruleset));
    }
    if capture {
        text.push('x');
    }
    text.push_str(&mv.to().to_string());
    if let Some(promotion) = mv.promotion() {
        text.push('=');
        text.push(promotion.letter().to_ascii_uppercase());
    }
    text
}

/// What of the origin must be written: nothing, the file, the rank, or both, the first that tells the move from its rivals.
fn disambiguation(position: &Position, mv: Move, role: Role, ruleset: Ruleset) -> String {
    let rivals: Vec<Square> = legal_moves(position, ruleset)
        .into_iter()
        .filter(|rival| rival.to() == mv.to() && rival.from() != mv.from())
        .filter(|rival| position.role_at(rival.from()) == Some(role))
        .map(Move::from)
        .collect();
    if rivals.is_empty() {
        String::new()
    } else if rivals.iter().all(|rival| rival.file() != mv.from().file()) {
        file_letter(mv.from()).to_string()
    } else if rivals.iter().all(|rival| rival.rank() != mv.from().rank()) {
        char::from(b'1' + mv.from().rank()).to_string()
    } else {
        mv.from().to_string()
    }
}

/// Whether a legal move castles: no other move takes a king two files away.
fn is_castling(position: &Position, mv: Move, ruleset: Ruleset) -> bool {
    ruleset.class().has_castling()
        && position.role_at(mv.from()) == Some(Role::King)
        && mv.from().file().abs_diff(mv.to().file()) == 2
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file())
}

/// Reads a move of `game` in SAN or UCI. `+`, `#`, `!` and `?` at the end are ignored, so is a missing or superfluous `x` of
/// a piece. `e.p.` or `ep` may stand behind a capture en passant.
///
/// # Errors
///
/// The text is no move, an illegal one, or stands for several legal moves.
pub fn read(game: &Game, text: &str) -> Result<Move, PlayError> {
    let (body, says_en_passant) = split_marks(text);
    let mv = read_unmarked(game, text, body)?;
    if says_en_passant && !game.position().is_en_passant(mv) {
        return Err(PlayError::Illegal {
            text: text.to_owned(),
            why: "it captures nothing en passant".to_owned(),
        });
    }
    Ok(mv)
}

/// The text without the marks at its end, and whether one of them says that the move captures en passant.
fn split_marks(text: &str) -> (&str, bool) {
    let body = text.trim_end_matches(MARKS);
    let mut marks = EN_PASSANT_MARKS.into_iter();
    let before = marks.find_map(|mark| body.strip_suffix(mark));
    match before.map(str::trim_end) {
        Some(before) => (before.trim_end_matches(MARKS), true),
        None => (body, false),
    }
}

/// What scores write behind a move, and is ignored.
const MARKS: [char; 4] = ['+', '#', '!', '?'];

/// What scores write behind a capture en passant.
const EN_PASSANT_MARKS: [&str; 2] = ["e.p.", "ep"];

/// Whether a word of a score only says that the move before it captures en passant.
pub(crate) fn is_en_passant_mark(word: &str) -> bool {
    split_marks(word) == ("", true)
}

/// Reads `body`, the move that `text` names without its marks.
fn read_unmarked(game: &Game, text: &str, body: &str) -> Result<Move, PlayError> {
    let legal = game.legal_moves();
    if let Ok(mv) = Move::parse_uci(body) {
        return if legal.contains(&mv) {
            Ok(mv)
        } else {
            Err(illegal(game, text, Some(mv)))
        };
    }
    if matches!(body, "O-O" | "O-O-O" | "0-0" | "0-0-0") {
        return read_castling(game, text, body.len() == 3);
    }
    let pattern = Pattern::parse(body).ok_or_else(|| PlayError::Syntax(text.to_owned()))?;
    let matching: Vec<Move> = legal
        .iter()
        .copied()
        .filter(|&mv| pattern.matches(game.position(), mv))
        .collect();
    match matching[..] {
        [] => Err(illegal(game, text, pattern.meant(game, &legal))),
        [mv] => Ok(mv),
        _ => Err(PlayError::Ambiguous {
            text: text.to_owned(),
            candidates: join(&matching),
        }),
    }
}

fn read_castling(game: &Game, text: &str, king_side: bool) -> Result<Move, PlayError> {
    let castles = |mv: &Move| {
        is_castling(game.position(), *mv, game.ruleset())
            && (mv.to().file() > mv.from().file()) == king_side
    };
    if game.ruleset().class().has_castling() {
        let legal = game.legal_moves().into_iter().find(castles);
        return legal.ok_or_else(|| illegal(game, text, None));
    }
    Err(PlayError::Illegal {
        text: text.to_owned(),
        why: format!("there is no castling in {}", game.ruleset()),
    })
}

/// The error for a move that is well-formed but not legal in `game`, with the likeliest reason.
pub(crate) fn illegal(game: &Game, text: &str, mv: Option<Move>) -> PlayError {
    let (position, ruleset) = (game.position(), game.ruleset());
    let legal = canonical_moves(position, ruleset);
    let is_capture = |mv: &Move| position.is_capture(*mv);
    let why = if legal.is_empty() {
        "the game is over".to_owned()
    } else if mv.is_some_and(|mv| !position.occupied().contains(mv.from())) {
        "its origin is empty".to_owned()
    } else if mv.is_some_and(|mv| !position.men(position.side_to_move()).contains(mv.from())) {
        format!("it is {}'s move", position.side_to_move())
    } else if let Some(why) = mv.and_then(|mv| wrong_promotion(position, mv, &legal, ruleset)) {
        why
    } else if mv.is_some_and(|mv| leaves_the_king_attacked(game, mv)) {
        "it leaves the king attacked".to_owned()
    } else if let Some(mv) = mv.filter(|&mv| may_be_en_passant(position, mv)) {
        format!("no pawn has just passed {}", mv.to())
    } else if ruleset.class().capture_is_compulsory() && legal.iter().all(is_capture) {
        format!("capturing is compulsory, legal are {}", join(&legal))
    } else if mv.map_or(text.starts_with(['O', '0']), |mv| {
        is_castling(position, mv, ruleset) && mv.from().rank() == mv.to().rank()
    }) {
        "the king cannot castle now".to_owned()
    } else {
        "no man can move like that".to_owned()
    };
    PlayError::Illegal {
        text: text.to_owned(),
        why,
    }
}

/// What is wrong with the promotion that `mv` names, or does not name.
fn wrong_promotion(
    position: &Position,
    mv: Move,
    legal: &[Move],
    ruleset: Ruleset,
) -> Option<String> {
    let is_same = |other: &Move| (other.from(), other.to()) == (mv.from(), mv.to());
    let allowed = ruleset.class().promotions();
    let examples = if allowed.contains(&Role::King) {
        "as in a8=Q, a8=K or a7a8k"
    } else {
        "as in a8=Q or a7a8q"
    };
    let Some(role) = mv.promotion() else {
        let mut promotions = legal.iter().filter(|mv| mv.promotion().is_some());
        return promotions
            .any(is_same)
            .then(|| format!("the pawn must become something: name it, {examples}"));
    };
    let possible = possible_moves(position).into_iter().find(is_same)?;
    if possible.promotion().is_none() {
        Some("only a pawn that reaches the last rank becomes something".to_owned())
    } else if !allowed.contains(&role) {
        let role = role.name();
        Some(format!(
            "no pawn becomes a {role} in {ruleset}: name another man, {examples}"
        ))
    } else {
        None
    }
}

/// The moves that men can make as far as the board goes: whether a king stays safe, a capture is compulsory, a pawn may become
/// that, or one has just passed that is captured en passant, is left open.
fn possible_moves(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    for_each_free_move(position, |mv| moves.push(mv));
    let us = position.side_to_move();
    for from in position.men_of(us, Role::Pawn) {
        let (west, east) = attacks::pawns(us, from.bitboard());
        let captures = (west | east).into_iter().map(|to| Move::new(from, to));
        moves.extend(captures.filter(|&mv| may_be_en_passant(position, mv)));
    }
    moves
}

/// Whether a pawn would capture en passant by `mv`, had the enemy pawn beside it just passed.
fn may_be_en_passant(position: &Position, mv: Move) -> bool {
    let us = position.side_to_move();
    let (west, east) = attacks::pawns(us, mv.from().bitboard());
    position.men_of(us, Role::Pawn).contains(mv.from())
        && mv.promotion().is_none()
        && (west | east).contains(mv.to())
        && position.en_passant() != Some(mv.to())
        && fen::check_en_passant(mv.to(), position).is_ok()
}

/// Whether only the safety of a royal king forbids the move. Where no capture en passant is safe, a position does not tell
/// whether a pawn has just passed; the king would be attacked either way.
fn leaves_the_king_attacked(game: &Game, mv: Move) -> bool {
    let (position, ruleset) = (game.position(), game.ruleset());
    let us = position.side_to_move();
    if !ruleset.class().king_is_royal() || !possible_moves(position).contains(&mv) {
        return false;
    }
    match position.men_of(us, Role::King).first() {
        Some(king) if may_be_en_passant(position, mv) => {
            !variant34::en_passant_is_safe(position, king, mv.from(), mv.to())
        }
        _ => variant34::is_king_attacked(&position.after(mv, ruleset), us),
    }
}

fn join(moves: &[Move]) -> String {
    let texts: Vec<String> = moves.iter().map(Move::to_string).collect();
    texts.join(", ")
}

/// A SAN text taken apart, its marks (`+`, `!` …) already removed.
#[derive(Clone, Copy)]
struct Pattern {
    role: Role,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
    promotion: Option<Role>,
}

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        if !text.is_ascii() {
            return None;
        }
        let (body, promotion) = split_promotion(text)?;
        let (role, rest) = match body.chars().next()? {
            letter @ ('N' | 'B' | 'R' | 'Q' | 'K') => (Role::from_letter(letter)?, &body[1..]),
            _ => (Role::Pawn, body),
        };
        let (origin, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let origin = origin.strip_suffix(['x', '-']).unwrap_or(origin);
        let mut pattern = Self {
            role,
            file: None,
            rank: None,
            to: Square::parse(to)?,
            promotion,
        };
        for byte in origin.bytes() {
            match byte {
                b'a'..=b'h' if pattern.file.is_none() && pattern.rank.is_none() => {
                    pattern.file = Some(byte - b'a');
                }
                b'1'..=b'8' if pattern.rank.is_none() => pattern.rank = Some(byte - b'1'),
                _ => return None,
            }
        }
        (promotion.is_none() || role == Role::Pawn).then_some(pattern)
    }

    /// The illegal move that the text stands for, if there is one that a man could make: one that only its promotion makes
    /// illegal if there is one, else one that the safety of the king forbids.
    fn meant(self, game: &Game, legal: &[Move]) -> Option<Move> {
        let position = game.position();
        let named = |mv: Move| match self.promotion {
            None => Move::new(mv.from(), mv.to()),
            Some(role) => Move::promotion_to(mv.from(), mv.to(), role),
        };
        let fits = |mv: &Move| {
            let promotion = mv.promotion();
            Self { promotion, ..self }.matches(position, *mv)
        };
        let possible: Vec<Move> = possible_moves(position).into_iter().filter(fits).collect();
        let unsafe_move = || {
            let mut moves = possible.iter().copied().map(named);
            moves.find(|&mv| leaves_the_king_attacked(game, mv))
        };
        let legal = legal.iter().copied().find(fits).map(named);
        legal
            .or_else(unsafe_move)
            .or_else(|| possible.first().copied().map(named))
    }

    fn matches(self, position: &Position, mv: Move) -> bool {
        // A pawn's capture names its file: without one the text means an advance.
        let pawn_file_fits =
            self.role != Role::Pawn || self.file.is_some() || mv.from().file() == mv.to().file();
        mv.to() == self.to
            && mv.promotion() == self.promotion
            && position.role_at(mv.from()) == Some(self.role)
            && self.file.is_none_or(|file| file == mv.from().file())
            && self.rank.is_none_or(|rank| rank == mv.from().rank())
            && pawn_file_fits
    }
}

/// Splits `a8=K` or `a8K` into `a8` and the king; a move without promotion keeps its text.
fn split_promotion(text: &str) -> Option<(&str, Option<Role>)> {
    let last = text.chars().last()?;
    if !last.is_ascii_uppercase() {
        return Some((text, None));
    }
    let role = Role::from_letter(last).filter(|&role| role != Role::Pawn)?;
    let body = &text[..text.len() - 1];
    Some((body.strip_suffix('=').unwrap_or(body), Some(role)))
}
