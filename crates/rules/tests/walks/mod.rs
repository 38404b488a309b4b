//! Random play, shared by the tests in this folder. The same seed gives the same games everywhere.

use rules::{Game, Move, Ruleset, fen};

/// Positions from which random games start: the initial one, and ones that soon show what is rare from there.
const STARTS: [&str; 15] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    // Several kings, promotions on both sides.
    "kn1k4/P1P4P/8/8/2K3k1/8/p1p4p/1N1K4 w - - 0 1",
    // A double en-passant capture is one move away (field case B01), and its mirror image.
    "8/8/8/5P2/5p1p/8/6P1/8 w - - 0 1",
    "8/6p1/8/5P1P/5p2/8/8/8 b - - 0 1",
    // Pawns that lock each other: stalemates.
    "8/1p1p1p1p/8/8/8/8/P1P1P1P1/8 w - - 0 1",
    // Bishops: dead positions.
    "2b2b2/2b5/8/4p3/3P4/8/2B5/2B2B2 w - - 0 1",
    "4k3/8/8/2pPp3/8/8/8/4K3 w - c6 0 1",
    "1n1r4/P1P5/8/8/8/8/1p1p4/N1N1R3 b - - 0 1",
    // Castling, in and out of attacks, and rooks that are captured at home.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/8/1n6/8/8/6N1/8/R3K2R w KQkq - 0 1",
    // Pins, en passant through pins, checks.
    "4k3/2p1p3/8/KP1P3r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    // Every kind of man, few of each: extinction is near, by promotion too.
    "rnbqk3/1P6/8/8/8/8/p7/RNBQK3 w - - 0 1",
    "r1bnk2r/pP1q4/8/8/8/8/3Q1pP1/R3KNBR w KQkq - 0 1",
    "r2Kkbn1/1b5r/4K1pp/1pp5/p7/1QP1P1P1/1P1N1q1P/1RB2BNR w - - 0 1",
];

/// Those of the positions that the ruleset allows and has not decided.
pub(crate) fn starts(ruleset: Ruleset) -> Vec<&'static str> {
    let playable = |text: &&str| {
        fen::parse(text, ruleset).is_ok_and(|read| !read.game.legal_moves().is_empty())
    };
    STARTS.into_iter().filter(playable).collect()
}

/// `SplitMix64` (Steele, Lea, Flood 2014).
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// An index into a list of length `len`, nearly uniform.
    fn pick(&mut self, len: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let number = usize::try_from((z ^ (z >> 31)) >> 33).expect("31 bits");
        number % len
    }
}

/// Up to `plies` random moves from `start`, and the game after them; shorter if a side runs out of moves.
pub(crate) fn walk(start: &str, ruleset: Ruleset, seed: u64, plies: usize) -> (Game, Vec<Move>) {
    let mut dice = Dice::new(seed);
    let mut game = fen::parse(start, ruleset).expect("a legal FEN").game;
    let mut moves = Vec::new();
    while moves.len() < plies {
        let legal = game.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[dice.pick(legal.len())];
        game.play(mv).expect("a legal move");
        moves.push(mv);
    }
    (game, moves)
}
