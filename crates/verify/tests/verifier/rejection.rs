//! Each way in which a strategy can fail, with the complaint that it must lead to.

use takeme_verify::{
    Choice, Claim, Color, Move, NoTables, Options, Outcome, Position, Reason, Ruleset, Strategy,
    StrategyError, Verdict, legal_moves, outcome, verify,
};

use crate::support::{
    Book, EN_PASSANT, EN_PASSANT_NOW, KING_V_PAWN, PAWN_RACE, STALEMATES, check, claim, mv,
    play_line, position, rejected, uci, verified,
};

const RULESETS: [Ruleset; 3] = [Ruleset::International, Ruleset::Fics, Ruleset::Joint];

fn pawn_race() -> (Claim, Book) {
    let claim = claim(Ruleset::International, PAWN_RACE, Color::White);
    let book = Book::solve(&claim, 6);
    (claim, book)
}

#[test]
fn fastest_wins_are_verified_with_their_exact_length() {
    for ruleset in RULESETS {
        for (fen, winner, plies) in [
            (KING_V_PAWN, Color::White, 2),
            (PAWN_RACE, Color::White, 6),
            (EN_PASSANT, Color::Black, 4),
        ] {
            let claim = claim(ruleset, fen, winner);
            let mut book = Book::solve(&claim, plies);
            let verified = verified(check(&claim, &mut book));
            assert_eq!(verified.plies, plies, "{claim}");
            assert_eq!(verified.positions, book.moves.len() as u64, "{claim}");
            assert!(verified.assumptions.is_empty());
        }
    }
}

#[test]
fn the_longest_line_counts_not_the_last() {
    // Kd4 wins as well, but takes four plies against the best reply.
    let claim = claim(Ruleset::International, KING_V_PAWN, Color::White);
    let after = play_line(claim.root, "c3d4");
    let rest = Claim {
        root: after,
        ..claim
    };
    let mut book = Book::solve(&rest, 3).with(claim.root, "c3d4");
    assert_eq!(verified(check(&claim, &mut book)).plies, 4);
}

#[test]
fn a_decided_root_needs_no_strategy() {
    let won = claim(Ruleset::Joint, "8/5n2/8/8/8/8/8/8 w - -", Color::White);
    let verified = verified(check(&won, &mut Book::default()));
    assert_eq!((verified.positions, verified.plies), (0, 0));
    let lost = Claim {
        winner: Color::Black,
        ..won
    };
    let rejection = rejected(check(&lost, &mut Book::default()));
    assert_eq!(
        (rejection.reason, rejection.path.len()),
        (Reason::LostEnd, 0)
    );
    let drawn = claim(Ruleset::Joint, "8/8/8/5p2/5P2/8/8/8 w - -", Color::White);
    assert_eq!(
        rejected(check(&drawn, &mut Book::default())).reason,
        Reason::DrawnEnd
    );
}

#[test]
fn a_missing_move_is_found_with_its_path() {
    let (claim, book) = pawn_race();
    // Every entry of the strategy is needed: without any one of them the proof has a hole there.
    for &hole in book.moves.keys() {
        let rejection = rejected(check(&claim, &mut book.clone().without(hole)));
        assert_eq!(rejection.reason, Reason::MissingMove);
        assert_eq!(play_line(claim.root, &uci(&rejection.path)), hole);
        assert_eq!((rejection.defects, rejection.stopped), (1, false));
    }
}

#[test]
fn a_hole_met_twice_is_counted_once() {
    // Black's pawns may step in either order, so that many positions are met by several lines.
    let claim = claim(
        Ruleset::International,
        "8/p6p/8/8/8/8/P6P/8 b - -",
        Color::White,
    );
    let book = Book::solve(&claim, 7);
    for &hole in book.moves.keys() {
        let rejection = rejected(check(&claim, &mut book.clone().without(hole)));
        assert_eq!(
            (rejection.reason, rejection.defects),
            (Reason::MissingMove, 1)
        );
    }
}

#[test]
fn all_defects_are_counted_unless_fewer_are_asked_for() {
    let (claim, mut book) = pawn_race();
    book.moves.retain(|position, _| *position == claim.root);
    let rejection = rejected(check(&claim, &mut book.clone()));
    assert_eq!(rejection.reason, Reason::MissingMove);
    // After the promotion Black has one pawn, which has one or two moves.
    let replies =
        legal_moves(&play_line(claim.root, &book.moves[&claim.root].to_uci())).len() as u64;
    assert_eq!((rejection.defects, rejection.stopped), (replies, false));
    let options = Options {
        max_defects: 1,
        ..Options::default()
    };
    let rejection = rejected(verify(&claim, &mut book, &mut NoTables, &options));
    assert_eq!((rejection.defects, rejection.stopped), (1, true));
}

#[test]
fn defects_in_two_branches_are_both_counted() {
    // Black has two moves; both lead to positions for which the strategy has nothing.
    let claim = claim(
        Ruleset::International,
        "8/7p/8/8/8/8/8/R7 b - -",
        Color::White,
    );
    let rejection = rejected(check(&claim, &mut Book::default()));
    assert_eq!(
        (rejection.reason, rejection.defects),
        (Reason::MissingMove, 2)
    );
    assert_eq!(uci(&rejection.path), "h7h5");
}

#[test]
fn a_move_that_loses_is_found_at_the_end_of_its_line() {
    // Field case B22: Kb4 stalemates Black, who wins under International; a draw under the other rulesets.
    for (ruleset, reason) in [
        (Ruleset::International, Reason::LostEnd),
        (Ruleset::Fics, Reason::DrawnEnd),
        (Ruleset::Joint, Reason::DrawnEnd),
    ] {
        let claim = claim(ruleset, KING_V_PAWN, Color::White);
        let mut book = Book::default().with(claim.root, "c3b4");
        let rejection = rejected(check(&claim, &mut book));
        assert_eq!(
            (rejection.reason, uci(&rejection.path)),
            (reason, "c3b4".to_owned())
        );
    }
}

#[test]
fn a_promotion_that_does_not_win_is_found() {
    // Field case B14: a knight or a king on a8 loses.
    for promotion in ["a7a8n", "a7a8k"] {
        let (claim, book) = pawn_race();
        let rejection = rejected(check(&claim, &mut book.with(claim.root, promotion)));
        assert_eq!(rejection.reason, Reason::MissingMove);
        assert_eq!(rejection.path[0], mv(promotion));
    }
}

#[test]
fn an_illegal_move_is_named() {
    let (claim, book) = pawn_race();
    // Nonsense, the other side's man, a pawn that stays a pawn, and a destination off the board.
    let off_board = Move {
        origin: 48,
        destination: 64,
        promotion: Some(takeme_verify::Kind::Queen),
    };
    for wrong in [
        mv("a1a2"),
        mv("h5h4"),
        mv("a7a8"),
        mv("a7a8q").with_origin(49),
        off_board,
    ] {
        let mut book = book.clone();
        book.moves.insert(claim.root, wrong);
        let rejection = rejected(check(&claim, &mut book));
        assert_eq!(
            rejection.reason,
            Reason::IllegalMove {
                choice: Choice::Move(wrong),
                legal: 5
            }
        );
        assert!(rejection.path.is_empty());
    }
}

trait WithOrigin {
    fn with_origin(self, origin: u8) -> Self;
}

impl WithOrigin for Move {
    fn with_origin(self, origin: u8) -> Self {
        Self { origin, ..self }
    }
}

#[test]
fn a_move_that_ignores_a_compulsory_capture_is_illegal() {
    let claim = claim(Ruleset::Joint, "8/8/1p6/8/8/8/Rp6/8 w - -", Color::White);
    let mut book = Book::default().with(claim.root, "a2a3");
    let rejection = rejected(check(&claim, &mut book));
    assert_eq!(
        rejection.reason,
        Reason::IllegalMove {
            choice: Choice::Move(mv("a2a3")),
            legal: 1
        }
    );
    assert_eq!(
        rejection.reason.to_string(),
        "a2a3 is not the only legal move"
    );
}

#[test]
fn a_reply_that_must_capture_en_passant_is_not_overlooked() {
    let claim = claim(Ruleset::Joint, EN_PASSANT_NOW, Color::Black);
    let book = Book::solve(&claim, 11);
    assert_eq!(verified(check(&claim, &mut book.clone())).plies, 11);
    let after = play_line(claim.root, "b5a6");
    let rejection = rejected(check(&claim, &mut book.clone().without(after)));
    assert_eq!(
        (rejection.reason, uci(&rejection.path)),
        (Reason::MissingMove, "b5a6".to_owned())
    );
    // Without the right White is not forced to capture, and the proof does not answer what White can do instead.
    let without = Claim {
        root: position("8/8/8/pP6/8/5p2/1P6/8 w - -"),
        ..claim
    };
    assert_eq!(
        rejected(check(&without, &mut book.clone())).reason,
        Reason::MissingMove
    );
}

/// Moves one king along a closed walk; Black's first reply in canonical order goes to and fro between a1 and b1.
struct Walker {
    squares: &'static [&'static str],
}

impl Strategy for Walker {
    fn choose(&mut self, _: &Position, legal: &[Move]) -> Result<Choice, StrategyError> {
        for (from, to) in self.squares.iter().zip(self.squares.iter().cycle().skip(1)) {
            if let Some(index) = legal
                .iter()
                .position(|mv| mv.to_uci() == format!("{from}{to}"))
            {
                return Ok(Choice::Index(index as u16));
            }
        }
        Ok(Choice::Unknown)
    }
}

#[test]
fn a_loop_of_two_positions_is_found() {
    let claim = claim(Ruleset::Joint, "7K/8/8/8/8/8/8/k7 w - -", Color::White);
    let options = Options {
        max_defects: 1,
        ..Options::default()
    };
    let mut strategy = Walker {
        squares: &["h8", "g8"],
    };
    let rejection = rejected(verify(&claim, &mut strategy, &mut NoTables, &options));
    assert_eq!((rejection.reason, rejection.stopped), (Reason::Loop, true));
    assert_eq!(uci(&rejection.path), "h8g8 a1b1 g8h8 b1a1");
    assert_eq!(play_line(claim.root, &uci(&rejection.path)), claim.root);
}

#[test]
fn a_loop_of_many_positions_is_found() {
    let squares = &[
        "h8", "g8", "f8", "e8", "d8", "c8", "b8", "a8", "a7", "b7", "c7", "d7", "e7", "f7", "g7",
        "h7",
    ];
    let claim = claim(Ruleset::Joint, "7K/8/8/8/8/8/8/k7 w - -", Color::White);
    let options = Options {
        max_defects: 1,
        ..Options::default()
    };
    let rejection = rejected(verify(
        &claim,
        &mut Walker { squares },
        &mut NoTables,
        &options,
    ));
    assert_eq!((rejection.reason, rejection.path.len()), (Reason::Loop, 32));
    assert_eq!(play_line(claim.root, &uci(&rejection.path)), claim.root);
}

#[test]
fn a_loop_that_does_not_go_through_the_root_is_found() {
    let claim = claim(Ruleset::Joint, "7K/8/8/8/8/8/1k6/8 b - -", Color::White);
    let options = Options {
        max_defects: 1,
        ..Options::default()
    };
    let mut strategy = Walker {
        squares: &["h8", "g8"],
    };
    let rejection = rejected(verify(&claim, &mut strategy, &mut NoTables, &options));
    assert_eq!(rejection.reason, Reason::Loop);
    assert_eq!(uci(&rejection.path), "b2a1 h8g8 a1b1 g8h8 b1a1");
}

#[test]
fn a_loop_is_found_wherever_it_is_entered() {
    // Field cases B38 and B41: one cycle, entered at each of its positions.
    let options = Options {
        max_defects: u64::MAX,
        ..Options::default()
    };
    let mut strategy = Walker {
        squares: &["h8", "g8"],
    };
    for (root, first) in [
        ("7K/8/8/8/8/8/8/k7 w - -", "h8g8"),
        ("6K1/8/8/8/8/8/8/1k6 w - -", "g8h8"),
        ("7K/8/8/8/8/8/8/1k6 b - -", "b1a1"),
        ("6K1/8/8/8/8/8/8/k7 b - -", "a1b1"),
    ] {
        let claim = claim(Ruleset::Joint, root, Color::White);
        let rejection = rejected(verify(&claim, &mut strategy, &mut NoTables, &options));
        assert_eq!(rejection.reason, Reason::Loop, "{root}");
        assert!(uci(&rejection.path).starts_with(first), "{root}");
        // Every way back into the cycle counts, and the replay comes to an end all the same.
        assert!(rejection.defects > 1, "{root}");
    }
}

#[test]
fn a_stalemate_counts_as_the_claimed_ruleset_says() {
    // Black's only move stalemates White, who has as many men in the first position and more in the second.
    let equal = "8/8/p7/8/P7/8/8/8 b - -";
    let more = "8/8/p7/8/P7/P7/8/8 b - -";
    for (ruleset, fen, reason) in [
        (Ruleset::International, equal, None),
        (Ruleset::Fics, equal, Some(Reason::DrawnEnd)),
        (Ruleset::Joint, equal, Some(Reason::DrawnEnd)),
        (Ruleset::International, more, None),
        (Ruleset::Fics, more, Some(Reason::LostEnd)),
        (Ruleset::Joint, more, Some(Reason::DrawnEnd)),
    ] {
        let claim = claim(ruleset, fen, Color::White);
        match (check(&claim, &mut Book::default()), reason) {
            (Verdict::Verified(verified), None) => {
                assert_eq!((verified.positions, verified.plies), (0, 1));
            }
            (Verdict::Rejected(rejection), Some(reason)) => {
                assert_eq!(
                    (rejection.reason, uci(&rejection.path)),
                    (reason, "a6a5".to_owned())
                );
            }
            (verdict, _) => panic!("{claim}: {verdict:?}"),
        }
    }
}

#[test]
fn a_proof_under_another_ruleset_is_rejected() {
    let international = claim(Ruleset::International, STALEMATES, Color::White);
    let book = Book::solve(&international, 6);
    verified(check(&international, &mut book.clone()));
    for ruleset in [Ruleset::Fics, Ruleset::Joint] {
        let rejection = rejected(check(
            &Claim {
                ruleset,
                ..international
            },
            &mut book.clone(),
        ));
        assert_eq!((rejection.reason, rejection.defects), (Reason::DrawnEnd, 5));
        assert_eq!(uci(&rejection.path), "a2a4 h6h5 a4a5 h5h4 h2h3 a7a6");
    }
}

#[test]
fn a_proof_under_joint_holds_under_both_rulesets() {
    let joint = claim(Ruleset::Joint, EN_PASSANT, Color::Black);
    let book = Book::solve(&joint, 4);
    for ruleset in RULESETS {
        verified(check(&Claim { ruleset, ..joint }, &mut book.clone()));
    }
}

#[test]
fn the_wrong_winner_is_rejected() {
    let (white, book) = pawn_race();
    let black = Claim {
        winner: Color::Black,
        ..white
    };
    let rejection = rejected(check(&black, &mut book.clone()));
    assert_eq!(
        (rejection.reason, uci(&rejection.path)),
        (Reason::MissingMove, "a7a8n".to_owned())
    );
}

#[test]
fn the_wrong_root_is_rejected() {
    let (claim, book) = pawn_race();
    let other = Claim {
        root: position("8/P7/8/8/7p/8/8/8 w - -"),
        ..claim
    };
    let rejection = rejected(check(&other, &mut book.clone()));
    assert_eq!(
        (rejection.reason, rejection.path.len()),
        (Reason::MissingMove, 0)
    );
}

#[test]
fn a_line_that_stops_before_the_game_ends_is_no_win() {
    // Field case B31: a published mate announcement whose last position is not decided.
    let root = position("7N/8/B3P3/7p/5P2/8/1P2P3/1NBQK1N1 w - - 0 22");
    let line = "e6e7 h5h4 g1f3 h4h3 f3g1 h3h2 e2e4 h2g1b e1f2 g1f2 c1e3 f2e3 e4e5 e3f4 a6b7 f4e5 d1a4 e5h8 e7e8q \
                h8b2 b1c3";
    let mut book = Book::default();
    let mut current = root;
    for uci in line.split_whitespace() {
        if current.side_to_move() == Color::White {
            book.moves.insert(current, mv(uci));
        }
        current = current.play(mv(uci)).unwrap();
    }
    assert_eq!(current.fen(), "4Q3/1B6/8/8/Q7/2N5/1b6/8 b - -");
    for ruleset in RULESETS {
        assert_eq!(outcome(&current, ruleset), Outcome::Ongoing);
        let last = Claim {
            ruleset,
            root: current,
            winner: Color::White,
        };
        let rejection = rejected(check(&last, &mut book.clone()));
        assert_eq!(
            (rejection.reason, uci(&rejection.path)),
            (Reason::MissingMove, "b2c3".to_owned())
        );
        let whole = Claim {
            ruleset,
            root,
            winner: Color::White,
        };
        let rejection = rejected(check(&whole, &mut book.clone()));
        assert_eq!(rejection.reason, Reason::MissingMove);
        let message = rejection.to_string();
        assert!(
            message.starts_with("no move for a position that is neither decided nor covered"),
            "{message}"
        );
    }
}

#[test]
fn a_root_read_under_a_ruleset_with_other_moves_is_rejected() {
    let won = claim(Ruleset::Joint, "8/5n2/8/8/8/8/8/8 w - -", Color::White);
    for ruleset in [
        Ruleset::Variant2,
        Ruleset::Variant3,
        Ruleset::Variant4,
        Ruleset::Extinction,
    ] {
        let rejection = rejected(check(&Claim { ruleset, ..won }, &mut Book::default()));
        assert_eq!(rejection.reason, Reason::RootOfAnotherRuleset);
    }
}

/// Answers with one and the same thing.
struct Always(Result<Choice, StrategyError>);

impl Strategy for Always {
    fn choose(&mut self, _: &Position, _: &[Move]) -> Result<Choice, StrategyError> {
        self.0.clone()
    }
}

#[test]
fn an_index_behind_the_last_move_is_rejected() {
    let claim = claim(Ruleset::Joint, KING_V_PAWN, Color::White);
    assert!(matches!(
        check(&claim, &mut Always(Ok(Choice::Index(6)))),
        Verdict::Verified(_)
    ));
    for index in [8, 255, 256, u16::MAX] {
        let choice = Choice::Index(index);
        let rejection = rejected(check(&claim, &mut Always(Ok(choice))));
        assert_eq!(rejection.reason, Reason::IllegalMove { choice, legal: 8 });
    }
}

#[test]
fn a_damaged_strategy_is_neither_verified_nor_rejected() {
    let claim = claim(Ruleset::Joint, KING_V_PAWN, Color::White);
    let error = StrategyError::Damaged("page 7 has a wrong checksum".to_owned());
    let verdict = check(&claim, &mut Always(Err(error.clone())));
    assert_eq!(verdict, Verdict::Damaged(error));
}

/// A strategy that complains at the end.
struct Complaining(Book, StrategyError);

impl Strategy for Complaining {
    fn choose(&mut self, position: &Position, legal: &[Move]) -> Result<Choice, StrategyError> {
        self.0.choose(position, legal)
    }

    fn end(&mut self) -> Result<(), StrategyError> {
        Err(self.1.clone())
    }
}

#[test]
fn a_strategy_has_a_last_word() {
    let (claim, book) = pawn_race();
    let verdict = check(
        &claim,
        &mut Complaining(book.clone(), StrategyError::LeftOver(3)),
    );
    assert_eq!(rejected(verdict).reason, Reason::LeftOverChoices(3));
    let damage = StrategyError::Damaged("tail unreadable".to_owned());
    assert_eq!(
        check(&claim, &mut Complaining(book, damage.clone())),
        Verdict::Damaged(damage)
    );
}

#[test]
fn a_strategy_is_asked_once_for_each_position() {
    struct Counting(Book, u64);
    impl Strategy for Counting {
        fn choose(&mut self, position: &Position, legal: &[Move]) -> Result<Choice, StrategyError> {
            self.1 += 1;
            assert_eq!(legal, legal_moves(position));
            self.0.choose(position, legal)
        }
    }
    let (claim, book) = pawn_race();
    let mut counting = Counting(book, 0);
    let verified = verified(check(&claim, &mut counting));
    assert_eq!(counting.1, verified.positions);
}

#[test]
fn a_replay_can_be_watched_and_stopped() {
    use std::cell::Cell;
    use std::ops::ControlFlow;
    let (claim, book) = pawn_race();
    let calls = Cell::new(0);
    let positions = Cell::new(0);
    let watch = |progress: takeme_verify::Progress| {
        calls.set(calls.get() + 1);
        assert!(progress.positions >= positions.get());
        positions.set(progress.positions);
        ControlFlow::Continue(())
    };
    let options = Options {
        progress: Some(&watch),
        interval: 1,
        ..Options::default()
    };
    let verified = verified(verify(&claim, &mut book.clone(), &mut NoTables, &options));
    assert!(calls.get() > verified.positions);
    assert!(positions.get() > 0);
    let stop = |progress: takeme_verify::Progress| {
        if progress.positions < 3 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let options = Options {
        progress: Some(&stop),
        interval: 1,
        ..Options::default()
    };
    let verdict = verify(&claim, &mut book.clone(), &mut NoTables, &options);
    assert_eq!(verdict, Verdict::Interrupted(3));
}
