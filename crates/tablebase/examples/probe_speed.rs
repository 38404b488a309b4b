//! How many probes a second one thread makes.
//!
//! ```sh
//! cargo run --release -p takeme-tablebase --example probe_speed -- DIRECTORY RULESET MEN [CACHE_MIB [TABLES]]
//! ```
//!
//! Probes a million random positions of so many men twice, of all tables or of the first so many, and prints the
//! speed of both rounds: the second finds its blocks in the cache, if that is large enough.

use std::{env, error::Error, time::Instant};

use rules::{Color, Position, PositionBuilder, Role, Ruleset, Square};
use tablebase::{Material, Tables, Trust, Value};

const POSITIONS: usize = 1_000_000;

/// xorshift64* (Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap_or(0) % end
    }
}

/// A placement of the material's men, either side's colours and either side to move.
fn position(random: &mut Random, material: &Material) -> Option<Position> {
    let mut builder = PositionBuilder::new(Color::ALL[random.below(2)]);
    let mut first = Color::ALL[random.below(2)];
    let mut taken = Vec::new();
    for letter in material.to_string().chars() {
        let Some(role) = Role::from_letter(letter).filter(|_| letter != 'v') else {
            first = !first;
            continue;
        };
        let mut square = random.below(64);
        while taken.contains(&square) || role == Role::Pawn && !(8..56).contains(&square) {
            square = random.below(64);
        }
        taken.push(square);
        builder.put(Square::new(u8::try_from(square).ok()?), first, role);
    }
    Some(builder.build())
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [directory, ruleset, men, rest @ ..] = &args[..] else {
        return Err("arguments: DIRECTORY RULESET MEN [CACHE_MIB [TABLES]]".into());
    };
    let ruleset: Ruleset = ruleset.parse()?;
    let men: usize = men.parse()?;
    let megabytes: u64 = rest.first().map_or(Ok(1024), |text| text.parse())?;
    let most: usize = rest.get(1).map_or(Ok(usize::MAX), |text| text.parse())?;
    let tables = Tables::open(directory.as_ref(), ruleset, Trust::Listed, megabytes << 20)?;
    let materials: Vec<Material> = tables
        .usable()
        .filter(|material| material.men() == men)
        .take(most)
        .collect();
    if materials.is_empty() {
        return Err(format!(
            "there are no tables of {men} men in {}",
            tables.folder().display()
        )
        .into());
    }
    let mut random = Random(1);
    let positions: Vec<Position> = (0..POSITIONS)
        .filter_map(|_| {
            let material = &materials[random.below(materials.len())];
            position(&mut random, material)
        })
        .collect();
    for round in ["first", "second"] {
        let start = Instant::now();
        let mut plies = 0;
        for position in &positions {
            plies += tables
                .probe(position)?
                .and_then(Value::dtw)
                .map_or(0, u64::from);
        }
        let seconds = start.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "for display")]
        let speed = positions.len() as f64 / seconds;
        // The sum of lengths is the same in every run.
        #[expect(clippy::print_stdout, reason = "a program's result")]
        {
            println!(
                "{round} round: {speed:.0} probes/s, {} tables, {plies} plies in all",
                materials.len()
            );
        }
    }
    Ok(())
}
