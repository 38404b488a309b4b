//! Two boards, two move generators, two readers of FEN, written without sight of each other: on random games they agree.

use rules::{Color, Game, Outcome, Ruleset, canonical_moves, fen};

use crate::{
    random::Random,
    support::{across, position, ruleset_across},
};

/// Starts that lead to what is rare in games from the initial position: promotions, en passant, kings in numbers, stalemates.
const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -",
    "1n1r4/P1P5/8/8/8/8/1p1p4/2N1R3 w - -",
    "8/2pppp2/8/3P4/4p3/8/2PPPP2/8 w - -",
    "K1K5/8/8/3k4/8/8/p6P/7k b - -",
    "8/pppppppp/8/8/8/8/PPPPPPPP/8 w - -",
    "8/8/8/2p2p2/2P2P2/8/4K3/8 w - -",
];

/// Positions compared under each ruleset.
const POSITIONS: usize = 12_000;
/// A game is left after so many plies.
const LONGEST: usize = 150;

#[derive(Default)]
struct Met {
    positions: usize,
    en_passant: usize,
    king_promotions: usize,
    stalemates: usize,
    draws: usize,
}

#[test]
fn moves_outcomes_and_fens_agree_on_random_games() {
    for ruleset in Ruleset::ALL {
        let seed = 0x7461_6B65 + u64::from(ruleset.code());
        let mut random = Random::new(seed);
        let mut met = Met::default();
        while met.positions < POSITIONS {
            for start in STARTS {
                play(start, ruleset, &mut random, &mut met);
            }
        }
        // The walk went where the rules differ.
        assert!(met.en_passant > 50, "{} en passant", met.en_passant);
        assert!(met.king_promotions > 50, "{}", met.king_promotions);
        assert!(met.stalemates > 50, "{} stalemates", met.stalemates);
        assert!((met.draws > 0) == (ruleset != Ruleset::International));
    }
}

fn play(start: &str, ruleset: Ruleset, random: &mut Random, met: &mut Met) {
    let mut game = Game::from_position(position(start, ruleset), ruleset);
    let mut theirs = across(game.position(), ruleset);
    for _ in 0..LONGEST {
        met.positions += 1;
        compare(&game, &theirs, met);
        let legal = game.legal_moves();
        if legal.is_empty() {
            return;
        }
        let mv = legal[random.below(legal.len())];
        met.king_promotions += usize::from(mv.promotion() == Some(rules::Role::King));
        let their_move = verify::Move::from_uci(&mv.to_string()).expect("UCI");
        theirs = theirs.play(their_move).expect("legal on both sides");
        game.play(mv).expect("legal");
    }
}

fn compare(game: &Game, theirs: &verify::Position, met: &mut Met) {
    let (ours, ruleset) = (game.position(), game.ruleset());
    let text = fen::write_position(ours);
    assert_eq!(text, theirs.fen());
    let legal: Vec<String> = canonical_moves(ours, ruleset)
        .iter()
        .map(ToString::to_string)
        .collect();
    let their_legal: Vec<String> = verify::legal_moves(theirs)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(legal, their_legal, "{text} {ruleset}");
    let outcome = ruleset.outcome(ours);
    let expected = match outcome {
        Outcome::Ongoing => verify::Outcome::Ongoing,
        Outcome::Drawn { .. } => verify::Outcome::Drawn,
        Outcome::Won {
            winner: Color::White,
            ..
        } => verify::Outcome::Won(verify::Color::White),
        Outcome::Won {
            winner: Color::Black,
            ..
        } => verify::Outcome::Won(verify::Color::Black),
    };
    let their_ruleset = ruleset_across(ruleset);
    assert_eq!(
        verify::outcome(theirs, their_ruleset),
        expected,
        "{text} {ruleset}"
    );
    // Each side reads what it wrote as the position it was.
    assert_eq!(position(&text, ruleset), *ours);
    assert_eq!(across(ours, ruleset), *theirs);
    met.en_passant += usize::from(ours.en_passant().is_some());
    let stalemate = outcome.reason() == Some(rules::EndReason::Stalemate);
    met.stalemates += usize::from(stalemate);
    met.draws += usize::from(matches!(outcome, Outcome::Drawn { .. }));
}

#[test]
fn perft_agrees() {
    for start in STARTS {
        let ours = position(start, Ruleset::Joint);
        let theirs = across(&ours, Ruleset::Joint);
        for depth in 0..=3 {
            assert_eq!(
                rules::perft::perft(&ours, depth, Ruleset::Joint),
                verify::perft(&theirs, depth),
                "{start} {depth}"
            );
        }
    }
}

#[test]
fn a_wrong_fen_is_refused_by_both() {
    let wrong = [
        "",
        "8/8/8/8/8/8/8/8 w - -",
        "8/8/8/8/8/8/8 w - -",
        "8/8/8/8/8/8/8/7 w - -",
        "8/8/8/8/8/8/8/K8 w - -",
        "8/8/8/8/8/8/8/K6x w - -",
        "P7/8/8/8/8/8/8/8 w - -",
        "KKKKKKKK/KKKKKKKK/K7/8/8/8/8/8 w - -",
        "8/PPPPPPPP/P7/8/8/8/8/8 w - -",
        "K7/8/8/8/8/8/8/8 x - -",
        "K7/8/8/8/8/8/8/8 w X -",
        "K7/8/8/8/8/8/8/8 w - e9",
        "K7/8/8/8/8/8/8/8 w - e6",
        "K7/8/8/8/8/8/8/8 w - - x 1",
        "K7/8/8/8/8/8/8/8 w - - 0 x",
        "K7/8/8/8/8/8/8/8 w - - 0 1 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e4 0 1",
    ];
    for text in wrong {
        assert!(fen::parse(text, Ruleset::Joint).is_err(), "{text}");
        assert!(
            verify::Position::from_fen(text, verify::Ruleset::Joint).is_err(),
            "{text}"
        );
    }
}
