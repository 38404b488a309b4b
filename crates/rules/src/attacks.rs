//! Squares attacked by a man, from tables computed at compile time.
//!
//! Sliding attacks use *magic* multiplication (Lasse Hansen, 2006; "fancy" layout by Pradu Kannan): the blockers on a man's
//! lines, times a multiplier, shifted, give an index into a shared table. The multipliers below were found by random
//! search; the table's construction asserts that no two blocker sets with different attacks share an index, so a wrong
//! multiplier does not compile.

use crate::{Bitboard, Color, Role, Square};

/// Multipliers for rooks, a1 first.
const ROOK_MAGICS: [u64; 64] = [
    0x0080_0216_2080_4001,
    0x0040_0010_0020_0041,
    0x0200_1022_0008_8040,
    0x4080_0408_0082_1000,
    0x2200_0200_0420_0810,
    0x4B00_020C_000D_0008,
    0x0100_0C41_8300_0600,
    0x2080_0100_0040_2C80,
    0x8002_8008_2686_4000,
    0x0410_8020_0088_4000,
    0x0C01_0040_1020_0100,
    0x0203_0010_0100_203C,
    0x0450_8008_0104_0080,
    0x4010_8002_0004_0080,
    0x8804_0002_0804_8110,
    0x0C40_8000_8000_4100,
    0xA201_8880_0240_04A0,
    0x0080_8480_2000_4004,
    0x1010_4100_1020_0101,
    0x2010_0080_0800_8010,
    0x0A08_0100_0411_0008,
    0x0802_0801_0420_9040,
    0x0080_0400_9001_0802,
    0x0280_0200_0084_1069,
    0x080C_4000_8024_8000,
    0x2048_8501_0022_4008,
    0x0020_0800_C030_0040,
    0x1140_0D01_0020_1000,
    0x0041_0011_0008_0204,
    0x4802_0002_0004_0810,
    0x0100_080C_0010_3601,
    0x0020_0842_0004_3085,
    0x0100_8040_0080_0022,
    0x0460_4010_0040_2002,
    0x8309_0020_0100_1044,
    0x0000_8008_0080_1000,
    0x0000_8008_0080_0400,
    0xB542_0400_8080_0200,
    0x1041_0004_0100_0200,
    0x0003_18B0_4A00_0401,
    0x0280_0820_0048_4000,
    0x0080_4000_8101_0030,
    0x0010_0020_0010_8080,
    0x0120_1000_2101_000A,
    0x0801_0004_0801_0012,
    0x0004_0080_0200_8004,
    0x0AD1_0052_0011_0014,
    0x4000_0041_1082_0004,
    0x9400_4000_8000_3080,
    0x0000_8022_0049_0200,
    0x1521_1000_8020_0280,
    0x9021_0008_2410_0100,
    0x0081_0800_8084_0280,
    0x0002_0009_0410_0200,
    0x0130_0248_0130_2400,
    0x0102_0081_0044_2200,
    0x0080_9840_6380_0101,
    0x0016_8102_0141_2812,
    0x4020_0101_6030_08C1,
    0x2851_1000_0408_2101,
    0x1049_0010_0288_0005,
    0x0081_0008_0400_0201,
    0x1000_2090_1208_410C,
    0x0101_0644_0081_3102,
];

/// Multipliers for bishops, a1 first.
const BISHOP_MAGICS: [u64; 64] = [
    0x24E0_440C_0080_2202,
    0x0088_1808_841A_4500,
    0x29C1_0210_8500_4190,
    0x18C4_0410_8004_2020,
    0x0841_1040_0000_8108,
    0x8908_2808_0880_C088,
    0x0006_0210_2406_2018,
    0x2000_4040_4410_4040,
    0x0900_0504_104A_0210,
    0x0088_3902_0404_0820,
    0x4001_4200_8200_8402,
    0x0281_0804_8B00_1142,
    0x1C00_1404_2100_1008,
    0x0008_0212_1220_0400,
    0x0800_0058_1A08_2004,
    0x3000_0482_0802_7204,
    0x0120_0040_4414_8482,
    0x4021_0008_0810_8090,
    0x0084_0118_0800_9452,
    0x11C8_0224_2020_E000,
    0x0124_0022_1014_0002,
    0x4009_0082_0042_0200,
    0x0000_8302_0210_0202,
    0x9002_0425_0042_0200,
    0x0A60_2000_0448_0210,
    0x0402_4810_2048_0080,
    0x8001_1001_0100_4200,
    0x6240_1040_0400_4080,
    0x1124_8480_1400_2000,
    0x0018_0200_2041_00A0,
    0x8020_8908_4488_0800,
    0x0000_8020_0904_0204,
    0x0410_0420_4110_0280,
    0x0804_0220_0002_0440,
    0x2418_2804_0048_0024,
    0x0801_0808_0042_0A00,
    0x4002_2484_0002_0020,
    0x3020_0041_0203_8084,
    0x8428_0110_601C_0200,
    0x2004_0042_0808_8080,
    0x0008_0222_2004_1210,
    0x0082_0E01_2000_0440,
    0x0002_0022_0102_0822,
    0x0000_0020_1900_0804,
    0x0211_204C_1010_1100,
    0x0604_8080_8100_1200,
    0x1010_0292_0403_0041,
    0x1008_0901_0211_0621,
    0x0002_0150_0210_0C00,
    0x0600_2C04_0404_400A,
    0xC030_0022_0110_0011,
    0x4040_0080_2088_4000,
    0x0248_0009_0304_0100,
    0xC010_0920_0800_8040,
    0x6008_0841_0802_0494,
    0x2810_2182_008E_0042,
    0x0010_2108_2084_2002,
    0x4080_0201_1149_1002,
    0x0108_1000_8400_8800,
    0x0022_2421_0042_0221,
    0x10A8_0081_1002_0210,
    0x4000_1912_2A90_0102,
    0x0080_0A10_5108_0300,
    0x0420_2220_8800_8080,
];

/// File and rank steps; the two towards h8 come first.
const ROOK_DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const BISHOP_DIRECTIONS: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
const KNIGHT_STEPS: [(i32, i32); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
const KING_STEPS: [(i32, i32); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];

/// Entries of the shared table: the sum of 2^(relevant blockers) over all squares, rooks and bishops.
const TABLE_LEN: usize = 102_400 + 5_248;

#[derive(Clone, Copy)]
struct Magic {
    mask: u64,
    multiplier: u64,
    shift: u32,
    offset: usize,
}

/// The one-square neighbour of `square` in a direction, as a bit; 0 beyond the edge.
const fn step(square: u32, (file, rank): (i32, i32)) -> u64 {
    let (f, r) = (
        (square & 7).cast_signed() + file,
        (square >> 3).cast_signed() + rank,
    );
    if f < 0 || f > 7 || r < 0 || r > 7 {
        0
    } else {
        1 << (r * 8 + f)
    }
}

/// The lines from `square` in four directions to the edge.
const fn rays(square: u32, directions: [(i32, i32); 4]) -> [u64; 4] {
    let mut rays = [0; 4];
    let mut d = 0;
    while d < 4 {
        let mut next = step(square, directions[d]);
        while next != 0 {
            rays[d] |= next;
            next = step(next.trailing_zeros(), directions[d]);
        }
        d += 1;
    }
    rays
}

/// Squares reached along four rays, the first two towards h8, up to and including the first blocker.
const fn slides([up1, up2, down1, down2]: [u64; 4], blockers: u64) -> u64 {
    upwards(up1, up1 & blockers)
        | upwards(up2, up2 & blockers)
        | downwards(down1, down1 & blockers)
        | downwards(down2, down2 & blockers)
}

/// The part of a ray towards h8 up to the lowest of the `hit` squares; all of it if none is hit.
const fn upwards(ray: u64, hit: u64) -> u64 {
    ray & (hit ^ hit.wrapping_sub(1))
}

/// The part of a ray towards a1 down to the highest of the `hit` squares; all of it if none is hit.
const fn downwards(ray: u64, hit: u64) -> u64 {
    let mut reach = hit >> 1;
    reach |= reach >> 1;
    reach |= reach >> 2;
    reach |= reach >> 4;
    reach |= reach >> 8;
    reach |= reach >> 16;
    reach |= reach >> 32;
    ray & !reach
}

/// Squares whose occupation changes the attacks from `square`: its lines without their last squares.
const fn relevant(square: u32, directions: [(i32, i32); 4]) -> u64 {
    let mut mask = 0;
    let mut d = 0;
    while d < 4 {
        let mut here = square;
        loop {
            let next = step(here, directions[d]);
            if next == 0 || step(next.trailing_zeros(), directions[d]) == 0 {
                break;
            }
            mask |= next;
            here = next.trailing_zeros();
        }
        d += 1;
    }
    mask
}

const fn magics(
    multipliers: &[u64; 64],
    directions: [(i32, i32); 4],
    first_offset: usize,
) -> [Magic; 64] {
    let mut all = [Magic {
        mask: 0,
        multiplier: 0,
        shift: 0,
        offset: 0,
    }; 64];
    let mut offset = first_offset;
    let mut square = 0;
    while square < 64 {
        let mask = relevant(square, directions);
        all[square as usize] = Magic {
            mask,
            multiplier: multipliers[square as usize],
            shift: 64 - mask.count_ones(),
            offset,
        };
        offset += 1 << mask.count_ones();
        square += 1;
    }
    all
}

const fn fill(
    mut table: [u64; TABLE_LEN],
    magics: &[Magic; 64],
    directions: [(i32, i32); 4],
) -> [u64; TABLE_LEN] {
    let mut square = 0;
    while square < 64 {
        let magic = magics[square as usize];
        let rays = rays(square, directions);
        let mut blockers: u64 = 0;
        loop {
            let attacks = slides(rays, blockers);
            let slot = slot(magic, blockers);
            assert!(
                table[slot] == 0 || table[slot] == attacks,
                "a multiplier maps two blocker sets with different attacks to one slot"
            );
            table[slot] = attacks;
            blockers = blockers.wrapping_sub(magic.mask) & magic.mask;
            if blockers == 0 {
                break;
            }
        }
        square += 1;
    }
    table
}

#[inline]
const fn slot(magic: Magic, occupied: u64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the shift leaves twelve bits at most"
    )]
    let index = ((occupied & magic.mask).wrapping_mul(magic.multiplier) >> magic.shift) as usize;
    magic.offset + index
}

const fn leaps(steps: [(i32, i32); 8]) -> [u64; 64] {
    let mut all = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < 8 {
            all[square as usize] |= step(square, steps[i]);
            i += 1;
        }
        square += 1;
    }
    all
}

static ROOKS: [Magic; 64] = magics(&ROOK_MAGICS, ROOK_DIRECTIONS, 0);
static BISHOPS: [Magic; 64] = magics(&BISHOP_MAGICS, BISHOP_DIRECTIONS, 102_400);
static SLIDES: [u64; TABLE_LEN] = fill(
    fill(
        [0; TABLE_LEN],
        &magics(&ROOK_MAGICS, ROOK_DIRECTIONS, 0),
        ROOK_DIRECTIONS,
    ),
    &magics(&BISHOP_MAGICS, BISHOP_DIRECTIONS, 102_400),
    BISHOP_DIRECTIONS,
);
static KNIGHT: [u64; 64] = leaps(KNIGHT_STEPS);
static KING: [u64; 64] = leaps(KING_STEPS);

/// Squares that a man of `color` on `square` attacks on a board with these men; the first man on each line is included.
#[inline]
#[must_use]
pub fn attacks(color: Color, role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => {
            let (west, east) = pawns(color, square.bitboard());
            west | east
        }
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => bishop(square, occupied) | rook(square, occupied),
        Role::King => king(square),
    }
}

/// Squares a knight on `square` attacks.
#[inline]
pub(crate) fn knight(square: Square) -> Bitboard {
    Bitboard(KNIGHT[square.index()])
}

/// Squares a king on `square` attacks.
#[inline]
pub(crate) fn king(square: Square) -> Bitboard {
    Bitboard(KING[square.index()])
}

/// Squares a rook on `square` attacks on a board with these men; the first man on each line is included.
#[inline]
pub(crate) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(SLIDES[slot(ROOKS[square.index()], occupied.0)])
}

/// Squares a bishop on `square` attacks; the first man on each line is included.
#[inline]
pub(crate) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(SLIDES[slot(BISHOPS[square.index()], occupied.0)])
}

/// Squares that `color`'s pawns on `pawns` attack towards the a file and towards the h file.
#[inline]
pub(crate) fn pawns(color: Color, pawns: Bitboard) -> (Bitboard, Bitboard) {
    let west = Bitboard(pawns.0 & !Bitboard::FILE_A.0);
    let east = Bitboard(pawns.0 & !Bitboard::FILE_H.0);
    match color {
        Color::White => (west.shift(7), east.shift(9)),
        Color::Black => (west.shift(-9), east.shift(-7)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares reached from `square` in four directions up to and including the first blocker.
    fn walk(square: u32, directions: [(i32, i32); 4], blockers: u64) -> u64 {
        let mut reached = 0;
        for direction in directions {
            let mut here = square;
            loop {
                let next = step(here, direction);
                reached |= next;
                if next == 0 || next & blockers != 0 {
                    break;
                }
                here = next.trailing_zeros();
            }
        }
        reached
    }

    #[test]
    fn every_slide_agrees_with_the_walk() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let occupied = state & state.rotate_left(23);
            for index in 0..64u8 {
                let (square, number) = (Square::new(index), u32::from(index));
                assert_eq!(
                    rook(square, Bitboard(occupied)).0,
                    walk(number, ROOK_DIRECTIONS, occupied)
                );
                assert_eq!(
                    bishop(square, Bitboard(occupied)).0,
                    walk(number, BISHOP_DIRECTIONS, occupied)
                );
            }
        }
    }

    #[test]
    fn leapers_stay_on_the_board() {
        assert_eq!(knight(Square::new(0)).count(), 2);
        assert_eq!(knight(Square::new(27)).count(), 8);
        assert_eq!(king(Square::new(63)).count(), 3);
        let corner = Square::new(8).bitboard();
        assert_eq!(
            pawns(Color::White, corner),
            (Bitboard::EMPTY, Square::new(17).bitboard())
        );
        assert_eq!(
            pawns(Color::Black, corner),
            (Bitboard::EMPTY, Square::new(1).bitboard())
        );
    }
}
