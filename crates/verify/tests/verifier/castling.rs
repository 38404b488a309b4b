//! Castling rights: read, written, lost and used, under the rulesets that have them.

use takeme_verify::{Position, Ruleset, legal_moves};

use crate::support::{moves_under, mv, play_line, position_under, rights};

/// All kinds on both sides, so that nothing is decided under extinction; the files of the rooks are open.
const OPEN: &str = "r3k2r/1bnqp3/8/8/8/8/1BNQP3/R3K2R";
const CLASSES: [Ruleset; 3] = [Ruleset::Variant3, Ruleset::Variant4, Ruleset::Extinction];

fn read(ruleset: Ruleset, placement: &str, field: &str) -> Position {
    position_under(ruleset, &format!("{placement} w {field} -"))
}

fn can_castle(ruleset: Ruleset, fen: &str) -> [bool; 2] {
    let moves = moves_under(ruleset, fen);
    let (short, long) = if fen.contains(" w ") {
        ("e1g1", "e1c1")
    } else {
        ("e8g8", "e8c8")
    };
    [short, long].map(|castle| moves.split(' ').any(|mv| mv == castle))
}

#[test]
fn rights_are_written_in_their_order_however_they_are_read() {
    for ruleset in CLASSES {
        for (field, written) in [
            ("KQkq", "KQkq"),
            ("qkQK", "KQkq"),
            ("HAha", "KQkq"),
            ("KAkq", "KQkq"),
            ("K", "K"),
            ("H", "K"),
            ("Q", "Q"),
            ("A", "Q"),
            ("k", "k"),
            ("h", "k"),
            ("q", "q"),
            ("a", "q"),
            ("qK", "Kq"),
            ("-", "-"),
        ] {
            let position = read(ruleset, OPEN, field);
            assert_eq!(position.fen(), format!("{OPEN} w {written} -"), "{field}");
            assert_eq!(position_under(ruleset, &position.fen()), position);
        }
    }
}

#[test]
fn each_right_has_its_bit() {
    for (field, bits) in [
        ("-", 0),
        ("K", 1),
        ("Q", 2),
        ("k", 4),
        ("q", 8),
        ("KQkq", 15),
    ] {
        assert_eq!(
            read(Ruleset::Extinction, OPEN, field).castling_rights(),
            bits
        );
        assert_eq!(read(Ruleset::Variant2, OPEN, field).castling_rights(), 0);
    }
}

#[test]
fn positions_with_different_rights_differ() {
    for ruleset in CLASSES {
        let all = ["-", "K", "Q", "k", "q", "KQ", "Kk", "KQkq"];
        for (i, one) in all.into_iter().enumerate() {
            for other in &all[..i] {
                assert_ne!(read(ruleset, OPEN, one), read(ruleset, OPEN, other));
            }
        }
    }
}

#[test]
fn a_right_counts_only_while_king_and_rook_are_at_home() {
    for (placement, written) in [
        ("r3k2r/1bnqp3/8/8/8/8/1BNQP3/4K2R", "Kkq"),
        ("r3k2r/1bnqp3/8/8/8/8/1BNQP3/R3K3", "Qkq"),
        ("4k2r/1bnqp3/8/8/8/8/1BNQP3/R3K2R", "KQk"),
        ("r3k3/1bnqp3/8/8/8/8/1BNQP3/R3K2R", "KQq"),
        ("r3k2r/1bnqp3/8/8/8/8/1BNQP3/R2K3R", "kq"),
        ("r4k1r/1bnqp3/8/8/8/8/1BNQP3/R3K2R", "KQ"),
        // Another man in the corner, or a rook of the other side.
        ("r3k2r/1bnqp3/8/8/8/8/1BNQP3/R3K2N", "Qkq"),
        ("r3k2r/1bnqp3/8/8/8/8/1BNQP3/R3K1Nr", "Qkq"),
        ("R2nk2r/1b1qp3/8/8/8/8/1BNQP3/R3K2R", "KQk"),
        // Another man on e1.
        ("r3k2r/1bnqp3/8/8/8/8/KBN1P3/R3Q2R", "kq"),
    ] {
        assert_eq!(
            rights(&read(Ruleset::Extinction, placement, "KQkq")),
            written,
            "{placement}"
        );
    }
    for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
        let apart = "r3k2r/1bnqp3/8/8/8/8/1BNQP3/R2K2R1";
        assert_eq!(rights(&read(ruleset, apart, "KQkq")), "kq");
    }
}

#[test]
fn rulesets_without_castling_drop_the_rights() {
    for ruleset in [
        Ruleset::International,
        Ruleset::Fics,
        Ruleset::Joint,
        Ruleset::Variant2,
    ] {
        let position = read(ruleset, OPEN, "KQkq");
        assert_eq!(position, read(ruleset, OPEN, "-"));
        assert_eq!(rights(&position), "-");
        assert_eq!(position.play(mv("e1g1")), None);
    }
}

#[test]
fn rights_go_with_king_and_rook() {
    for (line, left) in [
        ("b2c3", "KQkq"),
        ("h1g1", "Qkq"),
        ("a1b1", "Kkq"),
        ("e1f1", "kq"),
        ("e1g1", "kq"),
        ("e1c1", "kq"),
        ("b2c3 h8g8", "KQq"),
        ("b2c3 a8b8", "KQk"),
        ("b2c3 e8f8", "KQ"),
        ("b2c3 e8g8", "KQ"),
        ("b2c3 e8c8", "KQ"),
        // A rook that takes a rook ends a right of either side.
        ("h1h8", "Qq"),
        ("a1a8", "Kk"),
        ("b2c3 h8h1", "Qq"),
        ("b2c3 a8a1", "Kk"),
        // A man that takes the rook ends it too, and one that comes to the corner later brings nothing back.
        ("b2h8", "KQq"),
        ("e2e3 b7h1", "Qkq"),
        ("e2e3 b7h1 e1f1", "kq"),
        ("e1f1 e8f8 f1e1 f8e8", "-"),
        ("h1g1 h8g8 g1h1 g8h8", "Qq"),
    ] {
        let root = read(Ruleset::Extinction, OPEN, "KQkq");
        let after = play_line(root, line);
        assert_eq!(rights(&after), left, "{line}");
        assert_eq!(position_under(Ruleset::Extinction, &after.fen()), after);
    }
}

#[test]
fn a_captured_king_leaves_no_right_behind() {
    // Field case B18, with a second king so that the game goes on.
    let fen = "r3k2r/2nqp3/8/8/1b6/6K1/1BN1Q2P/R3K2R b KQkq -";
    let after = play_line(position_under(Ruleset::Extinction, fen), "b4e1");
    assert_eq!(rights(&after), "kq");
    let without = after.fen();
    assert_eq!(position_under(Ruleset::Extinction, &without), after);
    let fen = "r3k2r/1bn1q2p/6k1/1B6/8/8/2NQP3/R3K2R w KQkq -";
    let after = play_line(position_under(Ruleset::Extinction, fen), "b5e8");
    assert_eq!(rights(&after), "KQ");
}

#[test]
fn a_castle_moves_king_and_rook() {
    let root = "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq -";
    for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
        for (line, fen) in [
            ("e1g1", "r3k2r/p6p/8/8/8/8/P6P/R4RK1 b kq -"),
            ("e1c1", "r3k2r/p6p/8/8/8/8/P6P/2KR3R b kq -"),
            ("a2a3 e8g8", "r4rk1/p6p/8/8/8/P7/7P/R3K2R w KQ -"),
            ("a2a3 e8c8", "2kr3r/p6p/8/8/8/P7/7P/R3K2R w KQ -"),
        ] {
            assert_eq!(play_line(position_under(ruleset, root), line).fen(), fen);
        }
    }
    // No castle: a rook goes from e1 to g1, and a king without the right would not get there.
    let no_castle = play_line(
        position_under(Ruleset::Variant3, "k7/p7/8/8/8/8/7P/K3R3 w - -"),
        "e1g1",
    );
    assert_eq!(no_castle.fen(), "k7/p7/8/8/8/8/7P/K5R1 b - -");
    assert_eq!(
        can_castle(Ruleset::Variant3, "r3k2r/p6p/8/8/8/8/P6P/R3K2R w kq -"),
        [false, false]
    );
}

#[test]
fn castles_stand_in_canonical_order() {
    assert_eq!(
        moves_under(Ruleset::Variant3, "4k3/p7/8/8/8/8/7P/R3K2R w KQ -"),
        "a1a7"
    );
    assert_eq!(
        moves_under(Ruleset::Variant3, "4k3/p6p/8/8/8/P6P/P6P/R3K2R w KQ -"),
        "a1b1 a1c1 a1d1 e1c1 e1d1 e1f1 e1g1 e1d2 e1e2 e1f2 h1f1 h1g1 a3a4 h3h4"
    );
}

#[test]
fn nothing_may_stand_between_king_and_rook() {
    for (placement, short, long) in [
        ("r3k2r/1bnqp3/8/8/8/8/1BNQP3/R3K2R", true, true),
        ("r3k1nr/1b1qp3/8/8/8/8/1B1QP3/R3K1NR", false, true),
        ("r3kn1r/1b1qp3/8/8/8/8/1B1QP3/R3KN1R", false, true),
        ("rn2k2r/1b1qp3/8/8/8/8/1B1QP3/RN2K2R", true, false),
        ("r1n1k2r/1b1qp3/8/8/8/8/1B1QP3/R1N1K2R", true, false),
        ("r2nk2r/1b1qp3/8/8/8/8/1B1QP3/R2NK2R", true, false),
        // Men of the other side are in the way too.
        ("r3kN1r/1b1qp2n/8/8/8/8/1B1QP2N/R3Kn1R", false, true),
        ("rN2k2r/1b1qp2n/8/8/8/8/1B1QP2N/Rn2K2R", true, false),
    ] {
        for side in ["w", "b"] {
            let fen = format!("{placement} {side} KQkq -");
            assert_eq!(
                can_castle(Ruleset::Extinction, &fen),
                [short, long],
                "{fen}"
            );
        }
    }
    let between = "rn2kb1r/p6p/8/8/8/8/P6P/RN2KB1R w KQkq -";
    for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
        assert_eq!(can_castle(ruleset, between), [false, false]);
    }
}

#[test]
fn a_royal_king_does_not_castle_out_of_through_or_into_check() {
    for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
        for (attackers, short, long) in [
            ("k7", true, true),
            ("k3r3", false, false),
            ("k4r2", false, true),
            ("k5r1", false, true),
            ("k2r4", true, false),
            ("k1r5", true, false),
            // Only the rook is attacked or passes an attacked square.
            ("kr6", true, true),
        ] {
            let fen = format!("{attackers}/p6p/8/8/8/8/P6P/R3K2R w KQ -");
            assert_eq!(can_castle(ruleset, &fen), [short, long], "{fen}");
            let black = format!(
                "r3k2r/p6p/8/8/8/8/P6P/{} b kq -",
                attackers.to_ascii_uppercase()
            );
            assert_eq!(can_castle(ruleset, &black), [short, long], "{black}");
        }
        let rook_attacked = "k7/pb5p/8/8/8/8/P6P/R3K2R w KQ -";
        assert_eq!(can_castle(ruleset, rook_attacked), [true, true]);
    }
}

#[test]
fn a_king_that_is_not_royal_castles_out_of_through_and_into_attack() {
    // Choice X3.
    for file in ["r7", "1r6", "2r5", "3r4", "4r3", "5r2", "6r1", "7r"] {
        let fen = format!("k7/bnqp4/BNQP4/8/8/{file}/8/R3K2R w KQ -");
        assert_eq!(can_castle(Ruleset::Extinction, &fen), [true, true], "{fen}");
    }
}

#[test]
fn a_castle_is_no_choice_while_a_capture_is_legal() {
    // Choice B1.
    let capture = "4k3/p7/8/8/8/1p6/P6P/R3K2R w KQ -";
    // The only capture would leave the king attacked, so that it compels nobody.
    let pinned = "4k3/7p/8/8/1b1r4/8/3R3P/R3K3 w Q -";
    for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
        assert_eq!(moves_under(ruleset, capture), "a2b3");
        assert_eq!(can_castle(ruleset, pinned), [false, true]);
    }
    let open = position_under(Ruleset::Extinction, &format!("{OPEN} w KQkq -"));
    assert!(legal_moves(&open).contains(&mv("h1h8")));
    assert!(legal_moves(&open).contains(&mv("e1g1")));
}

#[test]
fn with_several_kings_the_one_at_home_castles() {
    // Choice X5: the right is that of the king on e1, whatever other kings do.
    let root = position_under(
        Ruleset::Extinction,
        "1r2k3/1bnqp3/8/8/8/K7/1BNQP3/R3K2R w KQ -",
    );
    assert!(legal_moves(&root).contains(&mv("e1g1")));
    let after = play_line(root, "a3a4 e8f8");
    assert_eq!(rights(&after), "KQ");
    assert!(legal_moves(&after).contains(&mv("e1c1")));
    let castled = play_line(after, "e1c1");
    assert_eq!(castled.fen(), "1r3k2/1bnqp3/8/8/K7/8/1BNQP3/2KR3R b - -");
    // Another king on e1 has no right.
    let replaced = play_line(
        position_under(
            Ruleset::Extinction,
            "1r2k3/1bnqp3/8/8/8/8/1BNQPK2/R3K2R w KQ -",
        ),
        "e1d1 e8f8 f2e1 f8e8",
    );
    assert_eq!(rights(&replaced), "-");
    assert_eq!(replaced.play(mv("e1g1")), None);
    // A king elsewhere has none either, and a king two squares away from a rook's square stays where it is.
    let kings = "1r2k3/1bnqp3/8/8/8/8/1BNQPK2/R5KR w KQ -";
    assert_eq!(rights(&position_under(Ruleset::Extinction, kings)), "-");
}
