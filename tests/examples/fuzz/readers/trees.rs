//! Watkins files. What is accepted must hold before the verifier, and must come back when it is written again.

use std::{convert::Infallible, fs, io::Cursor, ops::ControlFlow};

use interchange::watkins::{self, Leaf, Leaves, WinTree, walk, winner};
use proof::{Claim, NoTables, Proof, certificate, extract};
use rules::{Color, Move, Position, Ruleset};

use super::{Read, Reader, data, kept};
use crate::run::magnitude;

const RULESET: Ruleset = Ruleset::Joint;
/// Records that may be counted to check a footer.
const FOOTER_BUDGET: u64 = 100_000;
const SEEDS: [&str; 5] = ["d3", "d3.counts", "e3d5", "e3d6", "e4"];

pub(super) struct Trees;

/// Nobody knows ends of lines.
struct Unknown;

impl Leaves for Unknown {
    type Error = Infallible;

    fn judge(&mut self, _: &Position, _: &Claim) -> Result<Leaf, Infallible> {
        Ok(Leaf::Unknown("nobody knows".to_owned()))
    }
}

impl Reader for Trees {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let files = SEEDS.map(|name| fs::read(data(&format!("watkins/{name}.proof"))));
        let mut seeds: Vec<Vec<u8>> = files.into_iter().flatten().collect();
        seeds.extend(kept("trees"));
        seeds
    }

    fn words(&self) -> &'static [&'static [u8]] {
        &[
            b"\xff\xff\xff\x3f",
            b"\x00\x00\x00\x40",
            b"\x01\x00\x00\xc0",
            b"\x02\x00\x00\x80",
            b"\xdc\xfe",
        ]
    }

    fn read(&mut self, input: &[u8]) -> Read {
        match read(input) {
            Ok(answer) => Read::accepted(answer),
            Err(why) => Read::refused(why),
        }
    }
}

fn read(input: &[u8]) -> Result<String, String> {
    let mut tree = WinTree::open(Cursor::new(input)).map_err(|error| error.to_string())?;
    let prolog = tree.prolog(RULESET);
    let (game, opening) = prolog.map_err(|error| error.to_string())?;
    let shown = winner(&mut tree, game.position(), RULESET).map_err(|error| error.to_string())?;
    let claim = Claim {
        ruleset: RULESET,
        root: *game.position(),
        winner: shown.unwrap_or(Color::Black),
    };
    let watch = |_| ControlFlow::Continue(());
    let mut findings = walk(&mut tree, &claim, &opening, &mut Unknown, &watch)
        .map_err(|error| error.to_string())?;
    let answers = tree.answers(&opening);
    let footer = tree.check_footer(FOOTER_BUDGET);
    if let Some(found) = findings.defects.first().first() {
        let depth = magnitude(findings.records);
        let kind = found.sentence(RULESET);
        return Err(format!("{kind} {depth} answered={}", answers.is_ok()));
    }
    footer.map_err(|error| error.to_string())?;
    answers.map_err(|error| error.to_string())?;
    let proof =
        extract(&claim, &mut findings.moves, &NoTables).map_err(|error| error.to_string())?;
    holds(&proof);
    comes_back(&proof, &opening);
    Ok(format!("accepted {}", magnitude(findings.records)))
}

fn holds(proof: &Proof) {
    let mut bytes = Vec::new();
    certificate::write(proof, &mut bytes).expect("memory can be written");
    let judged =
        verify::verify_certificate(&bytes, &mut verify::NoTables, &verify::Options::default());
    let Ok(verify::Verdict::Verified(verified)) = judged else {
        panic!("what was read from a tree does not hold: {judged:?}");
    };
    assert_eq!(verified.positions, proof.positions());
}

/// A tree that holds what `proof` says.
struct Entries<'a>(&'a Proof);

impl proof::Strategy for Entries<'_> {
    type Error = Infallible;

    fn entry(&mut self, position: &Position) -> Result<Option<proof::Entry>, Infallible> {
        Ok(self.0.entry(position))
    }
}

fn comes_back(proof: &Proof, opening: &[Move]) {
    let mut bytes = Vec::new();
    let mut entries = Entries(proof);
    watkins::write(&proof.claim, opening, &mut entries, &NoTables, &mut bytes)
        .expect("a proof can be written");
    let mut tree = WinTree::open(Cursor::new(&bytes)).expect("what was written opens");
    let watch = |_| ControlFlow::Continue(());
    let findings = walk(&mut tree, &proof.claim, opening, &mut Unknown, &watch);
    let findings = findings.expect("what was written can be walked through");
    assert_eq!(
        findings.defects.total(),
        0,
        "{:?}",
        findings.defects.first()
    );
}
