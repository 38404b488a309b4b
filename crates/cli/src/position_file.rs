//! Files of positions: lines of moves, EPD, PGN.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use anyhow::{Context as _, Result};
use rules::{Game, Ruleset, fen};

use crate::{
    question::{Question, partition},
    usage::Usage,
    variant_tag,
};

/// Reads all of a file, or of standard input if it is called `-`.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes).map(drop)
    } else {
        fs::read(path).map(|read| bytes = read)
    };
    read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes)
}

/// The positions in a file. Lines of moves begin at `start`; EPD and PGN bring their own.
///
/// # Errors
///
/// The file cannot be read; or tells every line of it that is wrong, by number.
pub(crate) fn read(path: &Path, start: &Game, from_fen: bool) -> Result<Vec<Question>> {
    let bytes = read_bytes(path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Usage::new(format!("{} is no UTF-8 text", path.display())))?;
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let played = if is_pgn(text) {
        read_pgn(text, start.ruleset())
    } else {
        read_lines(text, start, from_fen)
    };
    let (good, bad) = partition(played);
    if bad.is_empty() {
        return Ok(good);
    }
    let named = bad
        .into_iter()
        .map(|message| format!("{}, {message}", path.display()));
    Err(Usage::several(named.collect()).into())
}

fn is_pgn(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('%'))
        .is_some_and(|line| line.starts_with('['))
}

fn read_lines(text: &str, start: &Game, from_fen: bool) -> Vec<Result<Question, String>> {
    let lines = text.lines().zip(1..).filter_map(|(line, number)| {
        let line = line.split('#').next().unwrap_or_default().trim();
        let question = if line.is_empty() {
            return None;
        } else if line.split_ascii_whitespace().next()?.contains('/') {
            read_epd(line, start.ruleset())
        } else {
            Question::play(start, line, from_fen)
        };
        Some(question.map_err(|message| format!("line {number}: {message}")))
    });
    lines.collect()
}

/// An EPD record, of which only the position counts, or a FEN.
pub(crate) fn read_epd(line: &str, ruleset: Ruleset) -> Result<Question, String> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_clock = |field: &&&str| field.bytes().all(|byte| byte.is_ascii_digit());
    let clocks = fields.iter().skip(4).take(2).take_while(is_clock).count();
    let fen = fields[..fields.len().min(4 + clocks)].join(" ");
    let game = fen::parse(&fen, ruleset)
        .map_err(|error| error.to_string())?
        .game;
    Question::play(&game, "", true)
}

/// A game of a PGN file: its tags, and its moves without comments and variations.
#[derive(Default)]
struct PgnGame {
    tags: Vec<(String, String)>,
    moves: String,
    first_line: usize,
}

impl PgnGame {
    fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        tags.find(|(tag, _)| tag == name)
            .map(|(_, value)| value.as_str())
    }

    fn play(&self, ruleset: Ruleset) -> Result<Question, String> {
        if let Some(variant) = self.tag("Variant") {
            variant_tag::check(variant, ruleset)?;
        }
        let fen = self.tag("FEN");
        let start = match fen {
            Some(fen) => {
                fen::parse(fen, ruleset)
                    .map_err(|error| error.to_string())?
                    .game
            }
            None => Game::initial(ruleset),
        };
        Question::play(&start, &self.moves, fen.is_some())
    }
}

fn read_pgn(text: &str, ruleset: Ruleset) -> Vec<Result<Question, String>> {
    pgn_games(text)
        .iter()
        .map(|game| {
            let question = game.play(ruleset);
            question.map_err(|message| format!("game at line {}: {message}", game.first_line))
        })
        .collect()
}

/// Splits a file into games: a tag behind moves begins the next one.
fn pgn_games(text: &str) -> Vec<PgnGame> {
    let mut games: Vec<PgnGame> = Vec::new();
    let mut in_moves = true;
    let mut skip = Skip::default();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if skip.is_idle() && line.starts_with('[') {
            if in_moves {
                games.push(PgnGame {
                    first_line: number,
                    ..PgnGame::default()
                });
                in_moves = false;
            }
            if let (Some(game), Some(tag)) = (games.last_mut(), read_tag(line)) {
                game.tags.push(tag);
            }
        } else if let Some(game) = games.last_mut()
            && !line.is_empty()
            && !line.starts_with('%')
        {
            in_moves = true;
            skip.take_moves(line, &mut game.moves);
        }
    }
    games
}

fn read_tag(line: &str) -> Option<(String, String)> {
    let (name, value) = line.strip_prefix('[')?.split_once(' ')?;
    let value = value.trim().strip_prefix('"')?;
    let (value, _) = value.rsplit_once('"')?;
    Some((name.to_owned(), value.to_owned()))
}

/// What of a game's text is not its main line: `{comments}`, `(variations)`, `$7`, `; to the end of the line`.
#[derive(Default)]
struct Skip {
    in_comment: bool,
    variations: usize,
}

impl Skip {
    fn is_idle(&self) -> bool {
        !self.in_comment && self.variations == 0
    }

    fn take_moves(&mut self, line: &str, moves: &mut String) {
        let mut in_mark = false;
        for letter in line.chars() {
            in_mark = letter == '$' || in_mark && letter.is_ascii_digit();
            match letter {
                _ if self.in_comment => self.in_comment = letter != '}',
                '{' => self.in_comment = true,
                ';' => break,
                '(' => self.variations += 1,
                ')' => self.variations = self.variations.saturating_sub(1),
                _ if self.variations > 0 || in_mark => {}
                _ => moves.push(letter),
            }
        }
        moves.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(questions: Vec<Result<Question, String>>) -> Vec<String> {
        let name = |question: Result<Question, String>| match question {
            Ok(question) => question.name(),
            Err(message) => message,
        };
        questions.into_iter().map(name).collect()
    }

    #[test]
    fn lines_have_comments_and_may_be_epd() {
        let start = Game::initial(Ruleset::Joint);
        let text = "# openings\n1. e3 d5 # easy\n\ne2e3 d7d6\n8/8/8/1p6/2K5/8/8/8 w - - bm Kxb5; id \"x\";\n";
        let names = names(read_lines(text, &start, false));
        assert_eq!(
            names,
            ["1. e3 d5", "1. e3 d6", "8/8/8/1p6/2K5/8/8/8 w - - 0 1"]
        );
    }

    #[test]
    fn a_wrong_line_is_told_by_its_number() {
        let start = Game::initial(Ruleset::Joint);
        let names = names(read_lines("e3\n\ne3 Ke5\n", &start, false));
        assert_eq!(names[0], "1. e3");
        assert!(
            names[1].starts_with("line 3: cannot play 'e3 Ke5': move 1... (ply 2)"),
            "{names:?}"
        );
    }

    #[test]
    fn the_main_lines_of_a_pgn_are_read() {
        let text = "[Event \"a [b]\"]\n[Variant \"Antichess\"]\n\n1. e3 {why ( [not} d5 $1 (1... b6\n2. Ba6) 2. Qg4 ; good\n 1-0\n\n\
                    [FEN \"8/8/8/1p6/2K5/8/8/8 w - - 0 1\"]\n\n1. Kxb5 1-0\n\n[Variant \"Crazyhouse\"]\n\n1. e4 *\n";
        let names = names(read_pgn(text, Ruleset::Joint));
        assert_eq!(names[0], "1. e3 d5 2. Qg4");
        assert_eq!(names[1], "8/8/8/1p6/2K5/8/8/8 w - - 0 1 1. Kxb5");
        assert!(names[2].contains("Crazyhouse"), "{names:?}");
    }
}
