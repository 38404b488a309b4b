//! Watkins files in and out.

use std::{fs, io::Write as _, path::PathBuf, process::Stdio};

use crate::{
    support::{Place, Ran, ended, output_of},
    tabled::three_men,
};

/// The published files: LINE, winner, positions with the winner to move.
const FILES: [(&str, &str, &str, u64); 8] = [
    ("d3", "d3 g5", "black", 113),
    ("d3.counts", "d3 g5", "black", 113),
    ("e3Nf6", "e3 Nf6 Ba6", "white", 10_599),
    ("e3d5", "e3 d5 Qg4", "white", 15),
    ("e3d6", "e3 d6 Qg4", "white", 15),
    ("e3g6", "e3 g6 Qh5", "white", 1_569),
    ("e3g6.counts", "e3 g6 Qh5", "white", 1_569),
    ("e4", "e4 b5", "black", 115),
];

fn published(name: &str) -> PathBuf {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/watkins");
    PathBuf::from(data).join(format!("{name}.proof"))
}

fn published_bytes(name: &str) -> Vec<u8> {
    fs::read(published(name)).expect("the file is here")
}

/// The bytes of the records, without the footer.
fn records(bytes: &[u8]) -> usize {
    let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let opening = usize::from(u16::from_le_bytes([bytes[4], bytes[5]]));
    6 + 2 * opening + 6 * ((word & 0x3fff_ffff) as usize - 1)
}

fn import(place: &Place, file: &str, more: &[&str]) -> Ran {
    place.run(&[&["import", file, "--format", "watkins"][..], more].concat())
}

fn import_published(place: &Place, name: &str, more: &[&str]) -> Ran {
    import(place, published(name).to_str().expect("UTF-8"), more)
}

/// The run must have ended so, with all of `words` in a result or a note.
fn assert_says(ran: &Ran, code: i32, words: &[&str]) {
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, code, "{said}");
    for word in words {
        assert!(said.contains(word), "'{word}' is missing in: {said}");
    }
}

#[test]
fn published_files_are_imported_and_verified() {
    for (name, line, winner, positions) in FILES {
        let place = Place::new();
        let file = published(name);
        let file = file.to_str().expect("UTF-8");
        let object = place.object(&["import", file, "--format", "watkins", "--line", line]);
        assert_eq!(object["status"], "proved", "{name}");
        assert_eq!(object["winner"], winner, "{name}");
        assert_eq!(object["positions"], positions, "{name}");
        assert_eq!(object["verified"], true, "{name}");
        assert_eq!(object["rules"], "joint", "{name}");
        assert_says(&place.run(&["query", line]), 0, &[winner, "verified"]);
        assert_says(&place.run(&["verify"]), 0, &["verified"]);
    }
}

#[test]
fn what_was_imported_is_exported_with_as_many_records_and_read_again() {
    for (name, line, winner, positions) in FILES {
        let place = Place::new();
        assert_says(&import_published(&place, name, &[]), 0, &[winner]);
        // With the winner to move, the tree begins behind the winner's move.
        let before: Vec<&str> = line.split(' ').take(2).collect();
        let before = before.join(" ");
        for (line, file) in [(line, "x.proof"), (&before, "y.proof")] {
            let args = ["export", line, "--format", "watkins", "-o", file];
            assert_says(
                &place.run(&args),
                0,
                &[winner, file, "neither the rules (joint)"],
            );
            let written = fs::read(place.path(file)).expect("written");
            assert_eq!(written.len(), records(&published_bytes(name)), "{name}");
            assert_eq!(written[..12], published_bytes(name)[..12], "{name}");
        }
        let other = Place::new();
        fs::copy(place.path("x.proof"), other.path("x.proof")).expect("copied");
        let object = other.object(&["import", "x.proof", "--format", "watkins"]);
        assert_eq!(object["positions"], positions, "{name}");
    }
}

#[test]
fn what_is_wrong_decides_the_exit_code() {
    // Field case B32.
    let sound = published_bytes("e3g6");
    let record = |number: usize| 12 + 6 * (number - 1);
    let with = |at: usize, word: &[u8]| {
        let mut bytes = sound.clone();
        bytes[at..at + word.len()].copy_from_slice(word);
        bytes
    };
    let mut pointer = sound.clone();
    let first_pointer = (1..4903)
        .find(|&number| sound[record(number) + 3] & 0x80 != 0)
        .expect("there is one");
    pointer[record(first_pointer)..][..3].copy_from_slice(&[1, 0, 0]);
    let unsolved_move = sound[record(5) + 5] ^ 0xf0;
    for (bytes, code, complaint) in [
        (with(record(3), &[0, 0, 0, 0]), 4, "the game is not over"),
        (
            with(record(5), &[0xff, 0xff, 0xff, 0x7f]),
            4,
            "marked as not solved",
        ),
        (
            with(record(5) + 5, &[unsolved_move]),
            4,
            "marked as not solved",
        ),
        (pointer, 4, "a loop"),
        (sound[..1000].to_vec(), 5, "cut off"),
        (sound[..8].to_vec(), 5, "ends inside the opening moves"),
        (
            with(0, &[0, 0, 0, 0x40]),
            5,
            "N, the number of records, is 0",
        ),
        (with(record(3) + 4, &[0xdc, 0xfe]), 8, "null move"),
        (with(6, &[0, 0]), 5, "opening move 1"),
        ([&sound[..], &[0; 5]].concat(), 5, "records: 5; a footer"),
        (
            [&sound[..], &[1, 0, 0, 0, 9, 0, 0, 0]].concat(),
            5,
            "footer entry 0",
        ),
    ] {
        let place = Place::new();
        fs::write(place.path("x.proof"), bytes).expect("written");
        import(&place, "x.proof", &[]).fails(code, &["x.proof", complaint, "nothing was stored"]);
        assert!(!place.path("takeme.db").exists(), "{complaint}");
    }
}

#[test]
fn a_defect_is_told_with_its_place_and_number() {
    let mut bytes = published_bytes("e3g6");
    let at = 12 + 6 * 4 + 5;
    bytes[at] ^= 0xf0;
    let place = Place::new();
    fs::write(place.path("x.proof"), bytes).expect("written");
    let place_of_it = "after 1. e3 g6 2. Qh5 gxh5 3. g4 hxg4 4. Nf3 gxf3: ";
    import(&place, "x.proof", &[]).fails(4, &[place_of_it, "not proved", "1 defect"]);
    let (code, objects) = place.json(&["import", "x.proof", "--format", "watkins"]);
    assert_eq!((code, objects.len()), (4, 1));
    assert_eq!(objects[0]["verdict"], "rejected");
    assert_eq!(objects[0]["defects"], 1);
    let first = "e2e3 g7g6 d1h5 g6h5 g2g4 h5g4 g1f3 g4f3";
    assert_eq!(objects[0]["first_defect"], first);
}

#[test]
fn the_opening_and_the_winner_must_agree() {
    let place = Place::new();
    let ask = |more: &[&str]| import_published(&place, "e3g6", more);
    let begins = ["2. Qh5 with black to move", "not at 1. e3 g6"];
    ask(&["--line", "e3 g6"]).fails(2, &begins);
    ask(&["--line", "e3 c5"]).fails(2, &["begins at"]);
    ask(&["--line", "e3 c9"]).fails(2, &["c9"]);
    ask(&["--winner", "black"]).fails(4, &["black has not won", "not proved"]);
    assert_says(&ask(&["--winner", "white"]), 0, &["white"]);
    import(&place, "none.proof", &[]).fails(2, &["cannot read none.proof"]);
}

#[test]
fn a_certificate_must_agree_with_what_was_asked_for_too() {
    let place = Place::new();
    assert_says(&import_published(&place, "e4", &[]), 0, &["black"]);
    place.ok(&["export", "e4 b5", "--format", "cert", "-o", "x.cert"]);
    let ask =
        |more: &[&str]| place.run(&[&["import", "x.cert", "--format", "cert"][..], more].concat());
    ask(&["--winner", "white"]).fails(2, &["black wins"]);
    ask(&["--line", "e4"]).fails(2, &["with white to move, not at 1. e4 with black to move"]);
    let agreeing = ask(&["--winner", "black", "--line", "e4 b5"]);
    assert_says(&agreeing, 0, &["black wins"]);
}

#[test]
fn a_tree_without_a_choice_does_not_tell_the_winner() {
    // 1. e3 d5 2. Qg4 Bxg4, and nothing more.
    let mut bytes = published_bytes("e3d5");
    bytes.truncate(18);
    bytes[..4].copy_from_slice(&[2, 0, 0, 0x40]);
    bytes[12..16].copy_from_slice(&[0; 4]);
    let place = Place::new();
    fs::write(place.path("x.proof"), bytes).expect("written");
    import(&place, "x.proof", &[]).fails(2, &["ambiguous", "--winner white"]);
    import(&place, "x.proof", &["--winner", "white"]).fails(4, &["the game is not over"]);
}

#[test]
fn other_rules_make_other_proofs() {
    let place = Place::new();
    let ran = import_published(&place, "e3d5", &["--rules", "fics"]);
    assert_says(&ran, 0, &["white", "fics"]);
    let args = [
        "export", "e3 d5", "--format", "watkins", "-o", "x.proof", "--rules", "fics",
    ];
    assert_says(&place.run(&args), 0, &["neither the rules (fics)"]);
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let place = Place::new();
    place.ok(&["prove", "e3 d5", "--no-tables"]);
    let fen = "rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w - - 0 2";
    place
        .run(&["export", "--fen", fen, "--format", "watkins", "-o", "x"])
        .fails(8, &["without --fen"]);
    assert!(!place.path("x").exists());
    place
        .run(&["export", "e3 c5", "--format", "watkins", "-o", "x"])
        .fails(3, &["no proof"]);
    place.ok(&["export", "e3 d5", "--format", "watkins", "-o", "x"]);
    place
        .run(&["export", "e3 d5", "--format", "watkins", "-o", "x"])
        .fails(2, &["exists already"]);
}

#[test]
fn standard_input_and_output_will_do() {
    let place = Place::new();
    assert_says(&import_published(&place, "e4", &[]), 0, &["black"]);
    let output = output_of(&mut place.command(&["export", "e4", "--format", "watkins", "-o", "-"]));
    assert_eq!(output.stdout.len(), records(&published_bytes("e4")));
    let other = Place::new();
    let mut command = other.command(&["import", "-", "--format", "watkins"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&output.stdout).expect("written");
    drop(stdin);
    let ran = Ran::of(&ended(child));
    assert_says(&ran, 0, &["black wins", "115 positions"]);
}

/// A game in which four men are left, and White to move wins.
const FOUR_MEN: &str = "b2b4 e7e5 c1b2 f8b4 b2e5 b4d2 e5g7 d2e1 g7h8 e1f2 d1d7 d8d7 e2e4 f2g1 h1g1 g8h6 b1d2 d7d2 e4e5 d2c2 \
     a1c1 c2g2 f1g2 c8d7 c1c7 b8c6 c7c6 b7c6 g2c6 d7c6 g1g7 a8d8 g7h7 c6b5 h7h6 b5d7 h6h7 a7a5 h7f7 e8f7 e5e6 d8h8 e6f7 h8h2 a2a4 d7a4";
/// It goes on; three men are left, and Black to move loses.
const THREE_MEN: &str = "f7f8r h2f2 f8f2";

/// A file that leaves all to a table.
fn only_a_root(line: &str) -> Vec<u8> {
    let moves: Vec<u16> = line.split_ascii_whitespace().map(word).collect();
    let mut bytes = 1_u32.to_le_bytes().to_vec();
    bytes.extend(u16::try_from(moves.len()).expect("few").to_le_bytes());
    bytes.extend(moves.into_iter().flat_map(u16::to_le_bytes));
    bytes
}

/// The word of a move in UCI; only rooks are made of pawns here.
fn word(uci: &str) -> u16 {
    let letters = uci.as_bytes();
    let square = |file: u8, rank: u8| u16::from(file - b'a') + 8 * u16::from(rank - b'1');
    let promotion = if letters.len() > 4 { 4 << 12 } else { 0 };
    promotion | square(letters[0], letters[1]) << 6 | square(letters[2], letters[3])
}

#[test]
fn ends_with_few_men_are_searched_where_no_table_is() {
    for (more, mover) in [("", "white"), (THREE_MEN, "black")] {
        let line = format!("{FOUR_MEN} {more}");
        let place = Place::new();
        fs::write(place.path("x.proof"), only_a_root(&line)).expect("written");
        import(&place, "x.proof", &[]).fails(2, &["ambiguous"]);
        import(&place, "x.proof", &["--winner", "black"]).fails(
            4,
            &["left to a table, and is no win for black", "not proved"],
        );
        let ran = import(&place, "x.proof", &["--winner", "white", "--line", &line]);
        let told = [
            "white wins",
            "verified",
            "0 ends by tables",
            "1 position searched",
        ];
        assert_says(&ran, 0, &told);
        assert_says(&place.run(&["verify"]), 0, &["tables: none"]);
        assert_says(&place.run(&["eval", &line]), 0, &[mover]);
    }
}

#[test]
fn ends_with_few_men_are_asked_of_tables_that_are_here() {
    let tables = three_men();
    let own = Place::new();
    let db = own.path("own.db");
    let db = ["--db", db.to_str().expect("UTF-8")];
    let file = own.path("x.proof");
    let file = file.to_str().expect("UTF-8");
    let line = format!("{FOUR_MEN} {THREE_MEN}");
    fs::write(file, only_a_root(&line)).expect("written");
    let black = [&["--winner", "black"], &db[..]].concat();
    import(tables, file, &black).fails(4, &["no win for black"]);
    let white = [&["--winner", "white"], &db[..]].concat();
    let told = [
        "white wins",
        "verified",
        "1 end by tables",
        "0 positions searched",
    ];
    assert_says(&import(tables, file, &white), 0, &told);
    // What a table knows is left to it again.
    tables.ok(&[&["prove", FOUR_MEN], &db[..]].concat());
    let output = own.path("y.proof");
    let output = output.to_str().expect("UTF-8");
    tables.ok(&[
        &["export", FOUR_MEN, "--format", "watkins", "-o", output],
        &db[..],
    ]
    .concat());
    tables
        .run(
            &[
                &["export", &line, "--format", "watkins", "-o", "z"],
                &db[..],
            ]
            .concat(),
        )
        .fails(8, &["no move is left to write"]);
    assert_says(
        &import(&own, "y.proof", &[]),
        0,
        &["white wins", "0 ends by tables"],
    );
}

/// However little of a file is there, it is the file that is wrong, and not the question for the winner.
#[test]
fn a_file_that_is_cut_off_near_its_beginning_is_damaged() {
    let place = Place::new();
    let bytes = published_bytes("e3g6");
    for length in [12, 13, 17, 18, 40] {
        fs::write(place.path("cut.proof"), &bytes[..length]).expect("written");
        let ran = import(&place, "cut.proof", &[]);
        assert_says(&ran, 5, &["cut.proof"]);
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).expect("made");
    import(&place, "folder", &[]).fails(2, &["folder"]);
    import(&place, "none.proof", &[]).fails(2, &["none.proof"]);
}

#[test]
fn a_long_opening_names_what_is_imported() {
    let place = Place::proved(&["e3 g6"]);
    let line = "e3 g6 Qh5 gxh5";
    place.ok(&[
        "export",
        line,
        "--format",
        "watkins",
        "--output",
        "long.proof",
    ]);
    let imported = place.object(&[
        "import",
        "long.proof",
        "--format",
        "watkins",
        "--db",
        "new.db",
    ]);
    let named = imported["line"].as_str().expect("a line");
    assert!(named.starts_with("e2e3 g7g6 d1h5 g6h5 "), "{named}");
}

/// The claim stored is the position behind the winner's first move; the position before it follows from that.
#[test]
fn a_line_that_ends_before_the_first_move_of_a_proof_goes_out_in_every_form() {
    let place = Place::new();
    assert_eq!(import_published(&place, "e3g6", &[]).code, 0);
    let verified = place.object(&["verify", "e3 g6"]);
    assert_eq!(verified["verdict"], "verified");
    assert_eq!(verified["positions"], 1_570);
    for format in ["cert", "jsonl", "pgn", "watkins"] {
        let file = format!("e3g6.{format}");
        place.ok(&["export", "e3 g6", "--format", format, "--output", &file]);
    }
    place.ok(&["verify", "--file", "e3g6.cert"]);
    let rows = fs::read_to_string(place.path("e3g6.jsonl")).expect("written");
    assert_eq!(rows.lines().count(), 1_570);
    place.ok(&["lines", "e3 g6", "--max-lines", "3"]);
}
