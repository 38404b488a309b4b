//! Certificates: a proof as a file. The layout is specified in `crates/proof/FORMAT.md`.
//!
//! The verifier has its own reader; this one serves import and export.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
    io::{self, Write},
};

use crc::{CRC_64_XZ, Crc, Table};
use rules::{Color, Move, MoveList, Position, Ruleset, canonical_moves, fen};
use thiserror::Error;

use crate::{
    Claim, EndTables, Entry, ExtractError, Plies, Proof, Record, Strategy, TableId,
    extract::extract_in_order, tables::Covered,
};

pub(crate) static CRC: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

const MAGIC: [u8; 8] = *b"\x89TKMCRT\n";
const VERSION: u16 = 1;
const ESCAPE: usize = 255;
const CHECKSUM_BYTES: usize = 8;

/// Why bytes are no certificate that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// Another kind of file.
    #[error("not a takeme certificate: the file does not begin with its magic bytes")]
    Magic,
    /// Written by a later version.
    #[error("certificate version {0} is not known here, only version 1: use a newer takeme")]
    Version(u16),
    /// The bytes were changed.
    #[error("the checksum does not fit the contents: the file is damaged")]
    Checksum,
    /// The bytes end too soon or go on too long.
    #[error("the file is {0}: it is damaged")]
    Length(&'static str),
    /// A header field has a value that no certificate has.
    #[error("bad {field} in the header: {value}")]
    Field {
        /// Which field.
        field: &'static str,
        /// What it says.
        value: String,
    },
    /// A choice names no legal move.
    #[error("choice {number} is the move with index {index}, but only {legal} moves are legal")]
    Choice {
        /// The place of the choice, from 0.
        number: u64,
        /// What it says.
        index: usize,
        /// How many moves there are.
        legal: usize,
    },
    /// The choices do not fit the replay.
    #[error("the replay {0}")]
    Replay(&'static str),
}

/// A certificate taken apart, its choices not yet replayed.
#[derive(Clone, Debug)]
pub struct Certificate<'a> {
    /// What it claims to prove.
    pub claim: Claim,
    /// Positions with the winner to move, as the header says.
    pub positions: u64,
    /// The longest line in plies, as the header says.
    pub plies: u32,
    /// The endgame tables that it leans on.
    pub tables: Vec<TableId>,
    choices: &'a [u8],
}

/// Writes the certificate of a complete proof.
///
/// # Errors
///
/// Writing failed.
///
/// # Panics
///
/// If the proof lacks a record or has an illegal move, which [`crate::extract`] rules out.
pub fn write(proof: &Proof, out: &mut impl Write) -> io::Result<()> {
    let draft = Draft {
        claim: proof.claim,
        positions: proof.positions(),
        plies: proof.plies,
        tables: proof.tables.clone(),
        choices: choices(proof),
    };
    draft.write(out)
}

/// All that goes into the certificate of a complete proof: a byte or two a position.
#[derive(Clone, Debug)]
pub struct Draft {
    claim: Claim,
    positions: u64,
    plies: Plies,
    tables: Vec<TableId>,
    choices: Vec<u8>,
}

impl Draft {
    /// Collects what [`extract`](crate::extract) and [`write()`] would, in one walk.
    ///
    /// # Errors
    ///
    /// As for [`extract`](crate::extract).
    pub fn extract<S: Strategy, T: EndTables>(
        claim: &Claim,
        strategy: &mut S,
        tables: &T,
    ) -> Result<Self, ExtractError<S::Error>> {
        let mut choices = Vec::new();
        let mut choose = |index| push_choice(&mut choices, index);
        let proof = extract_in_order(claim, strategy, tables, &mut choose)?;
        Ok(Self {
            claim: *claim,
            positions: proof.positions(),
            plies: proof.plies,
            tables: proof.tables,
            choices,
        })
    }

    /// The number of distinct positions with the winner to move.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Writes the certificate.
    ///
    /// # Errors
    ///
    /// Writing failed.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let header = self.header();
        let mut checksum = CRC.digest();
        checksum.update(&header);
        checksum.update(&self.choices);
        out.write_all(&header)?;
        out.write_all(&self.choices)?;
        out.write_all(&checksum.finalize().to_le_bytes())
    }

    /// The fields before the choices.
    fn header(&self) -> Vec<u8> {
        let root = fen::write_position(&self.claim.root);
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.push(self.claim.ruleset.code());
        bytes.push(u8::from(self.claim.winner == Color::Black));
        bytes.extend(self.positions.to_le_bytes());
        bytes.extend(u32::from(self.plies.0).to_le_bytes());
        let root_len = u16::try_from(root.len()).expect("a FEN is shorter than 65,536 bytes");
        bytes.extend(root_len.to_le_bytes());
        bytes.extend(root.as_bytes());
        let tables = u16::try_from(self.tables.len()).expect("there are fewer than 65,536 tables");
        bytes.extend(tables.to_le_bytes());
        for table in &self.tables {
            let name_len = u8::try_from(table.name.len()).expect("a table's name is short");
            bytes.push(name_len);
            bytes.extend(table.name.as_bytes());
            bytes.extend(table.sha256);
        }
        bytes.extend((self.choices.len() as u64).to_le_bytes());
        bytes
    }
}

/// The choices in replay order.
fn choices(proof: &Proof) -> Vec<u8> {
    let mut bytes = Vec::new();
    let covered = Covered::by(&proof.tables);
    replay(&proof.claim, &covered, |position, legal| {
        let entry = proof.entry(position).ok_or(())?;
        let index = legal.binary_search(&entry.mv).map_err(|_| ())?;
        push_choice(&mut bytes, index);
        Ok::<_, ()>(entry.mv)
    })
    .expect("a proof is complete and its moves are legal");
    bytes
}

fn push_choice(bytes: &mut Vec<u8>, index: usize) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no position has 510 legal moves"
    )]
    if index < ESCAPE {
        bytes.push(index as u8);
    } else {
        bytes.extend([255, (index - ESCAPE) as u8]);
    }
}

/// Visits positions in the replay order of the format, and asks `choose` at each new one of the winner.
fn replay<E>(
    claim: &Claim,
    covered: &Covered,
    mut choose: impl FnMut(&Position, &MoveList) -> Result<Move, E>,
) -> Result<(), E> {
    let mut met = HashSet::new();
    let mut stack = vec![claim.root];
    while let Some(mut position) = stack.pop() {
        if covered.contains(&position) {
            continue;
        }
        let mut legal = canonical_moves(&position, claim.ruleset);
        if position.side_to_move() == claim.winner && !legal.is_empty() {
            if !met.insert(position.pack()) {
                continue;
            }
            position = position.after(choose(&position, &legal)?, claim.ruleset);
            if covered.contains(&position) {
                continue;
            }
            legal = canonical_moves(&position, claim.ruleset);
        }
        // The first reply is followed first, so it goes on the stack last.
        let replies = legal.iter().rev();
        stack.extend(replies.map(|&mv| position.after(mv, claim.ruleset)));
    }
    Ok(())
}

/// Takes fields off the front of a certificate.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], CertificateError> {
        let (head, rest) = self
            .0
            .split_at_checked(len)
            .ok_or(CertificateError::Length("too short"))?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CertificateError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn tables(&mut self) -> Result<Vec<TableId>, CertificateError> {
        let number = u16::from_le_bytes(self.array()?);
        let mut tables = Vec::new();
        for _ in 0..number {
            let [name_len] = self.array()?;
            let name = String::from_utf8_lossy(self.take(usize::from(name_len))?).into_owned();
            let sha256 = self.array()?;
            let table = TableId { name, sha256 };
            // What is written can be read back only if the name is a table's.
            if table.to_string().parse() != Ok(table.clone()) {
                return Err(field("table", &table.name));
            }
            tables.push(table);
        }
        Ok(tables)
    }
}

fn field(field: &'static str, value: &dyn ToString) -> CertificateError {
    CertificateError::Field {
        field,
        value: value.to_string(),
    }
}

impl<'a> Certificate<'a> {
    /// Reads the header and checks the checksum.
    ///
    /// # Errors
    ///
    /// The bytes are no certificate, one of a later version, or damaged.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CertificateError> {
        let mut reader = Reader(bytes);
        if reader.take(MAGIC.len()) != Ok(&MAGIC) {
            return Err(CertificateError::Magic);
        }
        let version = u16::from_le_bytes(reader.array()?);
        if version != VERSION {
            return Err(CertificateError::Version(version));
        }
        let Some((body, checksum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(CertificateError::Length("too short"));
        };
        if CRC.checksum(body) != u64::from_le_bytes(*checksum) {
            return Err(CertificateError::Checksum);
        }
        let [code] = reader.array()?;
        let ruleset = Ruleset::from_code(code).ok_or_else(|| field("ruleset", &code))?;
        let winner = match reader.array()? {
            [0] => Color::White,
            [1] => Color::Black,
            [other] => return Err(field("winner", &other)),
        };
        let positions = u64::from_le_bytes(reader.array()?);
        let plies = u32::from_le_bytes(reader.array()?);
        let root_len = u16::from_le_bytes(reader.array()?);
        let root = String::from_utf8_lossy(reader.take(usize::from(root_len))?);
        let root = *fen::parse(&root, ruleset)
            .map_err(|error| field("root", &error))?
            .game
            .position();
        let tables = reader.tables()?;
        let choice_len = u64::from_le_bytes(reader.array()?);
        let choice_len =
            usize::try_from(choice_len).map_err(|_| CertificateError::Length("too short"))?;
        let choices = reader.take(choice_len)?;
        if reader.0.len() != CHECKSUM_BYTES {
            return Err(CertificateError::Length("too long or too short"));
        }
        Ok(Self {
            claim: Claim {
                ruleset,
                root,
                winner,
            },
            positions,
            plies,
            tables,
            choices,
        })
    }

    /// Replays the choices into a strategy. Whether it proves the claim is for [`crate::extract`] and the verifier to say.
    ///
    /// # Errors
    ///
    /// A choice names no legal move, or the choices end too soon or are not used up.
    pub fn strategy(&self) -> Result<ChosenMoves, CertificateError> {
        let mut moves = HashMap::new();
        let mut rest = self.choices;
        let covered = Covered::by(&self.tables);
        replay(&self.claim, &covered, |position, legal| {
            let index = take_choice(&mut rest)?;
            let mv = *legal.get(index).ok_or(CertificateError::Choice {
                number: moves.len() as u64,
                index,
                legal: legal.len(),
            })?;
            moves.insert(Record::id(position), mv);
            Ok(mv)
        })?;
        if !rest.is_empty() {
            return Err(CertificateError::Replay("ends with choices left over"));
        }
        Ok(ChosenMoves(moves))
    }
}

fn take_choice(rest: &mut &[u8]) -> Result<usize, CertificateError> {
    let mut next = || -> Result<usize, CertificateError> {
        let (&byte, tail) = rest
            .split_first()
            .ok_or(CertificateError::Replay("needs more choices"))?;
        *rest = tail;
        Ok(usize::from(byte))
    };
    match next()? {
        ESCAPE => Ok(ESCAPE + next()?),
        index => Ok(index),
    }
}

/// The choices of a certificate by position.
#[derive(Clone, Debug)]
pub struct ChosenMoves(HashMap<(u64, u64), Move>);

impl Strategy for ChosenMoves {
    type Error = Infallible;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, Infallible> {
        Ok(self.0.get(&Record::id(position)).map(|&mv| Entry {
            mv,
            height: Plies::ZERO,
        }))
    }
}

#[cfg(test)]
mod tests;
