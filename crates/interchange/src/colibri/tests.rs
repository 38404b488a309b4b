//! A writer of books, and what the reader makes of what it writes.

use rules::{Color, Game, Move, Position, Role, Ruleset, Square, fen};

use super::{header::MEN, *};

/// A node of a book to be written.
enum Tree {
    /// Proof and disproof number as they are stored.
    Leaf(u64, u64),
    /// A repetition: a leaf at the depth that says so.
    Repeats,
    Inner(Vec<(&'static str, Tree)>),
    /// The node with this number.
    Link(u64),
}

use Tree::{Inner, Leaf, Link, Repeats};

/// Won and lost for the side to move.
const WON: Tree = Leaf(1, 0);
const LOST: Tree = Leaf(0, 1);

fn start() -> Position {
    *Game::initial(Ruleset::Joint).position()
}

fn header(root: &Position) -> Vec<u8> {
    let mut words = Vec::new();
    for color in Color::ALL {
        words.push(root.men(color).0);
        words.extend(MEN.map(|role| root.men_of(color, role).0));
    }
    words.push(!root.occupied().0);
    words.push(root.en_passant().map_or(0, |square| square.bitboard().0));
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    bytes.push(u8::from(root.side_to_move() == Color::Black));
    bytes.resize(HEADER_BYTES, 0xcc);
    bytes
}

fn number(mut value: u64, bytes: &mut Vec<u8>) {
    let mut groups = vec![(value & 127) as u8];
    while value > 127 {
        value >>= 7;
        groups.push((value & 127) as u8 | 128);
    }
    bytes.extend(groups.iter().rev());
}

fn code(position: &Position, mv: Move) -> u16 {
    let role = mv.promotion().or(position.role_at(mv.from()));
    let man = MEN.iter().position(|&man| Some(man) == role);
    let man = u16::try_from(man.expect("a man moves") + 1).expect("six men");
    let [from, to] =
        [mv.from(), mv.to()].map(|square| u16::try_from(square.index()).expect("64 squares"));
    from << 10 | to << 4 | man << 1 | u16::from(mv.promotion().is_some())
}

fn node(tree: &Tree, position: &Position, depth: u64, next: &mut u64, bytes: &mut Vec<u8>) {
    *next += 1;
    let children = match tree {
        Inner(children) => &children[..],
        _ => &[],
    };
    bytes.push(u8::try_from(children.len()).expect("few children"));
    number(
        if matches!(tree, Repeats) {
            1_000_000_000
        } else {
            depth
        },
        bytes,
    );
    match tree {
        Leaf(pn, dn) => [*pn, *dn].map(|stored| number(stored, bytes)),
        Repeats => [0, 0].map(|stored| number(stored, bytes)),
        _ => Default::default(),
    };
    for (text, child) in children {
        let mv = Move::parse_uci(text).expect("UCI");
        bytes.extend(code(position, mv).to_le_bytes());
        if let Link(id) = child {
            number(*id, bytes);
        } else {
            number(*next, bytes);
            let after = position.after(mv, Ruleset::Joint);
            node(child, &after, depth + 1, next, bytes);
        }
    }
}

fn book(root: &Position, tree: &Tree) -> Vec<u8> {
    let mut bytes = header(root);
    node(tree, root, 0, &mut 0, &mut bytes);
    bytes
}

/// The book and the winning moves that it knows, by the line to them.
fn read_all(bytes: &[u8]) -> Result<(Book, Vec<String>), ColibriError> {
    let mut winning = Vec::new();
    let book = read(bytes, Ruleset::Joint, |node| {
        if let Some(mv) = node.winning {
            winning.push(format!("{}: {mv}", rules::line::write_uci(node.line)));
        }
    })?;
    Ok((book, winning))
}

fn problem(bytes: &[u8]) -> String {
    read_all(bytes).expect_err("damaged").to_string()
}

/// A tree with a transposition: 1. e3 d5 wins by 2. Qg4, 1. d3 d5 2. e3 comes back to a position met before.
fn tree() -> Tree {
    Inner(vec![
        (
            "e2e3",
            Inner(vec![
                ("d7d5", Inner(vec![("d1g4", LOST)])),
                ("c7c6", Inner(vec![("d2d3", Leaf(5, 9))])),
            ]),
        ),
        (
            "d2d3",
            Inner(vec![(
                "c7c6",
                Inner(vec![("e2e3", Link(5)), ("g1f3", Repeats)]),
            )]),
        ),
    ])
}

#[test]
fn a_book_is_read_with_its_transpositions() {
    let (book, winning) = read_all(&book(&start(), &tree())).expect("well made");
    assert_eq!((book.nodes, book.edges, book.repetitions), (9, 9, 1));
    assert_eq!(winning, ["e2e3 d7d5: d1g4"]);
    // c7c6 d2d3 has pn 4 and dn 8; so 1. e3 c6 has pn 8, dn 4; 1. e3 has pn min(infinity, 4), dn 0 + 8; the root has pn min(8, 8).
    assert_eq!((book.pn, book.dn), (Number(8), Number::INFINITY));
    assert_eq!(book.root, start());
}

#[test]
fn a_lost_position_without_some_of_its_replies_is_counted() {
    let won = |mv| (mv, WON);
    let fen = "8/8/8/8/8/8/6p1/7R b - - 0 1";
    let root = *fen::parse(fen, Ruleset::Joint)
        .expect("a FEN")
        .game
        .position();
    let replies = ["g2h1q", "g2h1r", "g2h1b", "g2h1n", "g2h1k"];
    for (count, incomplete) in [(5, 0), (4, 1)] {
        let tree = Inner(replies[..count].iter().copied().map(won).collect());
        let (book, _) = read_all(&book(&root, &tree)).expect("well made");
        assert_eq!(book.incomplete, incomplete);
        assert_eq!((book.pn, book.dn), (Number::INFINITY, Number::ZERO));
    }
}

#[test]
fn an_en_passant_square_of_the_root_counts() {
    let fen = "8/8/8/8/4p3/8/3P4/8 w - - 0 1";
    let before = *fen::parse(fen, Ruleset::Joint)
        .expect("a FEN")
        .game
        .position();
    let root = before.after(Move::parse_uci("d2d4").expect("UCI"), Ruleset::Joint);
    let (book, _) = read_all(&book(&root, &Inner(vec![("e4d3", LOST)]))).expect("well made");
    assert_eq!(book.root, root);
}

#[test]
fn every_byte_that_is_missing_is_missed() {
    let bytes = book(&start(), &tree());
    for length in 0..bytes.len() {
        let text = problem(&bytes[..length]);
        let told = format!("byte {length}");
        assert!(
            text.starts_with(&told) && text.contains("the file ends within"),
            "{text}"
        );
    }
    let text = problem(&[&bytes[..], &[0]].concat());
    assert_eq!(
        text,
        format!(
            "byte {}: the book ends here, but the file goes on",
            bytes.len()
        )
    );
}

#[test]
fn whatever_is_wrong_is_told_with_its_place() {
    let inner = |children| book(&start(), &Inner(children));
    let told = |bytes: &[u8], expected: &str| assert_eq!(problem(bytes), expected);
    told(
        &inner(vec![("e2e4", Leaf(3, 3)), ("e2e4", Leaf(3, 3))]),
        "byte 145: e2e4 is given twice",
    );
    told(
        &inner(vec![("e2e3", Inner(vec![("d1g4", WON)]))]),
        "byte 143, after e2e3: d1g4 is illegal here",
    );
    told(
        &inner(vec![("e2e5", WON)]),
        "byte 138: e2e5 is illegal here",
    );
    told(
        &inner(vec![("e2e3", Link(7))]),
        "byte 140: e2e3 leads to node 7, but the next one is 1",
    );
    told(
        &inner(vec![("e2e3", Leaf(1, 1))]),
        "byte 143, after e2e3: a leaf with proof number 0 and disproof number 0",
    );
    let cycle = Inner(vec![(
        "g1f3",
        Inner(vec![(
            "g8f6",
            Inner(vec![("f3g1", Inner(vec![("f6g8", Link(0))]))]),
        )]),
    )]);
    let text = problem(&book(&start(), &cycle));
    assert!(
        text.ends_with("after g1f3 g8f6 f3g1: f6g8 leads back to node 0, which it comes from"),
        "{text}"
    );
    let elsewhere = vec![("e2e3", Leaf(3, 3)), ("e2e4", Link(1))];
    let text = problem(&inner(elsewhere));
    assert!(
        text.ends_with("e2e4 leads to node 1, which is another position"),
        "{text}"
    );
}

#[test]
fn a_number_has_one_form() {
    let bytes = book(&start(), &Leaf(3, 3));
    let with_depth = |depth: &[u8]| [&bytes[..=HEADER_BYTES], depth, &[4, 4]].concat();
    assert!(read_all(&with_depth(&[0])).is_ok());
    assert_eq!(
        problem(&with_depth(&[0x80, 0])),
        "byte 137: a depth is written with a leading empty group"
    );
    let huge = [&[0xff; 9][..], &[0x7f]].concat();
    assert_eq!(
        problem(&with_depth(&huge)),
        "byte 137: a depth is 2^64 or more"
    );
    let mut repetition = Vec::new();
    number(1_000_000_000, &mut repetition);
    let mut inner = with_depth(&repetition);
    inner[HEADER_BYTES] = 2;
    assert_eq!(problem(&inner), "byte 137: a repetition has 2 children");
}

#[test]
fn a_move_names_a_man() {
    let bytes = book(&start(), &Inner(vec![("e2e3", WON)]));
    let with_code = |code: u16| {
        let mut bytes = bytes.clone();
        bytes[HEADER_BYTES + 2..][..2].copy_from_slice(&code.to_le_bytes());
        problem(&bytes)
    };
    let e2e3 = code(&start(), Move::parse_uci("e2e3").expect("UCI"));
    assert!(with_code(e2e3 & !0b1110).contains("names the man 0"));
    assert!(with_code(e2e3 | 0b1110).contains("names the man 7"));
    assert!(
        with_code(e2e3 | 1).contains("names the man 1"),
        "no pawn becomes a pawn"
    );
    assert!(with_code(e2e3 ^ 0b110).contains("does not stand there"));
}

#[test]
fn a_header_that_contradicts_itself_is_refused() {
    let bytes = book(&start(), &WON);
    let flipped = |word: usize, square: &str| {
        let square = Square::parse(square).expect("a square").index();
        let mut bytes = bytes.clone();
        bytes[8 * word + square / 8] ^= 1 << (square % 8);
        problem(&bytes)
    };
    assert!(flipped(0, "e2").contains("e2 is in only one of white's men"));
    assert!(flipped(2, "e2").contains("white has two men on e2"));
    assert!(flipped(14, "e4").contains("e4 is both empty and occupied, or neither"));
    assert!(flipped(8, "e4").contains("e4 is in only one of black's men"));
    // A square nobody has passed.
    assert!(flipped(15, "e4").contains("the root is no position of this game"));
    let mut bytes = bytes.clone();
    bytes[128] = 2;
    assert!(problem(&bytes).contains("the side to move is 2"));
}

#[test]
fn a_root_that_no_game_has_is_refused() {
    let mut builder = rules::PositionBuilder::new(Color::White);
    builder.put(
        Square::parse("a1").expect("a square"),
        Color::White,
        Role::Pawn,
    );
    let text = problem(&book(&builder.build(), &WON));
    assert!(
        text.starts_with("byte 0: the root is no position of this game"),
        "{text}"
    );
}

#[test]
fn a_line_without_end_is_refused() {
    let mut bytes = header(&start());
    let there_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut position = start();
    for (id, text) in (1..=20_000).zip(there_and_back.iter().cycle()) {
        bytes.extend([1, 0]);
        let mv = Move::parse_uci(text).expect("UCI");
        bytes.extend(code(&position, mv).to_le_bytes());
        number(id, &mut bytes);
        position = position.after(mv, Ruleset::Joint);
    }
    assert!(problem(&bytes).ends_with("the line is longer than 10000 plies"));
}

/// The real book, cut down to the lines below 1. e3 g6, Na6, d5 and d6: what was cut off are leaves with the numbers that it had.
#[test]
fn the_cut_out_of_the_real_book_has_its_numbers() {
    let bytes = include_bytes!("../../../../data/colibri/e3.in");
    let (book, winning) = read_all(bytes).expect("well made");
    assert_eq!((book.pn, book.dn), (Number(319), Number(4198)));
    assert_eq!(book.incomplete, 0);
    for known in [
        "e2e3 g7g6: d1h5",
        "e2e3 b8a6: f1a6",
        "e2e3 d7d5: d1g4",
        "e2e3 d7d6: d1g4",
    ] {
        assert!(winning.iter().any(|line| line == known), "{known}");
    }
    let error = read(&bytes[..], Ruleset::Variant2, |_| {}).expect_err("rooks are promoted to");
    assert!(
        error.to_string().ends_with("d2d4: g2h1r is illegal here"),
        "{error}"
    );
}

/// All of the real book, where it is at hand: `cargo test -p takeme-interchange -- --ignored --nocapture`.
#[test]
#[ignore = "reads a file that is not part of the project"]
fn the_real_book_has_its_size() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/published/colibri/book.in"
    );
    let Ok(bytes) = std::fs::read(path) else {
        // Nothing to read is no failure.
        return;
    };
    let (book, winning) = read_all(&bytes).expect("well made");
    assert_eq!((book.nodes, book.edges), (268_477, 278_049));
    assert_eq!((book.pn, book.dn), (Number(319), Number(4198)));
    assert_eq!((book.repetitions, book.incomplete), (61, 0));
    assert_eq!(winning.len(), 40_048);
}

mod random {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever is changed: an answer, no panic, and in time.
        #[test]
        fn damaged_books_are_told_or_read(
            at in 0usize..400,
            byte: u8,
            tail in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut bytes = include_bytes!("../../../../data/colibri/e3.in").to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = read_all(&bytes);
            bytes.truncate(at);
            bytes.extend(tail);
            let _ = read_all(&bytes);
        }
    }
}
