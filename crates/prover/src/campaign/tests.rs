use rules::{Game, Move, line};

use crate::{CampaignView, MoveStatus, MoveView, Written, manager::MISFIT};

use super::*;

pub(crate) const MEMORY: Memory = Memory {
    search_bytes: 128 << 20,
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
fn new_campaign(claim: &Claim, memory: Memory, split: u64) -> Campaign {
    let mut campaign = Campaign::new(claim, memory, Endgames::new(None), Arc::default());
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
    let proof = campaign
        .proof(claim, &Limits::nodes(u64::MAX), &StopFlag::new())
        .expect("complete");
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
    let mut campaign = new_campaign(&claim, MEMORY, 500);
    run(&mut campaign, 1, 20);
    let proof = assert_proves(&mut campaign, &claim);
    assert_heights_fall(&campaign, &proof, &claim.root);
}

#[test]
fn jobs_that_end_out_of_order_leave_a_complete_proof_and_moot_ones_are_stopped() {
    let claim = claim("e3 g6", Color::White);
    let mut campaign = new_campaign(&claim, MEMORY, 500);
    let moot = run(&mut campaign, 16, 50);
    assert!(moot > 0, "no job became moot");
    let proof = assert_proves(&mut campaign, &claim);
    assert_heights_fall(&campaign, &proof, &claim.root);
}

#[test]
fn one_worker_does_the_same_in_every_run() {
    let claim = claim("e3 Na6", Color::White);
    let runs = [(); 2].map(|()| {
        let mut campaign = new_campaign(&claim, MEMORY, 1_000);
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
    let mut campaign = new_campaign(&claim, narrow, 300);
    run(&mut campaign, 2, 10);
    assert_proves(&mut campaign, &claim);
}

#[test]
fn the_table_gives_way_to_the_log() {
    let claim = claim("e3 g6", Color::White);
    let narrow = Memory {
        search_bytes: 14 << 20,
        ..MEMORY
    };
    let mut campaign = new_campaign(&claim, narrow, 500);
    let before = campaign.workplace.table.bytes();
    let filling = (0..200_000u64).map(|key| Record {
        key: key.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        check: 0,
        entry: Entry {
            mv: Move::from_bits(1 << 9).expect("a move"),
            height: Plies(9),
        },
    });
    filling.for_each(|record| campaign.workplace.log.insert(record));
    assert!(campaign.is_crowded() && !campaign.is_full());
    assert!(campaign.next(u64::MAX).is_some());
    assert!(campaign.workplace.table.bytes() < before);
    assert!(!campaign.is_crowded());
}

#[test]
fn threads_that_share_a_table_leave_heights_that_fall() {
    let claim = claim("e3 g6", Color::White);
    let shared = std::sync::Mutex::new(new_campaign(&claim, MEMORY, 500));
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

/// What a database would keep.
#[derive(Debug, Default)]
pub(crate) struct Kept(std::sync::Mutex<Vec<(Part, Vec<u8>)>>);

impl Kept {
    pub(crate) fn save(&self, checkpoint: Checkpoint) {
        let mut parts = self.0.lock().expect("no panic");
        let fresh = checkpoint.is_fresh();
        parts.retain(|(part, _)| part.adds() && !fresh);
        let written: Result<Written, ()> = checkpoint.write(&mut |part, bytes: &[u8]| {
            parts.push((part, bytes.to_vec()));
            Ok(())
        });
        written.expect("written").keep();
    }

    /// Fails to save, after all was written or at the first proven position.
    fn fail(checkpoint: Checkpoint, at_the_end: bool) {
        let written = checkpoint.write(&mut |part, _: &[u8]| {
            if part.adds() && !at_the_end {
                return Err(());
            }
            Ok(())
        });
        assert_eq!(written.is_ok(), at_the_end);
    }

    /// Loses all parts of a kind, or those before the last.
    fn lose(&self, kind: Part, all: bool) {
        let mut parts = self.0.lock().expect("no panic");
        let last = parts.iter().rposition(|(part, _)| *part == kind);
        let mut at = 0;
        parts.retain(|(part, _)| {
            at += 1;
            *part != kind || (!all && Some(at - 1) == last)
        });
    }

    /// Changes a byte in the middle of the last part of a kind.
    fn damage(&self, kind: Part) {
        let mut parts = self.0.lock().expect("no panic");
        let of_kind = parts.iter_mut().rev().find(|(part, _)| *part == kind);
        let (_, bytes) = of_kind.expect("there is one");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
    }
}

impl Archive for Kept {
    fn read(
        &self,
        _: Color,
        wanted: Part,
        sink: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), String> {
        for (part, bytes) in &*self.0.lock().expect("no panic") {
            if *part == wanted && !sink(bytes) {
                break;
            }
        }
        Ok(())
    }
}

/// A campaign that goes on from what was kept.
fn resumed(claim: &Claim, kept: &Kept) -> (Campaign, Option<Resumed>) {
    let mut campaign = new_campaign(claim, MEMORY, 500);
    let resumed = campaign.resume(kept);
    (campaign, resumed)
}

/// Works until so many expansions were made in all, with two jobs under way.
fn work_until(campaign: &mut Campaign, nodes: u64) {
    let mut waiting: Option<Finding> = None;
    while campaign.nodes() < nodes {
        let ended = match campaign.next(u64::MAX) {
            Some(job) => waiting.replace(do_job(campaign, &job)),
            None => Some(waiting.take().expect("nothing is left to do")),
        };
        if let Some(ended) = ended {
            campaign.land(&ended);
        }
    }
}

#[test]
fn a_campaign_that_is_killed_again_and_again_goes_on_and_proves() {
    let claim = claim("e3 g6", Color::White);
    let kept = Kept::default();
    let (mut campaign, from) = resumed(&claim, &kept);
    assert_eq!(from, None);
    for round in 1..=4 {
        // A job is under way when the checkpoint is made, and others are lost after it.
        work_until(&mut campaign, round * 10_000);
        let nodes = campaign.nodes();
        kept.save(campaign.checkpoint(Duration::from_secs(round), None));
        work_until(&mut campaign, round * 10_000 + 2_000);
        let from;
        (campaign, from) = resumed(&claim, &kept);
        campaign.debug_validate();
        let from = from.expect("a checkpoint");
        assert_eq!((from.nodes, from.trouble), (nodes, None));
        assert_eq!(from.elapsed, Duration::from_secs(round));
        assert_eq!(campaign.nodes(), nodes);
        assert!(from.positions > 0);
    }
    run(&mut campaign, 2, 100);
    let proof = assert_proves(&mut campaign, &claim);
    assert_heights_fall(&campaign, &proof, &claim.root);
    assert!(campaign.nodes() < 200_000);
}

#[test]
fn what_could_not_be_saved_is_in_the_next_checkpoint() {
    let claim = claim("e3 Na6", Color::White);
    let kept = Kept::default();
    let (mut campaign, _) = resumed(&claim, &kept);
    for (round, at_the_end) in [(1, false), (2, true), (3, false), (4, true)] {
        work_until(&mut campaign, round * 4_000);
        Kept::fail(campaign.checkpoint(Duration::ZERO, None), at_the_end);
        assert!(campaign.owed.bytes() > 0);
        if round == 3 {
            let fresh = campaign.checkpoint(Duration::ZERO, None).is_fresh();
            assert!(!fresh, "something was kept after the second round");
        }
        if round % 2 == 0 {
            kept.save(campaign.checkpoint(Duration::ZERO, None));
            assert_eq!(campaign.owed.bytes(), 0);
            let proven = campaign.proven() as u64;
            let from = resumed(&claim, &kept).1.expect("a checkpoint");
            assert_eq!((from.positions, from.trouble), (proven, None));
        }
    }
}

#[test]
fn damaged_parts_are_told_and_the_others_used_as_far_as_they_are_sound() {
    let claim = claim("e3 Na6", Color::White);
    for (part, told, some) in [
        (Part::Head, "its head is damaged", false),
        (Part::Log, "its log of proven positions is damaged", true),
        (Part::Manager, "its graph is damaged", true),
        (Part::Table, "its table is damaged", true),
    ] {
        let kept = Kept::default();
        let (mut campaign, _) = resumed(&claim, &kept);
        for nodes in [10_000, 20_000] {
            work_until(&mut campaign, nodes);
            kept.save(campaign.checkpoint(Duration::ZERO, None));
        }
        kept.damage(part);
        let (mut campaign, from) = resumed(&claim, &kept);
        let from = from.expect("a checkpoint");
        let trouble = from.trouble.expect("trouble");
        assert!(trouble.starts_with(told), "{trouble}");
        assert_eq!(from.keep_until, None);
        assert_eq!(from.positions > 0, some, "{part:?}");
        run(&mut campaign, 1, 100);
        let proof = assert_proves(&mut campaign, &claim);
        assert_heights_fall(&campaign, &proof, &claim.root);

        // What is saved now does not lean on what was damaged.
        let (mut campaign, _) = resumed(&claim, &kept);
        work_until(&mut campaign, 25_000);
        kept.save(campaign.checkpoint(Duration::ZERO, None));
        let (_, from) = resumed(&claim, &kept);
        assert_eq!(from.expect("a checkpoint").trouble, None, "{part:?}");
    }
}

#[test]
fn missing_parts_are_told_and_nothing_leans_on_them() {
    let claim = claim("e3 Na6", Color::White);
    for (part, all, told) in [
        (
            Part::Log,
            true,
            "parts of its log of proven positions are missing",
        ),
        (
            Part::Log,
            false,
            "parts of its log of proven positions are missing",
        ),
        (Part::Table, true, "parts of its table are missing"),
    ] {
        let kept = Kept::default();
        let (mut campaign, _) = resumed(&claim, &kept);
        for nodes in [10_000, 20_000] {
            work_until(&mut campaign, nodes);
            kept.save(campaign.checkpoint(Duration::ZERO, None));
        }
        let check = |side| CampaignView::check(&kept, &claim.root, claim.ruleset, side);
        assert_eq!(check(Color::White), Ok(()));
        // White's search has other positions with the attacker to move.
        assert_eq!(check(Color::Black), Err(MISFIT.to_owned()));
        kept.lose(part, all);
        assert_eq!(check(Color::White), Err(told.to_owned()));
        let (mut campaign, from) = resumed(&claim, &kept);
        let from = from.expect("a checkpoint");
        assert_eq!(from.trouble.as_deref(), Some(told));
        assert_eq!(from.positions == 0, part == Part::Log);
        run(&mut campaign, 1, 100);
        let proof = assert_proves(&mut campaign, &claim);
        assert_heights_fall(&campaign, &proof, &claim.root);
    }
}

#[test]
fn what_another_evaluator_has_found_is_not_mixed_with_ours() {
    let claim = claim("e3 Na6", Color::White);
    let kept = Kept::default();
    let (mut campaign, _) = resumed(&claim, &kept);
    work_until(&mut campaign, 20_000);
    let mut checkpoint = campaign.checkpoint(Duration::ZERO, None);
    checkpoint.head.engine = "0.0.1".to_owned();
    kept.save(checkpoint);
    let (mut campaign, from) = resumed(&claim, &kept);
    let from = from.expect("a checkpoint");
    let trouble = from.trouble.expect("trouble");
    assert!(trouble.starts_with("another version"), "{trouble}");
    assert!(from.positions > 0);
    // That version could go on from it, so ours must do as much first.
    assert_eq!(from.keep_until, Some(2 * from.nodes));
    run(&mut campaign, 1, 100);
    assert_proves(&mut campaign, &claim);

    let mut checkpoint = resumed(&claim, &kept).0.checkpoint(Duration::ZERO, None);
    checkpoint.head.tables = "others".to_owned();
    kept.save(checkpoint);
    let (campaign, from) = resumed(&claim, &kept);
    let from = from.expect("a checkpoint");
    assert!(
        from.trouble
            .expect("trouble")
            .starts_with("other endgame tables")
    );
    assert!(from.keep_until.is_some_and(|nodes| nodes >= 20_000));
    assert_eq!(campaign.proven(), 0);
}

#[test]
fn a_view_shows_how_the_moves_of_the_root_stand_and_where_the_work_went() {
    let claim = claim("e3 g6", Color::White);
    let kept = Kept::default();
    assert!(matches!(CampaignView::read(&kept, Color::White), Ok(None)));
    let (mut campaign, _) = resumed(&claim, &kept);
    work_until(&mut campaign, 15_000);
    let numbers = campaign.answer();
    kept.save(campaign.checkpoint(Duration::from_secs(3), None));
    let view = CampaignView::read(&kept, Color::White)
        .expect("sound")
        .expect("kept");
    assert_eq!(view.nodes(), campaign.nodes());
    assert_eq!(view.elapsed(), Duration::from_secs(3));
    let root = view.root();
    assert_eq!(Answer::Open(root.numbers()), numbers);
    assert!(root.attacker_to_move());
    let moves: Vec<MoveView> = root.moves().collect();
    assert_eq!(
        moves.len(),
        rules::canonical_moves(&claim.root, Ruleset::Joint).len()
    );
    assert!(moves.iter().any(|mv| mv.status == MoveStatus::Open));
    let heaviest = root.heaviest();
    let most = moves.iter().filter(|mv| mv.status == MoveStatus::Open);
    assert_eq!(
        heaviest[0].work,
        most.map(|mv| mv.work).max().expect("some")
    );
    assert!(heaviest.is_sorted_by(|a, b| a.work >= b.work) && heaviest.len() > 2);
    assert!(view.at(&claim.root).is_some() && view.size() > 100);
    kept.damage(Part::Manager);
    let error = CampaignView::read(&kept, Color::White).expect_err("damaged");
    assert!(error.starts_with("its graph is damaged"), "{error}");
}
