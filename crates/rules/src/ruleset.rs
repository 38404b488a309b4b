//! Rulesets and their names.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// How men move. Rulesets of one class differ only in who has won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Capturing is compulsory, the king is an ordinary man, promotion to any piece and to king.
    Antichess,
}

/// The game that is played. A claim, a proof and a database entry belong to one ruleset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Ruleset {
    /// The side without a move has won (lichess "Antichess").
    International = 0,
    /// A stalemate is won by the side with fewer men, drawn with equal numbers (FICS "suicide").
    Fics = 1,
    /// A stalemate is won only if it is won under both `international` and `fics`, else drawn.
    Joint = 2,
}

/// A name that is no ruleset's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no ruleset is called '{0}'{hint}; the rulesets are {names} (antichess, losing = international; suicide = fics)",
    hint = hint(.0),
    names = Ruleset::names()
)]
pub struct UnknownRuleset(pub String);

/// A ruleset that this version knows by name but cannot play.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("ruleset {0} is not supported by this version; supported are {names}", names = Ruleset::names())]
pub struct UnsupportedRuleset(pub String);

const NOT_YET: [&str; 4] = ["variant2", "variant3", "variant4", "extinction"];

/// Other ways to write a ruleset's name.
const ALIASES: [(&str, Ruleset); 3] = [
    ("antichess", Ruleset::International),
    ("losing", Ruleset::International),
    ("suicide", Ruleset::Fics),
];

/// Games that other programs call so and that are none of the rulesets, with what to say about them.
const OTHER_GAMES: [(&str, &str); 2] = [
    (
        "giveaway",
        "elsewhere giveaway is a game with castling; without castling it is international",
    ),
    (
        "losers",
        "elsewhere losers is a game with a royal king that is like variant4 but for stalemates",
    ),
];

/// What the writer of an unknown name may have meant, to be put behind it.
fn hint(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let names = Ruleset::ALL.map(Ruleset::name);
    let nearest = names
        .into_iter()
        .chain(ALIASES.map(|(name, _)| name))
        .chain(NOT_YET)
        .chain(OTHER_GAMES.map(|(name, _)| name))
        .map(|name| (distance(&text, name), name))
        .min()
        .filter(|&(distance, name)| distance <= 2 && 2 * distance < name.len());
    match nearest {
        None => String::new(),
        Some((_, name)) => match OTHER_GAMES.into_iter().find(|&(other, _)| other == name) {
            Some((_, remark)) => format!(" ({remark})"),
            None => format!(" (did you mean {name}?)"),
        },
    }
}

/// The number of letters to add, drop or replace to make one text the other (Levenshtein 1965).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

impl Ruleset {
    /// All rulesets of this version.
    pub const ALL: [Self; 3] = [Self::International, Self::Fics, Self::Joint];

    /// The id used on the command line, in databases and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::International => "international",
            Self::Fics => "fics",
            Self::Joint => "joint",
        }
    }

    /// The number used in files.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The ruleset with this number.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|ruleset| ruleset.code() == code)
    }

    /// How men move.
    #[inline]
    #[must_use]
    pub const fn class(self) -> Class {
        Class::Antichess
    }

    /// Whether each win under `self` is a win under `other` by the same moves: a ruleset serves itself, and `joint` serves
    /// `international` and `fics`.
    #[must_use]
    pub fn serves(self, other: Self) -> bool {
        self == other || self == Self::Joint && matches!(other, Self::International | Self::Fics)
    }

    /// FEN of the initial position.
    #[must_use]
    pub const fn initial_fen(self) -> &'static str {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"
    }

    fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a text names no ruleset that can be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RulesetError {
    /// Nobody knows the name.
    #[error(transparent)]
    Unknown(#[from] UnknownRuleset),
    /// A later version will.
    #[error(transparent)]
    Unsupported(#[from] UnsupportedRuleset),
}

impl FromStr for Ruleset {
    type Err = RulesetError;

    fn from_str(text: &str) -> Result<Self, RulesetError> {
        let name = text.to_ascii_lowercase();
        let own_names = Self::ALL.map(|ruleset| (ruleset.name(), ruleset));
        let known = own_names
            .into_iter()
            .chain(ALIASES)
            .find(|&(known, _)| known == name);
        match known {
            Some((_, ruleset)) => Ok(ruleset),
            None if NOT_YET.contains(&name.as_str()) => Err(UnsupportedRuleset(name).into()),
            None => Err(UnknownRuleset(text.to_owned()).into()),
        }
    }
}
