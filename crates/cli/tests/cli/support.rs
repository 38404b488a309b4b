//! Runs the program in a directory of its own.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

/// How long the program may run: one that hangs fails its own test and does not hold up all others.
const PATIENCE: Duration = Duration::from_mins(2);

/// A directory in which the program runs; its database is `takeme.db` there.
pub(crate) struct Place(TempDir);

/// What a run left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program with arguments, not started yet.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        command_in(self.0.path(), args)
    }

    /// Runs the program to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Ran {
        Ran::of(&output_of(&mut self.command(args)))
    }

    /// Runs the program, which must end well; its standard output.
    pub(crate) fn ok<S: AsRef<OsStr>>(&self, args: &[S]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    /// Runs the program with `--json`, whatever its exit code; the objects it printed.
    pub(crate) fn json<S: AsRef<OsStr>>(&self, args: &[S]) -> (i32, Vec<Value>) {
        let mut command = self.command(args);
        let ran = Ran::of(&output_of(command.arg("--json")));
        let objects = ran.stdout.lines();
        let objects = objects.map(|line| serde_json::from_str(line).expect("an object a line"));
        (ran.code, objects.collect())
    }

    /// The one object of a run with `--json` that ended well.
    pub(crate) fn object<S: AsRef<OsStr>>(&self, args: &[S]) -> Value {
        let (code, objects) = self.json(args);
        assert_eq!((code, objects.len()), (0, 1), "{objects:?}");
        objects.into_iter().next().expect("one object")
    }

    /// A place in whose database the LINEs are proved.
    pub(crate) fn proved(lines: &[&str]) -> Self {
        let place = Self::new();
        let mut args = vec!["prove"];
        args.extend(lines);
        place.ok(&args);
        place
    }
}

pub(crate) fn command_in<S: AsRef<OsStr>>(directory: &Path, args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_takeme"));
    command
        .args(args)
        .current_dir(directory)
        .env_remove("TAKEME_DB")
        .env_remove("TAKEME_TABLES")
        .stdin(Stdio::null());
    command
}

/// Runs a program to its end.
pub(crate) fn output_of(command: &mut Command) -> Output {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    ended(child.expect("the program runs"))
}

/// Waits for a program to end.
///
/// # Panics
///
/// If it has to be killed for that.
pub(crate) fn ended(child: Child) -> Output {
    ended_within(PATIENCE, child)
}

/// Sends a signal to a program that runs.
pub(crate) fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
}

fn ended_within(patience: Duration, child: Child) -> Output {
    let id = child.id();
    let (sender, is_done) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        if is_done.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
            return None;
        }
        let line = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let killed = Command::new("kill")
            .args(["-KILL", &id.to_string()])
            .status();
        killed.expect("kill runs");
        Some(line.replace('\0', " "))
    });
    let output = child.wait_with_output().expect("it ends");
    drop(sender);
    if let Some(line) = watch.join().expect("no panic") {
        panic!("'{line}' did not end within {patience:?}");
    }
    output
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            // No code: a signal ended it.
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr.clone()).expect("UTF-8"),
        }
    }

    /// The run must have ended so, with a message on standard error that says all of `words`.
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        for word in words {
            assert!(
                self.stderr.contains(word),
                "'{word}' is missing in: {}",
                self.stderr
            );
        }
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// Says that a test could not run here.
#[expect(clippy::print_stderr, reason = "seen with --nocapture")]
pub(crate) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// The keys of an object in alphabetical order.
pub(crate) fn keys(object: &Value) -> Vec<&str> {
    let object = object.as_object().expect("an object");
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The keys that every object has, and these.
pub(crate) fn with_common_keys(more: &[&'static str]) -> Vec<&'static str> {
    let mut keys = vec!["schema", "command", "rules"];
    keys.extend(more);
    keys.sort_unstable();
    keys
}

#[test]
#[should_panic(expected = "takeme prove e3 b6 ' did not end within 300ms")]
fn a_program_that_does_not_end_is_killed_and_named() {
    let place = Place::new();
    let child = place
        .command(&["prove", "e3 b6"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    ended_within(Duration::from_millis(300), child.expect("started"));
}
