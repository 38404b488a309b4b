//! How much several workers would gain, by discrete-event simulation.
//!
//! `cargo run --release -p takeme-prover --example simulate -- WHITE|BLACK WORKERS SPLIT MOST LINE...`: proves each line for the side with
//! so many simulated workers, splits leaves of the manager at so many expansions (0: as the program does), and gives up after `MOST`.
//!
//! The searches are real, and run one after another; each is taken to last as long as it has expansions. The manager hands
//! them out and takes them back in the order of simulated time, just as with threads. Not in the model: memory bandwidth,
//! locks, and that two searches read each other's entries while they run.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a program that prints figures"
)]

use std::{env, sync::Arc, time::Instant};

use proof::Claim;
use prover::{Assignment, Campaign, Endgames, Finding, Memory};
use rules::{Color, Game, Ruleset, line};
use search::{Answer, Limits, StopFlag, Workspace};

const MEMORY: Memory = Memory {
    search_bytes: 2 << 30,
    manager_bytes: 256 << 20,
};

/// A search that has been run, and takes until `end`.
struct Running {
    start: u64,
    end: u64,
    finding: Finding,
    moot: Arc<StopFlag>,
}

/// What a run with so many workers took, in expansions.
#[derive(Default)]
struct Cost {
    nodes: u64,
    makespan: u64,
    jobs: u64,
    proved: bool,
}

fn simulate(claim: &Claim, workers: usize, split: u64, most: u64) -> Cost {
    let mut campaign = Campaign::new(claim, MEMORY, Endgames::new(None), Arc::default());
    if split > 0 {
        campaign.set_first_split(split);
    }
    let mut running: Vec<Running> = Vec::new();
    let mut now = 0;
    let mut jobs = 0;
    while matches!(campaign.answer(), Answer::Open(_)) && campaign.nodes() < most {
        while running.len() < workers
            && let Some((assignment, moot)) = campaign.next(u64::MAX)
        {
            running.push(run(&campaign, &assignment, moot, now));
            jobs += 1;
        }
        let first = (0..running.len()).min_by_key(|&at| (running[at].end, at));
        let Some(first) = first else {
            break;
        };
        let mut ended = running.remove(first);
        now = ended.end;
        ended.finding.report.nodes = ended.end - ended.start;
        campaign.land(&ended.finding);
        for other in &mut running {
            if other.moot.is_raised() {
                other.end = other.end.min(now);
            }
        }
    }
    let proved = matches!(campaign.answer(), Answer::Proven(_));
    if proved {
        campaign
            .proof(claim, &Limits::nodes(u64::MAX), &StopFlag::new())
            .expect("a proof");
    }
    Cost {
        nodes: campaign.nodes(),
        makespan: now,
        jobs,
        proved,
    }
}

fn run(campaign: &Campaign, assignment: &Assignment, moot: Arc<StopFlag>, now: u64) -> Running {
    let finding =
        campaign
            .workplace()
            .work(assignment, &mut Workspace::default(), None, &moot, &());
    Running {
        start: now,
        end: now + finding.report.nodes,
        finding,
        moot,
    }
}

fn main() {
    let mut args = env::args().skip(1);
    let mut next = || args.next().expect("WHITE|BLACK WORKERS SPLIT MOST LINE...");
    let winner = match next().as_str() {
        "white" => Color::White,
        _ => Color::Black,
    };
    let mut number = || next().parse::<u64>().expect("a number");
    let (workers, split, most) = (number(), number(), number());
    let workers = usize::try_from(workers).expect("few workers");
    let (mut sum, mut span) = (0, 0);
    for text in args {
        let start = Game::initial(Ruleset::Joint);
        let (game, _) = line::play(start, &text).expect("a legal line");
        let claim = Claim {
            ruleset: Ruleset::Joint,
            root: *game.position(),
            winner,
        };
        let began = Instant::now();
        let cost = simulate(&claim, workers, split, most);
        println!(
            "{text}: {} expansions, makespan {}, utilisation {:.3}, {} jobs, {}, {:.1} s",
            cost.nodes,
            cost.makespan,
            cost.nodes as f64 / (cost.makespan * workers as u64) as f64,
            cost.jobs,
            if cost.proved { "proved" } else { "open" },
            began.elapsed().as_secs_f64()
        );
        sum += cost.nodes;
        span += cost.makespan;
    }
    println!("in all: {sum} expansions, makespan {span}");
}
