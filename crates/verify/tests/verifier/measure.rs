//! Speed and memory on a strategy with very many positions.
//!
//! The strategy is no real proof: it plays captures and pawn moves, so that no line can come back, and a made-up table ends
//! the lines as soon as few enough men are left. But the boards are full and the replies many, as in a hard proof.

use std::time::Instant;

use takeme_verify::{
    Choice, Color, Kind, Move, Options, Position, Ruleset, Strategy, StrategyError, TableAnswer,
    TableId, Tables, Verified, legal_moves, verify,
};

use crate::support::{claim, verified};

const ROOT: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -";

/// Plays the last capture or pawn move in canonical order.
struct Forward;

fn is_forward(position: &Position, mv: Move) -> bool {
    let is_pawn = matches!(position.piece_at(mv.origin), Some((_, Kind::Pawn)));
    is_pawn || position.piece_at(mv.destination).is_some()
}

impl Strategy for Forward {
    fn choose(&mut self, position: &Position, legal: &[Move]) -> Result<Choice, StrategyError> {
        let found = legal.iter().rposition(|&mv| is_forward(position, mv));
        Ok(found.map_or(Choice::Unknown, |index| Choice::Index(index as u16)))
    }
}

/// Gives a position as won if White has no capture or pawn move, or if at most `men` men are left.
struct Thin {
    men: u8,
    id: TableId,
}

impl Tables for Thin {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        let men = position.men(Color::White) + position.men(Color::Black);
        let white_to_move = position.side_to_move() == Color::White;
        let is_stuck = || {
            !legal_moves(position)
                .iter()
                .any(|&mv| is_forward(position, mv))
        };
        if men <= self.men || (white_to_move && is_stuck()) {
            TableAnswer::Won {
                winner: Color::White,
                plies: 0,
            }
        } else {
            TableAnswer::NotCovered
        }
    }

    fn table(&self, _: &Position) -> Option<&TableId> {
        Some(&self.id)
    }
}

fn replay(men: u8) -> Verified {
    let claim = claim(Ruleset::Joint, ROOT, Color::White);
    let mut tables = Thin {
        men,
        id: TableId {
            name: "thin".to_owned(),
            sha256: [0; 32],
        },
    };
    verified(verify(
        &claim,
        &mut Forward,
        &mut tables,
        &Options::default(),
    ))
}

/// The most memory that this process has held, where the system tells.
fn peak_of_process() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

#[test]
fn a_position_takes_less_than_48_bytes() {
    let verified = replay(29);
    assert!(
        verified.positions >= 100_000,
        "{} positions",
        verified.positions
    );
    assert!(
        verified.peak_bytes < 48 * verified.positions,
        "{verified:?}"
    );
}

/// Alone in its process, or the peak is that of other tests:
/// `cargo test --release -p takeme-verify -- --ignored --exact measure::speed_and_memory_on_a_large_proof --nocapture`.
#[test]
#[ignore = "measures; wants an optimised build and a process of its own"]
#[expect(clippy::print_stdout, reason = "a measurement is for reading")]
fn speed_and_memory_on_a_large_proof() {
    for men in [29, 28] {
        let before = peak_of_process().unwrap_or_default();
        let start = Instant::now();
        let verified = replay(men);
        let micros = start.elapsed().as_micros();
        let grown = peak_of_process().unwrap_or_default().saturating_sub(before);
        println!(
            "{men} men: {} positions, {} positions/s, {} bytes/position by count, {} by the process",
            verified.positions,
            u128::from(verified.positions) * 1_000_000 / micros,
            verified.peak_bytes / verified.positions,
            grown / verified.positions,
        );
        assert!(verified.peak_bytes < 48 * verified.positions.max(100_000));
    }
}
