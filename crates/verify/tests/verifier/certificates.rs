//! Certificates: read, replayed, and refused in every way in which one can lie.

use takeme_verify::{
    Certificate, CertificateError, Choice, Claim, Color, FenError, NoTables, Options, Reason,
    Rejection, Ruleset, Verdict, verify_certificate,
};

use crate::proofs::WINS;
use crate::support::{
    Book, Draft, EN_PASSANT, EN_PASSANT_NOW, KING_V_PAWN, PAWN_RACE, Random, STALEMATES, Solver,
    claim, play_line, position, rejected, repair_checksum, uci, verified,
};

const RULESETS: [Ruleset; 3] = [Ruleset::International, Ruleset::Fics, Ruleset::Joint];

fn samples() -> Vec<(Claim, Draft)> {
    let en_passant_now = claim(Ruleset::Joint, EN_PASSANT_NOW, Color::Black);
    let draft = Draft::of(&en_passant_now, &Book::solve(&en_passant_now, 11));
    let mut samples = vec![(en_passant_now, draft)];
    for (ruleset, fen, winner, plies) in WINS {
        let claim = claim(ruleset, fen, winner);
        samples.push((claim, Draft::of(&claim, &Book::solve(&claim, plies))));
    }
    for ruleset in RULESETS {
        for (fen, winner, plies) in [
            (KING_V_PAWN, Color::White, 2),
            (PAWN_RACE, Color::White, 6),
            (EN_PASSANT, Color::Black, 4),
        ] {
            let claim = claim(ruleset, fen, winner);
            samples.push((claim, Draft::of(&claim, &Book::solve(&claim, plies))));
        }
    }
    samples
}

fn pawn_race() -> Draft {
    let claim = claim(Ruleset::International, PAWN_RACE, Color::White);
    Draft::of(&claim, &Book::solve(&claim, 6))
}

fn replay(bytes: &[u8]) -> Result<Verdict, CertificateError> {
    verify_certificate(bytes, &mut NoTables, &Options::default())
}

fn refusal(draft: &Draft) -> CertificateError {
    replay(&draft.bytes()).unwrap_err()
}

fn rejection(draft: &Draft) -> Rejection {
    rejected(replay(&draft.bytes()).unwrap())
}

/// Asserts what any bytes with a fitting checksum must lead to: an error, a rejection, or a claim that is true.
fn assert_sound(bytes: &[u8]) -> Option<Verdict> {
    let verdict = replay(bytes).ok()?;
    if let Verdict::Verified(verified) = &verdict {
        let claim = *Certificate::parse(bytes).unwrap().claim();
        let mut solver = Solver::new(claim.ruleset, claim.winner);
        assert!(
            solver.wins_within(&claim.root, verified.plies),
            "verified, but not true: {claim}"
        );
    }
    Some(verdict)
}

#[test]
fn the_bytes_are_those_of_the_format() {
    // Made by hand from the specification, with the checksum from another program: c3c4 is the move of index 6.
    let mut bytes = vec![0x89, b'T', b'K', b'M', b'C', b'R', b'T', 0x0A, 1, 0, 0, 0];
    bytes.extend([1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 25, 0]);
    bytes.extend(b"8/8/8/1p6/8/2K5/8/8 w - -");
    bytes.extend([0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6]);
    bytes.extend([0x5D, 0xB8, 0xD9, 0x8A, 0xF9, 0xB9, 0xFE, 0x39]);
    let certificate = Certificate::parse(&bytes).unwrap();
    assert_eq!(
        certificate.claim(),
        &claim(Ruleset::International, KING_V_PAWN, Color::White)
    );
    assert_eq!((certificate.positions(), certificate.plies()), (1, 2));
    assert!(certificate.tables().is_empty());
    let verified = verified(replay(&bytes).unwrap());
    assert_eq!((verified.positions, verified.plies), (1, 2));
    assert_eq!(verified.to_string(), "1 position, 2 plies, no assumptions");
}

#[test]
fn honest_certificates_are_verified() {
    for (claim, draft) in samples() {
        let bytes = draft.bytes();
        assert_eq!(Certificate::parse(&bytes).unwrap().claim(), &claim);
        let verified = verified(replay(&bytes).unwrap());
        assert_eq!(
            (verified.positions, verified.plies),
            (draft.positions, draft.plies),
            "{claim}"
        );
    }
}

#[test]
fn a_file_cut_anywhere_is_damaged() {
    for (_, draft) in samples() {
        let bytes = draft.bytes();
        for len in 0..bytes.len() {
            assert!(
                matches!(replay(&bytes[..len]), Err(CertificateError::Truncated(_))),
                "{len} bytes"
            );
        }
    }
}

#[test]
fn the_message_on_a_cut_file_names_the_field() {
    let bytes = pawn_race().bytes();
    for (len, field) in [
        (0, "the magic"),
        (7, "the magic"),
        (9, "the version"),
        (11, "the ruleset and winner"),
        (19, "the number of positions"),
        (23, "the number of plies"),
        (25, "the length of the root position"),
        (30, "the root position"),
        (bytes.len() - 9, "the choices"),
        (bytes.len() - 1, "the checksum"),
    ] {
        let message = replay(&bytes[..len]).unwrap_err().to_string();
        assert_eq!(message, format!("the file ends within {field}"));
    }
}

#[test]
fn bytes_behind_the_checksum_are_damage() {
    for extra in 1..20 {
        let mut bytes = pawn_race().bytes();
        bytes.extend(vec![0; extra]);
        assert_eq!(replay(&bytes), Err(CertificateError::TrailingBytes(extra)));
    }
    // Two certificates in one file are no certificate.
    let one = pawn_race().bytes();
    assert_eq!(
        replay(&[one.clone(), one.clone()].concat()),
        Err(CertificateError::TrailingBytes(one.len()))
    );
}

#[test]
fn any_changed_byte_is_damage() {
    for (_, draft) in samples() {
        let bytes = draft.bytes();
        for at in 0..bytes.len() {
            for change in [1, 2, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                assert!(replay(&changed).is_err(), "byte {at} ^ {change}");
            }
        }
    }
}

#[test]
fn a_changed_choice_is_noticed_by_the_checksum() {
    let draft = pawn_race();
    let mut bytes = draft.bytes();
    let at = bytes.len() - 9;
    bytes[at] ^= 1;
    assert!(matches!(
        replay(&bytes),
        Err(CertificateError::Checksum { .. })
    ));
    let mut bytes = draft.bytes();
    let at = bytes.len() - 1;
    bytes[at] ^= 1;
    assert!(matches!(
        replay(&bytes),
        Err(CertificateError::Checksum { .. })
    ));
}

#[test]
fn a_forged_header_is_refused_rejected_or_true() {
    // Every value of every byte of the header, with a checksum that fits. What is verified must be true: a changed square
    // or ruleset can give another claim that the same choices happen to prove.
    let mut verified = 0;
    for (_, draft) in samples()
        .into_iter()
        .filter(|(claim, _)| !matches!(claim.ruleset, Ruleset::Fics | Ruleset::Joint))
    {
        let bytes = draft.bytes();
        for at in 0..draft.header().len() {
            for value in 0..=u8::MAX {
                let mut forged = bytes.clone();
                forged[at] = value;
                repair_checksum(&mut forged);
                if let Some(Verdict::Verified(_)) = assert_sound(&forged) {
                    verified += 1;
                    // Magic, version, winner, numbers and lengths leave no room for another true claim.
                    let in_root = (26..26 + draft.fen.len()).contains(&at);
                    assert!(
                        forged == bytes || at == 10 || in_root,
                        "byte {at} = {value}"
                    );
                }
            }
        }
    }
    assert!(verified > 0);
}

#[test]
fn every_header_field_has_its_complaint() {
    let change = |change: &dyn Fn(&mut Draft)| {
        let mut draft = pawn_race();
        change(&mut draft);
        draft
    };
    let mut wrong_magic = pawn_race().bytes();
    wrong_magic[3] = b'X';
    repair_checksum(&mut wrong_magic);
    assert_eq!(replay(&wrong_magic), Err(CertificateError::NotACertificate));
    assert_eq!(replay(b"rnbqkbnr"), Err(CertificateError::NotACertificate));
    let compressed = [0x28, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0, 0, 0];
    assert_eq!(replay(&compressed), Err(CertificateError::Compressed));
    for version in [0, 2, 256, u16::MAX] {
        let error = refusal(&change(&|draft| draft.version = version));
        assert_eq!(error, CertificateError::UnsupportedVersion(version));
        assert!(
            error
                .to_string()
                .starts_with(&format!("certificate version {version} is not")),
            "{error}"
        );
    }
    assert_eq!(
        refusal(&change(&|draft| draft.ruleset = 7)),
        CertificateError::UnknownRuleset(7)
    );
    assert_eq!(
        refusal(&change(&|draft| draft.winner = 2)),
        CertificateError::UnknownWinner(2)
    );
    assert_eq!(refusal(&change(&|draft| draft.fen = b"8/P7".to_vec())), {
        CertificateError::Root(FenError::FieldCount(1))
    });
    for tail in [&b"\xE9"[..], "\u{e9}".as_bytes()] {
        let error = refusal(&change(&|draft| draft.fen.extend(tail)));
        assert_eq!(error, CertificateError::RootNotAscii);
    }
    for fen in [
        "8/P7/8/7p/8/8/8/8 w - - 0 1",
        "8/P7/8/7p/8/8/8/8 w  - -",
        " 8/P7/8/7p/8/8/8/8 w - -",
        "8/P7/8/7p/8/8/8/8 w KQ -",
        "8/P7/8/7p/8/8/8/8 w - h6",
        "8/P7/8/7p/8/8/8/8\nw - -",
    ] {
        let error = refusal(&change(&|draft| draft.fen = fen.as_bytes().to_vec()));
        assert_eq!(
            error,
            CertificateError::RootNotCanonical {
                canonical: PAWN_RACE.to_owned()
            },
            "{fen}"
        );
    }
    for name in ["", "K", "KRv", "vN", "krvn", "KRvN\0", "K\u{e9}vN"] {
        let error = refusal(&change(&|draft| {
            draft.tables = vec![(name.as_bytes().to_vec(), [0; 32])];
        }));
        assert_eq!(error, CertificateError::TableName(name.to_owned()));
    }
    let twice = change(&|draft| {
        draft.tables = vec![(b"KRvN".to_vec(), [0; 32]), (b"NvRK".to_vec(), [1; 32])];
    });
    assert_eq!(
        refusal(&twice),
        CertificateError::TableTwice("NvRK".to_owned())
    );
}

#[test]
fn wrong_numbers_are_rejected() {
    for (_, draft) in samples() {
        let found = draft.positions;
        for stated in [0, found - 1, found + 1, u64::MAX, found + (1 << 32)] {
            if stated == found {
                continue;
            }
            let rejection = rejection(&Draft {
                positions: stated,
                ..draft.clone()
            });
            assert_eq!(
                rejection.reason,
                Reason::WrongPositionsCount { stated, found }
            );
        }
        let found = draft.plies;
        for stated in [0, found - 1, found + 1, u32::MAX, found + (1 << 16)] {
            let rejection = rejection(&Draft {
                plies: stated,
                ..draft.clone()
            });
            assert_eq!(rejection.reason, Reason::WrongPlies { stated, found });
        }
    }
}

#[test]
fn left_over_choices_are_rejected() {
    for (_, draft) in samples() {
        for extra in 1..4 {
            let mut draft = draft.clone();
            draft.choices.extend(vec![0; extra]);
            assert_eq!(
                rejection(&draft).reason,
                Reason::LeftOverChoices(extra as u64)
            );
        }
    }
}

#[test]
fn choices_that_end_too_early_are_a_missing_move() {
    for (claim, draft) in samples() {
        for len in 0..draft.choices.len() {
            let mut cut = draft.clone();
            cut.choices.truncate(len);
            let rejection = rejection(&cut);
            assert_eq!(rejection.reason, Reason::MissingMove, "{claim}");
            assert_eq!((rejection.defects, rejection.stopped), (1, true));
        }
    }
}

#[test]
fn an_index_without_a_move_is_rejected() {
    let draft = pawn_race();
    for (choices, index) in [
        (vec![5], 5),
        (vec![254], 254),
        (vec![255, 0], 255),
        (vec![255, 255], 510),
    ] {
        let mut draft = draft.clone();
        draft.choices.splice(0..1, choices);
        let rejection = rejection(&draft);
        assert_eq!(
            rejection.reason,
            Reason::IllegalMove {
                choice: Choice::Index(index),
                legal: 5
            }
        );
        // Whatever follows is out of step, so that counting on would count nothing real.
        assert_eq!((rejection.defects, rejection.stopped), (1, true));
    }
}

#[test]
fn an_escape_without_its_second_byte_is_damage() {
    let draft = Draft {
        choices: vec![255],
        ..pawn_race()
    };
    let verdict = replay(&draft.bytes()).unwrap();
    let Verdict::Damaged(error) = verdict else {
        panic!("{verdict:?}")
    };
    assert_eq!(error.to_string(), "the last choice lacks its second byte");
}

#[test]
fn every_other_choice_is_rejected_or_proves_the_same() {
    // Each choice replaced by each index: never an error, and verified only if the replay still comes out even.
    let (mut rejections, mut proofs) = (0, 0);
    for (claim, draft) in samples() {
        for at in 0..draft.choices.len() {
            for index in 0..40 {
                let mut forged = draft.clone();
                forged.choices[at] = index;
                let bytes = forged.bytes();
                match assert_sound(&bytes).unwrap() {
                    Verdict::Rejected(_) => rejections += 1,
                    Verdict::Verified(verified) => {
                        proofs += 1;
                        assert_eq!(Certificate::parse(&bytes).unwrap().claim(), &claim);
                        assert_eq!(verified.positions, draft.positions);
                    }
                    verdict => panic!("{verdict:?}"),
                }
            }
        }
    }
    assert!(
        rejections > 1_000 && proofs > 10,
        "{rejections} rejected, {proofs} proved"
    );
}

#[test]
fn the_wrong_winner_is_rejected() {
    for (_, draft) in samples() {
        let forged = Draft {
            winner: 1 - draft.winner,
            ..draft
        };
        assert_ne!(rejection(&forged).defects, 0);
    }
}

#[test]
fn a_certificate_for_another_ruleset_is_rejected() {
    let international = claim(Ruleset::International, STALEMATES, Color::White);
    let draft = Draft::of(&international, &Book::solve(&international, 6));
    verified(replay(&draft.bytes()).unwrap());
    for ruleset in [Ruleset::Fics, Ruleset::Joint] {
        let rejection = rejection(&Draft {
            ruleset: ruleset.code(),
            ..draft.clone()
        });
        assert_eq!(rejection.reason, Reason::DrawnEnd);
        assert_eq!(uci(&rejection.path), "a2a4 h6h5 a4a5 h5h4 h2h3 a7a6");
    }
}

#[test]
fn random_changes_with_a_repaired_checksum_are_sound() {
    let mut random = Random::new(64);
    for (_, draft) in samples() {
        let bytes = draft.bytes();
        for _ in 0..1_000 {
            let mut forged = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(forged.len() - 8);
                forged[at] = random.next() as u8;
            }
            repair_checksum(&mut forged);
            assert_sound(&forged);
        }
    }
}

#[test]
fn random_cuts_and_joins_with_a_repaired_checksum_are_sound() {
    let mut random = Random::new(65);
    let all: Vec<Vec<u8>> = samples().iter().map(|(_, draft)| draft.bytes()).collect();
    for _ in 0..5_000 {
        let (a, b) = (&all[random.below(all.len())], &all[random.below(all.len())]);
        let mut forged = [&a[..random.below(a.len())], &b[random.below(b.len())..]].concat();
        repair_checksum(&mut forged);
        assert_sound(&forged);
    }
}

#[test]
fn garbage_is_never_a_panic() {
    let mut random = Random::new(66);
    for round in 0..100_000 {
        let len = random.below(120);
        let mut bytes: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
        // Half of the inputs get past the magic and version, a quarter past the checksum too.
        if round % 2 == 0 {
            let start = b"\x89TKMCRT\n\x01\x00\x00\x01";
            let len = start.len().min(bytes.len());
            bytes[..len].copy_from_slice(&start[..len]);
        }
        if round % 4 == 0 {
            repair_checksum(&mut bytes);
        }
        assert_sound(&bytes);
    }
}

#[test]
fn lengths_in_the_header_are_not_believed() {
    // Each of these asks for far more than the file holds; an allocation of that size would end the test.
    let bytes = pawn_race().bytes();
    let tables_at = 26 + PAWN_RACE.len();
    for (at, len) in [(24, 2), (tables_at, 2), (tables_at + 2, 8)] {
        let mut forged = bytes.clone();
        forged[at..at + len].fill(0xFF);
        repair_checksum(&mut forged);
        assert!(matches!(
            replay(&forged),
            Err(CertificateError::Truncated(_))
        ));
    }
    let many = Draft {
        positions: u64::MAX,
        plies: u32::MAX,
        ..pawn_race()
    };
    assert!(matches!(
        rejection(&many).reason,
        Reason::WrongPositionsCount { .. }
    ));
}

/// White wins after 1. e3 Na6; the folder's README says where the file comes from.
const OPENING: &[u8] = include_bytes!("data/e2e3-b8a6-joint.cert");

#[test]
fn a_proof_of_an_opening_is_verified() {
    let certificate = Certificate::parse(OPENING).unwrap();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -";
    assert_eq!(
        certificate.claim().root,
        play_line(position(start), "e2e3 b8a6")
    );
    let verified = verified(replay(OPENING).unwrap());
    assert_eq!((verified.positions, verified.plies), (1_613, 36));
    assert!(verified.assumptions.is_empty());
}

#[test]
fn a_proof_under_joint_holds_under_both_other_rulesets() {
    for ruleset in [Ruleset::International, Ruleset::Fics] {
        let mut other = OPENING.to_vec();
        other[10] = ruleset.code();
        repair_checksum(&mut other);
        assert_eq!(Certificate::parse(&other).unwrap().claim().ruleset, ruleset);
        verified(replay(&other).unwrap());
    }
}

#[test]
fn a_change_to_any_choice_of_a_proof_is_noticed() {
    let mut random = Random::new(67);
    let header = OPENING.len() - 8 - 1_613;
    for at in header..OPENING.len() - 8 {
        let mut forged = OPENING.to_vec();
        forged[at] = (random.next() % 30) as u8;
        if forged[at] == OPENING[at] {
            continue;
        }
        repair_checksum(&mut forged);
        match replay(&forged).unwrap() {
            Verdict::Rejected(rejection) => assert_eq!(rejection.defects, 1),
            // A move that wins as well, with the rest of the choices fitting by luck, is a proof too.
            Verdict::Verified(verified) => assert_eq!(verified.positions, 1_613),
            verdict => panic!("{verdict:?}"),
        }
    }
}
