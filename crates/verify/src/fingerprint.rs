//! 128-bit fingerprints of positions, keyed anew in each replay.
//!
//! A fingerprint is the exclusive or of one random word for each man on its square, the side to move, the castling rights
//! and the en-passant square (A. Zobrist, 1970). The words are drawn when a replay starts, from the keys that the standard
//! library takes from the operating system, so whoever makes a proof cannot know them: for any two positions fixed
//! beforehand the chance of one fingerprint is 2⁻¹²⁸, and for a proof of 10⁹ positions that of any two is below 2⁻⁶⁸.

use std::hash::{BuildHasher, RandomState};

use crate::board::{Color, Man, Position};
use crate::moves::Move;

/// The random words of one replay.
pub(crate) struct Keys {
    white: [[u128; 64]; 6],
    black: [[u128; 64]; 6],
    en_passant: [u128; 64],
    castling: [u128; 16],
    black_to_move: u128,
}

impl Keys {
    /// Draws new words.
    pub(crate) fn draw() -> Self {
        let mut words = random_words();
        let mut word = || words.next().unwrap_or_default();
        Self {
            white: std::array::from_fn(|_| std::array::from_fn(|_| word())),
            black: std::array::from_fn(|_| std::array::from_fn(|_| word())),
            en_passant: std::array::from_fn(|_| word()),
            castling: std::array::from_fn(|_| word()),
            black_to_move: word(),
        }
    }

    /// The fingerprint of a position.
    pub(crate) fn fingerprint(&self, position: &Position) -> u128 {
        let words = position
            .all_men()
            .map(|(square, man)| self.man(square, man));
        words.fold(self.state(position), |fingerprint, word| fingerprint ^ word)
    }

    /// The position after a legal move and its fingerprint, made from the fingerprint before the move.
    pub(crate) fn play(
        &self,
        position: &Position,
        fingerprint: u128,
        mv: Move,
    ) -> (Position, u128) {
        let mut fingerprint = fingerprint ^ self.state(position);
        let next =
            position.play_noting(mv, &mut |square, man| fingerprint ^= self.man(square, man));
        (next, fingerprint ^ self.state(&next))
    }

    /// The word of a man on a square.
    fn man(&self, square: u8, man: Man) -> u128 {
        let kinds = match man.color {
            Color::White => &self.white,
            Color::Black => &self.black,
        };
        let words = kinds.get(man.kind.index());
        words
            .and_then(|words| words.get(usize::from(square)))
            .copied()
            .unwrap_or_default()
    }

    /// The words of everything but the men.
    fn state(&self, position: &Position) -> u128 {
        let side = match position.side_to_move() {
            Color::White => 0,
            Color::Black => self.black_to_move,
        };
        let castling = self
            .castling
            .get(usize::from(position.castling().bits()))
            .copied()
            .unwrap_or_default();
        let en_passant = position
            .en_passant()
            .and_then(|square| self.en_passant.get(usize::from(square)));
        side ^ castling ^ en_passant.copied().unwrap_or_default()
    }
}

/// An endless supply of random words, another one at each call.
pub(crate) fn random_words() -> impl Iterator<Item = u128> {
    let (high, low) = (RandomState::new(), RandomState::new());
    (0..u64::MAX).map(move |n| (u128::from(high.hash_one(n)) << 64) | u128::from(low.hash_one(n)))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::moves::legal_moves;
    use crate::ruleset::Ruleset;

    #[test]
    fn all_words_differ_and_none_is_zero() {
        let keys = Keys::draw();
        let mut words: Vec<u128> = [keys.white, keys.black]
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        words.extend(keys.en_passant);
        words.extend(keys.castling);
        words.push(keys.black_to_move);
        let distinct: HashSet<u128> = words.iter().copied().chain([0]).collect();
        assert_eq!(distinct.len(), 12 * 64 + 64 + 16 + 1 + 1);
    }

    #[test]
    fn keys_differ_between_replays() {
        assert_ne!(Keys::draw().black_to_move, Keys::draw().black_to_move);
    }

    #[test]
    fn positions_that_differ_in_one_thing_have_different_fingerprints() {
        let keys = Keys::draw();
        let fingerprints: HashSet<u128> = [
            "8/8/8/pP6/8/8/8/8 w - a6",
            "8/8/8/pP6/8/8/8/8 w - -",
            "8/8/8/pP6/8/8/8/8 b - -",
            "8/8/8/Pp6/8/8/8/8 w - -",
            "8/8/8/pN6/8/8/8/8 w - -",
            "8/8/p7/1P6/8/8/8/8 w - -",
            "8/8/8/pP6/8/8/8/7N w - -",
            "8/8/8/p7/8/8/8/8 w - -",
        ]
        .into_iter()
        .map(|fen| keys.fingerprint(&Position::from_fen(fen, Ruleset::Joint).unwrap()))
        .collect();
        assert_eq!(fingerprints.len(), 8);
        let rights = ["KQkq", "KQk", "KQq", "Kkq", "Qkq", "-"];
        let fingerprints: HashSet<u128> = rights
            .into_iter()
            .map(|rights| {
                let fen = format!("r3k2r/p6p/8/8/8/8/P6P/R3K2R w {rights} -");
                keys.fingerprint(&Position::from_fen(&fen, Ruleset::Variant3).unwrap())
            })
            .collect();
        assert_eq!(fingerprints.len(), rights.len());
    }

    #[test]
    fn a_fingerprint_made_move_by_move_is_that_of_the_position() {
        let keys = Keys::draw();
        // Promotions with and without capture, double steps, en passant, castles and the loss of rights by a move or a capture
        // all occur within four plies.
        for (ruleset, fen) in [
            (Ruleset::Joint, "1n1r4/P1P5/8/8/8/8/1p1p4/2N1R3 w - -"),
            (Ruleset::Joint, "8/3p4/8/2P1P3/2p1p3/8/3P4/8 w - -"),
            (Ruleset::Variant4, "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq -"),
            (
                Ruleset::Variant4,
                "r3k2r/p1p4p/1p6/8/8/1P6/P1P3BP/R3K2R w KQkq -",
            ),
        ] {
            let root = Position::from_fen(fen, ruleset).unwrap();
            let mut level = vec![(root, keys.fingerprint(&root))];
            for _ in 0..4 {
                level = level
                    .iter()
                    .flat_map(|(position, fingerprint)| {
                        let moves = legal_moves(position).into_iter();
                        moves.map(|mv| keys.play(position, *fingerprint, mv))
                    })
                    .collect();
                for (position, fingerprint) in &level {
                    assert_eq!(
                        *fingerprint,
                        keys.fingerprint(position),
                        "{}",
                        position.fen()
                    );
                }
            }
            let positions: HashSet<Position> = level.iter().map(|entry| entry.0).collect();
            let fingerprints: HashSet<u128> = level.iter().map(|entry| entry.1).collect();
            assert_eq!(positions.len(), fingerprints.len());
        }
    }
}
