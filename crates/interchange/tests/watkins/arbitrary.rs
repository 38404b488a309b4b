//! Whatever the bytes, a reader tells what is wrong and never breaks down.

use std::{io::Cursor, ops::ControlFlow};

use interchange::watkins::{WinTree, walk, winner};
use proof::{Claim, NoTables, extract};
use proptest::prelude::*;
use rules::{Color, Game, Move, Ruleset};

use crate::{FILES, NoLeaves, bytes, tree::place};

/// Does with bytes all that can be done with a file.
fn exercise(bytes: &[u8]) {
    let Ok(mut tree) = WinTree::open(Cursor::new(bytes)) else {
        return;
    };
    let Ok((game, opening)) = tree.prolog(Ruleset::Joint) else {
        return;
    };
    let shown = winner(&mut tree, game.position(), Ruleset::Joint).expect("readable");
    let claim = Claim {
        ruleset: Ruleset::Joint,
        root: *game.position(),
        winner: shown.unwrap_or(Color::White),
    };
    let watch = |_| ControlFlow::Continue(());
    let findings = walk(&mut tree, &claim, &opening, &mut NoLeaves, &watch);
    let mut findings = findings.expect("readable");
    for found in findings.defects.first() {
        assert_legal(&found.line);
        assert!(found.sentence(Ruleset::Joint).starts_with("after "));
    }
    if findings.defects.total() == 0 {
        // Whether that is a proof is for others to say.
        let _ = extract(&claim, &mut findings.moves, &NoTables);
    }
    let _ = tree.check_footer(10_000);
    for length in 0..=opening.len() {
        let _ = tree.answers(&opening[..length]);
    }
}

/// Whether what is told can be played.
fn assert_legal(line: &[Move]) {
    let mut game = Game::initial(Ruleset::Joint);
    for &mv in line {
        assert!(game.legal_moves().contains(&mv), "{line:?}: {mv}");
        game.play(mv).expect("a legal move");
    }
}

#[test]
fn a_line_that_is_told_of_links_that_lead_astray_is_legal() {
    let mut bytes = bytes("d3");
    // The sibling of record 10, and the target of a pointer.
    for (record, low) in [(10, 0x48), (55, 0)] {
        let at = place(&bytes, record);
        bytes[at] = low;
    }
    exercise(&bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        exercise(&bytes);
    }

    #[test]
    fn any_records_can_be_read(
        records in prop::collection::vec((0..4_u32, 0..40_u32, any::<u16>()), 0..40),
        count in 1..45_u32,
    ) {
        let mut bytes = (1 << 30 | count).to_le_bytes().to_vec();
        bytes.extend([0, 0]);
        for (kind, link, mv) in records {
            bytes.extend((kind << 30 | link).to_le_bytes());
            bytes.extend(mv.to_le_bytes());
        }
        exercise(&bytes);
    }

    #[test]
    fn a_file_with_wrong_bytes_can_be_read(
        file in 0..FILES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = bytes(FILES[file].0);
        prop_assume!(bytes.len() < 40_000);
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        exercise(&bytes);
    }
}
