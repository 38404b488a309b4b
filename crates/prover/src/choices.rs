//! The strategies that can be put together from what is proven, and a small one among them.
//!
//! A *node* is a position with the winner to move, with a bound on the plies left, its height. Its *options* are moves after which every
//! reply ends the game, or leads to a node of a height smaller by two at least: so whatever is chosen at each node, no line comes back, and
//! none is longer than the height of its first node. One option of each node is chosen; the nodes that then can arise from the roots are
//! *live*, and each knows how many live nodes lead to it. To choose another option is to let go of some nodes and to take in others, and
//! the count of live ones tells at once whether that paid: parts that other lines need as well cost nothing.

use std::collections::HashMap;

use proof::{EndTables as _, Entry, Plies, Proof, Record, TableEnd};
use rules::{Color, Move, Position, Ruleset, canonical_moves};
use search::ProofLog;

use crate::Endgames;

/// Positions without a choice are followed for so many moves where the log has no entry.
const MAX_FORCED: u32 = 200;

/// What is proven of positions.
pub(crate) struct Proven<'a> {
    pub(crate) ruleset: Ruleset,
    pub(crate) winner: Color,
    pub(crate) log: &'a ProofLog,
    pub(crate) endgames: &'a Endgames,
}

/// Why the winner has won a position.
enum Won {
    /// The game is over, or a table has it; so many plies are left.
    Ended(Plies),
    /// By this move.
    By(Entry),
}

/// What the rules and the tables make of a position.
enum End {
    Won(Plies),
    NotWon,
    GoesOn,
}

impl Proven<'_> {
    /// Whether the line ends in a position with these legal moves.
    fn end(&self, position: &Position, legal: &[Move]) -> End {
        if legal.is_empty() {
            return if self.ruleset.outcome(position).winner() == Some(self.winner) {
                End::Won(Plies::ZERO)
            } else {
                End::NotWon
            };
        }
        match self.endgames.end(position, self.winner) {
            Ok(TableEnd::NotCovered) => End::GoesOn,
            Ok(TableEnd::Won(plies)) => End::Won(plies),
            Ok(TableEnd::NotWon) | Err(_) => End::NotWon,
        }
    }

    /// How a position with the winner to move is won, as far as is known.
    fn won(&self, position: &Position, forced: u32) -> Option<Won> {
        let legal = canonical_moves(position, self.ruleset);
        match self.end(position, &legal) {
            End::Won(plies) => return Some(Won::Ended(plies)),
            End::NotWon => return None,
            End::GoesOn => {}
        }
        let entry = self.log.get(position.key());
        if let Some(entry) = entry.filter(|entry| legal.contains(&entry.mv)) {
            return Some(Won::By(entry));
        }
        let [mv] = legal[..] else { return None };
        let height = self.height_after(position, mv, forced.checked_sub(1)?)?;
        Some(Won::By(Entry { mv, height }))
    }

    /// The replies after a move that the lines go on with, each with its position and entry, if all replies are won.
    fn replies(
        &self,
        position: &Position,
        mv: Move,
        forced: u32,
    ) -> Option<(Plies, Vec<(Position, Entry)>)> {
        let after = position.after(mv, self.ruleset);
        let replies = canonical_moves(&after, self.ruleset);
        match self.end(&after, &replies) {
            End::Won(plies) => return Some((plies.plus(1)?, Vec::new())),
            End::NotWon => return None,
            End::GoesOn => {}
        }
        let mut longest = Plies::ZERO;
        let mut going_on = Vec::new();
        for reply in replies {
            let next = after.after(reply, self.ruleset);
            let plies = match self.won(&next, forced)? {
                Won::Ended(plies) => plies,
                Won::By(entry) => {
                    going_on.push((next, entry));
                    entry.height
                }
            };
            longest = longest.max(plies);
        }
        Some((longest.plus(2)?, going_on))
    }

    fn height_after(&self, position: &Position, mv: Move, forced: u32) -> Option<Plies> {
        self.replies(position, mv, forced).map(|(height, _)| height)
    }
}

/// A move of a node, and the nodes that the lines after it lead to.
#[derive(Debug)]
struct Choice {
    mv: Move,
    replies: Vec<u32>,
}

#[derive(Debug)]
struct Node {
    position: Position,
    height: Plies,
    options: Vec<Choice>,
    chosen: usize,
    /// Live nodes that lead here, and roots.
    references: u32,
    /// What it would cost to take in this node, about, while it is not live.
    estimate: f64,
}

/// The nodes, and which option is chosen at each.
pub(crate) struct Choices<'a> {
    proven: Proven<'a>,
    nodes: Vec<Node>,
    index: HashMap<(u64, u64), u32>,
    roots: Vec<u32>,
    live: usize,
}

impl<'a> Choices<'a> {
    /// The nodes of a proof whose positions are in the log, and what else can be played at them. `None` if the log does not hold the proof.
    pub(crate) fn new(proof: &Proof, proven: Proven<'a>) -> Option<Self> {
        let claim = &proof.claim;
        let mut choices = Self {
            proven,
            nodes: Vec::new(),
            index: HashMap::new(),
            roots: Vec::new(),
            live: 0,
        };
        let mut roots = Vec::new();
        if claim.root.side_to_move() == claim.winner {
            roots.push(claim.root);
        } else {
            let replies = canonical_moves(&claim.root, claim.ruleset).into_iter();
            roots.extend(replies.map(|mv| claim.root.after(mv, claim.ruleset)));
        }
        for root in roots {
            match choices.proven.won(&root, MAX_FORCED)? {
                Won::Ended(_) => {}
                Won::By(entry) => {
                    let root = choices.intern(&root, entry);
                    choices.roots.push(root);
                }
            }
        }
        choices.follow_own_moves(0)?;
        let own = choices.nodes.len();
        for node in 0..own {
            choices.widen(node);
        }
        choices.settle(own);
        let roots = choices.roots.clone();
        choices.take_in(&roots);
        Some(choices)
    }

    /// How many positions the chosen strategy has.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    pub(crate) fn is_live(&self, node: usize) -> bool {
        self.nodes[node].references > 0
    }

    pub(crate) fn position(&self, node: usize) -> &Position {
        &self.nodes[node].position
    }

    pub(crate) fn has_option(&self, node: usize, mv: Move) -> bool {
        self.nodes[node]
            .options
            .iter()
            .any(|option| option.mv == mv)
    }

    /// The move that is chosen in a position, and its height.
    pub(crate) fn entry(&self, position: &Position) -> Option<Entry> {
        let node = &self.nodes[*self.index.get(&Record::id(position))? as usize];
        Some(Entry {
            mv: node.options[node.chosen].mv,
            height: node.height,
        })
    }

    #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
    fn intern(&mut self, position: &Position, entry: Entry) -> u32 {
        let id = Record::id(position);
        if let Some(&node) = self.index.get(&id) {
            return node;
        }
        let node = self.nodes.len() as u32;
        self.index.insert(id, node);
        self.nodes.push(Node {
            position: *position,
            height: entry.height,
            options: vec![Choice {
                mv: entry.mv,
                replies: Vec::new(),
            }],
            chosen: 0,
            references: 0,
            estimate: 1.0,
        });
        node
    }

    /// Gives the nodes from `first` on the replies to the moves that they are proven by, and so on. `None` if that does not work out: they
    /// are to be dropped.
    fn follow_own_moves(&mut self, first: usize) -> Option<()> {
        let mut node = first;
        while node < self.nodes.len() {
            let mv = self.nodes[node].options[0].mv;
            let replies = self.replies(node, mv)?;
            self.nodes[node].options[0].replies = replies;
            node += 1;
        }
        Some(())
    }

    /// The nodes that a move leads to, if all are proven and within the node's height.
    fn replies(&mut self, node: usize, mv: Move) -> Option<Vec<u32>> {
        let Node {
            position, height, ..
        } = self.nodes[node];
        let (needed, replies) = self.proven.replies(&position, mv, MAX_FORCED)?;
        // A node keeps the height it was made with, even if the log has learnt of a smaller one since.
        let fits = |(position, entry): &(Position, Entry)| {
            let known = self.index.get(&Record::id(position));
            let bound = known.map_or(entry.height, |&known| self.nodes[known as usize].height);
            bound.plus(2).is_some_and(|bound| bound <= height)
        };
        if needed > height || !replies.iter().all(fits) {
            return None;
        }
        let replies = replies.into_iter();
        Some(
            replies
                .map(|(position, entry)| self.intern(&position, entry))
                .collect(),
        )
    }

    fn drop_from(&mut self, first: usize) {
        for node in self.nodes.drain(first..) {
            self.index.remove(&Record::id(&node.position));
        }
    }

    /// Adds whatever can be played besides, as far as it leads to proven positions.
    fn widen(&mut self, node: usize) {
        let position = self.nodes[node].position;
        for mv in canonical_moves(&position, self.proven.ruleset) {
            if !self.has_option(node, mv) {
                self.add_option(node, mv);
            }
        }
    }

    /// Adds an option if all that it leads to is proven and within the node's height. Says whether it did.
    pub(crate) fn add_option(&mut self, node: usize, mv: Move) -> bool {
        let before = self.nodes.len();
        let replies = self.replies(node, mv);
        let (Some(replies), Some(())) = (replies, self.follow_own_moves(before)) else {
            self.drop_from(before);
            return false;
        };
        self.nodes[node].options.push(Choice { mv, replies });
        self.settle(before);
        true
    }

    /// Chooses an option of each node from `first` on that is not live, the cheapest as far as can be told.
    fn settle(&mut self, first: usize) {
        let mut nodes: Vec<usize> = (first..self.nodes.len()).collect();
        nodes.sort_by_key(|&node| self.nodes[node].height);
        for node in nodes {
            let costs = self.nodes[node].options.iter().map(|option| {
                let replies = option
                    .replies
                    .iter()
                    .map(|&reply| &self.nodes[reply as usize]);
                let costs = replies.filter(|reply| reply.references == 0);
                1.0 + costs.map(|reply| reply.estimate).sum::<f64>()
            });
            let cheapest = costs.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
            if let Some((option, cost)) = cheapest {
                self.nodes[node].chosen = option;
                self.nodes[node].estimate = cost;
            }
        }
    }

    fn take_in(&mut self, nodes: &[u32]) {
        let mut stack = nodes.to_vec();
        while let Some(node) = stack.pop() {
            let node = &mut self.nodes[node as usize];
            node.references += 1;
            if node.references == 1 {
                self.live += 1;
                stack.extend_from_slice(&node.options[node.chosen].replies);
            }
        }
    }

    fn let_go(&mut self, nodes: &[u32]) {
        let mut stack = nodes.to_vec();
        while let Some(node) = stack.pop() {
            let node = &mut self.nodes[node as usize];
            node.references -= 1;
            if node.references == 0 {
                self.live -= 1;
                stack.extend_from_slice(&node.options[node.chosen].replies);
            }
        }
    }

    /// Chooses the option at a live node that makes the strategy smallest. Says whether that is another.
    pub(crate) fn improve(&mut self, node: usize) -> bool {
        let mut improved = false;
        for option in 0..self.nodes[node].options.len() {
            let chosen = self.nodes[node].chosen;
            if option == chosen {
                continue;
            }
            let before = self.live;
            let replies = |option: usize| self.nodes[node].options[option].replies.clone();
            let (old, new) = (replies(chosen), replies(option));
            self.take_in(&new);
            self.let_go(&old);
            if self.live < before {
                self.nodes[node].chosen = option;
                improved = true;
            } else {
                self.take_in(&old);
                self.let_go(&new);
            }
        }
        improved
    }

    /// Improves at all live nodes, from the ends of the lines up, until nothing helps.
    pub(crate) fn sweep(&mut self) {
        loop {
            let mut nodes: Vec<usize> = (0..self.nodes.len())
                .filter(|&node| self.is_live(node) && self.nodes[node].options.len() > 1)
                .collect();
            nodes.sort_by_key(|&node| self.nodes[node].height);
            let mut improved = false;
            for node in nodes {
                improved |= self.is_live(node) && self.improve(node);
            }
            if !improved {
                return;
            }
        }
    }

    /// The live nodes, each with the number of nodes, itself among them, that no line reaches but through it: what could be saved there.
    ///
    /// That is the size of its part of the tree of dominators (Cooper, Harvey and Kennedy 2001); greater heights come first in an order in
    /// which each node comes after those that lead to it, so one pass does.
    pub(crate) fn weights(&self) -> Vec<(usize, usize)> {
        let mut order: Vec<usize> = (0..self.nodes.len())
            .filter(|&node| self.is_live(node))
            .collect();
        order.sort_by_key(|&node| std::cmp::Reverse(self.nodes[node].height));
        // Places in the order count from 1; 0 stands before the roots.
        let mut place = vec![0usize; self.nodes.len()];
        for (node, at) in order.iter().zip(1..) {
            place[*node] = at;
        }
        let mut above: Vec<Option<usize>> = vec![None; order.len() + 1];
        above[0] = Some(0);
        for &root in &self.roots {
            above[place[root as usize]] = Some(0);
        }
        for &node in &order {
            let at = place[node];
            let options = &self.nodes[node].options;
            for &reply in &options[self.nodes[node].chosen].replies {
                let reply = place[reply as usize];
                above[reply] = Some(match above[reply] {
                    None => at,
                    Some(other) => common(&above, at, other),
                });
            }
        }
        let mut sizes = vec![1usize; order.len() + 1];
        for at in (1..=order.len()).rev() {
            sizes[above[at].unwrap_or(0)] += sizes[at];
        }
        order
            .into_iter()
            .map(|node| (node, sizes[place[node]]))
            .collect()
    }
}

/// Where two ways up meet.
fn common(above: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = above[a].unwrap_or(0);
        } else {
            b = above[b].unwrap_or(0);
        }
    }
    a
}

#[cfg(test)]
mod tests;
