//! Materials: the men of a table.

use std::{fmt, str::FromStr};

use arrayvec::ArrayVec;
use rules::{Color, Position, Role};
use thiserror::Error;

/// Men of a table at most.
pub const MAX_MEN: usize = 4;

/// The kinds in the order of a material's name.
pub(crate) const NAME_ORDER: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// The men of one side, by their numbers in [`NAME_ORDER`].
type Side = [u8; 6];

/// The men of both sides, the side named first in front, which White has in the table.
///
/// The first side is the one with more men; of two with as many the one whose letters come first in the order K Q R B N P.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Material {
    sides: [Side; 2],
}

/// A name that is no material's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MaterialError {
    /// It is no name such as `KRvN`.
    #[error("\"{0}\" names no material: write the men of both sides as in KRvN, letters KQRBNP")]
    Form(String),
    /// It has more men than a table.
    #[error("{0} has {1} men; tables have at most {MAX_MEN}")]
    TooMany(String, usize),
}

fn count(side: Side) -> usize {
    side.iter().copied().map(usize::from).sum()
}

/// Whether `first` stands in front in a name with `second`.
fn is_in_order(first: Side, second: Side) -> bool {
    // At the first kind of which the numbers differ, the side with more has that letter where the other has a later one.
    (count(first), first) >= (count(second), second)
}

impl Material {
    /// The material of two sides, and whether `white` is the second of them.
    pub(crate) fn of_sides(white: Side, black: Side) -> (Self, bool) {
        let exchanged = !is_in_order(white, black);
        let sides = if exchanged {
            [black, white]
        } else {
            [white, black]
        };
        (Self { sides }, exchanged)
    }

    /// The material of men, and whether White has the second side's. `None` if a side has no man, or both together more than a
    /// table.
    pub(crate) fn of_men(men: impl IntoIterator<Item = (Color, Role)>) -> Option<(Self, bool)> {
        let mut sides = [Side::default(); 2];
        let mut total = 0;
        for (color, role) in men {
            sides[color.index()][5 - role.index()] += 1;
            total += 1;
        }
        let both = sides.iter().all(|&side| count(side) > 0);
        (both && total <= MAX_MEN).then(|| Self::of_sides(sides[0], sides[1]))
    }

    /// The material of a position, and whether White has the second side's men. `None` if a side has no man, or both together
    /// more than a table.
    #[must_use]
    pub fn of(position: &Position) -> Option<(Self, bool)> {
        if position.occupied().count() as usize > MAX_MEN {
            return None;
        }
        Self::of_men(
            position
                .occupied()
                .into_iter()
                .filter_map(|square| position.man_at(square)),
        )
    }

    /// All materials of so many men, in ascending order of names.
    #[must_use]
    pub fn all(men: usize) -> Vec<Self> {
        let mut all: Vec<Self> = (1..men)
            .flat_map(|first| {
                let second = men - first;
                let pairs = sides_of(first).into_iter();
                pairs.flat_map(move |one| sides_of(second).into_iter().map(move |two| (one, two)))
            })
            .filter(|(one, two)| is_in_order(*one, *two))
            .map(|(one, two)| Self { sides: [one, two] })
            .collect();
        all.sort_by_cached_key(ToString::to_string);
        all
    }

    /// The numbers of men of each side and kind, pawns first, in two bits each: the first side's above the second's, or exchanged.
    pub(crate) fn code(&self, exchanged: bool) -> u32 {
        let mut sides = self.sides;
        if exchanged {
            sides.swap(0, 1);
        }
        let kinds = sides.iter().flat_map(|side| side.iter().rev());
        kinds.fold(0, |code, &men| code << 2 | u32::from(men & 3))
    }

    /// The number of men.
    #[must_use]
    pub fn men(&self) -> usize {
        self.sides.into_iter().map(count).sum()
    }

    /// The number of pawns.
    #[must_use]
    pub fn pawns(&self) -> usize {
        self.sides.iter().map(|side| usize::from(side[5])).sum()
    }

    /// Whether both sides have the same men.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.sides[0] == self.sides[1]
    }

    /// The groups in the order of the name: colour in the table, kind, number of men.
    pub(crate) fn groups(&self) -> ArrayVec<(Color, Role, usize), MAX_MEN> {
        let mut groups = ArrayVec::new();
        for (color, side) in Color::ALL.into_iter().zip(&self.sides) {
            for (role, &men) in NAME_ORDER.into_iter().zip(side) {
                if men > 0 {
                    groups.push((color, role, usize::from(men)));
                }
            }
        }
        groups
    }

    /// The men in the order of the groups.
    pub(crate) fn list(&self) -> ArrayVec<(Color, Role), MAX_MEN> {
        let groups = self.groups().into_iter();
        groups
            .flat_map(|(color, role, men)| std::iter::repeat_n((color, role), men))
            .collect()
    }
}

/// All sets of `men` men.
fn sides_of(men: usize) -> Vec<Side> {
    let mut sides = vec![Side::default()];
    for _ in 0..men {
        let mut larger = Vec::new();
        for side in sides {
            // Kinds are added in order, so that each set comes once.
            let last = side.iter().rposition(|&men| men > 0).unwrap_or(0);
            for kind in last..6 {
                let mut next = side;
                next[kind] += 1;
                larger.push(next);
            }
        }
        sides = larger;
    }
    sides
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, side) in self.sides.iter().enumerate() {
            if index > 0 {
                f.write_str("v")?;
            }
            for (role, &men) in NAME_ORDER.into_iter().zip(side) {
                for _ in 0..men {
                    write!(f, "{}", role.letter().to_ascii_uppercase())?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    /// Reads a name; the sides and each side's letters may stand in any order.
    fn from_str(name: &str) -> Result<Self, MaterialError> {
        let wrong = || MaterialError::Form(name.to_owned());
        let (first, second) = name.split_once('v').ok_or_else(wrong)?;
        let side = |letters: &str| {
            let mut side = Side::default();
            for letter in letters.chars() {
                let role = Role::from_letter(letter).filter(|_| letter.is_ascii_uppercase());
                let men = &mut side[5 - role?.index()];
                *men = men.checked_add(1)?;
            }
            (!letters.is_empty()).then_some(side)
        };
        let (first, second) = (
            side(first).ok_or_else(wrong)?,
            side(second).ok_or_else(wrong)?,
        );
        let men = count(first) + count(second);
        if men > MAX_MEN {
            return Err(MaterialError::TooMany(name.to_owned(), men));
        }
        Ok(Self::of_sides(first, second).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_147_materials_of_two_and_three_men_and_567_of_four() {
        let numbers = [2, 3, 4].map(|men| Material::all(men).len());
        assert_eq!(numbers, [21, 126, 567]);
        for men in 2..=4 {
            for material in Material::all(men) {
                assert_eq!(material.to_string().parse(), Ok(material));
                assert_eq!(material.men(), men);
            }
        }
    }

    #[test]
    fn names_are_read_either_way_round() {
        let name = |text: &str| {
            text.parse::<Material>()
                .map(|material| material.to_string())
        };
        assert_eq!(name("NvRK"), Ok("KRvN".to_owned()));
        assert_eq!(name("KPvQQ"), Ok("KPvQQ".to_owned()));
        assert_eq!(name("QQvKP"), Ok("KPvQQ".to_owned()));
        assert_eq!(name("QPvQR"), Ok("QRvQP".to_owned()));
        for wrong in ["", "v", "KvKvK", "krvn", "KR", "KRvX", "vN", "KRN-P"] {
            assert_eq!(name(wrong), Err(MaterialError::Form(wrong.to_owned())));
        }
        let error = name("KRBvNP").expect_err("five men").to_string();
        assert_eq!(error, "KRBvNP has 5 men; tables have at most 4");
    }
}
