//! Proofs of which only the upper part is known.

use std::collections::{HashMap, HashSet};

use rules::{Color, Move, PackedPosition, Position, Ruleset, canonical_moves};

/// Moves that are said to win, by position, as the book of another solver has them: below the last of them nothing is known. They are
/// claims: what is proved with their help does not rest on them.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    by_key: HashMap<u64, Move>,
}

impl Skeleton {
    /// Notes that `mv` is said to win in `position`, for the side to move. It replaces what was said before.
    pub fn insert(&mut self, position: &Position, mv: Move) {
        self.by_key.insert(position.key(), mv);
    }

    /// Forgets what is said of a position. Says whether anything was.
    pub fn remove(&mut self, position: &Position) -> bool {
        self.by_key.remove(&position.key()).is_some()
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether nothing is said of any position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// The legal move of `position` that is said to win.
    #[must_use]
    pub fn winning(&self, position: &Position, ruleset: Ruleset) -> Option<Move> {
        let mv = *self.by_key.get(&position.key())?;
        // Another position may have the same key.
        canonical_moves(position, ruleset)
            .contains(&mv)
            .then_some(mv)
    }

    /// Walks what is said of a win of `attacker` below `root`, each position once: his move where one is known, and all replies. `visit`
    /// hears of each position before those after it, and whether it is a leaf: nothing is known of it and what follows it.
    pub fn walk(
        &self,
        root: &Position,
        attacker: Color,
        ruleset: Ruleset,
        mut visit: impl FnMut(&Position, Part),
    ) {
        let mut seen = HashSet::from([root.pack()]);
        let mut open = vec![*root];
        while let Some(position) = open.pop() {
            let next = if position.side_to_move() == attacker {
                let winning = self.winning(&position, ruleset);
                visit(&position, winning.map_or(Part::Leaf, Part::Winning));
                winning.into_iter().collect()
            } else {
                let replies = canonical_moves(&position, ruleset);
                let is_known = replies.iter().any(|&reply| {
                    let next = position.after(reply, ruleset);
                    self.by_key.contains_key(&next.key())
                });
                visit(&position, if is_known { Part::Replies } else { Part::Leaf });
                if is_known {
                    replies
                } else {
                    rules::MoveList::new()
                }
            };
            // The first move is to be walked first.
            for &mv in next.iter().rev() {
                let after = position.after(mv, ruleset);
                if seen.insert(after.pack()) {
                    open.push(after);
                }
            }
        }
    }

    /// The leaves below `root`, in the order of the walk. None if the root itself is one: nothing is known then.
    #[must_use]
    pub fn leaves(
        &self,
        root: &Position,
        attacker: Color,
        ruleset: Ruleset,
    ) -> Vec<PackedPosition> {
        let mut leaves = Vec::new();
        if self.is_empty() {
            return leaves;
        }
        self.walk(root, attacker, ruleset, |position, part| {
            if part == Part::Leaf && position != root {
                leaves.push(position.pack());
            }
        });
        leaves
    }
}

/// How soon a claimed move leads to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leading {
    /// At once, or after one reply.
    AtOnce,
    /// After claimed moves and replies, however many.
    AtLast,
}

impl Skeleton {
    /// The claimed moves below `root` that lead to one of these positions.
    pub(crate) fn leading_to(
        &self,
        positions: &HashSet<PackedPosition>,
        how_soon: Leading,
        root: &Position,
        attacker: Color,
        ruleset: Ruleset,
    ) -> Vec<(Position, Move)> {
        let mut reached = positions.clone();
        loop {
            let leading = self.leading_at_once(&reached, root, attacker, ruleset);
            let before = reached.len();
            reached.extend(leading.iter().map(|(position, _)| position.pack()));
            if how_soon == Leading::AtOnce || reached.len() == before {
                return leading;
            }
        }
    }

    fn leading_at_once(
        &self,
        positions: &HashSet<PackedPosition>,
        root: &Position,
        attacker: Color,
        ruleset: Ruleset,
    ) -> Vec<(Position, Move)> {
        let mut leading = Vec::new();
        self.walk(root, attacker, ruleset, |position, part| {
            let Part::Winning(mv) = part else { return };
            let after = position.after(mv, ruleset);
            let replies = canonical_moves(&after, ruleset);
            let next = replies.iter().map(|&reply| after.after(reply, ruleset));
            if [after]
                .into_iter()
                .chain(next)
                .any(|next| positions.contains(&next.pack()))
            {
                leading.push((*position, mv));
            }
        });
        leading
    }
}

/// What a skeleton knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The attacker's winning move.
    Winning(Move),
    /// The defender is to move, and something is known of what follows.
    Replies,
    /// Nothing.
    Leaf,
}
