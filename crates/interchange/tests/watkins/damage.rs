//! Each way in which a file can be wrong has a test that asks for the right complaint: field case B32, and what else the format allows.

use std::{collections::HashSet, io::Cursor};

use interchange::watkins::{Defect, FileError, FooterCheck, Found, Severity, WinTree, winner};
use rules::{Color, Ruleset};

use crate::{
    FILES, bytes, claim_of, read, read_as,
    tree::{Below, Node, Tree, place, put16, put32, records, word16, word32},
};

const RULES: Ruleset = Ruleset::Joint;
/// A move that is none.
const E4E4: u16 = 0o34 << 6 | 0o34;

/// What is wrong with a file, in which `winner` should win; there is something.
fn defects(bytes: &[u8], winner: Color) -> (Vec<Found>, u64, Severity) {
    let (_, findings) = read_as(bytes, winner);
    let severity = findings.defects.severity().expect("something is wrong");
    let first = findings.defects.first().to_vec();
    (first, findings.defects.total(), severity)
}

/// Names that pointers lead to.
fn targets(root: &Node) -> HashSet<u32> {
    let mut targets = HashSet::new();
    root.each(&mut Vec::new(), &mut |node, _| {
        if let Below::SameAs(target) = node.below {
            targets.insert(target);
        }
    });
    targets
}

/// Names of the nodes in which somebody has replies to choose from, with the number of plies to each. The loser is to move at the root of
/// all published files.
fn loser_nodes(tree: &Tree) -> Vec<u32> {
    let mut names = Vec::new();
    tree.root.each(&mut Vec::new(), &mut |node, way| {
        if way.len() % 2 == 0 && node.children().len() > 1 {
            names.push(node.name);
        }
    });
    names
}

#[test]
fn a_missing_reply_is_found() {
    // Field case B32 a.
    for (name, winner) in FILES {
        let tree = Tree::read(&bytes(name));
        assert_eq!(tree.write(), bytes(name)[..tree.write().len()], "{name}");
        let pointed_to = targets(&tree.root);
        let step = 1 + loser_nodes(&tree).len() / 20;
        for loser in loser_nodes(&tree).into_iter().step_by(step) {
            let mut tree = tree.clone();
            let replies = tree.root.find(loser).expect("it is there").children_mut();
            let mut below = HashSet::from([replies[0].name]);
            replies[0].each(&mut Vec::new(), &mut |node, _| {
                below.insert(node.name);
            });
            if !below.is_disjoint(&pointed_to) {
                continue;
            }
            let removed = replies.remove(0);
            let (first, total, severity) = defects(&tree.write(), winner);
            assert_eq!(first[0].defect, Defect::MissingReply, "{name}: {loser}");
            assert_eq!(
                (total, severity),
                (1, Severity::NotProved),
                "{name}: {loser}"
            );
            let mv = first[0].line.last().expect("the reply").to_bits();
            assert_eq!(mv >> 9, removed.mv >> 6 & 63, "{name}: {loser}");
        }
    }
}

#[test]
fn a_reply_that_is_skipped_is_missing_though_its_record_is_there() {
    for (name, winner) in FILES {
        let bytes = bytes(name);
        let tree = Tree::read(&bytes);
        for loser in loser_nodes(&tree).into_iter().take(5) {
            let mut tree = tree.clone();
            let replies = tree.root.find(loser).expect("it is there").children();
            let (first, second) = (&replies[0], &replies[1]);
            if matches!(first.below, Below::SameAs(_)) {
                continue;
            }
            let mut bytes = bytes.clone();
            let link = match replies.get(2) {
                Some(third) => third.name,
                None => 0,
            };
            let at = place(&bytes, first.name);
            let data = word32(&bytes, at) & 3 << 30 | link;
            put32(&mut bytes, at, data);
            let (found, _, severity) = defects(&bytes, winner);
            assert_eq!(found[0].defect, Defect::MissingReply, "{name}: {loser}");
            assert_eq!(severity, Severity::NotProved, "{name}: {}", second.name);
        }
    }
}

#[test]
fn an_end_that_is_none_is_open() {
    for (name, winner) in FILES {
        let mut tree = Tree::read(&bytes(name));
        tree.root.children_mut()[0].below = Below::Children(Vec::new());
        // What pointed into the subtree leads nowhere now, but that comes later.
        let (first, _, severity) = defects(&tree.write(), winner);
        assert_eq!(first[0].defect, Defect::OpenEnd, "{name}");
        assert_eq!(first[0].line.len(), tree.opening.len() + 1);
        assert_eq!(severity, Severity::NotProved);
    }
}

#[test]
fn a_pointer_to_an_ancestor_is_a_loop() {
    // Field case B32 b. Where a file has no pointer, the end of a line becomes one.
    for (name, winner) in FILES {
        let bytes = bytes(name);
        let tree = Tree::read(&bytes);
        let mut pointers = Vec::new();
        let mut ends = Vec::new();
        tree.root.each(&mut Vec::new(), &mut |node, way| {
            let ancestor = way[way.len() / 2];
            match &node.below {
                Below::SameAs(_) => pointers.push((node.name, ancestor)),
                Below::Children(below) if below.is_empty() => ends.push((node.name, ancestor)),
                Below::Children(_) => {}
            }
        });
        let chosen = if pointers.is_empty() { ends } else { pointers };
        for (pointer, ancestor) in chosen.into_iter().take(20) {
            let mut tree = tree.clone();
            tree.root.find(pointer).expect("it is there").below = Below::SameAs(ancestor);
            let (first, total, severity) = defects(&tree.write(), winner);
            assert_eq!(first[0].defect, Defect::Loop, "{name}: {pointer}");
            assert_eq!(
                (total, severity),
                (1, Severity::Cyclic),
                "{name}: {pointer}"
            );
        }
    }
}

#[test]
fn unsolved_marks_of_both_kinds_are_found() {
    // Field case B32 c.
    for (name, winner) in FILES {
        let bytes = bytes(name);
        let count = records(&bytes);
        for record in (1..count).step_by(1 + count as usize / 50) {
            let at = place(&bytes, record);
            let mut old = bytes.clone();
            let data = word32(&old, at);
            put32(&mut old, at, data | 0x3fff_ffff);
            let mut new = bytes.clone();
            let mv = word16(&new, at + 4);
            put16(&mut new, at + 4, mv ^ 0xf000);
            for marked in [old, new.clone()] {
                let (first, _, severity) = defects(&marked, winner);
                assert_eq!(first[0].defect, Defect::Unsolved, "{name}: {record}");
                assert_eq!(first[0].record, record, "{name}");
                assert_eq!(severity, Severity::NotProved, "{name}: {record}");
            }
            let (_, total, _) = defects(&new, winner);
            assert_eq!(total, 1, "{name}: {record}");
        }
    }
}

#[test]
fn a_file_that_is_cut_off_says_where() {
    // Field case B32 d.
    for (name, winner) in FILES {
        let bytes = bytes(name);
        let end = place(&bytes, records(&bytes));
        let header = place(&bytes, 1);
        for length in 0..header {
            let error = WinTree::open(Cursor::new(&bytes[..length])).expect_err("it is cut off");
            assert!(matches!(error, FileError::Short(_)), "{name}: {error}");
        }
        for length in (header..end).step_by(1 + end / 40) {
            let (first, _, severity) = defects(&bytes[..length], winner);
            let present = u32::try_from((length - header) / 6).expect("small") + 1;
            assert_eq!(severity, Severity::Damaged, "{name}: {length}");
            assert!(
                matches!(first[0].defect, Defect::Truncated(record) if record >= present),
                "{name}: {length}: {first:?}"
            );
        }
    }
}

#[test]
fn records_that_the_header_does_not_count_are_found() {
    for (name, winner) in FILES {
        let bytes = bytes(name);
        let count = records(&bytes);
        let mut more = bytes[..place(&bytes, count)].to_vec();
        // One record more than the file holds is in no line, and missing all the same.
        put32(&mut more, 0, 1 << 30 | (count + 1));
        let (first, total, severity) = defects(&more, winner);
        assert_eq!(first[0].defect, Defect::Truncated(count), "{name}");
        assert_eq!((total, severity), (1, Severity::Damaged), "{name}");
        let mut fewer = more.clone();
        put32(&mut fewer, 0, 1 << 30 | (count - 1));
        let error = WinTree::open(Cursor::new(&fewer)).expect_err("6 bytes are no footer");
        assert!(
            matches!(error, FileError::Trailing { bytes: 6, .. }),
            "{error}"
        );
        put32(&mut fewer, 0, 1 << 30 | (count - 4));
        let (first, _, severity) = defects(&fewer, winner);
        assert_eq!(severity, Severity::Damaged, "{name}: {first:?}");
        put32(&mut fewer, 0, 1 << 30);
        let error = WinTree::open(Cursor::new(&fewer)).expect_err("no records");
        assert!(matches!(error, FileError::Records(0)), "{error}");
    }
}

#[test]
fn bytes_behind_the_records_must_be_a_footer_that_fits() {
    for (name, _) in FILES {
        let bytes = bytes(name);
        let records = &bytes[..place(&bytes, records(&bytes))];
        for extra in [1, 4, 7, 9] {
            let longer = [records, &vec![0; extra]].concat();
            let error = WinTree::open(Cursor::new(longer)).expect_err("no footer");
            assert!(
                matches!(error, FileError::Trailing { .. }),
                "{name}: {error}"
            );
        }
        for (record, size) in [(0, 3), (1, 0), (1, 2), (u32::MAX, 5), (2, i32::MIN)] {
            let mut longer = records.to_vec();
            longer.extend(u32::to_le_bytes(record));
            longer.extend(i32::to_le_bytes(size));
            let mut tree = WinTree::open(Cursor::new(longer)).expect("a footer");
            let error = tree.check_footer(1 << 20).expect_err("it does not fit");
            assert!(
                matches!(error, FileError::Footer { entry: 0, .. }),
                "{name}: {error}"
            );
        }
    }
}

/// Entries about large subtrees, about a record at the end of the file, and about one whose siblings below are no moves: each would be
/// counted again, for hours in all.
#[test]
fn a_footer_takes_no_more_time_than_was_granted() {
    const RECORDS: u32 = 1 << 16;
    const MORE: u32 = 1 << 30;
    let mut bytes = (MORE | RECORDS).to_le_bytes().to_vec();
    bytes.extend([0, 0]);
    for index in 1..RECORDS {
        let data = match index {
            // A chain, and below its last record siblings.
            1..0x8000 => MORE,
            _ if index + 1 < RECORDS => index + 1,
            _ => 0,
        };
        let word = if index < 0x8000 {
            0o14 << 6 | 0o24
        } else {
            1 << 12
        };
        bytes.extend(data.to_le_bytes());
        bytes.extend(u16::to_le_bytes(word));
    }
    for (record, size) in [(1, 0x7fff), (RECORDS - 1, 1), (0x7fff, 1)] {
        let entry = [record.to_le_bytes(), i32::to_le_bytes(size)].concat();
        let footer = entry.repeat(100_000);
        let mut tree =
            WinTree::open(Cursor::new([&bytes[..], &footer].concat())).expect("a footer");
        let check = tree.check_footer(150_000).expect("it fits");
        assert_eq!(check, FooterCheck::Partly, "{record}");
    }
}

#[test]
fn links_that_lead_astray_are_found() {
    let bytes = bytes("d3");
    let tree = Tree::read(&bytes);
    let loser = loser_nodes(&tree)[0];
    let first = tree
        .clone()
        .root
        .find(loser)
        .expect("it is there")
        .children()[0]
        .name;
    let kind = word32(&bytes, place(&bytes, first)) & 3 << 30;
    let astray = |link: u32| {
        let mut bytes = bytes.clone();
        let at = place(&bytes, first);
        put32(&mut bytes, at, kind | link);
        let (found, _, severity) = defects(&bytes, Color::Black);
        assert_eq!(severity, Severity::Damaged);
        let first_of_record = found.into_iter().find(|found| found.record == first);
        first_of_record.expect("the link is told").defect
    };
    assert_eq!(astray(500), Defect::BeyondEnd(500));
    assert_eq!(astray(first), Defect::Backward(first));
    assert_eq!(astray(1), Defect::Backward(1));
    assert_eq!(astray(first + 1), Defect::Backward(first + 1));
}

#[test]
fn pointers_that_lead_astray_are_found() {
    for (name, winner) in FILES {
        let bytes = bytes(name);
        let tree = Tree::read(&bytes);
        let mut pointers = Vec::new();
        tree.root.each(&mut Vec::new(), &mut |node, way| {
            if let Below::SameAs(target) = node.below
                && !way.contains(&(target + 1))
            {
                pointers.push((node.name, target));
            }
        });
        for (pointer, target) in pointers.into_iter().take(10) {
            let at = place(&bytes, pointer);
            let astray = |link: u32| {
                let mut bytes = bytes.clone();
                let kind = word32(&bytes, at) & 3 << 30;
                put32(&mut bytes, at, kind | link);
                let (first, total, severity) = defects(&bytes, winner);
                assert_eq!(
                    (total, severity),
                    (1, Severity::Damaged),
                    "{name}: {first:?}"
                );
                assert_eq!(first[0].record, pointer, "{name}");
                first[0].defect.clone()
            };
            assert_eq!(astray(pointer), Defect::ToItself);
            assert_eq!(astray(records(&bytes)), Defect::BeyondEnd(records(&bytes)));
            assert_eq!(astray(target + 1), Defect::OtherPosition(target + 1));
            let last = records(&bytes) - 1;
            if last > pointer {
                assert_eq!(astray(last), Defect::OtherPosition(last));
            }
        }
    }
}

#[test]
fn wrong_moves_are_found() {
    for (name, winner) in FILES {
        let bytes = bytes(name);
        let count = records(&bytes);
        for record in (1..count).step_by(1 + count as usize / 50) {
            let with = |word: u16| {
                let mut bytes = bytes.clone();
                let at = place(&bytes, record) + 4;
                put16(&mut bytes, at, word);
                let (first, _, severity) = defects(&bytes, winner);
                assert_eq!(first[0].record, record, "{name}: {first:?}");
                (first[0].defect.clone(), severity)
            };
            // e4e4, and a promotion to nothing.
            assert_eq!(with(E4E4), (Defect::Illegal(E4E4), Severity::Damaged));
            assert_eq!(with(0x1000), (Defect::Illegal(0x1000), Severity::Damaged));
            assert_eq!(with(0xfedc), (Defect::NullMove, Severity::NotSupported));
            assert_eq!(with(0x0edc), (Defect::NullMove, Severity::NotSupported));
        }
    }
}

#[test]
fn a_second_move_of_the_winner_and_a_reply_that_comes_twice_are_found() {
    for (name, winner) in FILES {
        let mut tree = Tree::read(&bytes(name));
        let reply = &mut tree.root.children_mut()[0];
        let mut again = reply.children()[0].clone();
        again.below = Below::Children(Vec::new());
        reply.children_mut().push(again);
        let (first, total, severity) = defects(&tree.write(), winner);
        assert_eq!(first[0].defect, Defect::ExtraMove, "{name}");
        assert_eq!((total, severity), (1, Severity::NotProved), "{name}");

        let mut tree = Tree::read(&bytes(name));
        let mut again = tree.root.children()[0].clone();
        again.below = Below::Children(Vec::new());
        tree.root.children_mut().push(again);
        let (first, total, severity) = defects(&tree.write(), winner);
        assert_eq!(first[0].defect, Defect::Repeated, "{name}");
        assert_eq!((total, severity), (1, Severity::Damaged), "{name}");
    }
}

#[test]
fn the_opening_must_be_legal() {
    for (name, _) in FILES {
        let mut bytes = bytes(name);
        put16(&mut bytes, 6, E4E4);
        let tree = WinTree::open(Cursor::new(&bytes)).expect("opens");
        let error = tree.prolog(RULES).expect_err("illegal");
        assert!(
            matches!(error, FileError::Prolog { number: 1, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("illegal"), "{error}");
        put16(&mut bytes, 6, 0xfedc);
        let tree = WinTree::open(Cursor::new(&bytes)).expect("opens");
        assert!(matches!(tree.prolog(RULES), Err(FileError::Null)), "{name}");
        put16(&mut bytes, 4, u16::MAX);
        if bytes.len() < 2 * usize::from(u16::MAX) {
            let error = WinTree::open(Cursor::new(&bytes)).expect_err("too short");
            assert!(
                matches!(error, FileError::Short("opening moves")),
                "{error}"
            );
        }
    }
}

#[test]
fn the_authors_header_is_read() {
    // Field case B33: e3c6.done, without its records.
    let bytes = [
        0x54, 0x15, 0x21, 0x40, 0x05, 0x00, 0x14, 0x03, 0xaa, 0x0c, 0x61, 0x01, 0xa1, 0x0a, 0x59,
        0x02,
    ];
    let tree = WinTree::open(Cursor::new(bytes)).expect("a header");
    assert_eq!(tree.records(), 2_168_148);
    let (_, moves) = tree.prolog(RULES).expect("legal");
    let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
    assert_eq!(moves.join(" "), "e2e3 c7c6 f1b5 c6b5 b2b4");
    let (first, _, severity) = defects(&bytes, Color::White);
    assert_eq!(first[0].defect, Defect::Truncated(1));
    assert_eq!(severity, Severity::Damaged);
}

#[test]
fn the_winner_is_found_in_spite_of_a_hole_and_not_guessed() {
    for (name, winner_there) in FILES {
        let mut tree = Tree::read(&bytes(name));
        if let Some(&loser) = loser_nodes(&tree).first() {
            tree.root
                .find(loser)
                .expect("it is there")
                .children_mut()
                .truncate(1);
        }
        assert_eq!(claim_of(&tree.write()).winner, winner_there, "{name}");
        // A line without a choice tells nothing.
        tree.root.children_mut()[0].below = Below::Children(Vec::new());
        let bytes = tree.write();
        let mut short = WinTree::open(Cursor::new(&bytes)).expect("a tree");
        let (game, _) = short.prolog(RULES).expect("legal");
        let forced = game.legal_moves().len() == 1;
        let found = winner(&mut short, game.position(), RULES).expect("readable");
        assert_eq!(found.is_none(), forced, "{name}");
    }
}

#[test]
fn pointers_may_lead_forward_and_in_chains() {
    for (name, _) in FILES {
        let mut tree = Tree::read(&bytes(name));
        let mut pointers = Vec::new();
        tree.root.each(&mut Vec::new(), &mut |node, way| {
            if let Below::SameAs(target) = node.below {
                pointers.push((node.name, target, way.to_vec()));
            }
        });
        let mut by_target: Vec<Vec<u32>> = Vec::new();
        for (pointer, target, _) in &pointers {
            match by_target.iter_mut().find(|all| all[0] == *target) {
                Some(all) => all.push(*pointer),
                None => by_target.push(vec![*target, *pointer]),
            }
        }
        // The subtree moves to the last pointer, and each one before points to the next.
        for all in by_target {
            let (Some(&last), Some(&target)) = (all.last(), all.first()) else {
                continue;
            };
            let node = tree.root.find(target).expect("it is there");
            let mut below = HashSet::new();
            node.each(&mut Vec::new(), &mut |node, _| {
                below.insert(node.name);
            });
            if below.contains(&last) {
                continue;
            }
            let subtree = node.below.clone();
            for (name, next) in all.iter().zip(&all[1..]) {
                tree.root.find(*name).expect("it is there").below = Below::SameAs(*next);
            }
            tree.root.find(last).expect("it is there").below = subtree;
        }
        let (_, _, findings) = read(&tree.write());
        assert_eq!(findings.defects.first(), [], "{name}");
        assert_eq!(findings.transpositions, pointers.len() as u64, "{name}");
    }
}

#[test]
fn pointers_in_a_circle_are_a_loop() {
    let mut tree = Tree::read(&bytes("d3"));
    let mut pointer = None;
    tree.root.each(&mut Vec::new(), &mut |node, _| {
        if let Below::SameAs(target) = node.below {
            pointer.get_or_insert((node.name, target));
        }
    });
    let (pointer, target) = pointer.expect("there is one");
    tree.root.find(target).expect("it is there").below = Below::SameAs(pointer);
    let (first, _, severity) = defects(&tree.write(), Color::Black);
    assert_eq!(severity, Severity::Cyclic, "{first:?}");
    assert_eq!(first[0].defect, Defect::Loop);
}
