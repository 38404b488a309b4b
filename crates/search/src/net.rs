//! A small net that estimates proof and disproof numbers.
//!
//! For each side to move there is a layer of [`LANES`] sums over the rows that a position has (see [`crate::features`]), 14
//! hidden ones and two that skip to the outputs, and a layer of two outputs: the binary logarithms of the efforts, in
//! expansions, to prove and to disprove. Only integers are used, so every machine gets the same numbers.
//!
//! **Compression.** A leaf's number is 8 · 2^(slope · y): with a slope of 1 the search was measured to take twice the nodes.
//!
//! File, little-endian: magic `TKMNET\x1a\x01`, u32 rows, u16 slope in 1/256, then for the attacker to move and the defender to
//! move: rows × 16 i16 sums, 2 × 14 i16 output weights, 2 i16 output biases, all in 1/256.

use std::{marker::PhantomData, sync::LazyLock};

use rules::{
    Antichess, Change, Color, Extinction, MoveGen, Position, Ruleset, Variant2, Variant34,
};
use wide::i16x16;

use crate::{
    evaluator::{Evaluator, Leaf},
    features::{FeatureSet, FreeKing, Kinds, MAX_SLOTS, RoyalKing, for_each_man, man_row},
    logarithm::{ONE, exp2},
    numbers::PnDn,
};

/// Sums of a row: one vector register.
pub const LANES: usize = 16;
/// Hidden units; the other lanes skip to the outputs.
pub const HIDDEN: usize = 14;
/// The first bytes of a net file.
pub const MAGIC: [u8; 8] = *b"TKMNET\x1a\x01";

/// Numbers of leaves lie between 1 and 2 to this power.
const MAX_LOG: i32 = 20;

/// Sums of rows.
type Sums = i16x16;

/// The net for one side to move.
#[derive(Debug)]
struct Half {
    /// The row of each slot.
    rows: Box<[Sums; MAX_SLOTS]>,
    /// 0 in the lanes that skip.
    weights: [Sums; 2],
    biases: [i16; 2],
}

/// A trained evaluator for positions seen as `F`.
#[derive(Debug)]
pub struct Net<F> {
    attacker_to_move: Half,
    defender_to_move: Half,
    slope: i32,
    features: PhantomData<F>,
}

/// A class of moves for whose rulesets there are nets; `README.md` of this crate says how each was made.
pub trait Trained: MoveGen {
    /// What the nets see.
    type Features: FeatureSet;

    /// The net for a ruleset of this class that this version was built with.
    ///
    /// # Panics
    ///
    /// If the file in the source tree is not a net.
    fn net(ruleset: Ruleset) -> &'static Net<Self::Features>;
}

static ANTICHESS: LazyLock<Net<FreeKing>> =
    LazyLock::new(|| Net::shipped(include_bytes!("../nets/antichess.net")));
static VARIANT3: LazyLock<Net<RoyalKing>> =
    LazyLock::new(|| Net::shipped(include_bytes!("../nets/variant3.net")));
static VARIANT4: LazyLock<Net<RoyalKing>> =
    LazyLock::new(|| Net::shipped(include_bytes!("../nets/variant4.net")));
static EXTINCTION: LazyLock<Net<Kinds>> =
    LazyLock::new(|| Net::shipped(include_bytes!("../nets/extinction.net")));

impl Trained for Antichess {
    type Features = FreeKing;

    fn net(_: Ruleset) -> &'static Net<FreeKing> {
        &ANTICHESS
    }
}

impl Trained for Variant2 {
    type Features = FreeKing;

    fn net(_: Ruleset) -> &'static Net<FreeKing> {
        &ANTICHESS
    }
}

impl Trained for Variant34 {
    type Features = RoyalKing;

    fn net(ruleset: Ruleset) -> &'static Net<RoyalKing> {
        match ruleset {
            Ruleset::Variant3 => &VARIANT3,
            _ => &VARIANT4,
        }
    }
}

impl Trained for Extinction {
    type Features = Kinds;

    fn net(_: Ruleset) -> &'static Net<Kinds> {
        &EXTINCTION
    }
}

/// Takes little-endian numbers off the front of a net file.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    fn i16(&mut self) -> Option<i16> {
        self.bytes().map(i16::from_le_bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[i16; N]> {
        let mut array = [0; N];
        for slot in &mut array {
            *slot = self.i16()?;
        }
        Some(array)
    }

    fn weights(&mut self) -> Option<Sums> {
        let mut lanes = [0; LANES];
        lanes[..HIDDEN].copy_from_slice(&self.array::<HIDDEN>()?);
        Some(Sums::new(lanes))
    }

    fn half<F: FeatureSet>(&mut self) -> Option<Half> {
        let mut rows = vec![Sums::ZERO; F::ROWS];
        for row in &mut rows {
            *row = Sums::new(self.array()?);
        }
        let mut filled = vec![Sums::ZERO; MAX_SLOTS];
        for (slot, &row) in filled.iter_mut().zip(F::ROW_OF_SLOT) {
            *slot = rows[usize::from(row)];
        }
        Some(Half {
            rows: filled.into_boxed_slice().try_into().ok()?,
            weights: [self.weights()?, self.weights()?],
            biases: self.array()?,
        })
    }
}

impl<F: FeatureSet> Net<F> {
    fn shipped(bytes: &[u8]) -> Self {
        Self::read(bytes).expect("the shipped nets are well-formed")
    }

    /// Reads a net file. `None` if it is damaged or made for other features.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let fits = reader.bytes::<8>()? == MAGIC
            && usize::try_from(u32::from_le_bytes(reader.bytes()?)) == Ok(F::ROWS);
        if !fits {
            return None;
        }
        let slope = i32::from(reader.i16()?);
        let net = Self {
            attacker_to_move: reader.half::<F>()?,
            defender_to_move: reader.half::<F>()?,
            slope,
            features: PhantomData,
        };
        reader.0.is_empty().then_some(net)
    }

    /// The net with another slope, in 1/256.
    #[must_use]
    pub fn with_slope(self, slope: i32) -> Self {
        Self { slope, ..self }
    }
}

impl Half {
    #[inline]
    fn row(&self, slot: usize) -> Sums {
        self.rows[slot % MAX_SLOTS]
    }

    /// The sums for other men, from those before these changes.
    #[inline]
    fn moved(&self, mut sums: Sums, changes: &[Change], attacker: Color) -> Sums {
        for change in changes {
            let row = self.row(man_row(change.man(), attacker));
            // Negated where a man was removed, without a jump.
            let sign = Sums::splat(i16::from(change.is_put()) - 1);
            sums += (row ^ sign) - sign;
        }
        sums
    }

    /// Binary logarithms of the efforts to prove and to disprove, in 1/256.
    #[inline]
    fn efforts(&self, sums: &Sums) -> [i32; 2] {
        let active = sums.max(Sums::ZERO);
        let lanes = sums.as_array();
        [0, 1].map(|output| {
            let hidden = active.dot(self.weights[output]).reduce_add();
            hidden / ONE + i32::from(lanes[HIDDEN + output]) + i32::from(self.biases[output])
        })
    }
}

/// What the men of a position add up to, from which the sums of its children are a few rows away.
#[derive(Clone, Copy, Debug)]
pub struct NetContext {
    attacker_to_move: Sums,
    defender_to_move: Sums,
}

impl<G, F: FeatureSet> Evaluator<G> for Net<F> {
    type Context = NetContext;

    fn context(&self, position: &Position, attacker: Color) -> NetContext {
        let mut context = NetContext {
            attacker_to_move: Sums::ZERO,
            defender_to_move: Sums::ZERO,
        };
        for_each_man(position, attacker, |row| {
            context.attacker_to_move += self.attacker_to_move.row(row);
            context.defender_to_move += self.defender_to_move.row(row);
        });
        context
    }

    fn next_context(
        &self,
        context: &NetContext,
        changes: &[Change],
        attacker: Color,
    ) -> NetContext {
        let moved = |half: &Half, sums| half.moved(sums, changes, attacker);
        NetContext {
            attacker_to_move: moved(&self.attacker_to_move, context.attacker_to_move),
            defender_to_move: moved(&self.defender_to_move, context.defender_to_move),
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "several classes call it, and a call costs the search a twentieth"
    )]
    #[inline(always)]
    fn evaluate(&self, parent: &NetContext, leaf: &Leaf<'_>) -> PnDn {
        let &Leaf {
            position,
            survey,
            changes,
            attacker,
            moves,
        } = leaf;
        let (half, sums) = if position.side_to_move() == attacker {
            (&self.attacker_to_move, parent.attacker_to_move)
        } else {
            (&self.defender_to_move, parent.defender_to_move)
        };
        let mut sums = half.moved(sums, changes, attacker);
        F::for_each_scalar(position, survey, attacker, moves, |slot| {
            sums += half.row(slot);
        });
        let [prove, disprove] = half.efforts(&sums);
        PnDn {
            pn: exp2(3 * ONE + prove * self.slope / ONE, MAX_LOG),
            dn: exp2(3 * ONE + disprove * self.slope / ONE, MAX_LOG),
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::{Game, canonical_moves, fen, for_class, survey};

    use super::*;

    #[test]
    fn a_file_with_a_byte_more_or_less_is_no_net() {
        let bytes = include_bytes!("../nets/antichess.net");
        assert!(Net::<FreeKing>::read(bytes).is_some());
        assert!(Net::<FreeKing>::read(&bytes[..bytes.len() - 1]).is_none());
        assert!(Net::<FreeKing>::read(&[&bytes[..], &[0]].concat()).is_none());
        assert!(Net::<FreeKing>::read(&[]).is_none());
        assert!(Net::<RoyalKing>::read(bytes).is_none(), "other features");
    }

    /// Numbers from the sums of a position that lies these changes before.
    fn numbers<G: Trained>(
        ruleset: Ruleset,
        before: &Position,
        changes: &[Change],
        position: &Position,
    ) -> [PnDn; 2] {
        let net = G::net(ruleset);
        Color::ALL.map(|attacker| {
            let context = Evaluator::<G>::context(net, before, attacker);
            let leaf = Leaf {
                position,
                survey: &survey(position),
                changes,
                attacker,
                moves: G::count_moves(position),
            };
            let numbers = Evaluator::<G>::evaluate(net, &context, &leaf);
            let here = Evaluator::<G>::next_context(net, &context, changes, attacker);
            let leaf = Leaf {
                changes: &[],
                ..leaf
            };
            assert_eq!(Evaluator::<G>::evaluate(net, &here, &leaf), numbers);
            numbers
        })
    }

    /// Walks some games and compares the numbers from the parent's sums with those from nothing, and with those of the
    /// mirrored position for the other side.
    #[test]
    fn numbers_depend_neither_on_the_parent_nor_on_the_colour() {
        for ruleset in Ruleset::ALL {
            let compared = for_class!(ruleset.class(), G => compare::<G>(ruleset));
            assert!(compared > 1_000, "{ruleset}: {compared}");
        }
    }

    fn compare<G: Trained>(ruleset: Ruleset) -> usize {
        let mut state = 7u64;
        let mut compared = 0;
        for _ in 0..40 {
            let mut position = *Game::initial(ruleset).position();
            // Endings may be shuffled for ever.
            for _ in 0..120 {
                let moves = canonical_moves(&position, ruleset);
                if moves.is_empty() {
                    break;
                }
                state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                let mv = moves[(state >> 33) as usize % moves.len()];
                let (mut child, mut changes) = (position, Vec::new());
                G::play_noting(&mut child, mv, |change| changes.push(change));
                let numbers_here = numbers::<G>(ruleset, &child, &[], &child);
                assert_eq!(
                    numbers::<G>(ruleset, &position, &changes, &child),
                    numbers_here
                );
                let mirror = child.mirrored();
                let [white, black] = numbers::<G>(ruleset, &mirror, &[], &mirror);
                assert_eq!(
                    [black, white],
                    numbers_here,
                    "{}",
                    fen::write_position(&child)
                );
                compared += 1;
                position = child;
            }
        }
        compared
    }
}
