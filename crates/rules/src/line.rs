//! Lines: a position given as moves from a start.

use thiserror::Error;

use crate::{Color, Game, Move, PlayError, Position, Ruleset, san};

/// A move of a line that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {number}{dots} (ply {ply}): {source}")]
pub struct LineError {
    /// The move's number as in a game score.
    pub number: u16,
    /// `.` for White, `...` for Black.
    pub dots: &'static str,
    /// The move's place in the line, from 1.
    pub ply: usize,
    /// What is wrong with it.
    pub source: PlayError,
}

/// Plays a LINE from `start`: SAN or UCI moves, with or without numbers; `startpos` or nothing is `start` itself. A result
/// (`1-0`, `0-1`, `1/2-1/2`, `*`) at the end is ignored.
///
/// # Errors
///
/// The first move that cannot be played, with its number.
pub fn play(start: Game, text: &str) -> Result<(Game, Vec<Move>), LineError> {
    let mut game = start;
    let mut moves = Vec::new();
    for token in tokens(text) {
        let number = game.full_move();
        let dots = match game.position().side_to_move() {
            Color::White => ".",
            Color::Black => "...",
        };
        let mv = game.play_text(&token).map_err(|source| LineError {
            number,
            dots,
            ply: moves.len() + 1,
            source,
        })?;
        moves.push(mv);
    }
    Ok((game, moves))
}

/// The moves of a line's text, without `startpos`, move numbers and result. An `e.p.` on its own belongs to the move before it.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for word in words(text) {
        match tokens.last_mut() {
            Some(last) if san::is_en_passant_mark(word) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => tokens.push(word.to_owned()),
        }
    }
    tokens
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_ascii_whitespace()
        .map(|word| {
            let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
            match digits.strip_prefix('.') {
                Some(rest) if digits.len() < word.len() => rest.trim_start_matches('.'),
                _ => word.trim_start_matches('.'),
            }
        })
        .filter(|word| !matches!(*word, "" | "startpos" | "1-0" | "0-1" | "1/2-1/2" | "*"))
}

/// UCI moves joined by spaces.
#[must_use]
pub fn write_uci(moves: &[Move]) -> String {
    let texts: Vec<String> = moves.iter().map(Move::to_string).collect();
    texts.join(" ")
}

/// A numbered game score in SAN, such as `1. e3 d5 2. Qg4`, for legal moves played from `position`, whose move has the number
/// `full_move`.
#[must_use]
pub fn write_san(position: &Position, full_move: u16, moves: &[Move], ruleset: Ruleset) -> String {
    let mut text = String::new();
    let mut here = *position;
    let mut number = u32::from(full_move);
    for (i, &mv) in moves.iter().enumerate() {
        if i > 0 {
            text.push(' ');
        }
        let white_to_move = here.side_to_move() == Color::White;
        if white_to_move || i == 0 {
            text.push_str(&number.to_string());
            text.push_str(if white_to_move { ". " } else { "... " });
        }
        number += u32::from(!white_to_move);
        text.push_str(&san::write(&here, mv, ruleset));
        here = here.after(mv, ruleset);
    }
    text
}
