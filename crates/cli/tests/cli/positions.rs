//! `perft` and `eval`: positions without search.

use crate::support::{Place, keys, with_common_keys};

#[test]
fn perft_counts_en_passant_as_compulsory() {
    // Field case B13, cut down to depth 4, and its first moves at depth 5.
    let place = Place::new();
    let text = place.ok(&["perft", "4"]);
    assert!(
        text.contains("153299 sequences of 4 moves (joint"),
        "{text}"
    );
    let object = place.object(&["perft", "5", "--divide"]);
    assert_eq!(object["nodes"], 2_732_672);
    let divide = object["divide"].as_object().expect("an object");
    assert_eq!(divide.len(), 20);
    let sum: u64 = divide.values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(sum, 2_732_672);
}

#[test]
fn perft_has_the_keys_of_the_interface() {
    let place = Place::new();
    let object = place.object(&["perft", "2", "e3 d5"]);
    let expected = with_common_keys(&["line", "fen", "depth", "nodes", "seconds"]);
    assert_eq!(keys(&object), expected);
    assert_eq!(object["schema"], 1);
    assert_eq!(object["command"], "perft");
    assert_eq!(object["rules"], "joint");
    assert_eq!(place.object(&["perft", "0"])["nodes"], 1);
}

#[test]
fn perft_starts_from_a_fen() {
    let place = Place::new();
    // Field case B14: five promotions, one of them to king.
    let fen = "8/P7/8/7p/8/8/8/8 w - - 0 1";
    let text = place.ok(&["perft", "1", "--divide", "--fen", fen]);
    for promotion in ["a7a8n", "a7a8b", "a7a8r", "a7a8q", "a7a8k"] {
        assert!(text.contains(&format!("{promotion}: 1\n")), "{text}");
    }
}

#[test]
fn eval_has_the_keys_of_the_interface() {
    let object = Place::new().object(&["eval", "e3 d5"]);
    let expected = with_common_keys(&["line", "fen", "outcome", "reason", "moves", "moves_san"]);
    assert_eq!(keys(&object), expected);
    assert_eq!(object["outcome"], "ongoing");
    assert_eq!(object["moves"].as_array().map(Vec::len), Some(30));
    assert_eq!(
        object["fen"],
        "rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w - - 0 2"
    );
}

#[test]
fn stalemate_depends_on_the_ruleset() {
    // Field case B15.
    let cases = [
        ("8/8/8/5p2/5P2/8/8/8 w - -", ["white", "draw", "draw"]),
        ("8/8/8/5p2/5P2/5P2/8/8 w - -", ["white", "black", "draw"]),
        ("6bB/6P1/8/8/8/8/8/8 w - -", ["white", "black", "draw"]),
        (
            "8/4p3/8/8/8/P7/P7/8 w - -",
            ["ongoing", "ongoing", "ongoing"],
        ),
    ];
    let place = Place::new();
    for (fen, outcomes) in cases {
        for (rules, outcome) in ["international", "fics", "joint"].iter().zip(outcomes) {
            let object = place.object(&["eval", "--fen", fen, "--rules", rules]);
            assert_eq!(object["outcome"], outcome, "{fen} {rules}");
            assert_eq!(object["rules"], *rules);
        }
    }
}

#[test]
fn castling_rights_are_dropped_with_a_note() {
    // Field case B16 a and b.
    let place = Place::new();
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let ran = place.run(&["eval", "--fen", fen]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stderr.contains("castling rights dropped"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("KQkq"), "{}", ran.stdout);
    let quiet = place.run(&["eval", "--fen", fen, "--quiet"]);
    assert_eq!(quiet.stderr, "");
    let object = place.object(&["eval", "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7"]);
    assert_eq!(object["moves"].as_array().map(Vec::len), Some(25));
}

#[test]
fn kings_are_told_apart_like_other_men() {
    // Field case B20.
    let object = Place::new().object(&["eval", "--fen", "K1K5/8/8/8/8/8/8/7k w - - 0 1"]);
    let mut moves: Vec<&str> = object["moves_san"]
        .as_array()
        .expect("moves")
        .iter()
        .filter_map(|mv| mv.as_str())
        .collect();
    moves.sort_unstable();
    assert_eq!(
        moves,
        ["Ka7", "Kab7", "Kab8", "Kc7", "Kcb7", "Kcb8", "Kd7", "Kd8"]
    );
}

#[test]
fn a_side_without_men_has_won_whoever_is_to_move() {
    // Field case B26.
    let object = Place::new().object(&["eval", "--fen", "8/5n2/8/8/8/8/8/8 w - -"]);
    assert_eq!(object["outcome"], "white");
    assert_eq!(object["reason"], "no men");
}

#[test]
fn a_move_that_ends_the_game_has_no_mate_mark() {
    // Field case B22: Kb4 stalemates Black, who has won.
    let place = Place::new();
    let fen = "8/8/8/1p6/8/2K5/8/8 w - - 0 1";
    let text = place.ok(&["eval", "Kb4", "--fen", fen, "--rules", "international"]);
    assert!(text.contains("black has won: stalemate"), "{text}");
    assert!(!text.contains('#'), "{text}");
}
