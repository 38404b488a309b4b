use rules::{Game, PackedPosition, Ruleset};

use super::*;
use crate::{EndTables, NoTables, TableEnd, extract};

/// Finds wins of White in a few plies by trying all moves.
#[derive(Default)]
struct Solver(HashMap<(PackedPosition, u32), bool>);

impl Solver {
    fn wins(&mut self, position: &Position, plies: u32) -> bool {
        let ruleset = Ruleset::International;
        let moves = canonical_moves(position, ruleset);
        if moves.is_empty() || plies == 0 {
            return ruleset.outcome(position).winner() == Some(Color::White);
        }
        if let Some(&wins) = self.0.get(&(position.pack(), plies)) {
            return wins;
        }
        let mut after = moves.iter().map(|&mv| position.after(mv, ruleset));
        let wins = match position.side_to_move() {
            Color::White => after.any(|next| self.wins(&next, plies - 1)),
            Color::Black => after.all(|next| self.wins(&next, plies - 1)),
        };
        self.0.insert((position.pack(), plies), wins);
        wins
    }
}

impl Strategy for Solver {
    type Error = Infallible;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, Infallible> {
        let moves = canonical_moves(position, Ruleset::International);
        let found = (0..20).find_map(|plies| {
            let mut moves = moves.iter();
            moves.find(|&&mv| self.wins(&position.after(mv, Ruleset::International), plies))
        });
        let height = Plies::ZERO;
        Ok(found.map(|&mv| Entry { mv, height }))
    }
}

/// Wins `8/8/8/1p6/8/2K5/8/8 w` by Kc4, after which the pawn must take the last man (field case B23).
struct GiveTheKing;

impl Strategy for GiveTheKing {
    type Error = Infallible;

    fn entry(&mut self, _: &Position) -> Result<Option<Entry>, Infallible> {
        Ok(Some(Entry {
            mv: Move::parse_uci("c3c4").expect("UCI"),
            height: Plies(2),
        }))
    }
}

fn claim() -> Claim {
    Claim {
        ruleset: Ruleset::International,
        root: *fen::parse("8/8/8/1p6/8/2K5/8/8 w - -", Ruleset::International)
            .expect("a FEN")
            .game
            .position(),
        winner: Color::White,
    }
}

fn bytes() -> Vec<u8> {
    let proof = extract(&claim(), &mut GiveTheKing, &NoTables).expect("a proof");
    let mut bytes = Vec::new();
    write(&proof, &mut bytes).expect("writing to memory succeeds");
    bytes
}

#[test]
fn a_certificate_is_laid_out_as_specified() {
    let bytes = bytes();
    let fen = b"8/8/8/1p6/8/2K5/8/8 w - -";
    assert_eq!(bytes[..8], *b"\x89TKMCRT\n");
    assert_eq!(bytes[8..12], [1, 0, 0, 0]);
    assert_eq!(bytes[12..20], 1u64.to_le_bytes());
    assert_eq!(bytes[20..24], 2u32.to_le_bytes());
    assert_eq!(bytes[24..26], 25u16.to_le_bytes());
    assert_eq!(bytes[26..51], *fen);
    assert_eq!(bytes[51..53], [0, 0]);
    assert_eq!(bytes[53..61], 1u64.to_le_bytes());
    // Kb2 Kc2 Kd2 Kb3 Kd3 Kb4 Kc4: the seventh of eight.
    assert_eq!(bytes[61], 6);
    assert_eq!(bytes.len(), 62 + 8);
}

#[test]
fn what_is_written_is_read() {
    let bytes = bytes();
    let certificate = Certificate::parse(&bytes).expect("a certificate");
    assert_eq!(certificate.claim, claim());
    assert_eq!((certificate.positions, certificate.plies), (1, 2));
    let mut strategy = certificate.strategy().expect("choices");
    let proof = extract(&certificate.claim, &mut strategy, &NoTables).expect("a proof");
    let mut again = Vec::new();
    write(&proof, &mut again).expect("writing to memory succeeds");
    assert_eq!(again, bytes);
}

#[test]
fn a_certificate_made_in_one_walk_is_that_of_the_proof() {
    // Black's pawns may step in either order, so that many positions are met again.
    let root = *fen::parse("8/p6p/8/8/8/8/P6P/8 b - -", Ruleset::International)
        .expect("a FEN")
        .game
        .position();
    let claim = Claim { root, ..claim() };
    let mut solver = Solver::default();
    let proof = extract(&claim, &mut solver, &NoTables).expect("a proof");
    assert!(proof.positions() > 20 && proof.records.is_sorted_by_key(|record| record.key));
    let draft = Draft::extract(&claim, &mut solver, &NoTables).expect("a proof");
    assert_eq!(draft.positions(), proof.positions());
    let [mut one, mut other] = [Vec::new(), Vec::new()];
    write(&proof, &mut one).expect("memory");
    draft.write(&mut other).expect("memory");
    assert_eq!(one, other);
    // Read back, it gives the same proof.
    let read = Certificate::parse(&one).expect("a certificate");
    let mut strategy = read.strategy().expect("choices");
    let again = extract(&claim, &mut strategy, &NoTables).expect("a proof");
    assert_eq!((again.records, again.plies), (proof.records, proof.plies));
    let few = extract(&claim, &mut solver, &Few).expect("a proof");
    let draft = Draft::extract(&claim, &mut solver, &Few).expect("a proof");
    let [mut one, mut other] = [Vec::new(), Vec::new()];
    write(&few, &mut one).expect("memory");
    draft.write(&mut other).expect("memory");
    assert_eq!(one, other);
}

#[test]
fn every_shortened_file_is_refused() {
    let bytes = bytes();
    for len in 0..bytes.len() {
        assert!(Certificate::parse(&bytes[..len]).is_err(), "{len} bytes");
    }
}

#[test]
fn a_later_version_is_named() {
    let mut bytes = bytes();
    bytes[8] = 2;
    assert_eq!(
        Certificate::parse(&bytes).err(),
        Some(CertificateError::Version(2))
    );
}

#[test]
fn a_changed_byte_is_damage() {
    let mut bytes = bytes();
    bytes[61] = 5;
    assert_eq!(
        Certificate::parse(&bytes).err(),
        Some(CertificateError::Checksum)
    );
}

#[test]
fn choices_above_254_take_two_bytes() {
    let mut written = Vec::new();
    for index in [0, 254, 255, 509] {
        push_choice(&mut written, index);
    }
    assert_eq!(written, [0, 254, 255, 0, 255, 254]);
    let mut rest = written.as_slice();
    for index in [0, 254, 255, 509] {
        assert_eq!(take_choice(&mut rest), Ok(index));
    }
    assert!(take_choice(&mut rest).is_err());
}

#[test]
fn a_game_that_is_over_needs_no_choice() {
    let root = *fen::parse("8/8/8/8/8/8/8/k7 w - -", Ruleset::Joint)
        .expect("a FEN")
        .game
        .position();
    let claim = Claim {
        root,
        ruleset: Ruleset::Joint,
        winner: Color::White,
    };
    let proof = extract(&claim, &mut GiveTheKing, &NoTables).expect("White has no men and has won");
    assert_eq!((proof.positions(), proof.plies), (0, Plies::ZERO));
    assert_eq!(
        Game::from_position(root, Ruleset::Joint).outcome().winner(),
        Some(Color::White)
    );
}

/// Gives every position of up to three men as won.
struct Few;

impl EndTables for Few {
    fn end(&self, position: &Position, _: Color) -> Result<TableEnd, String> {
        Ok(if position.occupied().count() > 3 {
            TableEnd::NotCovered
        } else {
            TableEnd::Won(Plies(7))
        })
    }

    fn leaned_on(&self, _: &Position) -> Vec<TableId> {
        let table = |name: &str| TableId {
            name: name.to_owned(),
            sha256: [3; 32],
        };
        vec![table("KvP"), table("KvN")]
    }
}

#[test]
fn a_proof_that_ends_in_a_table_names_it() {
    let proof = extract(&claim(), &mut GiveTheKing, &Few).expect("a proof");
    assert_eq!((proof.positions(), proof.plies), (0, Plies(7)));
    let names: Vec<&str> = proof.tables.iter().map(|table| &table.name[..]).collect();
    assert_eq!(names, ["KvN", "KvP"]);
    let mut bytes = Vec::new();
    write(&proof, &mut bytes).expect("memory");
    let read = Certificate::parse(&bytes).expect("a certificate");
    assert_eq!(read.tables, proof.tables);
    assert!(read.strategy().is_ok());
    for len in 0..bytes.len() {
        assert!(Certificate::parse(&bytes[..len]).is_err(), "{len} bytes");
    }
}
