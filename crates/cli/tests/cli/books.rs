//! Colibri books: `import --format colibri`, `prove --hints BOOK`.

use std::fs;

use crate::support::Place;

/// The real book, cut down to 1. e3 g6, Na6, d5 and d6.
const BOOK: &[u8] = include_bytes!("../../../../data/colibri/e3.in");

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path("book.in"), BOOK).expect("written");
    place
}

#[test]
fn a_book_given_as_hints_halves_the_work_and_its_leaves_are_proven() {
    let place = place();
    let prove = |flags: &[&str]| {
        let line = ["prove", "1. e3 g6", "--threads", "1", "--no-tables", "--db"];
        let db = if flags.is_empty() {
            "plain.db"
        } else {
            "book.db"
        };
        place.object(&[&line[..], &[db], flags].concat())
    };
    let plain = prove(&[]);
    let guided = prove(&["--hints", "book.in"]);
    for answer in [&plain, &guided] {
        assert_eq!(answer["winner"], "white");
        assert_eq!(answer["verified"], true);
    }
    assert_eq!(guided["move_san"], "Qh5");
    let nodes = |answer: &serde_json::Value| answer["nodes"].as_u64().expect("a number");
    assert!(2 * nodes(&guided) < nodes(&plain), "{guided} {plain}");
}

#[test]
fn imported_moves_guide_the_search_and_are_no_proof() {
    let place = place();
    let told = place.ok(&["import", "book.in", "--format", "colibri"]);
    assert!(
        told.starts_with("book.in: a Colibri book of 98 positions; "),
        "{told}"
    );
    // A book proves nothing.
    let (code, rows) = place.json(&["query", "1. e3 g6"]);
    assert_eq!((code, &rows[0]["status"]), (3, &"unknown".into()));
    let ran = place.run(&["prove", "1. e3 Na6", "--threads", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("of imported books"), "{}", ran.stderr);
    place.ok(&["db", "check"]);
}

#[test]
fn a_part_of_a_book_can_be_imported() {
    let place = place();
    let hints = |flags: &[&str]| {
        let args = [&["import", "book.in", "--format", "colibri"], flags].concat();
        place.object(&args)["hints"].as_u64().expect("a number")
    };
    let below = hints(&["--line", "1. e3 g6"]);
    let all = hints(&[]);
    assert!(0 < below && below < all, "{below} {all}");
    assert_eq!(hints(&["--line", "1. e3 g6", "--winner", "black"]), 0);
    assert_eq!(hints(&["--line", "1. a3 a6"]), 0);
}

#[test]
fn a_damaged_book_is_refused_with_the_place() {
    let place = place();
    let cut = &BOOK[..BOOK.len() - 3];
    for (bytes, why) in [
        (cut, "the file ends within"),
        (&[BOOK, b"x"].concat(), "the file goes on"),
        (&BOOK[..100], "the file ends within the header"),
        (b"not\0a book", "the file ends within the header"),
    ] {
        fs::write(place.path("bad.in"), bytes).expect("written");
        for args in [
            &["import", "bad.in", "--format", "colibri"][..],
            &["prove", "1. e3 d5", "--hints", "bad.in"],
        ] {
            let ran = place.run(args);
            assert_eq!(ran.code, 5, "{}", ran.stderr);
            assert!(
                ran.stderr.contains(why) && ran.stderr.contains("bad.in"),
                "{}",
                ran.stderr
            );
        }
    }
}

#[test]
fn a_book_of_losing_chess_says_nothing_of_other_games() {
    let place = place();
    let ran = place.run(&[
        "import",
        "book.in",
        "--format",
        "colibri",
        "--rules",
        "extinction",
    ]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("knows no extinction"), "{}", ran.stderr);
}
