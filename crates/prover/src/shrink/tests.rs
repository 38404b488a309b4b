use rules::{Game, Ruleset, line};

use super::*;
use crate::{Goal, Settings, Task, Verdict, prove};

pub(crate) fn proved(text: &str) -> Proof {
    let start = Game::initial(Ruleset::Joint);
    let (game, _) = line::play(start, text).expect("a legal line");
    let task = Task::new(*game.position(), Ruleset::Joint, Goal::Either);
    let settings = Settings {
        nodes: None,
        time: None,
        memory_bytes: 256 << 20,
    };
    match prove(&task, &settings, &StopFlag::new(), &|_| {}).verdict {
        Verdict::Proved(proof) => *proof,
        other => panic!("{other:?}"),
    }
}

fn shrunk(proof: &Proof, known: &[Record], nodes: Option<u64>) -> Shrunk {
    let limits = ShrinkLimits {
        nodes,
        time: None,
        table_bytes: 8 << 20,
    };
    let endgames = Endgames::new(None);
    shrink(
        proof,
        known,
        endgames,
        &limits,
        &StopFlag::new(),
        &mut |_| {},
    )
}

#[test]
fn a_smaller_proof_has_no_greater_heights() {
    let proof = proved("e3 Na6");
    let shrunk = shrunk(&proof, &[], Some(20_000));
    assert!(shrunk.nodes <= 20_000 && shrunk.ended == Some(Undecided::Nodes));
    let smaller = shrunk.proof.expect("smaller");
    assert!(smaller.positions() < proof.positions());
    assert_eq!(smaller.claim, proof.claim);
    assert!(smaller.plies <= proof.plies);
    for record in &smaller.records {
        let before = proof
            .records
            .binary_search_by_key(&record.key, |record| record.key);
        assert!(
            before.is_err()
                || record.entry.height <= proof.records[before.unwrap_or(0)].entry.height
        );
    }
}

#[test]
fn the_same_comes_out_each_time() {
    let proof = proved("e4");
    let [one, other] = [0, 1].map(|_| shrunk(&proof, &[], None));
    assert_eq!(one.nodes, other.nodes);
    assert_eq!(one.ended, None);
    let records = |shrunk: Shrunk| shrunk.proof.map(|proof| proof.records);
    assert_eq!(records(one), records(other));
}

/// Without a search, what another proof knows is used.
#[test]
fn known_positions_are_used() {
    let proof = proved("d3");
    let smaller = shrunk(&proof, &[], None).proof.expect("smaller");
    let known = shrunk(&proof, &smaller.records, Some(0));
    assert_eq!(known.nodes, 0);
    let again = known.proof.expect("smaller");
    assert!(again.positions() < proof.positions());
}

#[test]
fn a_raised_flag_ends_it_with_what_there_is() {
    let proof = proved("d4");
    let limits = ShrinkLimits {
        nodes: None,
        time: None,
        table_bytes: 8 << 20,
    };
    let stop = StopFlag::new();
    stop.raise();
    let shrunk = shrink(
        &proof,
        &[],
        Endgames::new(None),
        &limits,
        &stop,
        &mut |_| {},
    );
    assert_eq!((shrunk.nodes, shrunk.ended), (0, Some(Undecided::Stopped)));
}
