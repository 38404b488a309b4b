//! Two boards, two move generators, two readers of FEN, written without sight of each other: on random games they agree.

use std::collections::BTreeMap;

use rules::{Class, Color, Game, Outcome, Position, Ruleset, canonical_moves, fen, san};

use crate::{
    random::Random,
    support::{across, position, ruleset_across},
};

/// Starts that lead to what is rare in games from the initial position: promotions, en passant, kings in numbers, stalemates,
/// castling, pins, kinds of men about to die out.
const STARTS: [&str; 15] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "1n1r4/P1P5/8/8/8/8/1p1p4/2N1R3 w - -",
    "8/2pppp2/8/3P4/4p3/8/2PPPP2/8 w - -",
    "K1K5/8/8/3k4/8/8/p6P/7k b - -",
    "8/pppppppp/8/8/8/8/PPPPPPPP/8 w - -",
    "8/p2p3p/8/8/8/8/P2P3P/8 w - -",
    "8/8/8/2p2p2/2P2P2/8/4K3/8 w - -",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
    "r3k2r/8/1n6/8/8/6N1/8/R3K2R w KQkq -",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
    "k7/p1p5/P1P5/8/8/5p1p/5P1P/7K w - -",
    "k7/8/1n6/8/8/6N1/8/K7 w - -",
    "rnbqk3/1P6/8/8/8/8/p7/RNBQK3 w - -",
    "r1bnk2r/pP1q4/8/8/8/8/3Q1pP1/R3KNBR w KQkq -",
    "r2Kkbn1/1b5r/4K1pp/1pp5/p7/1QP1P1P1/1P1N1q1P/1RB2BNR w - -",
];

/// Positions compared under each ruleset by every run of the tests, and by `scripts/walks`.
const POSITIONS: usize = 30_000;
const MANY_POSITIONS: usize = 1_000_000;
/// A game is left after so many plies.
const LONGEST: usize = 150;

#[derive(Debug, Default)]
struct Met {
    positions: usize,
    en_passant: usize,
    castling_rights: usize,
    castlings: usize,
    king_promotions: usize,
    /// Ends of games by their reasons.
    ends: BTreeMap<&'static str, usize>,
    draws: usize,
}

#[test]
fn moves_outcomes_and_fens_agree_on_random_games() {
    for ruleset in Ruleset::ALL {
        walk(ruleset, POSITIONS);
    }
}

/// Takes a minute or two in a release build: `scripts/walks`.
#[test]
#[ignore = "long: run scripts/walks"]
#[expect(clippy::print_stdout, reason = "says what the walks met")]
fn moves_outcomes_and_fens_agree_on_a_million_positions() {
    for ruleset in Ruleset::ALL {
        let met = walk(ruleset, MANY_POSITIONS);
        println!("{ruleset}: {met:?}");
    }
}

/// Compares so many positions of random games, and checks that the walk went where the rules differ.
fn walk(ruleset: Ruleset, positions: usize) -> Met {
    let seed = 0x7461_6B65 + u64::from(ruleset.code());
    let mut random = Random::new(seed);
    let mut met = Met::default();
    let starts: Vec<Position> = STARTS
        .iter()
        .filter_map(|text| Some(*fen::parse(text, ruleset).ok()?.game.position()))
        .filter(|start| !canonical_moves(start, ruleset).is_empty())
        .collect();
    while met.positions < positions {
        for start in &starts {
            play(start, ruleset, &mut random, &mut met);
        }
    }
    let class = ruleset.class();
    assert!(starts.len() > 3 && met.en_passant > 10, "{ruleset} {met:?}");
    let promotes_to_king = matches!(class, Class::Antichess | Class::Extinction);
    assert_eq!(
        met.king_promotions > 5,
        promotes_to_king,
        "{ruleset} {met:?}"
    );
    assert_eq!(
        met.castling_rights > 100,
        class.has_castling(),
        "{ruleset} {met:?}"
    );
    assert_eq!(met.castlings > 5, class.has_castling(), "{ruleset} {met:?}");
    assert_eq!(met.draws > 0, draws(ruleset), "{ruleset} {met:?}");
    let ends: Vec<&str> = met.ends.keys().copied().collect();
    let expected: &[&str] = match class {
        Class::Antichess | Class::Variant2 => &["no men", "stalemate"],
        Class::Variant34 => &["bare king", "checkmate", "stalemate"],
        Class::Extinction => &["extinction"],
    };
    assert_eq!(ends, expected, "{ruleset} {met:?}");
    met
}

/// Whether random games come upon stalemates that are drawn; under extinction they do not.
fn draws(ruleset: Ruleset) -> bool {
    !matches!(ruleset, Ruleset::International | Ruleset::Extinction)
}

fn play(start: &Position, ruleset: Ruleset, random: &mut Random, met: &mut Met) {
    let mut game = Game::from_position(*start, ruleset);
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
        let san = san::write(game.position(), mv, ruleset);
        met.castlings += usize::from(san.starts_with("O-O"));
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
    met.castling_rights += usize::from(ours.castling() != 0);
    if let Some(reason) = outcome.reason() {
        *met.ends.entry(reason.name()).or_default() += 1;
    }
    met.draws += usize::from(matches!(outcome, Outcome::Drawn { .. }));
}

#[test]
fn perft_agrees() {
    for ruleset in Ruleset::ALL {
        for start in STARTS
            .iter()
            .filter_map(|text| fen::parse(text, ruleset).ok())
        {
            let ours = start.game.position();
            let theirs = across(ours, ruleset);
            for depth in 0..=3 {
                assert_eq!(
                    rules::perft::perft(ours, depth, ruleset),
                    verify::perft(&theirs, depth),
                    "{ruleset} {} {depth}",
                    fen::write_position(ours)
                );
            }
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
        for ruleset in Ruleset::ALL {
            assert_both_refuse(text, ruleset);
        }
    }
    let wrong_with_royal_kings = [
        "8/8/8/8/8/8/P7/K7 w - -",
        "k6k/8/8/8/8/8/P7/K7 w - -",
        "k7/8/8/8/8/8/8/K7 w - -",
        "k7/8/8/8/8/8/8/RK5n w - -",
        "8/8/8/8/8/p7/1kp5/K7 w - -",
    ];
    for text in wrong_with_royal_kings {
        assert_both_refuse(text, Ruleset::Variant3);
        assert_both_refuse(text, Ruleset::Variant4);
        let _ = position(text, Ruleset::Extinction);
    }
}

fn assert_both_refuse(text: &str, ruleset: Ruleset) {
    assert!(fen::parse(text, ruleset).is_err(), "{ruleset} {text}");
    let theirs = verify::Position::from_fen(text, ruleset_across(ruleset));
    assert!(theirs.is_err(), "{ruleset} {text}");
}

/// Rights without king and rook are no rights, to both.
#[test]
fn castling_rights_are_read_alike() {
    for rights in ["-", "KQkq", "HAha", "Kq", "KA", "k", "qkQK"] {
        for placement in [
            "r3k2r/8/1n6/8/8/6N1/8/R3K2R",
            "r3k2r/8/1n6/8/8/6N1/8/R4K1R",
            "1r2k2r/8/1n6/8/8/6N1/8/R3K1R1",
            "r3k2R/8/1n6/8/8/8/8/R3K2r",
        ] {
            for ruleset in Ruleset::ALL {
                let text = format!("{placement} w {rights} -");
                let Ok(ours) = fen::parse(&text, ruleset) else {
                    assert_both_refuse(&text, ruleset);
                    continue;
                };
                let theirs = verify::Position::from_fen(&text, ruleset_across(ruleset));
                let theirs = theirs.expect("one side reads it");
                assert_eq!(
                    fen::write_position(ours.game.position()),
                    theirs.fen(),
                    "{ruleset} {text}"
                );
            }
        }
    }
}
