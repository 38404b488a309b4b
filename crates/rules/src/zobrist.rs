//! Random words for the 64-bit key of a position.
//!
//! The key is the exclusive or of one word for each man on its square, one for Black to move, one for the castling rights
//! and one for the file of an en-passant square that counts. The words are part of the database format: they come from
//! `SplitMix64` (Steele, Lea, Flood 2014) seeded with the value below, in the order of the fields of [`Words`].

use crate::{Color, Role, Square};

const SEED: u64 = 0x7461_6B65_206D_6521;

struct Words {
    men: [[[u64; 64]; 6]; 2],
    black_to_move: u64,
    castling: [u64; 16],
    en_passant_file: [u64; 8],
}

const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn words() -> Words {
    let mut state = SEED;
    let mut all = Words {
        men: [[[0; 64]; 6]; 2],
        black_to_move: 0,
        castling: [0; 16],
        en_passant_file: [0; 8],
    };
    let mut i = 0;
    while i < 2 * 6 * 64 {
        all.men[i / 384][i / 64 % 6][i % 64] = next(&mut state);
        i += 1;
    }
    all.black_to_move = next(&mut state);
    i = 1; // no rights, no word
    while i < 16 {
        all.castling[i] = next(&mut state);
        i += 1;
    }
    i = 0;
    while i < 8 {
        all.en_passant_file[i] = next(&mut state);
        i += 1;
    }
    all
}

static WORDS: Words = words();

#[inline]
pub(crate) fn man(color: Color, role: Role, square: Square) -> u64 {
    WORDS.men[color.index()][role.index()][square.index()]
}

#[inline]
pub(crate) fn side_to_move(color: Color) -> u64 {
    match color {
        Color::White => 0,
        Color::Black => WORDS.black_to_move,
    }
}

#[inline]
pub(crate) fn black_to_move() -> u64 {
    WORDS.black_to_move
}

#[inline]
pub(crate) fn castling(rights: u8) -> u64 {
    WORDS.castling[usize::from(rights & 15)]
}

#[inline]
pub(crate) fn en_passant(square: Option<Square>) -> u64 {
    match square {
        Some(square) => WORDS.en_passant_file[usize::from(square.file())],
        None => 0,
    }
}
