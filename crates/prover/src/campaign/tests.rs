use rules::{Game, line};

use super::*;

const MEMORY: Memory = Memory {
    table_bytes: 64 << 20,
    log_bytes: 64 << 20,
    manager_bytes: 16 << 20,
};

fn claim(text: &str, winner: Color) -> Claim {
    let start = Game::initial(Ruleset::Joint);
    let (game, _) = line::play(start, text).expect("a legal line");
    Claim {
        ruleset: Ruleset::Joint,
        root: *game.position(),
        winner,
    }
}

/// A campaign that splits early, so that its graph grows.
fn campaign(claim: &Claim, memory: Memory, split: u64) -> Campaign {
    let mut campaign = Campaign::new(claim, memory, &[], Endgames::new(None), Arc::default());
    campaign.set_first_split(split);
    campaign
}

fn do_job(campaign: &Campaign, job: &(Assignment, Arc<StopFlag>)) -> Finding {
    let (assignment, moot) = job;
    campaign
        .workplace()
        .work(assignment, &mut Workspace::default(), None, moot, &())
}

/// Runs a campaign with `workers` jobs under way, which end in an order that has nothing to do with when they began. The
/// graph is checked now and then. The most jobs that were moot at once.
fn run(campaign: &mut Campaign, workers: usize, check_every: usize) -> usize {
    let mut running: Vec<((Assignment, Arc<StopFlag>), Finding)> = Vec::new();
    let mut moot = 0;
    for round in 0.. {
        while running.len() < workers
            && let Some(job) = campaign.next(u64::MAX)
        {
            let finding = do_job(campaign, &job);
            running.push((job, finding));
        }
        if running.is_empty() {
            break;
        }
        let (_, finding) = running.swap_remove(round * 7 % running.len());
        campaign.land(&finding);
        if round % check_every == 0 {
            campaign.debug_validate();
        }
        moot = moot.max(
            running
                .iter()
                .filter(|((_, moot), _)| moot.is_raised())
                .count(),
        );
    }
    campaign.debug_validate();
    moot
}

fn assert_proves(campaign: &mut Campaign, claim: &Claim) -> Proof {
    let Answer::Proven(height) = campaign.answer() else {
        panic!("{:?}", campaign.answer());
    };
    let proof = campaign.proof(claim).expect("complete");
    assert!(proof.plies <= height);
    proof
}

/// Each entry of the log is higher than all that a reply to its move leads to.
fn assert_heights_fall(campaign: &Campaign, proof: &Proof, root: &Position) {
    let log = &campaign.workplace.log;
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![(*root, u16::MAX)];
    let mut met = 0;
    while let Some((position, below)) = open.pop() {
        let moves = rules::canonical_moves(&position, Ruleset::Joint);
        if moves.is_empty() {
            continue;
        }
        let mut bound = below;
        let replies = if position.side_to_move() == proof.claim.winner {
            // A forced move needs no entry.
            if let Some(entry) = log.get(position.key()) {
                assert!(entry.height.0 < below, "{} does not fall", entry.height);
                bound = entry.height.0;
                met += 1;
                vec![entry.mv]
            } else {
                assert_eq!(moves.len(), 1, "an entry is missing");
                moves.to_vec()
            }
        } else {
            moves.to_vec()
        };
        for mv in replies {
            let mut next = position;
            rules::for_class!(Ruleset::Joint.class(), G => {
                <G as rules::MoveGen>::play_unchecked(&mut next, mv);
            });
            if seen.insert((next.key(), bound)) {
                open.push((next, bound));
            }
        }
    }
    assert!(met > 10);
}

#[test]
fn a_graph_of_many_small_jobs_proves_what_one_search_does() {
    let claim = claim("e3 Na6", Color::White);
    let mut campaign = campaign(&claim, MEMORY, 500);
    run(&mut campaign, 1, 20);
    let proof = assert_proves(&mut campaign, &claim);
    assert_heights_fall(&campaign, &proof, &claim.root);
}

#[test]
fn jobs_that_end_out_of_order_leave_a_complete_proof_and_moot_ones_are_stopped() {
    let claim = claim("e3 g6", Color::White);
    let mut campaign = campaign(&claim, MEMORY, 500);
    let moot = run(&mut campaign, 16, 50);
    assert!(moot > 0, "no job became moot");
    let proof = assert_proves(&mut campaign, &claim);
    assert_heights_fall(&campaign, &proof, &claim.root);
}

#[test]
fn one_worker_does_the_same_in_every_run() {
    let claim = claim("e3 Na6", Color::White);
    let runs = [(); 2].map(|()| {
        let mut campaign = campaign(&claim, MEMORY, 1_000);
        run(&mut campaign, 1, 1_000);
        let proof = assert_proves(&mut campaign, &claim);
        (campaign.nodes(), proof.records)
    });
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_manager_without_room_still_proves() {
    let claim = claim("e3 Na6", Color::White);
    let narrow = Memory {
        manager_bytes: 30_000,
        ..MEMORY
    };
    let mut campaign = campaign(&claim, narrow, 300);
    run(&mut campaign, 2, 10);
    assert_proves(&mut campaign, &claim);
}

#[test]
fn threads_that_share_a_table_leave_heights_that_fall() {
    let claim = claim("e3 g6", Color::White);
    let shared = std::sync::Mutex::new(campaign(&claim, MEMORY, 500));
    let landed = std::sync::Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut held = shared.lock().expect("no panic");
                while !matches!(held.answer(), Answer::Proven(_)) {
                    let Some(job) = held.next(u64::MAX) else {
                        held = landed.wait(held).expect("no panic");
                        continue;
                    };
                    let workplace = held.workplace();
                    drop(held);
                    let finding =
                        workplace.work(&job.0, &mut Workspace::default(), None, &job.1, &());
                    held = shared.lock().expect("no panic");
                    held.land(&finding);
                    landed.notify_all();
                }
                held.stop_all();
                landed.notify_all();
            });
        }
    });
    let mut campaign = shared.into_inner().expect("no panic");
    let proof = assert_proves(&mut campaign, &claim);
    assert_heights_fall(&campaign, &proof, &claim.root);
}
