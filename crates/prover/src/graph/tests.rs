use rules::{Game, Ruleset};

use search::FINITE_MAX;

use super::*;

/// A leaf with the attacker to move if its key is odd.
fn leaf(key: u64, pn: u32, dn: u32) -> Node {
    let position = Game::initial(Ruleset::Joint).position().pack();
    let mut node = Node::new(position, key, key % 2 == 1);
    node.numbers = PnDn { pn, dn };
    node
}

fn edge(child: NodeId, link: Link) -> Edge {
    Edge {
        mv: Move::parse_uci("e2e3").expect("UCI"),
        forced: 0,
        child,
        link,
        advice: None,
    }
}

/// A root with the attacker to move, and two children below it.
fn fork() -> (Graph, NodeId, NodeId) {
    let mut graph = Graph::new(leaf(1, 1, 1));
    let left = graph.insert(leaf(2, 3, 5));
    let right = graph.insert(leaf(4, 4, 7));
    for child in [left, right] {
        graph.link(ROOT, edge(child, Link::Live));
    }
    settle(&mut graph, ROOT);
    (graph, left, right)
}

/// Updates from a node; the nodes that were decided by their children.
fn settle(graph: &mut Graph, id: NodeId) -> Vec<NodeId> {
    let mut decided = Vec::new();
    graph.update(id, |_, node| decided.push(node.node));
    graph.debug_validate();
    decided
}

fn set(graph: &mut Graph, id: NodeId, numbers: PnDn) -> Vec<NodeId> {
    graph.node_mut(id).numbers = numbers;
    settle(graph, id)
}

#[test]
fn the_attacker_minimises_proof_numbers_and_the_defender_disproof_numbers() {
    let (mut graph, left, _) = fork();
    assert_eq!(graph.node(ROOT).numbers, PnDn { pn: 3, dn: 12 });
    let first = graph.insert(leaf(5, 10, 8));
    let second = graph.insert(leaf(7, 20, 6));
    graph.link(left, edge(first, Link::Live));
    graph.link(left, edge(second, Link::Live));
    settle(&mut graph, left);
    assert_eq!(graph.node(left).numbers, PnDn { pn: 30, dn: 6 });
    assert_eq!(graph.node(ROOT).numbers, PnDn { pn: 4, dn: 13 });
}

#[test]
fn a_leaf_being_searched_counts_double_until_it_lands() {
    let (mut graph, left, right) = fork();
    graph.node_mut(left).in_flight = true;
    settle(&mut graph, left);
    assert_eq!(graph.node(ROOT).numbers, PnDn { pn: 4, dn: 17 });
    assert!(graph.landed(left));
    settle(&mut graph, left);
    assert_eq!(graph.node(ROOT).numbers, PnDn { pn: 3, dn: 12 });
    // Greatest numbers stay finite.
    graph.node_mut(right).in_flight = true;
    set(
        &mut graph,
        right,
        PnDn {
            pn: FINITE_MAX,
            dn: FINITE_MAX,
        },
    );
    assert_eq!(graph.node(ROOT).numbers.dn, FINITE_MAX);
}

#[test]
fn a_decided_node_takes_its_subtree_with_it() {
    let (mut graph, left, right) = fork();
    let shared = graph.insert(leaf(5, 1, 1));
    let own = graph.insert(leaf(7, 1, 1));
    graph.link(left, edge(shared, Link::Live));
    graph.link(left, edge(own, Link::Live));
    settle(&mut graph, left);
    graph.link(right, edge(shared, Link::Live));
    settle(&mut graph, right);
    // The defender escapes by `own`.
    assert_eq!(set(&mut graph, own, PnDn::DISPROVEN), [left]);
    assert!(graph.node(left).is_decided());
    assert!(graph.find(&graph.node(ROOT).position, 7).is_none());
    assert!(graph.find(&graph.node(ROOT).position, 5).is_some());
    assert_eq!(graph.len(), 4);
    graph.node_mut(shared).height = 8;
    assert_eq!(set(&mut graph, shared, PnDn::PROVEN), [right, ROOT]);
    assert_eq!(graph.height(ROOT), Plies(10));
    assert_eq!(graph.len(), 1);
    assert!(!graph.matters(ROOT));
}

#[test]
fn a_subtree_that_is_being_searched_waits_for_its_landing() {
    let (mut graph, left, right) = fork();
    graph.node_mut(left).in_flight = true;
    settle(&mut graph, left);
    assert!(graph.matters(left));
    set(&mut graph, right, PnDn::PROVEN);
    assert!(!graph.matters(left));
    assert_eq!(graph.len(), 2);
    assert!(!graph.landed(left), "nobody needs it");
    assert_eq!(graph.len(), 1);
    graph.debug_validate();
}

/// The attacker may go back to the root from below `left`; `right` is there as well.
fn cycle() -> (Graph, NodeId, NodeId, NodeId) {
    let (mut graph, left, right) = fork();
    let below = graph.insert(leaf(3, 2, 2));
    graph.link(left, edge(below, Link::Live));
    graph.mark_ancestors(below);
    assert!(graph.is_marked(left) && !graph.is_marked(right));
    graph.link(below, edge(left, Link::Cycle));
    settle(&mut graph, below);
    (graph, left, right, below)
}

#[test]
fn a_failure_by_a_cut_edge_is_tainted_and_lifted_when_its_child_is_proven() {
    let (mut graph, left, right, below) = cycle();
    for id in [below, left] {
        let node = graph.node(id);
        assert!(node.tainted && node.numbers.is_disproven() && !node.is_decided());
    }
    // The root has another move, so it is not touched by it.
    assert_eq!(graph.node(ROOT).numbers, PnDn { pn: 4, dn: 7 });
    set(&mut graph, right, PnDn::DISPROVEN);
    assert!(graph.node(ROOT).tainted, "nothing is concluded");
    assert_eq!(set(&mut graph, left, PnDn::PROVEN), [ROOT]);
    assert_eq!(graph.node(ROOT).numbers, PnDn::PROVEN);
}

#[test]
fn an_edge_cut_for_a_cycle_counts_when_the_cycle_has_gone() {
    let (mut graph, left, right, below) = cycle();
    // Another way to `below`, so that it stays when `left` loses its parent.
    graph.link(right, edge(below, Link::Live));
    settle(&mut graph, right);
    // `left` loses all its parents.
    let at = graph.node(ROOT).edges.iter().position(|e| e.child == left);
    graph.node_mut(ROOT).edges.remove(at.expect("linked"));
    graph.node_mut(left).parents.clear();
    graph.edges -= 1;
    let edges = graph.cut_off(left);
    assert!(edges.is_empty(), "its own children lost only one of theirs");
    let changed = graph.adopt_or_free(left);
    assert_eq!(changed, [below]);
    assert_eq!(graph.node(below).edges[0].link, Link::Live);
    settle(&mut graph, below);
    assert_eq!(graph.node(below).numbers, PnDn { pn: 1, dn: 1 });
}

#[test]
fn a_failure_by_repetition_cuts_one_edge_and_may_be_tried_anew() {
    let (mut graph, left, right) = fork();
    graph.fail(ROOT, left);
    settle(&mut graph, ROOT);
    assert_eq!(graph.node(ROOT).numbers, PnDn { pn: 4, dn: 7 });
    set(&mut graph, right, PnDn::DISPROVEN);
    assert!(graph.node(ROOT).tainted);
    assert_eq!(graph.retry(), [ROOT]);
    settle(&mut graph, ROOT);
    assert_eq!(graph.node(ROOT).numbers, PnDn { pn: 3, dn: 5 });
}
