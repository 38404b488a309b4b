//! Lines of tens of thousands of plies, to test the greatest length and what a long line costs.
//!
//! Black's men are locked but for a rook that goes to and fro between a8 and b8, so that Black has one move at a time. White
//! has seven kings on seven strips of squares that touch no black man and no other strip's man; they run through all their
//! 48,000 arrangements in Gray-code order, one king's step at a time (F. Gray, 1953). Where Black's pawn on d5 may still step
//! to d4 the line can branch once.

use takeme_verify::{
    Choice, Claim, Color, MAX_PLIES, Move, NoTables, Options, Position, Reason, Ruleset, Strategy,
    StrategyError, TableAnswer, TableId, Tables, Verdict, verify,
};

use crate::support::{claim, rejected, uci, verified};

/// The squares of each king, in walking order.
const STRIPS: [&[u8]; 7] = [
    &[0, 1, 2, 3, 4, 5, 6, 7],
    &[8, 9, 10, 11, 12, 13, 14, 15],
    &[29, 37, 45, 53, 61],
    &[30, 38, 46, 54, 62],
    &[31, 39, 47, 55, 63],
    &[21, 22, 23],
    &[16, 17],
];
const BEFORE_THE_PAWN_STEPS: &str = "r1b5/pp1p4/bp1P4/1p1p4/1P3KKK/K2P1K2/K7/K7 b - -";
const AFTER_THE_PAWN_STEPS: &str = "r1b5/pp1p4/bp1P4/1p6/1P1p1KKK/K2P1K2/K7/K7 w - -";

/// The arrangement with a number: for each strip, the place of its king.
fn places(number: u64) -> [usize; 7] {
    let mut places = [0; 7];
    let mut rest = number;
    for (place, strip) in places.iter_mut().zip(STRIPS) {
        let len = strip.len() as u64;
        let (digit, higher) = (rest % len, rest / len);
        *place = (if higher.is_multiple_of(2) {
            digit
        } else {
            len - 1 - digit
        }) as usize;
        rest = higher;
    }
    places
}

/// The number of the arrangement in a position.
fn number(position: &Position) -> u64 {
    let king = Some((Color::White, takeme_verify::Kind::King));
    let mut number = 0;
    for strip in STRIPS.into_iter().rev() {
        let place = strip
            .iter()
            .position(|&square| position.piece_at(square) == king)
            .unwrap() as u64;
        let len = strip.len() as u64;
        let digit = if u64::is_multiple_of(number, 2) {
            place
        } else {
            len - 1 - place
        };
        number = number * len + digit;
    }
    number
}

/// Whether Black's pawn stands on d4.
fn has_stepped(position: &Position) -> bool {
    position.piece_at(27).is_some()
}

/// The king's step from one arrangement to the next one or the one before.
fn step(from: u64, to: u64) -> Move {
    let (from, to) = (places(from), places(to));
    let strip = (0..7).find(|&strip| from[strip] != to[strip]).unwrap();
    let squares = STRIPS[strip];
    Move {
        origin: squares[from[strip]],
        destination: squares[to[strip]],
        promotion: None,
    }
}

/// Goes upwards to the last arrangement, or downwards to the first once the pawn has stepped to d4.
struct Walk {
    last: u64,
    down_after_the_pawn: bool,
}

impl Strategy for Walk {
    fn choose(&mut self, position: &Position, _: &[Move]) -> Result<Choice, StrategyError> {
        let number = number(position);
        let down = self.down_after_the_pawn && has_stepped(position);
        let next = if down {
            number.checked_sub(1)
        } else {
            Some(number + 1).filter(|&next| next <= self.last)
        };
        Ok(next.map_or(Choice::Unknown, |next| Choice::Move(step(number, next))))
    }
}

/// A table of single positions with White to move, which are won for White: by arrangement, and whether Black's pawn has
/// stepped to d4.
struct Goal {
    goals: Vec<(u64, bool)>,
    id: TableId,
}

impl Goal {
    fn new(goals: &[(u64, bool)]) -> Self {
        Self {
            goals: goals.to_vec(),
            id: TableId {
                name: "goal".to_owned(),
                sha256: [0; 32],
            },
        }
    }
}

impl Tables for Goal {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        let goal = (number(position), has_stepped(position));
        if position.side_to_move() == Color::White && self.goals.contains(&goal) {
            TableAnswer::Won {
                winner: Color::White,
                plies: 0,
            }
        } else {
            TableAnswer::NotCovered
        }
    }

    fn table(&self, _: &Position) -> Option<&TableId> {
        Some(&self.id)
    }
}

fn straight() -> Claim {
    claim(Ruleset::Joint, AFTER_THE_PAWN_STEPS, Color::White)
}

fn branching() -> Claim {
    claim(Ruleset::Joint, BEFORE_THE_PAWN_STEPS, Color::White)
}

#[test]
fn arrangements_are_numbered_both_ways() {
    assert_eq!(number(&straight().root), 0);
    let mut position = straight().root;
    for next in 1..100 {
        position = position.play(step(next - 1, next)).unwrap();
        assert_eq!(number(&position), next);
        let reply = takeme_verify::legal_moves(&position);
        assert_eq!(reply.len(), 1);
        position = position.play(reply[0]).unwrap();
    }
}

#[test]
fn the_longest_line_allowed_is_verified() {
    let plies = u64::from(MAX_PLIES);
    let mut strategy = Walk {
        last: 48_000,
        down_after_the_pawn: false,
    };
    let verified = verified(verify(
        &straight(),
        &mut strategy,
        &mut Goal::new(&[(plies / 2, true)]),
        &Options::default(),
    ));
    assert_eq!(
        (verified.positions, verified.plies),
        (plies / 2, u32::from(MAX_PLIES))
    );
    // The stack of such a line is all the memory that a line can ask for.
    assert!(
        verified.peak_bytes < 32 << 20,
        "{} bytes",
        verified.peak_bytes
    );
}

#[test]
fn a_longer_line_is_a_defect() {
    let mut strategy = Walk {
        last: 48_000,
        down_after_the_pawn: false,
    };
    let rejection = rejected(verify(
        &straight(),
        &mut strategy,
        &mut NoTables,
        &Options::default(),
    ));
    assert_eq!(
        (rejection.reason, rejection.path.len()),
        (Reason::LineTooLong, usize::from(MAX_PLIES))
    );
    assert_eq!(rejection.defects, 1);
}

/// White goes up to an arrangement that is won; whenever the pawn steps, White goes all the way down again to the first,
/// which is won then. The ways down share their positions, so that most of the longest line is a transposition.
fn up_and_down(last: u64) -> Verdict {
    let mut strategy = Walk {
        last,
        down_after_the_pawn: true,
    };
    let mut goal = Goal::new(&[(0, true), (last, false)]);
    verify(&branching(), &mut strategy, &mut goal, &Options::default())
}

#[test]
fn a_transposition_counts_with_its_full_length() {
    for last in [1, 2, 3, 1_000, 16_383] {
        let verified = verified(up_and_down(last));
        assert_eq!(
            (verified.positions, u64::from(verified.plies)),
            (2 * last, 4 * last + 1)
        );
    }
}

#[test]
fn a_transposition_can_make_a_line_too_long() {
    let rejection = rejected(up_and_down(16_384));
    assert_eq!(
        (rejection.reason, rejection.defects),
        (Reason::LineTooLong, 1)
    );
    assert_eq!(uci(&rejection.path), "a8b8 a1b1");
}
