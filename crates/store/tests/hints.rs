//! Moves that books say win.

mod common;

use common::{place, position};
use rules::{Game, Move, Position, Ruleset};
use store::{Access, Error, Store};

const FEN: &str = "8/8/8/8/p6R/8/8/R7 w - -";

fn uci(text: &str) -> Move {
    Move::parse_uci(text).expect("UCI")
}

fn all(store: &Store, ruleset: Ruleset) -> Vec<(Position, Move)> {
    let mut all = Vec::new();
    let read = store.for_each_hint(ruleset, |position, mv| all.push((*position, mv)));
    read.expect("readable");
    all
}

#[test]
fn the_newer_of_two_moves_stays_and_serves_other_rulesets() {
    let (_dir, path) = place();
    let mut store = Store::open(&path, Access::Write).expect("made");
    let root = position(FEN, Ruleset::Joint);
    for mv in ["a1a4", "h4a4"] {
        assert_eq!(
            store
                .put_hints(Ruleset::Joint, [(root, uci(mv))])
                .expect("stored"),
            1
        );
    }
    for ruleset in [Ruleset::Joint, Ruleset::Fics, Ruleset::International] {
        assert_eq!(all(&store, ruleset), [(root, uci("h4a4"))]);
    }
    assert_eq!(all(&store, Ruleset::Variant2), []);
    assert_eq!(store.check().expect("readable"), []);
}

#[test]
fn a_reader_stores_nothing() {
    let (_dir, path) = place();
    drop(Store::open(&path, Access::Write).expect("made"));
    let mut store = Store::open(&path, Access::Read).expect("readable");
    let error = store.put_hints(Ruleset::Joint, []).expect_err("a reader");
    assert!(matches!(error, Error::OpenedForReading(_)), "{error:?}");
}

#[test]
fn rows_that_make_no_sense_are_left_out_and_told() {
    let (_dir, path) = place();
    drop(Store::open(&path, Access::Write).expect("made"));
    let conn = rusqlite::Connection::open(&path).expect("opens");
    let rows = "INSERT INTO hint VALUES ('joint', x'0102', 3), ('chess', x'01', 3)";
    conn.execute_batch(rows).expect("written");
    drop(conn);
    let store = Store::open(&path, Access::Read).expect("readable");
    assert_eq!(all(&store, Ruleset::Joint), []);
    let problems = store.check().expect("readable");
    assert_eq!(problems.len(), 1);
    assert!(problems[0].to_string().contains("hint"), "{}", problems[0]);
}

#[test]
fn another_databases_moves_are_taken_over_where_there_are_none() {
    let dir = tempfile::tempdir().expect("a directory");
    let open = |name| Store::open(dir.path().join(name), Access::Write).expect("opened");
    let (mut here, mut there) = (open("here.db"), open("there.db"));
    let root = *Game::initial(Ruleset::Joint).position();
    let after = root.after(uci("e2e3"), Ruleset::Joint);
    here.put_hints(Ruleset::Joint, [(root, uci("e2e3"))])
        .expect("stored");
    let theirs = [(root, uci("a2a3")), (after, uci("c7c5"))];
    there.put_hints(Ruleset::Joint, theirs).expect("stored");
    assert_eq!(
        here.take_hints(&there, &Ruleset::ALL).expect("taken over"),
        1
    );
    let mut found = all(&here, Ruleset::Joint);
    found.sort_by_key(|(_, mv)| mv.to_bits());
    let mut expected = vec![(root, uci("e2e3")), (after, uci("c7c5"))];
    expected.sort_by_key(|(_, mv)| mv.to_bits());
    assert_eq!(found, expected);
    assert_eq!(
        here.take_hints(&there, &Ruleset::ALL).expect("taken over"),
        0
    );
}
