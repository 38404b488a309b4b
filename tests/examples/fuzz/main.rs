//! Feeds readers with spoilt inputs: `fuzz READER SECONDS [SEED [FOLDER]]`, `fuzz READER --replay FILE`, `fuzz --list`.
//!
//! Each input is a seed or an earlier mutant with a few changes. A reader must take or refuse it, without a panic, in no more than 2 s and
//! 512 MiB, and must agree with the other reader of the format where there is one. Answers count as coverage: the smallest input for each is
//! kept and changed further. The same seed gives the same inputs. `scripts/fuzz` runs all readers.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a program that reports what it did")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

mod findings;
mod mutation;
#[path = "../../src/random.rs"]
mod random;
mod readers;
mod run;
mod watch;

const USAGE: &str = "fuzz READER SECONDS [SEED [FOLDER]] | fuzz READER --replay FILE | fuzz --list";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match command(&args) {
        Ok(code) => code,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn command(args: &[&str]) -> Result<ExitCode, String> {
    match *args {
        ["--list"] => {
            println!("{}", readers::NAMES.join("\n"));
            Ok(ExitCode::SUCCESS)
        }
        [name, "--replay", file] => {
            let mut reader = readers::named(name)?;
            let input = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
            // The reader may count on its seeds having been made.
            reader.seeds();
            println!("{:?}", reader.read(&input));
            Ok(ExitCode::SUCCESS)
        }
        [name, seconds, ref rest @ ..] if rest.len() <= 2 => {
            let number = |text: &str| text.parse().map_err(|_| format!("{text}: no number"));
            let seconds = Duration::from_secs(number(seconds)?);
            let seed = number(rest.first().unwrap_or(&"1"))?;
            let folder = rest.get(1).map_or_else(
                || Path::new("target/fuzz").join(name),
                |&folder| PathBuf::from(folder),
            );
            fuzz(name, seconds, seed, &folder)
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn fuzz(name: &str, duration: Duration, seed: u64, folder: &Path) -> Result<ExitCode, String> {
    let mut reader = readers::named(name)?;
    let summary = run::run(&mut *reader, duration, seed, folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    println!(
        "{name}\t{} inputs\t{:.0} s\t{} accepted\t{} answers\t{} findings",
        summary.executions, summary.seconds, summary.accepted, summary.answers, summary.findings
    );
    Ok(ExitCode::from(u8::from(summary.findings > 0)))
}
