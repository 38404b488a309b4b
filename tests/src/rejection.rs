//! Strategies that are spoilt in one way each. The verifier must reject them, and say what is wrong and after which moves.

use std::sync::OnceLock;

use proof::Proof;
use rules::{Ruleset, canonical_moves, fen};
use verify::{Claim, Color, Reason, Rejection, Verdict};

use crate::support::{Moves, after, claim_across, mv, position, proof};

/// The proof that is spoilt: Black wins after 1. d3.
fn sound() -> &'static (Claim, Moves) {
    static SOUND: OnceLock<(Claim, Moves)> = OnceLock::new();
    SOUND.get_or_init(|| {
        let proof: Proof = proof(after("d3", Ruleset::Joint), Ruleset::Joint);
        (claim_across(&proof.claim), Moves::of(&proof))
    })
}

fn rejected(verdict: Verdict) -> Rejection {
    match verdict {
        Verdict::Rejected(rejection) => rejection,
        other => panic!("not rejected: {other:?}"),
    }
}

/// The position that a defect's path leads to.
fn reached(claim: &Claim, rejection: &Rejection) -> String {
    let mut position = claim.root;
    for &mv in &rejection.path {
        position = position.play(mv).expect("the path is legal");
    }
    position.fen()
}

fn path(rejection: &Rejection) -> String {
    let moves: Vec<String> = rejection.path.iter().map(ToString::to_string).collect();
    moves.join(" ")
}

#[test]
fn the_sound_strategy_is_accepted() {
    let (claim, moves) = sound();
    assert!(matches!(moves.judge(claim), Verdict::Verified(_)));
}

#[test]
fn a_missing_entry_is_named_whichever_it_is() {
    let (claim, sound) = sound();
    for fen in sound.positions() {
        let mut moves = sound.clone();
        moves.0.remove(&fen);
        let rejection = rejected(moves.judge(claim));
        assert_eq!(rejection.reason, Reason::MissingMove, "{fen}");
        assert_eq!(rejection.defects, 1);
        assert_eq!(reached(claim, &rejection), fen);
    }
}

#[test]
fn an_illegal_move_is_named_whichever_it_is() {
    let (claim, sound) = sound();
    for fen in sound.positions() {
        let board = position(&fen, Ruleset::Joint);
        let legal = canonical_moves(&board, Ruleset::Joint);
        // From an empty square, by a man of the other side, and to where the mover's own man stands.
        let own = board.men(board.side_to_move()).into_iter().next();
        let own = own.expect("a man to move").to_string();
        let other = board.men(!board.side_to_move()).into_iter().next();
        let other = other.expect("not over").to_string();
        let empty = (!board.occupied()).into_iter().next();
        let empty = empty.expect("an empty square").to_string();
        for (from, to) in [(&empty, &own), (&other, &empty), (&own, &own)] {
            let text = format!("{from}{to}");
            assert!(legal.iter().all(|mv| mv.to_string() != text));
            let mut moves = sound.clone();
            moves.0.insert(fen.clone(), mv(&text));
            let rejection = rejected(moves.judge(claim));
            let expected = Reason::IllegalMove {
                choice: verify::Choice::Move(mv(&text)),
                legal: legal.len(),
            };
            assert_eq!(rejection.reason, expected, "{fen} {text}");
            assert_eq!(reached(claim, &rejection), fen);
        }
    }
}

#[test]
fn a_quiet_move_where_capturing_is_compulsory_is_illegal() {
    let (claim, sound) = sound();
    let mut tried = 0;
    for text in sound.positions() {
        let board = position(&text, Ruleset::Joint);
        let us = board.side_to_move();
        let captures = canonical_moves(&board, Ruleset::Joint)
            .iter()
            .all(|mv| board.occupied().contains(mv.to()));
        // A pawn of the mover's with an empty square before it could go there if nothing could be captured.
        let forward: i32 = if us == rules::Color::White { 8 } else { -8 };
        let quiet = board
            .men_of(us, rules::Role::Pawn)
            .into_iter()
            .find_map(|from| {
                let to = i32::try_from(from.index()).ok()? + forward;
                let to = rules::Square::new(u8::try_from(to).ok()?);
                let inside = (1..7).contains(&to.rank());
                (inside && !board.occupied().contains(to)).then(|| format!("{from}{to}"))
            });
        let (true, Some(quiet)) = (captures, quiet) else {
            continue;
        };
        tried += 1;
        let mut moves = sound.clone();
        moves.0.insert(text.clone(), mv(&quiet));
        let rejection = rejected(moves.judge(claim));
        assert!(
            matches!(rejection.reason, Reason::IllegalMove { .. }),
            "{text} {quiet}"
        );
        assert_eq!(reached(claim, &rejection), text);
    }
    assert!(tried > 5, "{tried}");
}

#[test]
fn a_legal_move_that_loses_is_followed_to_the_loss() {
    // Field case B23: Kb4 stalemates Black, who has won under international rules; under fics that is a draw.
    let fen = "8/8/8/1p6/8/2K5/8/8 w - -";
    for (ruleset, reason) in [
        (verify::Ruleset::International, Reason::LostEnd),
        (verify::Ruleset::Fics, Reason::DrawnEnd),
        (verify::Ruleset::Joint, Reason::DrawnEnd),
    ] {
        let claim = Claim::new(ruleset, fen, Color::White).expect("a FEN");
        let mut moves = Moves::default();
        moves.0.insert(fen.to_owned(), mv("c3c4"));
        assert!(matches!(moves.judge(&claim), Verdict::Verified(_)));
        moves.0.insert(fen.to_owned(), mv("c3b4"));
        let rejection = rejected(moves.judge(&claim));
        assert_eq!(rejection.reason, reason, "{ruleset}");
        assert_eq!(path(&rejection), "c3b4");
    }
}

#[test]
fn another_legal_move_is_never_accepted_unless_it_wins_too() {
    let (claim, sound) = sound();
    let mut spoilt = 0;
    for fen in sound.positions() {
        let board = position(&fen, Ruleset::Joint);
        for other in canonical_moves(&board, Ruleset::Joint) {
            let other = mv(&other.to_string());
            if sound.0[&fen] == other {
                continue;
            }
            let mut moves = sound.clone();
            moves.0.insert(fen.clone(), other);
            // It leads to a loss, a draw, a loop, or where the strategy has no move; or into the rest of the strategy.
            match moves.judge(claim) {
                Verdict::Verified(_) => {}
                Verdict::Rejected(rejection) => {
                    spoilt += 1;
                    assert!(
                        matches!(
                            rejection.reason,
                            Reason::MissingMove | Reason::LostEnd | Reason::DrawnEnd | Reason::Loop
                        ),
                        "{fen} {other}: {rejection:?}"
                    );
                }
                verdict => panic!("{verdict:?}"),
            }
        }
    }
    assert!(spoilt > 100, "{spoilt}");
}

/// Black can only move its bishop between b8 and a7; White's king goes round.
const LOCKED: &str = "1b6/2p5/1pP5/1P6/8/8/8/7K w - -";

/// A strategy that walks the white king round these squares.
fn round(squares: &[&str]) -> Moves {
    let mut moves = Moves::default();
    let claim = Claim::new(verify::Ruleset::Joint, LOCKED, Color::White).expect("a FEN");
    let mut position = claim.root;
    for step in 0..2 * squares.len() {
        let (from, to) = (
            squares[step % squares.len()],
            squares[(step + 1) % squares.len()],
        );
        let king = mv(&format!("{from}{to}"));
        moves.0.insert(position.fen(), king);
        position = position.play(king).expect("legal");
        let replies = verify::legal_moves(&position);
        assert_eq!(replies.len(), 1);
        position = position.play(replies[0]).expect("legal");
    }
    moves
}

#[test]
fn loops_are_rejected_however_long_they_are() {
    let claim = Claim::new(verify::Ruleset::Joint, LOCKED, Color::White).expect("a FEN");
    for squares in [
        &["h1", "g1"][..],
        &["h1", "g1", "g2", "h2"],
        &["h1", "g1", "f1", "e1", "e2", "f2", "g2", "h2"],
    ] {
        let rejection = rejected(round(squares).judge(&claim));
        assert_eq!(rejection.reason, Reason::Loop);
        assert_eq!(rejection.path.len(), 2 * squares.len());
        assert_eq!(reached(&claim, &rejection), LOCKED);
    }
    // Three steps: the bishop is on the other square after the first round.
    let rejection = rejected(round(&["h1", "g1", "g2"]).judge(&claim));
    assert_eq!((rejection.reason, rejection.path.len()), (Reason::Loop, 12));
}

#[test]
fn a_proof_by_stalemate_is_none_under_fics() {
    let root = "8/5p2/8/8/8/5P2/8/8 w - -";
    let proof = proof(
        position(root, Ruleset::International),
        Ruleset::International,
    );
    assert_eq!(proof.claim.winner, rules::Color::Black);
    let moves = Moves::of(&proof);
    let claim = claim_across(&proof.claim);
    assert!(matches!(moves.judge(&claim), Verdict::Verified(_)));
    for ruleset in [verify::Ruleset::Fics, verify::Ruleset::Joint] {
        let rejection = rejected(moves.judge(&Claim { ruleset, ..claim }));
        assert_eq!(rejection.reason, Reason::DrawnEnd);
        assert_eq!(path(&rejection), "f3f4 f7f6 f4f5");
    }
    // With more men the stalemated side has lost.
    let more = "8/8/8/5p2/5P2/5P2/8/8 w - -";
    let over = Claim::new(verify::Ruleset::Fics, more, Color::White).expect("a FEN");
    let rejection = rejected(Moves::default().judge(&over));
    assert_eq!(
        (rejection.reason, rejection.path.len()),
        (Reason::LostEnd, 0)
    );
}

#[test]
fn the_other_side_has_no_proof() {
    let (claim, moves) = sound();
    let winner = claim.winner.opponent();
    let rejection = rejected(moves.judge(&Claim { winner, ..*claim }));
    assert_eq!(rejection.reason, Reason::MissingMove);
    // Where the strategy needs no move at all, the ends are lost.
    let fen = "8/8/8/1p6/2K5/8/8/8 b - -";
    let claim = Claim::new(verify::Ruleset::Joint, fen, Color::White).expect("a FEN");
    assert!(matches!(
        Moves::default().judge(&claim),
        Verdict::Verified(_)
    ));
    let winner = Color::Black;
    let mut moves = Moves::default();
    moves.0.insert(fen.to_owned(), mv("b5c4"));
    let rejection = rejected(moves.judge(&Claim { winner, ..claim }));
    assert_eq!(
        (rejection.reason, rejection.path.len()),
        (Reason::LostEnd, 1)
    );
}

#[test]
fn another_root_is_not_proved() {
    let (claim, moves) = sound();
    let root = after("e3", Ruleset::Joint);
    let claim = Claim::new(claim.ruleset, &fen::write_position(&root), claim.winner);
    let rejection = rejected(moves.judge(&claim.expect("a FEN")));
    assert_eq!(rejection.reason, Reason::MissingMove);
    assert!(rejection.path.is_empty());
}

#[test]
fn a_line_that_does_not_end_is_no_win() {
    // Field case B31: the published line is legal, but the game is not over after it.
    let root = "7N/8/B3P3/7p/5P2/8/1P2P3/1NBQK1N1 w - -";
    let line = "e6e7 h5h4 g1f3 h4h3 f3g1 h3h2 e2e4 h2g1b e1f2 g1f2 c1e3 f2e3 e4e5 e3f4 a6b7 f4e5 d1a4 e5h8 e7e8q h8b2 b1c3";
    let claim = Claim::new(verify::Ruleset::International, root, Color::White).expect("a FEN");
    let mut moves = Moves::default();
    let mut position = claim.root;
    for text in line.split(' ') {
        if position.side_to_move() == Color::White {
            moves.0.insert(position.fen(), mv(text));
        }
        position = position.play(mv(text)).expect("legal");
    }
    assert_eq!(position.fen(), "4Q3/1B6/8/8/Q7/2N5/1b6/8 b - -");
    let rejection = rejected(moves.judge(&claim));
    assert_eq!(rejection.reason, Reason::MissingMove);
}
