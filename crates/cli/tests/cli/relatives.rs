//! The relatives of the main game, from `prove` to `import`.

use crate::support::Place;

/// Won positions with the winner, the winning move and the plies of the longest line, each worked out by hand.
const WON: [(&str, &str, &str, Option<&str>, u64); 7] = [
    // Kc4 bxc4 and White has no man; Kb4 would be a stalemate, and drawn.
    (
        "variant2",
        "8/8/8/1p6/8/2K5/8/8 w - -",
        "white",
        Some("c3c4"),
        2,
    ),
    // Ra8 mates. Under variant4 Black would have won by it.
    (
        "variant3",
        "6k1/5ppp/8/8/8/8/7P/R3K3 w - -",
        "white",
        Some("a1a8"),
        1,
    ),
    // Black must take the rook, and White's king is bare.
    ("variant3", "7k/8/8/8/8/1p6/R7/2K5 b - -", "white", None, 1),
    ("variant4", "7k/8/8/8/8/1p6/R7/2K5 b - -", "white", None, 1),
    // The rook must take the rook, and mates; to be mated wins.
    ("variant4", "r6k/6pp/8/8/8/8/8/R3K3 w - -", "black", None, 1),
    // Takes the last pawn, or the last queen.
    (
        "extinction",
        "rnbqkbn1/p7/8/8/8/8/3R3P/1NBQKBNR w - -",
        "white",
        None,
        1,
    ),
    // Takes the last rook with the last pawn: both sides lack something, and the mover wins (X1).
    (
        "extinction",
        "1r1nk3/P2q2p1/2b5/8/8/8/8/RNBQKBN1 w - -",
        "white",
        Some("a7b8n"),
        1,
    ),
];

#[test]
fn hand_made_wins_are_proved_with_the_move_and_the_length() {
    let place = Place::new();
    for (rules, fen, winner, mv, plies) in WON {
        let object = place.object(&["prove", "--fen", fen, "--rules", rules]);
        let what = format!("{rules} {fen}");
        assert_eq!(object["winner"], winner, "{what}");
        assert_eq!(object["plies"], plies, "{what}");
        assert_eq!(object["verified"], true, "{what}");
        if let Some(mv) = mv {
            assert_eq!(object["move"], mv, "{what}");
        }
    }
}

#[test]
fn one_of_a_kind_is_counted_in_the_singular() {
    let place = Place::new();
    let mate = [
        "--rules",
        "variant3",
        "--fen",
        "6k1/5ppp/8/8/8/8/7P/R3K3 w - -",
    ];
    let with = |words: &[&'static str]| [words, &mate[..]].concat();
    let text = place.ok(&with(&["prove"]));
    assert!(text.contains("1 ply at most, 1 position,"), "{text}");
    let text = place.ok(&with(&["verify"]));
    assert!(text.contains("verified, 1 position, 1 ply ("), "{text}");
    let only_move = [
        "perft",
        "1",
        "--fen",
        "8/8/8/8/8/8/p7/7R b - -",
        "--rules",
        "variant2",
    ];
    let text = place.ok(&only_move);
    assert!(text.contains(": 1 sequence of 1 move ("), "{text}");
    let text = place.ok(&["bench", "--rules", "variant3", "--lines", "1"]);
    assert!(
        text.contains("white wins in 1 ply at most, 1 node,"),
        "{text}"
    );
    assert!(text.contains("\n1 node in all ("), "{text}");
}

#[test]
fn a_stored_proof_answers_for_its_ruleset_only() {
    let place = Place::new();
    let last_man = "8/8/8/1p6/8/2K5/8/8 w - -";
    let royal = "7k/6p1/8/8/8/8/p7/R1K5 b - -";
    let main_game = ["international", "fics", "joint"];
    let relatives = ["variant2", "variant3", "variant4", "extinction"];
    for (proved, fen) in [
        ("variant2", last_man),
        ("international", last_man),
        ("fics", last_man),
        ("variant3", royal),
        ("variant4", royal),
        ("joint", last_man),
    ] {
        let db = format!("{proved}.db");
        place.ok(&["prove", "--rules", proved, "--fen", fen, "--db", &db]);
        for asked in main_game.into_iter().chain(relatives) {
            let answers = asked == proved || proved == "joint" && main_game.contains(&asked);
            if asked == "extinction" {
                continue; // decided by the men that are missing, without a database
            }
            if fen == last_man && ["variant3", "variant4"].contains(&asked) {
                continue; // no position there
            }
            let ran = place.run(&["query", "--rules", asked, "--fen", fen, "--db", &db]);
            let expected = if answers { 0 } else { 3 };
            assert_eq!(
                ran.code, expected,
                "{proved} for {asked}: {}{}",
                ran.stdout, ran.stderr
            );
        }
    }
}

#[test]
fn a_certificate_goes_out_and_comes_back_and_is_bound_to_its_ruleset() {
    for (rules, fen, ..) in WON {
        let place = Place::new();
        let common = ["--rules", rules];
        place.ok(&[&["prove", "--fen", fen][..], &common].concat());
        let out = [
            "export",
            "--fen",
            fen,
            "--format",
            "cert",
            "--output",
            "proof.cert",
        ];
        place.ok(&[&out[..], &common].concat());
        // The file names its ruleset, so `verify` needs no flag.
        let text = place.ok(&["verify", "--file", "proof.cert"]);
        assert!(text.contains(&format!("({rules}")), "{rules}: {text}");
        place.ok(&[
            "import",
            "proof.cert",
            "--format",
            "cert",
            "--db",
            "other.db",
        ]);
        let query = ["query", "--fen", fen, "--db", "other.db"];
        place.ok(&[&query[..], &common].concat());
        // The byte of the ruleset cannot be changed unnoticed (re-sealed: see the tests of the verifier).
        let mut bytes = std::fs::read(place.path("proof.cert")).expect("the file");
        bytes[10] ^= 1;
        std::fs::write(place.path("proof.cert"), bytes).expect("the file");
        let ran = place.run(&["verify", "--file", "proof.cert"]);
        assert_eq!(ran.code, 5, "{rules}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn castling_is_played_and_shown() {
    let place = Place::new();
    let fen = "4k3/7p/8/8/8/8/P7/R3K3 w Q - 0 1";
    let object = place.object(&["eval", "--rules", "variant3", "--fen", fen, "O-O-O"]);
    assert_eq!(object["fen"], "4k3/7p/8/8/8/8/P7/2KR4 b - - 1 1");
    let object = place.object(&["eval", "--rules", "variant3", "--fen", fen]);
    let sans = object["moves_san"].as_array().expect("moves");
    assert!(sans.contains(&"O-O-O".into()), "{sans:?}");
    // A right that the men do not bear out is dropped, with a note; the main game has none at all.
    let ran = place.run(&[
        "eval",
        "--rules",
        "variant3",
        "--fen",
        "4k3/7p/8/8/8/8/P7/R2K4 w Q - 0 1",
    ]);
    assert!(
        ran.stderr.contains("castling rights Q dropped"),
        "{}",
        ran.stderr
    );
    let ran = place.run(&["eval", "--fen", fen]);
    assert!(
        ran.stderr.contains("this ruleset has no castling"),
        "{}",
        ran.stderr
    );
}

/// Field case B30: tags of other programs are taken for the rulesets they can mean, unknown ones refused.
#[test]
fn a_pgn_of_another_game_is_refused() {
    let place = Place::new();
    let pgn = "[Variant \"Extinction\"]\n\n1. f3 e6 2. g4 *\n";
    std::fs::write(place.path("game.pgn"), pgn).expect("a file");
    let args = ["prove", "--file", "game.pgn", "--rules"];
    // One class of rules, but mate is won by the one side or the other.
    for (tag, rules) in [
        ("Losing chess variant 3", "variant4"),
        ("Losing chess variant 4", "variant3"),
        ("Suicide", "international"),
        ("Antichess", "fics"),
    ] {
        let pgn = format!("[Variant \"{tag}\"]\n\n1. e4 *\n");
        std::fs::write(place.path("other.pgn"), pgn).expect("a file");
        let refusal = format!("the game's variant is {tag}, not {rules}");
        place
            .run(&["prove", "--file", "other.pgn", "--rules", rules])
            .fails(2, &["other.pgn", &refusal]);
    }
    let ran = place.run(&[&args[..], &["joint"]].concat());
    ran.fails(2, &["game.pgn", "Extinction, not joint"]);
    let text = place.ok(&[&args[..], &["extinction"]].concat());
    assert!(
        text.contains("black wins with 2... Qh4, 3 plies at most"),
        "{text}"
    );
}
