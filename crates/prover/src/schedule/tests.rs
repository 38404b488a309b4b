use std::{thread, time::Duration};

use proof::{Entry, Plies, Record};
use rules::{Color, Game, Move, Ruleset, line};
use search::{Advice, Hints};

use crate::{
    Goal,
    campaign::tests::{Kept, MEMORY},
};

use super::*;

fn task(text: &str, goal: Goal) -> Task {
    let start = Game::initial(Ruleset::Joint);
    let (game, _) = line::play(start, text).expect("a legal line");
    Task::new(*game.position(), Ruleset::Joint, goal)
}

fn settings() -> Settings {
    Settings {
        nodes: Some(2_000_000),
        time: None,
        memory_bytes: 256 << 20,
    }
}

fn run(task: &Task, settings: &Settings) -> Outcome {
    prove(task, settings, &StopFlag::new(), &|_| {})
}

#[test]
fn the_easy_openings_have_the_published_winners() {
    let published = [
        ("e3 d5", Color::White),
        ("e3 d6", Color::White),
        ("e4", Color::Black),
        ("d4", Color::Black),
        ("d3", Color::Black),
    ];
    for (text, winner) in published {
        let outcome = run(&task(text, Goal::Either), &settings());
        let proved = outcome.verdict.proved();
        assert_eq!(proved.map(|(side, _)| side), Some(winner), "{text}");
    }
}

#[test]
fn the_same_task_costs_the_same_nodes_and_gives_the_same_proof() {
    let task = task("e3 Na6", Goal::Either);
    let (first, second) = (run(&task, &settings()), run(&task, &settings()));
    assert_eq!(first.effort.nodes, second.effort.nodes);
    match (first.verdict, second.verdict) {
        (Verdict::Proved(a), Verdict::Proved(b)) => assert_eq!(a.records, b.records),
        other => panic!("not proved: {other:?}"),
    }
}

#[test]
fn a_limit_ends_undecided_and_gives_what_was_proven() {
    let few = Settings {
        nodes: Some(20_000),
        ..settings()
    };
    let task = task("e3 Na6", Goal::Side(Color::White));
    let outcome = run(&task, &few);
    assert!(matches!(
        outcome.verdict,
        Verdict::Undecided(Undecided::Nodes)
    ));
    assert_eq!(outcome.effort.nodes, 20_000);
    let (_, known) = outcome.proven.into_iter().next().expect("White's campaign");
    assert!(!known.is_empty());

    let mut again = task.clone();
    again.known[Color::White.index()] = known;
    let proved = run(&again, &settings());
    assert!(proved.verdict.proved().is_some());
}

#[test]
fn a_line_that_gets_more_memory_goes_on() {
    let task = task("e3 Na6", Goal::Either);
    let little = Settings {
        memory_bytes: 1 << 10,
        ..settings()
    };
    let mut line = Line::new(&task, &little);
    let stop = StopFlag::new();
    assert!(matches!(line.next(&stop), Next::End));
    line.set_memory(64 << 20);
    assert!(matches!(line.next(&stop), Next::Job(_)));
}

#[test]
fn a_raised_flag_stops_at_once() {
    let stop = StopFlag::new();
    stop.raise();
    let task = task("e3 b6", Goal::Either);
    let outcome = prove(&task, &settings(), &stop, &|_| {});
    assert!(matches!(
        outcome.verdict,
        Verdict::Undecided(Undecided::Stopped)
    ));
}

/// Either rook takes Black's last man, so that Black has won; the known position says that White has.
fn told_a_lie() -> (Task, Record) {
    let parse = |text| {
        let read = rules::fen::parse(text, Ruleset::Joint).expect("a FEN");
        *read.game.position()
    };
    let after = parse("8/8/8/8/p6R/8/8/R7 w - -");
    let lie = Entry {
        mv: Move::parse_uci("a1a4").expect("UCI"),
        height: Plies(1),
    };
    let mut task = Task::new(
        parse("8/8/8/p7/7R/8/8/R7 b - -"),
        Ruleset::Joint,
        Goal::Side(Color::White),
    );
    let lie = Record::new(&after, lie);
    task.known[Color::White.index()] = vec![lie];
    (task, lie)
}

#[test]
fn known_positions_that_do_not_hold_are_told() {
    let outcome = run(&told_a_lie().0, &settings());
    let Verdict::KnownFail(why) = outcome.verdict else {
        panic!("{:?}", outcome.verdict);
    };
    assert_eq!(why, "white has not won after a5a4 a1a4");
    assert!(outcome.proven.is_empty(), "it may lean on the lie");
}

/// A task in which a position is said to be won by a move after which nothing is known: to look for the rest takes a search of its own, as
/// long as that of the root. Found by `scripts/fuzz` in checkpoints.
fn told_too_little() -> Task {
    // Black has one move, and White's answer to it is said to win.
    let mut unknown = task("g4 h5 gxh5", Goal::Side(Color::White));
    let after = task("g4 h5 gxh5 Rxh5", Goal::Side(Color::White)).root;
    let claimed = Entry {
        mv: Move::parse_uci("a2a4").expect("UCI"),
        height: Plies(99),
    };
    unknown.known[Color::White.index()] = vec![Record::new(&after, claimed)];
    unknown
}

#[test]
fn a_repair_stops_when_it_is_told() {
    let unknown = told_too_little();
    let stop = StopFlag::new();
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            stop.raise();
        });
        prove(&unknown, &settings(), &stop, &|_| {})
    });
    let verdict = outcome.verdict;
    assert!(
        matches!(verdict, Verdict::Undecided(Undecided::Stopped)),
        "{verdict:?}"
    );
    assert!(outcome.effort.nodes < 1 << 20, "{:?}", outcome.effort);
}

#[test]
fn a_repair_keeps_to_the_limit_on_expansions() {
    let unknown = told_too_little();
    let few = Settings {
        nodes: Some(3_000),
        ..settings()
    };
    let outcome = run(&unknown, &few);
    let verdict = outcome.verdict;
    assert!(
        matches!(verdict, Verdict::Undecided(Undecided::Nodes)),
        "{verdict:?}"
    );
    assert_eq!(outcome.effort.nodes, 3_000);
    assert!(outcome.proven.is_empty(), "it leans on what is not there");
}

/// The first checkpoint was made before the false position came, the second leans on it.
#[test]
fn a_checkpoint_is_spoilt_if_it_holds_what_failed() {
    let (mut task, lie) = told_a_lie();
    let white = Color::White;
    for knows in [false, true] {
        let kept = Arc::new(Kept::default());
        let endgames = Endgames::new(None);
        let mut campaign = Campaign::new(&task.claim(white), MEMORY, endgames, Arc::default());
        assert_eq!(campaign.resume(&*kept), None);
        if knows {
            campaign.learn(&[lie]);
        }
        kept.save(campaign.checkpoint(Duration::ZERO, None));
        task.archive = Some(kept);
        let outcome = run(&task, &settings());
        assert!(matches!(outcome.verdict, Verdict::KnownFail(_)));
        assert_eq!(outcome.spoilt, knows.then_some(white));
    }
}

#[test]
fn the_side_that_cannot_win_is_disproved() {
    // Field case B23: Kc4 bxc4 ends the game, White has won; Black cannot.
    let root = *rules::fen::parse("8/8/8/1p6/2K5/8/8/8 b - -", Ruleset::International)
        .expect("a FEN")
        .game
        .position();
    let task = Task::new(root, Ruleset::International, Goal::Side(Color::Black));
    assert!(matches!(
        run(&task, &settings()).verdict,
        Verdict::Disproved
    ));
}

#[test]
fn advice_changes_the_work_and_not_the_answer() {
    let task = task("e3 Na6 Bxa6 bxa6", Goal::Side(Color::White));
    let plain = run(&task, &settings());
    let Verdict::Proved(proof) = &plain.verdict else {
        panic!("{:?}", plain.verdict);
    };
    let winning = proof.entry(&task.root).expect("the root's move").mv;
    let mut hints = Hints::default();
    hints.insert(&task.root, winning, Advice::Prefer);
    let hinted = run(
        &Task {
            hints: Arc::new(hints),
            ..task
        },
        &settings(),
    );
    assert_ne!(plain.effort.nodes, hinted.effort.nodes);
    assert!(hinted.verdict.proved().is_some());
}
