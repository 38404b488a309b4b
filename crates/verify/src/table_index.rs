//! The arithmetic of a table's index, from the table format's section *Cells*.
//!
//! The men stand in *slots*, in the order of the table's name, one group of like men after another. A placement gives the
//! square of each slot; which man of a group stands in which of its slots makes no difference. The index is a number in mixed
//! radix: the leader's representative is the most significant digit, the ranks of the other groups follow in order.

use crate::board::{Color, Kind};
use crate::table_material::{MOST_MEN, Material};

/// The square of each slot; those beyond the table's men are 0.
pub(crate) type Squares = [u8; MOST_MEN];

/// What a symmetry makes of each square.
type Map = [u8; 64];

/// A placement's index, and how many symmetries lead to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Canonical {
    pub(crate) index: usize,
    /// Symmetries that map the placement to the one that the index stands for: as many as leave that one as it is.
    pub(crate) symmetries: u64,
}

/// The index of one material.
#[derive(Debug)]
pub(crate) struct TableIndex {
    maps: Vec<Map>,
    leader: Group,
    /// The other groups, in order.
    others: Vec<Group>,
    /// For each rank of the leader.
    orbits: Vec<Orbit>,
    /// The leader's ranks that are representatives, ascending.
    representatives: Vec<usize>,
    cells: usize,
    men: usize,
}

/// Where the symmetries lead a rank of the leader.
#[derive(Clone, Copy, Default, Debug)]
struct Orbit {
    /// The number of the representative times the leader's weight.
    base: usize,
    /// A bit for each symmetry that leads to the representative.
    symmetries: u8,
}

/// Like men of one side.
#[derive(Debug)]
struct Group {
    first_slot: usize,
    men: usize,
    /// 8 for pawns, whose places start at a2; else 0.
    first_square: usize,
    /// The product of the sizes of the groups after it in the index.
    weight: usize,
    /// The squares of each rank, ascending.
    squares: Vec<[u8; 3]>,
}

impl TableIndex {
    pub(crate) fn new(material: &Material) -> Self {
        let slots = material.slots();
        let has_pawns = slots.iter().any(|man| man.1 == Kind::Pawn);
        let mut others = groups(&slots);
        let fewest = others.iter().map(|group| group.men).min();
        let leads = others.iter().position(|group| Some(group.men) == fewest);
        // A material has at least two groups.
        let mut leader = others.remove(leads.unwrap_or_default());
        let mut weight = 1_usize;
        for group in others.iter_mut().rev() {
            group.weight = weight;
            weight = weight.saturating_mul(group.squares.len());
        }
        leader.weight = weight;
        let maps = symmetries(has_pawns);
        let (orbits, representatives) = orbits(&leader, &maps);
        Self {
            cells: weight.saturating_mul(representatives.len()),
            maps,
            leader,
            others,
            orbits,
            representatives,
            men: slots.len(),
        }
    }

    /// The number of indices: cells for one side to move.
    pub(crate) const fn cells(&self) -> usize {
        self.cells
    }

    /// The number of symmetries: 2 with pawns, 8 without.
    pub(crate) fn symmetries(&self) -> u64 {
        u64::try_from(self.maps.len()).unwrap_or_default()
    }

    /// The index of a placement, whatever its men stand on; an index that is not below [`TableIndex::cells`] if a square is none,
    /// a pawn stands on the edge or two men of one group on one square.
    pub(crate) fn canonical(&self, squares: Squares) -> Canonical {
        let mut best = Canonical {
            index: usize::MAX,
            symmetries: 0,
        };
        let Some(rank) = self.leader.rank(squares, None) else {
            return best;
        };
        let orbit = self.orbits.get(rank).copied().unwrap_or_default();
        for (number, map) in self.maps.iter().enumerate() {
            if orbit.symmetries >> number & 1 == 0 {
                continue;
            }
            let mut index = orbit.base;
            for group in &self.others {
                let Some(rank) = group.rank(squares, Some(map)) else {
                    return best;
                };
                index = index.wrapping_add(rank.wrapping_mul(group.weight));
            }
            if index < best.index {
                best.index = index;
                best.symmetries = 0;
            }
            if index == best.index {
                best.symmetries = best.symmetries.wrapping_add(1);
            }
        }
        best
    }

    /// The indices of the placements that a man of a placement can move to.
    pub(crate) fn around(&self, squares: Squares, mover: usize) -> Around<'_> {
        let mut others = self.others.iter();
        let moving = others.find(|group| {
            let slots = group.first_slot..group.first_slot.wrapping_add(group.men);
            slots.contains(&mover)
        });
        let orbit = self.leader.rank(squares, None);
        let orbit = orbit.and_then(|rank| self.orbits.get(rank)).copied();
        Around {
            index: self,
            squares,
            mover,
            moving,
            orbit: orbit.unwrap_or_default(),
            partial: [None; 8],
        }
    }

    /// The placement that an index stands for, if it is the index of that placement and no two men stand on one square.
    pub(crate) fn placement(&self, index: usize) -> Option<(Squares, Canonical)> {
        let mut squares = [0; MOST_MEN];
        let mut rest = index;
        for group in self.others.iter().rev() {
            let size = group.squares.len();
            group.put(rest.checked_rem(size)?, &mut squares)?;
            rest = rest.checked_div(size)?;
        }
        self.leader
            .put(*self.representatives.get(rest)?, &mut squares)?;
        let mut occupied = 0_u64;
        for &square in squares.get(..self.men)? {
            let bit = 1_u64.wrapping_shl(u32::from(square));
            if occupied & bit != 0 {
                return None;
            }
            occupied |= bit;
        }
        let orbit = self.leader.rank(squares, None);
        let orbit = orbit.and_then(|rank| self.orbits.get(rank))?;
        if orbit.symmetries.is_power_of_two() {
            // Only the symmetry that changes nothing leads the leader to its representative.
            let symmetries = 1;
            return Some((squares, Canonical { index, symmetries }));
        }
        let canonical = self.canonical(squares);
        (canonical.index == index).then_some((squares, canonical))
    }
}

/// A placement whose indices after moves of one man are wanted: what the other groups add to the index is added up once for
/// each symmetry that comes up.
pub(crate) struct Around<'a> {
    index: &'a TableIndex,
    squares: Squares,
    mover: usize,
    /// The mover's group; `None` if it is the leader.
    moving: Option<&'a Group>,
    /// The leader's before the move.
    orbit: Orbit,
    /// For each symmetry what the groups but the mover's and the leader add.
    partial: [Option<usize>; 8],
}

impl Around<'_> {
    /// As [`TableIndex::canonical`] gives after the man has gone to a square.
    #[inline]
    pub(crate) fn index(&mut self, to: u8) -> usize {
        let mut after = self.squares;
        if let Some(square) = after.get_mut(self.mover) {
            *square = to;
        }
        let orbit = if self.moving.is_some() {
            self.orbit
        } else {
            let rank = self.index.leader.rank(after, None);
            let orbit = rank.and_then(|rank| self.index.orbits.get(rank));
            orbit.copied().unwrap_or_default()
        };
        let mut least = usize::MAX;
        let mut symmetries = orbit.symmetries;
        while let Some(rest) = symmetries.checked_sub(1) {
            let number = usize::try_from(symmetries.trailing_zeros()).unwrap_or_default();
            symmetries &= rest;
            let index = self.under(after, number);
            least = least.min(index.unwrap_or(usize::MAX).saturating_add(orbit.base));
        }
        least
    }

    /// What all groups but the leader add to the index under a symmetry.
    #[inline]
    fn under(&mut self, after: Squares, number: usize) -> Option<usize> {
        let map = self.index.maps.get(number)?;
        let partial = match *self.partial.get(number)? {
            Some(partial) => partial,
            None => self.add_up(number)?,
        };
        match self.moving {
            Some(group) => {
                let rank = group.rank(after, Some(map))?;
                Some(partial.wrapping_add(rank.wrapping_mul(group.weight)))
            }
            None => Some(partial),
        }
    }

    fn add_up(&mut self, number: usize) -> Option<usize> {
        let map = self.index.maps.get(number)?;
        let mut sum = 0_usize;
        for group in &self.index.others {
            let moves = self
                .moving
                .is_some_and(|moving| std::ptr::eq(moving, group));
            if !moves {
                let rank = group.rank(self.squares, Some(map))?;
                sum = sum.wrapping_add(rank.wrapping_mul(group.weight));
            }
        }
        *self.partial.get_mut(number)? = Some(sum);
        Some(sum)
    }
}

impl Group {
    /// The rank of the group's places after a symmetry; none if its men do not stand on different places.
    fn rank(&self, squares: Squares, map: Option<&Map>) -> Option<usize> {
        let place = |man: usize| -> Option<usize> {
            let square = *squares.get(self.first_slot.wrapping_add(man))?;
            let image = match map {
                Some(map) => *map.get(usize::from(square))?,
                None => square,
            };
            usize::from(image).checked_sub(self.first_square)
        };
        let rank = match self.men {
            1 => place(0)?,
            2 => {
                let (a, b) = (place(0)?, place(1)?);
                let (low, high) = (a.min(b), a.max(b));
                if low == high {
                    return None;
                }
                low.wrapping_add(pairs(high))
            }
            _ => {
                let mut places = [place(0)?, place(1)?, place(2)?];
                places.sort_unstable();
                let [low, middle, high] = places;
                if low == middle || middle == high {
                    return None;
                }
                low.wrapping_add(pairs(middle)).wrapping_add(triples(high))
            }
        };
        (rank < self.squares.len()).then_some(rank)
    }

    /// Puts the group's men where a rank has them.
    fn put(&self, rank: usize, squares: &mut Squares) -> Option<()> {
        let own = squares.get_mut(self.first_slot..)?;
        let own = own.iter_mut().take(self.men);
        for (square, &put) in own.zip(self.squares.get(rank)?) {
            *square = put;
        }
        Some(())
    }
}

/// C(n, 2).
const fn pairs(n: usize) -> usize {
    n.wrapping_mul(n.saturating_sub(1)) >> 1
}

/// C(n, 3).
const fn triples(n: usize) -> usize {
    pairs(n).wrapping_mul(n.saturating_sub(2)).wrapping_div(3)
}

/// The groups of a material, in order; their weights are set later.
fn groups(slots: &[(Color, Kind)]) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut first_slot = 0_usize;
    for men in slots.chunk_by(|man, next| man == next) {
        let is_pawn = men.first().is_some_and(|man| man.1 == Kind::Pawn);
        let (first_square, places) = if is_pawn { (8, 48_u8) } else { (0, 64) };
        groups.push(Group {
            first_slot,
            men: men.len(),
            first_square: usize::from(first_square),
            weight: 1,
            squares: ranked_squares(men.len(), first_square, places),
        });
        first_slot = first_slot.saturating_add(men.len());
    }
    groups
}

/// The squares of each rank of a group, ascending: the ranks ascend with the greatest place, then with the next.
fn ranked_squares(men: usize, first_square: u8, places: u8) -> Vec<[u8; 3]> {
    let mut ranked = Vec::new();
    let square = |place: u8| first_square.saturating_add(place);
    match men {
        1 => ranked.extend((0..places).map(|low| [square(low), 0, 0])),
        2 => {
            for high in 0..places {
                ranked.extend((0..high).map(|low| [square(low), square(high), 0]));
            }
        }
        _ => {
            for high in 0..places {
                for middle in 0..high {
                    let rows = (0..middle).map(|low| [square(low), square(middle), square(high)]);
                    ranked.extend(rows);
                }
            }
        }
    }
    ranked
}

/// The symmetries of the board, that of no change first; with pawns only the mirror of the files besides.
fn symmetries(has_pawns: bool) -> Vec<Map> {
    let map = |number: u8| {
        let mut map = [0; 64];
        for (square, image) in (0_u8..).zip(&mut map) {
            let mut at = square;
            if number & 1 != 0 {
                at ^= 0o7;
            }
            if number & 2 != 0 {
                at ^= 0o70;
            }
            if number & 4 != 0 {
                at = at >> 3 | (at & 0o7) << 3;
            }
            *image = at;
        }
        map
    };
    (0..if has_pawns { 2 } else { 8 }).map(map).collect()
}

/// For each rank of the leader where the symmetries lead it, and the representatives.
fn orbits(leader: &Group, maps: &[Map]) -> (Vec<Orbit>, Vec<usize>) {
    let mut squares = [0; MOST_MEN];
    let mut images = Vec::new();
    let mut representatives = Vec::new();
    for rank in 0..leader.squares.len() {
        let placed = leader.put(rank, &mut squares);
        let of_rank: Vec<usize> = maps
            .iter()
            .filter_map(|map| placed.and_then(|()| leader.rank(squares, Some(map))))
            .collect();
        let least = of_rank.iter().copied().min().unwrap_or(rank);
        if least == rank {
            representatives.push(rank);
        }
        let mut symmetries = 0_u8;
        for (number, _) in (0_u32..)
            .zip(&of_rank)
            .filter(|&(_, &image)| image == least)
        {
            symmetries |= 1_u8.wrapping_shl(number);
        }
        images.push((least, symmetries));
    }
    let orbit = |&(least, symmetries): &(usize, u8)| Orbit {
        base: representatives
            .partition_point(|&representative| representative < least)
            .saturating_mul(leader.weight),
        symmetries,
    };
    (images.iter().map(orbit).collect(), representatives)
}

#[cfg(test)]
#[path = "table_index_tests.rs"]
mod tests;
