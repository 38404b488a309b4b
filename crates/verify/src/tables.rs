//! Endgame tables as a replay sees them: answers that are not believed silently.
//!
//! A replay asks its tables at each position that the rules do not decide. A position that a table covers is an end, and
//! must be won for the winner; the line is counted to the end of the game with the plies that the table gives. The verdict lists
//! every table that such an answer came from.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use crate::board::{Color, Kind, Position};
use crate::ruleset::Ruleset;

/// A table: its name, such as `KRvN`, and the SHA-256 of its file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableId {
    /// The men of one side and of the other with a `v` between them.
    pub name: String,
    /// SHA-256 of the table file.
    pub sha256: [u8; 32],
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table {} (sha256 ", self.name)?;
        for byte in self.sha256 {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// What tables say about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableAnswer {
    /// No table covers the position: the replay goes on.
    NotCovered,
    /// A table covers it and gives it as won.
    Won {
        /// The side that wins.
        winner: Color,
        /// The plies to the end of the game that the table gives. They count in the longest line.
        plies: u32,
    },
    /// A table covers it and gives it as drawn.
    NotWon,
    /// The table named covers it but is not at hand: the proof cannot be checked here.
    Missing(String),
    /// A table that the value needs is damaged, as the text says: nothing can be checked against it.
    Damaged(String),
}

/// Endgame tables that a proof may rest on.
pub trait Tables {
    /// The value of a position that the rules do not decide; either side may be to move.
    fn probe(&mut self, position: &Position) -> TableAnswer;

    /// The table that covers a position: the one of its men, if it is at hand.
    fn table(&self, position: &Position) -> Option<&TableId>;

    /// The tables that the last answer of [`Tables::probe`], for this position, rests on; the verdict lists them.
    ///
    /// By default that is the table that covers the position. One that answers from smaller tables as well, because the side to
    /// move can capture, must name those too.
    fn sources(&self, position: &Position) -> Vec<&TableId> {
        self.table(position).into_iter().collect()
    }

    /// The value of a position that play from a covered one leads to. A replay asks it to see how the game would go on there, and
    /// takes nothing for granted because of the answer, so it need not come from a listed table.
    fn follow(&mut self, position: &Position) -> TableAnswer {
        self.probe(position)
    }

    /// The ruleset that the values are for. A claim under another is rejected; `None` serves every claim.
    fn ruleset(&self) -> Option<Ruleset> {
        None
    }
}

/// No tables at all.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoTables;

impl Tables for NoTables {
    fn probe(&mut self, _: &Position) -> TableAnswer {
        TableAnswer::NotCovered
    }

    fn table(&self, _: &Position) -> Option<&TableId> {
        None
    }
}

/// Why a list of tables cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListError {
    /// A name is not two groups of men with a `v` between them.
    Name(String),
    /// A table is listed twice.
    Twice(String),
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "table name {name:?} is not of the form KRvN"),
            Self::Twice(name) => write!(f, "table {name} is listed twice"),
        }
    }
}

impl Error for ListError {}

/// The tables of a list, out of those that are at hand: those that a certificate or a recorded claim names.
///
/// Covers exactly the positions whose men are those of a listed table, colours either way round: whether a position is an
/// end must depend on the list alone, or a certificate's choices would be read out of step. A listed table that is not at hand, or
/// is at hand with another hash, is [`TableAnswer::Missing`]. A value may rest on smaller tables that the list does not name; they are
/// among its sources.
#[derive(Debug)]
pub struct Listed<'a, T: ?Sized> {
    by_signature: BTreeMap<Signature, &'a TableId>,
    most_men: u32,
    at_hand: &'a mut T,
}

impl<'a, T: Tables + ?Sized> Listed<'a, T> {
    /// Restricts tables to those of a list.
    ///
    /// # Errors
    ///
    /// [`ListError`] if a name is no table's, or comes twice (with the sides either way round).
    pub fn new(tables: &'a [TableId], at_hand: &'a mut T) -> Result<Self, ListError> {
        let mut by_signature = BTreeMap::new();
        for table in tables {
            let signature = Signature::from_name(&table.name)
                .ok_or_else(|| ListError::Name(table.name.clone()))?;
            let twice = by_signature.contains_key(&signature.swapped())
                || by_signature.insert(signature, table).is_some();
            if twice {
                return Err(ListError::Twice(table.name.clone()));
            }
        }
        let men = by_signature.keys().map(Signature::men);
        Ok(Self {
            most_men: men.max().unwrap_or_default(),
            by_signature,
            at_hand,
        })
    }

    /// The listed table of some men.
    fn listed(&self, signature: Signature) -> Option<&'a TableId> {
        let found = self.by_signature.get(&signature);
        found
            .or_else(|| self.by_signature.get(&signature.swapped()))
            .copied()
    }

    fn covering(&self, position: &Position) -> Option<&'a TableId> {
        let men = u32::from(position.men(Color::White))
            .saturating_add(u32::from(position.men(Color::Black)));
        if men > self.most_men {
            return None;
        }
        self.listed(Signature::of(position))
    }

    /// A table that the last answer rests on and that the list has with another hash.
    fn conflict(&self, position: &Position) -> Option<String> {
        let sources = self.at_hand.sources(position).into_iter();
        sources
            .filter_map(|source| Some((self.listed(Signature::from_name(&source.name)?)?, source)))
            .find(|(listed, source)| listed.sha256 != source.sha256)
            .map(|(listed, other)| format!("{listed}; at hand is {other}"))
    }
}

impl<T: Tables + ?Sized> Tables for Listed<'_, T> {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        let Some(listed) = self.covering(position) else {
            return TableAnswer::NotCovered;
        };
        match self.at_hand.table(position) {
            Some(table) if table.sha256 == listed.sha256 => match self.at_hand.probe(position) {
                TableAnswer::NotCovered => TableAnswer::Missing(listed.to_string()),
                answer => match self.conflict(position) {
                    Some(tables) => TableAnswer::Missing(tables),
                    None => answer,
                },
            },
            Some(other) => TableAnswer::Missing(format!("{listed}; at hand is {other}")),
            None => TableAnswer::Missing(listed.to_string()),
        }
    }

    fn table(&self, position: &Position) -> Option<&TableId> {
        self.covering(position)
    }

    /// The listed table first, then the others at hand that the answer rests on.
    fn sources(&self, position: &Position) -> Vec<&TableId> {
        let covering = self.covering(position);
        let others = self.at_hand.sources(position).into_iter();
        let others = others.filter(|source| Some(source.sha256) != covering.map(|id| id.sha256));
        covering.into_iter().chain(others).collect()
    }

    fn follow(&mut self, position: &Position) -> TableAnswer {
        self.at_hand.follow(position)
    }

    fn ruleset(&self) -> Option<Ruleset> {
        self.at_hand.ruleset()
    }
}

/// How many men of each kind White and Black have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Signature([[u8; 6]; 2]);

impl Signature {
    /// Reads a name such as `KRvN`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let (first, second) = name.split_once('v')?;
        let side = |letters: &str| {
            let mut counts = [0_u8; 6];
            for letter in letters.chars() {
                let kind = Kind::from_letter(letter.to_ascii_lowercase())
                    .filter(|_| letter.is_ascii_uppercase())?;
                let count = counts.get_mut(kind.index())?;
                *count = count.checked_add(1)?;
            }
            (!letters.is_empty()).then_some(counts)
        };
        Some(Self([side(first)?, side(second)?]))
    }

    fn of(position: &Position) -> Self {
        let [mut white, mut black] = [[0_u8; 6]; 2];
        for (_, man) in position.all_men() {
            let side = if man.color == Color::White {
                &mut white
            } else {
                &mut black
            };
            if let Some(count) = side.get_mut(man.kind.index()) {
                *count = count.saturating_add(1);
            }
        }
        Self([white, black])
    }

    pub(crate) fn swapped(self) -> Self {
        let [white, black] = self.0;
        Self([black, white])
    }

    fn men(&self) -> u32 {
        self.0.iter().flatten().copied().map(u32::from).sum()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::ruleset::Ruleset;

    #[test]
    fn a_name_gives_the_men_of_both_sides() {
        let position = Position::from_fen("8/8/8/8/8/8/n7/KR6 w - -", Ruleset::Joint).unwrap();
        let signature = Signature::from_name("RKvN").unwrap();
        assert_eq!(signature, Signature::of(&position));
        assert_eq!(signature.swapped(), Signature::from_name("NvKR").unwrap());
        assert_eq!(signature.men(), 3);
        for wrong in [
            "", "v", "Kv", "vK", "KK", "KvKvK", "kvK", "KvX", "K v K", "KvÄ",
        ] {
            assert_eq!(Signature::from_name(wrong), None, "{wrong}");
        }
    }
}
