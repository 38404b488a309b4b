//! Mistakes of whoever writes the command line: exit code 2, and a message that helps.

use crate::support::Place;

#[test]
fn an_unknown_ruleset_is_refused_with_the_names() {
    let place = Place::new();
    let ran = place.run(&["eval", "--rules", "jiont"]);
    ran.fails(
        2,
        &["'jiont'", "did you mean joint", "international", "fics"],
    );
    place
        .run(&["eval", "--rules", "givaway"])
        .fails(2, &["givaway", "giveaway"]);
    place
        .run(&["eval", "--rules", "variant5"])
        .fails(2, &["variant5", "did you mean variant2"]);
    for (alias, name) in [
        ("antichess", "international"),
        ("losing", "international"),
        ("suicide", "fics"),
    ] {
        assert_eq!(place.object(&["eval", "--rules", alias])["rules"], name);
    }
}

#[test]
fn an_illegal_move_is_named_with_its_number_and_the_reason() {
    let place = Place::new();
    place.run(&["eval", "1. e3 b5 2. d3"]).fails(
        2,
        &[
            "move 2.",
            "d3 is illegal",
            "capturing is compulsory",
            "f1b5",
        ],
    );
    place
        .run(&["query", "e3 e4"])
        .fails(2, &["move 1...", "e4 is illegal"]);
    place
        .run(&["eval", "e3 xyz"])
        .fails(2, &["'xyz' is no move"]);
    place
        .run(&["eval", "--fen", "8/P7/8/7p/8/8/8/8 w - -", "a8"])
        .fails(2, &["a8=K"]);
}

#[test]
fn every_bad_line_is_told_before_any_search() {
    let place = Place::new();
    let ran = place.run(&["prove", "e3 d5", "e3 Ke4", "d9"]);
    ran.fails(2, &["'e3 Ke4'", "'d9'"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr.matches("error: ").count(), 2, "{}", ran.stderr);
    assert!(!place.path("takeme.db").exists());
}

#[test]
fn moves_without_quotes_get_a_hint() {
    Place::new()
        .run(&["prove", "e3", "d5"])
        .fails(2, &["hint: ", "in quotes"]);
}

#[test]
fn each_field_of_a_fen_is_named() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let place = Place::new();
    let cases = [
        (format!("{start} w -"), "fields"),
        ("8/8/8/8/8/8/8/8 w - -".to_owned(), "empty"),
        ("8/8/8/8/8/8/8/9 w - -".to_owned(), "placement"),
        ("p7/8/8/8/8/8/8/8 w - -".to_owned(), "pawn stands on a8"),
        (format!("{start} x - - 0 1"), "side to move"),
        (format!("{start} w QX - 0 1"), "castling"),
        (format!("{start} w - - x 1"), "half-move clock"),
        (format!("{start} w - - 0 x"), "full-move number"),
        // Field case B24.
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e4 0 1".to_owned(),
            "en passant",
        ),
    ];
    for (fen, field) in cases {
        place.run(&["eval", "--fen", &fen]).fails(2, &[field]);
    }
}

#[test]
fn an_en_passant_square_without_a_capture_changes_nothing() {
    // Field case B24.
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e3 0 1";
    let object = Place::new().object(&["eval", "--fen", fen]);
    assert_eq!(object["fen"], fen.replace("e3", "-"));
}

#[test]
fn formats_for_the_other_direction_are_refused_with_a_list() {
    let place = Place::new();
    place
        .run(&["export", "e3", "--format", "colibri", "--output", "x"])
        .fails(2, &["colibri", "cert", "jsonl"]);
    place
        .run(&["import", "x", "--format", "jsonl"])
        .fails(2, &["jsonl", "cert"]);
}

#[test]
fn what_is_missing_or_unknown_is_an_error() {
    let place = Place::new();
    for args in [
        &["merge"][..],
        &["merge", "other.db"],
        &["tables", "generate"],
        &["prove", "e3", "--smaller"],
        &["verify", "--seventy-five"],
        &["export", "e3", "--format", "docx", "--output", "x"],
    ] {
        place.run(args).fails(2, &["error"]);
    }
}

#[test]
fn sizes_and_times_are_checked() {
    let place = Place::new();
    place
        .run(&["prove", "e3", "--memory", "lots"])
        .fails(2, &["'lots'", "512M"]);
    place
        .run(&["prove", "e3", "--memory", "1M"])
        .fails(2, &["at least 64M"]);
    place
        .run(&["prove", "e3", "--time", "soon"])
        .fails(2, &["'soon'", "1h30m"]);
}

#[test]
fn a_command_without_a_position_says_what_is_missing() {
    let place = Place::new();
    for command in ["prove", "query"] {
        place
            .run(&[command])
            .fails(2, &["no position", "hint: ", "--fen"]);
    }
}

#[test]
fn help_tells_the_exit_codes() {
    let text = Place::new().ok(&["--help"]);
    for line in ["3  undecided", "130  interrupted after saving"] {
        assert!(text.contains(line), "{text}");
    }
}
