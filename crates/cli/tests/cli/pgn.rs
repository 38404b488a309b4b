//! `export --format pgn`.

use std::{
    collections::{HashMap, HashSet},
    fs,
};

use rules::{Color, Game, Ruleset, fen, line, san};
use serde_json::Value;

use crate::support::Place;

/// A token of movetext.
#[derive(Debug, PartialEq)]
enum Token {
    Number(u32),
    Move(String),
    Comment(String),
    Open,
    Close,
    Result(String),
}

/// Reads a game as the standard's export format has it, and nothing else.
fn read(text: &str) -> (Vec<(String, String)>, Vec<Token>) {
    let (head, moves) = text
        .split_once("\n\n")
        .expect("an empty line after the tags");
    let tags = head.lines().map(|line| {
        let inner = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix("\"]"));
        let (name, value) = inner.and_then(|tag| tag.split_once(" \"")).expect("a tag");
        assert!(name.bytes().all(|byte| byte.is_ascii_alphabetic()));
        (name.to_owned(), value.to_owned())
    });
    assert!(moves.lines().all(|line| line.len() < 80), "lines are short");
    let mut tokens = Vec::new();
    let mut rest = moves.trim_start();
    while !rest.is_empty() {
        let end = match rest.as_bytes()[0] {
            b'(' => {
                tokens.push(Token::Open);
                1
            }
            b')' => {
                tokens.push(Token::Close);
                1
            }
            b'{' => {
                let end = rest.find('}').expect("comments end");
                tokens.push(Token::Comment(rest[1..end].replace('\n', " ")));
                end + 1
            }
            _ => {
                let end = rest.find([' ', '\n', ')']).unwrap_or(rest.len());
                let word = &rest[..end];
                tokens.push(match word {
                    "1-0" | "0-1" => Token::Result(word.to_owned()),
                    _ if word.ends_with('.') => {
                        Token::Number(word.trim_end_matches('.').parse().expect("a number"))
                    }
                    _ => Token::Move(word.to_owned()),
                });
                end
            }
        };
        rest = rest[end..].trim_start();
    }
    assert!(matches!(tokens.pop(), Some(Token::Result(_))));
    (tags.collect(), tokens)
}

fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter()
        .find(|(tag, _)| tag == name)
        .map(|(_, value)| &value[..])
}

/// Plays all of a game: each line must be legal, numbered as it should be, end as it says, and leave no reply out. Returns how many lines
/// there are.
fn replay(start: &Game, winner: Color, tokens: &[Token]) -> usize {
    let mut lines = 1;
    // Of each line that is open, all its positions.
    let mut stack = vec![vec![start.clone()]];
    let mut transposed = false;
    let mut replies: HashMap<String, HashSet<String>> = HashMap::new();
    for token in tokens {
        let line = stack.last_mut().expect("a line");
        let here = line.last().expect("a position").clone();
        match token {
            Token::Number(number) => assert_eq!(u32::from(here.full_move()), *number),
            Token::Move(text) => {
                assert!(!transposed, "{text} follows a transposition");
                assert!(!text.contains(['#', '+']), "{text}");
                let mut next = here.clone();
                let mv = next.play_text(text).expect("legal");
                assert_eq!(*text, san::write(here.position(), mv, here.ruleset()));
                if here.position().side_to_move() != winner {
                    let position = fen::write_position(here.position());
                    replies.entry(position).or_default().insert(text.clone());
                }
                line.push(next);
            }
            Token::Comment(text) => {
                let way = text
                    .strip_prefix("transposes to ")
                    .expect("no other comment");
                let is_there = |game: &Game| {
                    way.starts_with(&format!("{}.", game.full_move()))
                        && line::play(game.clone(), way)
                            .is_ok_and(|(end, _)| end.position() == here.position())
                };
                assert!(line.iter().any(is_there), "{text}");
                transposed = true;
            }
            Token::Open => {
                let before = line[..line.len() - 1].to_vec();
                stack.push(before);
                lines += 1;
            }
            Token::Close => {
                assert!(transposed || here.outcome().winner() == Some(winner));
                stack.pop();
                transposed = false;
            }
            Token::Result(_) => panic!("one result, at the end"),
        }
    }
    assert_eq!(stack.len(), 1, "brackets fit");
    let end = stack[0].last().expect("a position");
    assert_eq!(
        end.outcome().winner(),
        Some(winner),
        "the main line is complete"
    );
    for (position, moves) in replies {
        let game = fen::parse(&position, start.ruleset()).expect("a FEN").game;
        assert_eq!(
            moves.len(),
            game.legal_moves().len(),
            "replies in {position}"
        );
    }
    lines
}

fn export(place: &Place, line: &[&str], flags: &[&str]) -> String {
    let args = [
        &["export"],
        line,
        &["--format", "pgn", "--output", "p.pgn", "--force"],
        flags,
    ];
    place.ok(&args.concat());
    fs::read_to_string(place.path("p.pgn")).expect("written")
}

/// The games of a file.
fn games(text: &str) -> Vec<String> {
    let games = text.split("[Event ").skip(1);
    games.map(|game| format!("[Event {game}")).collect()
}

#[test]
fn a_proof_comes_back_from_its_pgn() {
    let place = Place::new();
    place.ok(&["prove", "1. e3 g6", "--threads", "1"]);
    let text = export(&place, &["1. e3 g6"], &[]);
    assert!(text.contains("gxh1=K"), "replies that promote to a king");
    assert!(text.contains("{transposes"), "positions are followed once");
    let (tags, tokens) = read(&text);
    assert_eq!(tag(&tags, "Result"), Some("1-0"));
    assert_eq!(tag(&tags, "Variant"), Some("Antichess"));
    assert_eq!(tag(&tags, "Stalemate"), Some("joint"));
    assert_eq!(tag(&tags, "FEN"), None);
    let start = Game::initial(Ruleset::Joint);
    let (after, _) = line::play(start.clone(), "e3 g6").expect("legal");
    let prolog = tokens
        .iter()
        .position(|token| *token == Token::Number(2))
        .expect("a second move");
    let lines = replay(&after, Color::White, &tokens[prolog..]);
    assert!(lines > 1_000);
    // The main line is read again as a line.
    let rows = place.json(&["prove", "--file", "p.pgn"]).1;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["winner"], "white");
    assert_eq!(rows[0]["source"], "game-over");
}

#[test]
fn a_game_for_each_reply_and_no_more_lines_than_asked_for() {
    let place = Place::new();
    place.ok(&["prove", "1. e3 d5", "--threads", "1"]);
    let split = games(&export(&place, &["1. e3 d5"], &["--split"]));
    assert!(split.len() > 1);
    for (text, round) in split.iter().zip(1..) {
        let (tags, _) = read(text);
        assert_eq!(tag(&tags, "Round"), Some(&round.to_string()[..]));
    }
    for most in [1, 2, 5] {
        let text = export(&place, &["1. e3 d5"], &["--max-lines", &most.to_string()]);
        let (_, tokens) = read(&text);
        let opened = tokens.iter().filter(|token| **token == Token::Open).count();
        assert_eq!(opened + 1, most);
        let comments = tokens
            .iter()
            .filter(|token| matches!(token, Token::Comment(_)));
        assert!(comments.count() > 0, "what is left out is told");
    }
    for (flags, why) in [
        (
            &["--format", "jsonl", "--split"][..],
            "--split is for --format pgn",
        ),
        (
            &["--format", "cert", "--max-lines", "3"],
            "--max-lines is for --format pgn",
        ),
        (&["--format", "pgn", "--max-lines", "0"], "asks for nothing"),
    ] {
        let args = [&["export", "1. e3 d5", "--output", "-"], flags].concat();
        let ran = place.run(&args);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn promotions_to_kings_and_captures_en_passant_come_back() {
    for (fen, ruleset, must_have) in [
        ("8/P7/8/7p/8/8/8/8 w - - 0 1", "joint", "a8="),
        ("8/8/8/8/1p6/8/P7/8 w - - 0 1", "international", "bxa3"),
        ("8/p7/8/1P6/8/8/8/8 b - - 0 1", "international", "bxa6"),
        ("8/8/8/8/8/8/p7/7N b - - 0 1", "fics", "a1="),
    ] {
        let place = Place::new();
        let line = ["--fen", fen, "--rules", ruleset];
        let args = [&["prove"], &line[..], &["--threads", "1", "--no-tables"]].concat();
        let object: Value = place.json(&args).1.remove(0);
        let text = export(&place, &line, &[]);
        let (tags, tokens) = read(&text);
        assert_eq!(tag(&tags, "FEN"), Some(fen));
        assert_eq!(tag(&tags, "SetUp"), Some("1"));
        let winner = if object["winner"] == "white" {
            Color::White
        } else {
            Color::Black
        };
        assert_eq!(
            tag(&tags, "Result"),
            Some(if object["winner"] == "white" {
                "1-0"
            } else {
                "0-1"
            })
        );
        let start = fen::parse(fen, ruleset.parse().expect("a ruleset"))
            .expect("a FEN")
            .game;
        replay(&start, winner, &tokens);
        assert!(text.contains(must_have), "{text}");
        let again = place
            .json(&["prove", "--file", "p.pgn", "--rules", ruleset])
            .1;
        assert_eq!(again[0]["winner"], object["winner"]);
    }
}
