#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use super::*;
use crate::replay::{Options, verify};
use crate::strategy::{Choice, Claim, Strategy, StrategyError};
use crate::table_testing::{Draft, Oracle, Shelf, look_ahead, stored};
use crate::tables::Listed;
use crate::verdict::{Reason, Verdict};

const RULESET: Ruleset = Ruleset::Variant2;

/// The tables of a shelf, all hashes different.
fn set(shelf: &Shelf, ruleset: Ruleset, cache_bytes: usize) -> TableSet<Vec<u8>> {
    let mut set = TableSet::new(ruleset, cache_bytes).unwrap();
    for (number, draft) in (1..).zip(shelf.drafts.values()) {
        set.add(draft.file(), [number; 32]).unwrap();
    }
    set
}

fn shelf(names: &[&str], ruleset: Ruleset) -> Shelf {
    let mut shelf = Shelf::default();
    for name in names {
        shelf.make(name, ruleset);
    }
    shelf
}

fn at(fen: &str) -> Position {
    Position::from_fen(fen, RULESET).unwrap()
}

fn names(set: &TableSet<Vec<u8>>, position: &Position) -> Vec<String> {
    let sources = set.sources(position).into_iter();
    sources.map(|id| id.name.clone()).collect()
}

/// What a replay is told of a position with a value.
fn answer(position: &Position, value: TableValue) -> TableAnswer {
    let mover = position.side_to_move();
    let (winner, plies) = match value {
        TableValue::Draw => return TableAnswer::NotWon,
        TableValue::Win { plies, .. } => (mover, plies.into()),
        TableValue::Loss { plies, .. } => (mover.opponent(), plies.into()),
    };
    TableAnswer::Won { winner, plies }
}

#[test]
fn every_position_of_two_men_has_the_value_of_the_plain_board() {
    let ruleset = Ruleset::Joint;
    let shelf = shelf(&["KvP", "NvP", "PvP"], ruleset);
    for cache in [0, 5_000, 1 << 20] {
        let mut set = set(&shelf, ruleset, cache);
        let mut asked = 0;
        for (position, value) in Oracle::of(ruleset).all() {
            if position.en_passant().is_none() && asked % 11 != 0 {
                asked += 1;
                continue;
            }
            if let Ok(found) = set.value(position) {
                assert_eq!(found, value, "{}", position.fen());
                assert!(set.blocks.bytes <= cache.max(2_000));
                if cache > 5_000 {
                    assert_eq!(set.probe(position), answer(position, value));
                }
            }
            asked += 1;
        }
    }
}

#[test]
fn positions_of_three_men_agree_whichever_colour_has_them() {
    let shelf = shelf(&["PPvP"], RULESET);
    let mut set = set(&shelf, RULESET, 1 << 24);
    for fen in [
        "8/8/8/8/8/8/PP6/7q w - -",
        "8/8/8/8/8/p7/PP6/8 w - -",
        "8/8/8/8/8/p7/PP6/8 b - -",
        "8/8/8/2PpP3/8/8/8/8 w - d6",
        "8/8/8/8/2pPp3/8/8/8 b - d3",
        "8/3p4/8/2P1P3/8/8/8/8 b - -",
        "8/8/8/8/2p1p3/8/3P4/8 w - -",
        "8/p1p5/8/1P6/8/8/8/8 b - -",
        "8/P7/8/7p/7p/8/8/8 w - -",
        "8/8/8/5p2/5P2/5P2/8/8 w - -",
    ] {
        let position = at(fen);
        let expected = look_ahead(&position, RULESET, &shelf.tables);
        assert_eq!(set.value(&position), Ok(expected), "{fen}");
    }
}

#[test]
fn an_answer_names_the_smaller_tables_that_it_rests_on() {
    let shelf = shelf(&["PPvP", "QQvP"], RULESET);
    let mut set = set(&shelf, RULESET, 1 << 24);
    for (fen, expected) in [
        // Nothing to capture.
        ("8/8/8/8/8/p7/P1P5/8 w - -", vec!["PPvP"]),
        // Captures that end the game rest on the rules alone, but the table is what says that the game ends there.
        ("8/8/8/8/8/p7/1P6/7Q w - -", vec!["QPvP"]),
        ("8/8/8/2PpP3/8/8/8/8 w - d6", vec!["PPvP"]),
        ("8/8/8/8/2pPp3/8/8/8 b - d3", vec!["PPvP"]),
        // A capture leaves a pawn a side.
        ("8/8/8/8/3p4/2P1P3/8/8 b - -", vec!["PvP", "PPvP"]),
    ] {
        let position = at(fen);
        set.value(&position).unwrap();
        assert_eq!(names(&set, &position), expected, "{fen}");
    }
}

#[test]
fn what_is_not_at_hand_is_no_value() {
    let mut shelf = shelf(&["PPvP"], RULESET);
    shelf.drafts.remove("PvP");
    let mut set = set(&shelf, RULESET, 1 << 24);
    for (fen, answer) in [
        (
            "8/8/8/8/3p4/2P1P3/8/8 b - -",
            TableAnswer::Missing("table PvP".to_owned()),
        ),
        ("8/8/8/8/3p4/2P5/8/8 b - -", TableAnswer::NotCovered),
        ("8/8/8/8/3p4/2P1P3/PP6/8 b - -", TableAnswer::NotCovered),
        ("8/8/8/8/3k4/8/2K1K3/8 b - -", TableAnswer::NotCovered),
        ("8/8/8/8/8/8/2P1P3/8 b - -", TableAnswer::NotCovered),
    ] {
        assert_eq!(set.probe(&at(fen)), answer, "{fen}");
    }
    let other = Position::from_fen("8/8/8/8/3p4/2P1P3/8/8 b - -", Ruleset::Joint).unwrap();
    assert_eq!(set.probe(&other), TableAnswer::NotCovered);
}

#[test]
fn damage_is_never_a_value() {
    let shelf = shelf(&["PPvP"], RULESET);
    let draft = &shelf.drafts["PvP"];
    let mut bytes = draft.bytes();
    // Every block: the last byte of the header is before the first cell.
    let cells = draft.symbols.iter().map(Vec::len).sum::<usize>();
    let header = bytes.len() - cells;
    for byte in &mut bytes[header..] {
        *byte ^= 0x40;
    }
    let mut set = set(&shelf, RULESET, 1 << 24);
    let file = TableFile::read(bytes, RULESET, "PvP", stored).unwrap();
    set.add(file, [77; 32]).unwrap();
    for fen in ["8/8/8/8/3p4/2P1P3/8/8 b - -", "8/8/p7/8/8/2P5/8/8 b - -"] {
        let TableAnswer::Damaged(problem) = set.probe(&at(fen)) else {
            unreachable!("{fen}");
        };
        assert!(
            problem.starts_with("table PvP: block 0 of white to move has checksum"),
            "{problem}"
        );
    }
}

#[test]
fn a_set_is_of_one_ruleset() {
    assert_eq!(
        TableSet::<Vec<u8>>::new(Ruleset::Extinction, 0).unwrap_err(),
        TableError::NoTables(Ruleset::Extinction)
    );
    let mut set = TableSet::new(Ruleset::Joint, 0).unwrap();
    let file = shelf(&["KvK"], RULESET).drafts["KvK"].file();
    assert_eq!(
        set.add(file, [0; 32]),
        Err(TableError::OtherRuleset {
            stated: RULESET,
            expected: Ruleset::Joint
        })
    );
}

/// Always the move named.
struct Plays(&'static str);

impl Strategy for Plays {
    fn choose(&mut self, _: &Position, _: &[Move]) -> Result<Choice, StrategyError> {
        Ok(Move::from_uci(self.0).map_or(Choice::Unknown, Choice::Move))
    }
}

/// White promotes and lets the black pawn take the queen, or face it.
fn claim(fen: &str, winner: Color) -> Claim {
    Claim::new(RULESET, fen, winner).unwrap()
}

fn replay(tables: &mut dyn Tables, claim: &Claim) -> Verdict {
    verify(claim, &mut Plays("a7a8q"), tables, &Options::default())
}

fn some_won_root(set: &mut TableSet<Vec<u8>>) -> Claim {
    // A white pawn about to promote, a black one somewhere: the first that the queen then wins or loses.
    for square in ["7p", "6p1", "5p2", "4p3", "3p4", "2p5", "1p6"] {
        for rank in 0..5 {
            let fen = format!(
                "8/P7/{}{square}/{}8 w - -",
                "8/".repeat(rank),
                "8/".repeat(4 - rank)
            );
            let after = format!(
                "Q7/8/{}{square}/{}8 b - -",
                "8/".repeat(rank),
                "8/".repeat(4 - rank)
            );
            if let TableAnswer::Won { winner, .. } = set.probe(&at(&after))
                && winner == Color::White
            {
                return claim(&fen, winner);
            }
        }
    }
    unreachable!("no such position");
}

#[test]
fn a_replay_rests_on_the_listed_tables_only() {
    let shelf = shelf(&["QvP"], RULESET);
    let mut tables = set(&shelf, RULESET, 1 << 20);
    let claim = some_won_root(&mut tables);
    let ids: Vec<TableId> = tables.ids().cloned().collect();
    let list: Vec<TableId> = ids.iter().filter(|id| id.name == "QvP").cloned().collect();
    assert_eq!(list.len(), 1);
    let mut listed = Listed::new(&list, &mut tables).unwrap();
    let Verdict::Verified(verified) = replay(&mut listed, &claim) else {
        unreachable!("the queen wins");
    };
    assert_eq!(verified.assumptions, [list[0].to_string()]);
    let end = claim.root.play(Move::from_uci("a7a8q").unwrap()).unwrap();
    let Ok(TableValue::Loss { plies, .. }) = tables.value(&end) else {
        unreachable!("Black has lost");
    };
    assert!(plies > 0);
    assert_eq!(verified.plies, 1 + u32::from(plies));

    // Under no list the line goes on.
    let mut listed = Listed::new(&[], &mut tables).unwrap();
    let Verdict::Rejected(rejection) = replay(&mut listed, &claim) else {
        unreachable!("nothing is known of the end");
    };
    assert!(matches!(
        rejection.reason,
        Reason::MissingMove | Reason::IllegalMove { .. }
    ));

    // Another hash is another table.
    let forged = [TableId {
        sha256: [0xEE; 32],
        ..list[0].clone()
    }];
    let mut listed = Listed::new(&forged, &mut tables).unwrap();
    let Verdict::Rejected(rejection) = replay(&mut listed, &claim) else {
        unreachable!("the hash is another");
    };
    assert!(matches!(rejection.reason, Reason::MissingTable(_)));
}

#[test]
fn a_list_that_names_a_smaller_table_otherwise_is_refused() {
    let shelf = shelf(&["PPvP"], RULESET);
    let mut tables = set(&shelf, RULESET, 1 << 20);
    let fen = "8/8/8/8/3p4/2P1P3/8/8 b - -";
    let id = |name: &str| tables.ids().find(|id| id.name == name).cloned().unwrap();
    let (large, small) = (id("PPvP"), id("PvP"));
    let forged = TableId {
        sha256: [0xEE; 32],
        ..small.clone()
    };
    let right = [large.clone()];
    let mut listed = Listed::new(&right, &mut tables).unwrap();
    assert!(!matches!(listed.probe(&at(fen)), TableAnswer::Missing(_)));
    assert_eq!(listed.sources(&at(fen)), [&large, &small]);
    let wrong = [large, forged.clone()];
    let mut listed = Listed::new(&wrong, &mut tables).unwrap();
    assert_eq!(
        listed.probe(&at(fen)),
        TableAnswer::Missing(format!("{forged}; at hand is {small}"))
    );
}

#[test]
fn damage_and_another_ruleset_end_a_replay() {
    let shelf = shelf(&["QvP"], RULESET);
    let mut tables = set(&shelf, RULESET, 1 << 20);
    let root = some_won_root(&mut tables);
    let draft: &Draft = &shelf.drafts["QvP"];
    let mut bytes = draft.bytes();
    *bytes.last_mut().unwrap() ^= 1;
    let cells = draft.symbols.iter().map(Vec::len).sum::<usize>();
    let header = bytes.len() - cells;
    for byte in &mut bytes[header..] {
        *byte ^= 0x40;
    }
    let file = TableFile::read(bytes, RULESET, "QvP", stored).unwrap();
    tables.add(file, [1; 32]).unwrap();
    assert!(matches!(
        replay(&mut tables, &root),
        Verdict::Damaged(StrategyError::Damaged(_))
    ));

    let mut joint = TableSet::<Vec<u8>>::new(Ruleset::Joint, 0).unwrap();
    let Verdict::Rejected(rejection) = replay(&mut joint, &root) else {
        unreachable!("the tables are for another ruleset");
    };
    assert_eq!(
        rejection.reason,
        Reason::TablesOfAnotherRuleset(Ruleset::Joint)
    );
}
