//! Random play, shared by the tests in this folder. The same seed gives the same games everywhere.

use rules::{Game, Move, Ruleset, fen};

/// Positions from which random games start: the initial one, and ones that soon show what is rare from there.
pub(crate) const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
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
];

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
