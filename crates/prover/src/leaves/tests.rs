use proof::Claim;
use rules::{Color, Game, Move, Position, Ruleset, canonical_moves, line};
use search::{PnDn, Report};

use super::*;
use crate::{Endgames, Goal, Memory, Settings, Skeleton, Verdict, prove};

const RULES: Ruleset = Ruleset::Joint;

fn after(text: &str) -> Position {
    let (game, _) = line::play(Game::initial(RULES), text).expect("legal");
    *game.position()
}

fn uci(text: &str) -> Move {
    Move::parse_uci(text).expect("UCI")
}

fn skeleton(claims: &[(&str, &str)]) -> Skeleton {
    let mut skeleton = Skeleton::default();
    for (line, mv) in claims {
        skeleton.insert(&after(line), uci(mv));
    }
    skeleton
}

fn leaves(skeleton: &Skeleton, root: &str) -> Vec<PackedPosition> {
    skeleton.leaves(&after(root), Color::White, RULES)
}

fn task(root: &str, skeleton: Skeleton) -> Task {
    Task {
        skeleton: Arc::new(skeleton),
        ..Task::new(after(root), RULES, Goal::Either)
    }
}

fn answer(task: &Task) -> (Option<Move>, u64, LeafCount) {
    let settings = Settings {
        nodes: Some(500_000),
        time: None,
        memory_bytes: 64 << 20,
    };
    let count = std::cell::Cell::default();
    let outcome = prove(task, &settings, &StopFlag::new(), &|snapshot| {
        count.set(snapshot.leaves);
    });
    let Verdict::Proved(proof) = outcome.verdict else {
        return (None, outcome.effort.nodes, count.get());
    };
    assert_eq!(proof.claim.winner, Color::White);
    let entry = proof
        .records
        .iter()
        .find(|record| record.key == task.root.key());
    (
        entry.map(|record| record.entry.mv),
        outcome.effort.nodes,
        count.get(),
    )
}

#[test]
fn leaves_are_where_the_claims_end() {
    let root = "e3 d5";
    assert_eq!(leaves(&Skeleton::default(), root), []);
    let one = skeleton(&[(root, "d1g4")]);
    assert_eq!(leaves(&one, root), [after("e3 d5 Qg4").pack()]);
    // Bxg4 is the only reply that is known: the others are leaves, and what follows it.
    let two = skeleton(&[(root, "d1g4"), ("e3 d5 Qg4 Bxg4", "g1f3")]);
    let [forced] = canonical_moves(&after("e3 d5 Qg4"), RULES)[..] else {
        panic!("the queen must be taken");
    };
    assert_eq!(forced, uci("c8g4"));
    assert_eq!(leaves(&two, root), [after("e3 d5 Qg4 Bxg4 Nf3").pack()]);
    // Nothing is known of a root from which no claim is reached.
    assert_eq!(leaves(&two, "e4"), []);
}

#[test]
fn replies_that_a_book_lacks_are_leaves_too() {
    let claims = skeleton(&[("e3 g6", "d1h5")]);
    let all = leaves(&claims, "e3");
    assert_eq!(
        all.len(),
        20,
        "19 replies, and what follows 1. e3 g6 2. Qh5"
    );
    assert!(all.contains(&after("e3 g6 Qh5").pack()));
    assert!(all.contains(&after("e3 c5").pack()));
}

#[test]
fn a_claim_that_holds_is_followed() {
    for mv in ["d1g4", "f1a6"] {
        let (found, ..) = answer(&task("e3 d5", skeleton(&[("e3 d5", mv)])));
        assert_eq!(found, Some(uci(mv)));
    }
}

#[test]
fn a_false_claim_costs_time_and_changes_no_verdict() {
    let (plain, cost, _) = answer(&task("e3 d5", Skeleton::default()));
    assert!(plain.is_some());
    // It gives the win away.
    let (found, more, _) = answer(&task("e3 d5", skeleton(&[("e3 d5", "d1h5")])));
    assert!(found.is_some_and(|mv| mv != uci("d1h5")));
    assert!(more > cost);
    // An illegal one is no claim.
    let (found, same, _) = answer(&task("e3 d5", skeleton(&[("e3 d5", "a1a8")])));
    assert_eq!((found, same), (plain, cost));
}

#[test]
fn a_leaf_that_costs_too_much_comes_again_and_is_given_up() {
    let root = after("e3 c5");
    let claim = Claim {
        ruleset: RULES,
        root,
        winner: Color::White,
    };
    let memory = Memory {
        search_bytes: 1 << 20,
        manager_bytes: 1 << 20,
    };
    let mut campaign = Campaign::new(&claim, memory, Endgames::new(None), Arc::default());
    // As if something else had been searched before.
    campaign.add_work(4_000_000);
    let mut leaves = Leaves::new(vec![after("e3 c5 Bb5").pack(), after("e3 c5 Ba6").pack()]);
    let open = |assignment: &Assignment| Finding {
        ticket: assignment.ticket,
        report: Report {
            answer: Answer::Open(PnDn { pn: 7, dn: 7 }),
            nodes: assignment.nodes,
        },
    };
    let mut budgets = Vec::new();
    while leaves.is_open() {
        let Some((assignment, _)) = leaves.next(&campaign, 10_000) else {
            continue;
        };
        budgets.push(assignment.nodes);
        assert!(leaves.land(&open(&assignment)));
        campaign.add_work(assignment.nodes);
    }
    // Each in two jobs of at most 10,000; then what a thirty-second of the work allows.
    assert_eq!(budgets[..4], [10_000, 6_384, 10_000, 6_384]);
    let most: u64 = budgets.iter().sum();
    assert!((200_000..300_000).contains(&most), "{budgets:?}");
    assert_eq!(
        leaves.count(),
        LeafCount {
            all: 2,
            proven: 0,
            resisting: 2
        }
    );
    assert!(
        !leaves.land(&open(&Assignment {
            ticket: 1,
            root: root.pack(),
            ruleset: RULES,
            attacker: Color::White,
            path: Vec::new(),
            nodes: 1,
            thresholds: Thresholds::NONE,
        })),
        "a job of the manager"
    );
}
