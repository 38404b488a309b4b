//! First guesses of proof and disproof numbers.
//!
//! A position that was never expanded gets numbers from its mobility and its men, both known for the asking: the logarithm
//! of each number is a weighted sum of the logarithm of the number of legal moves and of the men of either side.
//! Everything is integer arithmetic in 1/256 of a binary order of magnitude, so that every machine searches the same tree.

use std::fmt::Debug;

use rules::{Change, Color, MoveGen, Position, Role, SideSurvey};

use crate::{
    logarithm::{ONE, exp2, log2},
    numbers::PnDn,
};

/// Numbers of leaves lie between 1 and 2 to this power.
const MAX_LOG: i32 = 20;

/// Weights of one number for one side to move, in 1/256 of a binary order of magnitude.
#[derive(Clone, Copy, Debug)]
struct Weights {
    bias: i32,
    /// For each doubling of the number of legal moves.
    mobility: i32,
    /// For each man of the attacker: pawn, knight, bishop, rook, queen, king.
    attacker: [i32; 6],
    /// For each man of the defender.
    defender: [i32; 6],
}

/// The weights of both numbers for one side to move.
#[derive(Clone, Copy, Debug)]
struct Model {
    pn: Weights,
    dn: Weights,
}

const ATTACKER_TO_MOVE: Model = Model {
    pn: Weights {
        bias: 3 * ONE,
        mobility: 0,
        attacker: [38; 6],
        defender: [-38; 6],
    },
    dn: Weights {
        bias: 3 * ONE,
        mobility: ONE,
        attacker: [0; 6],
        defender: [0; 6],
    },
};

const DEFENDER_TO_MOVE: Model = Model {
    pn: Weights {
        bias: 3 * ONE,
        mobility: ONE,
        attacker: [38; 6],
        defender: [-38; 6],
    },
    dn: Weights {
        bias: 3 * ONE,
        mobility: 0,
        attacker: [0; 6],
        defender: [0; 6],
    },
};

/// A child as an evaluator sees it.
#[derive(Debug)]
pub struct Leaf<'a> {
    /// The position.
    pub position: &'a Position,
    /// What either side attacks in it.
    pub survey: &'a [SideSurvey; 2],
    /// What changed on the board since the parent.
    pub changes: &'a [Change],
    /// The side whose win is to be shown.
    pub attacker: Color,
    /// Legal moves: at least one; 2 may stand for more, as [`MoveGen::choice`] says.
    pub moves: u32,
}

/// Gives first numbers to positions that were never expanded.
pub trait Evaluator<G>: Sync {
    /// What the evaluation of a position's children can share.
    type Context: Copy + Debug;

    /// Prepares the evaluation of children of `parent`.
    fn context(&self, parent: &Position, attacker: Color) -> Self::Context;

    /// The same, from the context of an earlier position and what has changed on the board since.
    fn next_context(
        &self,
        context: &Self::Context,
        changes: &[Change],
        attacker: Color,
    ) -> Self::Context;

    /// Numbers of an unexpanded position; both finite and above 0. `parent` is the context of the position from which it is
    /// one or more moves away.
    fn evaluate(&self, parent: &Self::Context, leaf: &Leaf<'_>) -> PnDn;
}

/// The evaluator described in this module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

impl<G: MoveGen> Evaluator<G> for Linear {
    type Context = ();

    fn context(&self, _: &Position, _: Color) {}

    fn next_context(&self, (): &(), _: &[Change], _: Color) {}

    #[inline]
    fn evaluate(&self, (): &(), leaf: &Leaf<'_>) -> PnDn {
        let (position, attacker) = (leaf.position, leaf.attacker);
        let model = if position.side_to_move() == attacker {
            &ATTACKER_TO_MOVE
        } else {
            &DEFENDER_TO_MOVE
        };
        let mut pn = model.pn.bias;
        let mut dn = model.dn.bias;
        for role in Role::ALL {
            let i = role.index();
            let ours = position.men_of(attacker, role).count().cast_signed();
            let theirs = position.men_of(!attacker, role).count().cast_signed();
            pn += ours * model.pn.attacker[i] + theirs * model.pn.defender[i];
            dn += ours * model.dn.attacker[i] + theirs * model.dn.defender[i];
        }
        let mobility = log2(G::count_moves(position));
        pn += mobility * model.pn.mobility / ONE;
        dn += mobility * model.dn.mobility / ONE;
        PnDn {
            pn: exp2(pn, MAX_LOG),
            dn: exp2(dn, MAX_LOG),
        }
    }
}
