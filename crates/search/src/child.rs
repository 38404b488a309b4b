//! Children of a position: how they are reached, and what is known of them at once.

use rules::{Change, Choice, Color, Lines, Move, MoveGen, Position, SideSurvey};

use crate::{
    job::Job,
    numbers::PnDn,
    oracle::{Oracle, Verdict},
};

/// The numbers of a position that was proven or disproven do not lean on any node of the path.
pub(crate) const NOTHING: u16 = u16::MAX;
/// Forced moves in a row that are played without making a node.
const MAX_FORCED: u16 = 200;

/// A child of a frame's position, seen from that position's mover: `a` is the number that the mover minimises, `b` the one
/// that adds up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub(crate) key: u64,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) mv: Move,
    /// Forced moves played after `mv`.
    pub(crate) forced: u16,
    /// If the attacker wins here, the plies it takes at most.
    pub(crate) height: u16,
    /// If `a` is infinite: the depth of the shallowest node on the path that the failure leans on.
    pub(crate) leans_on: u16,
}

impl Child {
    /// A child that is told from others by its key alone.
    #[cfg(test)]
    pub(crate) fn for_tests(key: u64, mv: Move) -> Self {
        Self {
            key,
            a: 1,
            b: 1,
            mv,
            forced: 0,
            height: 0,
            leans_on: NOTHING,
        }
    }

    /// The plies to the end of the game, counted from before the move, if the attacker wins here.
    pub(crate) fn plies(&self) -> u16 {
        (self.forced + 1).saturating_add(self.height)
    }
}

/// The numbers of a finished frame, from the attacker's point of view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) numbers: PnDn,
    pub(crate) height: u16,
    pub(crate) leans_on: u16,
}

/// The value of a position in which the game is over or which the oracle knows.
#[inline]
pub(crate) fn decided(
    oracle: &impl Oracle,
    job: &Job,
    position: &Position,
    moves: u32,
) -> Option<Value> {
    let value = |numbers, height| Value {
        numbers,
        height,
        leans_on: NOTHING,
    };
    if moves == 0 {
        let won = job.ruleset.winner_without_moves(position) == Some(job.attacker);
        let numbers = if won { PnDn::PROVEN } else { PnDn::DISPROVEN };
        return Some(value(numbers, 0));
    }
    Some(match oracle.ask(position, job.attacker)? {
        Verdict::Won(plies) => value(PnDn::PROVEN, plies.0),
        Verdict::NotWon => value(PnDn::DISPROVEN, 0),
    })
}

/// Plays forced moves until the side to move has a choice or the game is over, and appends what they change. Their number, the
/// number of legal moves after them (2 for more where that is cheaper), and what is attacked then.
#[expect(
    clippy::inline_always,
    reason = "else what is attacked is copied about"
)]
#[inline(always)]
pub(crate) fn play_forced<G: MoveGen>(
    position: &mut Position,
    changes: &mut Vec<Change>,
) -> (u16, u32, [SideSurvey; 2]) {
    let mut forced = 0;
    loop {
        let us = position.side_to_move();
        let lines = Lines::new(position);
        let ours = lines.survey(position, us);
        match G::choice(position, &ours) {
            Choice::Forced(mv) if forced < MAX_FORCED => {
                G::play_noting(position, mv, |change| changes.push(change));
                forced += 1;
            }
            choice => {
                let theirs = lines.survey(position, !us);
                let survey = match us {
                    Color::White => [ours, theirs],
                    Color::Black => [theirs, ours],
                };
                return (forced, choice.moves(), survey);
            }
        }
    }
}

fn play_only_move<G: MoveGen>(position: &mut Position, note: impl FnMut(Change)) {
    let mut only = None;
    G::for_each_move(position, |mv| only = Some(mv));
    if let Some(mv) = only {
        G::play_noting(position, mv, note);
    }
}

/// The position that a child stands for. `note` is called with what changes on the way.
pub(crate) fn follow<G: MoveGen>(
    mut position: Position,
    child: Child,
    mut note: impl FnMut(Change),
) -> Position {
    G::play_noting(&mut position, child.mv, &mut note);
    for _ in 0..child.forced {
        play_only_move::<G>(&mut position, &mut note);
    }
    position
}
