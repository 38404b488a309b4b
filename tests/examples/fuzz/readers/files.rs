//! Text files that the program itself reads: lists of positions (lines, EPD, PGN) and hints. The program is named by the environment
//! variable TAKEME.

use std::{env, fs, process::Command};

use tempfile::TempDir;

use super::{Read, Reader, kept};

/// What `timeout` exits with.
const TIMED_OUT: i32 = 124;
/// The program was called wrongly: a file that it refuses.
const USAGE: i32 = 2;
/// Seconds for one file.
const SECONDS: &str = "20";

/// A kind of file.
pub(super) struct Kind {
    name: &'static str,
    option: &'static [&'static str],
    seeds: &'static [&'static str],
}

pub(super) const LISTS: Kind = Kind {
    name: "lists",
    option: &["--file"],
    seeds: &[
        "# openings\n1. e3 d5 # easy\n\ne2e3 d7d6\n8/8/8/1p6/2K5/8/8/8 w - - bm Kxb5; id \"x\";\n",
        "8/5p2/8/8/8/5P2/8/8 w - - 0 1\n8/8/8/1p6/2K5/8/8/8 b - - 12 40\n",
        "\u{feff}e3\r\nd3\r\n",
        "[Event \"a [b]\"]\n[Variant \"Antichess\"]\n\n1. e3 {why ( [not} d5 $1 (1... b6\n2. Ba6) 2. Qg4 ; good\n 1-0\n\n\
         [FEN \"8/8/8/1p6/2K5/8/8/8 w - - 0 1\"]\n\n1. Kxb5 1-0\n",
        "% escape\n[SetUp \"1\"]\n[FEN \"8/8/8/1p6/2K5/8/8/8 w - - 0 1\"]\n\n*\n",
    ],
};

pub(super) const HINTS: Kind = Kind {
    name: "hints",
    option: &["e3", "--hints"],
    seeds: &[
        "prefer 1. e3 h6: Ba6\navoid e3: e7e5 # bad\n1. e3 d5: Qg4\n",
        "prefer: e4\navoid startpos: e2e4\n: e3\r\n\n",
        "\u{feff}avoid\t1. e3: 1... a5\r\nprefer e2e3 h7h6: 2. Ba6\n",
    ],
};

pub(super) struct Files {
    kind: Kind,
    folder: TempDir,
    program: String,
}

impl Files {
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            kind,
            folder: tempfile::tempdir().expect("a folder"),
            program: env::var("TAKEME").unwrap_or_else(|_| "target/debug/takeme".to_owned()),
        }
    }
}

impl Reader for Files {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let seeds = self.kind.seeds.iter();
        let mut seeds: Vec<Vec<u8>> = seeds.map(|seed| seed.as_bytes().to_vec()).collect();
        seeds.extend(kept(self.kind.name));
        seeds
    }

    fn words(&self) -> &'static [&'static [u8]] {
        &[
            b"\n",
            b"\r\n",
            b"[",
            b"]",
            b"{",
            b"}",
            b"(",
            b")",
            b";",
            b"$1",
            b"%",
            b"#",
            b"\"",
            b"[FEN \"",
            b"[Variant \"",
            b"\xef\xbb\xbf",
            b"\0",
            b"\xff",
            b"8/",
            b" w - -",
            b" bm ",
            b"prefer ",
            b"avoid ",
            b":",
            b"e3",
            b"*",
            b"1.",
            b"\xc3\xa9",
        ]
    }

    fn read(&mut self, input: &[u8]) -> Read {
        let file = self.folder.path().join("input");
        let database = self.folder.path().join("database.db");
        fs::write(&file, input).expect("written");
        let output = Command::new("timeout")
            .args([SECONDS, &self.program, "prove"])
            .args(["--no-tables", "--no-verify", "--nodes", "1", "--db"])
            .arg(&database)
            .args(self.kind.option)
            .arg(&file)
            .output()
            .expect("timeout is there");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code();
        assert!(code != Some(TIMED_OUT), "it takes more than {SECONDS} s");
        assert!(matches!(code, Some(0..=3)), "{:?}: {said}", output.status);
        assert!(
            code == Some(0) || code == Some(3) || !said.is_empty() || !output.stdout.is_empty()
        );
        if code == Some(USAGE) {
            // The reason stands behind the last colon, before what a move is not.
            let reason = said.lines().next().unwrap_or_default();
            return Read::refused(format!(
                "{} {reason}",
                "i".repeat(said.lines().count().min(9))
            ));
        }
        let lines = String::from_utf8_lossy(&output.stdout).lines().count();
        Read::accepted(format!("accepted {}", "i".repeat(lines.min(20))))
    }
}
