//! Extinction chess.

use takeme_verify::{Color, Outcome, Position, Ruleset, legal_moves, outcome};

use crate::support::{Random, moves_under, mv, play_line, position_under};

const WHITE: Outcome = Outcome::Won(Color::White);
const BLACK: Outcome = Outcome::Won(Color::Black);

fn read(fen: &str) -> Position {
    position_under(Ruleset::Extinction, fen)
}

fn outcome_after(fen: &str, line: &str) -> Outcome {
    outcome(&play_line(read(fen), line), Ruleset::Extinction)
}

#[test]
fn no_capture_is_compulsory_and_no_king_royal() {
    let attacked = read("rnb1kbnr/pppp1ppp/8/8/4q3/8/PPPPQPPP/RNB1KBNR w KQkq -");
    // The queen may capture the last black queen, or not; the king may step beside it.
    for legal in ["e2e4", "e2e3", "e1d1", "a2a3"] {
        assert!(attacked.play(mv(legal)).is_some(), "{legal}");
    }
    let beside = read("1nqrb3/p7/8/4k3/8/4K3/P7/1NQRB3 w - -");
    assert!(beside.play(mv("e3e4")).is_some());
    assert_eq!(
        outcome(&beside.play(mv("e3e4")).unwrap(), Ruleset::Extinction),
        Outcome::Ongoing
    );
}

#[test]
fn a_side_that_lacks_any_kind_has_lost() {
    let ranks = ["1NBQK3", "R1BQK3", "RN1QK3", "RNB1K3", "RNBQ4"];
    for side in ["w", "b"] {
        let mut rows = vec![
            (
                format!("rnbqk3/p7/8/8/8/8/P7/RNBQK3 {side} - -"),
                Outcome::Ongoing,
            ),
            (format!("rnbqk3/p7/8/8/8/8/8/RNBQK3 {side} - -"), BLACK),
            (format!("rnbqk3/8/8/8/8/8/P7/RNBQK3 {side} - -"), WHITE),
        ];
        for rank in ranks {
            let lower = rank.to_lowercase();
            rows.push((format!("rnbqk3/p7/8/8/8/8/P7/{rank} {side} - -"), BLACK));
            rows.push((format!("{lower}/p7/8/8/8/8/P7/RNBQK3 {side} - -"), WHITE));
        }
        for (fen, expected) in rows {
            assert_eq!(outcome_after(&fen, ""), expected, "{fen}");
            let has_moves = !moves_under(Ruleset::Extinction, &fen).is_empty();
            assert_eq!(has_moves, expected == Outcome::Ongoing, "{fen}");
        }
    }
}

#[test]
fn the_last_mover_wins_when_both_sides_lack_a_kind() {
    // Choice X1: the last white pawn captures the last black bishop and promotes.
    let before = "2b1k2r/1P1p1n2/8/8/3q4/8/8/RNBQK3 w Q -";
    for promotion in ["b7c8n", "b7c8b", "b7c8r", "b7c8q", "b7c8k"] {
        assert_eq!(outcome_after(before, promotion), WHITE, "{promotion}");
    }
    let black = "rnbqk3/8/8/3Q4/8/8/1p1P1N2/2B1K2R b q -";
    assert_eq!(outcome_after(black, "b2c1q"), BLACK);
    // As a set-up the side to move has lost.
    assert_eq!(
        outcome_after("2Q1k2r/3p1n2/8/8/3q4/8/8/RNBQK3 w - -", ""),
        BLACK
    );
    assert_eq!(
        outcome_after("2Q1k2r/3p1n2/8/8/3q4/8/8/RNBQK3 b - -", ""),
        WHITE
    );
}

#[test]
fn whose_last_pawn_promotes_loses_unless_a_kind_of_the_other_side_goes() {
    // Choice X2.
    let before = "2b1k2r/1P1p1n2/8/8/3q4/8/8/RNBQK3 w Q -";
    for promotion in ["b7b8n", "b7b8b", "b7b8r", "b7b8q", "b7b8k"] {
        assert_eq!(outcome_after(before, promotion), BLACK, "{promotion}");
    }
    // Nor does it help to take one bishop of two.
    assert_eq!(
        outcome_after("2b1k2r/1P1p1n2/4b3/8/3q4/8/8/RNBQK3 w Q -", "b7c8q"),
        BLACK
    );
    // With a pawn left the game goes on.
    assert_eq!(
        outcome_after("2b1k2r/1P1p1n2/8/8/3q4/8/P7/RNBQK3 w Q -", "b7b8q"),
        Outcome::Ongoing
    );
}

#[test]
fn kings_are_a_kind_like_any_other() {
    let promotion = "2b1k2r/1P1p1n2/8/8/3q4/8/P7/RNBQK3 w Q -";
    assert_eq!(
        moves_under(Ruleset::Extinction, promotion)
            .split(' ')
            .filter(|mv| mv.starts_with("b7"))
            .collect::<Vec<_>>(),
        [
            "b7b8n", "b7b8b", "b7b8r", "b7b8q", "b7b8k", "b7c8n", "b7c8b", "b7c8r", "b7c8q",
            "b7c8k"
        ]
    );
    // One king of two may go, the last one not.
    let two = "1nqrb1k1/p7/8/4k3/8/4K3/P7/1NQRB3 w - -";
    let one = "1nqrb3/p7/8/8/4k3/4K3/P7/1NQRB3 w - -";
    assert_eq!(
        outcome_after(&two.replace("8/4k3/8/", "8/8/4k3/"), "e3e4"),
        Outcome::Ongoing
    );
    assert_eq!(outcome_after(one, "e3e4"), WHITE);
    assert_eq!(outcome_after(&one.replace(" w ", " b "), "e4e3"), BLACK);
}

#[test]
fn a_stalemate_is_drawn() {
    // Choice X4.
    let stalemate = "b3k3/8/p4p1q/1pr1pPpP/3r1pBb/n3pPRP/p1n1P1PQ/6NK w - -";
    assert_eq!(moves_under(Ruleset::Extinction, stalemate), "");
    assert_eq!(outcome_after(stalemate, ""), Outcome::Drawn);
    let running = stalemate.replace(" w ", " b ");
    assert_eq!(outcome_after(&running, ""), Outcome::Ongoing);
}

#[test]
fn en_passant_is_a_choice_where_the_game_goes_on() {
    let fen = "rnbqk3/8/8/8/2pPp3/8/8/RNBQK3 b - d3";
    assert_eq!(outcome_after(fen, ""), Outcome::Ongoing);
    let moves = moves_under(Ruleset::Extinction, fen);
    for legal in ["c4d3", "e4d3", "c4c3", "e8e7"] {
        assert!(moves.split(' ').any(|mv| mv == legal), "{legal}");
    }
    assert_eq!(read(fen).fen(), fen);
    // The captured pawn was White's last.
    assert_eq!(outcome_after(fen, "c4d3"), BLACK);
    // In a decided position no capture is legal, so that the square does not count.
    for missing in ["1nbqk3", "r1bqk3", "rn1qk3", "rnb1k3", "rnbq4"] {
        let decided = fen.replace("rnbqk3", missing);
        assert_eq!(read(&decided).en_passant(), None, "{decided}");
        let white = fen.replace("RNBQK3", &missing.to_uppercase());
        assert_eq!(read(&white).en_passant(), None, "{white}");
        assert_eq!(read(&white), read(&white.replace("d3", "-")));
    }
    // A king that is attacked, or that the capture would uncover, is no hindrance.
    let pinned = "rnbq4/8/8/8/k2Pp2R/8/8/1NBQK3 b - d3";
    assert_eq!(read(pinned).en_passant(), Some(19));
}

#[test]
fn random_games_keep_every_position_whole() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut random = Random::new(22);
    let mut castles = 0;
    for _ in 0..200 {
        let mut current = read(start);
        for _ in 0..200 {
            let legal = legal_moves(&current);
            if legal.is_empty() {
                assert_ne!(outcome(&current, Ruleset::Extinction), Outcome::Ongoing);
                break;
            }
            // Castles are taken as soon as they are offered, or random play would seldom come to one.
            let castle = legal.iter().find(|mv| {
                let uci = mv.to_uci();
                let king = matches!(
                    current.piece_at(mv.origin),
                    Some((_, takeme_verify::Kind::King))
                );
                king && ["e1g1", "e1c1", "e8g8", "e8c8"].contains(&uci.as_str())
            });
            castles += u32::from(castle.is_some());
            let mv = castle.copied().unwrap_or(legal[random.below(legal.len())]);
            current = current.play(mv).unwrap();
            assert_eq!(read(&current.fen()), current);
        }
    }
    assert!(castles > 10, "{castles} castles");
}
