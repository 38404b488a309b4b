#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use super::*;
use crate::ruleset::Ruleset;
use crate::table_material::Material;
use crate::table_testing::{
    Draft, GO, Oracle, Shelf, count, has_double_en_passant, look_ahead, position, two_men, win,
};

const RULESETS: [Ruleset; 4] = [
    Ruleset::International,
    Ruleset::Fics,
    Ruleset::Joint,
    Ruleset::Variant2,
];

fn pairs(ruleset: Ruleset) -> Shelf {
    Shelf::pairs(ruleset)
}

fn wrong(draft: &Draft, shelf: &Shelf) -> (Defect, u64) {
    match draft.check(&shelf.tables) {
        Err(CheckError::Wrong { first, defects }) => (first, defects),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_tables_of_two_men_that_the_plain_board_gives_are_accepted() {
    for ruleset in RULESETS {
        let shelf = pairs(ruleset);
        assert_eq!(shelf.tables.len(), 21);
    }
}

#[test]
fn totals_of_two_men_are_the_published_ones() {
    // Ordered pairs of kinds, both sides to move.
    for (ruleset, wins, losses, draws) in [
        (Ruleset::International, 159_524, 86_700, 20_368),
        (Ruleset::Fics, 157_944, 85_340, 23_308),
        (Ruleset::Joint, 157_944, 85_340, 23_308),
    ] {
        let mut total = Counts::default();
        for draft in pairs(ruleset).drafts.values() {
            // Each table but a symmetric one stands for two ordered pairs, and a symmetric one has half of its own.
            for counts in draft.file().counts() {
                total.wins += 2 * counts.wins;
                total.losses += 2 * counts.losses;
                total.draws += 2 * counts.draws;
            }
        }
        assert_eq!(
            (total.wins, total.losses, total.draws),
            (wins, losses, draws)
        );
        let mut again = Counts::default();
        for (position, value) in Oracle::of(ruleset).all() {
            if position.en_passant().is_none()
                && position.men(Color::White) == 1
                && position.men(Color::Black) == 1
            {
                count(&mut again, value, 1);
            }
        }
        assert_eq!(
            (again.wins, again.losses, again.draws),
            (wins, losses, draws)
        );
        assert_eq!(again.longest_loss, 45);
    }
}

#[test]
fn single_tables_have_the_published_counts() {
    let shelf = pairs(Ruleset::International);
    for (name, side, wins, losses, draws) in [
        ("PvP", 0, 1276, 908, 72),
        ("NvP", 1, 2064, 960, 0),
        ("KvP", 1, 810, 1396, 818),
        ("RvR", 0, 3136, 896, 0),
        ("BvN", 1, 1424, 2608, 0),
        ("KvK", 0, 672, 420, 2940),
    ] {
        let file = shelf.drafts.get(name).unwrap().file();
        let counts = file.counts().get(side).unwrap();
        assert_eq!(
            (counts.wins, counts.losses, counts.draws),
            (wins, losses, draws),
            "{name}"
        );
    }
}

#[test]
fn every_changed_value_is_found() {
    let shelf = pairs(Ruleset::Joint);
    for name in ["KvP", "NvP", "PvP", "RvB"] {
        let right = shelf.drafts.get(name).unwrap();
        let table = right.check(&shelf.tables).unwrap();
        let mut changed = 0_u64;
        for side in table.sides() {
            for cell in (0..table.index.cells()).step_by(23) {
                let code = table.at(side, cell);
                if code == Code::UNUSED || code.is_settled() {
                    continue;
                }
                let (kind, plies) = right.entry(side, cell);
                let lies = [
                    (1, plies + 1),
                    (1, plies.saturating_sub(1)),
                    (2, plies + 1),
                    (2, plies.saturating_sub(1)),
                    (3 - kind.clamp(1, 2), plies),
                    (0, 0),
                ];
                for lie in lies.into_iter().filter(|&lie| lie != (kind, plies)) {
                    let mut draft = right.clone();
                    draft.set(side, cell, lie);
                    let (first, defects) = wrong(&draft, &shelf);
                    assert!(defects >= 1);
                    assert_ne!(first.stated, first.right);
                    changed += 1;
                }
            }
        }
        assert!(changed > 100, "{name} {changed}");
    }
}

#[test]
fn the_first_defect_is_named_with_both_values() {
    let shelf = pairs(Ruleset::Joint);
    let mut draft = shelf.drafts.get("KvK").unwrap().clone();
    let table = draft.check(&shelf.tables).unwrap();
    // Kings a square apart: Black can come next to the white one, but need not.
    let (side, cell) = table.locate([0, 63, 0, 0], Color::White);
    draft.set(side, cell, (1, 2));
    let (first, defects) = wrong(&draft, &shelf);
    assert_eq!(first.fen, "7k/8/8/8/8/8/8/K7 w - -");
    assert_eq!((first.stated, first.right), (win(2), TableValue::Draw));
    assert_eq!(defects, 1);
    assert_eq!(
        CheckError::Wrong { first, defects }.to_string(),
        "7k/8/8/8/8/8/8/K7 w - - is stated as win in 2 plies, but is draw (the only wrong value)"
    );
}

#[test]
fn a_consistent_circle_of_lies_is_found() {
    // Every draw is called a win for White: what is missing is the ground that a number of plies must have.
    let shelf = pairs(Ruleset::Joint);
    let right = shelf.drafts.get("BvP").unwrap();
    let table = right.check(&shelf.tables).unwrap();
    let mut draft = right.clone();
    for cell in 0..table.index.cells() {
        for (side, kind) in [(Color::White, 1), (Color::Black, 2)] {
            let code = table.at(side, cell);
            if !code.is_settled() && code.unmarked() == Code::DRAW {
                draft.set(side, cell, (kind, 100));
            }
        }
    }
    assert!(wrong(&draft, &shelf).1 > 10);
}

#[test]
fn swapped_sides_are_found() {
    let shelf = pairs(Ruleset::Joint);
    let mut draft = shelf.drafts.get("RvB").unwrap().clone();
    draft.symbols.reverse();
    draft.counts.reverse();
    assert!(wrong(&draft, &shelf).1 > 100);
}

#[test]
fn a_mark_of_the_fifty_move_rule_on_a_short_value_is_found() {
    let shelf = pairs(Ruleset::Joint);
    for name in ["NvP", "KvR"] {
        let mut draft = shelf.drafts.get(name).unwrap().clone();
        let table = draft.check(&shelf.tables).unwrap();
        let stored = (0..table.index.cells()).find(|&cell| {
            let code = table.at(Color::White, cell);
            code != Code::UNUSED && !code.is_settled() && code.is_win()
        });
        let cell = stored.unwrap();
        let (_, plies) = draft.entry(Color::White, cell);
        draft.set(Color::White, cell, (3, plies));
        let (first, defects) = wrong(&draft, &shelf);
        assert_eq!(defects, 1);
        assert_eq!(first.right, win(plies));
        assert_ne!(first.stated, first.right);
    }
}

#[test]
fn every_wrong_count_is_found() {
    let shelf = pairs(Ruleset::Fics);
    let right = shelf.drafts.get("QvN").unwrap();
    let changes: [fn(&mut Counts); 5] = [
        |counts| counts.wins += 1,
        |counts| counts.losses -= 1,
        |counts| counts.draws += 1,
        |counts| counts.longest_win += 1,
        |counts| counts.longest_loss -= 1,
    ];
    for change in changes {
        for (number, side) in [Color::White, Color::Black].into_iter().enumerate() {
            let mut draft = right.clone();
            change(draft.counts.get_mut(number).unwrap());
            match draft.check(&shelf.tables) {
                Err(CheckError::Counts { side: found, .. }) => assert_eq!(found, side),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn cells_that_are_not_in_use_may_hold_any_symbol() {
    let shelf = pairs(Ruleset::Joint);
    let mut draft = shelf.drafts.get("QvN").unwrap().clone();
    let table = draft.check(&shelf.tables).unwrap();
    let mut changed = 0;
    for side in table.sides() {
        for cell in 0..table.index.cells() {
            let code = table.at(side, cell);
            if code == Code::UNUSED || code.is_settled() {
                draft.set(side, cell, (1, 77));
                changed += 1;
            }
        }
    }
    assert!(changed > 100);
    assert!(draft.check(&shelf.tables).is_ok());
}

#[test]
fn a_missing_table_is_named() {
    let ruleset = Ruleset::Joint;
    let draft = two_men("QvP", ruleset);
    let mut shelf = pairs(ruleset);
    assert!(draft.check(&shelf.tables).is_ok());
    shelf.tables.retain(|table| table.name() != "QvB");
    let error = draft.check(&shelf.tables).unwrap_err();
    assert_eq!(error, CheckError::MissingTable("QvB".to_owned()));
    // One of another ruleset does not do.
    let other = pairs(Ruleset::Fics);
    shelf.tables.extend(
        other
            .tables
            .iter()
            .filter(|table| table.name() == "QvB")
            .cloned(),
    );
    assert_eq!(draft.check(&shelf.tables).unwrap_err(), error);
}

#[test]
fn the_stop_flag_interrupts() {
    let shelf = pairs(Ruleset::Joint);
    let file = shelf.drafts.get("QvN").unwrap().file();
    let stop = AtomicBool::new(true);
    assert_eq!(
        check(&file, &shelf.tables, &stop).unwrap_err(),
        CheckError::Interrupted
    );
}

#[test]
fn a_table_of_another_ruleset_has_wrong_values() {
    let mut draft = two_men("PvP", Ruleset::International);
    draft.ruleset = Ruleset::Joint.code();
    let (first, _) = wrong(&draft, &pairs(Ruleset::Joint));
    assert_ne!(first.stated, first.right);
}

#[test]
fn three_men_with_en_passant_agree_with_the_plain_board() {
    let ruleset = Ruleset::Variant2;
    let mut shelf = Shelf::default();
    shelf.make("PPvP", ruleset);
    let mut double = 0;
    for name in ["PPvP", "QPvP"] {
        let slots = Material::from_name(name).unwrap().slots();
        let mut tables = shelf.tables.iter();
        let table = tables.find(|table| table.name() == name).unwrap();
        for cell in 0..table.index.cells() {
            let Some((squares, _)) = table.index.placement(cell) else {
                continue;
            };
            // A sample, and every position with a pawn that may pass two others.
            let ranks = squares.map(crate::geometry::rank);
            if cell % 7 != 0 && ranks != [4, 4, 6, 0] {
                continue;
            }
            for side in table.sides() {
                let root = position(&slots, squares, side, ruleset);
                let expected = look_ahead(&root, ruleset, &shelf.tables);
                let found = table.at(side, cell).value();
                assert_eq!(found, expected, "{}", root.fen());
                double += u64::from(has_double_en_passant(&root));
            }
        }
    }
    // A pawn on any file but the edges, mirror images counted once.
    assert_eq!(double, 3);
}

/// Run with `--release --ignored --nocapture`.
#[test]
#[ignore = "measures time"]
#[expect(clippy::print_stderr, reason = "the result")]
fn time_of_a_check() {
    for (name, ruleset) in [
        ("KvK", Ruleset::Joint),
        ("KRvN", Ruleset::Joint),
        ("KQvRN", Ruleset::Joint),
        ("QPvPP", Ruleset::Variant2),
        ("QQvRP", Ruleset::Variant2),
    ] {
        let mut shelf = Shelf::default();
        shelf.make(name, ruleset);
        let file = shelf.drafts.get(name).unwrap().file();
        let cells = u64::try_from(file.cells()).unwrap();
        let start = processor_time();
        let expanded = crate::table_expanded::expand(&file, &shelf.tables, &GO).unwrap();
        let expanding = (processor_time() - start) / cells;
        let start = processor_time();
        check(&file, &shelf.tables, &GO).unwrap();
        let checking = (processor_time() - start) / cells;
        // Hardly any table needs this, but it must not take for ever.
        let ground = Ground::new(ruleset, file.material(), &shelf.tables).unwrap();
        let start = processor_time();
        table_fifty::check(&expanded, &ground, FIFTY_MOVES, &GO).unwrap();
        let marking = (processor_time() - start) / cells;
        eprintln!(
            "{name}: {cells} cells, {} bytes, ns a cell: expanded in {expanding}, checked in {checking}, marks in {marking}",
            expanded.bytes(),
        );
    }
}

/// Nanoseconds that this thread has run, whatever else the machine does.
fn processor_time() -> u64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    times.split(' ').next().unwrap().parse().unwrap()
}
