//! Makes a valid proof of many million positions and puts it into a database: `scale DB WAITS PERMILLE`.
//!
//! The proof is one under `extinction`. Black's only pawn, on e5, is blocked and attacked by both knights: White wins by taking it whenever he
//! likes, and Black cannot hinder him in one move. So White waits. Each of his first WAITS moves is a step of his a pawn or, after that, of his
//! b pawn, as long as no reply would hurt, while Black's men go wherever they like; after the last step, and at once when anything is
//! unusual, he takes. In positions before the last step he waits in PERMILLE of a thousand only, by their keys: that sets the size.
//! Each step is one that cannot be taken back, so no line repeats.

#![expect(clippy::print_stdout, reason = "figures are its purpose")]
#![expect(clippy::cast_precision_loss, reason = "figures are for display")]

use std::{collections::HashSet, env, time::Instant};

use proof::{Claim, Entry, Plies, Proof, Record};
use rules::{Color, Move, Position, Role, Ruleset, Square, canonical_moves, fen};
use store::{Access, Provenance, Store};

const RULESET: Ruleset = Ruleset::Extinction;
const ROOT: &str = "3rqbkn/8/8/4p3/2N1P1N1/8/PP2BBRQ/5QRK w - -";

struct Waiting {
    waits: u16,
    permille: u64,
}

impl Waiting {
    /// The steps that the pawns on the a and b files have taken; `None` if they are not there.
    fn steps(position: &Position) -> Option<u16> {
        let pawns = position.men_of(Color::White, Role::Pawn);
        let steps = |file: u8| {
            let ranks = (1..7).filter(|rank| pawns.contains(Square::new(rank * 8 + file)));
            let ranks: Vec<u8> = ranks.collect();
            match ranks[..] {
                [rank] => Some(u16::from(rank) - 1),
                _ => None,
            }
        };
        Some(steps(0)? + steps(1)?)
    }

    /// The move that takes Black's last pawn.
    fn taking(position: &Position) -> Option<Move> {
        let moves = canonical_moves(position, RULESET);
        moves.into_iter().find(|&mv| {
            let takes = mv.to().to_string() == "e5" && position.is_capture(mv);
            takes && RULESET.outcome(&position.after(mv, RULESET)).winner() == Some(Color::White)
        })
    }

    /// A step of a pawn, if White may wait.
    fn step(&self, position: &Position) -> Option<Entry> {
        let done = Self::steps(position)?;
        let left = self.waits.checked_sub(done).filter(|&left| left > 0)?;
        if left == 1 && position.key() % 1000 >= self.permille {
            return None;
        }
        let file = if done < 5 { "a" } else { "b" };
        let rank = 2 + if done < 5 { done } else { done - 5 };
        let mv = Move::parse_uci(&format!("{file}{rank}{file}{}", rank + 1)).ok()?;
        if !canonical_moves(position, RULESET).contains(&mv) {
            return None;
        }
        let after = position.after(mv, RULESET);
        let harmless = |&reply: &Move| {
            let next = after.after(reply, RULESET);
            // If it takes nothing and leaves the pawn where it is, nothing has changed.
            !(after.is_capture(reply) || reply.from().to_string() == "e5")
                || RULESET.outcome(&next).winner() == Some(Color::White)
                || Self::taking(&next).is_some()
        };
        let replies = canonical_moves(&after, RULESET);
        (!replies.is_empty() && replies.iter().all(harmless)).then_some(Entry {
            mv,
            height: Plies(2 * left + 1),
        })
    }
}

/// The proof, found level by level.
fn proof(waiting: &Waiting) -> Proof {
    let root = *fen::parse(ROOT, RULESET)
        .expect("a position")
        .game
        .position();
    let mut met = HashSet::from([root.key()]);
    let mut records = Vec::new();
    let mut level = vec![root];
    while !level.is_empty() {
        let mut next = Vec::new();
        for position in level {
            let Some(entry) = waiting.step(&position) else {
                let mv = Waiting::taking(&position).expect("nothing has hindered it");
                let height = Plies(1);
                records.push(Record::new(&position, Entry { mv, height }));
                continue;
            };
            records.push(Record::new(&position, entry));
            let after = position.after(entry.mv, RULESET);
            for reply in canonical_moves(&after, RULESET) {
                let reached = after.after(reply, RULESET);
                let goes_on =
                    !after.is_capture(reply) || RULESET.outcome(&reached).winner().is_none();
                if goes_on && met.insert(reached.key()) {
                    next.push(reached);
                }
            }
        }
        println!("{} positions, {} to come", records.len(), next.len());
        level = next;
    }
    drop(met);
    records.sort_unstable_by_key(|record| record.key);
    Proof {
        claim: Claim {
            ruleset: RULESET,
            root,
            winner: Color::White,
        },
        records,
        exact: Vec::new(),
        plies: Plies(2 * waiting.waits + 1),
        tables: Vec::new(),
    }
}

fn main() {
    let usage = "usage: scale DB WAITS PERMILLE";
    let mut args = env::args().skip(1);
    let path = args.next().expect(usage);
    let mut number = || {
        args.next()
            .and_then(|arg| arg.parse::<u16>().ok())
            .expect(usage)
    };
    let waiting = Waiting {
        waits: number(),
        permille: u64::from(number()),
    };
    let start = Instant::now();
    let proof = proof(&waiting);
    let count = proof.records.len();
    println!(
        "made: {count} positions, {:.1} s",
        start.elapsed().as_secs_f64()
    );

    let mut store = Store::open(&path, Access::Write).expect("opened");
    let start = Instant::now();
    store
        .put_proof(&proof, &Provenance::default())
        .expect("stored");
    store.checkpoint().expect("on the disk");
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "stored: {:.0} positions/s, {seconds:.1} s",
        count as f64 / seconds
    );

    ask(&store, &proof, 100_000);
    println!("fen: {}", fen::write_position(&proof.claim.root));
    println!("peak: {} MB", peak_mb());
}

/// Asks for positions of random lines, each looked up in the file.
fn ask(store: &Store, proof: &Proof, most: usize) {
    let Claim { root, winner, .. } = proof.claim;
    let mut random = 1u64;
    let mut times = Vec::new();
    while times.len() < most {
        let mut position = root;
        while RULESET.outcome(&position).winner().is_none() {
            if position.side_to_move() == winner {
                let start = Instant::now();
                let entry = store.entry(RULESET, winner, store::Basis::Rules, &position);
                times.push(start.elapsed().as_secs_f64() * 1e6);
                let entry = entry.expect("readable").expect("stored");
                position = position.after(entry.mv, RULESET);
            } else {
                let replies = canonical_moves(&position, RULESET);
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let reply = usize::try_from(random >> 33).expect("31 bits") % replies.len();
                position = position.after(replies[reply], RULESET);
            }
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "asked: {} positions of random lines, {:.1} µs each, 999 of 1000 within {:.1} µs",
        times.len(),
        times.iter().sum::<f64>() / times.len() as f64,
        times[times.len() * 999 / 1000],
    );
}

/// The most memory that this process has had, as Linux tells.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
