//! What can be wrong with a tree, and where.

use std::fmt;

use rules::{Color, Game, Move, Ruleset, line};

/// Defects that are kept with their place; the others are counted.
const KEPT: usize = 10;

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Defect {
    /// A legal reply of the loser is not there.
    MissingReply,
    /// The position is marked as not solved.
    Unsolved,
    /// The line ends where the game goes on, with too many men for a table.
    OpenEnd,
    /// The game is over, and the winner has not won.
    NotWon(Color),
    /// The end of the line is left to a table, and is not won.
    LeafNotWon(Color),
    /// The end of the line was left to a table, there is none for it, and it was not proved otherwise.
    Undecided(String),
    /// The winner has a second move.
    ExtraMove,
    /// The pointer leads back to a position of its own line.
    Loop,
    /// The move is not legal.
    Illegal(u16),
    /// The loser's reply is there twice.
    Repeated,
    /// The null move.
    NullMove,
    /// The link to a child or a sibling leads beyond the N records.
    BeyondEnd(u32),
    /// The link to the sibling leads back, or into the record's own subtree.
    Backward(u32),
    /// The pointer leads to itself.
    ToItself,
    /// The pointer leads to a record that holds another position.
    OtherPosition(u32),
    /// The pointer leads to a record that no line reaches.
    Unreached(u32),
    /// The file ends before this record.
    Truncated(u32),
    /// The line is longer than any proof here can be.
    TooLong,
}

/// What a defect means for the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file is not what its writer wrote, or its writer was wrong about the format.
    Damaged,
    /// The tree can be read, and proves nothing.
    NotProved,
    /// The tree goes round in circles.
    Cyclic,
    /// It may be a proof, but that could not be shown.
    Undecided,
    /// The format allows it, but it is not supported.
    NotSupported,
}

impl Defect {
    /// What it means for the proof.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::MissingReply
            | Self::Unsolved
            | Self::OpenEnd
            | Self::NotWon(_)
            | Self::LeafNotWon(_)
            | Self::ExtraMove => Severity::NotProved,
            Self::Loop => Severity::Cyclic,
            Self::Undecided(_) => Severity::Undecided,
            Self::NullMove => Severity::NotSupported,
            Self::Illegal(_)
            | Self::Repeated
            | Self::BeyondEnd(_)
            | Self::Backward(_)
            | Self::ToItself
            | Self::OtherPosition(_)
            | Self::Unreached(_)
            | Self::Truncated(_)
            | Self::TooLong => Severity::Damaged,
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingReply => write!(f, "the reply is missing"),
            Self::Unsolved => write!(f, "the position is marked as not solved"),
            Self::OpenEnd => write!(
                f,
                "the line ends, but the game is not over and more than four men are left"
            ),
            Self::NotWon(winner) => write!(f, "the game is over, and {winner} has not won"),
            Self::LeafNotWon(winner) => {
                write!(f, "the line is left to a table, and is no win for {winner}")
            }
            Self::Undecided(why) => write!(
                f,
                "the line is left to a table, and nothing here confirms that it is won: {why}"
            ),
            Self::ExtraMove => write!(f, "the winner has a second move here"),
            Self::Loop => write!(f, "the pointer leads back to its own line: a loop"),
            Self::Illegal(word) => write!(f, "the next move, {word:#06x}, is illegal"),
            Self::Repeated => write!(f, "the reply is there twice"),
            Self::NullMove => write!(f, "the next move is the null move, which is not supported"),
            Self::BeyondEnd(to) => write!(f, "a link leads to record {to}, beyond the last one"),
            Self::Backward(to) => write!(f, "the link to the next move leads back, to record {to}"),
            Self::ToItself => write!(f, "the pointer leads to itself"),
            Self::OtherPosition(to) => write!(
                f,
                "the pointer leads to record {to}, which holds another position"
            ),
            Self::Unreached(to) => {
                write!(f, "the pointer leads to record {to}, which no line reaches")
            }
            Self::Truncated(record) => {
                write!(f, "the file ends before record {record}: it is cut off")
            }
            Self::TooLong => write!(f, "the line is longer than 65535 plies"),
        }
    }
}

/// A defect and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The record that is wrong, or whose children are.
    pub record: u32,
    /// The moves from the start of the game to the place; for a missing reply, that one included.
    pub line: Vec<Move>,
    /// What is wrong there.
    pub defect: Defect,
}

impl Found {
    /// The place and what is wrong there.
    #[must_use]
    pub fn sentence(&self, ruleset: Ruleset) -> String {
        let Self {
            record,
            line,
            defect,
        } = self;
        let line = line_from_start(line, ruleset);
        format!("after {line}: {defect} (record {record})")
    }
}

/// A line of legal moves from the start of the game, as people read it.
#[must_use]
pub fn line_from_start(moves: &[Move], ruleset: Ruleset) -> String {
    if moves.is_empty() {
        return "no move".to_owned();
    }
    let start = Game::initial(ruleset);
    line::write_san(start.position(), start.full_move(), moves, ruleset)
}

/// All that is wrong with a tree.
#[derive(Clone, Debug, Default)]
pub struct Defects {
    first: Vec<Found>,
    total: u64,
    severity: Option<Severity>,
}

impl Defects {
    /// How many there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The first of them, in the order of the records.
    #[must_use]
    pub fn first(&self) -> &[Found] {
        &self.first
    }

    /// What they mean for the proof, by the first of them; one that is only undecided gives way to another. None without defects.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        self.severity
    }

    /// Counts a defect, and keeps it with its place if it is one of the first.
    pub(super) fn add(&mut self, defect: Defect, record: u32, line: impl FnOnce() -> Vec<Move>) {
        self.total += 1;
        if matches!(self.severity, None | Some(Severity::Undecided)) {
            self.severity = Some(defect.severity());
        }
        if self.first.len() < KEPT {
            self.first.push(Found {
                record,
                line: line(),
                defect,
            });
        }
    }
}
