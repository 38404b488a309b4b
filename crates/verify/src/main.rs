//! `takeme-verify`: checks certificate files with the independent verifier.
//!
//! Standard output carries one verdict line a file and nothing else; the line names the file if there are several or it is damaged.
//! Exit codes: 0 verified, 1 verified, but with `--fifty` not under the fifty-move rule, 2 usage or a file that cannot be read,
//! 4 rejected, 5 damaged, 8 not covered because the proof rests on endgame tables; with several files the worst, in the order
//! 5, 4, 2, 8, 1, 0.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use takeme_verify::{
    Certificate, CertificateError, Claim, NoTables, Options, Reason, Rejection, StrategyError,
    TableId, VERSION, Verdict, Verified,
};

const HELP: &str = "\
Checks certificates: complete proofs of who wins a position of losing chess.

Usage: takeme-verify [OPTIONS] FILE...

Arguments:
  FILE...    certificate files, not compressed; - is standard input

Options:
      --fifty    ask, too, whether the win holds under the fifty-move rule,
                 the clock standing at 0 in the root position
  -q, --quiet    print no verdicts: the exit code tells
      --time     report speed and memory on standard error
  -h, --help     print this help
  -V, --version  print the version

Exit codes: 0 verified, 1 verified, but not under the fifty-move rule, 2 usage or a file that
cannot be read, 4 rejected, 5 damaged, 8 not covered; with several files the worst, in the
order 5, 4, 2, 8, 1, 0.
A proof that rests on endgame tables is not covered, because there are no tables here:
takeme verify --file CERT --tables DIR checks it.
";

fn main() -> ExitCode {
    let mut stderr = io::stderr();
    // Whoever has closed standard error does not want messages: a failed write to it is no failure.
    let mut complain = |message: &dyn fmt::Display| {
        let _ = writeln!(stderr, "takeme-verify: {message}");
    };
    let worst = match Request::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => print(HELP),
        Ok(Request::Version) => print(&format!("takeme-verify {VERSION}\n")),
        Ok(Request::Check(check)) => check.run(&mut complain),
        Err(message) => {
            complain(&format_args!("{message}; see takeme-verify --help"));
            Exit::Usage
        }
    };
    ExitCode::from(worst.code())
}

/// What the arguments ask for.
enum Request {
    Help,
    Version,
    Check(Check),
}

#[derive(Default)]
struct Check {
    files: Vec<OsString>,
    fifty: bool,
    quiet: bool,
    time: bool,
}

impl Request {
    fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut check = Check::default();
        let mut only_files = false;
        for argument in arguments {
            match argument.to_str() {
                Some("--") if !only_files => only_files = true,
                Some("-h" | "--help") if !only_files => return Ok(Self::Help),
                Some("-V" | "--version") if !only_files => return Ok(Self::Version),
                Some("--fifty") if !only_files => check.fifty = true,
                Some("-q" | "--quiet") if !only_files => check.quiet = true,
                Some("--time") if !only_files => check.time = true,
                Some(flag) if !only_files && flag.len() > 1 && flag.starts_with('-') => {
                    return Err(format!("unknown option {flag}"));
                }
                _ => check.files.push(argument),
            }
        }
        if check.files.is_empty() {
            return Err("no certificate file is named".to_owned());
        }
        Ok(Self::Check(check))
    }
}

/// Exit codes, from the best to the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exit {
    Verified,
    /// The win does not hold under the fifty-move rule, which was asked.
    NotUnderTheRule,
    /// The proof rests on tables, of which there are none here.
    NotCovered,
    Usage,
    Rejected,
    Damaged,
    /// Standard output could not be written, so the verdicts are lost.
    Disk,
}

impl Exit {
    const fn code(self) -> u8 {
        match self {
            Self::Verified => 0,
            Self::NotUnderTheRule => 1,
            Self::Usage => 2,
            Self::Rejected => 4,
            Self::Damaged => 5,
            Self::Disk => 7,
            Self::NotCovered => 8,
        }
    }
}

impl Check {
    /// Checks every file, also after a reader of standard output has gone: the exit code speaks for all files.
    fn run(&self, complain: &mut dyn FnMut(&dyn fmt::Display)) -> Exit {
        let mut worst = Exit::Verified;
        for file in &self.files {
            let exit = match read(file) {
                Ok(bytes) => self.check(file, &bytes, complain),
                Err(error) => {
                    complain(&format_args!("cannot read {}: {error}", file.display()));
                    Exit::Usage
                }
            };
            worst = worst.max(exit);
        }
        worst
    }

    fn check(
        &self,
        file: &OsStr,
        bytes: &[u8],
        complain: &mut dyn FnMut(&dyn fmt::Display),
    ) -> Exit {
        let start = Instant::now();
        let finding = Finding::of(bytes, self.fifty);
        if let (true, Finding::Verified(_, verified)) = (self.time, &finding) {
            complain(&Timing {
                verified,
                elapsed: start.elapsed(),
            });
        }
        let exit = finding.exit();
        // A damaged file says nothing else that would tell which one it is.
        let printed = if self.quiet {
            Exit::Verified
        } else if self.files.len() > 1 || exit == Exit::Damaged {
            print(&format!("{}: {finding}\n", file.display()))
        } else {
            print(&format!("{finding}\n"))
        };
        exit.max(printed)
    }
}

fn read(file: &OsStr) -> io::Result<Vec<u8>> {
    if file == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    fs::read(file)
}

/// Writes to standard output; a closed pipe is no failure.
fn print(text: &str) -> Exit {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Exit::Disk,
        _ => Exit::Verified,
    }
}

/// The verdict on one file.
enum Finding {
    Verified(Claim, Verified),
    Rejected(Claim, Rejection),
    /// A line ends in one of these tables.
    NotCovered(Claim, Vec<TableId>),
    NotACertificate(CertificateError),
    Unreadable(StrategyError),
    Interrupted,
}

impl Finding {
    fn of(bytes: &[u8], fifty: bool) -> Self {
        let certificate = match Certificate::parse(bytes) {
            Ok(certificate) => certificate,
            Err(error) => return Self::NotACertificate(error),
        };
        let claim = *certificate.claim();
        let options = Options {
            fifty,
            ..Options::default()
        };
        match certificate.verify(&mut NoTables, &options) {
            Verdict::Verified(verified) => Self::Verified(claim, verified),
            Verdict::Rejected(rejection) => match rejection.reason {
                Reason::MissingTable(_) => Self::NotCovered(claim, certificate.tables().to_vec()),
                _ => Self::Rejected(claim, rejection),
            },
            Verdict::Damaged(error) => Self::Unreadable(error),
            Verdict::Interrupted(_) => Self::Interrupted,
        }
    }

    fn exit(&self) -> Exit {
        match self {
            // Without tables nothing is left unknown about the rule.
            Self::Verified(_, verified) => match &verified.fifty {
                Some(fifty) if fifty.holds() != Some(true) => Exit::NotUnderTheRule,
                _ => Exit::Verified,
            },
            Self::NotCovered(..) => Exit::NotCovered,
            // Nothing interrupts a replay here; if it came to it, nothing would have been proved.
            Self::Rejected(..) | Self::Interrupted => Exit::Rejected,
            Self::NotACertificate(_) | Self::Unreadable(_) => Exit::Damaged,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified(claim, verified) => write!(f, "verified: {claim}: {verified}"),
            Self::Rejected(claim, rejection) => write!(f, "rejected: {claim}: {rejection}"),
            Self::NotCovered(claim, tables) => {
                write!(f, "not covered: {claim}: the proof rests on ")?;
                for table in tables {
                    write!(f, "{table}, ")?;
                }
                f.write_str(
                    "and there are no tables here: use takeme verify --file CERT --tables DIR",
                )
            }
            Self::NotACertificate(error) => write!(f, "damaged: {error}"),
            Self::Unreadable(error) => write!(f, "damaged: {error}"),
            Self::Interrupted => f.write_str("rejected: the replay was interrupted"),
        }
    }
}

struct Timing<'a> {
    verified: &'a Verified,
    elapsed: Duration,
}

impl fmt::Display for Timing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let positions = u128::from(self.verified.positions);
        let rate = positions
            .saturating_mul(1_000_000)
            .checked_div(self.elapsed.as_micros())
            .unwrap_or_default();
        let bytes = u128::from(self.verified.peak_bytes)
            .checked_div(positions)
            .unwrap_or_default();
        write!(
            f,
            "{:?}, {rate} positions/s, {bytes} bytes/position",
            self.elapsed
        )
    }
}
