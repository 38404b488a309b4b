//! The rule with fewer than a hundred plies, so that small tables show what large ones do.

#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use super::*;
use crate::board::Kind;
use crate::ruleset::Ruleset;
use crate::table_check::Defect;
use crate::table_expanded::expand;
use crate::table_material::Material;
use crate::table_testing::{Draft, GO, Oracle, from_oracle, position};
use crate::table_value::TableValue;

/// The marks of a table that are wrong where so many plies make a draw.
fn defects(draft: &Draft, smaller: &[Arc<ExpandedTable>], limit: u8) -> Option<(Defect, u64)> {
    let ruleset = Ruleset::from_code(draft.ruleset).unwrap();
    let table = expand(&draft.file(), smaller, &GO).unwrap();
    let material = Material::from_name(&draft.name()).unwrap();
    let ground = Ground::new(ruleset, &material, smaller).unwrap();
    match check(&table, &ground, limit, &GO).unwrap().judge() {
        Ok(()) => None,
        Err(CheckError::Wrong { first, defects }) => Some((first, defects)),
        Err(other) => unreachable!("{other}"),
    }
}

/// Tables with their marks, the last one being examined: how many marks it has, and that each changed one is found.
fn examine(names: &[&str], ruleset: Ruleset, oracle: &Oracle, limit: u8) -> u64 {
    let marked = oracle.with_marks(usize::from(limit));
    let mut tables = Vec::new();
    for name in names {
        let draft = from_oracle(name, ruleset, &marked);
        assert_eq!(defects(&draft, &tables, limit), None, "{name} {limit}");
        tables.push(Arc::new(expand(&draft.file(), &tables, &GO).unwrap()));
    }
    let name = names.last().unwrap();
    let draft = from_oracle(name, ruleset, &marked);
    let slots = Material::from_name(name).unwrap().slots();
    let table = tables.last().unwrap();
    let (mut marks, mut decided) = (0, 0_u64);
    for side in table.sides() {
        for cell in 0..table.index.cells() {
            let code = table.at(side, cell);
            let Some((squares, _)) = table.index.placement(cell) else {
                continue;
            };
            // Positions with a capture, too, whose marks follow from smaller tables.
            let expected = marked.value(&position(&slots, squares, side, ruleset));
            assert_eq!(code.value(), expected);
            if code.is_settled() || code.value() == TableValue::Draw {
                continue;
            }
            marks += u64::from(code.is_spoiled());
            decided += 1;
            if !decided.is_multiple_of(197) {
                continue;
            }
            let (kind, plies) = draft.entry(side, cell);
            let mut lie = draft.clone();
            lie.set(
                side,
                cell,
                (if kind > 2 { kind - 2 } else { kind + 2 }, plies),
            );
            let (first, count) = defects(&lie, &tables, limit).unwrap();
            assert_eq!(count, 1);
            assert_eq!(first.right, code.value());
        }
    }
    marks
}

#[test]
fn marks_of_two_men_are_those_of_playing_with_a_clock() {
    let ruleset = Ruleset::Joint;
    let oracle = Oracle::of(ruleset);
    let names = ["KvK", "KvQ", "KvR", "KvB", "KvN", "KvP"];
    for (limit, any) in [(1, true), (4, true), (9, true), (45, false)] {
        let marks = examine(&names, ruleset, oracle, limit);
        assert_eq!(marks > 0, any, "{limit}: {marks}");
    }
}

#[test]
fn marks_follow_captures_and_promotions_into_other_tables() {
    let ruleset = Ruleset::Variant2;
    let king = (Color::White, Kind::King);
    let knight = (Color::Black, Kind::Knight);
    let oracle = Oracle::solve(ruleset, vec![vec![king, knight], vec![king, king, knight]]);
    // Captures lead to long ways of a king and a knight.
    for limit in [1, 3, 6] {
        let marks = examine(&["KvN", "KKvN"], ruleset, &oracle, limit);
        assert!(marks > 0, "{limit}");
    }
    // All moves but a queen's are the pawns' own: marks come from what they promote to.
    let pawns = examine(&["QvQ", "QvP", "PvP"], ruleset, Oracle::of(ruleset), 1);
    assert!(pawns > 0);
}

#[test]
fn the_rule_matters_beyond_a_hundred_plies() {
    let win = |plies| {
        let spoiled = false;
        Code::of(TableValue::Win { plies, spoiled })
    };
    assert!(!may_be_spoiled(win(100)) && may_be_spoiled(win(101)));
    assert!(!may_be_spoiled(Code::DRAW));
    assert_eq!(FIFTY_MOVES, 100);
}
