//! What the tests of the store share: small proofs, random records, and children that get killed.

#![allow(dead_code, reason = "each test file uses its share")]

use std::{
    collections::HashMap,
    convert::Infallible,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use proof::{
    Claim, EndTables, Entry, NoTables, Plies, Proof, Record, Strategy, TableEnd, TableId, extract,
};
use rules::{Color, Move, PackedPosition, Position, Role, Ruleset, canonical_moves, fen};
use store::{Access, Provenance, Store};

/// A directory that vanishes, and a path in it.
pub(crate) fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("p.db");
    (dir, path)
}

/// A new database for writing.
pub(crate) fn fresh() -> (tempfile::TempDir, Store) {
    let (dir, path) = place();
    (dir, Store::open(path, Access::Write).expect("made"))
}

pub(crate) fn position(text: &str, ruleset: Ruleset) -> Position {
    *fen::parse(text, ruleset).expect("a FEN").game.position()
}

pub(crate) fn provenance() -> Provenance {
    Provenance {
        engine: "takeme-test 1".to_owned(),
        command: "takeme prove".to_owned(),
        started: 1_700_000_000,
        nodes: 12,
        seconds: 0.5,
    }
}

/// Wins by trying everything, the shortest way first.
pub(crate) struct BruteForce {
    ruleset: Ruleset,
    winner: Color,
    known: HashMap<(PackedPosition, u16), bool>,
}

impl BruteForce {
    fn new(ruleset: Ruleset, winner: Color) -> Self {
        Self {
            ruleset,
            winner,
            known: HashMap::new(),
        }
    }

    fn wins(&mut self, at: &Position, plies: u16) -> bool {
        let moves = canonical_moves(at, self.ruleset);
        if moves.is_empty() {
            return self.ruleset.outcome(at).winner() == Some(self.winner);
        }
        if plies == 0 {
            return false;
        }
        let id = (at.pack(), plies);
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let ruleset = self.ruleset;
        let mut next = moves.iter().map(|&mv| at.after(mv, ruleset));
        let wins = if at.side_to_move() == self.winner {
            next.any(|next| self.wins(&next, plies - 1))
        } else {
            next.all(|next| self.wins(&next, plies - 1))
        };
        self.known.insert(id, wins);
        wins
    }
}

const DEEPEST: u16 = 9;

impl Strategy for BruteForce {
    type Error = Infallible;

    fn entry(&mut self, at: &Position) -> Result<Option<Entry>, Infallible> {
        for plies in 1..=DEEPEST {
            for mv in canonical_moves(at, self.ruleset) {
                if self.wins(&at.after(mv, self.ruleset), plies - 1) {
                    let height = Plies(plies);
                    return Ok(Some(Entry { mv, height }));
                }
            }
        }
        Ok(None)
    }
}

/// A win of the side to move in at most nine plies.
pub(crate) fn prove(root: &str, ruleset: Ruleset) -> Proof {
    prove_with(root, ruleset, &NoTables)
}

fn prove_with(root: &str, ruleset: Ruleset, tables: &impl EndTables) -> Proof {
    let root = position(root, ruleset);
    let winner = root.side_to_move();
    let claim = Claim {
        ruleset,
        root,
        winner,
    };
    let mut strategy = BruteForce::new(ruleset, winner);
    extract(&claim, &mut strategy, tables).expect("a short win")
}

/// A proof of the second of [`WON`] that leans on a table.
pub(crate) fn leaning(ruleset: Ruleset) -> Proof {
    let proof = prove_with(WON[1], ruleset, &tables());
    assert!(proof.tables == [tables().0] && proof.positions() > 0);
    proof
}

/// Raises all heights of a proof, which keeps it one.
pub(crate) fn raised(mut proof: Proof, plies: u16) -> Proof {
    let raise = |height: &mut Plies| *height = height.plus(plies).expect("small");
    raise(&mut proof.plies);
    for record in &mut proof.records {
        raise(&mut record.entry.height);
    }
    assert!(proof.exact.is_empty());
    proof
}

/// A table of one man against one, whose values are found by trying everything.
pub(crate) struct OneTable(pub(crate) TableId);

/// The table that [`leaning`] leans on.
pub(crate) fn tables() -> OneTable {
    OneTable(TableId {
        name: "QvN".to_owned(),
        sha256: [7; 32],
    })
}

impl OneTable {
    fn covers(&self, position: &Position) -> bool {
        let letters = Color::ALL.map(|color| {
            let men = Role::ALL.map(|role| {
                let count = position.men_of(color, role).count();
                role.letter()
                    .to_ascii_uppercase()
                    .to_string()
                    .repeat(count as usize)
            });
            men.concat()
        });
        let [white, black] = letters;
        [format!("{white}v{black}"), format!("{black}v{white}")].contains(&self.0.name)
    }
}

impl EndTables for OneTable {
    fn end(&self, position: &Position, winner: Color) -> Result<TableEnd, String> {
        if !self.covers(position) {
            return Ok(TableEnd::NotCovered);
        }
        let mut values = BruteForce::new(Ruleset::Joint, winner);
        let won = (1..=DEEPEST).find(|&plies| values.wins(position, plies));
        Ok(won.map_or(TableEnd::NotWon, |plies| TableEnd::Won(Plies(plies))))
    }

    fn leaned_on(&self, _: &Position) -> Vec<TableId> {
        vec![self.0.clone()]
    }
}

/// Positions that White wins within nine plies under every ruleset: with 1, 30, 38 and 13 positions.
pub(crate) const WON: [&str; 4] = [
    "8/8/8/1p6/8/2K5/8/8 w - -",
    "8/8/P7/8/8/8/5n2/8 w - -",
    "8/8/5n2/8/8/8/8/5B2 w - -",
    "8/2n5/8/8/8/8/8/4N3 w - -",
];

/// Sebastiano Vigna's SplitMix64.
pub(crate) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

const MOVES: [&str; 5] = ["e2e4", "g1f3", "a7a8k", "h2g1n", "d8d1"];

/// The record number `i`: its key is random, its check hangs on the key.
pub(crate) fn record(i: u64, height: u16) -> Record {
    let key = mix(i);
    let mv = MOVES[usize::try_from(mix(key) % 5).expect("below five")];
    Record {
        key,
        check: mix(!key),
        entry: Entry {
            mv: Move::parse_uci(mv).expect("UCI"),
            height: Plies(height),
        },
    }
}

/// Runs the ignored test `name` of this test program as a process of its own.
pub(crate) fn spawn(name: &str, database: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().expect("the test program"))
        .args([
            "--exact",
            name,
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(DATABASE, database)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("the test program starts")
}

/// Tells a child its database.
pub(crate) const DATABASE: &str = "TAKEME_TEST_DATABASE";

/// The database that the parent named; `None` if the test was started by hand.
pub(crate) fn database_of_child() -> Option<PathBuf> {
    std::env::var_os(DATABASE).map(PathBuf::from)
}
