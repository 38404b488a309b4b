//! The root of a book.

use rules::{Color, Game, Role, Ruleset, Square, fen};

use super::error::Problem;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 136;
/// The men in the order of the header's words, and of the numbers in moves.
pub(super) const MEN: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];
const SIDE_TO_MOVE: usize = 128;

/// The root that the header tells of.
pub(super) fn root(header: &[u8; HEADER_BYTES], ruleset: Ruleset) -> Result<Game, Problem> {
    let mut words = [0u64; 16];
    for (word, bytes) in words.iter_mut().zip(header.chunks_exact(8)) {
        *word = bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte));
    }
    check(&words)?;
    let side_to_move = match header[SIDE_TO_MOVE] {
        0 => "w",
        1 => "b",
        other => return Err(Problem::SideToMove(other)),
    };
    let en_passant = match words[15] {
        0 => "-".to_owned(),
        bit => square(bit).to_string(),
    };
    let placement = placement(&words);
    let text = format!("{placement} {side_to_move} - {en_passant}");
    let root = fen::parse(&text, ruleset).map_err(Problem::Root)?;
    Ok(root.game)
}

/// Whether the words tell of one board.
fn check(words: &[u64; 16]) -> Result<(), Problem> {
    let contradiction = |text: String| Err(Problem::Contradiction(text));
    let mut occupied = 0;
    for color in Color::ALL {
        let side = &words[7 * color.index()..][..7];
        let mut men = 0;
        for &word in &side[1..] {
            if men & word != 0 {
                let square = square(men & word);
                return contradiction(format!("{color} has two men on {square}"));
            }
            men |= word;
        }
        if men != side[0] {
            let square = square(men ^ side[0]);
            return contradiction(format!(
                "{square} is in only one of {color}'s men and its pawns, knights, bishops, rooks, queens and kings"
            ));
        }
        if occupied & men != 0 {
            return contradiction(format!("both sides stand on {}", square(occupied & men)));
        }
        occupied |= men;
    }
    if words[14] != !occupied {
        let square = square(words[14] ^ !occupied);
        return contradiction(format!("{square} is both empty and occupied, or neither"));
    }
    if words[15].count_ones() > 1 {
        return contradiction("there are several en-passant squares".to_owned());
    }
    Ok(())
}

/// The lowest square of a word that is not 0.
fn square(word: u64) -> Square {
    Square::from_low_bits(word.trailing_zeros())
}

/// The first field of the FEN.
fn placement(words: &[u64; 16]) -> String {
    let man = |square: u32| {
        let is_set = |word: u64| word >> square & 1 == 1;
        Color::ALL.into_iter().find_map(|color| {
            let side = &words[7 * color.index() + 1..][..6];
            let role = MEN[side.iter().position(|&word| is_set(word))?];
            Some(match color {
                Color::White => role.letter().to_ascii_uppercase(),
                Color::Black => role.letter(),
            })
        })
    };
    let rank = |rank: u32| -> String {
        let men = (0..8).map(|file| man(8 * rank + file).unwrap_or('1'));
        men.collect()
    };
    let ranks: Vec<String> = (0..8).rev().map(rank).collect();
    ranks.join("/")
}
