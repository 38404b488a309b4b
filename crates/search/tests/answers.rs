//! Answers of the search against positions of known value.

use std::convert::Infallible;

use proof::{Claim, Entry, NoTables, Plies, Strategy, extract};
use rules::{Antichess, Color, Position, Ruleset, fen};
use search::{
    Answer, Job, Limits, Linear, NoOracle, Oracle, ProofLog, Report, StopFlag, Table, Tools,
    Verdict, search,
};

use Ruleset::{Fics, International, Joint};

struct Run {
    report: Report,
    log: ProofLog,
    claim: Claim,
}

fn run(text: &str, ruleset: Ruleset, attacker: Color, nodes: u64) -> Run {
    let root = *fen::parse(text, ruleset).expect("a FEN").game.position();
    let job = Job {
        root,
        attacker,
        ruleset,
    };
    let log = ProofLog::default();
    let limits = Limits {
        nodes,
        deadline: None,
    };
    let tools = Tools {
        evaluator: &Linear,
        oracle: &NoOracle,
        table: &Table::with_bytes(0),
        log: &log,
    };
    let report = search::<Antichess, _, _>(&job, tools, &limits, &StopFlag::new(), &());
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
        let job = Job {
            root,
            attacker,
            ruleset: Joint,
        };
        let tools = Tools {
            evaluator: &Linear,
            oracle: &WhiteWinsTwo,
            table: &Table::with_bytes(0),
            log: &ProofLog::default(),
        };
        let limits = Limits {
            nodes: 100,
            deadline: None,
        };
        search::<Antichess, _, _>(&job, tools, &limits, &StopFlag::new(), &()).answer
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
