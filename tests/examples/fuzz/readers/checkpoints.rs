//! Checkpoints of searches. A search goes on from one, whatever is in it; what it then proves must hold.
//!
//! An input is a list of parts: a byte for the kind, two for the length, and the bytes.

use std::{
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use proof::certificate;
use prover::{Archive, CampaignView, Goal, Part, Settings, Task, Verdict, prove};
use rules::{Color, Position, Ruleset, fen};
use search::StopFlag;
use verify::{NoTables, Options};

use super::{Read, Reader, kept};
use crate::run::magnitude;

const RULESET: Ruleset = Ruleset::Joint;
const ATTACKER: Color = Color::White;
const ROOT: &str = "8/2pppp2/8/8/8/8/2PPPP2/8 w - -";
const MEMORY_BYTES: usize = 8 << 20;
/// Expansions of the searches that make seeds.
const SEED_NODES: [u64; 3] = [3, 20, 200];
/// Expansions of a search that goes on.
const NODES: u64 = 20;
/// The time after which a search is stopped.
const REPAIRS: Duration = Duration::from_millis(500);
const HEAD_BYTES: usize = 9;
const CHECKSUM_BYTES: usize = 8;
const LEN_BYTES: usize = 2;

pub(super) struct Checkpoints {
    root: Position,
}

impl Checkpoints {
    pub(super) fn new() -> Self {
        let root = fen::parse(ROOT, RULESET).expect("a FEN");
        Self {
            root: *root.game.position(),
        }
    }

    fn search(&self, nodes: u64, archive: Parts) -> prover::Outcome {
        let settings = Settings {
            nodes: Some(nodes),
            time: None,
            memory_bytes: MEMORY_BYTES,
        };
        let mut task = Task::new(self.root, RULESET, Goal::Side(ATTACKER));
        task.archive = Some(Arc::new(archive));
        let stop = &StopFlag::new();
        thread::scope(|scope| {
            let (_done, is_done) = mpsc::channel::<()>();
            // A search repairs what a checkpoint lacks for as long as the checkpoint says that it took; it must stop when it is told.
            scope.spawn(move || {
                if is_done.recv_timeout(REPAIRS) == Err(RecvTimeoutError::Timeout) {
                    stop.raise();
                }
            });
            prove(&task, &settings, stop, &|_| {})
        })
    }
}

impl Reader for Checkpoints {
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let mut seeds = kept("checkpoints");
        for nodes in SEED_NODES {
            let outcome = self.search(nodes, Parts(Vec::new()));
            for checkpoint in outcome.checkpoints {
                let mut seed = Vec::new();
                let written = checkpoint.write(&mut |part, bytes: &[u8]| {
                    let Ok(len) = u16::try_from(bytes.len()) else {
                        return Err(());
                    };
                    seed.push(part as u8);
                    seed.extend(len.to_le_bytes());
                    seed.extend(bytes);
                    Ok(())
                });
                seeds.extend(written.is_ok().then_some(seed));
            }
        }
        seeds
    }

    fn seal(&self, bytes: &mut Vec<u8>) {
        let mut at = 0;
        while let Some(&[_, low, high]) = bytes[at..].first_chunk::<{ 1 + LEN_BYTES }>() {
            let from = at + 1 + LEN_BYTES;
            let len = usize::from(u16::from_le_bytes([low, high])).min(bytes.len() - from);
            let part = &mut bytes[from..from + len];
            if let Some(body) = len.checked_sub(CHECKSUM_BYTES)
                && body >= HEAD_BYTES
            {
                let payload = u32::try_from(body - HEAD_BYTES).expect("16 bits");
                part[HEAD_BYTES - 4..HEAD_BYTES].copy_from_slice(&payload.to_le_bytes());
                let checksum = verify::crc64_xz(&part[..body]);
                part[body..].copy_from_slice(&checksum.to_le_bytes());
            }
            at = from + len;
        }
    }

    fn words(&self) -> &'static [&'static [u8]] {
        // Numbers as bincode has them.
        &[
            b"\xfb\xff\xff",
            b"\xfc\xff\xff\xff\xff",
            b"\xfd\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\xfc\x00\x00\x00\x10",
            b"\x00\x00\x00",
        ]
    }

    fn read(&mut self, input: &[u8]) -> Read {
        let view = match CampaignView::check(&Parts::of(input), &self.root, RULESET, ATTACKER) {
            Ok(()) => "sound".to_owned(),
            Err(why) => why,
        };
        let outcome = self.search(NODES, Parts::of(input));
        let spent = magnitude(outcome.effort.nodes);
        match outcome.verdict {
            Verdict::Proved(proof) => {
                let mut bytes = Vec::new();
                certificate::write(&proof, &mut bytes).expect("memory can be written");
                let judged = verify::verify_certificate(&bytes, &mut NoTables, &Options::default());
                assert!(
                    matches!(judged, Ok(verify::Verdict::Verified(_))),
                    "a proof that does not hold: {judged:?}"
                );
                Read::accepted(format!("proved {spent} {view}"))
            }
            Verdict::Disproved => Read::accepted(format!("disproved {spent} {view}")),
            Verdict::Undecided(_) => Read::accepted(format!("undecided {spent} {view}")),
            Verdict::KnownFail(_) => Read::refused(format!("known fail {view}")),
            Verdict::TablesFail(_) => Read::refused(format!("tables fail {view}")),
        }
    }
}

/// Parts by their kinds' numbers.
#[derive(Debug)]
struct Parts(Vec<(u8, Vec<u8>)>);

impl Parts {
    fn of(input: &[u8]) -> Self {
        let mut parts = Vec::new();
        let mut rest = input;
        while let Some((&[kind, low, high], after)) = rest.split_first_chunk() {
            let len = usize::from(u16::from_le_bytes([low, high])).min(after.len());
            let (part, after) = after.split_at(len);
            parts.push((kind, part.to_vec()));
            rest = after;
        }
        Self(parts)
    }
}

impl Archive for Parts {
    fn read(
        &self,
        attacker: Color,
        part: Part,
        sink: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), String> {
        let of_kind = |(kind, _): &&(u8, Vec<u8>)| attacker == ATTACKER && *kind == part as u8;
        for (_, bytes) in self.0.iter().filter(of_kind) {
            if !sink(bytes) {
                break;
            }
        }
        Ok(())
    }
}
