//! How far the work has come, on standard error only.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::ProgressChoice;

/// Time between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(3);
/// Time between two changes of the bar.
const BAR_EVERY: Duration = Duration::from_millis(100);

#[derive(Debug)]
enum Mode {
    /// A line that changes in place.
    Bar(ProgressBar),
    /// A plain line now and then.
    Plain,
    None,
}

/// Shows messages and the state of the work.
#[derive(Debug)]
pub(crate) struct Progress {
    mode: Mode,
    quiet: bool,
    last: Cell<Instant>,
    /// The notes that were told.
    notes: RefCell<HashSet<String>>,
}

impl Progress {
    pub(crate) fn new(choice: ProgressChoice, quiet: bool) -> Self {
        let terminal = io::stderr().is_terminal();
        let mode = match choice {
            _ if quiet => Mode::None,
            ProgressChoice::None => Mode::None,
            ProgressChoice::Auto | ProgressChoice::Bar if terminal => Mode::Bar(bar()),
            // A bar needs a terminal: elsewhere its control codes would end up in a log.
            ProgressChoice::Auto | ProgressChoice::Bar | ProgressChoice::Plain => Mode::Plain,
        };
        Self {
            mode,
            quiet,
            last: Cell::new(Instant::now()),
            notes: RefCell::default(),
        }
    }

    /// Shows a state, unless one was shown a moment ago.
    pub(crate) fn show(&self, state: impl FnOnce() -> String) {
        let every = match self.mode {
            Mode::Bar(_) => BAR_EVERY,
            Mode::Plain => PLAIN_EVERY,
            Mode::None => return,
        };
        if self.last.get().elapsed() < every {
            return;
        }
        self.last.set(Instant::now());
        match &self.mode {
            Mode::Bar(bar) => bar.set_message(state()),
            Mode::Plain => print(&state()),
            Mode::None => {}
        }
    }

    /// Tells something that is no result, once.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet && self.notes.borrow_mut().insert(text.to_owned()) {
            self.aside(|| print(&format!("note: {text}")));
        }
    }

    /// Tells something that must be known even if nobody wants notes.
    pub(crate) fn say(&self, text: &str) {
        self.aside(|| print(text));
    }

    /// Tells what went wrong.
    pub(crate) fn error(&self, text: &str) {
        self.say(&format!("error: {text}"));
    }

    /// Takes the bar off the screen while something else is written.
    pub(crate) fn aside<R>(&self, write: impl FnOnce() -> R) -> R {
        match &self.mode {
            Mode::Bar(bar) => bar.suspend(write),
            _ => write(),
        }
    }

    /// Takes the bar off the screen for good.
    pub(crate) fn clear(&self) {
        if let Mode::Bar(bar) = &self.mode {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    // No colours: there is nothing here that a colour would tell better.
    let style = ProgressStyle::with_template("{spinner} {wide_msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

fn print(text: &str) {
    // Nobody could be told that telling failed.
    let _ = writeln!(io::stderr(), "{text}");
}
