//! What the men on the board decide alone, whoever's king stands where.

use crate::board::{Color, Kind, Position};
use crate::ruleset::MoveClass;

/// The side that has won by the men that are on the board. Such a position has no legal moves.
pub(crate) fn winner(position: &Position) -> Option<Color> {
    let both = [Color::White, Color::Black];
    let mover = position.side_to_move();
    match position.class() {
        MoveClass::Antichess | MoveClass::Variant2 => {
            both.into_iter().find(|&color| position.men(color) == 0)
        }
        // The one man that a side always has is its king.
        MoveClass::Variant34 => both.into_iter().find(|&color| position.men(color) <= 1),
        // The last move was the opponent's, who wins if both sides lack a kind of men.
        MoveClass::Extinction if lacks_a_kind(position, mover) => Some(mover.opponent()),
        MoveClass::Extinction if lacks_a_kind(position, mover.opponent()) => Some(mover),
        MoveClass::Extinction => None,
    }
}

fn lacks_a_kind(position: &Position, color: Color) -> bool {
    let mut has = [false; Kind::ALL.len()];
    for (_, man) in position.all_men() {
        if man.color == color
            && let Some(has) = has.get_mut(man.kind.index())
        {
            *has = true;
        }
    }
    has.contains(&false)
}
