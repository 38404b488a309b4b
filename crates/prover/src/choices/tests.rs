use std::sync::Arc;

use super::*;
use crate::{campaign::Workplace, shrink::tests::proved};

fn workplace(proof: &Proof) -> Workplace {
    let workplace = Workplace::new(&proof.claim, 0, Endgames::new(None), Arc::default());
    workplace.learn(&proof.records);
    workplace
}

fn choices<'a>(proof: &Proof, workplace: &'a Workplace) -> Choices<'a> {
    let proven = Proven {
        ruleset: proof.claim.ruleset,
        winner: proof.claim.winner,
        log: workplace.log(),
        endgames: workplace.endgames(),
    };
    Choices::new(proof, proven).expect("the log holds the proof")
}

impl Choices<'_> {
    /// The nodes that lines from the roots reach without passing `barred`.
    fn reached_without(&self, barred: Option<usize>) -> usize {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = self.roots.clone();
        while let Some(node) = stack.pop() {
            let node = node as usize;
            if Some(node) != barred && !std::mem::replace(&mut seen[node], true) {
                let node = &self.nodes[node];
                stack.extend_from_slice(&node.options[node.chosen].replies);
            }
        }
        seen.into_iter().filter(|&seen| seen).count()
    }
}

#[test]
fn weights_are_what_no_line_reaches_otherwise() {
    let proof = proved("d4");
    let workplace = workplace(&proof);
    let choices = choices(&proof, &workplace);
    let all = choices.reached_without(None);
    assert_eq!(all, choices.live());
    let weights = choices.weights();
    assert_eq!(weights.len(), all);
    for (node, weight) in weights {
        assert_eq!(weight, all - choices.reached_without(Some(node)), "{node}");
    }
}

#[test]
fn what_is_counted_as_live_is_what_the_lines_reach() {
    let proof = proved("e3 g6");
    let workplace = workplace(&proof);
    let mut choices = choices(&proof, &workplace);
    assert_eq!(choices.live() as u64, proof.positions());
    choices.sweep();
    assert!((choices.live() as u64) < proof.positions());
    assert_eq!(choices.live(), choices.reached_without(None));
    // Each reply is lower by two than its node.
    for node in &choices.nodes {
        for option in &node.options {
            let heights = option
                .replies
                .iter()
                .map(|&at| choices.nodes[at as usize].height);
            assert!(
                heights
                    .into_iter()
                    .all(|height| height.0 + 2 <= node.height.0)
            );
        }
    }
}
