//! Games in PGN, the portable game notation, made token by token.
//!
//! The export format of the standard: tags, an empty line, the movetext in lines of less than eighty characters, a result, an empty
//! line. Promotions to a king are written `=K`. A `#` stands only where the side that moves wins (field case B22).

use rules::{Color, Game, Move, Position, Ruleset, fen, san};

/// Characters of a line at most.
const MAX_COLUMNS: usize = 79;
/// The tags of every game, in their order.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// The result of a game that `winner` wins.
#[must_use]
pub const fn result(winner: Color) -> &'static str {
    match winner {
        Color::White => "1-0",
        Color::Black => "0-1",
    }
}

/// What the tag `Variant` says of a ruleset's games, and what our own tag `Stalemate` adds where the name leaves the rule open.
#[must_use]
pub const fn variant(ruleset: Ruleset) -> (&'static str, Option<&'static str>) {
    match ruleset {
        Ruleset::International => ("Antichess", None),
        Ruleset::Fics => ("Suicide", None),
        Ruleset::Joint => ("Antichess", Some("joint")),
        Ruleset::Variant2 => ("Losing chess variant 2", None),
        Ruleset::Variant3 => ("Losing chess variant 3", None),
        Ruleset::Variant4 => ("Losing chess variant 4", None),
        Ruleset::Extinction => ("Extinction", None),
    }
}

/// What is said of a game before its moves.
#[derive(Clone, Debug)]
pub struct Tags<'a> {
    /// Who wins.
    pub winner: Color,
    /// Where the game begins.
    pub start: &'a Game,
    /// What the game is about.
    pub event: &'a str,
    /// Which of several games it is.
    pub round: &'a str,
    /// Which program wrote it.
    pub annotator: &'a str,
}

/// Writes one game. What was written is to be taken away now and then.
#[derive(Debug)]
pub struct GameWriter {
    text: String,
    ruleset: Ruleset,
    winner: Color,
    column: usize,
    /// Brackets that belong to the next token.
    opened: String,
    /// Whether the next move has its number before it though Black plays it.
    numbered: bool,
}

impl GameWriter {
    /// Begins a game with its tags.
    #[must_use]
    pub fn begin(tags: &Tags<'_>) -> Self {
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&["[", name, " \"", &value, "\"]\n"].concat());
        };
        let ruleset = tags.start.ruleset();
        let result = result(tags.winner);
        let values = [tags.event, "?", "????.??.??", tags.round, "?", "?", result];
        for (name, value) in ROSTER.into_iter().zip(values) {
            tag(name, value);
        }
        let (name, stalemate) = variant(ruleset);
        tag("Variant", name);
        if let Some(stalemate) = stalemate {
            tag("Stalemate", stalemate);
        }
        let initial = Game::initial(ruleset);
        if fen::write(tags.start) != fen::write(&initial) {
            tag("SetUp", "1");
            tag("FEN", &fen::write(tags.start));
        }
        tag("Annotator", tags.annotator);
        text.push('\n');
        Self {
            text,
            ruleset,
            winner: tags.winner,
            column: 0,
            opened: String::new(),
            numbered: true,
        }
    }

    /// What was written since the last call.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// How many bytes wait to be taken.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.text.len()
    }

    /// Writes a move that is played in `position`, with this number.
    pub fn play(&mut self, position: &Position, number: u32, mv: Move) {
        match position.side_to_move() {
            Color::White => self.token(&format!("{number}.")),
            Color::Black if self.numbered => self.token(&format!("{number}...")),
            Color::Black => {}
        }
        self.numbered = false;
        let text = self.san(position, mv);
        self.token(&text);
    }

    /// A move in SAN. Where the one who is mated wins there is no `#`.
    fn san(&self, position: &Position, mv: Move) -> String {
        let mut text = san::write(position, mv, self.ruleset);
        if text.ends_with('#') {
            let after = position.after(mv, self.ruleset);
            if self.ruleset.outcome(&after).winner() != Some(position.side_to_move()) {
                text.pop();
                text.push('+');
            }
        }
        text
    }

    /// Begins a variation: other moves instead of the last one.
    pub fn open(&mut self) {
        self.opened.push('(');
        self.numbered = true;
    }

    /// Ends a variation.
    pub fn close(&mut self) {
        self.numbered = true;
        // It stands behind the last token, and needs no space.
        if self.column < MAX_COLUMNS {
            self.column += 1;
            self.text.push(')');
        } else {
            self.token(")");
        }
    }

    /// Says something about the last move.
    pub fn comment(&mut self, text: &str) {
        self.numbered = true;
        let text = format!("{{{}}}", text.replace('}', ")"));
        for word in text.split_ascii_whitespace() {
            self.token(word);
        }
    }

    /// Ends the game.
    pub fn end(&mut self) {
        self.token(result(self.winner));
        self.text.push_str("\n\n");
    }

    fn token(&mut self, text: &str) {
        let opened = std::mem::take(&mut self.opened);
        let length = opened.len() + text.len();
        if self.column > 0 {
            if self.column + 1 + length > MAX_COLUMNS {
                self.text.push('\n');
                self.column = 0;
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.column += length;
        self.text.push_str(&opened);
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: &str, ruleset: Ruleset) -> Game {
        fen::parse(fen, ruleset).expect("a FEN").game
    }

    fn written(start: &Game, winner: Color, write: impl FnOnce(&mut GameWriter)) -> String {
        let mut writer = GameWriter::begin(&Tags {
            winner,
            start,
            event: "a \"test\"",
            round: "1",
            annotator: "takeme",
        });
        write(&mut writer);
        writer.end();
        writer.take()
    }

    fn uci(text: &str) -> Move {
        Move::parse_uci(text).expect("UCI")
    }

    #[test]
    fn tags_say_what_game_it_is_and_where_it_begins() {
        for ruleset in Ruleset::ALL {
            let text = written(&Game::initial(ruleset), Color::Black, |_| {});
            let (name, stalemate) = variant(ruleset);
            assert!(
                text.starts_with("[Event \"a \\\"test\\\"\"]\n[Site \"?\"]\n"),
                "{text}"
            );
            assert!(text.contains("[Result \"0-1\"]\n"), "{text}");
            assert!(text.contains(&format!("[Variant \"{name}\"]\n")), "{text}");
            assert_eq!(
                text.contains("[Stalemate \"joint\"]\n"),
                stalemate.is_some()
            );
            assert!(!text.contains("SetUp"), "{text}");
            assert!(text.ends_with("]\n\n0-1\n\n"), "{text}");
        }
        let fen = "8/P7/8/7p/8/8/8/8 w - - 0 1";
        let text = written(&game(fen, Ruleset::Joint), Color::White, |_| {});
        assert!(
            text.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")),
            "{text}"
        );
    }

    #[test]
    fn moves_have_numbers_where_they_need_them() {
        let start = Game::initial(Ruleset::Joint);
        let text = written(&start, Color::White, |writer| {
            let root = *start.position();
            let after = root.after(uci("e2e3"), Ruleset::Joint);
            writer.play(&root, 1, uci("e2e3"));
            writer.play(&after, 1, uci("d7d5"));
            writer.open();
            writer.play(&after, 1, uci("d7d6"));
            writer.comment("not {this}");
            writer.close();
            let after = after.after(uci("d7d5"), Ruleset::Joint);
            writer.play(&after, 2, uci("d1g4"));
        });
        assert!(
            text.ends_with("\n\n1. e3 d5 (1... d6 {not {this)}) 2. Qg4 1-0\n\n"),
            "{text}"
        );
    }

    #[test]
    fn a_mark_of_mate_says_who_wins() {
        let fen = "k7/8/1K6/8/8/8/8/7R w - - 0 1";
        for (ruleset, mate) in [
            (Ruleset::Variant3, "1. Rh8#"),
            (Ruleset::Variant4, "1. Rh8+"),
        ] {
            // A bare king ends the game: Black has a man that cannot move.
            let start = game(&fen.replace("k7/8", "k7/p7"), ruleset);
            let text = written(&start, Color::White, |writer| {
                writer.play(start.position(), 1, uci("h1h8"));
            });
            assert!(text.contains(mate), "{text}");
        }
        // Black is stalemated by it, and wins.
        let start = game("8/8/8/1p6/8/2K5/8/8 w - - 0 1", Ruleset::International);
        let text = written(&start, Color::Black, |writer| {
            writer.play(start.position(), 1, uci("c3b4"));
        });
        assert!(text.ends_with("\n\n1. Kb4 0-1\n\n"), "{text}");
    }

    #[test]
    fn lines_are_short_and_promotions_to_kings_are_written() {
        let start = game("8/P7/8/7p/8/8/8/8 w - - 0 1", Ruleset::Joint);
        let text = written(&start, Color::White, |writer| {
            for _ in 0..50 {
                writer.open();
                writer.play(start.position(), 1, uci("a7a8k"));
            }
            (0..50).for_each(|_| writer.close());
        });
        assert!(text.contains("(1. a8=K"), "{text}");
        assert!(text.lines().all(|line| line.len() < 80), "{text}");
    }
}
