//! Advice about moves: `LINE: MOVE`, on the command line or in a file, and books of other solvers.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use interchange::colibri;
use prover::Skeleton;
use rules::{Game, Move, Position, Ruleset, line};
use search::{Advice, Hints};
use store::Store;

use crate::{books, units, usage::Usage};

/// So many wrong lines of a file are told, each in full.
const MAX_TOLD: usize = 20;

/// What is known beforehand of moves. It changes the order in which a search looks at them, never what is true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guide {
    /// Which moves to look at first.
    pub(crate) hints: Arc<Hints>,
    /// Moves that books say win.
    pub(crate) skeleton: Arc<Skeleton>,
    /// What there is to tell about it.
    pub(crate) notes: Vec<String>,
}

impl Guide {
    /// Adds what imported books say of positions that nothing was said of.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub(crate) fn add_imported(&mut self, store: &Store, ruleset: Ruleset) -> Result<()> {
        let hints = Arc::make_mut(&mut self.hints);
        let skeleton = Arc::make_mut(&mut self.skeleton);
        let mut moves = 0;
        store.for_each_hint(ruleset, |position, mv| {
            if hints.at(position.key()).is_empty() {
                hints.insert(position, mv, Advice::Prefer);
                skeleton.insert(position, mv);
                moves += 1;
            }
        })?;
        if moves > 0 {
            let moves = units::count(moves, "winning move");
            self.notes.push(format!(
                "{moves} of imported books; the leaves below a line are proven first"
            ));
        }
        Ok(())
    }
}

/// A [`Guide`] in the making.
#[derive(Debug, Default)]
struct Advisers {
    hints: Hints,
    skeleton: Skeleton,
    notes: Vec<String>,
}

impl Advisers {
    /// Takes over a piece of advice, which holds before what a book says of the position.
    fn insert(&mut self, position: &Position, mv: Move, advice: Advice) {
        if self.skeleton.remove(position) && advice == Advice::Prefer {
            self.skeleton.insert(position, mv);
        }
        self.hints.insert(position, mv, advice);
    }

    /// Takes over a move that a book says wins.
    fn insert_claim(&mut self, position: &Position, mv: Move) {
        self.skeleton.insert(position, mv);
        self.hints.insert(position, mv, Advice::Prefer);
    }

    fn guide(self) -> Guide {
        Guide {
            hints: Arc::new(self.hints),
            skeleton: Arc::new(self.skeleton),
            notes: self.notes,
        }
    }
}

/// The flags that bring hints.
#[derive(Clone, Debug, Default)]
pub(crate) struct HintArgs {
    /// The file, of which nothing is read yet.
    pub(crate) file: Option<PathBuf>,
    /// What `--prefer` and `--avoid` say, in the order of the command line.
    given: Vec<(Advice, String)>,
}

impl HintArgs {
    /// All hints. Of those about one move the last holds, and flags hold before the file.
    ///
    /// # Errors
    ///
    /// The file cannot be read; or tells each hint that is wrong, by its flag or the file's line.
    pub(crate) fn read(&self, start: &Game) -> Result<Guide> {
        let mut hints = Advisers::default();
        if let Some(path) = &self.file {
            read_file(path, start, &mut hints)?;
        }
        let mut bad = Vec::new();
        for (advice, text) in &self.given {
            match read_hint(start, text) {
                Ok((position, mv)) => hints.insert(&position, mv, *advice),
                Err(why) => bad.push(format!("--{} '{text}': {why}", name(*advice))),
            }
        }
        if bad.is_empty() {
            Ok(hints.guide())
        } else {
            Err(Usage::several(bad).into())
        }
    }
}

const fn name(advice: Advice) -> &'static str {
    match advice {
        Advice::Prefer => "prefer",
        Advice::Avoid => "avoid",
    }
}

// By hand: derived code would keep the two flags apart, and with that forget which of them came last.
impl Args for HintArgs {
    fn augment_args(command: Command) -> Command {
        let hint = |advice, help: &'static str| {
            Arg::new(name(advice))
                .long(name(advice))
                .value_name("LINE: MOVE")
                .action(ArgAction::Append)
                .help(help)
        };
        command
            .arg(hint(
                Advice::Prefer,
                "After LINE, look at MOVE before the others, such as '1. e3 h6: Ba6'; repeatable. Hints change the order of the \
                 search, never what is true; of several about one move the last holds",
            ))
            .arg(hint(
                Advice::Avoid,
                "After LINE, look at MOVE after the others; repeatable",
            ))
            .arg(
                Arg::new("hints")
                    .long("hints")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help(
                        "Read hints from a file: prefer LINE: MOVE (or LINE: MOVE) and avoid LINE: MOVE, one a line, # begins a \
                         comment; or a Colibri book, whose leaves below LINE are proven first; - is standard input. --prefer and \
                         --avoid hold before it",
                    ),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for HintArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Vec::new();
        for advice in [Advice::Prefer, Advice::Avoid] {
            let texts = matches.get_many::<String>(name(advice));
            let places = matches.indices_of(name(advice));
            for (place, text) in places
                .into_iter()
                .flatten()
                .zip(texts.into_iter().flatten())
            {
                given.push((place, advice, text.clone()));
            }
        }
        given.sort_by_key(|&(place, ..)| place);
        Ok(Self {
            file: matches.get_one("hints").cloned(),
            given: given
                .into_iter()
                .map(|(_, advice, text)| (advice, text))
                .collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn read_file(path: &Path, start: &Game, hints: &mut Advisers) -> Result<()> {
    let cannot = || format!("cannot read {}", path.display());
    if path == Path::new("-") {
        return read_content(path, io::stdin().lock(), start, hints);
    }
    let file = File::open(path).with_context(cannot)?;
    // A directory opens, too.
    if file.metadata().with_context(cannot)?.is_dir() {
        let error = io::Error::from(io::ErrorKind::IsADirectory);
        return Err(error).with_context(cannot);
    }
    read_content(path, BufReader::new(file), start, hints)
}

/// Reads a book or lines. A book begins with more zeros than any text has.
fn read_content(
    path: &Path,
    mut file: impl BufRead,
    start: &Game,
    hints: &mut Advisers,
) -> Result<()> {
    let mut head = Vec::new();
    file.by_ref()
        .take(colibri::HEADER_BYTES as u64)
        .read_to_end(&mut head)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let is_book = head.contains(&0);
    let file = io::Cursor::new(head).chain(file);
    if is_book {
        read_book(path, file, start, hints)
    } else {
        read_lines(path, file, start, hints)
    }
}

fn read_book(path: &Path, file: impl BufRead, start: &Game, hints: &mut Advisers) -> Result<()> {
    let mut moves = 0;
    let book = books::read(path, file, start.ruleset(), |position, mv| {
        hints.insert_claim(position, mv);
        moves += 1;
    })?;
    let moves = units::count(moves, "winning move");
    hints.notes.push(format!(
        "{}: a Colibri book of {} with {moves}; the leaves below a line are proven first",
        path.display(),
        units::count(book.nodes, "position"),
    ));
    Ok(())
}

/// Reads a file as it comes: it may be long, and standard input may be slow.
fn read_lines(path: &Path, file: impl BufRead, start: &Game, hints: &mut Advisers) -> Result<()> {
    let path = path.display();
    let mut bad = Vec::new();
    let mut more = 0_usize;
    for (bytes, number) in file.split(b'\n').zip(1_u64..) {
        let bytes = bytes.with_context(|| format!("cannot read {path}"))?;
        let read = match str::from_utf8(&bytes) {
            // Some editors begin a file with a byte order mark.
            Ok(text) if number == 1 => read_line(start, text.trim_start_matches('\u{feff}')),
            Ok(text) => read_line(start, text),
            Err(_) => Err("this is no UTF-8 text".to_owned()),
        };
        match read {
            Ok(None) => {}
            Ok(Some((advice, position, mv))) => hints.insert(&position, mv, advice),
            Err(why) if bad.len() < MAX_TOLD => bad.push(format!("{path}:{number}: {why}")),
            Err(_) => more += 1,
        }
    }
    if bad.is_empty() {
        return Ok(());
    }
    if more > 0 {
        bad.push(format!("{path}: {more} more lines are wrong"));
    }
    Err(Usage::several(bad).into())
}

/// A line of a file: a hint, or nothing.
fn read_line(start: &Game, text: &str) -> Result<Option<(Advice, Position, Move)>, String> {
    let text = text.split('#').next().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    let mut advice = Advice::Prefer;
    let mut hint = text;
    for keyword in [Advice::Prefer, Advice::Avoid] {
        if let Some(rest) = text.strip_prefix(name(keyword))
            && rest.starts_with(|next: char| next == ':' || next.is_ascii_whitespace())
        {
            (advice, hint) = (keyword, rest);
        }
    }
    let (position, mv) = read_hint(start, hint)?;
    Ok(Some((advice, position, mv)))
}

/// `LINE: MOVE`.
fn read_hint(start: &Game, text: &str) -> Result<(Position, Move), String> {
    let Some((before, mv)) = text.rsplit_once(':') else {
        return Err("there is no ':' between LINE and MOVE".to_owned());
    };
    let (game, moves) = line::play(start.clone(), before)
        .map_err(|error| format!("cannot play '{}': {error}", before.trim()))?;
    let position = *game.position();
    let (_, hinted) = line::play(game, mv).map_err(|mut error| {
        error.ply += moves.len();
        format!("cannot play '{}': {error}", mv.trim())
    })?;
    match hinted[..] {
        [mv] => Ok((position, mv)),
        [] => Err("there is no MOVE behind the ':'".to_owned()),
        _ => Err(format!("'{}' is more than one move", mv.trim())),
    }
}

#[cfg(test)]
mod tests {
    use rules::Ruleset;

    use super::*;

    fn start() -> Game {
        Game::initial(Ruleset::Joint)
    }

    #[test]
    fn a_line_of_a_file_says_prefer_avoid_or_nothing() {
        let read = |text| {
            let hint = read_line(&start(), text).expect("a hint or nothing");
            hint.map(|(advice, _, mv)| (advice, mv.to_string()))
        };
        let prefer = |mv: &str| Some((Advice::Prefer, mv.to_owned()));
        let avoid = |mv: &str| Some((Advice::Avoid, mv.to_owned()));
        assert_eq!(read("1. e3 h6: Ba6"), prefer("f1a6"));
        assert_eq!(read("prefer e2e3 h7h6: 2. Ba6 # good"), prefer("f1a6"));
        assert_eq!(read("avoid\t1. e3: 1... a5\r"), avoid("a7a5"));
        assert_eq!(read("avoid startpos: e2e4"), avoid("e2e4"));
        assert_eq!(read("avoid : e4"), avoid("e2e4"));
        assert_eq!(read("prefer: e4"), prefer("e2e4"));
        assert_eq!(read(": e3"), prefer("e2e3"));
        assert_eq!(read("  # nothing"), None);
    }

    #[test]
    fn a_wrong_hint_says_what_is_wrong() {
        let why = |text| read_hint(&start(), text).expect_err("it is wrong");
        assert!(why("1. e3 h6").contains("no ':'"));
        assert!(why("1. e3 h6:").contains("no MOVE"));
        assert!(why("1. e3: h6 Ba6").contains("more than one move"));
        assert!(why("1. e3 Ke5: Ba6").starts_with("cannot play '1. e3 Ke5': move 1... (ply 2)"));
        assert!(why("1. e3 h6: Bh8").starts_with("cannot play 'Bh8': move 2. (ply 3): Bh8 is"));
    }

    #[test]
    fn the_last_hint_about_a_move_holds() {
        let mut hints = Advisers::default();
        let file = "prefer 1. e3: h6\navoid e2e3: h7h6\nprefer: e3\n";
        read_lines(Path::new("h"), file.as_bytes(), &start(), &mut hints).expect("read");
        let (position, mv) = read_hint(&start(), "e3: h6").expect("a hint");
        assert_eq!(hints.hints.of(position.key(), mv), Some(Advice::Avoid));
        assert_eq!(hints.hints.at(start().position().key()).len(), 1);
    }

    #[test]
    fn of_many_wrong_lines_some_are_told() {
        let file = "e3 Ke5: h6\n".repeat(50);
        let mut hints = Advisers::default();
        let told = read_lines(Path::new("h"), file.as_bytes(), &start(), &mut hints);
        let told = told.expect_err("all lines are wrong").to_string();
        assert!(told.starts_with("h:1: cannot play"), "{told}");
        assert!(told.ends_with("h: 30 more lines are wrong"), "{told}");
    }
}
