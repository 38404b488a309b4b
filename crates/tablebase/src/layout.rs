//! From placements to cells and back: the index of `FORMAT.md`.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use rules::{Color, Role};

use crate::material::{MAX_MEN, Material};

/// The squares of a table's men in the order of its groups; what is behind the last man means nothing.
pub(crate) type Squares = [u8; MAX_MEN];

/// What turns a square into its image at the middle of the board.
pub(crate) const MIRROR: u8 = 0b11_1000;

/// Each square's images under the symmetries of the board; the first symmetry is none, the second the mirror of the files.
static SYMMETRIES: [[u8; 64]; 8] = symmetries();

const fn symmetries() -> [[u8; 64]; 8] {
    let mut images = [[0; 64]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut square: u8 = 0;
        while square < 64 {
            let (mut file, mut rank) = (square % 8, square / 8);
            if symmetry & 1 != 0 {
                file = 7 - file;
            }
            if symmetry & 2 != 0 {
                rank = 7 - rank;
            }
            images[symmetry][square as usize] = if symmetry & 4 != 0 {
                8 * file + rank
            } else {
                8 * rank + file
            };
            square += 1;
        }
        symmetry += 1;
    }
    images
}

/// Men of one side and kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// Where its men begin among the table's.
    pub(crate) first: usize,
    pub(crate) len: usize,
    /// What is subtracted from a square to give a place: 8 for pawns.
    offset: u8,
    /// The number of ranks, or for the leader of representatives.
    size: u32,
    /// What one step of the rank adds to the index.
    stride: u32,
}

/// What the symmetries do to a rank of the leader's.
#[derive(Clone, Copy, Debug)]
struct LeaderRank {
    /// The number of its representative.
    number: u32,
    /// The symmetries that lead to the representative, one bit each.
    symmetries: u8,
}

/// The order of a table's cells.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) men: ArrayVec<(Color, Role), MAX_MEN>,
    pub(crate) groups: ArrayVec<Group, MAX_MEN>,
    leader: usize,
    /// For each man its group.
    group_of: [usize; MAX_MEN],
    leader_ranks: Vec<LeaderRank>,
    /// The rank of each representative.
    representatives: Vec<u32>,
    /// If each group but the leader is of one man: what a step of each man's square adds to the index (nothing for the
    /// leader's men and those that are not there).
    weights: Option<[u32; MAX_MEN]>,
    /// What the first squares of those men would add by their weights.
    weighted_offset: u32,
    /// Images of a placement under all symmetries that apply: 2 or 8.
    pub(crate) symmetries: u32,
    pub(crate) cells: u32,
}

/// A placement's index, and the number of symmetries that leave the placement as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) index: u32,
    pub(crate) stabilizer: u32,
}

/// n over k.
const fn choose(n: u32, k: u32) -> u32 {
    match k {
        1 => n,
        2 => n * n.saturating_sub(1) / 2,
        3 => n * n.saturating_sub(1) * n.saturating_sub(2) / 6,
        _ => 1,
    }
}

/// The rank of men on these places.
#[inline]
fn rank(places: &[u8]) -> u32 {
    match *places {
        [a] => u32::from(a),
        [a, b] => {
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            u32::from(low) + choose(u32::from(high), 2)
        }
        [a, b, c] => {
            let (mut low, mut mid, mut high) = (a, b, c);
            if low > mid {
                std::mem::swap(&mut low, &mut mid);
            }
            if mid > high {
                std::mem::swap(&mut mid, &mut high);
            }
            if low > mid {
                std::mem::swap(&mut low, &mut mid);
            }
            u32::from(low) + choose(u32::from(mid), 2) + choose(u32::from(high), 3)
        }
        _ => unreachable!("a group has one to three men: the other side has one, too"),
    }
}

/// The places of all ranks of groups of two and of three men, ascending in each.
static UNRANKED: LazyLock<[Vec<[u8; 3]>; 2]> = LazyLock::new(|| {
    let pairs = (0..64).flat_map(|high| (0..high).map(move |low| [low, high, 0]));
    let triples = (0..64)
        .flat_map(|high| (0..high).flat_map(move |mid| (0..mid).map(move |low| [low, mid, high])));
    [pairs.collect(), triples.collect()]
});

/// The image of a placement under a symmetry.
#[inline]
fn image(squares: Squares, symmetry: usize) -> Squares {
    let images = &SYMMETRIES[symmetry & 7];
    squares.map(|square| images[usize::from(square & 63)])
}

impl Group {
    fn places(&self) -> u32 {
        64 - 2 * u32::from(self.offset)
    }

    /// The rank of the group in a placement.
    #[inline]
    fn rank(&self, squares: Squares) -> u32 {
        let mut places = [0; 3];
        for (place, square) in places
            .iter_mut()
            .zip(&squares[self.first..self.first + self.len])
        {
            *place = square - self.offset;
        }
        rank(&places[..self.len])
    }

    /// Puts the group on the squares of a rank.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a rank of one man is a place"
    )]
    fn unrank(&self, rank: u32, squares: &mut Squares) {
        if self.len == 1 {
            squares[self.first] = rank as u8 + self.offset;
            return;
        }
        let places = &UNRANKED[self.len - 2][rank as usize];
        for (square, place) in squares[self.first..].iter_mut().zip(&places[..self.len]) {
            *square = place + self.offset;
        }
    }
}

impl Layout {
    pub(crate) fn new(material: &Material) -> Self {
        let mut groups: ArrayVec<Group, MAX_MEN> = ArrayVec::new();
        let mut group_of = [0; MAX_MEN];
        let mut first = 0;
        for (_, role, len) in material.groups() {
            group_of[first..first + len].fill(groups.len());
            let offset = if role == Role::Pawn { 8 } else { 0 };
            let mut group = Group {
                first,
                len,
                offset,
                size: 0,
                stride: 0,
            };
            #[expect(clippy::cast_possible_truncation, reason = "at most three")]
            let size = choose(group.places(), len as u32);
            group.size = size;
            groups.push(group);
            first += len;
        }
        let leader = (0..groups.len())
            .min_by_key(|&group| groups[group].len)
            .expect("a material has men");
        let symmetries = if material.pawns() > 0 { 2 } else { 8 };
        let (leader_ranks, representatives) = representatives(&groups[leader], symmetries);
        #[expect(clippy::cast_possible_truncation, reason = "at most 2,016")]
        let numbers = representatives.len() as u32;
        groups[leader].size = numbers;
        let mut stride = 1;
        for group in groups
            .iter_mut()
            .enumerate()
            .rev()
            .filter(|(index, _)| *index != leader)
        {
            group.1.stride = stride;
            stride *= group.1.size;
        }
        groups[leader].stride = stride;
        let mut weights = [0; MAX_MEN];
        let mut weighted_offset = 0;
        let mut single = true;
        for (_, group) in groups
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != leader)
        {
            weights[group.first] = group.stride;
            weighted_offset += group.stride * u32::from(group.offset);
            single &= group.len == 1;
        }
        Self {
            weights: single.then_some(weights),
            weighted_offset,
            men: material.list(),
            groups,
            leader,
            group_of,
            leader_ranks,
            representatives,
            symmetries,
            cells: stride * numbers,
        }
    }

    /// Where the placement has its cell. No two men may stand on one square.
    #[inline]
    pub(crate) fn place(&self, squares: Squares) -> Place {
        let leader = self.leader_ranks[self.groups[self.leader].rank(squares) as usize];
        let base = leader.number * self.groups[self.leader].stride;
        let mut symmetries = leader.symmetries;
        if symmetries.is_power_of_two() {
            let image = image(squares, symmetries.trailing_zeros() as usize);
            return Place {
                index: base + self.others(image),
                stabilizer: 1,
            };
        }
        let mut least = u32::MAX;
        let mut reached = 0;
        while symmetries != 0 {
            let symmetry = symmetries.trailing_zeros() as usize;
            symmetries &= symmetries - 1;
            let image = image(squares, symmetry);
            let index = base + self.others(image);
            if index < least {
                (least, reached) = (index, 1);
            } else if index == least {
                reached += 1;
            }
        }
        Place {
            index: least,
            stabilizer: reached,
        }
    }

    /// What the groups besides the leader add to the index.
    #[inline]
    fn others(&self, squares: Squares) -> u32 {
        if let Some(weights) = &self.weights {
            let products = weights.iter().zip(squares);
            let sum: u32 = products
                .map(|(weight, square)| weight * u32::from(square))
                .sum();
            return sum - self.weighted_offset;
        }
        let mut sum = 0;
        for (index, group) in self.groups.iter().enumerate() {
            if index != self.leader {
                sum += group.rank(squares) * group.stride;
            }
        }
        sum
    }

    /// The placement that an index stands for. Men may share squares.
    #[inline]
    pub(crate) fn squares(&self, index: u32) -> Squares {
        let mut squares = [0; MAX_MEN];
        let leader = &self.groups[self.leader];
        leader.unrank(
            self.representatives[(index / leader.stride) as usize],
            &mut squares,
        );
        let mut rest = index % leader.stride;
        for (number, group) in self.groups.iter().enumerate() {
            if number != self.leader {
                group.unrank(rest / group.stride, &mut squares);
                rest %= group.stride;
            }
        }
        squares
    }

    /// The number of symmetries that leave the placement of a cell as it is, or `None` if the placement has another cell.
    /// No two men may stand on one square.
    #[inline]
    pub(crate) fn stabilizer(&self, index: u32, squares: Squares) -> Option<u32> {
        if self.has_one_symmetry(index) {
            return Some(1);
        }
        let place = self.place(squares);
        (place.index == index).then_some(place.stabilizer)
    }

    /// Whether no symmetry but none leaves the leader of a cell where it is.
    #[inline]
    pub(crate) fn has_one_symmetry(&self, index: u32) -> bool {
        let leader = &self.groups[self.leader];
        let rank = self.representatives[(index / leader.stride) as usize];
        self.leader_ranks[rank as usize].symmetries == 1
    }

    /// For a cell whose leader has no symmetry: where the placement is after its man `man` has moved to `to`. `None` if it
    /// is one of the leader's.
    #[inline]
    pub(crate) fn place_after(
        &self,
        index: u32,
        squares: Squares,
        man: usize,
        to: u8,
    ) -> Option<Place> {
        let number = self.group_of[man];
        if number == self.leader {
            return None;
        }
        let group = &self.groups[number];
        let (old, new) = if group.len == 1 {
            (u32::from(squares[man]), u32::from(to))
        } else {
            let mut after = squares;
            after[man] = to;
            (group.rank(squares), group.rank(after))
        };
        Some(Place {
            index: index + new * group.stride - old * group.stride,
            stabilizer: 1,
        })
    }
}

fn representatives(leader: &Group, symmetries: u32) -> (Vec<LeaderRank>, Vec<u32>) {
    let images = |rank: u32| {
        let mut squares = [0; MAX_MEN];
        leader.unrank(rank, &mut squares);
        (0..symmetries as usize).map(move |symmetry| leader.rank(image(squares, symmetry)))
    };
    let mut ranks: Vec<LeaderRank> = Vec::new();
    let mut representatives = Vec::new();
    for rank in 0..leader.size {
        let least = images(rank).min().unwrap_or(rank);
        let symmetries = images(rank)
            .enumerate()
            .filter(|&(_, image)| image == least)
            .fold(0, |mask, (symmetry, _)| mask | 1 << symmetry);
        let number = if least == rank {
            representatives.push(rank);
            representatives.len() - 1
        } else {
            ranks[least as usize].number as usize
        };
        #[expect(clippy::cast_possible_truncation, reason = "at most 2,016")]
        ranks.push(LeaderRank {
            number: number as u32,
            symmetries,
        });
    }
    (ranks, representatives)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(name: &str) -> Layout {
        Layout::new(&name.parse().expect("a material"))
    }

    fn overlap(squares: &[u8]) -> bool {
        (1..squares.len()).any(|man| squares[..man].contains(&squares[man]))
    }

    /// Each placement has one cell, and all its images have the same.
    #[test]
    fn cells_and_placements_belong_together() {
        for name in ["KvK", "PvP", "KKvR", "KRvK", "PPvQ", "QPvP", "KKKvN"] {
            let layout = layout(name);
            let men = layout.men.len();
            let mut unreduced = 0;
            for index in 0..layout.cells {
                let squares = layout.squares(index);
                if overlap(&squares[..men]) {
                    continue;
                }
                let place = layout.place(squares);
                assert_eq!(
                    layout.stabilizer(index, squares),
                    (place.index == index).then_some(place.stabilizer)
                );
                assert!(place.index <= index, "{name} {index}");
                for symmetry in 0..layout.symmetries as usize {
                    let image = image(squares, symmetry);
                    assert_eq!(layout.place(image), place, "{name} {index}");
                }
                if place.index == index {
                    unreduced += layout.symmetries / place.stabilizer;
                }
            }
            let expected = match name {
                "KvK" => 64 * 63,
                "PvP" => 48 * 47,
                "KKvR" => 64 * 63 / 2 * 62,
                "KRvK" => 64 * 63 * 62,
                "PPvQ" => 48 * 47 / 2 * 62,
                "QPvP" => 48 * 47 * 62,
                _ => 64 * 63 * 62 / 6 * 61,
            };
            assert_eq!(unreduced, expected, "{name}");
        }
    }

    #[test]
    fn sizes_are_those_of_the_format() {
        for (name, cells) in [
            ("KvK", 10 * 64),
            ("KRvN", 10 * 64 * 64),
            ("PvP", 24 * 48),
            ("KKvPP", 1024 * 1128),
            ("KQvRP", 32 * 64 * 64 * 48),
        ] {
            assert_eq!(layout(name).cells, cells, "{name}");
        }
    }
}
