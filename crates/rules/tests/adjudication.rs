//! Who has won: the project's adjudication table, the field cases about stalemate, and the draws by clock and repetition.

use std::{fs, path::Path};

use rules::{EndReason, Game, Outcome, Ruleset, fen, line};

/// The rulesets in which a side without men has won.
const FREE_KING: [Ruleset; 4] = [
    Ruleset::International,
    Ruleset::Fics,
    Ruleset::Joint,
    Ruleset::Variant2,
];

fn game(text: &str, ruleset: Ruleset) -> Game {
    fen::parse(text, ruleset).expect("a legal FEN").game
}

fn outcome(text: &str, ruleset: Ruleset) -> &'static str {
    game(text, ruleset).outcome().name()
}

#[test]
fn every_row_of_the_table_is_adjudicated_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adjudication.tsv");
    let table = fs::read_to_string(path).expect("the table is in the repository");
    let mut checked = 0;
    for row in table.lines().skip(1) {
        let [name, text, expected, note] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a row has four fields: {row}");
        };
        let ruleset: Ruleset = name.parse().expect("a ruleset");
        let found = outcome(text, ruleset);
        let excused = note.contains("[dead:optional]") && found == "ongoing";
        assert!(
            found == expected || excused,
            "{name} {text}: found {found}, expected {expected} ({note})"
        );
        checked += 1;
    }
    assert_eq!(checked, 146);
}

/// Field case B15.
#[test]
fn a_stalemate_is_won_as_the_ruleset_says() {
    for (text, international, fics, joint) in [
        ("8/8/8/5p2/5P2/8/8/8 w - - 0 1", "white", "draw", "draw"),
        ("8/8/8/5p2/5P2/5P2/8/8 w - - 0 1", "white", "black", "draw"),
        ("6bB/6P1/8/8/8/8/8/8 w - - 0 1", "white", "black", "draw"),
        (
            "8/4p3/8/8/8/P7/P7/8 w - - 0 1",
            "ongoing",
            "ongoing",
            "ongoing",
        ),
    ] {
        for (ruleset, expected) in Ruleset::ALL.into_iter().zip([international, fics, joint]) {
            assert_eq!(outcome(text, ruleset), expected, "{ruleset} {text}");
        }
    }
}

/// Field case B26: a side without men has won, whoever is to move.
#[test]
fn a_side_without_men_has_won_and_nobody_moves() {
    for (text, winner) in [
        ("8/5n2/8/8/8/8/8/8 w - - 0 1", "white"),
        ("8/5n2/8/8/8/8/8/8 b - - 0 1", "white"),
        ("8/8/8/8/8/8/5N2/8 w - - 0 1", "black"),
        ("8/8/8/8/8/8/5N2/8 b - - 0 1", "black"),
    ] {
        for ruleset in FREE_KING {
            let game = game(text, ruleset);
            assert_eq!(game.outcome().name(), winner, "{ruleset} {text}");
            assert_eq!(game.outcome().reason(), Some(EndReason::NoMen));
            assert!(game.legal_moves().is_empty(), "{ruleset} {text}");
            assert_eq!(
                ruleset.winner_without_moves(game.position()),
                game.outcome().winner(),
                "{ruleset} {text}"
            );
        }
    }
}

/// Field case B22: the move that stalemates loses under `international`.
#[test]
fn the_last_move_may_lose() {
    let mut game = game("8/8/8/1p6/8/2K5/8/8 w - - 0 1", Ruleset::International);
    game.play_text("Kb4").expect("a legal move");
    assert_eq!(game.outcome().name(), "black");
    assert_eq!(game.outcome().reason(), Some(EndReason::Stalemate));
}

/// Field case B23: the game ends with the capture of the last man.
#[test]
fn the_last_man_given_away_ends_the_game() {
    let start = game("8/8/8/1p6/8/2K5/8/8 w - - 0 11", Ruleset::International);
    let (game, _) = line::play(start, "11. Kc4 bxc4").expect("legal moves");
    assert_eq!(game.outcome().name(), "white");
    assert_eq!(game.outcome().reason(), Some(EndReason::NoMen));
}

#[test]
fn bishops_on_different_colours_are_dead_where_capturing_is_compulsory() {
    for ruleset in FREE_KING {
        let parted = game("8/8/3b4/8/8/3B4/8/8 w - - 0 1", ruleset);
        assert_eq!(
            parted.outcome(),
            Outcome::Drawn {
                reason: EndReason::DeadPosition
            }
        );
        for alive in [
            "8/8/3b4/8/8/4B3/8/8 w - - 0 1",    // the same colour
            "8/8/3b4/8/8/3BB3/8/8 w - - 0 1",   // one side on both
            "8/8/3b4/8/8/3B3N/8/8 w - - 0 1",   // another man
            "8/8/3b4/p7/P7/3B4/8/8 w - - 0 1",  // locked pawns: a bishop can be walled in
            "8/2b5/8/8/8/6p1/6P1/7B b - - 0 1", // and here it is
        ] {
            assert_eq!(outcome(alive, ruleset), "ongoing", "{ruleset} {alive}");
        }
    }
}

/// A dead position, the clock and repetition are no part of a proof's rules.
#[test]
fn a_ruleset_alone_leaves_out_dead_positions_and_clocks() {
    for text in [
        "8/8/3b4/8/8/3B4/8/8 w - - 0 1",
        "k7/8/8/8/8/8/8/K7 w - - 100 80",
    ] {
        let game = game(text, Ruleset::Joint);
        assert_eq!(game.outcome().name(), "draw");
        assert_eq!(
            game.ruleset().outcome(game.position()),
            Outcome::Ongoing,
            "{text}"
        );
    }
}

#[test]
fn the_hundredth_half_move_draws() {
    let mut game = game("k7/8/8/8/8/8/8/7K w - - 98 80", Ruleset::International);
    for (mv, expected) in [("h1g1", "ongoing"), ("a8b8", "draw"), ("g1f1", "draw")] {
        game.play_text(mv).expect("clocks never forbid a move");
        assert_eq!(game.outcome().name(), expected, "after {mv}");
    }
    assert_eq!(game.outcome().reason(), Some(EndReason::FiftyMoves));
}

#[test]
fn a_capture_or_pawn_move_on_the_hundredth_half_move_sets_the_clock_back() {
    for (text, mv) in [
        ("k7/8/8/8/8/8/8/6rK w - - 99 80", "h1g1"),
        ("k7/8/8/8/8/8/P7/8 w - - 99 80", "a2a4"),
    ] {
        let mut game = game(text, Ruleset::International);
        game.play_text(mv).expect("a legal move");
        assert_eq!((game.half_moves(), game.outcome().name()), (0, "ongoing"));
    }
}

#[test]
fn the_third_occurrence_draws() {
    let mut game = game("k7/8/8/8/8/8/8/7K w - - 0 1", Ruleset::Fics);
    let round = ["h1g1", "a8b8", "g1h1", "b8a8"];
    for (i, mv) in round.iter().cycle().take(8).enumerate() {
        assert_eq!(game.outcome(), Outcome::Ongoing, "before half-move {i}");
        game.play_text(mv).expect("a legal move");
    }
    assert_eq!(game.outcome().reason(), Some(EndReason::Repetition));
    game.play_text("Kh2").expect("clocks never forbid a move");
    assert_eq!(game.outcome(), Outcome::Ongoing);
}

/// The wins and draws that only the relatives of the main game know, each worked out by hand from the rules text.
#[test]
fn the_relatives_end_as_their_rules_say() {
    use Ruleset::{Extinction, Variant2, Variant3, Variant4};
    for (ruleset, text, winner, reason) in [
        // A side with a bare king, whoever is to move (B5, B7).
        (
            Variant3,
            "4k3/8/8/8/8/8/4P3/4K3 w - -",
            "black",
            EndReason::BareKing,
        ),
        (
            Variant4,
            "4k3/8/8/8/8/8/4P3/4K3 b - -",
            "black",
            EndReason::BareKing,
        ),
        // Bared and mated at once: bared comes first (B5).
        (
            Variant3,
            "R6k/8/6K1/8/8/8/8/8 b - -",
            "black",
            EndReason::BareKing,
        ),
        (
            Variant4,
            "R6k/8/6K1/8/8/8/8/8 b - -",
            "black",
            EndReason::BareKing,
        ),
        // Mated with a man left: who mates wins in variant3, who is mated in variant4.
        (
            Variant3,
            "R6k/6pp/8/8/8/8/8/K7 b - -",
            "white",
            EndReason::Checkmate,
        ),
        (
            Variant4,
            "R6k/6pp/8/8/8/8/8/K7 b - -",
            "black",
            EndReason::Checkmate,
        ),
        // Stalemates (B8, V1, X4).
        (
            Variant2,
            "8/8/8/5p2/5P2/5P2/8/8 w - -",
            "draw",
            EndReason::Stalemate,
        ),
        (
            Variant3,
            "7k/5K2/6P1/8/8/8/8/8 b - -",
            "black",
            EndReason::BareKing,
        ),
        (
            Variant3,
            "7k/p4K2/P5P1/8/8/8/8/8 b - -",
            "draw",
            EndReason::Stalemate,
        ),
        (
            Variant4,
            "7k/p4K2/P5P1/8/8/8/8/8 b - -",
            "draw",
            EndReason::Stalemate,
        ),
        // A kind of man missing: of one side, of both (X1: the last mover wins).
        (
            Extinction,
            "rnb1kbnr/p7/8/8/8/8/P7/RNBQKBNR b - -",
            "white",
            EndReason::Extinction,
        ),
        (
            Extinction,
            "rnb1kbnr/p7/8/8/8/8/P7/RNBQKBNR w - -",
            "white",
            EndReason::Extinction,
        ),
        (
            Extinction,
            "rnb1kbnr/p7/8/8/8/8/8/RNBQKBNR w - -",
            "black",
            EndReason::Extinction,
        ),
        (
            Extinction,
            "rnb1kbnr/p7/8/8/8/8/8/RNBQKBNR b - -",
            "white",
            EndReason::Extinction,
        ),
    ] {
        let game = game(text, ruleset);
        assert_eq!(
            (game.outcome().name(), game.outcome().reason()),
            (winner, Some(reason)),
            "{ruleset} {text}"
        );
        assert!(game.legal_moves().is_empty(), "{ruleset} {text}");
        assert_eq!(
            ruleset.winner_without_moves(game.position()),
            game.outcome().winner(),
            "{ruleset} {text}"
        );
    }
}
