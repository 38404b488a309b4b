//! The rulesets: their names, codes and classes of move generation.

use std::fmt;

use crate::board::Kind;

/// The rules of the game that a claim is made under.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ruleset {
    /// Losing chess; a stalemated player wins.
    International,
    /// Losing chess; a stalemate is won by the side with fewer men, drawn if equal.
    Fics,
    /// Losing chess; a stalemate is won only if it is won under both rules above.
    Joint,
    /// Losing chess with queen promotions only; a stalemate is drawn.
    Variant2,
    /// Royal king; won by a bare king or by mating.
    Variant3,
    /// Royal king; won by a bare king or by being mated.
    Variant4,
    /// Extinction chess.
    Extinction,
}

impl Ruleset {
    /// All rulesets, in the order of their codes.
    pub const ALL: [Self; 7] = [
        Self::International,
        Self::Fics,
        Self::Joint,
        Self::Variant2,
        Self::Variant3,
        Self::Variant4,
        Self::Extinction,
    ];

    /// The code of the ruleset in a certificate, 0 to 6.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::International => 0,
            Self::Fics => 1,
            Self::Joint => 2,
            Self::Variant2 => 3,
            Self::Variant3 => 4,
            Self::Variant4 => 5,
            Self::Extinction => 6,
        }
    }

    /// The ruleset that has a code in certificates.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|ruleset| ruleset.code() == code)
    }

    /// The identifier of the ruleset, as used on the command line.
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

    /// The ruleset that has an identifier; aliases are not known here.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ruleset| ruleset.name() == name)
    }

    pub(crate) const fn move_class(self) -> MoveClass {
        match self {
            Self::International | Self::Fics | Self::Joint => MoveClass::Antichess,
            Self::Variant2 => MoveClass::Variant2,
            Self::Variant3 | Self::Variant4 => MoveClass::Variant34,
            Self::Extinction => MoveClass::Extinction,
        }
    }
}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How moves are generated; several rulesets share a class and differ only in how a game ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum MoveClass {
    Antichess,
    Variant2,
    Variant34,
    Extinction,
}

impl MoveClass {
    /// What a pawn may become, in canonical order.
    pub(crate) const fn promotions(self) -> &'static [Kind] {
        match self {
            Self::Antichess | Self::Extinction => &[
                Kind::Knight,
                Kind::Bishop,
                Kind::Rook,
                Kind::Queen,
                Kind::King,
            ],
            Self::Variant2 => &[Kind::Queen],
            Self::Variant34 => &[Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen],
        }
    }

    pub(crate) const fn capture_is_compulsory(self) -> bool {
        match self {
            Self::Antichess | Self::Variant2 | Self::Variant34 => true,
            Self::Extinction => false,
        }
    }

    /// Whether a king must not be left attacked.
    pub(crate) const fn king_is_royal(self) -> bool {
        matches!(self, Self::Variant34)
    }

    pub(crate) const fn has_castling(self) -> bool {
        match self {
            Self::Antichess | Self::Variant2 => false,
            Self::Variant34 | Self::Extinction => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_those_of_the_format() {
        let table = [
            (0, "international"),
            (1, "fics"),
            (2, "joint"),
            (3, "variant2"),
            (4, "variant3"),
            (5, "variant4"),
            (6, "extinction"),
        ];
        for ((code, name), ruleset) in table.into_iter().zip(Ruleset::ALL) {
            assert_eq!(ruleset.code(), code);
            assert_eq!(ruleset.name(), name);
            assert_eq!(Ruleset::from_code(code), Some(ruleset));
            assert_eq!(Ruleset::from_name(name), Some(ruleset));
        }
        assert_eq!(Ruleset::from_code(7), None);
        assert_eq!(Ruleset::from_name("antichess"), None);
    }
}
