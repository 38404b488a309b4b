//! Bytes of certificates, spoilt. None makes the verifier crash, and none makes it accept what the prover's side would not.

use std::sync::OnceLock;

use rules::Ruleset;
use verify::{CertificateError, NoTables, Options, Reason, Verdict, verify_certificate};

use crate::{
    random::Random,
    support::{after, certificate, position, proof, seal},
};

/// Where the fields are.
const VERSION: usize = 8;
const RULESET: usize = 10;
const WINNER: usize = 11;
const POSITIONS: usize = 12;
const PLIES: usize = 20;
const FEN: usize = 26;

fn sound() -> &'static [u8] {
    static SOUND: OnceLock<Vec<u8>> = OnceLock::new();
    SOUND.get_or_init(|| certificate(&proof(after("d3", Ruleset::Joint), Ruleset::Joint)))
}

fn judge(bytes: &[u8]) -> Result<Verdict, CertificateError> {
    verify_certificate(bytes, &mut NoTables, &Options::default())
}

/// The sound certificate with a change, its checksum made to fit.
fn spoilt(change: impl FnOnce(&mut Vec<u8>)) -> Result<Verdict, CertificateError> {
    let mut bytes = sound().to_vec();
    change(&mut bytes);
    seal(&mut bytes);
    judge(&bytes)
}

fn complaint(verdict: Result<Verdict, CertificateError>) -> Reason {
    match verdict {
        Ok(Verdict::Rejected(rejection)) => rejection.reason,
        other => panic!("not rejected: {other:?}"),
    }
}

#[test]
fn a_cut_file_is_called_cut_wherever_it_is_cut() {
    let bytes = sound();
    for len in 0..bytes.len() {
        let error = judge(&bytes[..len]).expect_err("cut");
        assert!(
            matches!(error, CertificateError::Truncated(_)),
            "{len}: {error}"
        );
    }
    let longer = [bytes, b"x"].concat();
    assert_eq!(judge(&longer), Err(CertificateError::TrailingBytes(1)));
}

#[test]
fn a_changed_byte_without_a_new_checksum_is_damage() {
    let bytes = sound();
    for at in 0..bytes.len() {
        let mut changed = bytes.to_vec();
        changed[at] ^= 0x20;
        let error = judge(&changed).expect_err("changed");
        assert!(
            matches!(
                error,
                CertificateError::NotACertificate
                    | CertificateError::UnsupportedVersion(_)
                    | CertificateError::Truncated(_)
                    | CertificateError::TrailingBytes(_)
                    | CertificateError::Checksum { .. }
            ),
            "{at}: {error}"
        );
    }
}

#[test]
fn each_field_of_the_header_is_checked() {
    let first = |change: fn(&mut Vec<u8>)| spoilt(change).expect_err("refused");
    assert_eq!(
        first(|bytes| bytes[0] = b'x'),
        CertificateError::NotACertificate
    );
    assert_eq!(
        first(|bytes| bytes[VERSION] = 2),
        CertificateError::UnsupportedVersion(2)
    );
    assert_eq!(
        first(|bytes| bytes[RULESET] = 7),
        CertificateError::UnknownRuleset(7)
    );
    assert_eq!(
        first(|bytes| bytes[WINNER] = 2),
        CertificateError::UnknownWinner(2)
    );
    assert!(matches!(
        first(|bytes| bytes[FEN] = b'9'),
        CertificateError::Root(_)
    ));
    assert_eq!(
        first(|bytes| bytes[FEN] = 0xFF),
        CertificateError::RootNotAscii
    );
}

#[test]
fn wrong_numbers_in_the_header_are_told_with_the_right_ones() {
    let positions = u64::from_le_bytes(sound()[POSITIONS..PLIES].try_into().expect("8 bytes"));
    let reason = complaint(spoilt(|bytes| bytes[POSITIONS] ^= 1));
    assert_eq!(
        reason,
        Reason::WrongPositionsCount {
            stated: positions ^ 1,
            found: positions
        }
    );
    let plies = u32::from(sound()[PLIES]);
    let reason = complaint(spoilt(|bytes| bytes[PLIES] ^= 1));
    assert_eq!(
        reason,
        Reason::WrongPlies {
            stated: plies ^ 1,
            found: plies
        }
    );
}

#[test]
fn the_other_winner_is_not_proved() {
    let reason = complaint(spoilt(|bytes| bytes[WINNER] ^= 1));
    assert!(
        matches!(
            reason,
            Reason::MissingMove | Reason::IllegalMove { .. } | Reason::LostEnd | Reason::DrawnEnd
        ),
        "{reason:?}"
    );
}

#[test]
fn another_root_is_not_proved() {
    let other = rules::fen::write_position(&after("c3", Ruleset::Joint));
    let root = rules::fen::write_position(&after("d3", Ruleset::Joint));
    assert_eq!(other.len(), root.len());
    let reason = complaint(spoilt(|bytes| {
        bytes[FEN..FEN + other.len()].copy_from_slice(other.as_bytes());
    }));
    assert!(
        matches!(
            reason,
            Reason::MissingMove
                | Reason::IllegalMove { .. }
                | Reason::LostEnd
                | Reason::DrawnEnd
                | Reason::Loop
        ),
        "{reason:?}"
    );
    // An en-passant square without a capture is another form of the same root.
    let error = spoilt(|bytes| {
        bytes[FEN + root.len() - 1] = b'e';
        bytes.insert(FEN + root.len(), b'3');
        bytes[FEN - 2] += 1;
    });
    assert!(
        matches!(
            error,
            Err(CertificateError::Root(_) | CertificateError::RootNotCanonical { .. })
        ),
        "{error:?}"
    );
}

/// The choices of the sound certificate: where they begin, and their number.
fn choices() -> (usize, usize) {
    let bytes = sound();
    let fen_len = usize::from(u16::from_le_bytes([bytes[FEN - 2], bytes[FEN - 1]]));
    let first = FEN + fen_len + 2 + 8;
    (first, bytes.len() - 8 - first)
}

#[test]
fn choices_too_few_and_too_many_are_told() {
    let (first, count) = choices();
    let shorter = spoilt(|bytes| {
        bytes.remove(first + count - 1);
        bytes[first - 8] -= 1;
    });
    assert_eq!(complaint(shorter), Reason::MissingMove);
    let longer = spoilt(|bytes| {
        bytes.insert(first + count, 0);
        bytes[first - 8] += 1;
    });
    assert_eq!(complaint(longer), Reason::LeftOverChoices(1));
}

#[test]
fn a_choice_that_is_no_move_is_told() {
    let (first, count) = choices();
    for at in first..first + count {
        let reason = complaint(spoilt(|bytes| bytes[at] = 254));
        assert!(
            matches!(
                reason,
                Reason::IllegalMove {
                    choice: verify::Choice::Index(254),
                    ..
                }
            ),
            "{at}: {reason:?}"
        );
    }
}

#[test]
fn an_international_proof_is_none_under_fics() {
    let root = position("8/5p2/8/8/8/5P2/8/8 w - -", Ruleset::International);
    let mut bytes = certificate(&proof(root, Ruleset::International));
    assert!(matches!(judge(&bytes), Ok(Verdict::Verified(_))));
    bytes[RULESET] = Ruleset::Fics.code();
    seal(&mut bytes);
    assert_eq!(complaint(judge(&bytes)), Reason::DrawnEnd);
}

#[test]
fn random_changes_are_rejected_or_prove_something_true() {
    let mut random = Random::new(0x6365_7274);
    let (mut refused, mut rejected, mut verified) = (0, 0, 0);
    for _ in 0..1_000 {
        let mut bytes = sound().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() - 8);
            bytes[at] ^= 1 << random.below(8);
        }
        seal(&mut bytes);
        match judge(&bytes) {
            Err(_) => refused += 1,
            Ok(Verdict::Rejected(_) | Verdict::Damaged(_)) => rejected += 1,
            Ok(Verdict::Interrupted(_)) => panic!("nobody interrupts"),
            Ok(Verdict::Verified(found)) => {
                verified += 1;
                // The prover's side must find the same proof in the bytes.
                let read = proof::certificate::Certificate::parse(&bytes).expect("a certificate");
                let mut strategy = read.strategy().expect("choices that fit");
                let proof =
                    proof::extract(&read.claim, &mut strategy, &proof::NoTables).expect("a proof");
                assert_eq!(proof.positions(), found.positions);
                assert_eq!(u32::from(proof.plies.0), found.plies);
            }
        }
    }
    assert!(
        refused > 100 && rejected > 100,
        "{refused} {rejected} {verified}"
    );
}
