//! `takeme import --format watkins`.

use std::{
    cell::Cell,
    fs::File,
    io::{Cursor, Read, Seek},
    ops::ControlFlow,
    path::Path,
};

use anyhow::{Context as _, Result};
use interchange::watkins::{
    FileError, Findings, FooterCheck, WalkError, WalkProgress, WinTree, first_is_readable, walk,
    winner,
};
use proof::{Claim, Proof, certificate, extract};
use prover::Endgames;
use rules::{Color, Game, Move};
use search::StopFlag;

use super::{Origin, leaves::EndsOfLines, must_begin_with, refusal::Refusal, store};
use crate::{
    args::{Import, Winner},
    context::Context,
    exit::Exit,
    interrupt,
    leaned_on::LeanedOn,
    position_file,
    question::Question,
    table_files, units,
    usage::Usage,
    verification::{self, Watch},
};

/// Records that may be read again to check a footer, about three for each one that is counted.
const FOOTER_BUDGET: u64 = 150_000_000;

pub(super) fn run(args: &Import, context: &mut Context) -> Result<Exit> {
    let name = args.file.display().to_string();
    if args.file == Path::new("-") {
        let bytes = position_file::read_bytes(&args.file)?;
        return import(Cursor::new(bytes), args, &name, context);
    }
    let file = File::open(&args.file).with_context(|| format!("cannot read {name}"))?;
    import(file, args, &name, context)
}

/// Why no proof came of a file.
enum Failure {
    Refused(Refusal),
    /// The work ended before the end of the file.
    Ended(Exit),
    Error(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        match error.into().downcast::<FileError>() {
            Ok(FileError::Io(error)) => Self::Error(error.into()),
            Ok(error) => Self::Refused(Refusal::of_file(&error)),
            Err(error) => Self::Error(error),
        }
    }
}

fn import(
    source: impl Read + Seek,
    args: &Import,
    name: &str,
    context: &mut Context,
) -> Result<Exit> {
    let stop = interrupt::watch()?;
    let (proof, begins) = match read(source, args, name, &stop, context) {
        Ok(read) => read,
        Err(Failure::Refused(refusal)) => return refusal.tell(name, context),
        Err(Failure::Ended(exit)) => return Ok(exit),
        Err(Failure::Error(error)) => return Err(error.context(name.to_owned())),
    };
    let mut tables = LeanedOn::open(&proof.tables, proof.claim.ruleset, context)?;
    // The verifier sees the proof before the database does.
    let mut bytes = Vec::new();
    certificate::write(&proof, &mut bytes)?;
    let certificate = verify::Certificate::parse(&bytes)?;
    let watch = Watch {
        progress: &context.progress,
        stop: &stop,
        name,
        memory_bytes: context.memory_bytes(),
    };
    let checked = verification::check_certificate(&certificate, &mut tables, &watch);
    drop(bytes);
    if let Some(problem) = checked.problem() {
        let message = format!("{name}: nothing was stored: {problem}");
        context.progress.error(&message);
        return Ok(checked.exit());
    }
    let origin = Origin {
        engine: "watkins file",
        name,
        begins: Some(begins),
    };
    store(context, &proof, &mut tables, &origin, &stop)
}

/// Reads the proof that a file holds, and where it begins.
fn read(
    source: impl Read + Seek,
    args: &Import,
    name: &str,
    stop: &StopFlag,
    context: &Context,
) -> Result<(Proof, Question), Failure> {
    let ruleset = context.ruleset();
    let mut tree = WinTree::open(source)?;
    let (game, opening) = tree.prolog(ruleset)?;
    let begins = Question::of_moves(&Game::initial(ruleset), &opening);
    must_begin_with(args, name, &begins)?;
    let claim = Claim {
        ruleset,
        root: *game.position(),
        winner: winner_of(args, name, &mut tree, &game)?,
    };
    let endgames = table_files::endgames(context, ruleset)?;
    let mut ends = EndsOfLines::new(&endgames, stop);
    let mut findings = walk_through(&mut tree, &claim, &opening, &mut ends, name, context)?;
    if let Some(refusal) = Refusal::of_defects(&findings.defects, ruleset) {
        return Err(Failure::Refused(refusal));
    }
    let footer = tree.check_footer(FOOTER_BUDGET)?;
    ends.join(&mut findings.moves);
    note(
        &findings,
        footer,
        &ends,
        u64::from(tree.records()),
        name,
        context,
    );
    let tables: Option<&Endgames> = (ends.by_table > 0).then_some(&endgames);
    let proof = extract(&claim, &mut findings.moves, &tables)
        .map_err(|error| Failure::Refused(Refusal::of_moves(&error, &opening, &claim)))?;
    Ok((proof, begins))
}

/// The winner that was named, else the one that the tree shows.
fn winner_of(
    args: &Import,
    name: &str,
    tree: &mut WinTree<impl Read + Seek>,
    game: &Game,
) -> Result<Color, Failure> {
    match args.winner {
        Winner::White => Ok(Color::White),
        Winner::Black => Ok(Color::Black),
        Winner::Either => {
            let shown = winner(tree, game.position(), game.ruleset())?;
            let ambiguous = || {
                let message =
                    format!("{name}: the winner is ambiguous, since the file does not name it");
                Usage::new(message).hint("name it with --winner white or --winner black")
            };
            // In the author's files the last move of the opening is the winner's: that will do to tell what is damaged.
            let mut usual = || {
                let first = first_is_readable(tree, game.position(), game.ruleset())?;
                Ok::<_, FileError>((!first).then_some(!game.position().side_to_move()))
            };
            let winner = match shown {
                Some(winner) => Some(winner),
                None => usual()?,
            };
            Ok(winner.ok_or_else(ambiguous)?)
        }
    }
}

fn walk_through(
    tree: &mut WinTree<impl Read + Seek>,
    claim: &Claim,
    opening: &[Move],
    ends: &mut EndsOfLines<'_>,
    name: &str,
    context: &Context,
) -> Result<Findings, Failure> {
    let full = Cell::new(false);
    let stop = ends.stop();
    let watch = |progress: WalkProgress| {
        full.set(progress.bytes as u64 > context.memory_bytes());
        context.progress.show(|| {
            let read = units::thousands(progress.records);
            let records = units::count(progress.of, "record");
            format!("{name}: reading, {read} of {records}")
        });
        if stop.is_raised() || full.get() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    match walk(tree, claim, opening, ends, &watch) {
        Ok(findings) if !stop.is_raised() => Ok(findings),
        Err(WalkError::File(error)) => Err(error.into()),
        Err(WalkError::Leaves(error)) => Err(Failure::Error(error)),
        Err(WalkError::Stopped) if full.get() => {
            context.progress.error(&format!(
                "{name}: nothing was stored: the strategy needs more memory than --memory allows"
            ));
            Err(Failure::Ended(Exit::Full))
        }
        Ok(_) | Err(WalkError::Stopped) => {
            context
                .progress
                .error(&format!("{name}: interrupted, nothing was stored"));
            Err(Failure::Ended(Exit::Interrupted))
        }
    }
}

/// What is worth knowing of a file that was read.
fn note(
    findings: &Findings,
    footer: FooterCheck,
    ends: &EndsOfLines<'_>,
    records: u64,
    name: &str,
    context: &Context,
) {
    let note = |text: String| context.progress.note(&format!("{name}: {text}"));
    let pointers = units::count(findings.transpositions, "transposition");
    note(format!(
        "{} read, {pointers} among them",
        units::count(findings.records, "record")
    ));
    if findings.records < records {
        let unreached = units::count(records - findings.records, "record");
        note(format!("{unreached} in no line, and left out"));
    }
    if findings.open_ends > 0 {
        let ends_of_lines = units::count(findings.open_ends, "line");
        note(format!(
            "{ends_of_lines} left to endgame tables: {} by tables that are here, {} searched",
            units::count(ends.by_table, "end"),
            units::count(ends.searched, "position")
        ));
    }
    if footer == FooterCheck::Partly {
        note("the footer's larger counts were not counted again".to_owned());
    }
}
