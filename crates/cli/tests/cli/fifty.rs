//! `takeme verify --fifty`: whether a win holds under the fifty-move rule.

use std::fs;

use verify::{Color, Move, Outcome, Position, Ruleset, crc64_xz, legal_moves, outcome};

use crate::support::{Place, keys};
use crate::tabled::{table, three_men, two_men};

/// A closed walk of 25 squares for White's king, far from Black's men.
const WALK: [&str; 25] = [
    "d4", "e4", "f4", "g4", "h4", "h3", "g3", "f3", "e3", "e2", "f2", "g2", "h2", "h1", "g1", "f1",
    "e1", "d1", "c1", "b1", "a1", "a2", "a3", "b3", "c4",
];
/// Black's bishop has one move, to and fro, and no other man has any, until White's king goes to c5.
const LOCKED: &str = "1b6/2p5/1pP5/8/1P1K4/8/8/8 w - -";

/// A proof that takes 49 moves too many; the run of a hundred plies starts after the first move.
fn long_walk() -> Vec<u8> {
    let squares = WALK.iter().cycle();
    let walk = squares.clone().zip(squares.skip(1)).take(49);
    let walk = walk.map(|(from, to)| format!("{from}{to}"));
    let end = ["c4c5", "b5b6", "c6c7"].map(str::to_owned);
    let moves = ["b4b5".to_owned()].into_iter().chain(walk).chain(end);
    let mut position = Position::from_fen(LOCKED, Ruleset::Joint).expect("a position");
    let mut choices = Vec::new();
    for uci in moves {
        let legal = legal_moves(&position);
        let mv = Move::from_uci(&uci).expect("UCI");
        let index = legal.iter().position(|&other| other == mv).expect("legal");
        choices.push(u8::try_from(index).expect("few moves"));
        position = position.play(mv).expect("legal");
        let replies = legal_moves(&position);
        assert_eq!(replies.len(), 1);
        position = position.play(replies[0]).expect("legal");
    }
    assert_eq!(
        outcome(&position, Ruleset::Joint),
        Outcome::Won(Color::White)
    );
    let count = u32::try_from(choices.len()).expect("few");
    let mut bytes = b"\x89TKMCRT\n\x01\0\x02\0".to_vec();
    bytes.extend(u64::from(count).to_le_bytes());
    bytes.extend((2 * count).to_le_bytes());
    bytes.extend(u16::try_from(LOCKED.len()).expect("short").to_le_bytes());
    bytes.extend(LOCKED.as_bytes());
    bytes.extend([0, 0]);
    bytes.extend(u64::from(count).to_le_bytes());
    bytes.extend(choices);
    bytes.extend(crc64_xz(&bytes).to_le_bytes());
    bytes
}

#[test]
fn a_win_in_short_runs_holds() {
    let place = Place::proved(&["e3 d5"]);
    let object = place.object(&["verify", "e3 d5", "--fifty"]);
    let more = [
        "fifty",
        "longest_quiet_run",
        "quiet_run_after",
        "fifty_reason",
    ];
    for key in more {
        assert!(keys(&object).contains(&key), "{object}");
    }
    assert_eq!(
        (
            &object["verdict"],
            &object["fifty"],
            &object["fifty_reason"]
        ),
        (&"verified".into(), &true.into(), &().into())
    );
    assert!(object["longest_quiet_run"].as_u64() < Some(100), "{object}");
    let after = object["quiet_run_after"].as_str().expect("moves");
    place.ok(&["eval", &format!("e3 d5 {after}")]);
    let text = place.ok(&["verify", "--fifty"]);
    let yes = "; under the fifty-move rule: yes, longest run without capture or pawn move ";
    assert!(text.contains(yes), "{text}");
    // Unasked, the rule is not spoken of.
    let object = place.object(&["verify", "e3 d5"]);
    assert!(
        more.iter().all(|key| !keys(&object).contains(key)),
        "{object}"
    );
    assert!(!place.ok(&["verify"]).contains("fifty-move"));
}

#[test]
fn a_win_with_a_long_run_is_verified_but_does_not_hold() {
    let place = Place::new();
    fs::write(place.path("long.cert"), long_walk()).expect("written");
    let ran = place.run(&["verify", "--file", "long.cert"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let (code, objects) = place.json(&["verify", "--file", "long.cert", "--fifty"]);
    assert_eq!((code, objects.len()), (1, 1));
    let no = |object: &serde_json::Value| {
        assert_eq!(object["verdict"], "verified");
        assert_eq!(object["fifty"], false);
        assert_eq!(object["longest_quiet_run"], 100);
        assert_eq!(object["quiet_run_after"], "b4b5");
    };
    no(&objects[0]);
    // The same from a database, in which the verdict stays.
    place.ok(&["import", "long.cert", "--format", "cert"]);
    let (code, objects) = place.json(&["verify", "--fifty"]);
    assert_eq!(code, 1);
    no(&objects[0]);
    let ran = place.run(&["verify", "--fifty"]);
    let no = "; under the fifty-move rule: no, 100 plies without capture or pawn move after b4b5; ";
    assert!(ran.code == 1 && ran.stdout.contains(no), "{}", ran.stdout);
    let (_, objects) = place.json(&["status"]);
    let claim = objects.iter().find(|object| object["kind"] == "claim");
    let claim = claim.expect("a claim").to_string();
    assert!(
        claim.contains("under the fifty-move rule: no, 100 plies"),
        "{claim}"
    );
    // What is rejected or damaged has no second verdict.
    let bytes = long_walk();
    fs::write(place.path("cut.cert"), &bytes[..100]).expect("written");
    let (code, objects) = place.json(&["verify", "--file", "cut.cert", "--fifty"]);
    assert_eq!(code, 5);
    assert!(objects[0]["fifty"].is_null() && objects[0]["longest_quiet_run"].is_null());
}

#[test]
fn lines_that_end_in_tables_are_played_on() {
    let tables = three_men().path("tables").display().to_string();
    let place = Place::new();
    let fen = "7k/8/5K2/8/8/1R6/P7/8 w - -";
    place.ok(&["prove", "--fen", fen, "--tables", &tables]);
    let object = place.object(&["verify", "--tables", &tables, "--fifty"]);
    assert_eq!(
        (&object["plies"], &object["fifty"]),
        (&50.into(), &true.into())
    );
    let run = object["longest_quiet_run"].as_u64().expect("a number");
    assert!((1..=50).contains(&run), "{object}");
    // All of the game in the table.
    let fen = "8/8/8/8/8/P7/8/7k b - -";
    place.ok(&["prove", "--fen", fen, "--tables", &tables]);
    let object = place.object(&["verify", "--fen", fen, "--tables", &tables, "--fifty"]);
    assert_eq!(object["plies"], 45);
    assert_eq!(object["fifty"], true);
}

#[test]
fn a_table_that_is_not_there_leaves_it_open_whether_the_rule_lets_a_win_stand() {
    let place = two_men();
    // The pawn's table gives the win, and the promotions lead to those that are missing.
    let fen = "8/8/8/8/8/P7/8/7k b - -";
    place.ok(&["prove", "--fen", fen]);
    for name in ["KvQ", "KvR", "KvB", "KvN", "KvK"] {
        fs::remove_file(table(&place, name)).expect("a table");
    }
    let (code, objects) = place.json(&["verify", "--fen", fen, "--fifty"]);
    let object = &objects[0];
    assert_eq!((code, objects.len()), (3, 1), "{object}");
    assert_eq!(
        (&object["verdict"], &object["plies"]),
        (&"verified".into(), &45.into())
    );
    for unknown in ["fifty", "longest_quiet_run", "quiet_run_after"] {
        assert!(object[unknown].is_null(), "{object}");
    }
    let reason = object["fifty_reason"].as_str().expect("a reason");
    assert!(reason.contains("the tables give no way"), "{reason}");
    let ran = place.run(&["verify", "--fen", fen, "--fifty"]);
    let unknown = "; under the fifty-move rule: not known, ";
    assert!(
        ran.code == 3 && ran.stdout.contains(unknown),
        "{}",
        ran.stdout
    );
    // Without the question, the win stands.
    place.ok(&["verify", "--fen", fen]);
}

/// Field case B37.
#[test]
#[ignore = "makes a table of four men"]
fn a_win_that_the_rule_spoils_is_told_from_one_that_it_does_not() {
    let place = Place::new();
    for (men, only) in [
        ("2", "KvK,BvK,NvK"),
        ("3", "KBvK,KNvK,BNvK"),
        ("4", "KBNvK"),
    ] {
        let args = ["tables", "generate", "--men", men, "--only", only];
        place.ok(&[&args[..], &["--rules", "international", "--tables", "t"]].concat());
    }
    let common = ["--rules", "international", "--tables", "t", "--fen"];
    let fen = "8/5N2/5B2/8/k7/8/8/2K5 w - -";
    let with = |command| [&[command], &common[..], &[fen]].concat();
    place.ok(&with("prove"));
    let args = [with("verify"), vec!["--fifty"]].concat();
    let (code, objects) = place.json(&args);
    let object = &objects[0];
    assert_eq!((code, &object["verdict"]), (1, &"verified".into()));
    assert_eq!(
        (&object["plies"], &object["fifty"]),
        (&148.into(), &false.into())
    );
    assert!(object["longest_quiet_run"].as_u64() > Some(100), "{object}");
    assert_eq!(object["quiet_run_after"], "");
}
