//! What stored strategies rest on.

use std::fmt;

use proof::Proof;

/// What the lines of a strategy end in. Readers are told apart by it, too: one on the basis of the rules sees complete strategies
/// only, one on the basis of tables sees those and, of its own ruleset, the ones that lean on tables.
///
/// Of two entries for one position the one with the smaller height stays, and one that leans on tables has no entries below the
/// positions that a table covers. So the two kinds are kept apart: a complete strategy stays complete whatever else is stored.
///
/// Heights that lean on tables fall along play as long as the men stay the same. An entry may be stored for a position that a
/// table covers, with a greater height than the one above it; since a table covers all positions of the same men, what leads there
/// never comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Basis {
    /// Every line ends by the rules: won for the winner.
    Rules,
    /// Lines may end in positions that endgame tables of the same ruleset cover.
    Tables,
}

impl Basis {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Rules, Self::Tables];

    /// What a proof rests on.
    #[must_use]
    pub fn of(proof: &Proof) -> Self {
        if proof.tables.is_empty() {
            Self::Rules
        } else {
            Self::Tables
        }
    }

    /// The name in the database: `rules` or `tables`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Tables => "tables",
        }
    }

    /// The basis of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
