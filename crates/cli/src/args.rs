//! What can be said on the command line.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use rules::{Color, Ruleset};
use tablebase::Material;

use crate::{
    format::{ExportFormat, ImportFormat},
    hints::HintArgs,
    units,
};

/// Proves who wins positions of losing chess, stores the proofs and checks them.
///
/// A LINE is a position given as moves from the start, in SAN with or without numbers ("1. e3 d5") or UCI ("e2e3 d7d5");
/// "startpos" or "" is the initial position. All lengths are plies: moves by one side.
#[derive(Debug, Parser)]
#[command(
    name = "takeme",
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    after_help = EXIT_CODES
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  proved, found, verified, done
  1  the answer is no
  2  usage: bad flag, illegal move, bad FEN
  3  undecided, or not settled by the database
  4  verification failed, or had failed before for the stored proof that is asked for
  5  damaged input or database
  6  database locked by another process
  7  out of disk or memory
  8  not covered
  130  interrupted after saving";

const EXIT_CODES_OF_OPEN: &str = "\
Exit codes:
  0  shown, or who wins is known already, which it says
  3  no unfinished search in the database reaches the line";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// The game that is played: international (antichess, losing), fics (suicide), joint (a win is a win under both), variant2,
    /// variant3, variant4 or extinction [default: joint]
    #[arg(long = "rules", global = true, value_name = "R")]
    pub(crate) rules: Option<Ruleset>,
    /// The database of proofs
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        env = "TAKEME_DB",
        default_value = "takeme.db"
    )]
    pub(crate) db: PathBuf,
    /// The directory of endgame tables [default: tables, if it is there]
    #[arg(long, global = true, value_name = "DIR", env = "TAKEME_TABLES")]
    pub(crate) tables: Option<PathBuf>,
    /// Threads: lines are proved side by side, and threads that are left over help with them [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Memory that the whole process may use, such as 512M or 8G [default: half of the machine's]
    #[arg(long, global = true, value_name = "SIZE", value_parser = units::parse_memory)]
    pub(crate) memory: Option<u64>,
    /// Print one JSON object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// How to show on standard error how far the work has come
    #[arg(
        long,
        global = true,
        value_name = "HOW",
        value_enum,
        default_value = "auto"
    )]
    pub(crate) progress: ProgressChoice,
    /// Print nothing but results and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

impl Global {
    pub(crate) fn ruleset(&self) -> Ruleset {
        self.rules.unwrap_or(Ruleset::Joint)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressChoice {
    /// A bar on a terminal, else plain lines
    Auto,
    /// A line that changes in place
    Bar,
    /// A plain line every few seconds
    Plain,
    /// Nothing
    None,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prove who wins each LINE, store the proofs and verify them
    Prove(Prove),
    /// Ask the database whether a LINE is won, by whom, how and in how many plies
    Query(Query),
    /// Replay stored proofs (with --rules those that answer for it), or a certificate, with the independent verifier
    Verify(Verify),
    /// List the claims and the unfinished searches in the database (with --rules those that answer for it) and how much is stored
    Status,
    /// Show how far an unfinished search of a LINE has come: open replies, heaviest lines, what comes next
    #[command(after_help = EXIT_CODES_OF_OPEN)]
    Open(Open),
    /// Write out the lines of a stored strategy, depth first
    Lines(Lines),
    /// Write a stored proof to a file
    Export(Export),
    /// Take a proof from a file, verify it and store it
    Import(Import),
    /// Take over what another database holds (with --rules what answers for it), as far as the verifier accepts what comes of it
    Merge(Merge),
    /// Count the move sequences of a length
    Perft(Perft),
    /// Show the legal moves of a position and whether the game is over, without search
    Eval(Eval),
    /// Prove a fixed set of lines in memory: the nodes are a fingerprint of the search
    Bench(Bench),
    /// Make endgame tables, check them with the independent verifier, and ask them
    Tables(Tables),
    /// Look after the database
    Db(Db),
    /// Print a script that completes commands in a shell
    Completions(Completions),
    /// Print the manual page
    Man,
}

/// One position or several.
#[derive(Debug, Args)]
pub(crate) struct Positions {
    /// Positions as moves from the start, each in quotes
    #[arg(value_name = "LINE")]
    pub(crate) lines: Vec<String>,
    /// Start from this position (4, 5 or 6 fields) instead of the initial one
    #[arg(long, value_name = "FEN")]
    pub(crate) fen: Option<String>,
}

/// One position.
#[derive(Debug, Args)]
pub(crate) struct Line {
    /// The position as moves from the start, in quotes
    #[arg(value_name = "LINE")]
    pub(crate) line: Option<String>,
    /// Start from this position (4, 5 or 6 fields) instead of the initial one
    #[arg(long, value_name = "FEN")]
    pub(crate) fen: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Winner {
    White,
    Black,
    /// Whichever side wins
    Either,
}

impl Winner {
    /// Whether a win of this side answers the question with yes.
    pub(crate) fn includes(self, color: Color) -> bool {
        match self {
            Self::White => color == Color::White,
            Self::Black => color == Color::Black,
            Self::Either => true,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Prove {
    #[command(flatten)]
    pub(crate) positions: Positions,
    /// Read positions from a file: lines of moves (# begins a comment), EPD or PGN; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Whose win is to be shown
    #[arg(long, value_name = "SIDE", value_enum, default_value = "either")]
    pub(crate) winner: Winner,
    /// Give up on a line after this time, such as 30s, 10m or 1h30m; what earlier runs took does not count
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub(crate) time: Option<Duration>,
    /// Give up on a line after this many expansions, those of earlier runs not counted
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Use no endgame tables
    #[arg(long)]
    pub(crate) no_tables: bool,
    /// Do not verify the proofs
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Then look for a smaller proof of each LINE that is proved; --time and --nodes limit that for itself
    #[arg(long, conflicts_with = "no_verify")]
    pub(crate) shrink: bool,
    #[command(flatten)]
    pub(crate) hints: HintArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Query {
    #[command(flatten)]
    pub(crate) positions: Positions,
    /// Add a row for every legal move
    #[arg(long)]
    pub(crate) replies: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) positions: Positions,
    /// Verify this certificate instead of stored proofs; - is standard input
    #[arg(long, value_name = "CERT", conflicts_with_all = ["lines", "fen"])]
    pub(crate) file: Option<PathBuf>,
    /// Ask, too, whether the win holds under the fifty-move rule, the clock standing at 0 in the position that is proved
    #[arg(long)]
    pub(crate) fifty: bool,
    /// Check the endgame tables that the proofs lean on, too, value by value
    #[arg(long)]
    pub(crate) tables_too: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Open {
    #[command(flatten)]
    pub(crate) position: Line,
}

#[derive(Debug, Args)]
pub(crate) struct Lines {
    #[command(flatten)]
    pub(crate) position: Line,
    /// End after this many lines
    #[arg(long = "max-lines", value_name = "N")]
    pub(crate) most: Option<u64>,
    /// Cut lines off after this many plies
    #[arg(long, value_name = "D")]
    pub(crate) depth: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) position: Line,
    /// The format to write
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: ExportFormat,
    /// The file to write; - is standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// pgn: write at most so many lines; where replies are left out a comment says so
    #[arg(long = "max-lines", value_name = "N")]
    pub(crate) most: Option<u64>,
    /// pgn: write a game for each reply of the loser, instead of one for all
    #[arg(long)]
    pub(crate) split: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file to read; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The format of the file
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: ImportFormat,
    /// Whose win the file shows, if it does not say
    #[arg(long, value_name = "SIDE", value_enum, default_value = "either")]
    pub(crate) winner: Winner,
    /// The position that the file should begin with, as moves from the start, in quotes
    #[arg(long, value_name = "LINE")]
    pub(crate) line: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// The database to take over; it is only read
    #[arg(value_name = "OTHER.db")]
    pub(crate) other: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Perft {
    /// Plies
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(..=30))]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) position: Line,
    /// Split the count by first move
    #[arg(long)]
    pub(crate) divide: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) position: Line,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// How many lines of the suite, from the easiest
    #[arg(long, value_name = "N")]
    pub(crate) lines: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Db {
    #[command(subcommand)]
    pub(crate) command: DbCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Look for damage everywhere
    Check,
    /// Copy the database, also while another process writes it
    Backup {
        /// The copy
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Replace the file if it exists
        #[arg(long)]
        force: bool,
    },
    /// Say how much is stored and how much room it takes
    Stats,
}

#[derive(Debug, Args)]
pub(crate) struct Tables {
    #[command(subcommand)]
    pub(crate) command: TablesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TablesCommand {
    /// Make tables that are not there yet, smaller ones first, and verify them
    Generate {
        /// All tables of up to so many men, kings included
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=4), required_unless_present = "only")]
        men: Option<u8>,
        #[arg(
            long,
            value_name = "TABLES",
            value_delimiter = ',',
            help = "Only these, such as KRvN; the smaller ones that they need must be there"
        )]
        only: Vec<Material>,
        /// Make tables anew that are there
        #[arg(long)]
        force: bool,
        /// Do not verify them; the prover uses none that is not verified
        #[arg(long)]
        no_verify: bool,
    },
    /// Check every value of tables against its successors, with the independent verifier
    Verify {
        #[arg(
            long,
            value_name = "TABLES",
            value_delimiter = ',',
            help = "Only these, such as KRvN; those that they rest on must be verified, or among them"
        )]
        only: Vec<Material>,
    },
    /// Tell what positions are worth, and their best moves
    Probe {
        /// Positions, each in quotes
        #[arg(value_name = "FEN", required = true)]
        fens: Vec<String>,
    },
    /// Count the wins, losses and draws of tables
    Stats {
        #[arg(
            long,
            value_name = "TABLES",
            value_delimiter = ',',
            help = "Only these, such as KRvN"
        )]
        only: Vec<Material>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: Shell,
}
