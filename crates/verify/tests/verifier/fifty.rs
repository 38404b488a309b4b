//! The fifty-move rule: the longest run without a capture or a pawn move, and whether it draws the game.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use takeme_verify::{
    Choice, Claim, Color, FiftyMoves, Kind, Listed, Move, NoTables, Options, Outcome, Position,
    Ruleset, Strategy, StrategyError, TableAnswer, TableId, Tables, Verdict, Verified, legal_moves,
    outcome, verify,
};

use crate::support::{
    Book, Draft, EN_PASSANT, KING_V_PAWN, PAWN_RACE, Random, Solver, claim, mv, play_line, uci,
    verified,
};

const FIFTY: Options<'_> = Options {
    progress: None,
    interval: 0,
    max_defects: u64::MAX,
    fifty: true,
};

fn fifty_of<S: Strategy, T: Tables>(claim: &Claim, strategy: &mut S, tables: &mut T) -> FiftyMoves {
    let verified = verified(verify(claim, strategy, tables, &FIFTY));
    verified.fifty.expect("it was asked for")
}

fn is_quiet(position: &Position, mv: Move) -> bool {
    let is_pawn = matches!(position.piece_at(mv.origin), Some((_, Kind::Pawn)));
    !is_pawn && position.piece_at(mv.destination).is_none()
}

/// The longest run and whether a game is drawn by the rule, by playing every path with a clock.
fn by_clock<S: Strategy>(claim: &Claim, strategy: &mut S) -> (u32, bool) {
    let mut met = HashSet::new();
    let mut open = vec![(claim.root, 0)];
    let (mut longest, mut is_drawn) = (0, false);
    while let Some((position, clock)) = open.pop() {
        longest = longest.max(clock);
        if outcome(&position, claim.ruleset) != Outcome::Ongoing || !met.insert((position, clock)) {
            continue;
        }
        is_drawn |= clock >= 100;
        let legal = legal_moves(&position);
        let tried = if position.side_to_move() == claim.winner {
            match strategy.choose(&position, &legal).unwrap() {
                Choice::Move(mv) => vec![mv],
                other => panic!("{other} in {}", position.fen()),
            }
        } else {
            legal
        };
        for mv in tried {
            let clock = if is_quiet(&position, mv) {
                clock + 1
            } else {
                0
            };
            open.push((position.play_unchecked(mv), clock));
        }
    }
    (longest, is_drawn)
}

/// The longest run on the path of the first or the last reply each time.
fn on_one_path(claim: &Claim, book: &mut Book, last: bool) -> u32 {
    let (mut position, mut clock, mut longest) = (claim.root, 0, 0);
    while outcome(&position, claim.ruleset) == Outcome::Ongoing {
        let legal = legal_moves(&position);
        let reply = if last { legal.last() } else { legal.first() };
        let mv = match book.moves.get(&position) {
            Some(&mv) if position.side_to_move() == claim.winner => mv,
            _ => *reply.unwrap(),
        };
        clock = if is_quiet(&position, mv) {
            clock + 1
        } else {
            0
        };
        longest = longest.max(clock);
        position = position.play_unchecked(mv);
    }
    longest
}

/// A closed walk of 25 squares from d4, to none of which a man of Black's in [`locked`] is near.
const WALK: [&str; 25] = [
    "d4", "e4", "f4", "g4", "h4", "h3", "g3", "f3", "e3", "e2", "f2", "g2", "h2", "h1", "g1", "f1",
    "e1", "d1", "c1", "b1", "a1", "a2", "a3", "b3", "c4",
];

/// White's king walks while Black can only move the bishop between b8 and a7; at last it goes to c5, and all is captured.
///
/// The walk is odd and the bishop's is even, so two rounds go through fifty different positions.
pub(crate) fn locked(root: &str, first: &str, king_moves: usize) -> (Claim, Book) {
    let claim = claim(Ruleset::Joint, root, Color::White);
    let mut book = Book::default();
    let mut position = claim.root;
    let mut play = |position: &mut Position, uci: &str| {
        assert!(book.moves.insert(*position, mv(uci)).is_none(), "a loop");
        *position = play_line(*position, uci);
    };
    let reply = |position: &mut Position| {
        let legal = legal_moves(position);
        assert_eq!(legal.len(), 1, "{}", position.fen());
        *position = position.play_unchecked(legal[0]);
    };
    if !first.is_empty() {
        play(&mut position, first);
    }
    if position.side_to_move() == Color::Black {
        reply(&mut position);
    }
    let squares = WALK.iter().cycle();
    for (from, to) in squares.clone().zip(squares.skip(1)).take(king_moves) {
        play(&mut position, &format!("{from}{to}"));
        reply(&mut position);
    }
    for uci in ["c4c5", "b5b6", "c6c7"] {
        play(&mut position, uci);
        reply(&mut position);
    }
    assert_eq!(
        outcome(&position, Ruleset::Joint),
        Outcome::Won(Color::White)
    );
    (claim, book)
}

#[test]
fn a_capture_on_the_hundredth_ply_is_in_time_and_one_on_the_next_is_not() {
    // The capture is Black's, of the king on c5.
    for (root, first, plies, holds, after) in [
        ("8/b1p5/1pP5/1P6/3K4/8/8/8 w - -", "", 99, true, ""),
        ("1b6/2p5/1pP5/1P6/3K4/8/8/8 b - -", "", 100, false, ""),
        (
            "1b6/2p5/1pP5/8/1P1K4/8/8/8 w - -",
            "b4b5",
            100,
            false,
            "b4b5",
        ),
    ] {
        let (claim, mut book) = locked(root, first, 49);
        assert_eq!(by_clock(&claim, &mut book), (plies, !holds), "{root}");
        let fifty = fifty_of(&claim, &mut book, &mut NoTables);
        assert_eq!(
            (fifty.longest_quiet_run, fifty.holds()),
            (plies, Some(holds))
        );
        assert_eq!((uci(&fifty.after).as_str(), fifty.unknown), (after, None));
    }
}

#[test]
fn the_verdict_without_the_rule_stays_and_the_second_one_is_told() {
    let (claim, mut book) = locked("1b6/2p5/1pP5/8/1P1K4/8/8/8 w - -", "b4b5", 49);
    let plain = verified(verify(
        &claim,
        &mut book,
        &mut NoTables,
        &Options::default(),
    ));
    assert_eq!(plain.fifty, None);
    let asked = verified(verify(&claim, &mut book, &mut NoTables, &FIFTY));
    assert_eq!(
        Verified {
            fifty: None,
            ..asked.clone()
        },
        plain
    );
    let message = asked.to_string();
    assert!(
        message.ends_with(
            "; under the fifty-move rule: no, 100 plies without capture or pawn move after b4b5"
        ),
        "{message}"
    );
    let (claim, mut book) = locked("8/b1p5/1pP5/1P6/3K4/8/8/8 w - -", "", 49);
    let message = fifty_of(&claim, &mut book, &mut NoTables).to_string();
    assert_eq!(
        message,
        "yes, longest run without capture or pawn move 99 plies"
    );
    let (claim, mut book) = locked("1b6/2p5/1pP5/1P6/3K4/8/8/8 b - -", "", 49);
    let message = fifty_of(&claim, &mut book, &mut NoTables).to_string();
    assert_eq!(
        message,
        "no, 100 plies without capture or pawn move from the root"
    );
}

/// A claim that is won in so many plies at most.
#[derive(Clone, Copy)]
struct Won {
    claim: Claim,
    plies: u32,
}

/// Claims that are won in few plies, on many paths that meet: kings, knights and pawns wherever chance puts them.
static CLAIMS: LazyLock<Vec<Won>> = LazyLock::new(|| {
    let mut random = Random::new(50);
    let mut claims: Vec<Won> = [
        (KING_V_PAWN, Color::White, 2),
        (PAWN_RACE, Color::White, 6),
        (EN_PASSANT, Color::Black, 4),
    ]
    .map(|(fen, winner, plies)| Won {
        claim: claim(Ruleset::Joint, fen, winner),
        plies,
    })
    .into();
    while claims.len() < 60 {
        let mut board = [['1'; 8]; 8];
        for letter in ["Nkp", "Kkn", "KPn", "NNk", "Npk"][random.below(5)].chars() {
            board[1 + random.below(6)][random.below(8)] = letter;
        }
        let ranks = board.map(|rank| rank.iter().collect::<String>());
        let men = (1..=8).rev().fold(ranks.join("/"), |men, empty: usize| {
            men.replace(&"1".repeat(empty), &empty.to_string())
        });
        let side = ["w", "b"][random.below(2)];
        let fen = format!("{men} {side} - -");
        let claim = claim(Ruleset::Joint, &fen, Color::White);
        let men = claim.root.men(Color::White) + claim.root.men(Color::Black);
        let plies = Solver::new(Ruleset::Joint, Color::White).plies(&claim.root, 7);
        if let Some(plies @ 4..) = plies
            && men == 3
        {
            claims.push(Won { claim, plies });
        }
    }
    claims
});

#[test]
fn the_longest_run_is_that_of_playing_every_path_with_a_clock() {
    let mut runs = HashSet::new();
    let mut first_or_last = [0, 0];
    for Won { claim, plies } in CLAIMS.iter().copied() {
        let mut book = Book::solve(&claim, plies);
        let verified = verified(verify(&claim, &mut book, &mut NoTables, &FIFTY));
        assert_eq!(verified.plies, Draft::of(&claim, &book).plies, "{claim}");
        let fifty = verified.fifty.unwrap();
        let (longest, is_drawn) = by_clock(&claim, &mut book);
        assert_eq!(fifty.longest_quiet_run, longest, "{claim}");
        assert_eq!(fifty.holds(), Some(!is_drawn));
        // The run starts where the moves say: it can be played from there.
        let start = Claim {
            root: play_line(claim.root, &uci(&fifty.after)),
            ..claim
        };
        assert_eq!(by_clock(&start, &mut book).0, longest, "{claim}");
        let last = fifty.after.split_last();
        assert!(last.is_none_or(|(&last, before)| {
            !is_quiet(&play_line(claim.root, &uci(before)), last)
        }));
        runs.insert((longest, fifty.after.is_empty()));
        for (misses, last) in first_or_last.iter_mut().zip([false, true]) {
            *misses += u32::from(on_one_path(&claim, &mut book, last) < longest);
        }
    }
    assert!(runs.len() >= 5, "{runs:?}");
    // Neither the first reply nor the last leads to the longest run each time.
    assert!(
        first_or_last.iter().all(|&misses| misses > 0),
        "{first_or_last:?}"
    );
}

/// Tables of at most so many men, whose values are looked for when they are asked.
struct Solved {
    men: u8,
    solver: Solver,
    winner: Color,
    id: TableId,
    /// The plies that are added to each value with the winner to move: a lie.
    added: u32,
    /// What is not at hand: positions with so many men.
    missing: u8,
}

impl Solved {
    fn new(claim: &Claim, men: u8) -> Self {
        Self {
            men,
            solver: Solver::new(claim.ruleset, claim.winner),
            winner: claim.winner,
            id: TableId {
                name: "NvK".to_owned(),
                sha256: [1; 32],
            },
            added: 0,
            missing: 0,
        }
    }

    fn covers(&self, position: &Position) -> bool {
        position.men(Color::White) + position.men(Color::Black) <= self.men
    }
}

impl Tables for Solved {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        let men = position.men(Color::White) + position.men(Color::Black);
        if men == self.missing {
            return TableAnswer::Missing("table KvK".to_owned());
        }
        if !self.covers(position) {
            return TableAnswer::NotCovered;
        }
        let winner = self.winner;
        let added = if position.side_to_move() == winner {
            self.added
        } else {
            0
        };
        self.solver
            .plies(position, 12)
            .map_or(TableAnswer::NotWon, |plies| TableAnswer::Won {
                winner,
                plies: plies + added,
            })
    }

    fn table(&self, position: &Position) -> Option<&TableId> {
        self.covers(position).then_some(&self.id)
    }
}

/// A book, and the shortest way where it has no move: a capture or pawn move before others.
struct PlayedOn {
    book: Book,
    solver: Solver,
}

impl Strategy for PlayedOn {
    fn choose(&mut self, position: &Position, legal: &[Move]) -> Result<Choice, StrategyError> {
        if let Some(&mv) = self.book.moves.get(position) {
            return Ok(Choice::Move(mv));
        }
        let left = self.solver.plies(position, 12).unwrap() - 1;
        let mut shortest: Vec<Move> = legal.to_vec();
        shortest.retain(|&mv| self.solver.plies(&position.play_unchecked(mv), left) == Some(left));
        shortest.sort_by_key(|&mv| is_quiet(position, mv));
        Ok(Choice::Move(shortest[0]))
    }
}

/// A claim won by a book that leaves positions of at most so many men to tables.
fn leaning(claim: &Claim, plies: u32, men: u8) -> (Book, Solved) {
    let mut book = Book::solve(claim, plies);
    let tables = Solved::new(claim, men);
    book.moves.retain(|position, _| !tables.covers(position));
    (book, tables)
}

#[test]
fn lines_that_end_in_a_table_are_played_on_the_shortest_way() {
    let mut in_tables = 0;
    for Won { claim, plies } in CLAIMS.iter().copied() {
        for men in 2..=3 {
            let (mut book, mut tables) = leaning(&claim, plies, men);
            let without = verified(verify(&claim, &mut book, &mut tables, &Options::default()));
            let with = verified(verify(&claim, &mut book, &mut tables, &FIFTY));
            // Playing on changes nothing but the second verdict.
            assert_eq!(
                (with.positions, with.plies, &with.assumptions),
                (without.positions, without.plies, &without.assumptions)
            );
            let fifty = with.fifty.unwrap();
            let mut strategy = PlayedOn {
                book,
                solver: Solver::new(claim.ruleset, claim.winner),
            };
            let (longest, is_drawn) = by_clock(&claim, &mut strategy);
            assert_eq!(fifty.longest_quiet_run, longest, "{claim}, {men} men");
            assert_eq!(fifty.holds(), Some(!is_drawn));
            let start = Claim {
                root: play_line(claim.root, &uci(&fifty.after)),
                ..claim
            };
            assert_eq!(by_clock(&start, &mut strategy).0, longest, "{claim}");
            let start = start.root;
            in_tables += u32::from(men == 2 && tables.covers(&start));
        }
    }
    assert!(in_tables > 0, "a longest run starts within a table");
}

/// A table of one position, with others to play on.
struct Last {
    position: Position,
    solved: Solved,
}

impl Tables for Last {
    fn probe(&mut self, position: &Position) -> TableAnswer {
        if *position == self.position {
            return self.solved.probe(position);
        }
        TableAnswer::NotCovered
    }

    fn table(&self, position: &Position) -> Option<&TableId> {
        (*position == self.position).then_some(&self.solved.id)
    }

    fn follow(&mut self, position: &Position) -> TableAnswer {
        self.solved.probe(position)
    }
}

/// Notes the positions that a strategy is asked about.
struct Asked<'a> {
    strategy: &'a mut PlayedOn,
    positions: Vec<Position>,
}

impl Strategy for Asked<'_> {
    fn choose(&mut self, position: &Position, legal: &[Move]) -> Result<Choice, StrategyError> {
        self.positions.push(*position);
        self.strategy.choose(position, legal)
    }
}

#[test]
fn a_table_at_any_one_position_changes_no_run() {
    // The pawn's first promotion leads to a longer run than the others.
    let promotion = claim(Ruleset::Joint, "8/2B5/8/8/8/3N4/6p1/8 b - -", Color::White);
    let mut tried = 0;
    for claim in CLAIMS
        .iter()
        .map(|won| won.claim)
        .take(12)
        .chain([promotion])
    {
        let mut strategy = PlayedOn {
            book: Book::default(),
            solver: Solver::new(claim.ruleset, claim.winner),
        };
        let (longest, _) = by_clock(&claim, &mut strategy);
        let mut asked = Asked {
            strategy: &mut strategy,
            positions: Vec::new(),
        };
        verified(verify(&claim, &mut asked, &mut NoTables, &FIFTY));
        // The line through it goes on as before, and one that was looked at earlier may have a longer run.
        for position in asked.positions {
            let mut tables = Last {
                position,
                solved: Solved::new(&claim, 32),
            };
            let fifty = fifty_of(&claim, &mut strategy, &mut tables);
            assert_eq!(fifty.longest_quiet_run, longest, "{claim}");
            assert_eq!(fifty.unknown, None);
            tried += 1;
        }
    }
    assert!(tried > 25, "{tried}");
}

#[test]
fn the_run_before_a_table_counts() {
    // The locked position again; the table takes over before the king's last move.
    let (claim, mut book) = locked("1b6/2p5/1pP5/1P6/3K4/8/8/8 b - -", "", 49);
    let last = book
        .moves
        .iter()
        .find(|(_, mv)| mv.to_uci() == "c4c5")
        .map(|(&position, _)| position)
        .unwrap();
    book.moves.remove(&last);
    let mut tables = Last {
        position: last,
        solved: Solved::new(&claim, 7),
    };
    let fifty = fifty_of(&claim, &mut book, &mut tables);
    assert_eq!((fifty.longest_quiet_run, fifty.holds()), (100, Some(false)));
}

/// The last of the claims, with all of whose men a table is asked.
fn short() -> (Claim, u32) {
    let Won { claim, plies } = *CLAIMS.last().unwrap();
    (claim, plies)
}

#[test]
fn a_line_that_cannot_be_played_on_leaves_the_second_verdict_open() {
    let (claim, plies) = short();
    let (mut book, mut tables) = leaning(&claim, plies, 3);
    tables.added = 2;
    let fifty = fifty_of(&claim, &mut book, &mut tables);
    assert_eq!((fifty.is_exceeded, fifty.holds()), (false, None));
    let text = fifty.to_string();
    let fen = claim.root.fen();
    let start = format!("not known, the tables give no way to the end from {fen}: no move for");
    assert!(text.starts_with(&start), "{text}");
}

#[test]
fn a_smaller_table_that_is_missing_is_named() {
    let (claim, plies) = short();
    let (mut book, mut tables) = leaning(&claim, plies, 3);
    tables.missing = 2;
    let fifty = fifty_of(&claim, &mut book, &mut tables);
    assert_eq!(fifty.holds(), None);
    let text = fifty.to_string();
    assert!(text.contains(": table KvK is not at hand"), "{text}");
}

#[test]
fn a_run_that_is_too_long_is_one_even_if_others_are_not_known() {
    let fifty = FiftyMoves {
        longest_quiet_run: 120,
        after: Vec::new(),
        is_exceeded: true,
        unknown: Some("a table is missing".to_owned()),
    };
    assert_eq!(fifty.holds(), Some(false));
    assert!(fifty.to_string().starts_with("no, 120 plies"), "{fifty}");
}

#[test]
fn tables_that_no_list_names_serve_to_play_on() {
    let (claim, plies) = short();
    let (mut book, mut tables) = leaning(&claim, plies, 3);
    let expected = fifty_of(&claim, &mut book, &mut tables);
    assert_eq!(expected.holds(), Some(true));
    // The list has three of the men of the root, and none of the tables that play goes on into.
    let letters = |color| {
        let men = (0..64).filter_map(|square| claim.root.piece_at(square));
        let letters = men.filter(|man| man.0 == color).map(|man| man.1.letter());
        letters.collect::<String>().to_ascii_uppercase()
    };
    tables.id.name = format!("{}v{}", letters(Color::White), letters(Color::Black));
    let list = [tables.id.clone()];
    let mut listed = Listed::new(&list, &mut tables).unwrap();
    assert_eq!(fifty_of(&claim, &mut book, &mut listed), expected);
}

#[test]
fn playing_on_can_be_watched_and_stopped() {
    let (claim, plies) = short();
    let (mut book, mut tables) = leaning(&claim, plies, 3);
    let stop = |_| ControlFlow::Break(());
    let options = Options {
        progress: Some(&stop),
        interval: 3,
        ..FIFTY
    };
    // The root itself is in a table, so there is nothing else to replay.
    let plain = Options {
        fifty: false,
        ..options
    };
    let verdict = verify(&claim, &mut book, &mut tables, &plain);
    assert!(matches!(verdict, Verdict::Verified(_)));
    let verdict = verify(&claim, &mut book, &mut tables, &options);
    assert_eq!(verdict, Verdict::Interrupted(0));
}
