//! A brute-force solver, strategies made from it, and a certificate writer: all of it for tests only.

use std::collections::{HashMap, HashSet};

use takeme_verify::{
    Choice, Claim, Color, Move, NoTables, Options, Outcome, Position, Rejection, Ruleset, Strategy,
    StrategyError, Verdict, Verified, crc64_xz, legal_moves, outcome, verify,
};

/// Won by White in two plies under every ruleset, by c3c4 only.
pub(crate) const KING_V_PAWN: &str = "8/8/8/1p6/8/2K5/8/8 w - -";
/// Won by White in six plies under International, by promoting to bishop, rook or queen only.
pub(crate) const PAWN_RACE: &str = "8/P7/8/7p/8/8/8/8 w - -";
/// Won by Black in four plies; White may capture en passant on the way.
pub(crate) const EN_PASSANT: &str = "8/p7/8/1P6/7p/7R/8/8 b - -";

/// Lost by White in eleven plies, because the only legal move captures en passant; a draw without the right to it.
pub(crate) const EN_PASSANT_NOW: &str = "8/8/8/pP6/8/5p2/1P6/8 w - a6";
/// Won by White in six plies under International alone: White is stalemated with as many men as Black.
pub(crate) const STALEMATES: &str = "8/p7/7p/8/8/8/P6P/8 w - -";

pub(crate) fn position(fen: &str) -> Position {
    position_under(Ruleset::Joint, fen)
}

pub(crate) fn position_under(ruleset: Ruleset, fen: &str) -> Position {
    Position::from_fen(fen, ruleset).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The legal moves as UCI moves with spaces between them.
pub(crate) fn moves_under(ruleset: Ruleset, fen: &str) -> String {
    uci(&legal_moves(&position_under(ruleset, fen)))
}

/// The castling field of a position's FEN.
pub(crate) fn rights(position: &Position) -> String {
    position.fen().split(' ').nth(2).unwrap().to_owned()
}

pub(crate) fn mv(uci: &str) -> Move {
    Move::from_uci(uci).unwrap()
}

pub(crate) fn claim(ruleset: Ruleset, fen: &str, winner: Color) -> Claim {
    Claim::new(ruleset, fen, winner).unwrap()
}

/// Plays moves that must all be legal.
pub(crate) fn play_line(root: Position, line: &str) -> Position {
    line.split_whitespace().fold(root, |position, uci| {
        position
            .play(mv(uci))
            .unwrap_or_else(|| panic!("{uci} is illegal in {}", position.fen()))
    })
}

/// A path as UCI moves with spaces between them.
pub(crate) fn uci(path: &[Move]) -> String {
    path.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Looks for wins by trying everything to a given number of plies.
pub(crate) struct Solver {
    ruleset: Ruleset,
    winner: Color,
    /// For each position the least number of plies known to be enough, and the greatest known not to be.
    known: HashMap<Position, (u32, Option<u32>)>,
}

impl Solver {
    pub(crate) fn new(ruleset: Ruleset, winner: Color) -> Self {
        Self {
            ruleset,
            winner,
            known: HashMap::new(),
        }
    }

    /// Whether the winner can force a won end within that many plies.
    pub(crate) fn wins_within(&mut self, position: &Position, plies: u32) -> bool {
        match outcome(position, self.ruleset) {
            Outcome::Won(side) => return side == self.winner,
            Outcome::Drawn => return false,
            Outcome::Ongoing if plies == 0 => return false,
            Outcome::Ongoing => {}
        }
        let &(enough, short) = self.known.get(position).unwrap_or(&(u32::MAX, None));
        if plies >= enough || short.is_some_and(|short| plies <= short) {
            return plies >= enough;
        }
        let mut successors = legal_moves(position)
            .into_iter()
            .map(|mv| position.play_unchecked(mv))
            .collect::<Vec<_>>()
            .into_iter();
        let wins = if position.side_to_move() == self.winner {
            successors.any(|next| self.wins_within(&next, plies - 1))
        } else {
            successors.all(|next| self.wins_within(&next, plies - 1))
        };
        let entry = self.known.entry(*position).or_insert((u32::MAX, None));
        if wins {
            entry.0 = entry.0.min(plies);
        } else {
            entry.1 = entry.1.max(Some(plies));
        }
        wins
    }

    /// The least number of plies in which the winner can force a won end, if it is at most `limit`.
    pub(crate) fn plies(&mut self, position: &Position, limit: u32) -> Option<u32> {
        (0..=limit).find(|&plies| self.wins_within(position, plies))
    }
}

/// A strategy held in memory.
#[derive(Clone, Default)]
pub(crate) struct Book {
    pub(crate) moves: HashMap<Position, Move>,
}

impl Book {
    /// A fastest win of a claim.
    pub(crate) fn solve(claim: &Claim, limit: u32) -> Self {
        let mut solver = Solver::new(claim.ruleset, claim.winner);
        let plies = solver
            .plies(&claim.root, limit)
            .expect("the claim is won within the limit");
        let mut book = Self::default();
        book.add(claim, &mut solver, claim.root, plies);
        book
    }

    fn add(&mut self, claim: &Claim, solver: &mut Solver, position: Position, plies: u32) {
        if outcome(&position, claim.ruleset) != Outcome::Ongoing {
            return;
        }
        let winner_moves = position.side_to_move() == claim.winner;
        if winner_moves && self.moves.contains_key(&position) {
            return;
        }
        let plies = solver
            .plies(&position, plies)
            .expect("every position of a win is won");
        for mv in legal_moves(&position) {
            let next = position.play_unchecked(mv);
            if !winner_moves {
                self.add(claim, solver, next, plies - 1);
            } else if solver.wins_within(&next, plies - 1) {
                self.moves.insert(position, mv);
                self.add(claim, solver, next, plies - 1);
                return;
            }
        }
    }

    /// The strategy with one move replaced.
    pub(crate) fn with(mut self, position: Position, uci: &str) -> Self {
        self.moves.insert(position, mv(uci));
        self
    }

    /// The strategy with one move taken out.
    pub(crate) fn without(mut self, position: Position) -> Self {
        assert!(
            self.moves.remove(&position).is_some(),
            "{} is not in the strategy",
            position.fen()
        );
        self
    }
}

impl Strategy for Book {
    fn choose(&mut self, position: &Position, _: &[Move]) -> Result<Choice, StrategyError> {
        Ok(self
            .moves
            .get(position)
            .map_or(Choice::Unknown, |&mv| Choice::Move(mv)))
    }
}

/// The verdict without tables and with default options.
pub(crate) fn check(claim: &Claim, strategy: &mut impl Strategy) -> Verdict {
    verify(claim, strategy, &mut NoTables, &Options::default())
}

pub(crate) fn verified(verdict: Verdict) -> Verified {
    match verdict {
        Verdict::Verified(verified) => verified,
        other => panic!("expected a verified claim, found {other:?}"),
    }
}

pub(crate) fn rejected(verdict: Verdict) -> Rejection {
    match verdict {
        Verdict::Rejected(rejection) => rejection,
        other => panic!("expected a rejection, found {other:?}"),
    }
}

/// The fields of a certificate, to be changed at will before they are written.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) version: u16,
    pub(crate) ruleset: u8,
    pub(crate) winner: u8,
    pub(crate) positions: u64,
    pub(crate) plies: u32,
    pub(crate) fen: Vec<u8>,
    pub(crate) tables: Vec<(Vec<u8>, [u8; 32])>,
    pub(crate) choices: Vec<u8>,
}

impl Draft {
    /// The certificate of a strategy that wins its claim, written by a replay of its own.
    pub(crate) fn of(claim: &Claim, book: &Book) -> Self {
        let mut draft = Self {
            version: 1,
            ruleset: claim.ruleset.code(),
            winner: u8::from(claim.winner == Color::Black),
            positions: 0,
            plies: 0,
            fen: claim.root.fen().into_bytes(),
            tables: Vec::new(),
            choices: Vec::new(),
        };
        let mut lengths = HashMap::new();
        draft.plies = draft.replay(claim, book, claim.root, &mut lengths);
        draft.positions = lengths.len() as u64;
        draft
    }

    fn replay(
        &mut self,
        claim: &Claim,
        book: &Book,
        position: Position,
        lengths: &mut HashMap<Position, u32>,
    ) -> u32 {
        if outcome(&position, claim.ruleset) != Outcome::Ongoing {
            return 0;
        }
        let legal = legal_moves(&position);
        if position.side_to_move() != claim.winner {
            let replies = legal.into_iter().map(|mv| position.play_unchecked(mv));
            return 1 + replies
                .map(|next| self.replay(claim, book, next, lengths))
                .max()
                .unwrap();
        }
        if let Some(&length) = lengths.get(&position) {
            return length;
        }
        let mv = book.moves[&position];
        let index = legal.iter().position(|&other| other == mv).unwrap();
        if index < 255 {
            self.choices.push(index as u8);
        } else {
            self.choices.extend([255, (index - 255) as u8]);
        }
        let length = 1 + self.replay(claim, book, position.play_unchecked(mv), lengths);
        lengths.insert(position, length);
        length
    }

    /// Everything before the choices.
    pub(crate) fn header(&self) -> Vec<u8> {
        let mut bytes = b"\x89TKMCRT\n".to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend([self.ruleset, self.winner]);
        bytes.extend(self.positions.to_le_bytes());
        bytes.extend(self.plies.to_le_bytes());
        bytes.extend((self.fen.len() as u16).to_le_bytes());
        bytes.extend(&self.fen);
        bytes.extend((self.tables.len() as u16).to_le_bytes());
        for (name, hash) in &self.tables {
            bytes.push(name.len() as u8);
            bytes.extend(name);
            bytes.extend(hash);
        }
        bytes.extend((self.choices.len() as u64).to_le_bytes());
        bytes
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header();
        bytes.extend(&self.choices);
        bytes.extend(crc64_xz(&bytes).to_le_bytes());
        bytes
    }
}

/// Makes the checksum fit the bytes before it, as a forger would.
pub(crate) fn repair_checksum(bytes: &mut [u8]) {
    if let Some(end) = bytes.len().checked_sub(8) {
        let checksum = crc64_xz(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Numbers that look random and are the same in each run (xorshift64*, S. Vigna, 2016).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Every distinct position within that many plies of a root.
pub(crate) fn reachable(root: Position, plies: u32) -> HashSet<Position> {
    let mut all = HashSet::from([root]);
    let mut edge = vec![root];
    for _ in 0..plies {
        let next = edge.iter().flat_map(|position| {
            legal_moves(position)
                .into_iter()
                .map(|mv| position.play_unchecked(mv))
                .collect::<Vec<_>>()
        });
        edge = next.filter(|&position| all.insert(position)).collect();
    }
    all
}
