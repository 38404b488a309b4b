//! Rulesets and their names.

use std::{fmt, str::FromStr};

use thiserror::Error;

use crate::{Role, pseudo::ANY_PROMOTION};

/// How men move. Rulesets of one class differ only in who has won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Capturing is compulsory, the king is an ordinary man, promotion to any piece and to king.
    Antichess,
    /// As `Antichess`, but promotion to queen only.
    Variant2,
    /// A royal king; capturing is compulsory among legal moves; castling.
    Variant34,
    /// As in chess, but the king is an ordinary man.
    Extinction,
}

impl Class {
    /// Whether castling exists.
    #[inline]
    #[must_use]
    pub const fn has_castling(self) -> bool {
        matches!(self, Self::Variant34 | Self::Extinction)
    }

    /// Whether check and mate exist.
    #[inline]
    #[must_use]
    pub const fn king_is_royal(self) -> bool {
        matches!(self, Self::Variant34)
    }

    /// What a pawn may become, in canonical order.
    #[inline]
    #[must_use]
    pub const fn promotions(self) -> &'static [Role] {
        match self {
            Self::Antichess | Self::Extinction => ANY_PROMOTION,
            Self::Variant2 => &[Role::Queen],
            Self::Variant34 => &[Role::Knight, Role::Bishop, Role::Rook, Role::Queen],
        }
    }

    /// Whether a legal capture forbids all other moves.
    #[inline]
    #[must_use]
    pub const fn capture_is_compulsory(self) -> bool {
        !matches!(self, Self::Extinction)
    }
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
    /// Pawns become queens only, and a stalemate is drawn (Pritchard's variant 2).
    Variant2 = 3,
    /// A royal king; the side with a bare king has won, or the side that mates (variant 3).
    Variant3 = 4,
    /// A royal king; the side with a bare king has won, or the side that is mated (variant 4).
    Variant4 = 5,
    /// The side that lacks any kind of man has lost (Schmittberger's extinction chess).
    Extinction = 6,
}

/// A name that is no ruleset's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no ruleset is called '{0}'{hint}; the rulesets are {names} (antichess, losing = international; suicide = fics)",
    hint = hint(.0),
    names = Ruleset::names()
)]
pub struct UnknownRuleset(pub String);

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
    /// All rulesets, by code.
    pub const ALL: [Self; 7] = [
        Self::International,
        Self::Fics,
        Self::Joint,
        Self::Variant2,
        Self::Variant3,
        Self::Variant4,
        Self::Extinction,
    ];

    /// The id used on the command line, in databases and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::International => "international",
            Self::Fics => "fics",
            Self::Joint => "joint",
            Self::Variant2 => "variant2",
            Self::Variant3 => "variant3",
            Self::Variant4 => "variant4",
            Self::Extinction => "extinction",
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
        match self {
            Self::International | Self::Fics | Self::Joint => Class::Antichess,
            Self::Variant2 => Class::Variant2,
            Self::Variant3 | Self::Variant4 => Class::Variant34,
            Self::Extinction => Class::Extinction,
        }
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
        if self.class().has_castling() {
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        } else {
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"
        }
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

impl FromStr for Ruleset {
    type Err = UnknownRuleset;

    fn from_str(text: &str) -> Result<Self, UnknownRuleset> {
        let name = text.to_ascii_lowercase();
        let own_names = Self::ALL.map(|ruleset| (ruleset.name(), ruleset));
        let known = own_names
            .into_iter()
            .chain(ALIASES)
            .find(|&(known, _)| known == name);
        known.map_or_else(
            || Err(UnknownRuleset(text.to_owned())),
            |(_, ruleset)| Ok(ruleset),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ruleset_is_found_by_its_name_its_aliases_and_its_code() {
        for (text, ruleset) in [
            ("international", Ruleset::International),
            ("antichess", Ruleset::International),
            ("Losing", Ruleset::International),
            ("fics", Ruleset::Fics),
            ("SUICIDE", Ruleset::Fics),
            ("joint", Ruleset::Joint),
            ("Variant3", Ruleset::Variant3),
        ] {
            assert_eq!(text.parse(), Ok(ruleset), "{text}");
        }
        for ruleset in Ruleset::ALL {
            assert_eq!(ruleset.name().parse(), Ok(ruleset));
            assert_eq!(Ruleset::from_code(ruleset.code()), Some(ruleset));
        }
        assert_eq!(Ruleset::from_code(7), None);
    }

    /// Field case B16 c: nothing falls back to another game.
    #[test]
    fn an_unknown_name_is_answered_with_the_names_and_the_nearest() {
        let giveaway =
            " (elsewhere giveaway is a game with castling; without castling it is international)";
        for (text, hint) in [
            ("givaway", giveaway),
            ("Giveaway", giveaway),
            (
                "losers",
                " (elsewhere losers is a game with a royal king that is like variant4 but for stalemates)",
            ),
            ("antichees", " (did you mean antichess?)"),
            ("internationl", " (did you mean international?)"),
            ("jont", " (did you mean joint?)"),
            ("variant5", " (did you mean variant2?)"),
            ("Extinctoin", " (did you mean extinction?)"),
            ("chess", ""),
            ("x", ""),
            ("", ""),
            ("\u{e9}", ""),
        ] {
            let error = text.parse::<Ruleset>().expect_err(text);
            assert_eq!(
                error.to_string(),
                format!(
                    "no ruleset is called '{text}'{hint}; the rulesets are international, fics, joint, \
                     variant2, variant3, variant4, extinction (antichess, losing = international; suicide = fics)"
                )
            );
        }
    }

    #[test]
    fn only_joint_serves_another_ruleset() {
        for (a, b) in Ruleset::ALL
            .into_iter()
            .flat_map(|a| Ruleset::ALL.map(|b| (a, b)))
        {
            let main_game = matches!(b, Ruleset::International | Ruleset::Fics);
            let serves = a == b || a == Ruleset::Joint && main_game;
            assert_eq!(a.serves(b), serves, "{a} for {b}");
        }
    }

    #[test]
    fn the_distance_counts_letters() {
        for (a, b, letters) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("fics", "fisc", 2),
        ] {
            assert_eq!(distance(a, b), letters, "{a} {b}");
        }
    }
}
