use std::time::Duration;

use proof::Plies;
use rules::{Color, Game, Ruleset, line};

use crate::{Archive, Goal, Part, Undecided, Verdict};

use super::*;

fn task(text: &str, goal: Goal) -> Task {
    let start = Game::initial(Ruleset::Joint);
    let (game, _) = line::play(start, text).expect("a legal line");
    Task::new(*game.position(), Ruleset::Joint, goal)
}

const SETTINGS: Settings = Settings {
    nodes: Some(5_000_000),
    time: None,
    memory_bytes: 512 << 20,
};

fn run(tasks: &[Task], threads: usize, settings: &Settings) -> Vec<Outcome> {
    let mut outcomes: Vec<Option<Outcome>> = tasks.iter().map(|_| None).collect();
    prove_all(tasks, threads, settings, &StopFlag::new(), |event| {
        if let Event::Done { task, outcome } = event {
            assert!(outcomes[task].replace(*outcome).is_none(), "told twice");
        }
    });
    let all = outcomes.into_iter().map(|outcome| outcome.expect("told"));
    all.collect()
}

/// `extract` walks the whole strategy and finds loops; the heights must fall, too, for others to merge with it.
fn assert_proved(outcome: &Outcome, winner: Color) {
    let Verdict::Proved(proof) = &outcome.verdict else {
        panic!("{:?}", outcome.verdict);
    };
    assert_eq!(proof.claim.winner, winner);
    assert!(proof.plies > Plies::ZERO);
}

#[test]
fn several_threads_share_one_line_and_its_proof_is_complete() {
    let tasks = [task("e3 g6", Goal::Side(Color::White))];
    let outcomes = run(&tasks, 4, &SETTINGS);
    assert_proved(&outcomes[0], Color::White);
}

#[test]
fn with_one_thread_each_line_is_answered_as_if_it_were_alone() {
    let lines = [("e3 d5", Color::White), ("e4", Color::Black)];
    let tasks = lines.map(|(text, _)| task(text, Goal::Either));
    let outcomes = run(&tasks, 1, &SETTINGS);
    for ((outcome, (_, winner)), task) in outcomes.iter().zip(lines).zip(&tasks) {
        assert_proved(outcome, winner);
        let expected = crate::prove(task, &SETTINGS, &StopFlag::new(), &|_| {});
        assert_eq!(outcome.effort.nodes, expected.effort.nodes);
    }
}

#[test]
fn threads_beyond_the_lines_end_with_them() {
    let lines = ["e3 d5", "e3 d6", "e3 Na6"];
    let tasks = lines.map(|text| task(text, Goal::Side(Color::White)));
    for outcome in run(&tasks, 8, &SETTINGS) {
        assert_proved(&outcome, Color::White);
    }
    assert!(run(&[], 2, &SETTINGS).is_empty());
}

#[test]
fn a_limit_on_expansions_is_kept_by_several_threads() {
    let tasks = [task("e3 c6", Goal::Either)];
    let few = Settings {
        nodes: Some(100_000),
        ..SETTINGS
    };
    let outcomes = run(&tasks, 4, &few);
    assert!(matches!(
        outcomes[0].verdict,
        Verdict::Undecided(Undecided::Nodes)
    ));
    assert!(outcomes[0].effort.nodes <= 100_000);
}

#[test]
fn the_last_lines_have_the_memory_of_those_that_have_ended() {
    assert_eq!(
        [5, 2, 1, 0].map(|left| line_bytes(80, 2, left)),
        [40, 40, 80, 80]
    );
}

/// Five easy lines on four threads with the least memory were all given up before they had begun: each had a quarter of it.
#[test]
fn lines_that_memory_has_no_room_for_wait() {
    assert_eq!(lines_at_once(5, 4, 36 << 20), 1);
    assert_eq!(lines_at_once(5, 4, 100 << 20), 2);
    assert_eq!(lines_at_once(5, 4, 1 << 30), 4);
    assert_eq!(lines_at_once(2, 4, 1 << 30), 2);
}

/// An archive without a checkpoint, which tells when somebody looks.
#[derive(Debug)]
struct Watched(mpsc::SyncSender<()>);

impl Archive for Watched {
    fn read(&self, _: Color, _: Part, _: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), String> {
        let _ = self.0.try_send(());
        Ok(())
    }
}

/// The next line began while tables and log of the one before were still to be saved: together they took more memory than there was.
#[test]
fn a_line_begins_when_the_one_before_is_saved() {
    let (first, _) = mpsc::sync_channel(1);
    let (second, begins) = mpsc::sync_channel(1);
    let with_archive = |(text, sender)| Task {
        archive: Some(Arc::new(Watched(sender))),
        ..task(text, Goal::Either)
    };
    let tasks = [("e3 c6", first), ("e3 b6", second)].map(with_archive);
    let few = Settings {
        nodes: Some(1_000),
        memory_bytes: LEAST_LINE_BYTES,
        ..SETTINGS
    };
    prove_all(&tasks, 2, &few, &StopFlag::new(), |event| {
        if let Event::Done { task: 0, outcome } = event {
            assert!(!outcome.checkpoints.is_empty());
            let begun = begins.recv_timeout(Duration::from_millis(200));
            assert!(begun.is_err(), "memory for one line");
        }
    });
    assert!(begins.try_recv().is_ok());
}
