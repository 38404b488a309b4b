//! What holds for every position, tried on positions from random games and random set-ups.

mod walks;

use proptest::{prelude::*, test_runner::RngSeed};
use rules::{
    Antichess, Color, Game, Move, MoveGen, Outcome, PackedPosition, Position, PositionBuilder,
    Role, Ruleset, Square, canonical_moves, fen, legal_moves, line, perft, san,
};
use walks::{STARTS, walk};

const RULES: Ruleset = Ruleset::International;

/// Positions from random games, en-passant squares and several kings included.
fn played_position() -> impl Strategy<Value = Position> {
    (0..STARTS.len(), any::<u64>(), 0..120usize)
        .prop_map(|(start, seed, plies)| *walk(STARTS[start], RULES, seed, plies).0.position())
}

/// A few men anywhere they may stand, up to four kings a side.
fn set_up_position() -> impl Strategy<Value = Position> {
    let man = (0..64u8, any::<bool>(), 0..Role::ALL.len());
    (proptest::collection::vec(man, 1..14), any::<bool>()).prop_map(|(men, white_to_move)| {
        let color = |white| if white { Color::White } else { Color::Black };
        let mut builder = PositionBuilder::new(color(white_to_move));
        for (index, white, role) in men {
            let (square, role) = (Square::new(index), Role::ALL[role]);
            let here = builder.build();
            let stands = matches!(square.rank(), 1..=6) || role != Role::Pawn;
            let kings = here.men_of(color(white), Role::King).count();
            let pawns = here.men_of(color(white), Role::Pawn).count();
            let fits = (role != Role::King || kings < 4) && (role != Role::Pawn || pawns < 8);
            if stands && fits && !here.occupied().contains(square) {
                builder.put(square, color(white), role);
            }
        }
        builder.build()
    })
}

fn any_position() -> impl Strategy<Value = Position> {
    prop_oneof![played_position(), set_up_position()]
        .prop_filter("a man on the board", |position| position.occupied().any())
}

/// Text that looks like a FEN, with a character replaced, dropped or doubled.
fn damaged_fen() -> impl Strategy<Value = String> {
    (any_position(), any::<prop::sample::Index>(), "[ -~é]", 0..3).prop_map(
        |(position, at, letter, kind)| {
            let text = fen::write(&Game::from_position(position, RULES));
            let at = at.index(text.len());
            let (left, right) = text.split_at(at);
            match kind {
                0 => format!("{left}{letter}{}", &right[1..]),
                1 => format!("{left}{}", &right[1..]),
                _ => format!("{left}{letter}{right}"),
            }
        },
    )
}

fn sorted(mut moves: Vec<Move>) -> Vec<Move> {
    moves.sort_unstable();
    moves
}

fn mirrored(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Won { winner, reason } => Outcome::Won {
            winner: !winner,
            reason,
        },
        other => other,
    }
}

/// The same cases in every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1000,
        rng_seed: RngSeed::Fixed(20_240_229),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_fen_read_back_is_the_same_position(
        position in any_position(),
        half_moves: u16,
        full_move in 1..=u16::MAX,
    ) {
        let text = format!("{} {half_moves} {full_move}", fen::write_position(&position));
        let read = fen::parse(&text, RULES).expect("a FEN that was written");
        prop_assert_eq!(*read.game.position(), position);
        prop_assert_eq!(read.game.position().key(), position.recomputed_key());
        prop_assert_eq!(fen::write(&read.game), text);
        prop_assert!(read.notes.is_empty());
    }

    #[test]
    fn every_legal_move_is_read_back_from_uci_and_san(position in any_position()) {
        let game = Game::from_position(position, RULES);
        let mut texts = Vec::new();
        for mv in game.legal_moves() {
            let text = san::write(&position, mv, RULES);
            prop_assert_eq!(san::read(&game, &text), Ok(mv), "{}", text);
            prop_assert_eq!(san::read(&game, &mv.to_string()), Ok(mv));
            prop_assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
            texts.push(text);
        }
        texts.sort();
        texts.dedup();
        prop_assert_eq!(texts.len(), game.legal_moves().len());
    }

    #[test]
    fn a_game_is_read_back_from_its_score(start in 0..STARTS.len(), seed: u64, plies in 0..60usize) {
        let first = fen::parse(STARTS[start], RULES).expect("a legal FEN").game;
        let (last, moves) = walk(STARTS[start], RULES, seed, plies);
        let score = line::write_san(first.position(), first.full_move(), &moves, RULES);
        for text in [score, line::write_uci(&moves)] {
            let (game, read) = line::play(first.clone(), &text).expect("a score that was written");
            prop_assert_eq!(&read, &moves);
            prop_assert_eq!(fen::write(&game), fen::write(&last));
        }
    }

    #[test]
    fn a_packed_position_unpacks_to_itself(position in any_position()) {
        let packed = position.pack();
        let again = PackedPosition::from_bytes(packed.as_bytes()).expect("at most 26 bytes");
        prop_assert_eq!(again.unpack(), Ok(position));
        prop_assert_eq!(again, packed);
    }

    #[test]
    fn unpacking_anything_gives_a_playable_position_or_an_error(
        position in any_position(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        noise in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut damaged = position.pack().as_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(damaged.len());
            damaged[at] ^= byte;
        }
        for bytes in [damaged, noise] {
            let unpacked = PackedPosition::from_bytes(&bytes).and_then(|packed| packed.unpack());
            if let Ok(position) = unpacked {
                let packed = position.pack();
                prop_assert_eq!(packed.as_bytes(), &bytes);
                let _ = perft::perft(&position, 2, RULES);
            }
        }
    }

    #[test]
    fn the_mirrored_position_is_the_same_game(position in any_position()) {
        let mirror = position.mirrored();
        prop_assert_eq!(mirror.mirrored(), position);
        prop_assert_eq!(mirror.key(), mirror.recomputed_key());
        let moves: Vec<Move> = legal_moves(&position, RULES).into_iter().map(Move::mirrored).collect();
        prop_assert_eq!(sorted(moves), sorted(legal_moves(&mirror, RULES).to_vec()));
        for mv in legal_moves(&position, RULES) {
            prop_assert_eq!(
                position.after(mv, RULES).mirrored(),
                mirror.after(mv.mirrored(), RULES)
            );
        }
        for ruleset in Ruleset::ALL {
            prop_assert_eq!(ruleset.outcome(&mirror), mirrored(ruleset.outcome(&position)));
            prop_assert_eq!(ruleset.is_dead(&mirror), ruleset.is_dead(&position));
        }
    }

    /// Field cases B18, B19 and B24: nothing is left over from the move before, whatever was captured or promoted.
    #[test]
    fn a_move_leads_to_the_position_that_its_fen_sets_up(position in any_position()) {
        for mv in legal_moves(&position, RULES) {
            let after = position.after(mv, RULES);
            prop_assert_eq!(after.key(), after.recomputed_key(), "{}", mv);
            prop_assert_eq!(after.side_to_move(), !position.side_to_move());
            let set_up = fen::parse(&fen::write_position(&after), RULES).expect("a FEN that was written");
            prop_assert_eq!(*set_up.game.position(), after, "{}", mv);
            if let Some(square) = after.en_passant() {
                prop_assert!(
                    legal_moves(&after, RULES).iter().any(|reply| reply.to() == square),
                    "{} can be captured on {}", mv, square
                );
            }
        }
    }

    #[test]
    fn counting_moves_agrees_with_generating_them(position in any_position()) {
        let moves = canonical_moves(&position, RULES);
        prop_assert_eq!(Antichess::count_moves(&position) as usize, moves.len());
        prop_assert!(moves.is_sorted_by(|a, b| a < b), "in order, none twice");
        for ruleset in Ruleset::ALL {
            prop_assert_eq!(canonical_moves(&position, ruleset), moves.clone());
        }
    }

    #[test]
    fn captures_are_compulsory(position in any_position()) {
        let is_capture = |mv: &Move| {
            position.occupied().contains(mv.to()) || position.en_passant() == Some(mv.to())
        };
        let captures = legal_moves(&position, RULES).iter().filter(|mv| is_capture(mv)).count();
        prop_assert!(captures == 0 || captures == legal_moves(&position, RULES).len());
    }

    /// Rule J1, on which proofs for both rulesets rest.
    #[test]
    fn joint_is_won_exactly_when_both_others_are(position in any_position()) {
        let [international, fics, joint] =
            Ruleset::ALL.map(|ruleset| ruleset.outcome(&position).winner());
        prop_assert_eq!(joint, international.filter(|_| international == fics));
    }

    #[test]
    fn a_dead_position_stays_dead(position in any_position()) {
        for ruleset in Ruleset::ALL {
            if ruleset.is_dead(&position) {
                for mv in legal_moves(&position, ruleset) {
                    let after = position.after(mv, ruleset);
                    prop_assert!(ruleset.is_dead(&after));
                    prop_assert_eq!(ruleset.outcome(&after), Outcome::Ongoing);
                }
            }
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(
        text in prop_oneof![".*", "[a-h1-8KQRBNPkqrbnpxO0=+#!?/ -]{0,12}"],
        position in any_position(),
    ) {
        let mut game = Game::from_position(position, RULES);
        let _ = fen::parse(&text, RULES);
        let _ = fen::parse(&format!("{text} w - - 0 1"), RULES);
        let _ = fen::parse(&format!("8/8/8/8/8/8/8/K7 w {text}"), RULES);
        let _ = Move::parse_uci(&text);
        let _ = Square::parse(&text);
        let _ = line::play(game.clone(), &text);
        let _ = text.parse::<Ruleset>().map_err(|error| error.to_string());
        let _ = text.parse::<Color>().map_err(|error| error.to_string());
        if let Ok(mv) = game.play_text(&text) {
            prop_assert!(canonical_moves(&position, RULES).contains(&mv));
        }
    }

    #[test]
    fn a_damaged_fen_is_refused_or_gives_a_playable_position(text in damaged_fen()) {
        if let Ok(read) = fen::parse(&text, RULES) {
            let _ = perft::perft(read.game.position(), 2, RULES);
            let again = fen::parse(&fen::write(&read.game), RULES).expect("a FEN that was written");
            prop_assert_eq!(again.game.position(), read.game.position());
        }
    }
}
