//! Runs the program in a directory of its own.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

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
        Ran::of(&self.command(args).output().expect("the program runs"))
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
        let ran = Ran::of(&command.arg("--json").output().expect("the program runs"));
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
