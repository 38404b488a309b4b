//! Small proofs under the rulesets beyond the three of the main game: accepted, and refused when they are spoilt.

use takeme_verify::{
    CertificateError, Choice, Claim, Color, FenError, NoTables, Options, Outcome, Reason,
    Rejection, Ruleset, Verdict, Verified, legal_moves, outcome, verify_certificate,
};

use crate::support::{
    Book, Draft, PAWN_RACE, check, claim, mv, play_line, position_under, rejected, uci, verified,
};

/// Mate in one ply by d1d8, and by nothing else that White can play.
const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/8/K2R4 w - -";
/// Mate in one ply by castling.
const CASTLING_MATE: &str = "5k2/p7/8/4Q3/8/8/6R1/4K2R w K -";
/// The last black queen can be captured on e4; Black may capture back.
const LAST_QUEEN: &str = "rnb1kbnr/pppp1ppp/8/8/4q3/8/PPPPQPPP/RNB1KBNR w KQkq -";
/// White's last pawn can capture Black's last bishop on c8.
const LAST_BISHOP: &str = "2b1k2r/1P1p1n2/8/8/3q4/8/8/RNBQK3 w Q -";
/// White wins in three plies against each of 28 replies.
const FORK: &str = "1K6/6BP/5Q2/3N1R2/2p5/1b1k4/8/1nqr4 w - -";

fn replay(draft: &Draft) -> Result<Verdict, CertificateError> {
    verify_certificate(&draft.bytes(), &mut NoTables, &Options::default())
}

fn accepted(draft: &Draft) -> Verified {
    verified(replay(draft).unwrap())
}

fn rejection(draft: &Draft) -> Rejection {
    rejected(replay(draft).unwrap())
}

/// The certificate of a proof of one move.
fn one_move(ruleset: Ruleset, fen: &str, winner: Color, uci: &str) -> Draft {
    let claim = claim(ruleset, fen, winner);
    let index = legal_moves(&claim.root)
        .iter()
        .position(|&other| other == mv(uci))
        .unwrap_or_else(|| panic!("{uci} is illegal in {fen}"));
    Draft {
        version: 1,
        ruleset: ruleset.code(),
        winner: u8::from(winner == Color::Black),
        positions: 1,
        plies: 1,
        fen: claim.root.fen().into_bytes(),
        tables: Vec::new(),
        choices: vec![index as u8],
    }
}

/// Fastest wins, each with its length in plies.
pub(crate) const WINS: [(Ruleset, &str, Color, u32); 16] = [
    (
        Ruleset::Variant2,
        "8/8/8/1p6/8/2K5/8/8 w - -",
        Color::White,
        2,
    ),
    (
        Ruleset::Variant2,
        "8/8/2k5/8/1P6/8/8/8 b - -",
        Color::Black,
        2,
    ),
    (Ruleset::Variant2, PAWN_RACE, Color::White, 6),
    (Ruleset::Variant3, BACK_RANK, Color::White, 1),
    (
        Ruleset::Variant3,
        "8/5k1K/3pR3/8/8/2p5/3Q4/8 w - -",
        Color::White,
        3,
    ),
    (
        Ruleset::Variant3,
        "8/2p5/2kR4/8/8/4K2Q/1p6/8 b - -",
        Color::White,
        3,
    ),
    (
        Ruleset::Variant3,
        "1R2Q3/7k/8/8/8/1p6/3Kp3/8 w - -",
        Color::Black,
        3,
    ),
    (
        Ruleset::Variant4,
        "5k1K/8/6P1/8/3R4/p6r/8/8 w - -",
        Color::White,
        2,
    ),
    (
        Ruleset::Variant4,
        "8/kP1r4/8/5K1R/8/1p6/8/8 b - -",
        Color::White,
        3,
    ),
    (
        Ruleset::Variant4,
        "1k3r2/3RP3/K7/1p6/8/8/8/8 w - -",
        Color::Black,
        3,
    ),
    (
        Ruleset::Variant4,
        "8/R7/8/6p1/8/7r/7P/K1k5 w - -",
        Color::White,
        4,
    ),
    (
        Ruleset::Variant4,
        "8/4k3/3r2K1/2R5/p7/1P6/8/8 w - -",
        Color::White,
        4,
    ),
    (
        Ruleset::Variant4,
        "r7/1P6/2K5/8/8/1R4p1/8/6k1 b - -",
        Color::Black,
        4,
    ),
    (Ruleset::Extinction, LAST_QUEEN, Color::White, 1),
    (Ruleset::Extinction, LAST_BISHOP, Color::White, 1),
    (Ruleset::Extinction, FORK, Color::White, 3),
];

fn draft(ruleset: Ruleset, fen: &str, winner: Color, plies: u32) -> (Claim, Draft) {
    let claim = claim(ruleset, fen, winner);
    (claim, Draft::of(&claim, &Book::solve(&claim, plies)))
}

#[test]
fn fastest_wins_are_verified_with_their_exact_length() {
    for (ruleset, fen, winner, plies) in WINS {
        let (claim, draft) = draft(ruleset, fen, winner, plies);
        let verified = accepted(&draft);
        assert_eq!(
            (verified.plies, verified.positions),
            (plies, draft.positions),
            "{claim}"
        );
        assert!(verified.assumptions.is_empty());
    }
}

#[test]
fn a_mate_is_no_proof_for_the_other_variant() {
    let mate = one_move(Ruleset::Variant3, BACK_RANK, Color::White, "d1d8");
    assert_eq!(accepted(&mate).plies, 1);
    let four = Draft {
        ruleset: Ruleset::Variant4.code(),
        ..mate.clone()
    };
    let rejection_of_mate = rejection(&four);
    assert_eq!(rejection_of_mate.reason, Reason::LostEnd);
    assert_eq!(uci(&rejection_of_mate.path), "d1d8");
    // For the mated side it is the other way round, with no choice at all.
    let mated = position_under(Ruleset::Variant4, "3R2k1/5ppp/8/8/8/8/8/K7 b - -");
    let for_black = Draft {
        winner: 1,
        ruleset: Ruleset::Variant4.code(),
        positions: 0,
        plies: 0,
        fen: mated.fen().into_bytes(),
        choices: Vec::new(),
        ..mate
    };
    assert_eq!(accepted(&for_black).positions, 0);
    assert_eq!(
        rejection(&Draft {
            ruleset: Ruleset::Variant3.code(),
            ..for_black
        })
        .reason,
        Reason::LostEnd
    );
}

#[test]
fn every_win_that_rests_on_a_mate_fails_under_the_other_variant() {
    let mut refused = 0;
    for (ruleset, fen, winner, plies) in WINS {
        let other = match ruleset {
            Ruleset::Variant3 => Ruleset::Variant4,
            Ruleset::Variant4 => Ruleset::Variant3,
            _ => continue,
        };
        let (_, draft) = draft(ruleset, fen, winner, plies);
        let forged = Draft {
            ruleset: other.code(),
            ..draft
        };
        // What does not rest on a mate rests on bare kings alone, and those win under both variants.
        if let Verdict::Rejected(rejection) = replay(&forged).unwrap() {
            assert_eq!(rejection.reason, Reason::LostEnd);
            let root = position_under(other, fen);
            let end = play_line(root, &uci(&rejection.path));
            assert_eq!(outcome(&end, ruleset), Outcome::Won(winner));
            assert_eq!(outcome(&end, other), Outcome::Won(winner.opponent()));
            refused += 1;
        }
    }
    assert_eq!(refused, 5);
}

#[test]
fn a_bare_king_is_won_under_both_variants() {
    // Choice B5: the capture that bares White mates as well.
    for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
        let fen = "r7/8/8/8/8/6k1/8/R6K b - -";
        let draft = one_move(ruleset, fen, Color::White, "a8a1");
        let proof = Draft {
            positions: 0,
            choices: Vec::new(),
            ..draft.clone()
        };
        assert_eq!(accepted(&proof).plies, 1);
        let for_black = Draft { winner: 1, ..draft };
        assert_eq!(rejection(&for_black).reason, Reason::LostEnd);
    }
}

#[test]
fn a_mate_by_castling_needs_the_right() {
    let with = one_move(Ruleset::Variant3, CASTLING_MATE, Color::White, "e1g1");
    assert_eq!(accepted(&with).plies, 1);
    let index = u16::from(with.choices[0]);
    let without = Draft {
        fen: CASTLING_MATE.replace(" K ", " - ").into_bytes(),
        ..with.clone()
    };
    // The same number is another move there, which does not mate.
    assert_eq!(rejection(&without).reason, Reason::MissingMove);
    assert_ne!(uci(&rejection(&without).path), "");
    let claim = claim(
        Ruleset::Variant3,
        &CASTLING_MATE.replace(" K ", " - "),
        Color::White,
    );
    let castle = Choice::Move(mv("e1g1"));
    let rejection = rejected(check(&claim, &mut Book::default().with(claim.root, "e1g1")));
    let legal = legal_moves(&claim.root).len();
    assert!(usize::from(index) < legal);
    assert_eq!(
        rejection.reason,
        Reason::IllegalMove {
            choice: castle,
            legal
        }
    );
}

#[test]
fn a_root_has_its_rights_in_the_canonical_form() {
    let good = one_move(Ruleset::Extinction, LAST_QUEEN, Color::White, "e2e4");
    assert_eq!(accepted(&good).plies, 1);
    for other in ["qkQK", "HAha", "KQkqK"] {
        let forged = Draft {
            fen: LAST_QUEEN.replace("KQkq", other).into_bytes(),
            ..good.clone()
        };
        let error = CertificateError::RootNotCanonical {
            canonical: LAST_QUEEN.to_owned(),
        };
        assert_eq!(replay(&forged), Err(error), "{other}");
    }
    // Rights that do not count, and rights where there is no castling.
    let loose = Draft {
        fen: LAST_QUEEN.replace("RNB1KBNR", "RNBK1BNR").into_bytes(),
        ..good.clone()
    };
    assert!(matches!(
        replay(&loose),
        Err(CertificateError::RootNotCanonical { .. })
    ));
    for ruleset in [Ruleset::Joint, Ruleset::Variant2] {
        let forged = Draft {
            ruleset: ruleset.code(),
            ..good.clone()
        };
        let error = CertificateError::RootNotCanonical {
            canonical: LAST_QUEEN.replace("KQkq", "-"),
        };
        assert_eq!(replay(&forged), Err(error));
    }
}

#[test]
fn an_extinction_proof_is_none_under_another_ruleset() {
    let (_, good) = draft(Ruleset::Extinction, FORK, Color::White, 3);
    accepted(&good);
    for ruleset in Ruleset::ALL {
        if ruleset != Ruleset::Extinction {
            let forged = Draft {
                ruleset: ruleset.code(),
                ..good.clone()
            };
            // Captures are compulsory there, or the game is far from its end.
            assert!(
                !matches!(replay(&forged), Ok(Verdict::Verified(_))),
                "{ruleset}"
            );
        }
    }
    for code in [7, 255] {
        let unknown = Draft {
            ruleset: code,
            ..good.clone()
        };
        assert_eq!(
            replay(&unknown),
            Err(CertificateError::UnknownRuleset(code))
        );
    }
}

#[test]
fn a_proof_without_an_answer_to_one_reply_is_rejected() {
    let claim = claim(Ruleset::Extinction, FORK, Color::White);
    let book = Book::solve(&claim, 3);
    assert_eq!(verified(check(&claim, &mut book.clone())).plies, 3);
    for &hole in book.moves.keys() {
        let rejection = rejected(check(&claim, &mut book.clone().without(hole)));
        assert_eq!(rejection.reason, Reason::MissingMove);
        assert_eq!(play_line(claim.root, &uci(&rejection.path)), hole);
    }
    // In the certificate one choice fewer puts the others out of step, or leaves the last reply without one.
    let good = Draft::of(&claim, &book);
    for at in 0..good.choices.len() {
        let mut forged = good.clone();
        forged.choices.remove(at);
        forged.positions -= 1;
        assert!(!matches!(replay(&forged), Ok(Verdict::Verified(_))));
    }
    let mut cut = good;
    cut.choices.pop();
    assert_eq!(rejection(&cut).reason, Reason::MissingMove);
}

#[test]
fn an_index_without_a_move_is_rejected() {
    for (ruleset, fen, winner, plies) in WINS {
        let (claim, good) = draft(ruleset, fen, winner, plies);
        if claim.root.side_to_move() != winner {
            continue;
        }
        let legal = legal_moves(&claim.root).len();
        let mut forged = good;
        forged.choices[0] = legal as u8;
        let rejection = rejection(&forged);
        let choice = Choice::Index(legal as u16);
        assert_eq!(rejection.reason, Reason::IllegalMove { choice, legal });
        assert!(rejection.path.is_empty());
    }
}

#[test]
fn a_stalemate_proves_nothing_where_it_is_drawn() {
    let root = |ruleset: Ruleset, fen: &str, winner: u8| Draft {
        version: 1,
        ruleset: ruleset.code(),
        winner,
        positions: 0,
        plies: 0,
        fen: fen.as_bytes().to_vec(),
        tables: Vec::new(),
        choices: Vec::new(),
    };
    let pawns = "8/8/8/5p2/5P2/8/8/8 w - -";
    accepted(&root(Ruleset::International, pawns, 0));
    let caged = "b3k3/8/p4p1q/1pr1pPpP/3r1pBb/n3pPRP/p1n1P1PQ/6NK w - -";
    let king = "k7/p1K5/P7/8/8/8/8/8 b - -";
    for winner in [0, 1] {
        for draft in [
            root(Ruleset::Variant2, pawns, winner),
            root(Ruleset::Variant3, king, winner),
            root(Ruleset::Variant4, king, winner),
            root(Ruleset::Extinction, caged, winner),
        ] {
            assert_eq!(rejection(&draft).reason, Reason::DrawnEnd);
        }
    }
    // At the end of a line too: White's pawn locks the other one.
    let step = one_move(
        Ruleset::Variant2,
        "8/8/8/5p2/8/5P2/8/8 w - -",
        Color::Black,
        "f3f4",
    );
    let rejection = rejection(&step);
    assert_eq!(
        (rejection.reason, uci(&rejection.path)),
        (Reason::DrawnEnd, "f3f4".to_owned())
    );
}

#[test]
fn an_end_that_the_mover_has_lost_proves_nothing() {
    // Choice X2: the last pawn promotes and nothing of the opponent's goes.
    let promoted = one_move(Ruleset::Extinction, LAST_BISHOP, Color::White, "b7b8q");
    let lost = rejection(&promoted);
    assert_eq!(
        (lost.reason, uci(&lost.path)),
        (Reason::LostEnd, "b7b8q".to_owned())
    );
    // Choice X1: with the last bishop captured the mover wins, and nobody else.
    let captured = one_move(Ruleset::Extinction, LAST_BISHOP, Color::White, "b7c8q");
    assert_eq!(accepted(&captured).plies, 1);
    let end = play_line(position_under(Ruleset::Extinction, LAST_BISHOP), "b7c8q");
    for (winner, reason) in [(Color::White, None), (Color::Black, Some(Reason::LostEnd))] {
        let claim = Claim {
            ruleset: Ruleset::Extinction,
            root: end,
            winner,
        };
        match check(&claim, &mut Book::default()) {
            Verdict::Verified(verified) => assert_eq!((verified.plies, reason), (0, None)),
            other => assert_eq!(Some(rejected(other).reason), reason),
        }
    }
}

#[test]
fn a_promotion_that_the_ruleset_lacks_has_no_index() {
    // The choices of a proof that promotes to a bishop under International mean something else under variant 2.
    let claim = claim(Ruleset::International, PAWN_RACE, Color::White);
    let good = Draft::of(&claim, &Book::solve(&claim, 6));
    let forged = Draft {
        ruleset: Ruleset::Variant2.code(),
        ..good
    };
    let choice = Choice::Index(u16::from(forged.choices[0]));
    assert_ne!(choice, Choice::Index(0));
    assert_eq!(
        rejection(&forged).reason,
        Reason::IllegalMove { choice, legal: 1 }
    );
}

#[test]
fn a_root_that_the_ruleset_refuses_is_no_claim() {
    let refusal = |ruleset: Ruleset, fen: &str| {
        let mut draft = one_move(Ruleset::Variant3, BACK_RANK, Color::White, "d1d8");
        draft.ruleset = ruleset.code();
        draft.fen = fen.as_bytes().to_vec();
        replay(&draft).unwrap_err()
    };
    for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
        for (fen, error) in [
            ("7k/8/8/8/8/8/8/K7 w - -", FenError::BareKings),
            (
                "7k/8/8/8/8/8/8/K6R w - -",
                FenError::OpponentInCheck(Color::Black),
            ),
            (
                "7k/8/8/8/8/8/8/R7 w - -",
                FenError::KingCount {
                    color: Color::White,
                    count: 0,
                },
            ),
        ] {
            assert_eq!(refusal(ruleset, fen), CertificateError::Root(error));
        }
    }
}
