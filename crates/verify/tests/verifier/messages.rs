//! Every message: lower case, no full stop, one line.

use takeme_verify::{
    CertificateError, CheckError, Choice, Color, Counts, Defect, FenError, ListError, Reason,
    Ruleset, StrategyError, TableError, TableId, TableValue,
};

use crate::support::mv;

#[test]
fn one_is_counted_in_the_singular() {
    let choice = Choice::Index(3);
    let wrong_count = |stated| Reason::WrongPositionsCount { stated, found: 3 };
    let wrong_plies = |stated| Reason::WrongPlies { stated, found: 3 };
    for (reason, message) in [
        (
            Reason::IllegalMove { choice, legal: 1 },
            "move number 3 is not the only legal move",
        ),
        (Reason::LeftOverChoices(1), "1 byte of choices is left over"),
        (
            Reason::LeftOverChoices(2),
            "2 bytes of choices are left over",
        ),
        (
            wrong_count(1),
            "1 position is stated, but the strategy has 3",
        ),
        (
            wrong_count(2),
            "2 positions are stated, but the strategy has 3",
        ),
        (
            wrong_plies(1),
            "1 ply is stated, but the longest line has 3",
        ),
        (
            wrong_plies(2),
            "2 plies are stated, but the longest line has 3",
        ),
    ] {
        assert_eq!(reason.to_string(), message);
    }
    for (message, expected) in [
        (
            CertificateError::TrailingBytes(1).to_string(),
            "1 byte follows the checksum",
        ),
        (
            CertificateError::TrailingBytes(2).to_string(),
            "2 bytes follow the checksum",
        ),
        (
            TableError::TrailingBytes(1).to_string(),
            "1 byte follows the last block",
        ),
        (
            TableError::TrailingBytes(2).to_string(),
            "2 bytes follow the last block",
        ),
        (
            StrategyError::LeftOver(1).to_string(),
            "1 choice is left over",
        ),
        (
            StrategyError::LeftOver(2).to_string(),
            "2 choices are left over",
        ),
    ] {
        assert_eq!(message, expected);
    }
}

#[test]
fn messages_are_lower_case_without_a_full_stop() {
    let text = String::new;
    let table = TableId {
        name: "KRvN".to_owned(),
        sha256: [1; 32],
    };
    let fen = [
        FenError::FieldCount(3),
        FenError::Placement("7 ranks, expected 8".to_owned()),
        FenError::TooManyMen(Color::White),
        FenError::TooManyPawns(Color::Black),
        FenError::PawnOnEdge("a8".to_owned()),
        FenError::NoMen,
        FenError::KingCount {
            color: Color::White,
            count: 2,
        },
        FenError::BareKings,
        FenError::OpponentInCheck(Color::Black),
        FenError::SideToMove(text()),
        FenError::Castling(text()),
        FenError::EnPassant {
            field: text(),
            problem: "is not - or a square",
        },
        FenError::HalfmoveClock(text()),
        FenError::MoveNumber(text()),
    ];
    let certificate = [
        CertificateError::NotACertificate,
        CertificateError::Compressed,
        CertificateError::UnsupportedVersion(2),
        CertificateError::Truncated("the magic"),
        CertificateError::TrailingBytes(1),
        CertificateError::Checksum {
            stated: 1,
            found: 2,
        },
        CertificateError::UnknownRuleset(7),
        CertificateError::UnknownWinner(2),
        CertificateError::RootNotAscii,
        CertificateError::Root(FenError::NoMen),
        CertificateError::RootNotCanonical { canonical: text() },
        CertificateError::TableName(text()),
        CertificateError::TableTwice("KRvN".to_owned()),
    ];
    let reasons = [
        Reason::RootOfAnotherRuleset,
        Reason::TablesOfAnotherRuleset(Ruleset::Joint),
        Reason::MissingMove,
        Reason::IllegalMove {
            choice: Choice::Move(mv("e2e4")),
            legal: 3,
        },
        Reason::IllegalMove {
            choice: Choice::Index(300),
            legal: 3,
        },
        Reason::Loop,
        Reason::LostEnd,
        Reason::DrawnEnd,
        Reason::TableNotWon { winner: None },
        Reason::TableNotWon {
            winner: Some(Color::Black),
        },
        Reason::MissingTable(table.to_string()),
        Reason::NamelessTable,
        Reason::LineTooLong,
        Reason::LeftOverChoices(2),
        Reason::WrongPositionsCount {
            stated: 1,
            found: 2,
        },
        Reason::WrongPlies {
            stated: 1,
            found: 2,
        },
    ];
    let strategy = [
        StrategyError::Damaged("page 3 is cut".to_owned()),
        StrategyError::LeftOver(1),
    ];
    let list = [ListError::Name(text()), ListError::Twice("KRvN".to_owned())];
    check(&list);
    check(&fen);
    check(&certificate);
    check(&reasons);
    check(&strategy);
}

#[test]
fn messages_about_tables_are_lower_case_without_a_full_stop() {
    let text = String::new;
    check(&[
        TableError::NotAMaterial(text()),
        TableError::NoTables(Ruleset::Variant3),
        TableError::NotATable,
        TableError::UnsupportedVersion(2),
        TableError::Truncated("the magic"),
        TableError::TrailingBytes(1),
        TableError::HeaderChecksum {
            stated: 1,
            found: 2,
        },
        TableError::UnknownRuleset(7),
        TableError::OtherRuleset {
            stated: Ruleset::Fics,
            expected: Ruleset::Joint,
        },
        TableError::UnknownMetric(2),
        TableError::OtherMaterial {
            stated: text(),
            expected: "KvK".to_owned(),
        },
        TableError::Field {
            field: "the number of sides",
            stated: 3,
            expected: "2".to_owned(),
        },
        TableError::Dictionary {
            entry: 4,
            problem: "has an unknown kind",
        },
        TableError::Block {
            side: Color::Black,
            number: 3,
            problem: "is cut".to_owned(),
        },
    ]);
    let defect = Defect {
        fen: "k7/8/8/8/8/8/8/K7 w - -".to_owned(),
        stated: TableValue::Win {
            plies: 1,
            spoiled: true,
        },
        right: TableValue::Draw,
    };
    let wrong = |defects| CheckError::Wrong {
        first: defect.clone(),
        defects,
    };
    // The position's own spelling comes first.
    for message in [
        wrong(1),
        wrong(2),
        CheckError::Damaged(TableError::NotATable),
    ] {
        assert!(!message.to_string().ends_with('.'));
    }
    assert_eq!(
        wrong(2).to_string(),
        "k7/8/8/8/8/8/8/K7 w - - is stated as win in 1 ply, spoiled by the fifty-move rule, but is draw (first of 2 wrong values)"
    );
    check(&[
        CheckError::MissingTable("KvK".to_owned()),
        CheckError::Counts {
            side: Color::White,
            stated: Counts::default(),
            found: Counts::default(),
        },
        CheckError::NoValue(text()),
        CheckError::Interrupted,
    ]);
}

fn check<M: ToString>(messages: &[M]) {
    let mut messages: Vec<String> = messages.iter().map(ToString::to_string).collect();
    for message in &messages {
        let start = message.trim_start_matches("FEN");
        assert!(!start.starts_with(char::is_uppercase), "{message}");
        assert!(
            !message.ends_with('.') && !message.contains('\n') && message.len() > 5,
            "{message}"
        );
    }
    let count = messages.len();
    messages.sort();
    messages.dedup();
    assert_eq!(messages.len(), count, "two variants have one message");
}
