//! The manager's graph: positions, the moves between them, and what their numbers add up to.
//!
//! A directed graph without cycles; a position that is reached by several ways stands in it once. Leaves carry the numbers that
//! searches gave them, inner nodes the sums and minima of their children's (van der Meulen and Allis 1994, section 4 of the df-pn
//! literature for the sums over a graph: a transposition counts once for each way that leads to it).
//!
//! Invariants, which [`Graph::debug_validate`] checks:
//!
//! - each edge to a child stands in that child's list of parents, and in no other;
//! - along edges that are not [`Link::Cycle`] no node comes back to itself;
//! - a decided node has no edges;
//! - every node but the root has a parent, or is being searched.

use std::collections::{HashMap, VecDeque};

use proof::Plies;
use rules::{Move, PackedPosition};
use search::{Advice, INFINITY, PnDn, finite};

mod rows;

/// A node of a graph. Numbers are given anew when nodes have gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// The node at which everything begins.
pub(crate) const ROOT: NodeId = NodeId(0);

/// What an edge is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// The child counts.
    Live,
    /// It would close a cycle: failure until the child is decided.
    Cycle,
    /// A search through it failed by a repetition on its path: failure until the child is decided, or all such edges are tried
    /// anew.
    Repeats,
}

impl Link {
    /// All, by number.
    const ALL: [Self; 3] = [Self::Live, Self::Cycle, Self::Repeats];
}

/// A move, with the forced moves after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) mv: Move,
    pub(crate) forced: u16,
    pub(crate) child: NodeId,
    pub(crate) link: Link,
    pub(crate) advice: Option<Advice>,
}

/// A position.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) position: PackedPosition,
    pub(crate) key: u64,
    pub(crate) attacker_to_move: bool,
    /// Whether a disproof leans on a repetition, so that it may not last.
    pub(crate) tainted: bool,
    /// Whether it is a leaf that is being searched.
    pub(crate) in_flight: bool,
    /// If the attacker wins here: within so many plies.
    pub(crate) height: u16,
    pub(crate) numbers: PnDn,
    /// Expansions in its searches, and in those of nodes below it on its account.
    pub(crate) work: u64,
    pub(crate) edges: Vec<Edge>,
    parents: Vec<NodeId>,
    /// Those that lie below it themselves.
    cyclic_parents: Vec<NodeId>,
    mark: u32,
}

impl Node {
    /// A leaf.
    pub(crate) fn new(position: PackedPosition, key: u64, attacker_to_move: bool) -> Self {
        Self {
            position,
            key,
            attacker_to_move,
            tainted: false,
            in_flight: false,
            height: 0,
            numbers: PnDn { pn: 1, dn: 1 },
            work: 0,
            edges: Vec::new(),
            parents: Vec::new(),
            cyclic_parents: Vec::new(),
            mark: 0,
        }
    }

    pub(crate) fn is_leaf(&self) -> bool {
        self.edges.is_empty()
    }

    /// Whether nothing can change its numbers any more.
    pub(crate) fn is_decided(&self) -> bool {
        self.numbers.is_proven() || self.numbers.is_disproven() && !self.tainted
    }

    /// Its numbers for those who choose: a leaf that is being searched is worth less than it seems.
    fn effective(&self) -> PnDn {
        if !self.in_flight || self.is_decided() {
            return self.numbers;
        }
        let twice = |n: u32| finite(2 * u64::from(n));
        PnDn {
            pn: twice(self.numbers.pn),
            dn: twice(self.numbers.dn),
        }
    }
}

/// A child as its parent's mover sees it: `a` is the number that the mover minimises, `b` the one that adds up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) tainted: bool,
    /// If the attacker wins there: the plies to the end, counted from before the move.
    plies: u16,
}

/// What a node's children add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) numbers: PnDn,
    pub(crate) height: u16,
    pub(crate) tainted: bool,
}

/// A node that was just decided by its children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided {
    pub(crate) node: NodeId,
    /// The attacker's move, if the attacker wins and is to move.
    pub(crate) winning: Option<Move>,
}

/// The graph.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    nodes: Vec<Option<Node>>,
    free: Vec<NodeId>,
    by_key: HashMap<u64, NodeId>,
    epoch: u32,
    edges: usize,
}

impl Graph {
    /// A graph of one leaf, the root.
    pub(crate) fn new(root: Node) -> Self {
        let key = root.key;
        Self {
            nodes: vec![Some(root)],
            free: Vec::new(),
            by_key: HashMap::from([(key, ROOT)]),
            epoch: 0,
            edges: 0,
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.nodes[id.0 as usize]
            .as_ref()
            .expect("the node is there")
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        self.nodes[id.0 as usize]
            .as_mut()
            .expect("the node is there")
    }

    /// The node with this number, if it is the position with this key.
    pub(crate) fn still(&self, id: NodeId, key: u64) -> Option<&Node> {
        let node = self.nodes.get(id.0 as usize)?.as_ref();
        node.filter(|node| node.key == key)
    }

    /// All nodes, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let nodes = (0..).map(NodeId).zip(&self.nodes);
        nodes.filter_map(|(id, node)| Some((id, node.as_ref()?)))
    }

    /// How many nodes there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Bytes that the graph takes, about.
    pub(crate) fn bytes(&self) -> usize {
        let lists = 2 * size_of::<NodeId>() + size_of::<(u64, NodeId)>() * 2;
        self.nodes.capacity() * (size_of::<Option<Node>>() + lists)
            + self.edges * (size_of::<Edge>() + size_of::<NodeId>())
    }

    /// The node of a position.
    pub(crate) fn find(&self, position: &PackedPosition, key: u64) -> Option<NodeId> {
        let id = *self.by_key.get(&key)?;
        (self.node(id).position == *position).then_some(id)
    }

    /// Adds a node without parents.
    pub(crate) fn insert(&mut self, node: Node) -> NodeId {
        let key = node.key;
        let id = if let Some(id) = self.free.pop() {
            self.nodes[id.0 as usize] = Some(node);
            id
        } else {
            self.nodes.push(Some(node));
            NodeId(u32::try_from(self.nodes.len() - 1).expect("memory ends before"))
        };
        self.by_key.entry(key).or_insert(id);
        id
    }

    /// Adds an edge. Whether it closes a cycle is the caller's to say.
    pub(crate) fn link(&mut self, parent: NodeId, edge: Edge) {
        let child = self.node_mut(edge.child);
        match edge.link {
            Link::Cycle => child.cyclic_parents.push(parent),
            Link::Live | Link::Repeats => child.parents.push(parent),
        }
        self.node_mut(parent).edges.push(edge);
        self.edges += 1;
    }

    /// Gives all edges other advice. The numbers of inner nodes are to be updated then.
    pub(crate) fn advise(&mut self, advice: impl Fn(u64, Move) -> Option<Advice>) {
        for node in self.nodes.iter_mut().flatten() {
            let key = node.key;
            for edge in &mut node.edges {
                edge.advice = advice(key, edge.mv);
            }
        }
    }

    /// Marks nothing.
    pub(crate) fn unmark_all(&mut self) {
        self.epoch += 1;
    }

    pub(crate) fn mark(&mut self, id: NodeId) {
        let epoch = self.epoch;
        self.node_mut(id).mark = epoch;
    }

    pub(crate) fn is_marked(&self, id: NodeId) -> bool {
        self.node(id).mark == self.epoch
    }

    /// Marks a node and all above it.
    pub(crate) fn mark_ancestors(&mut self, id: NodeId) {
        self.unmark_all();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if !self.is_marked(id) {
                self.mark(id);
                open.extend_from_slice(&self.node(id).parents);
            }
        }
    }

    /// Whether a way leads from the root to this node on which nothing is decided.
    pub(crate) fn matters(&mut self, id: NodeId) -> bool {
        self.unmark_all();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if self.is_marked(id) || self.node(id).is_decided() {
                continue;
            }
            if id == ROOT {
                return true;
            }
            self.mark(id);
            open.extend_from_slice(&self.node(id).parents);
        }
        false
    }

    /// A child as `parent`'s mover sees it.
    pub(crate) fn seen(&self, parent: &Node, edge: &Edge) -> Seen {
        let child = self.node(edge.child);
        let counts = edge.link == Link::Live || child.is_decided();
        let numbers = if counts {
            child.effective()
        } else {
            PnDn::DISPROVEN
        };
        let (a, b) = numbers.for_mover(parent.attacker_to_move);
        Seen {
            a: edge.advice.map_or(a, |advice| advice.weigh(a)),
            b,
            tainted: child.tainted || !counts,
            plies: (edge.forced + 1).saturating_add(child.height),
        }
    }

    /// What the children of an inner node add up to.
    pub(crate) fn value(&self, node: &Node) -> Value {
        let children = || node.edges.iter().map(|edge| self.seen(node, edge));
        let least = children().map(|seen| seen.a).min().unwrap_or(INFINITY);
        let sum: u64 = children().map(|seen| u64::from(seen.b)).sum();
        let proven = |height: Option<u16>| Value {
            numbers: PnDn::PROVEN,
            height: height.unwrap_or(0),
            tainted: false,
        };
        let disproven = |tainted| Value {
            numbers: PnDn::DISPROVEN,
            height: 0,
            tainted,
        };
        let decisive = || children().filter(|seen| seen.a == 0);
        match (node.attacker_to_move, least) {
            (true, 0) => proven(decisive().map(|seen| seen.plies).min()),
            (false, INFINITY) => proven(children().map(|seen| seen.plies).max()),
            (true, INFINITY) => disproven(children().any(|seen| seen.tainted)),
            (false, 0) => disproven(decisive().all(|seen| seen.tainted)),
            (_, least) => Value {
                numbers: PnDn::of_mover((least, finite(sum)), node.attacker_to_move),
                height: 0,
                tainted: false,
            },
        }
    }

    /// The attacker's move that ends soonest, in a node proven by its children.
    fn winning(&self, node: &Node) -> Option<Move> {
        let seen = node
            .edges
            .iter()
            .map(|edge| (self.seen(node, edge), edge.mv));
        let won = seen.filter(|(seen, _)| node.attacker_to_move && seen.a == 0);
        won.min_by_key(|(seen, _)| seen.plies).map(|(_, mv)| mv)
    }

    /// Takes over the numbers of a leaf, or of a node about which everything became known, and what follows for the nodes above.
    /// `decided` hears of each node that its children decide, before any node above it is looked at. Decided nodes lose what is below
    /// them.
    pub(crate) fn update(&mut self, from: NodeId, mut decided: impl FnMut(&Self, Decided)) {
        let mut queue = VecDeque::from([(from, true)]);
        while let Some((id, first)) = queue.pop_front() {
            // It may have gone with the subtree of another.
            let Some(node) = &self.nodes[id.0 as usize] else {
                continue;
            };
            if !node.is_leaf() && !node.is_decided() {
                let value = self.value(node);
                let same = value.numbers == node.numbers && value.tainted == node.tainted;
                if same && !first {
                    continue;
                }
                let winning = self.winning(node);
                let node = self.node_mut(id);
                node.numbers = value.numbers;
                node.height = value.height;
                node.tainted = value.tainted;
                if node.is_decided() {
                    decided(self, Decided { node: id, winning });
                }
            }
            let node = self.node(id);
            let above = node.parents.iter().chain(&node.cyclic_parents);
            queue.extend(above.map(|&parent| (parent, false)));
            if node.is_decided() && !node.is_leaf() {
                let changed = self.cut_off(id);
                queue.extend(changed.into_iter().map(|id| (id, true)));
            }
        }
    }

    /// Takes away what is below a node, as far as nothing else needs it. Returns nodes whose children have changed.
    fn cut_off(&mut self, id: NodeId) -> Vec<NodeId> {
        let mut bare = vec![id];
        let mut orphans = Vec::new();
        while let Some(id) = bare.pop() {
            let edges = std::mem::take(&mut self.node_mut(id).edges);
            self.edges -= edges.len();
            for edge in edges {
                let child = self.node_mut(edge.child);
                let list = match edge.link {
                    Link::Cycle => &mut child.cyclic_parents,
                    Link::Live | Link::Repeats => &mut child.parents,
                };
                if let Some(at) = list.iter().position(|&parent| parent == id) {
                    list.swap_remove(at);
                }
                if child.parents.is_empty() && edge.child != ROOT && edge.link != Link::Cycle {
                    orphans.push(edge.child);
                    bare.push(edge.child);
                }
            }
        }
        let mut changed = Vec::new();
        for orphan in orphans {
            changed.extend(self.adopt_or_free(orphan));
        }
        changed
    }

    /// A leaf without parents goes, unless it is being searched or was reached by edges that closed cycles: there are none any
    /// more, and it is a child like others. Returns its new parents.
    fn adopt_or_free(&mut self, id: NodeId) -> Vec<NodeId> {
        let Some(node) = self.nodes[id.0 as usize].as_mut() else {
            return Vec::new();
        };
        if !node.parents.is_empty() {
            return Vec::new();
        }
        let adopting = std::mem::take(&mut node.cyclic_parents);
        if adopting.is_empty() {
            if !node.in_flight {
                self.remove(id);
            }
            return adopting;
        }
        node.parents.clone_from(&adopting);
        if node.tainted {
            // Its children are gone, and what they added up to hung on repetitions.
            node.tainted = false;
            node.numbers = PnDn { pn: 1, dn: 1 };
        }
        for &parent in &adopting {
            let edges = &mut self.node_mut(parent).edges;
            for edge in edges.iter_mut().filter(|edge| edge.child == id) {
                edge.link = Link::Live;
            }
        }
        adopting
    }

    fn remove(&mut self, id: NodeId) {
        if let Some(node) = self.nodes[id.0 as usize].take()
            && self.by_key.get(&node.key) == Some(&id)
        {
            self.by_key.remove(&node.key);
        }
        self.free.push(id);
    }

    /// A search of this leaf has ended: if nobody needs it any more, it goes.
    pub(crate) fn landed(&mut self, id: NodeId) -> bool {
        self.node_mut(id).in_flight = false;
        if id != ROOT && self.node(id).parents.is_empty() {
            self.adopt_or_free(id);
        }
        self.nodes[id.0 as usize].is_some()
    }

    /// The attacker fails in `child` if it is reached from `parent`.
    pub(crate) fn fail(&mut self, parent: NodeId, child: NodeId) {
        let edges = &mut self.node_mut(parent).edges;
        for edge in edges.iter_mut().filter(|edge| edge.child == child) {
            if edge.link == Link::Live {
                edge.link = Link::Repeats;
            }
        }
    }

    /// Tries edges anew through which searches failed by repetition. Returns the nodes they begin at.
    pub(crate) fn retry(&mut self) -> Vec<NodeId> {
        let mut changed = Vec::new();
        for (id, node) in (0..).map(NodeId).zip(&mut self.nodes) {
            let edges = node.iter_mut().flat_map(|node| &mut node.edges);
            for edge in edges.filter(|edge| edge.link == Link::Repeats) {
                edge.link = Link::Live;
                changed.push(id);
            }
        }
        changed.dedup();
        changed
    }

    /// The plies that a node's proof takes.
    pub(crate) fn height(&self, id: NodeId) -> Plies {
        Plies(self.node(id).height)
    }

    /// Walks the graph and checks the invariants.
    ///
    /// # Panics
    ///
    /// If one is broken.
    #[cfg(test)]
    pub(crate) fn debug_validate(&mut self) {
        let ids: Vec<NodeId> = self.iter().map(|(id, _)| id).collect();
        for &id in &ids {
            let node = self.node(id).clone();
            assert!(node.is_leaf() || !node.is_decided(), "{id:?} keeps a tree");
            let has_parent = !node.parents.is_empty();
            assert!(id == ROOT || has_parent || node.in_flight, "{id:?} is lost");
            for edge in &node.edges {
                let child = self.node(edge.child);
                let known = match edge.link {
                    Link::Cycle => &child.cyclic_parents,
                    _ => &child.parents,
                };
                assert!(known.contains(&id), "{id:?} is unknown to its child");
                if edge.link != Link::Cycle {
                    self.mark_ancestors(id);
                    assert!(!self.is_marked(edge.child), "{id:?} is below itself");
                }
            }
            for parent in node.parents.iter().chain(&node.cyclic_parents) {
                let mut edges = self.node(*parent).edges.iter();
                assert!(edges.any(|edge| edge.child == id), "{id:?} has a stranger");
            }
            if !node.is_leaf() {
                assert_eq!(self.value(&node).numbers, node.numbers, "{id:?} is stale");
            }
        }
    }
}

#[cfg(test)]
mod tests;
