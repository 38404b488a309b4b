//! Random games against `shakmaty`, an independent program for the ruleset `international`.

mod walks;

use rules::{EndReason, Game, Move, Outcome, Role, Ruleset, fen};
use shakmaty::{
    CastlingMode, KnownOutcome, Position, fen::Fen, uci::UciMove, variant::Antichess as Oracle,
};
use walks::{STARTS, walk};

const SEED: u64 = 20_240_229;
const GAMES_PER_START: u64 = 600;
const LONGEST_GAME: usize = 400;

/// What the games showed, so that a test that has stopped showing anything fails.
#[derive(Default)]
struct Tally {
    positions: usize,
    en_passant: usize,
    promotions_to_king: usize,
    ends: Vec<EndReason>,
}

fn oracle_at(fen: &str) -> Oracle {
    fen.parse::<Fen>()
        .expect("a FEN that the oracle reads")
        .into_position(CastlingMode::Standard)
        .expect("a position that the oracle accepts")
}

fn oracle_moves(oracle: &Oracle) -> Vec<String> {
    let mut moves: Vec<String> = oracle
        .legal_moves()
        .into_iter()
        .map(|m| m.to_uci(CastlingMode::Standard).to_string())
        .collect();
    moves.sort();
    moves
}

/// The outcome as the oracle sees it, which knows neither clocks nor repetition.
fn oracle_outcome(oracle: &Oracle) -> &'static str {
    match oracle.outcome().known() {
        None => "ongoing",
        Some(KnownOutcome::Draw) => "draw",
        Some(KnownOutcome::Decisive { winner }) => winner.fold_wb("white", "black"),
    }
}

/// The outcome by men, moves and dead positions.
fn outcome_without_clocks(game: &Game) -> Outcome {
    Game::from_position(*game.position(), game.ruleset()).outcome()
}

fn play_one_game(start: &str, seed: u64, tally: &mut Tally) {
    let ruleset = Ruleset::International;
    let mut game = fen::parse(start, ruleset).expect("a legal FEN").game;
    let mut oracle = oracle_at(start);
    compare(&game, &oracle, seed, tally);
    for mv in walk(start, ruleset, seed, LONGEST_GAME).1 {
        tally.promotions_to_king += usize::from(mv.promotion() == Some(Role::King));
        game.play(mv).expect("a legal move");
        let uci: UciMove = mv.to_string().parse().expect("a UCI move");
        let theirs = uci.to_move(&oracle).expect("a legal move of the oracle");
        oracle.play_unchecked(theirs);
        compare(&game, &oracle, seed, tally);
    }
}

fn compare(game: &Game, oracle: &Oracle, seed: u64, tally: &mut Tally) {
    let here = fen::write(game);
    let mut moves: Vec<String> = game.legal_moves().iter().map(Move::to_string).collect();
    moves.sort();
    assert_eq!(moves, oracle_moves(oracle), "seed {seed}: moves of {here}");
    let outcome = outcome_without_clocks(game);
    assert_eq!(
        outcome.name(),
        oracle_outcome(oracle),
        "seed {seed}: outcome of {here}"
    );
    tally.positions += 1;
    tally.en_passant += usize::from(game.position().en_passant().is_some());
    tally.ends.extend(outcome.reason());
}

#[test]
fn moves_and_outcomes_agree_with_shakmaty_in_random_games() {
    let mut tally = Tally::default();
    for (start, first_seed) in STARTS.into_iter().zip((SEED..).step_by(1000)) {
        for seed in first_seed..first_seed + GAMES_PER_START {
            play_one_game(start, seed, &mut tally);
        }
    }
    assert!(tally.positions > 100_000, "{} positions", tally.positions);
    assert!(tally.en_passant > 100, "{} en passant", tally.en_passant);
    assert!(tally.promotions_to_king > 100);
    for reason in [
        EndReason::NoMen,
        EndReason::Stalemate,
        EndReason::DeadPosition,
    ] {
        let count = tally.ends.iter().filter(|&&end| end == reason).count();
        assert!(count > 20, "{count} games ended by {}", reason.name());
    }
}
