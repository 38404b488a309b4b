//! A graph as rows of a checkpoint, and back.

use rules::{Move, PackedPosition};
use search::Advice;

use super::{Edge, Graph, Link, Node, NodeId, ROOT};
use crate::checkpoint::{EdgeRow, NodeRow};

impl Graph {
    /// All nodes as rows, the root first.
    pub(crate) fn rows(&self) -> impl Iterator<Item = NodeRow> {
        let mut place = vec![0; self.nodes.len()];
        for ((id, _), at) in self.iter().zip(0..) {
            place[id.0 as usize] = at;
        }
        self.iter().map(move |(_, node)| NodeRow {
            position: node.position.as_bytes().to_vec(),
            key: node.key,
            attacker_to_move: node.attacker_to_move,
            numbers: node.numbers,
            tainted: node.tainted,
            height: node.height,
            work: node.work,
            edges: node
                .edges
                .iter()
                .map(|edge| EdgeRow {
                    mv: edge.mv,
                    forced: edge.forced,
                    child: place[edge.child.0 as usize],
                    link: edge.link as u8,
                })
                .collect(),
        })
    }

    /// The graph that [`Graph::rows`] told of; `advice` says what to do with a move of the position with a key. None if the rows make
    /// no such graph.
    pub(crate) fn from_rows(
        rows: Vec<NodeRow>,
        advice: impl Fn(u64, Move) -> Option<Advice>,
    ) -> Option<Self> {
        let count = rows.len();
        let mut rows = rows.into_iter();
        let leaf = |row: &NodeRow| {
            let position = PackedPosition::from_bytes(&row.position).ok()?;
            let mut node = Node::new(position, row.key, row.attacker_to_move);
            node.numbers = row.numbers;
            node.tainted = row.tainted;
            node.height = row.height;
            node.work = row.work;
            Some(node)
        };
        let root = rows.next()?;
        let mut graph = Self::new(leaf(&root)?);
        let mut edges = vec![root.edges];
        for row in rows {
            graph.insert(leaf(&row)?);
            edges.push(row.edges);
        }
        for (id, edges) in (0..).map(NodeId).zip(edges) {
            let key = graph.node(id).key;
            for edge in edges {
                if edge.child as usize >= count {
                    return None;
                }
                let edge = Edge {
                    mv: edge.mv,
                    forced: edge.forced,
                    child: NodeId(edge.child),
                    link: *Link::ALL.get(usize::from(edge.link))?,
                    advice: advice(key, edge.mv),
                };
                graph.link(id, edge);
            }
        }
        graph.is_well_made().then_some(graph)
    }

    /// Whether no node comes back to itself, none but the root lacks a parent, and decided ones have no edges.
    fn is_well_made(&self) -> bool {
        let mut above: Vec<usize> = self.iter().map(|(_, node)| node.parents.len()).collect();
        let lost = above.iter().skip(1).any(|&parents| parents == 0);
        if lost || above.first() != Some(&0) {
            return false;
        }
        // Take away what has no parents, again and again: on a cycle every node keeps one.
        let mut bare = vec![ROOT];
        let mut taken = 0;
        while let Some(id) = bare.pop() {
            taken += 1;
            let node = self.node(id);
            if node.is_decided() && !node.is_leaf() {
                return false;
            }
            for edge in node.edges.iter().filter(|edge| edge.link != Link::Cycle) {
                let left = &mut above[edge.child.0 as usize];
                *left -= 1;
                if *left == 0 {
                    bare.push(edge.child);
                }
            }
        }
        taken == self.nodes.len()
    }
}
