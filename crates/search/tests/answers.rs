//! Answers of the search against positions of known value.

use std::convert::Infallible;

use proof::{Claim, Entry, NoTables, Plies, Strategy, extract};
use rules::{Antichess, Color, Position, Ruleset, fen};
use search::{
    Advice, Answer, Hints, Job, Limits, Linear, NoOracle, Oracle, ProofLog, Report, StopFlag,
    Table, Thresholds, Tools, Verdict, Workspace, branches, search,
};

use Ruleset::{Fics, International, Joint};

struct Run {
    report: Report,
    log: ProofLog,
    claim: Claim,
}

fn run(text: &str, ruleset: Ruleset, attacker: Color, nodes: u64) -> Run {
    let root = *fen::parse(text, ruleset).expect("a FEN").game.position();
    let job = Job::new(root, attacker, ruleset);
    let (table, log, hints) = nothing_known();
    let report = search_in(
        &job,
        tools(&NoOracle, &table, &log, &hints),
        &Limits::nodes(nodes),
    );
    Run {
        report,
        log,
        claim: Claim {
            ruleset,
            root,
            winner: attacker,
        },
    }
}

struct FromLog<'a>(&'a ProofLog);

impl Strategy for FromLog<'_> {
    type Error = Infallible;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, Infallible> {
        Ok(self.0.get(position.key()))
    }
}

/// Field cases B01, B02, B14, B15, B23: the value for the side to move.
const WON: [(&str, Ruleset, u16); 7] = [
    ("8/8/8/8/8/3K4/8/4k3 w - -", International, 2),
    ("8/8/8/1p6/8/2K5/8/8 w - -", International, 2),
    ("8/p7/8/1P6/7p/7R/8/8 b - -", International, 4),
    ("8/P7/8/7p/8/8/8/8 w - -", International, 6),
    ("8/P7/8/7p/8/8/8/8 w - -", Joint, 6),
    ("8/8/8/5p2/5P2/8/8/8 w - -", International, 0),
    ("8/8/8/5p2/5P2/5P2/8/8 w - -", International, 0),
];

#[test]
fn what_is_won_is_proven_with_a_strategy_of_enough_plies() {
    for (text, ruleset, least) in WON {
        let mover = if text.contains(" w ") {
            Color::White
        } else {
            Color::Black
        };
        let run = run(text, ruleset, mover, 2_000_000);
        let Answer::Proven(height) = run.report.answer else {
            panic!("{text} under {ruleset}: {:?}", run.report);
        };
        let proof =
            extract(&run.claim, &mut FromLog(&run.log), &NoTables).expect("a complete strategy");
        assert!(proof.plies >= Plies(least), "{text}: {}", proof.plies);
        assert!(proof.plies <= height, "{text}: {} {height}", proof.plies);
    }
}

/// Draws and losses; among them double en passant (B01), and wins that only repetition would give.
const NOT_WON: [(&str, Ruleset, Color); 12] = [
    ("8/8/8/5P2/5p1p/8/6P1/8 w - -", International, Color::White),
    ("8/8/8/5P2/5p1p/8/6P1/8 w - -", Joint, Color::White),
    ("8/6p1/8/5P1P/5p2/8/8/8 b - -", International, Color::Black),
    ("8/8/8/5P2/5pPp/8/8/8 b - g3", Fics, Color::White),
    ("8/4p3/8/8/8/P7/P7/8 w - -", Fics, Color::White),
    ("8/4p3/8/8/8/P7/P7/8 w - -", Joint, Color::White),
    ("8/8/8/5p2/5P2/8/8/8 w - -", Fics, Color::White),
    ("8/8/8/5p2/5P2/8/8/8 w - -", Joint, Color::Black),
    ("8/8/8/5p2/5P2/5P2/8/8 w - -", Joint, Color::White),
    ("8/8/8/pP6/7p/7R/8/8 w - a6", International, Color::White),
    ("8/8/8/8/8/3k4/8/1R6 b - -", International, Color::Black),
    ("8/8/5b2/8/8/3B4/8/8 w - -", Joint, Color::White),
];

#[test]
fn what_is_not_won_is_never_proven() {
    for (text, ruleset, attacker) in NOT_WON {
        let run = run(text, ruleset, attacker, 300_000);
        assert!(
            !matches!(run.report.answer, Answer::Proven(_)),
            "{text} under {ruleset} for {attacker}: {:?}",
            run.report
        );
    }
}

#[test]
fn a_lost_position_is_disproven_for_its_loser() {
    let run = run(
        "8/8/8/pP6/7p/7R/8/8 w - a6",
        International,
        Color::White,
        300_000,
    );
    assert_eq!(run.report.answer, Answer::Disproven);
}

#[test]
fn the_same_search_costs_the_same() {
    let text = "8/4p3/8/8/8/P7/P7/8 w - -";
    let nodes = || {
        run(text, International, Color::White, 2_000_000)
            .report
            .nodes
    };
    assert_eq!(nodes(), nodes());
}

/// Gives every position of two men as won for White in ten plies.
struct WhiteWinsTwo;

impl Oracle for WhiteWinsTwo {
    fn ask(&self, position: &Position, attacker: Color) -> Option<Verdict> {
        (position.occupied().count() == 2).then_some(match attacker {
            Color::White => Verdict::Won(Plies(10)),
            Color::Black => Verdict::NotWon,
        })
    }
}

#[test]
fn an_oracle_ends_lines() {
    let ask = |text: &str, attacker| {
        let root = *fen::parse(text, Joint).expect("a FEN").game.position();
        let job = Job::new(root, attacker, Joint);
        let (table, log, hints) = nothing_known();
        let tools = tools(&WhiteWinsTwo, &table, &log, &hints);
        search_in(&job, tools, &Limits::nodes(100)).answer
    };
    // The root itself, and a capture that leads to two men.
    assert_eq!(
        ask("8/8/8/8/8/8/k7/7K w - -", Color::White),
        Answer::Proven(Plies(10))
    );
    assert_eq!(
        ask("8/8/8/8/8/8/k7/7K w - -", Color::Black),
        Answer::Disproven
    );
    assert_eq!(
        ask("8/8/8/8/8/8/n7/R6k w - -", Color::White),
        Answer::Proven(Plies(11))
    );
    assert_eq!(
        ask("8/8/8/8/8/8/n7/R6k w - -", Color::Black),
        Answer::Disproven
    );
}

/// 1. e3 d5 2. Bb5+, a win for White in a few hundred expansions.
fn after_e3_d5() -> Job {
    let root = "rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w - -";
    let root = *fen::parse(root, Joint).expect("a FEN").game.position();
    Job::new(root, Color::White, Joint)
}

fn tools<'a, O>(
    oracle: &'a O,
    table: &'a Table,
    log: &'a ProofLog,
    hints: &'a Hints,
) -> Tools<'a, Linear, O> {
    Tools {
        evaluator: &Linear,
        oracle,
        table,
        log,
        hints,
    }
}

fn nothing_known() -> (Table, ProofLog, Hints) {
    (Table::with_bytes(0), ProofLog::default(), Hints::default())
}

fn search_in<O: Oracle>(job: &Job, tools: Tools<'_, Linear, O>, limits: &Limits) -> Report {
    search::<Antichess, _, _>(
        job,
        tools,
        &mut Workspace::default(),
        limits,
        &StopFlag::new(),
        &(),
    )
}

#[test]
fn a_search_ends_at_the_roots_thresholds() {
    let (table, log, hints) = nothing_known();
    let limits = Limits {
        root: Thresholds {
            pn: u64::MAX,
            dn: 40,
        },
        ..Limits::nodes(1_000_000)
    };
    let report = search_in(
        &after_e3_d5(),
        tools(&NoOracle, &table, &log, &hints),
        &limits,
    );
    let Answer::Open(numbers) = report.answer else {
        panic!("{report:?}");
    };
    assert!(numbers.dn >= 40 && report.nodes < 100, "{report:?}");
}

#[test]
fn a_position_before_the_root_is_a_repetition() {
    let (table, log, hints) = nothing_known();
    let mut job = after_e3_d5();
    let children = branches::<Antichess, _, _>(&job, tools(&NoOracle, &table, &log, &hints));
    job.path = children.iter().map(|child| child.position.key()).collect();
    let report = search_in(
        &job,
        tools(&NoOracle, &table, &log, &hints),
        &Limits::nodes(1_000),
    );
    // Every move leads back to the path: nothing is proven, and nothing is concluded either.
    assert!(matches!(report.answer, Answer::Open(numbers) if numbers.is_disproven()));
    assert_eq!(report.nodes, 1);
}

#[test]
fn hints_change_the_order_and_not_the_answer() {
    let job = after_e3_d5();
    let (table, log, mut hints) = nothing_known();
    let plain = search_in(
        &job,
        tools(&NoOracle, &table, &log, &hints),
        &Limits::nodes(1_000_000),
    );
    assert!(matches!(plain.answer, Answer::Proven(_)));
    let first = log.get(job.root.key()).expect("proven").mv;
    hints.insert(&job.root, first, Advice::Avoid);
    let (table, log, _) = nothing_known();
    let avoiding = search_in(
        &job,
        tools(&NoOracle, &table, &log, &hints),
        &Limits::nodes(1_000_000),
    );
    assert!(matches!(avoiding.answer, Answer::Proven(_)));
    assert_ne!(plain.nodes, avoiding.nodes);
    hints.insert(&job.root, first, Advice::Prefer);
    let (table, log, _) = nothing_known();
    let preferring = search_in(
        &job,
        tools(&NoOracle, &table, &log, &hints),
        &Limits::nodes(1_000_000),
    );
    assert!(matches!(preferring.answer, Answer::Proven(_)));
    assert_eq!(log.get(job.root.key()).expect("proven").mv, first);
}
