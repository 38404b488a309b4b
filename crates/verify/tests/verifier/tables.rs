//! Proofs that rest on endgame tables: what is assumed is listed, what is not won is a defect.

use takeme_verify::{
    Choice, Claim, Color, Kind, MAX_PLIES, NoTables, Options, Position, Reason, Rejection, Ruleset,
    TableAnswer, TableId, Tables, Verdict, legal_moves, verify, verify_certificate,
};

use crate::support::{Book, Draft, claim, play_line, position, rejected, uci, verified};

/// One table, for positions with the given men whichever side has them, that gives one answer for all of them.
struct OneTable {
    id: Option<TableId>,
    men: [Vec<Kind>; 2],
    answer: TableAnswer,
    probes: u64,
}

impl OneTable {
    fn new(name: &str, men: [&[Kind]; 2], answer: TableAnswer) -> Self {
        let id = Some(TableId {
            name: name.to_owned(),
            sha256: [0xAB; 32],
        });
        Self {
            id,
            men: men.map(<[Kind]>::to_vec),
            answer,
            probes: 0,
        }
    }

    fn covers(&self, position: &Position) -> bool {
        let men = |color| {
            let mut kinds: Vec<Kind> = (0..64)
                .filter_map(|square| position.piece_at(square))
                .filter(|man| man.0 == color)
                .map(|man| man.1)
                .collect();
            kinds.sort_unstable();
            kinds
        };
        let [first, second] = &self.men;
        let (white, black) = (men(Color::White), men(Color::Black));
        (&white, &black) == (first, second) || (&white, &black) == (second, first)
    }
}

impl Tables for OneTable {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        self.probes += 1;
        if self.covers(position) {
            self.answer.clone()
        } else {
            TableAnswer::NotCovered
        }
    }

    fn table(&self, position: &Position) -> Option<&TableId> {
        self.id.as_ref().filter(|_| self.covers(position))
    }
}

/// White promotes; Black's pawn then faces one man, so every line ends in the table.
const ROOT: &str = "8/P7/8/7p/8/8/8/8 w - -";

fn rook_v_pawn(answer: TableAnswer) -> OneTable {
    OneTable::new("RvP", [&[Kind::Rook], &[Kind::Pawn]], answer)
}

const fn won(winner: Color, plies: u32) -> TableAnswer {
    TableAnswer::Won { winner, plies }
}

fn root_and_book() -> (Claim, Book) {
    let claim = claim(Ruleset::Joint, ROOT, Color::White);
    (claim, Book::default().with(position(ROOT), "a7a8r"))
}

fn check(tables: &mut OneTable) -> Verdict {
    let (claim, mut book) = root_and_book();
    verify(&claim, &mut book, tables, &Options::default())
}

#[test]
fn a_table_win_is_an_end_and_is_listed() {
    let mut tables = rook_v_pawn(won(Color::White, 4));
    let verified = verified(check(&mut tables));
    assert_eq!((verified.positions, verified.plies), (1, 1 + 4));
    assert_eq!(
        verified.assumptions,
        [format!("table RvP (sha256 {})", "ab".repeat(32))]
    );
    let message = verified.to_string();
    assert!(
        message.starts_with("1 position, 5 plies, assuming table RvP (sha256 abab"),
        "{message}"
    );
}

/// A table whose values are for a ruleset.
struct Under(Ruleset, OneTable);

impl Tables for Under {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        self.1.probe(position)
    }

    fn table(&self, position: &Position) -> Option<&TableId> {
        self.1.table(position)
    }

    fn ruleset(&self) -> Option<Ruleset> {
        Some(self.0)
    }
}

#[test]
fn a_table_serves_its_own_ruleset_alone() {
    // In the first three only the stalemate rule differs.
    for ruleset in [Ruleset::International, Ruleset::Fics, Ruleset::Joint] {
        let claim = claim(ruleset, ROOT, Color::White);
        for other in Ruleset::ALL {
            let mut book = Book::default().with(claim.root, "a7a8r");
            let mut tables = Under(other, rook_v_pawn(won(Color::White, 4)));
            let verdict = verify(&claim, &mut book, &mut tables, &Options::default());
            if other == ruleset {
                assert_eq!(verified(verdict).plies, 5);
            } else {
                let reason = Reason::TablesOfAnotherRuleset(other);
                assert_eq!(rejected(verdict).reason, reason, "{ruleset}");
            }
        }
    }
}

#[test]
fn a_table_covers_a_root_too_with_either_side_to_move() {
    for fen in ["R7/8/8/7p/8/8/8/8 w - -", "R7/8/8/7p/8/8/8/8 b - -"] {
        let claim = claim(Ruleset::Joint, fen, Color::White);
        let mut tables = rook_v_pawn(won(Color::White, 4));
        let verified = verified(verify(
            &claim,
            &mut Book::default(),
            &mut tables,
            &Options::default(),
        ));
        assert_eq!(
            (
                verified.positions,
                verified.plies,
                verified.assumptions.len()
            ),
            (0, 4, 1)
        );
    }
}

#[test]
fn a_table_that_does_not_give_a_win_is_a_defect() {
    for (answer, reason) in [
        (
            won(Color::Black, 4),
            Reason::TableNotWon {
                winner: Some(Color::Black),
            },
        ),
        (TableAnswer::NotWon, Reason::TableNotWon { winner: None }),
        (
            TableAnswer::Missing("RvP".to_owned()),
            Reason::MissingTable("RvP".to_owned()),
        ),
    ] {
        let rejection = rejected(check(&mut rook_v_pawn(answer)));
        assert_eq!(
            (rejection.reason, uci(&rejection.path)),
            (reason, "a7a8r".to_owned())
        );
    }
}

#[test]
fn a_table_without_a_name_proves_nothing() {
    let mut tables = OneTable {
        id: None,
        ..rook_v_pawn(won(Color::White, 4))
    };
    assert_eq!(rejected(check(&mut tables)).reason, Reason::NamelessTable);
}

#[test]
fn a_position_that_no_table_covers_goes_on() {
    let mut tables = OneTable::new("QvP", [&[Kind::Queen], &[Kind::Pawn]], won(Color::White, 4));
    let rejection = rejected(check(&mut tables));
    assert_eq!(
        (rejection.reason, uci(&rejection.path)),
        (Reason::MissingMove, "a7a8r h5h4".to_owned())
    );
}

#[test]
fn a_game_end_is_judged_by_the_rules_and_not_by_a_table() {
    // White is stalemated with the men of the table: a draw, whatever the table says.
    let claim = claim(Ruleset::Joint, "8/8/8/5p2/5P2/8/8/8 w - -", Color::White);
    let mut tables = OneTable::new("PvP", [&[Kind::Pawn], &[Kind::Pawn]], won(Color::White, 4));
    let rejection = rejected(verify(
        &claim,
        &mut Book::default(),
        &mut tables,
        &Options::default(),
    ));
    assert_eq!(rejection.reason, Reason::DrawnEnd);
    assert_eq!(tables.probes, 0);
}

/// Black promotes. White answers a king's, queen's, bishop's or knight's with a step in front of it and is taken: three plies in all. Only
/// the rook, which comes in the middle of the canonical order, cannot be made to take, and is left to the table.
const THREE_PLIES_OR_A_TABLE: &str = "8/8/8/8/8/5K2/7p/8 b - -";

fn king_v_rook(plies: u32) -> OneTable {
    OneTable::new(
        "KvR",
        [&[Kind::King], &[Kind::Rook]],
        won(Color::White, plies),
    )
}

/// White's answers in replay order, with the promotions that they answer.
const ANSWERS: [(&str, &str); 4] = [
    ("h2h1n", "f3g3"),
    ("h2h1b", "f3e4"),
    ("h2h1q", "f3e4"),
    ("h2h1k", "f3g2"),
];

#[test]
fn the_plies_of_a_table_count_in_the_longest_line() {
    let claim = claim(Ruleset::Joint, THREE_PLIES_OR_A_TABLE, Color::White);
    let mut book = Book::default();
    for (promotion, answer) in ANSWERS {
        book = book.with(play_line(claim.root, promotion), answer);
    }
    for (table, longest) in [(0, 3), (1, 3), (2, 3), (3, 4), (4, 5), (40, 41)] {
        let mut tables = king_v_rook(table);
        let verified = verified(verify(&claim, &mut book, &mut tables, &Options::default()));
        assert_eq!((verified.positions, verified.plies), (4, longest));
    }
}

#[test]
fn a_certificate_states_the_longest_line_with_the_plies_of_its_tables() {
    let root = position(THREE_PLIES_OR_A_TABLE);
    let choices = ANSWERS.map(|(promotion, answer)| {
        let legal = legal_moves(&play_line(root, promotion));
        let index = legal.iter().position(|mv| mv.to_uci() == answer);
        u8::try_from(index.unwrap()).unwrap()
    });
    let draft = |plies| Draft {
        positions: 4,
        plies,
        fen: THREE_PLIES_OR_A_TABLE.as_bytes().to_vec(),
        choices: choices.to_vec(),
        ..certificate(&["RvK"])
    };
    for (table, found) in [(1, 3), (40, 41)] {
        let mut tables = king_v_rook(table);
        assert_eq!(verified(replay(&draft(found), &mut tables)).plies, found);
        // 3 is the longest line where the table's plies are left out.
        for stated in [0, 1, 3, 4, 40, 41, 42] {
            if stated != found {
                assert_eq!(
                    refusal(&draft(stated), &mut tables).reason,
                    Reason::WrongPlies { stated, found }
                );
            }
        }
    }
}

#[test]
fn the_plies_of_a_table_can_make_a_line_too_long() {
    let most = u32::from(MAX_PLIES);
    let longest = verified(check(&mut rook_v_pawn(won(Color::White, most - 1))));
    assert_eq!(longest.plies, most);
    for (plies, path) in [(most, ""), (most + 1, "a7a8r"), (u32::MAX, "a7a8r")] {
        let rejection = rejected(check(&mut rook_v_pawn(won(Color::White, plies))));
        assert_eq!(
            (rejection.reason, rejection.defects, uci(&rejection.path)),
            (Reason::LineTooLong, 1, path.to_owned())
        );
    }
}

/// The certificate of the root above that leaves a rook and a pawn to tables, which lists tables by name.
fn certificate(names: &[&str]) -> Draft {
    let (claim, book) = root_and_book();
    let after = play_line(claim.root, "a7a8r");
    // Written by hand, because the writer knows no tables: the rook promotion is the third move.
    assert_eq!(book.moves[&claim.root].to_uci(), "a7a8r");
    assert_eq!(after.side_to_move(), Color::Black);
    Draft {
        version: 1,
        ruleset: Ruleset::Joint.code(),
        winner: 0,
        positions: 1,
        plies: 1 + 4,
        fen: ROOT.as_bytes().to_vec(),
        tables: names
            .iter()
            .map(|name| (name.as_bytes().to_vec(), [0xAB; 32]))
            .collect(),
        choices: vec![2],
    }
}

fn replay(draft: &Draft, tables: &mut OneTable) -> Verdict {
    verify_certificate(&draft.bytes(), tables, &Options::default()).unwrap()
}

fn refusal(draft: &Draft, tables: &mut OneTable) -> Rejection {
    rejected(replay(draft, tables))
}

#[test]
fn a_certificate_may_rest_on_a_table_that_it_lists() {
    for name in ["RvP", "PvR"] {
        let mut tables = rook_v_pawn(won(Color::White, 4));
        let verified = verified(replay(&certificate(&["KvK", name, "RRRRvN"]), &mut tables));
        assert_eq!(
            verified.assumptions,
            [format!("table {name} (sha256 {})", "ab".repeat(32))]
        );
    }
}

#[test]
fn a_certificate_may_not_rest_on_a_table_that_it_does_not_list() {
    for names in [&[][..], &["KvP"], &["RvPP"]] {
        let mut tables = rook_v_pawn(won(Color::White, 4));
        let rejection = refusal(&certificate(names), &mut tables);
        assert_eq!(
            (rejection.reason, uci(&rejection.path)),
            (Reason::MissingMove, "a7a8r h5h4".to_owned())
        );
        assert_eq!(tables.probes, 0);
    }
}

#[test]
fn a_listed_table_must_be_at_hand_with_the_same_hash() {
    let hash = "ab".repeat(32);
    let draft = certificate(&["RvP"]);
    let rejection =
        rejected(verify_certificate(&draft.bytes(), &mut NoTables, &Options::default()).unwrap());
    assert_eq!(
        rejection.reason,
        Reason::MissingTable(format!("table RvP (sha256 {hash})"))
    );
    assert_eq!(
        rejection.to_string(),
        format!(
            "the line needs table RvP (sha256 {hash}), which is not at hand, after a7a8r (first defect)"
        )
    );
    let mut other = rook_v_pawn(won(Color::White, 4));
    other.id = Some(TableId {
        name: "RvP".to_owned(),
        sha256: [0xCD; 32],
    });
    let rejection = refusal(&draft, &mut other);
    let both = format!(
        "table RvP (sha256 {hash}); at hand is table RvP (sha256 {})",
        "cd".repeat(32)
    );
    assert_eq!(rejection.reason, Reason::MissingTable(both));
}

#[test]
fn a_listed_table_that_has_no_answer_is_missing() {
    let mut silent = rook_v_pawn(TableAnswer::NotCovered);
    assert!(matches!(
        refusal(&certificate(&["RvP"]), &mut silent).reason,
        Reason::MissingTable(_)
    ));
}

#[test]
fn a_listed_table_that_does_not_give_a_win_is_a_defect() {
    let mut drawn = rook_v_pawn(TableAnswer::NotWon);
    assert_eq!(
        refusal(&certificate(&["RvP"]), &mut drawn).reason,
        Reason::TableNotWon { winner: None }
    );
}

#[test]
fn a_choice_for_a_position_that_a_listed_table_covers_is_left_over() {
    let mut draft = certificate(&["RvP"]);
    draft.choices = vec![2, 0];
    let mut tables = rook_v_pawn(won(Color::White, 4));
    assert_eq!(
        refusal(&draft, &mut tables).reason,
        Reason::LeftOverChoices(1)
    );
}

#[test]
fn an_index_is_read_for_the_root() {
    let mut draft = certificate(&["RvP"]);
    draft.choices = vec![5];
    let mut tables = rook_v_pawn(won(Color::White, 4));
    let choice = Choice::Index(5);
    assert_eq!(
        refusal(&draft, &mut tables).reason,
        Reason::IllegalMove { choice, legal: 5 }
    );
}

/// A table of one position.
struct OnePosition {
    position: Position,
    id: TableId,
}

impl Tables for OnePosition {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        if *position == self.position {
            won(Color::White, 7)
        } else {
            TableAnswer::NotCovered
        }
    }

    fn table(&self, position: &Position) -> Option<&TableId> {
        (*position == self.position).then_some(&self.id)
    }
}

#[test]
fn the_longest_line_may_lead_through_a_position_met_on_a_shorter_one() {
    // The pawn's double step comes first in canonical order and to h4 in two plies less.
    let claim = claim(Ruleset::Joint, "8/7p/8/8/3K4/8/8/8 b - -", Color::White);
    let mut book = Book::default();
    for line in ["h7h5 d4e4 h5h4 e4e3", "h7h6 d4d3 h6h5 d3e4 h5h4 e4e3"] {
        let mut position = claim.root;
        for uci in line.split(' ') {
            if position.side_to_move() == Color::White {
                book = book.with(position, uci);
            }
            position = play_line(position, uci);
        }
    }
    let mut tables = OnePosition {
        position: position("8/8/8/8/7p/4K3/8/8 b - -"),
        id: TableId {
            name: "KvP".to_owned(),
            sha256: [0xAB; 32],
        },
    };
    let options = Options::default();
    let verified = verified(verify(&claim, &mut book, &mut tables, &options));
    assert_eq!((verified.positions, verified.plies), (4, 6 + 7));
}
