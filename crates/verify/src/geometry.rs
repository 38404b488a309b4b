//! The squares and what lies beside them.
//!
//! A square is a number from a1 = 0, b1 = 1, … to h8 = 63. "No square" is always `None`, never a number.

/// Steps of rook, bishop and king: the four straight ones come first.
pub(crate) const STRAIGHT: &[usize] = &[NORTH, SOUTH, EAST, WEST];
pub(crate) const DIAGONAL: &[usize] = &[4, 5, 6, 7];
pub(crate) const ALL_AROUND: &[usize] = &[NORTH, SOUTH, EAST, WEST, 4, 5, 6, 7];

pub(crate) const NORTH: usize = 0;
pub(crate) const SOUTH: usize = 1;
pub(crate) const EAST: usize = 2;
pub(crate) const WEST: usize = 3;
pub(crate) const NORTH_DIAGONALS: &[usize] = &[4, 5];
pub(crate) const SOUTH_DIAGONALS: &[usize] = &[6, 7];

/// For each direction above, by how much file and rank change.
const STEPS: [(i8, i8); 8] = [
    (0, 1),
    (0, -1),
    (1, 0),
    (-1, 0),
    (1, 1),
    (-1, 1),
    (1, -1),
    (-1, -1),
];
const JUMPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// From each square in each direction, the squares up to the edge of the board, nearest first.
static RAYS: [[[Option<u8>; 7]; 8]; 64] = rays(STEPS);
/// As rays, of which a knight uses the first square.
static JUMP_RAYS: [[[Option<u8>; 7]; 8]; 64] = rays(JUMPS);

#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_sign_loss,
    reason = "evaluated by the compiler, which refuses an index or a sum that is out of range"
)]
const fn rays(deltas: [(i8, i8); 8]) -> [[[Option<u8>; 7]; 8]; 64] {
    let mut table = [[[None; 7]; 8]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (by_file, by_rank) = deltas[direction];
            let (mut file, mut rank) = (square % 8 + by_file, square / 8 + by_rank);
            let mut distance = 0;
            while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                table[square as usize][direction][distance] = Some((rank * 8 + file) as u8);
                (file, rank) = (file + by_file, rank + by_rank);
                distance += 1;
            }
            direction += 1;
        }
        square += 1;
    }
    table
}

/// The squares from `square` in a direction up to the edge of the board, nearest first.
pub(crate) fn ray(square: u8, direction: usize) -> impl Iterator<Item = u8> {
    let ray = RAYS
        .get(usize::from(square))
        .and_then(|rays| rays.get(direction));
    ray.into_iter().flatten().map_while(|&to| to)
}

/// The square beside `square` in a direction, if the board goes on there.
pub(crate) fn step(square: u8, direction: usize) -> Option<u8> {
    ray(square, direction).next()
}

/// The squares that a knight on `square` reaches on an empty board.
pub(crate) fn jumps(square: u8) -> impl Iterator<Item = u8> {
    let jumps = JUMP_RAYS.get(usize::from(square)).into_iter().flatten();
    jumps.filter_map(|&[first, ..]| first)
}

/// The rank of a square, 0 to 7.
pub(crate) const fn rank(square: u8) -> u8 {
    square >> 3
}

/// The square on the file of one square and the rank of another.
pub(crate) const fn join(file_of: u8, rank_of: u8) -> u8 {
    (rank_of & 0o70) | (file_of & 0o7)
}

/// The name of a square, `a1` to `h8`; `??` for a number that is no square.
pub(crate) fn square_name(square: u8) -> String {
    match (
        b"abcdefgh".get(usize::from(square & 0o7)),
        b"12345678".get(usize::from(rank(square))),
    ) {
        (Some(&file), Some(&rank)) => [file, rank].map(char::from).iter().collect(),
        _ => "??".to_owned(),
    }
}

/// The square that has a name.
pub(crate) fn square_from_name(name: &str) -> Option<u8> {
    let &[file @ b'a'..=b'h', rank @ b'1'..=b'8'] = name.as_bytes() else {
        return None;
    };
    Some((rank.wrapping_sub(b'1') << 3) | file.wrapping_sub(b'a'))
}

/// A set of squares that gives them back in ascending order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SquareSet(u64);

impl SquareSet {
    pub(crate) const EMPTY: Self = Self(0);

    /// `square` must be one.
    pub(crate) fn insert(&mut self, square: u8) {
        self.0 |= 1_u64.wrapping_shl(u32::from(square));
    }

    /// `square` must be one.
    pub(crate) fn remove(&mut self, square: u8) {
        self.0 &= !1_u64.wrapping_shl(u32::from(square));
    }

    /// The number of members.
    pub(crate) fn len(self) -> u8 {
        u8::try_from(self.0.count_ones()).unwrap_or(u8::MAX)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `square` must be one.
    pub(crate) fn contains(self, square: u8) -> bool {
        self.0.wrapping_shr(u32::from(square)) & 1 != 0
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The members for which a condition holds.
    pub(crate) fn filter(self, keep: impl Fn(u8) -> bool) -> Self {
        let mut kept = Self::default();
        for square in self {
            if keep(square) {
                kept.insert(square);
            }
        }
        kept
    }
}

impl IntoIterator for SquareSet {
    type Item = u8;
    type IntoIter = Ascending;

    fn into_iter(self) -> Ascending {
        Ascending(self.0)
    }
}

/// The members of a set, from the lowest.
pub(crate) struct Ascending(u64);

impl Iterator for Ascending {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let lowest = u8::try_from(self.0.trailing_zeros()).ok();
        // Clears the lowest member; only an empty set has no predecessor.
        self.0 &= self.0.checked_sub(1)?;
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_their_names() {
        for square in 0..64 {
            assert_eq!(square_from_name(&square_name(square)), Some(square));
        }
        assert_eq!(square_name(0), "a1");
        assert_eq!(square_name(7), "h1");
        assert_eq!(square_name(8), "a2");
        assert_eq!(square_name(63), "h8");
        assert_eq!(square_name(64), "??");
        for wrong in ["", "a", "a9", "i1", "a1b", "A1", "-"] {
            assert_eq!(square_from_name(wrong), None);
        }
    }

    #[test]
    fn steps_stop_at_the_edge() {
        assert_eq!(step(0, NORTH), Some(8));
        assert_eq!(step(0, WEST), None);
        assert_eq!(step(7, EAST), None);
        assert_eq!(step(63, SOUTH), Some(55));
        assert_eq!(step(64, SOUTH), None);
        assert_eq!(jumps(0).collect::<Vec<_>>(), [17, 10]);
        assert_eq!(jumps(27).count(), 8);
    }

    #[test]
    fn a_set_is_in_ascending_order() {
        let mut set = SquareSet::default();
        assert!(set.is_empty());
        for square in [63, 0, 17, 5] {
            set.insert(square);
        }
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [0, 5, 17, 63]);
    }
}
