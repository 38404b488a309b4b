//! What holds for every position, tried on positions from random games and random set-ups.

mod walks;

use proptest::{prelude::*, test_runner::RngSeed};
use rules::{
    Choice, Class, Color, Game, Lines, Move, MoveGen, MoveList, Outcome, PackedPosition, Position,
    PositionBuilder, Role, Ruleset, Square, canonical_moves, fen, for_class, legal_moves, line,
    perft, san,
};
use walks::{starts, walk};

/// A position under a ruleset that can have it.
#[derive(Clone, Copy, Debug)]
struct Case {
    ruleset: Ruleset,
    position: Position,
}

impl Case {
    fn legal_moves(&self) -> MoveList {
        legal_moves(&self.position, self.ruleset)
    }

    fn after(&self, mv: Move) -> Self {
        Self {
            position: self.position.after(mv, self.ruleset),
            ..*self
        }
    }
}

fn any_ruleset() -> impl Strategy<Value = Ruleset> {
    (0..Ruleset::ALL.len()).prop_map(|i| Ruleset::ALL[i])
}

/// A start of random games, by an index into those of the ruleset.
fn start(ruleset: Ruleset, at: prop::sample::Index) -> &'static str {
    let starts = starts(ruleset);
    starts[at.index(starts.len())]
}

/// Positions from random games, en-passant squares, castling rights and several kings included.
fn played() -> impl Strategy<Value = Case> {
    let seed = any::<(prop::sample::Index, u64)>();
    (any_ruleset(), seed, 0..120usize).prop_map(|(ruleset, (at, seed), plies)| Case {
        ruleset,
        position: *walk(start(ruleset, at), ruleset, seed, plies).0.position(),
    })
}

/// A few men anywhere they may stand, with up to four kings a side, or one where kings are royal.
fn set_up() -> impl Strategy<Value = Case> {
    let man = (0..64u8, any::<bool>(), 0..Role::ALL.len());
    let men = proptest::collection::vec(man, 1..14);
    let kings = (0..64u8, 0..64u8);
    let fields = (any::<bool>(), 0..16u8);
    (any_ruleset(), men, kings, fields).prop_filter_map(
        "the ruleset allows no such set-up",
        |(ruleset, men, kings, (white_to_move, rights))| {
            let mut builder = PositionBuilder::new(color(white_to_move));
            let royal = ruleset.class().king_is_royal();
            let king = Role::King.index();
            let royal_kings = [(kings.0, true, king), (kings.1, false, king)];
            let most_kings = if royal { 1 } else { 4 };
            let royal_kings = royal_kings.into_iter().filter(|_| royal);
            for (index, white, role) in royal_kings.chain(men) {
                let (square, role) = (Square::new(index), Role::ALL[role]);
                if may_stand(&builder.build(), square, color(white), role, most_kings) {
                    builder.put(square, color(white), role);
                }
            }
            let text = fen::write_position(&builder.castling(rights).build());
            let position = *fen::parse(&text, ruleset).ok()?.game.position();
            Some(Case { ruleset, position })
        },
    )
}

fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}

fn may_stand(here: &Position, square: Square, color: Color, role: Role, most_kings: u32) -> bool {
    let count = here.men_of(color, role).count();
    let fits = match role {
        Role::King => count < most_kings,
        Role::Pawn => count < 8 && matches!(square.rank(), 1..=6),
        _ => true,
    };
    fits && !here.occupied().contains(square)
}

fn any_case() -> impl Strategy<Value = Case> {
    prop_oneof![played(), set_up()]
}

/// Text that looks like a FEN, with a character replaced, dropped or doubled.
fn damaged_fen() -> impl Strategy<Value = (Ruleset, String)> {
    (any_case(), any::<prop::sample::Index>(), "[ -~é]", 0..3).prop_map(
        |(case, at, letter, kind)| {
            let text = fen::write(&Game::from_position(case.position, case.ruleset));
            let at = at.index(text.len());
            let (left, right) = text.split_at(at);
            let damaged = match kind {
                0 => format!("{left}{letter}{}", &right[1..]),
                1 => format!("{left}{}", &right[1..]),
                _ => format!("{left}{letter}{right}"),
            };
            (case.ruleset, damaged)
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
        cases: 4000,
        rng_seed: RngSeed::Fixed(20_240_229),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_fen_read_back_is_the_same_position(
        Case { ruleset, position } in any_case(),
        half_moves: u16,
        full_move in 1..=u16::MAX,
    ) {
        let text = format!("{} {half_moves} {full_move}", fen::write_position(&position));
        let read = fen::parse(&text, ruleset).expect("a FEN that was written");
        prop_assert_eq!(*read.game.position(), position);
        prop_assert_eq!(read.game.position().key(), position.recomputed_key());
        prop_assert_eq!(fen::write(&read.game), text);
        prop_assert!(read.notes.is_empty());
    }

    #[test]
    fn every_legal_move_is_read_back_from_uci_and_san(case in any_case()) {
        let Case { ruleset, position } = case;
        let game = Game::from_position(position, ruleset);
        let mut texts = Vec::new();
        for mv in game.legal_moves() {
            let text = san::write(&position, mv, ruleset);
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
    fn a_game_is_read_back_from_its_score(
        ruleset in any_ruleset(),
        at: prop::sample::Index,
        seed: u64,
        plies in 0..60usize,
    ) {
        let start = start(ruleset, at);
        let first = fen::parse(start, ruleset).expect("a legal FEN").game;
        let (last, moves) = walk(start, ruleset, seed, plies);
        let score = line::write_san(first.position(), first.full_move(), &moves, ruleset);
        for text in [score, line::write_uci(&moves)] {
            let (game, read) = line::play(first.clone(), &text).expect("a score that was written");
            prop_assert_eq!(&read, &moves);
            prop_assert_eq!(fen::write(&game), fen::write(&last));
        }
    }

    #[test]
    fn a_choice_is_what_the_legal_moves_leave(case @ Case { ruleset, position } in any_case()) {
        let us = position.side_to_move();
        let survey = Lines::new(&position).survey(&position, us);
        let choice = for_class!(ruleset.class(), G => G::choice(&position, &survey));
        let moves = case.legal_moves();
        match choice {
            Choice::Over => prop_assert!(moves.is_empty()),
            Choice::Forced(mv) => prop_assert_eq!(&moves[..], &[mv]),
            Choice::Free(2) => prop_assert!(moves.len() >= 2),
            Choice::Free(count) => prop_assert_eq!(count as usize, moves.len()),
        }
    }

    #[test]
    fn a_packed_position_unpacks_to_itself(Case { ruleset, position } in any_case()) {
        let packed = position.pack();
        let again = PackedPosition::from_bytes(packed.as_bytes()).expect("at most 26 bytes");
        prop_assert_eq!(again.unpack(ruleset), Ok(position));
        prop_assert_eq!(again, packed);
    }

    #[test]
    fn unpacking_anything_gives_a_playable_position_or_an_error(
        Case { ruleset, position } in any_case(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        noise in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut damaged = position.pack().as_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(damaged.len());
            damaged[at] ^= byte;
        }
        for bytes in [damaged, noise] {
            let packed = PackedPosition::from_bytes(&bytes);
            if let Ok(position) = packed.and_then(|packed| packed.unpack(ruleset)) {
                let packed = position.pack();
                prop_assert_eq!(packed.as_bytes(), &bytes);
                let _ = perft::perft(&position, 2, ruleset);
                let read = fen::parse(&fen::write_position(&position), ruleset);
                prop_assert_eq!(*read.expect("what unpacks has a FEN").game.position(), position);
            }
        }
    }

    #[test]
    fn the_mirrored_position_is_the_same_game(case in any_case()) {
        let Case { ruleset, position } = case;
        let mirror = position.mirrored();
        prop_assert_eq!(mirror.mirrored(), position);
        prop_assert_eq!(mirror.key(), mirror.recomputed_key());
        let moves: Vec<Move> = case.legal_moves().into_iter().map(Move::mirrored).collect();
        prop_assert_eq!(sorted(moves), sorted(legal_moves(&mirror, ruleset).to_vec()));
        for mv in case.legal_moves() {
            prop_assert_eq!(
                case.after(mv).position.mirrored(),
                mirror.after(mv.mirrored(), ruleset)
            );
        }
        prop_assert_eq!(ruleset.outcome(&mirror), mirrored(ruleset.outcome(&position)));
        prop_assert_eq!(ruleset.is_dead(&mirror), ruleset.is_dead(&position));
    }

    /// Field cases B18, B19 and B24: nothing is left over from the move before, whatever was captured or promoted.
    #[test]
    fn a_move_leads_to_the_position_that_its_fen_sets_up(case in any_case()) {
        for mv in case.legal_moves() {
            let after = case.after(mv);
            let position = after.position;
            prop_assert_eq!(position.key(), position.recomputed_key(), "{}", mv);
            prop_assert_eq!(position.side_to_move(), !case.position.side_to_move());
            let set_up = fen::parse(&fen::write_position(&position), case.ruleset)
                .expect("a FEN that was written");
            prop_assert_eq!(*set_up.game.position(), position, "{}", mv);
            prop_assert!(set_up.notes.is_empty(), "{}", mv);
            if let Some(square) = position.en_passant() {
                prop_assert!(
                    after.legal_moves().iter().any(|reply| reply.to() == square),
                    "{} can be captured on {}", mv, square
                );
            }
        }
    }

    #[test]
    fn counting_moves_agrees_with_generating_them(Case { ruleset, position } in any_case()) {
        let moves = canonical_moves(&position, ruleset);
        let count = for_class!(ruleset.class(), G => G::count_moves(&position));
        prop_assert_eq!(count as usize, moves.len());
        prop_assert!(moves.is_sorted_by(|a, b| a < b), "in order, none twice");
    }

    #[test]
    fn captures_are_compulsory_where_the_class_says_so(case in any_case()) {
        let moves = case.legal_moves();
        let captures = moves.iter().filter(|mv| case.position.is_capture(**mv)).count();
        if case.ruleset.class().capture_is_compulsory() {
            prop_assert!(captures == 0 || captures == moves.len());
        }
    }

    /// Sets of pins and checks against playing each move of the men and looking whether the king can be captured.
    #[test]
    fn a_royal_king_is_never_left_attacked(case in any_case()) {
        let Case { ruleset, position } = case;
        if !ruleset.class().king_is_royal() {
            return Ok(());
        }
        for mv in case.legal_moves() {
            let after = case.after(mv);
            let text = fen::write_position(&after.position);
            prop_assert!(fen::parse(&text, ruleset).is_ok(), "{} {}", mv, text);
        }
        let Ok(free) = fen::parse(&fen::write_position(&position), Ruleset::Joint) else {
            return Ok(());
        };
        let free = *free.game.position();
        let safe = |mv: &Move| {
            let text = fen::write_position(&free.after(*mv, Ruleset::Joint));
            mv.promotion() != Some(Role::King) && fen::parse(&text, ruleset).is_ok()
        };
        let captures: Vec<Move> = legal_moves(&free, Ruleset::Joint).into_iter()
            .filter(|mv| free.is_capture(*mv) && safe(mv))
            .collect();
        if !captures.is_empty() && position.men(Color::White).count() > 1
            && position.men(Color::Black).count() > 1 {
            prop_assert_eq!(sorted(captures), sorted(case.legal_moves().to_vec()));
        }
    }

    /// Rule J1, on which proofs for both rulesets rest.
    #[test]
    fn joint_is_won_exactly_when_both_others_are(Case { ruleset, position } in any_case()) {
        if ruleset.class() != Class::Antichess {
            return Ok(());
        }
        let [international, fics, joint] =
            [Ruleset::International, Ruleset::Fics, Ruleset::Joint].map(|r| r.outcome(&position).winner());
        prop_assert_eq!(joint, international.filter(|_| international == fics));
    }

    #[test]
    fn a_dead_position_stays_dead(case in any_case()) {
        if case.ruleset.is_dead(&case.position) {
            for mv in case.legal_moves() {
                let after = case.after(mv).position;
                prop_assert!(case.ruleset.is_dead(&after));
                prop_assert_eq!(case.ruleset.outcome(&after), Outcome::Ongoing);
            }
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(
        text in prop_oneof![".*", "[a-h1-8KQRBNPkqrbnpxO0=+#!?/ -]{0,12}"],
        Case { ruleset, position } in any_case(),
    ) {
        let mut game = Game::from_position(position, ruleset);
        let _ = fen::parse(&text, ruleset);
        let _ = fen::parse(&format!("{text} w - - 0 1"), ruleset);
        let _ = fen::parse(&format!("8/8/8/8/8/8/8/K7 w {text}"), ruleset);
        let _ = Move::parse_uci(&text);
        let _ = Square::parse(&text);
        let _ = line::play(game.clone(), &text);
        let _ = text.parse::<Ruleset>().map_err(|error| error.to_string());
        let _ = text.parse::<Color>().map_err(|error| error.to_string());
        if let Ok(mv) = game.play_text(&text) {
            prop_assert!(canonical_moves(&position, ruleset).contains(&mv));
        }
    }

    #[test]
    fn a_damaged_fen_is_refused_or_gives_a_playable_position((ruleset, text) in damaged_fen()) {
        if let Ok(read) = fen::parse(&text, ruleset) {
            let _ = perft::perft(read.game.position(), 2, ruleset);
            let again = fen::parse(&fen::write(&read.game), ruleset).expect("a FEN that was written");
            prop_assert_eq!(again.game.position(), read.game.position());
        }
    }
}
