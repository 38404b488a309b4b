//! The readers that are tried.

use std::{fmt, fs, path::PathBuf};

mod books;
mod certificates;
mod checkpoints;
mod fens;
mod files;
mod lines;
mod pages;
mod tables;
mod trees;

/// What a reader makes of an input.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) accepted: bool,
    /// What it says; for one that it accepts, how much there was to read.
    pub(crate) answer: String,
}

impl Read {
    fn accepted(answer: impl Into<String>) -> Self {
        Self {
            accepted: true,
            answer: answer.into(),
        }
    }

    fn refused(why: impl Into<String>) -> Self {
        Self {
            accepted: false,
            answer: why.into(),
        }
    }
}

/// A reader with what is needed to try it.
pub(crate) trait Reader {
    /// Inputs to begin with, at least one. Called once, before anything is read.
    fn seeds(&mut self) -> Vec<Vec<u8>>;

    /// Makes checksums and the like fit.
    fn seal(&self, _: &mut Vec<u8>) {}

    /// What inputs are made of.
    fn words(&self) -> &'static [&'static [u8]] {
        &[]
    }

    /// Reads an input. Panics if the reader is wrong.
    fn read(&mut self, input: &[u8]) -> Read;
}

pub(crate) const NAMES: [&str; 10] = [
    "trees",
    "books",
    "certificates",
    "pages",
    "fens",
    "lines",
    "lists",
    "hints",
    "tables",
    "checkpoints",
];

/// The reader that is called so.
pub(crate) fn named(name: &str) -> Result<Box<dyn Reader>, String> {
    Ok(match name {
        "trees" => Box::new(trees::Trees),
        "books" => Box::new(books::Books),
        "certificates" => Box::new(certificates::Certificates),
        "pages" => Box::new(pages::Pages::new()),
        "fens" => Box::new(fens::Fens),
        "lines" => Box::new(lines::Lines),
        "lists" => Box::new(files::Files::new(files::LISTS)),
        "hints" => Box::new(files::Files::new(files::HINTS)),
        "checkpoints" => Box::new(checkpoints::Checkpoints::new()),
        "tables" => Box::new(tables::Tables::new()),
        _ => return Err(format!("{name}: the readers are {}", NAMES.join(", "))),
    })
}

fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../data")
        .join(path)
}

/// The files of `data/fuzz/NAME`: inputs that earlier runs kept, if any.
fn kept(name: &str) -> Vec<Vec<u8>> {
    let files = fs::read_dir(data("fuzz").join(name)).into_iter().flatten();
    let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    paths.sort_unstable();
    paths
        .iter()
        .filter_map(|path| fs::read(path).ok())
        .collect()
}

/// The name of an error, without the text that it quotes.
fn variant(error: &impl fmt::Debug) -> String {
    let name = format!("{error:?}");
    let end = name.find(|letter: char| !letter.is_ascii_alphanumeric());
    name[..end.unwrap_or(name.len())].to_ascii_lowercase()
}

/// The ruleset that the first byte of an input names, and the rest as text.
fn ruled_text(input: &[u8]) -> (rules::Ruleset, String) {
    let (&code, text) = input.split_first().unwrap_or((&0, &[]));
    let ruleset = rules::Ruleset::ALL[usize::from(code) % rules::Ruleset::ALL.len()];
    (ruleset, String::from_utf8_lossy(text).into_owned())
}
