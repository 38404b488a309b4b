//! The two words of a record.

use rules::{Move, Position, Role, Square};

/// The bits of a data word that hold an index.
pub(super) const INDEX: u32 = 0x3fff_ffff;
/// A node with children, or a transposition with a sibling.
pub(super) const MORE: u32 = 1 << 30;
/// A transposition.
const TRANSPOSITION: u32 = 1 << 31;

/// The null move, as it is written, and as readers see it who clear the mark.
const NULL_MOVES: [u16; 2] = [0xfedc, 0x0edc];
/// A move that captures en passant.
const EN_PASSANT: u16 = 1 << 15;
/// What is flipped in the move of a node that is marked as not solved.
const MARK: u16 = 0xf000;

/// What is below a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    /// Nothing: the proof ends here.
    Nothing,
    /// A child, in the record that follows.
    Child,
    /// What is below another record, which holds the same position.
    SameAs(u32),
    /// It is marked as not solved, in the old way.
    Unsolved,
}

/// A data word, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Data {
    pub(super) below: Below,
    /// The record of the next sibling.
    pub(super) next: Option<u32>,
}

impl Data {
    /// Reads the data word of the record `index`.
    pub(super) fn read(index: u32, word: u32) -> Self {
        let link = word & INDEX;
        let more = word & MORE != 0;
        let following = more.then(|| index.saturating_add(1));
        if link == INDEX {
            return Self {
                below: Below::Unsolved,
                next: following,
            };
        }
        if word & TRANSPOSITION != 0 {
            return Self {
                below: Below::SameAs(link),
                next: following,
            };
        }
        Self {
            below: if more { Below::Child } else { Below::Nothing },
            next: (link != 0).then_some(link),
        }
    }

    /// The word; the next sibling of a transposition must be the record that follows.
    pub(super) fn write(self) -> u32 {
        let link = self.next.unwrap_or(0);
        match self.below {
            Below::Nothing => link,
            Below::Child => MORE | link,
            Below::SameAs(target) => {
                TRANSPOSITION | target | if self.next.is_some() { MORE } else { 0 }
            }
            Below::Unsolved => INDEX | if self.next.is_some() { MORE } else { 0 },
        }
    }
}

/// What a move word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Played {
    /// This move.
    Move(Move),
    /// This move, after which the position is marked as not solved.
    Unsolved(Move),
    /// The null move, which gives the move to the other side.
    Null,
    /// Bits that are no move.
    NoMove,
}

/// Reads a move word; the mark of an en-passant capture is left aside.
pub(super) fn read_move(word: u16) -> Played {
    if NULL_MOVES.contains(&word) {
        return Played::Null;
    }
    let marked = matches!(word >> 12, 7 | 9..);
    let solved = if marked { word ^ MARK } else { word };
    match (solved_move(solved), marked) {
        (Some(mv), false) => Played::Move(mv),
        (Some(mv), true) => Played::Unsolved(mv),
        (None, _) => Played::NoMove,
    }
}

fn solved_move(word: u16) -> Option<Move> {
    let from = Square::from_low_bits(u32::from(word >> 6));
    let to = Square::from_low_bits(u32::from(word));
    let role = match word >> 12 & 7 {
        0 => return Some(Move::new(from, to)),
        2 => Role::Knight,
        3 => Role::Bishop,
        4 => Role::Rook,
        5 => Role::Queen,
        6 => Role::King,
        _ => return None,
    };
    Some(Move::promotion_to(from, to, role))
}

/// The word of a legal move of `position`.
pub(super) fn write_move(position: &Position, mv: Move) -> u16 {
    #[expect(clippy::cast_possible_truncation, reason = "indices are below 64")]
    let squares = (mv.from().index() << 6 | mv.to().index()) as u16;
    let promotion = match mv.promotion() {
        None | Some(Role::Pawn) => 0,
        Some(Role::Knight) => 2,
        Some(Role::Bishop) => 3,
        Some(Role::Rook) => 4,
        Some(Role::Queen) => 5,
        Some(Role::King) => 6,
    };
    let is_en_passant =
        position.en_passant() == Some(mv.to()) && position.role(Role::Pawn).contains(mv.from());
    squares | promotion << 12 | if is_en_passant { EN_PASSANT } else { 0 }
}

#[cfg(test)]
mod tests {
    use rules::{Game, Ruleset, line};

    use super::*;

    fn uci(text: &str) -> Move {
        Move::parse_uci(text).expect("UCI")
    }

    #[test]
    fn moves_are_read_as_the_author_wrote_them() {
        // Field case B33.
        for (word, text) in [
            (0x0314, "e2e3"),
            (0x0caa, "c7c6"),
            (0x0161, "f1b5"),
            (0x0aa1, "c6b5"),
            (0x0259, "b2b4"),
        ] {
            assert_eq!(read_move(word), Played::Move(uci(text)));
        }
    }

    #[test]
    fn promotions_count_from_the_knight_at_two() {
        for (nibble, text) in [
            (2, "a7a8n"),
            (3, "a7a8b"),
            (4, "a7a8r"),
            (5, "a7a8q"),
            (6, "a7a8k"),
        ] {
            let word = nibble << 12 | 0o60 << 6 | 0o70;
            assert_eq!(read_move(word), Played::Move(uci(text)));
            assert_eq!(read_move(word ^ MARK), Played::Unsolved(uci(text)));
        }
        assert_eq!(read_move(1 << 12 | 0o60 << 6 | 0o70), Played::NoMove);
    }

    #[test]
    fn null_moves_are_known_by_name() {
        assert_eq!(read_move(0xfedc), Played::Null);
        assert_eq!(read_move(0x0edc), Played::Null);
    }

    #[test]
    fn an_en_passant_capture_is_marked_and_matched_without_the_mark() {
        // Field case B36.
        let start = Game::initial(Ruleset::Joint);
        let (game, _) = line::play(start, "a4 h5 a5 b5").expect("legal");
        let mv = uci("a5b6");
        let word = write_move(game.position(), mv);
        assert_eq!(word >> 12, 8);
        assert_eq!(read_move(word), Played::Move(mv));
        assert_eq!(read_move(word & !EN_PASSANT), Played::Move(mv));
        assert_eq!(read_move(word ^ MARK), Played::Unsolved(mv));
    }

    #[test]
    fn data_words_come_back() {
        for word in [
            0,
            7,
            0x4000_0000,
            0x4000_0007,
            0x8000_0003,
            0xc000_0003,
            INDEX,
            INDEX | MORE,
        ] {
            assert_eq!(Data::read(6, word).write(), word, "{word:x}");
        }
        let transposition = Data::read(6, 0xc000_0003);
        assert_eq!(transposition.below, Below::SameAs(3));
        assert_eq!(transposition.next, Some(7));
    }
}
