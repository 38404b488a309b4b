//! The men of an endgame table: their order, their canonical name, and the materials that one move leads to.

use std::collections::BTreeSet;

use crate::board::{Color, Kind};
use crate::ruleset::{MoveClass, Ruleset};

/// The most men that a table has.
pub(crate) const MOST_MEN: usize = 4;

/// The order of letters in a name.
const ORDER: [Kind; 6] = [
    Kind::King,
    Kind::Queen,
    Kind::Rook,
    Kind::Bishop,
    Kind::Knight,
    Kind::Pawn,
];

/// The men of both sides, each side's in the order `K Q R B N P`; the first side is White.
///
/// Canonical if the first side is the one that the table format calls so.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Material {
    /// Places in [`ORDER`], ascending.
    first: Vec<usize>,
    second: Vec<usize>,
}

impl Material {
    /// The material that has a name; none if the name is not written in the one canonical form or is not a table's.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let (first, second) = name.split_once('v')?;
        let place = |letter: char| {
            let kind = Kind::from_letter(letter.to_ascii_lowercase())
                .filter(|_| letter.is_ascii_uppercase())?;
            ORDER.iter().position(|&other| other == kind)
        };
        let side = |letters: &str| letters.chars().map(place).collect::<Option<Vec<_>>>();
        let read = Self {
            first: side(first)?,
            second: side(second)?,
        };
        let is_sorted = read.first.is_sorted() && read.second.is_sorted();
        (read.is_a_table() && is_sorted && read.canonical().0 == read).then_some(read)
    }

    /// The material of some men, White's as the first side, and for each of its slots which of those men stands in it.
    pub(crate) fn of(men: &[(Color, Kind)]) -> (Self, Vec<usize>) {
        let place = |kind: Kind| ORDER.iter().position(|&other| other == kind).unwrap_or(0);
        let side = |color: Color| {
            let numbered = (0..).zip(men).filter(|(_, man)| man.0 == color);
            let mut side: Vec<(usize, usize)> = numbered
                .map(|(number, man)| (place(man.1), number))
                .collect();
            side.sort_unstable();
            side.into_iter().unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let (first, mut numbers) = side(Color::White);
        let (second, more) = side(Color::Black);
        numbers.extend(more);
        (Self { first, second }, numbers)
    }

    /// Each side has a man, and both together no more than a table can have.
    pub(crate) fn is_a_table(&self) -> bool {
        !self.first.is_empty() && !self.second.is_empty() && self.men() <= MOST_MEN
    }

    /// The canonical form, and whether the colours are exchanged for it.
    pub(crate) fn canonical(&self) -> (Self, bool) {
        let more_men = self.second.len().cmp(&self.first.len());
        if more_men.then_with(|| self.first.cmp(&self.second)).is_gt() {
            return (self.exchanged(), true);
        }
        (self.clone(), false)
    }

    /// The sides with their colours exchanged.
    pub(crate) fn exchanged(&self) -> Self {
        Self {
            first: self.second.clone(),
            second: self.first.clone(),
        }
    }

    pub(crate) fn name(&self) -> String {
        let letters = |side: &[usize]| -> String {
            let kinds = side.iter().filter_map(|&place| ORDER.get(place));
            kinds
                .map(|kind| kind.letter().to_ascii_uppercase())
                .collect()
        };
        format!("{}v{}", letters(&self.first), letters(&self.second))
    }

    /// The number of men of both sides.
    pub(crate) const fn men(&self) -> usize {
        self.first.len().saturating_add(self.second.len())
    }

    /// The number of men of the first side, who stand in the slots before those of the second.
    pub(crate) const fn first_men(&self) -> usize {
        self.first.len()
    }

    /// Whether both sides have the same men, so that White to move is the only case.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.first == self.second
    }

    /// The men in the order of their slots: the first side's, then the second's, as the name has them.
    pub(crate) fn slots(&self) -> Vec<(Color, Kind)> {
        let side = |places: &[usize], color| {
            let kinds = places.iter().filter_map(|&place| ORDER.get(place));
            kinds.map(|&kind| (color, kind)).collect::<Vec<_>>()
        };
        let mut slots = side(&self.first, Color::White);
        slots.extend(side(&self.second, Color::Black));
        slots
    }

    /// The canonical materials that one capture or promotion leads to; those that are no table's are left out.
    pub(crate) fn successors(&self, class: MoveClass) -> BTreeSet<Self> {
        let slots = self.slots();
        let mut found = BTreeSet::new();
        let mut add = |men: &[(Color, Kind)]| {
            let material = Self::of(men).0;
            if material.is_a_table() {
                found.insert(material.canonical().0);
            }
        };
        for (victim, _) in slots.iter().enumerate() {
            add(&without(&slots, victim));
        }
        for (pawn, &(color, kind)) in slots.iter().enumerate() {
            if kind != Kind::Pawn {
                continue;
            }
            for &promotion in class.promotions() {
                let mut promoted = slots.clone();
                if let Some(man) = promoted.get_mut(pawn) {
                    *man = (color, promotion);
                }
                add(&promoted);
                // No pawn stands on the last rank to be captured there.
                for (victim, &man) in slots.iter().enumerate() {
                    if man.0 != color && man.1 != Kind::Pawn {
                        add(&without(&promoted, victim));
                    }
                }
            }
        }
        found
    }
}

fn without(men: &[(Color, Kind)], slot: usize) -> Vec<(Color, Kind)> {
    let others = (0..).zip(men).filter(|&(other, _)| other != slot);
    others.map(|(_, &man)| man).collect()
}

/// Whether there are tables for a ruleset: capturing is compulsory and the king is an ordinary man.
pub(crate) const fn has_tables(ruleset: Ruleset) -> bool {
    matches!(
        ruleset.move_class(),
        MoveClass::Antichess | MoveClass::Variant2
    )
}

/// The names of the tables that the check of a table needs: those that a capture (en passant included), a promotion or both
/// lead to in one move, ascending. `None` if the name is no table's canonical name or the ruleset has no tables.
///
/// # Examples
///
/// ```
/// use takeme_verify::{Ruleset, prerequisites};
///
/// let names = prerequisites("QvP", Ruleset::Variant2);
/// assert_eq!(names, Some(vec!["QvQ".to_owned()]));
/// assert_eq!(prerequisites("PvQ", Ruleset::Variant2), None);
/// ```
#[must_use]
pub fn prerequisites(name: &str, ruleset: Ruleset) -> Option<Vec<String>> {
    let material = Material::from_name(name).filter(|_| has_tables(ruleset))?;
    let successors = material.successors(ruleset.move_class());
    let mut names: Vec<_> = successors.iter().map(Material::name).collect();
    names.sort_unstable();
    Some(names)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_names_are_read() {
        for name in ["KvK", "KRvN", "QvP", "KRvQN", "QQQvK", "PPvPP", "KKKvP"] {
            assert_eq!(Material::from_name(name).unwrap().name(), name);
        }
        for wrong in [
            "", "v", "K", "Kv", "vK", "NvKR", "RKvN", "PvQ", "QNvKR", "KKKKvK", "KKKvKK", "kvK",
            "KvKvK", "KvX", "KvÄ", " KvK", "KvK ", "KQRBvN",
        ] {
            assert_eq!(Material::from_name(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn one_more_man_or_earlier_letters_make_the_first_side() {
        let men = [
            (Color::White, Kind::Knight),
            (Color::Black, Kind::Rook),
            (Color::Black, Kind::King),
        ];
        let (material, numbers) = Material::of(&men);
        assert_eq!((material.name().as_str(), numbers), ("NvKR", vec![0, 2, 1]));
        let (canonical, exchanged) = material.canonical();
        assert_eq!((canonical.name().as_str(), exchanged), ("KRvN", true));
    }

    #[test]
    fn one_move_leads_to_these_tables() {
        let names = |name, ruleset| prerequisites(name, ruleset).unwrap().join(" ");
        assert_eq!(names("KvK", Ruleset::Joint), "");
        assert_eq!(names("KRvN", Ruleset::Fics), "KvN RvN");
        assert_eq!(names("PvP", Ruleset::Joint), "BvP KvP NvP QvP RvP");
        assert_eq!(names("QPvP", Ruleset::Variant2), "PvP QPvQ QQvP QvP");
        // The black pawn can take the knight as it promotes, but not the pawn.
        assert_eq!(names("NPvP", Ruleset::Variant2), "NPvQ NvP PvP QNvP QvP");
        assert_eq!(prerequisites("KvK", Ruleset::Extinction), None);
        assert_eq!(prerequisites("KvK", Ruleset::Variant3), None);
    }
}
