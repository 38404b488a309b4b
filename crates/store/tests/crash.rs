//! A writer that is killed at any moment leaves a sound database.

mod common;

use std::{
    io::{BufRead, BufReader},
    thread,
    time::Duration,
};

use common::{database_of_child, leaning, mix, place, prove, provenance, record, spawn, tables};
use proof::extract;
use rules::{Color, Ruleset};
use store::{Access, Basis, Store};

/// How many positions Black's set has.
fn positions(store: &Store) -> u64 {
    let stats = store.stats().expect("counted");
    let mut sets = stats.sets.iter();
    let black = sets.find(|set| set.winner == Color::Black);
    black.map_or(0, |set| set.positions)
}

/// Writes until it is killed: small batches, large ones, proofs.
#[test]
#[ignore = "run by other tests as a process of its own"]
#[expect(clippy::print_stdout, reason = "the parent reads what was committed")]
fn child_writes_forever() {
    let Some(path) = database_of_child() else {
        return;
    };
    let mut store = Store::open(path, Access::Write).expect("opens");
    for round in positions(&store).. {
        let size = [50, 3_000, 20_000][usize::try_from(mix(round) % 3).expect("small")];
        let first = positions(&store);
        let records = (first..first + size).map(|i| record(i, 1));
        store
            .put_entries(Ruleset::Joint, Color::Black, Basis::Rules, records)
            .expect("stored");
        println!("\nstored {}", first + size);
        let proof = prove(
            common::WON[usize::try_from(round % 4).expect("small")],
            Ruleset::Joint,
        );
        store.put_proof(&proof, &provenance()).expect("stored");
        if round % 3 == 0 {
            let proof = leaning(Ruleset::Joint);
            store.put_proof(&proof, &provenance()).expect("stored");
        }
        println!("\nclaimed {}", store.claims().expect("readable").len());
    }
}

#[test]
fn killing_the_writer_loses_nothing_that_was_committed() {
    let (_dir, path) = place();
    for round in 0..8u64 {
        let mut child = spawn("child_writes_forever", &path);
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut lines = lines.map_while(Result::ok);
        let (mut stored, mut claimed) = (0, 0);
        let mut take = |line: &str| {
            if let Some(count) = line.strip_prefix("stored ") {
                stored = count.parse().expect("a count");
            } else if let Some(count) = line.strip_prefix("claimed ") {
                claimed = count.parse().expect("a count");
            }
        };
        for _ in 0..4 {
            let line = lines.by_ref().find(|line| line.contains("ed "));
            take(&line.expect("the child writes"));
        }
        // Somewhere within the next batch.
        thread::sleep(Duration::from_micros(mix(round) % 30_000));
        child.kill().expect("killed");
        child.wait().expect("ended");
        lines.for_each(|line| take(&line));

        let store = Store::open(&path, Access::Write).expect("opens after a crash");
        assert_eq!(store.check().expect("readable"), []);
        let mut found = 0;
        store
            .for_each_record(Ruleset::Joint, Color::Black, Basis::Rules, |_| found += 1)
            .expect("readable");
        assert!(
            found >= stored,
            "{found} positions, {stored} were committed"
        );
        let claims = store.claims().expect("readable");
        assert!(claims.len() >= claimed);
        for claim in claims {
            let mut strategy = store.strategy(claim.ruleset, claim.winner, claim.basis);
            let tables = (claim.basis == Basis::Tables).then(tables);
            extract(&claim.claim(), &mut strategy, &tables.as_ref())
                .expect("each claim has its proof");
        }
    }
}
