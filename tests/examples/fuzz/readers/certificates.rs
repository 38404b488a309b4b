//! Certificates, before both readers: what the verifier accepts the prover's side must read as the same proof, and the other way round.

use std::fs;

use proof::{Proof, certificate};
use prover::{Goal, Settings, Task, Verdict, prove};
use rules::{Position, Ruleset, fen};
use search::StopFlag;
use verify::{NoTables, Options};

use super::{Read, Reader, data, kept, variant};
use crate::run::magnitude;

/// Small positions that are won, besides those of `data/positions`.
const POSITIONS: [(Ruleset, &str); 4] = [
    (Ruleset::International, "8/5p2/8/8/8/5P2/8/8 w - -"),
    (Ruleset::Joint, "8/8/8/1p6/2K5/8/8/8 w - -"),
    (Ruleset::Fics, "8/8/4p3/8/3P4/8/8/8 w - -"),
    (Ruleset::Joint, "1n6/8/8/8/8/8/P7/8 w - -"),
];
/// Expansions for each proof.
const NODES: u64 = 3_000;
/// Seeds beyond this are too slow to read.
const MOST_BYTES: usize = 2_000;
const CHECKSUM_BYTES: usize = 8;

pub(super) struct Certificates;

impl Reader for Certificates {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let small = POSITIONS.map(|(ruleset, text)| (ruleset, text.to_owned()));
        let mut roots = small.to_vec();
        for ruleset in [
            Ruleset::Variant2,
            Ruleset::Variant3,
            Ruleset::Variant4,
            Ruleset::Extinction,
        ] {
            let path = data(&format!("positions/{}.epd", ruleset.name()));
            let text = fs::read_to_string(path).expect("the positions are in the repository");
            let fen = |line: &str| line.split(' ').take(4).collect::<Vec<_>>().join(" ");
            roots.extend(text.lines().take(6).map(|line| (ruleset, fen(line))));
        }
        let mut seeds: Vec<Vec<u8>> = Vec::new();
        for (ruleset, text) in &roots {
            let root = fen::parse(text, *ruleset).expect("a FEN");
            let proven = proof(*root.game.position(), *ruleset);
            seeds.extend(proven.map(|proof| written(&proof)));
        }
        seeds.retain(|seed| seed.len() <= MOST_BYTES);
        seeds.extend(kept("certificates"));
        seeds
    }

    fn seal(&self, bytes: &mut Vec<u8>) {
        if let Some(body) = bytes.len().checked_sub(CHECKSUM_BYTES) {
            let checksum = verify::crc64_xz(&bytes[..body]);
            bytes[body..].copy_from_slice(&checksum.to_le_bytes());
        }
    }

    fn words(&self) -> &'static [&'static [u8]] {
        &[
            b"KRvN",
            b"\x04KRvN0123456789abcdef0123456789abcdef",
            b" w - - 0 1",
            b" b KQkq e3",
            b"KvK",
            b"8/8/",
            b"\xff\xff",
        ]
    }

    fn read(&mut self, input: &[u8]) -> Read {
        let ours = ours(input);
        let theirs = match verify::Certificate::parse(input) {
            Ok(certificate) => certificate.verify(&mut NoTables, &Options::default()),
            Err(error) => {
                assert!(!ours.is_ok_and(|proof| written(&proof) == input), "{error}");
                return Read::refused(match error {
                    verify::CertificateError::Root(root) => variant(&root),
                    other => variant(&other),
                });
            }
        };
        match theirs {
            verify::Verdict::Verified(found) => {
                let proof = ours.unwrap_or_else(|why| panic!("only the verifier reads it: {why}"));
                assert_eq!(proof.positions(), found.positions);
                assert_eq!(u32::from(proof.plies.0), found.plies);
                Read::accepted(format!("accepted {}", magnitude(found.positions)))
            }
            verify::Verdict::Rejected(rejection) => {
                let is_written_so = ours.is_ok_and(|proof| written(&proof) == input);
                assert!(!is_written_so, "{rejection}");
                let depth = magnitude(rejection.path.len() as u64);
                Read::refused(format!("{} {depth}", rejection.reason))
            }
            verify::Verdict::Damaged(error) => Read::refused(error.to_string()),
            verify::Verdict::Interrupted(_) => panic!("nobody interrupts"),
        }
    }
}

/// The proof that the prover's side finds in a certificate.
fn ours(input: &[u8]) -> Result<Proof, String> {
    let read = certificate::Certificate::parse(input).map_err(|error| error.to_string())?;
    let mut strategy = read.strategy().map_err(|error| error.to_string())?;
    proof::extract(&read.claim, &mut strategy, &proof::NoTables).map_err(|error| error.to_string())
}

fn written(proof: &Proof) -> Vec<u8> {
    let mut bytes = Vec::new();
    certificate::write(proof, &mut bytes).expect("memory can be written");
    bytes
}

fn proof(root: Position, ruleset: Ruleset) -> Option<Proof> {
    let settings = Settings {
        nodes: Some(NODES),
        time: None,
        memory_bytes: 64 << 20,
    };
    let task = Task::new(root, ruleset, Goal::Either);
    match prove(&task, &settings, &StopFlag::new(), &|_| {}).verdict {
        Verdict::Proved(proof) => Some(*proof),
        _ => None,
    }
}
