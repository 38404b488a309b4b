//! FEN: what is accepted, with which note, and which field an error names. Field cases B16, B18, B24, B26, B48.

use rules::{Color, Game, PackedPosition, Role, Ruleset, Square, UnpackError, fen, fen::FenNote};

const RULES: Ruleset = Ruleset::Joint;

fn game(text: &str) -> Game {
    fen::parse(text, RULES).expect("a legal FEN").game
}

/// FENs and the errors they give.
const BAD: &[(&str, &str)] = &[
    (
        "",
        "FEN has 0 fields, expected 4 to 6: placement, side to move, castling, en passant, clocks",
    ),
    (
        "8/8/8/8/8/8/8/K7 w -",
        "FEN has 3 fields, expected 4 to 6: placement, side to move, castling, en passant, clocks",
    ),
    (
        "8/8/8/8/8/8/8/K7 w - - 0 1 x",
        "FEN has 7 fields, expected 4 to 6: placement, side to move, castling, en passant, clocks",
    ),
    (
        "8/8/8/8/8/8/K7 w - - 0 1",
        "FEN placement: 7 ranks instead of 8",
    ),
    (
        "8/8/8/8/8/8/8/8/K7 w - - 0 1",
        "FEN placement: 9 ranks instead of 8",
    ),
    (
        "8/8/8/8/8/8/8/K6 w - - 0 1",
        "FEN placement: rank 1 has 7 squares instead of 8",
    ),
    (
        "8/K8/8/8/8/8/8/8 w - - 0 1",
        "FEN placement: rank 7 has more than 8 squares",
    ),
    (
        "8/8/8/8/8/8/8/KKKKKKKKK w - - 0 1",
        "FEN placement: rank 1 has more than 8 squares",
    ),
    (
        "8/8/8/8/8/8/8/X7 w - - 0 1",
        "FEN placement: 'X' on rank 1 is neither a man nor a number of empty squares",
    ),
    (
        "8/8/8/8/8/8/8/~K7 w - - 0 1",
        "FEN placement: '~' on rank 1 is neither a man nor a number of empty squares",
    ),
    (
        "8/8/8/8/8/8/8/9 w - - 0 1",
        "FEN placement: '9' on rank 1 is neither a man nor a number of empty squares",
    ),
    (
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "FEN placement: the board is empty",
    ),
    (
        "8/8/8/8/8/8/8/8 x ? ? ? ?",
        "FEN placement: the board is empty",
    ),
    (
        "P7/8/8/8/8/8/8/8 w - - 0 1",
        "FEN placement: a pawn stands on a8",
    ),
    (
        "8/8/8/8/8/8/8/6p1 w - - 0 1",
        "FEN placement: a pawn stands on g1",
    ),
    (
        "KKKKKKKK/KKKKKKKK/K7/8/8/8/8/8 w - - 0 1",
        "FEN placement: white has 17 men, more than 16",
    ),
    (
        "8/8/8/8/8/p7/pppppppp/8 w - - 0 1",
        "FEN placement: black has 9 pawns, more than 8",
    ),
    (
        "8/8/8/8/8/8/8/K7 x - - 0 1",
        "FEN side to move: expected w or b, found 'x'",
    ),
    (
        "8/8/8/8/8/8/8/K7 w ? z9 0 1",
        "FEN castling: expected - or letters of KQkq, each at most once, found '?'",
    ),
    (
        "8/8/8/8/8/8/8/K7 w KQkqK - 0 1",
        "FEN castling: expected - or letters of KQkq, each at most once, found 'KQkqK'",
    ),
    (
        "4k2r/8/8/8/8/8/8/4K2R w KK - 0 1",
        "FEN castling: expected - or letters of KQkq, each at most once, found 'KK'",
    ),
    // H is the file of the rook of K.
    (
        "4k2r/8/8/8/8/8/8/4K2R w KkH - 0 1",
        "FEN castling: expected - or letters of KQkq, each at most once, found 'KkH'",
    ),
    (
        "8/8/8/8/8/8/8/K7 w - z9 0 1",
        "FEN en passant: 'z9' is neither - nor a square",
    ),
    // Field case B24.
    (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e4 0 1",
        "FEN en passant: 'e4' is not on the rank that a pawn of the other side has just passed",
    ),
    (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e6 0 1",
        "FEN en passant: 'e6' is not on the rank that a pawn of the other side has just passed",
    ),
    (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - d3 0 1",
        "FEN en passant: 'd3' has no pawn in front of it that could have just moved two squares",
    ),
    (
        "8/8/8/8/3pp3/8/8/K7 b - e3 0 1",
        "FEN en passant: 'e3' has no pawn in front of it that could have just moved two squares",
    ),
    (
        "8/8/8/8/3pP3/4n3/8/K7 b - e3 0 1",
        "FEN en passant: 'e3' needs two empty squares behind the pawn",
    ),
    (
        "8/8/8/8/3pP3/8/4n3/K7 b - e3 0 1",
        "FEN en passant: 'e3' needs two empty squares behind the pawn",
    ),
    (
        "8/8/8/8/8/8/8/K7 w - - x 1",
        "FEN half-move clock: expected a number up to 65535, found 'x'",
    ),
    (
        "8/8/8/8/8/8/8/K7 w - - +1 1",
        "FEN half-move clock: expected a number up to 65535, found '+1'",
    ),
    (
        "8/8/8/8/8/8/8/K7 w - - 65536 1",
        "FEN half-move clock: expected a number up to 65535, found '65536'",
    ),
    (
        "8/8/8/8/8/8/8/K7 w - - 0 -1",
        "FEN full-move number: expected a number up to 65535, found '-1'",
    ),
];

#[test]
fn an_error_names_the_leftmost_bad_field() {
    for &(text, message) in BAD {
        let error = fen::parse(text, RULES).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn what_is_read_is_written_in_one_form() {
    for (what, read, written) in [
        (
            "as it is",
            "8/P7/8/7p/8/8/8/8 w - - 3 17",
            "8/P7/8/7p/8/8/8/8 w - - 3 17",
        ),
        (
            "missing clocks",
            "8/P7/8/7p/8/8/8/8 w - -",
            "8/P7/8/7p/8/8/8/8 w - - 0 1",
        ),
        (
            "a missing number",
            "8/P7/8/7p/8/8/8/8 w - - 7",
            "8/P7/8/7p/8/8/8/8 w - - 7 1",
        ),
        (
            "numbered from 0",
            "8/P7/8/7p/8/8/8/8 w - - 0 0",
            "8/P7/8/7p/8/8/8/8 w - - 0 1",
        ),
        (
            "spaces",
            "  8/P7/8/7p/8/8/8/8\tw -  - 0 1\n",
            "8/P7/8/7p/8/8/8/8 w - - 0 1",
        ),
        (
            "empty squares in pieces",
            "44/P52/8/7p/8/8/8/11111111 w - - 0 1",
            "8/P7/8/7p/8/8/8/8 w - - 0 1",
        ),
        (
            "promoted men",
            "Q~7/8/8/7k~/8/8/8/8 w - - 0 1",
            "Q7/8/8/7k/8/8/8/8 w - - 0 1",
        ),
        (
            "no kings, one side (B26)",
            "8/5n2/8/8/8/8/8/8 w - - 0 1",
            "8/5n2/8/8/8/8/8/8 w - - 0 1",
        ),
        (
            "eight kings a side",
            "kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - - 0 1",
            "kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - - 0 1",
        ),
        (
            "en passant that counts",
            "8/8/8/8/1pPp4/8/8/8 b - c3 0 1",
            "8/8/8/8/1pPp4/8/8/8 b - c3 0 1",
        ),
        (
            "en passant that no pawn can use (B24)",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - 0 1",
        ),
        (
            "en passant beyond the edge",
            "8/8/8/p6P/8/8/8/8 w - a6 0 1",
            "8/8/8/p6P/8/8/8/8 w - - 0 1",
        ),
    ] {
        assert_eq!(fen::write(&game(read)), written, "{what}");
    }
}

/// Field cases B16 a, B18 and B24: what makes no difference to the game makes none to the key.
#[test]
fn unusable_rights_leave_no_trace_in_the_key() {
    for (with, without) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - 0 1",
        ),
        (
            "k6K/8/8/8/8/8/8/R6R w KA - 0 1",
            "k6K/8/8/8/8/8/8/R6R w - - 9 30",
        ),
    ] {
        let (with, without) = (game(with), game(without));
        assert_eq!(with.position(), without.position());
        assert_eq!(with.position().key(), without.position().key());
        assert_eq!(with.position().pack(), without.position().pack());
    }
}

#[test]
fn dropped_castling_rights_are_noted() {
    let initial = RULES.initial_fen();
    assert_eq!(fen::parse(initial, RULES).expect("a legal FEN").notes, []);
    for rights in ["KQkq", "Kq", "KA", "HAha"] {
        let read = fen::parse(&initial.replace("w -", &format!("w {rights}")), RULES);
        let notes = read.expect("a legal FEN").notes;
        assert_eq!(notes, [FenNote::CastlingDropped], "{rights}");
        assert_eq!(
            notes[0].to_string(),
            "castling rights dropped: this ruleset has no castling"
        );
    }
}

#[test]
fn side_to_move_and_en_passant_square_change_the_key() {
    let texts = [
        "8/8/8/8/1pPp4/8/8/8 b - c3 0 1",
        "8/8/8/8/1pPp4/8/8/8 b - - 0 1",
        "8/8/8/8/1pPp4/8/8/8 w - - 0 1",
    ];
    let mut keys = texts.map(|text| game(text).position().key());
    keys.sort_unstable();
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
}

/// Field case B48: no man, square or side is missing from the key.
#[test]
fn all_positions_of_one_and_two_men_have_different_keys() {
    let men: Vec<(Square, Color, Role)> = (0..64)
        .map(Square::new)
        .flat_map(|square| Color::ALL.map(|color| (square, color)))
        .flat_map(|(square, color)| Role::ALL.map(|role| (square, color, role)))
        .collect();
    let mut keys = Vec::new();
    for side_to_move in Color::ALL {
        for (i, &(square, color, role)) in men.iter().enumerate() {
            let mut one = rules::PositionBuilder::new(side_to_move);
            one.put(square, color, role);
            keys.push(one.build().key());
            for &(other, color, role) in men[i..].iter().filter(|man| man.0 != square) {
                let mut two = one;
                two.put(other, color, role);
                keys.push(two.build().key());
            }
        }
    }
    assert_eq!(keys.len(), 2 * (64 * 12 + 64 * 63 / 2 * 144));
    keys.sort_unstable();
    assert!(keys.is_sorted_by(|a, b| a < b), "two positions share a key");
}

/// The bytes are part of the database format.
#[test]
fn packed_positions_have_these_bytes() {
    for (text, bytes) in [
        (
            "8/8/8/8/8/8/8/K7 w - - 0 1",
            "01 00 00 00 00 00 00 00 05 00",
        ),
        (
            "7k/8/8/8/8/8/8/K6Q b - - 0 1",
            "81 00 00 00 00 00 00 80 45 0d 01",
        ),
        (
            "8/8/8/8/1pPp4/8/8/8 b - c3 0 1",
            "00 00 00 0e 00 00 00 00 08 08 21 12",
        ),
    ] {
        let packed = game(text).position().pack();
        let hex: Vec<String> = packed
            .as_bytes()
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(hex.join(" "), bytes, "{text}");
    }
}

#[test]
fn bytes_that_no_position_packs_to_are_refused() {
    let king = [1, 0, 0, 0, 0, 0, 0, 0, 5, 0];
    let set = |index: usize, byte: u8| {
        let mut bytes = king;
        bytes[index] = byte;
        bytes.to_vec()
    };
    let with = |tail: &[u8]| [&king[..9], tail].concat();
    let full = |men: usize, byte: u8| {
        let mut bytes = vec![0; 8];
        (0..men).for_each(|i| bytes[i / 8] |= 1 << (i % 8));
        bytes.extend(vec![byte; men / 2]);
        bytes.push(0);
        bytes
    };
    for (what, bytes) in [
        ("nothing", vec![]),
        ("half a board", vec![1, 0, 0, 0]),
        ("no men", king[..8].to_vec()),
        ("no flags", king[..9].to_vec()),
        ("the empty board", vec![0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("a man of kind 6", set(8, 6)),
        ("a second man without a square", set(8, 0x55)),
        ("a pawn on the first rank", set(8, 0)),
        ("an unknown flag", set(9, 1 << 6)),
        ("a byte too many", with(&[0, 0])),
        ("en passant without a square", with(&[1 << 5])),
        ("en passant off the board", with(&[1 << 5, 64])),
        ("en passant without a pawn", with(&[1 << 5, 40])),
        ("seventeen men of one side", full(18, 0x55)),
        (
            "en passant that no pawn can use",
            // A white pawn on c4, nothing beside it.
            vec![0, 0, 0, 4, 0, 0, 0, 0, 0, 1 | 1 << 5, 18],
        ),
    ] {
        let unpacked = PackedPosition::from_bytes(&bytes).and_then(|packed| packed.unpack(RULES));
        assert_eq!(unpacked, Err(UnpackError), "{what}: {bytes:?}");
    }
    assert_eq!(PackedPosition::from_bytes(&[0; 27]), Err(UnpackError));
    assert_eq!(UnpackError.to_string(), "the bytes are no packed position");
}

/// Any rights, whatever stands on the board: the builder leaves that to its caller.
#[test]
fn castling_rights_mirror_with_the_sides_and_enter_the_key() {
    let mut keys = Vec::new();
    for rights in 0..16u8 {
        let mut builder = rules::PositionBuilder::new(Color::White);
        builder.put(Square::new(4), Color::White, Role::King);
        let position = builder.castling(rights).build();
        let mirror = position.mirrored();
        assert_eq!(mirror.castling(), rights >> 2 | (rights & 0b11) << 2);
        assert_eq!(mirror.key(), mirror.recomputed_key());
        assert_eq!(mirror.mirrored(), position);
        keys.push(position.key());
    }
    keys.sort_unstable();
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
}

/// Set-ups that only some rulesets can have, each refused with the field that is at fault.
#[test]
fn a_fen_is_refused_where_a_royal_king_cannot_be_so() {
    for (text, expected) in [
        (
            "8/8/8/8/8/8/P7/K7 w - - 0 1",
            "FEN placement: black has 0 kings instead of 1",
        ),
        (
            "k6k/8/8/8/8/8/P7/K7 w - - 0 1",
            "FEN placement: black has 2 kings instead of 1",
        ),
        (
            "k7/8/8/8/8/8/8/K7 w - - 0 1",
            "FEN placement: both sides have a bare king",
        ),
        (
            "k7/8/8/8/8/8/8/RK5n w - - 0 1",
            "FEN side to move: white to move could capture black's king",
        ),
        (
            "8/8/8/8/8/p7/1kp5/K7 w - - 0 1",
            "FEN side to move: white to move could capture black's king",
        ),
    ] {
        for ruleset in [Ruleset::Variant3, Ruleset::Variant4] {
            let error = fen::parse(text, ruleset).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        }
        for ruleset in [Ruleset::Joint, Ruleset::Variant2, Ruleset::Extinction] {
            assert!(fen::parse(text, ruleset).is_ok(), "{ruleset} {text}");
        }
    }
}

/// A right counts only while king and rook stand where they castle from.
#[test]
fn castling_rights_without_king_and_rook_are_dropped_and_noted() {
    for (text, kept, note) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "KQkq", None),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha -", "KQkq", None),
        ("r3k2r/8/8/8/8/8/8/R3K2R b Aq -", "Qq", None),
        ("r3k3/8/8/8/8/8/8/R4K1R w KQkq -", "q", Some("KQk")),
        ("4k2r/8/8/8/8/8/8/1R2K2n w KQkq -", "k", Some("KQq")),
        ("1k2r3/8/8/8/8/8/8/R3K3 w - -", "-", None),
    ] {
        for ruleset in [Ruleset::Variant3, Ruleset::Variant4, Ruleset::Extinction] {
            let read = fen::parse(text, ruleset).expect("a legal FEN");
            let written = fen::write_position(read.game.position());
            assert_eq!(written.split(' ').nth(2), Some(kept), "{text}");
            let notes: Vec<String> = read.notes.iter().map(ToString::to_string).collect();
            let expected = note.map(|letters| {
                format!("castling rights {letters} dropped: king or rook is not on its square")
            });
            assert_eq!(notes, Vec::from_iter(expected), "{text}");
        }
    }
}
