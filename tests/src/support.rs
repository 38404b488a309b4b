//! Proofs to be spoilt, and strategies to spoil them in.

use std::collections::HashMap;

use proof::{Claim, Proof, certificate};
use prover::{Goal, Settings, Task, prove};
use rules::{Color, Game, Position, Ruleset, canonical_moves, fen, line};
use search::StopFlag;
use verify::{Choice, NoTables, Options, StrategyError, Verdict};

/// The position that a FEN gives.
pub(crate) fn position(text: &str, ruleset: Ruleset) -> Position {
    *fen::parse(text, ruleset).expect("a FEN").game.position()
}

/// The position after a LINE from the start.
pub(crate) fn after(text: &str, ruleset: Ruleset) -> Position {
    let (game, _) = line::play(Game::initial(ruleset), text).expect("a legal line");
    *game.position()
}

/// What the prover says within so many expansions, whichever side wins.
pub(crate) fn verdict(root: Position, ruleset: Ruleset, nodes: u64) -> prover::Verdict {
    let settings = Settings {
        nodes: Some(nodes),
        time: None,
        memory_bytes: 256 << 20,
    };
    let task = Task::new(root, ruleset, Goal::Either);
    prove(&task, &settings, &StopFlag::new(), &|_| {}).verdict
}

/// A proof of whichever side wins, found by the prover.
pub(crate) fn proof(root: Position, ruleset: Ruleset) -> Proof {
    match verdict(root, ruleset, 1_000_000) {
        prover::Verdict::Proved(proof) => *proof,
        other => panic!("not proved: {other:?}"),
    }
}

pub(crate) fn certificate(proof: &Proof) -> Vec<u8> {
    let mut bytes = Vec::new();
    certificate::write(proof, &mut bytes).expect("memory can be written");
    bytes
}

/// Makes the checksum fit the bytes before it.
pub(crate) fn seal(bytes: &mut [u8]) {
    let body = bytes.len() - 8;
    let checksum = verify::crc64_xz(&bytes[..body]);
    bytes[body..].copy_from_slice(&checksum.to_le_bytes());
}

/// The same position on the verifier's board.
pub(crate) fn across(position: &Position, ruleset: Ruleset) -> verify::Position {
    let text = fen::write_position(position);
    verify::Position::from_fen(&text, ruleset_across(ruleset))
        .expect("both sides read each other's FEN")
}

pub(crate) fn ruleset_across(ruleset: Ruleset) -> verify::Ruleset {
    verify::Ruleset::from_name(ruleset.name()).expect("both sides have the same names")
}

pub(crate) fn claim_across(claim: &Claim) -> verify::Claim {
    verify::Claim {
        ruleset: ruleset_across(claim.ruleset),
        root: across(&claim.root, claim.ruleset),
        winner: match claim.winner {
            Color::White => verify::Color::White,
            Color::Black => verify::Color::Black,
        },
    }
}

pub(crate) fn mv(text: &str) -> verify::Move {
    verify::Move::from_uci(text).expect("UCI")
}

/// Moves by FEN.
#[derive(Clone, Default)]
pub(crate) struct Moves(pub(crate) HashMap<String, verify::Move>);

impl Moves {
    /// The moves of a proof, each position of the winner with its own.
    pub(crate) fn of(proof: &Proof) -> Self {
        let Claim {
            ruleset,
            root,
            winner,
        } = proof.claim;
        let mut moves = HashMap::new();
        let mut stack = vec![root];
        while let Some(position) = stack.pop() {
            let legal = canonical_moves(&position, ruleset);
            if position.side_to_move() != winner || legal.is_empty() {
                stack.extend(legal.iter().map(|&mv| position.after(mv, ruleset)));
                continue;
            }
            let chosen = proof.entry(&position).expect("a complete proof").mv;
            let text = fen::write_position(&position);
            if moves.insert(text, mv(&chosen.to_string())).is_none() {
                stack.push(position.after(chosen, ruleset));
            }
        }
        Self(moves)
    }

    /// The FENs, in the same order in every run.
    pub(crate) fn positions(&self) -> Vec<String> {
        let mut positions: Vec<String> = self.0.keys().cloned().collect();
        positions.sort_unstable();
        positions
    }

    /// What the verifier says if `claim` rests on these moves.
    pub(crate) fn judge(&self, claim: &verify::Claim) -> Verdict {
        verify::verify(claim, &mut self.clone(), &mut NoTables, &Options::default())
    }
}

impl verify::Strategy for Moves {
    fn choose(
        &mut self,
        position: &verify::Position,
        _: &[verify::Move],
    ) -> Result<Choice, StrategyError> {
        let chosen = self.0.get(&position.fen());
        Ok(chosen.map_or(Choice::Unknown, |&mv| Choice::Move(mv)))
    }
}

/// The verifier accepts the proof, and finds as many positions and plies in it.
pub(crate) fn accepted(proof: &Proof) {
    let bytes = certificate(proof);
    let verdict = verify::verify_certificate(&bytes, &mut NoTables, &Options::default());
    let Ok(Verdict::Verified(verified)) = verdict else {
        panic!("{}: {verdict:?}", proof.claim);
    };
    assert_eq!(verified.positions, proof.positions());
    assert_eq!(verified.plies, u32::from(proof.plies.0));
    assert!(verified.assumptions.is_empty());
    // The prover's side reads its own certificate as the same proof.
    let read = certificate::Certificate::parse(&bytes).expect("a certificate");
    let again = proof::extract(
        &read.claim,
        &mut read.strategy().expect("choices"),
        &proof::NoTables,
    )
    .expect("a proof");
    assert_eq!(again.records, proof.records);
    // Asked by position rather than in order, the strategy proves the same.
    let judged = Moves::of(proof).judge(&claim_across(&proof.claim));
    assert!(matches!(judged, Verdict::Verified(_)), "{judged:?}");
}
