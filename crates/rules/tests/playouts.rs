//! Random games against `shakmaty`, an independent program for the ruleset `international`; its chess, with captures made
//! compulsory here, moves as `variant3` and `variant4` do.

mod walks;

use rules::{EndReason, Game, Move, Outcome, Role, Ruleset, fen};
use shakmaty::{
    CastlingMode, Chess, FromSetup, KnownOutcome, Position, PositionError, fen::Fen, uci::UciMove,
    variant::Antichess,
};
use walks::{starts, walk};

const SEED: u64 = 20_240_229;
const GAMES_PER_START: u64 = 400;
const LONGEST_GAME: usize = 400;

/// What the games showed, so that a test that has stopped showing anything fails.
#[derive(Default)]
struct Tally {
    positions: usize,
    en_passant: usize,
    promotions_to_king: usize,
    ends: Vec<EndReason>,
}

/// The other program's board, where the game stands.
fn oracle_at<O>(game: &Game) -> O
where
    O: Position + FromSetup,
    PositionError<O>: std::fmt::Debug,
{
    fen::write(game)
        .parse::<Fen>()
        .expect("a FEN that the oracle reads")
        .into_position(CastlingMode::Standard)
        .expect("a position that the oracle accepts")
}

fn oracle_moves(oracle: &impl Position) -> Vec<String> {
    let mut legal = oracle.legal_moves();
    if legal.iter().any(|m| m.is_capture()) {
        legal.retain(|m| m.is_capture());
    }
    let mut moves: Vec<String> = legal
        .into_iter()
        .map(|m| m.to_uci(CastlingMode::Standard).to_string())
        .collect();
    moves.sort();
    moves
}

/// The outcome as the oracle sees it, which knows neither clocks nor repetition.
fn oracle_outcome(oracle: &Antichess) -> &'static str {
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
    let mut oracle: Antichess = oracle_at(&game);
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

fn own_moves(game: &Game) -> Vec<String> {
    let mut moves: Vec<String> = game.legal_moves().iter().map(Move::to_string).collect();
    moves.sort();
    moves
}

fn compare(game: &Game, oracle: &Antichess, seed: u64, tally: &mut Tally) {
    let here = fen::write(game);
    assert_eq!(
        own_moves(game),
        oracle_moves(oracle),
        "seed {seed}: moves of {here}"
    );
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
    let starts = starts(Ruleset::International);
    for (start, first_seed) in starts.into_iter().zip((SEED..).step_by(1000)) {
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

/// How often a random game came upon what only royal kings know.
#[derive(Default)]
struct RoyalTally {
    positions: usize,
    castlings: usize,
    en_passant: usize,
    checks: usize,
    mates: usize,
}

#[test]
fn moves_with_a_royal_king_agree_with_shakmaty_in_random_games() {
    let ruleset = Ruleset::Variant4;
    let mut tally = RoyalTally::default();
    for (start, first_seed) in starts(ruleset).into_iter().zip((SEED..).step_by(1000)) {
        for seed in first_seed..first_seed + GAMES_PER_START {
            let mut game = fen::parse(start, ruleset).expect("a legal FEN").game;
            for mv in walk(start, ruleset, seed, LONGEST_GAME).1 {
                compare_royal(&game, &mut tally);
                let text = rules::san::write(game.position(), mv, ruleset);
                tally.castlings += usize::from(text.starts_with("O-O"));
                game.play(mv).expect("a legal move");
            }
            compare_royal(&game, &mut tally);
        }
    }
    let RoyalTally {
        positions,
        castlings,
        en_passant,
        checks,
        mates,
    } = tally;
    assert!(positions > 100_000, "{positions} positions");
    for (count, what) in [
        (castlings, "castlings"),
        (en_passant, "en passant"),
        (checks, "checks"),
        (mates, "mates"),
    ] {
        assert!(count > 20, "{count} {what}");
    }
}

fn compare_royal(game: &Game, tally: &mut RoyalTally) {
    let (ruleset, position) = (game.ruleset(), game.position());
    tally.positions += 1;
    tally.en_passant += usize::from(position.en_passant().is_some());
    let outcome = ruleset.outcome(position);
    if outcome.reason() == Some(EndReason::BareKing) {
        return; // chess goes on
    }
    let oracle: Chess = oracle_at(game);
    let here = fen::write(game);
    assert_eq!(own_moves(game), oracle_moves(&oracle), "moves of {here}");
    assert_eq!(ruleset.is_check(position), oracle.is_check(), "{here}");
    let mate = outcome.reason() == Some(EndReason::Checkmate);
    assert_eq!(mate, oracle.is_checkmate(), "{here}");
    tally.checks += usize::from(oracle.is_check());
    tally.mates += usize::from(mate);
}
