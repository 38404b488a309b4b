//! Prints how fast and how small the store is: `cargo run --release -p takeme-store --example store_figures [POSITIONS ...]`.
//!
//! The positions come from random games, their moves are random legal ones, and heights are random up to 120.

#![expect(clippy::print_stdout, reason = "figures are its purpose")]
#![expect(clippy::cast_precision_loss, reason = "figures are for display")]

use std::{collections::HashSet, env, fs, time::Instant};

use proof::{Entry, Plies, Record, Strategy as _};
use rules::{Color, Game, Position, Ruleset, canonical_moves};
use store::{Access, Basis, Store};

const RULESET: Ruleset = Ruleset::Joint;
const WINNER: Color = Color::White;

/// Sebastiano Vigna's SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below a usize")
    }
}

fn positions(count: usize, random: &mut Random) -> (Vec<Position>, Vec<Record>) {
    let start = *Game::initial(RULESET).position();
    let mut met = HashSet::new();
    let (mut positions, mut records) = (Vec::new(), Vec::new());
    let mut position = start;
    let mut ply = 0;
    while positions.len() < count {
        let moves = canonical_moves(&position, RULESET);
        if moves.is_empty() || ply > 120 {
            position = start;
            ply = 0;
            continue;
        }
        let mv = moves[random.below(moves.len())];
        if position.side_to_move() == WINNER && met.insert(position.key()) {
            let height = Plies(1 + u16::try_from(random.below(120)).expect("small"));
            records.push(Record::new(&position, Entry { mv, height }));
            positions.push(position);
        }
        position = position.after(mv, RULESET);
        ply += 1;
    }
    (positions, records)
}

fn rate(count: usize, since: Instant) -> f64 {
    count as f64 / since.elapsed().as_secs_f64()
}

fn measure(count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut random = Random(1);
    let (positions, records) = positions(count, &mut random);
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("figures.db");
    println!("{count} positions");

    let mut store = Store::open(&path, Access::Write)?;
    let since = Instant::now();
    store.put_entries(RULESET, WINNER, Basis::Rules, records.iter().copied())?;
    println!(
        "  bulk load             {:>10.0} /s, sorting included",
        rate(count, since)
    );
    println!("  log after that        {:>10} bytes", store.wal_bytes());

    let since = Instant::now();
    store.vacuum()?;
    println!(
        "  vacuum                {:>10.2} s",
        since.elapsed().as_secs_f64()
    );
    let bytes = fs::metadata(&path)?.len();
    println!(
        "  file after vacuum     {:>10.2} bytes a position",
        bytes as f64 / count as f64
    );

    let sample: Vec<usize> = (0..50_000).map(|_| random.below(count)).collect();
    let since = Instant::now();
    for &i in &sample {
        let entry = store.entry(RULESET, WINNER, Basis::Rules, &positions[i])?;
        assert_eq!(entry, Some(records[i].entry));
    }
    println!(
        "  lookup, no cache      {:>10.2} us",
        1e6 / rate(sample.len(), since)
    );

    let mut strategy = store.strategy(RULESET, WINNER, Basis::Rules);
    let since = Instant::now();
    for &i in &sample {
        assert_eq!(strategy.entry(&positions[i])?, Some(records[i].entry));
    }
    println!(
        "  lookup, page cache    {:>10.2} us",
        1e6 / rate(sample.len(), since)
    );

    let since = Instant::now();
    let loaded = store.load_strategy(RULESET, WINNER, Basis::Rules)?;
    println!("  loading               {:>10.0} /s", rate(count, since));
    let since = Instant::now();
    for &i in &sample {
        assert_eq!(loaded.get(&positions[i]), Some(records[i].entry));
    }
    println!(
        "  lookup, loaded        {:>10.2} us",
        1e6 / rate(sample.len(), since)
    );

    let since = Instant::now();
    let mut seen = 0;
    store.for_each_record(RULESET, WINNER, Basis::Rules, |_| seen += 1)?;
    assert_eq!(seen, count);
    println!("  streaming             {:>10.0} /s", rate(count, since));

    let since = Instant::now();
    let problems = store.check()?;
    assert!(problems.is_empty(), "{problems:?}");
    println!(
        "  check                 {:>10.2} s",
        since.elapsed().as_secs_f64()
    );
    drop(store);
    batches(&records)
}

/// The same records in batches, as a long run stores them.
fn batches(records: &[Record]) -> Result<(), Box<dyn std::error::Error>> {
    for size in [100, 1_000, 10_000] {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("batches.db");
        let mut store = Store::open(&path, Access::Write)?;
        let (first, rest) = records.split_at(records.len() / 2);
        store.put_entries(RULESET, WINNER, Basis::Rules, first.iter().copied())?;
        let rest = &rest[..rest.len().min(size * 200)];
        let since = Instant::now();
        for batch in rest.chunks(size) {
            store.put_entries(RULESET, WINNER, Basis::Rules, batch.iter().copied())?;
        }
        let speed = rate(rest.len(), since);
        let stats = store.stats()?;
        println!(
            "  batches of {size:<10} {speed:>10.0} /s onto {}; {} pages, {} recent, file {} KiB of which free {}",
            first.len(),
            stats.sets[0].pages,
            stats.sets[0].recent,
            stats.file_bytes >> 10,
            stats.free_bytes >> 10,
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let counts: Vec<usize> = env::args()
        .skip(1)
        .map(|arg| arg.parse())
        .collect::<Result<_, _>>()?;
    for &count in if counts.is_empty() {
        &[100_000, 1_000_000][..]
    } else {
        &counts
    } {
        measure(count)?;
    }
    Ok(())
}
