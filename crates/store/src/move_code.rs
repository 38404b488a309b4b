//! Moves as numbers of 11 bits, without regard to a position. The numbering is part of the page format: see `FORMAT.md`.

use std::sync::LazyLock;

use rules::{Move, Role, Square};

/// Bits of a code.
pub(crate) const MOVE_BITS: u32 = 11;

const PROMOTIONS: [Role; 5] = [
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// Both directions of the numbering.
struct Codes {
    moves: Vec<Move>,
    /// By the move's 15 bits; `u16::MAX` for a move that no man can make.
    codes: Vec<u16>,
}

static CODES: LazyLock<Codes> = LazyLock::new(|| {
    let mut moves = Vec::new();
    for from in (0..64).map(Square::new) {
        for to in (0..64).map(Square::new) {
            let files = from.file().abs_diff(to.file());
            let ranks = from.rank().abs_diff(to.rank());
            let line = from != to && (files == 0 || ranks == 0 || files == ranks);
            if line || matches!((files, ranks), (1, 2) | (2, 1)) {
                moves.push(Move::new(from, to));
            }
            if files <= 1 && matches!((from.rank(), to.rank()), (6, 7) | (1, 0)) {
                moves.extend(PROMOTIONS.map(|role| Move::promotion_to(from, to, role)));
            }
        }
    }
    let mut codes = vec![u16::MAX; 1 << 15];
    for (code, mv) in (0..).zip(&moves) {
        codes[usize::from(mv.to_bits())] = code;
    }
    Codes { moves, codes }
});

/// The code of `mv`; `None` if no man can move so.
#[inline]
pub(crate) fn encode(mv: Move) -> Option<u16> {
    let code = CODES.codes[usize::from(mv.to_bits())];
    (code != u16::MAX).then_some(code)
}

/// The move with this code.
#[inline]
pub(crate) fn decode(code: u16) -> Option<Move> {
    CODES.moves.get(usize::from(code)).copied()
}

/// How many codes there are.
#[cfg(test)]
pub(crate) fn count() -> u16 {
    u16::try_from(CODES.moves.len()).expect("there are 2012")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_2012_and_ascend_with_the_canonical_order() {
        assert_eq!(count(), 2012);
        assert!(CODES.moves.is_sorted());
        for code in 0..count() {
            assert_eq!(decode(code).and_then(encode), Some(code));
        }
        assert_eq!(decode(2012), None);
    }

    #[test]
    fn only_what_a_man_can_do_has_a_code() {
        for (uci, has) in [
            ("e2e4", true),
            ("g1f3", true),
            ("e1g1", true),
            ("a7b8k", true),
            ("h2g1n", true),
            ("a1b4", false),
            ("a6a7q", false),
        ] {
            let mv = Move::parse_uci(uci).expect("UCI");
            assert_eq!(encode(mv).is_some(), has, "{uci}");
        }
    }
}
