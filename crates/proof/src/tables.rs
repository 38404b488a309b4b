//! Endgame tables as proofs lean on them: ends of lines that are taken on trust, by name and hash.

use std::{collections::HashSet, fmt, str::FromStr};

use rules::{Color, Position, Role};
use thiserror::Error;

use crate::Plies;

/// A table: its material, such as `KRvN`, and the SHA-256 of its file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId {
    /// The men of one side, a `v`, and those of the other.
    pub name: String,
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
}

/// Text that names no table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is not the name of a table and its SHA-256")]
pub struct NoTableId(String);

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.name)?;
        self.sha256
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for TableId {
    type Err = NoTableId;

    /// Reads what [`Display`](fmt::Display) writes: the name, a space, 64 hexadecimal digits.
    fn from_str(text: &str) -> Result<Self, NoTableId> {
        let read = || {
            let (name, digits) = text.split_once(' ')?;
            Signature::from_name(name)?;
            let mut sha256 = [0; 32];
            if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            for (byte, pair) in sha256.iter_mut().zip(digits.as_bytes().chunks(2)) {
                *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
            }
            let name = name.to_owned();
            Some(Self { name, sha256 })
        };
        read().ok_or_else(|| NoTableId(text.to_owned()))
    }
}

/// What tables make of a position in a proof that `winner` wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableEnd {
    /// No table covers it: the line goes on.
    NotCovered,
    /// A table gives it as won for the winner, in so many plies.
    Won(Plies),
    /// A table gives it as drawn or lost.
    NotWon,
}

/// Endgame tables that a proof may lean on. Each position that one of them covers ends a line.
pub trait EndTables {
    /// What they make of a position that the rules do not decide.
    ///
    /// # Errors
    ///
    /// A table is damaged; the text names its file.
    fn end(&self, position: &Position, winner: Color) -> Result<TableEnd, String>;

    /// The tables that [`EndTables::end`] asks for a covered position and for all others of the same men: its own, and those that
    /// captures lead to.
    fn leaned_on(&self, position: &Position) -> Vec<TableId>;
}

/// No tables: every line goes on to the end of the game.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTables;

impl EndTables for NoTables {
    fn end(&self, _: &Position, _: Color) -> Result<TableEnd, String> {
        Ok(TableEnd::NotCovered)
    }

    fn leaned_on(&self, _: &Position) -> Vec<TableId> {
        Vec::new()
    }
}

impl<T: EndTables + ?Sized> EndTables for Option<&T> {
    fn end(&self, position: &Position, winner: Color) -> Result<TableEnd, String> {
        self.map_or(Ok(TableEnd::NotCovered), |tables| {
            tables.end(position, winner)
        })
    }

    fn leaned_on(&self, position: &Position) -> Vec<TableId> {
        self.map_or(Vec::new(), |tables| tables.leaned_on(position))
    }
}

/// The men of a position, colours either way round: four bits a side and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature(u64);

impl Signature {
    fn of_counts(counts: [[u64; 6]; 2]) -> Self {
        let pack = |side: [u64; 6]| side.iter().fold(0, |packed, men| packed << 4 | men & 15);
        let [one, other] = counts.map(pack);
        Self(one.max(other) << 24 | one.min(other))
    }

    pub(crate) fn of(position: &Position) -> Self {
        Self::of_counts(
            Color::ALL
                .map(|color| Role::ALL.map(|role| u64::from(position.men_of(color, role).count()))),
        )
    }

    /// Reads a name such as `KRvN`.
    fn from_name(name: &str) -> Option<Self> {
        let (first, second) = name.split_once('v')?;
        let side = |letters: &str| {
            let mut counts = [0; 6];
            for letter in letters.chars() {
                let role = Role::from_letter(letter).filter(|_| letter.is_ascii_uppercase())?;
                counts[role.index()] += 1;
            }
            (!letters.is_empty() && letters.len() < 16).then_some(counts)
        };
        Some(Self::of_counts([side(first)?, side(second)?]))
    }
}

/// The positions that tables cover, by their names alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covered(HashSet<Signature>);

impl Covered {
    /// What `tables` cover; a name that is none covers nothing.
    pub(crate) fn by(tables: &[TableId]) -> Self {
        let signatures = tables
            .iter()
            .filter_map(|table| Signature::from_name(&table.name));
        Self(signatures.collect())
    }

    pub(crate) fn contains(&self, position: &Position) -> bool {
        !self.0.is_empty() && self.0.contains(&Signature::of(position))
    }

    /// Adds the men of a position; says whether they are new.
    pub(crate) fn add(&mut self, position: &Position) -> bool {
        self.0.insert(Signature::of(position))
    }
}

#[cfg(test)]
mod tests {
    use rules::{Ruleset, fen};

    use super::*;

    #[test]
    fn a_table_is_written_and_read_back() {
        let table = TableId {
            name: "KRvN".to_owned(),
            sha256: std::array::from_fn(|byte| u8::try_from(7 * byte).expect("small")),
        };
        let text = table.to_string();
        assert!(text.starts_with("KRvN 00070e15"), "{text}");
        assert_eq!(text.parse(), Ok(table));
        for wrong in [
            "",
            "KRvN",
            "KRvN 00",
            &text[2..],
            &text[..text.len() - 1],
            &format!("{text}0"),
        ] {
            assert_eq!(wrong.parse::<TableId>(), Err(NoTableId(wrong.to_owned())));
        }
    }

    #[test]
    fn a_table_covers_its_men_with_either_colour() {
        let tables = ["KRvN".to_owned()].map(|name| TableId {
            name,
            sha256: [0; 32],
        });
        let covered = Covered::by(&tables);
        let covers = |text: &str| {
            let read = fen::parse(text, Ruleset::Joint).expect("a FEN");
            covered.contains(read.game.position())
        };
        assert!(covers("8/8/8/8/8/8/n7/KR6 w - -"));
        assert!(covers("8/8/8/8/8/8/N7/kr6 w - -"));
        assert!(!covers("8/8/8/8/8/8/n7/K6r w - -"));
        assert!(!covers("8/8/8/8/8/8/n7/KRR5 w - -"));
    }
}
