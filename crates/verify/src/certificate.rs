//! Reading certificates, format version 1.
//!
//! The bytes are read in three passes of growing trust: the layout, the checksum, the meaning of the fields. So a cut file is
//! called cut, a damaged one damaged, and a field is judged only in a file that is whole. No length or number in the header is
//! trusted: what a field claims beyond the end of the file is an error before anything is allocated for it.

use std::error::Error;
use std::fmt;

use crate::board::{Color, Position};
use crate::crc::crc64_xz;
use crate::fen::FenError;
use crate::moves::Move;
use crate::replay::{Options, verify};
use crate::ruleset::Ruleset;
use crate::strategy::{Choice, Claim, Strategy, StrategyError};
use crate::tables::{Listed, Signature, TableId, Tables};
use crate::verdict::{Reason, Rejection, Verdict, Verified, counted};

const MAGIC: [u8; 8] = *b"\x89TKMCRT\n";
const VERSION: u16 = 1;
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Why some bytes are not a certificate that can be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CertificateError {
    /// The bytes do not begin with a certificate's magic.
    NotACertificate,
    /// The bytes are a zstd frame.
    Compressed,
    /// The format version is not known.
    UnsupportedVersion(u16),
    /// The bytes end within the field named.
    Truncated(&'static str),
    /// That many bytes follow the checksum.
    TrailingBytes(usize),
    /// The checksum is not that of the bytes before it.
    Checksum {
        /// The checksum at the end of the file.
        stated: u64,
        /// The checksum of the bytes before it.
        found: u64,
    },
    /// The ruleset code is not known.
    UnknownRuleset(u8),
    /// The winner code is not known.
    UnknownWinner(u8),
    /// The root position is not ASCII text.
    RootNotAscii,
    /// The root position is no position.
    Root(FenError),
    /// The root position is written in another form than the format asks for.
    RootNotCanonical {
        /// The form that the format asks for.
        canonical: String,
    },
    /// The name of a table is not two groups of men with a `v` between them.
    TableName(String),
    /// A table is listed twice.
    TableTwice(String),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACertificate => {
                f.write_str("not a certificate: the file does not begin with its magic")
            }
            Self::Compressed => {
                f.write_str("the file is compressed: decompress it with zstd -d first")
            }
            Self::UnsupportedVersion(version) => {
                write!(
                    f,
                    "certificate version {version} is not supported, only version {VERSION} is"
                )
            }
            Self::Truncated(field) => write!(f, "the file ends within {field}"),
            Self::TrailingBytes(count) => {
                let bytes = counted(count, "byte follows", "bytes follow");
                write!(f, "{bytes} the checksum")
            }
            Self::Checksum { stated, found } => {
                write!(
                    f,
                    "checksum {stated:016x} is stated, but the bytes have {found:016x}"
                )
            }
            Self::UnknownRuleset(code) => write!(f, "ruleset code {code} is not known"),
            Self::UnknownWinner(code) => write!(f, "winner code {code} is not 0 or 1"),
            Self::RootNotAscii => f.write_str("root position is not ASCII text"),
            Self::Root(error) => write!(f, "root position: {error}"),
            Self::RootNotCanonical { canonical } => {
                write!(f, "root position must be written {canonical:?}")
            }
            Self::TableName(name) => write!(f, "table name {name:?} is not of the form KRvN"),
            Self::TableTwice(name) => write!(f, "table {name} is listed twice"),
        }
    }
}

impl Error for CertificateError {}

/// A certificate whose layout, checksum and header are in order; whether it proves its claim is for the replay to find out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate<'a> {
    claim: Claim,
    positions: u64,
    plies: u32,
    tables: Vec<TableId>,
    choices: &'a [u8],
}

impl<'a> Certificate<'a> {
    /// Reads a certificate, which must fill the bytes exactly.
    ///
    /// # Errors
    ///
    /// [`CertificateError`], whatever the bytes are.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CertificateError> {
        let layout = Layout::read(bytes)?;
        let ruleset = Ruleset::from_code(layout.ruleset)
            .ok_or(CertificateError::UnknownRuleset(layout.ruleset))?;
        let winner = match layout.winner {
            0 => Color::White,
            1 => Color::Black,
            code => return Err(CertificateError::UnknownWinner(code)),
        };
        Ok(Self {
            claim: Claim {
                ruleset,
                root: read_root(layout.fen, ruleset)?,
                winner,
            },
            positions: layout.positions,
            plies: layout.plies,
            tables: read_tables(&layout.tables)?,
            choices: layout.choices,
        })
    }

    /// What the certificate claims.
    #[must_use]
    pub const fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The number of distinct positions with the winner to move that the header states.
    #[must_use]
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// The length of the longest line that the header states, in plies.
    #[must_use]
    pub const fn plies(&self) -> u32 {
        self.plies
    }

    /// The endgame tables that the certificate may rest on.
    #[must_use]
    pub fn tables(&self) -> &[TableId] {
        &self.tables
    }

    /// The choices, to be replayed once from the first.
    #[must_use]
    pub const fn strategy(&self) -> CertificateStrategy<'a> {
        CertificateStrategy {
            choices: self.choices,
        }
    }

    /// Replays the certificate, as [`verify_certificate`].
    pub fn verify<T: Tables + ?Sized>(&self, tables: &mut T, options: &Options<'_>) -> Verdict {
        let mut listed = match Listed::new(&self.tables, tables) {
            Ok(listed) => listed,
            // Refused when the certificate was read.
            Err(error) => return Verdict::Damaged(StrategyError::Damaged(error.to_string())),
        };
        match verify(&self.claim, &mut self.strategy(), &mut listed, options) {
            Verdict::Verified(verified) => match self.wrong_statement(&verified) {
                None => Verdict::Verified(verified),
                Some(reason) => Verdict::Rejected(Rejection {
                    reason,
                    path: Vec::new(),
                    defects: 1,
                    stopped: false,
                }),
            },
            other => other,
        }
    }

    /// What the header states otherwise than the replay has found.
    fn wrong_statement(&self, verified: &Verified) -> Option<Reason> {
        if self.positions != verified.positions {
            return Some(Reason::WrongPositionsCount {
                stated: self.positions,
                found: verified.positions,
            });
        }
        if self.plies != verified.plies {
            return Some(Reason::WrongPlies {
                stated: self.plies,
                found: verified.plies,
            });
        }
        None
    }
}

/// Reads a certificate and replays it.
///
/// Lines may end in a table only where the certificate lists that table and `tables` holds one with the same content hash.
/// The replay stops at the first defect, because the choices after it are out of step.
///
/// # Errors
///
/// [`CertificateError`] if the bytes are not a certificate.
pub fn verify_certificate<T: Tables + ?Sized>(
    bytes: &[u8],
    tables: &mut T,
    options: &Options<'_>,
) -> Result<Verdict, CertificateError> {
    Ok(Certificate::parse(bytes)?.verify(tables, options))
}

/// The choices of a certificate that the replay has not asked for yet.
#[derive(Clone, Debug)]
pub struct CertificateStrategy<'a> {
    choices: &'a [u8],
}

impl Strategy for CertificateStrategy<'_> {
    /// The next choice, whatever the position; [`Choice::Unknown`] when the choices are used up.
    fn choose(&mut self, _: &Position, _: &[Move]) -> Result<Choice, StrategyError> {
        let (index, rest) = match *self.choices {
            [] => return Ok(Choice::Unknown),
            [u8::MAX] => {
                return Err(StrategyError::Damaged(
                    "the last choice lacks its second byte".to_owned(),
                ));
            }
            [u8::MAX, more, ref rest @ ..] => {
                (u16::from(u8::MAX).saturating_add(u16::from(more)), rest)
            }
            [index, ref rest @ ..] => (u16::from(index), rest),
        };
        self.choices = rest;
        Ok(Choice::Index(index))
    }

    fn end(&mut self) -> Result<(), StrategyError> {
        match u64::try_from(self.choices.len()) {
            Ok(0) => Ok(()),
            count => Err(StrategyError::LeftOver(count.unwrap_or(u64::MAX))),
        }
    }

    fn is_sequential(&self) -> bool {
        true
    }
}

/// The fields of a certificate as bytes and numbers, from a file that is whole.
struct Layout<'a> {
    ruleset: u8,
    winner: u8,
    positions: u64,
    plies: u32,
    fen: &'a [u8],
    tables: Vec<(&'a [u8], [u8; 32])>,
    choices: &'a [u8],
}

impl<'a> Layout<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, CertificateError> {
        if bytes.starts_with(&ZSTD_MAGIC) {
            return Err(CertificateError::Compressed);
        }
        if bytes.iter().zip(MAGIC).any(|(&byte, magic)| byte != magic) {
            return Err(CertificateError::NotACertificate);
        }
        let mut reader = Reader { rest: bytes };
        reader.take(MAGIC.len(), "the magic")?;
        let version = u16::from_le_bytes(reader.array("the version")?);
        if version != VERSION {
            return Err(CertificateError::UnsupportedVersion(version));
        }
        let [ruleset, winner] = reader.array("the ruleset and winner")?;
        let positions = u64::from_le_bytes(reader.array("the number of positions")?);
        let plies = u32::from_le_bytes(reader.array("the number of plies")?);
        let fen_len = u16::from_le_bytes(reader.array("the length of the root position")?);
        let fen = reader.take(usize::from(fen_len), "the root position")?;
        let table_count = u16::from_le_bytes(reader.array("the number of tables")?);
        let mut tables = Vec::new();
        for _ in 0..table_count {
            let [name_len] = reader.array("the list of tables")?;
            let name = reader.take(usize::from(name_len), "the list of tables")?;
            tables.push((name, reader.array("the list of tables")?));
        }
        let choice_len = u64::from_le_bytes(reader.array("the length of the choices")?);
        let choice_len = usize::try_from(choice_len).unwrap_or(usize::MAX);
        let choices = reader.take(choice_len, "the choices")?;
        let stated = u64::from_le_bytes(reader.array("the checksum")?);
        if !reader.rest.is_empty() {
            return Err(CertificateError::TrailingBytes(reader.rest.len()));
        }
        let summed = bytes.len().saturating_sub(size_of::<u64>());
        let found = crc64_xz(bytes.get(..summed).unwrap_or_default());
        if stated != found {
            return Err(CertificateError::Checksum { stated, found });
        }
        Ok(Self {
            ruleset,
            winner,
            positions,
            plies,
            fen,
            tables,
            choices,
        })
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize, field: &'static str) -> Result<&'a [u8], CertificateError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(CertificateError::Truncated(field))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], CertificateError> {
        let (&taken, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(CertificateError::Truncated(field))?;
        self.rest = rest;
        Ok(taken)
    }
}

fn read_root(fen: &[u8], ruleset: Ruleset) -> Result<Position, CertificateError> {
    let text = str::from_utf8(fen).ok().filter(|text| text.is_ascii());
    let text = text.ok_or(CertificateError::RootNotAscii)?;
    let root = Position::from_fen(text, ruleset).map_err(CertificateError::Root)?;
    let canonical = root.fen();
    if canonical == text {
        Ok(root)
    } else {
        Err(CertificateError::RootNotCanonical { canonical })
    }
}

fn read_tables(fields: &[(&[u8], [u8; 32])]) -> Result<Vec<TableId>, CertificateError> {
    let mut tables: Vec<TableId> = Vec::new();
    let mut signatures = std::collections::BTreeSet::new();
    for &(name, sha256) in fields {
        let name = String::from_utf8_lossy(name).into_owned();
        let Some(signature) = Signature::from_name(&name) else {
            return Err(CertificateError::TableName(name));
        };
        if !signatures.insert(signature.min(signature.swapped())) {
            return Err(CertificateError::TableTwice(name));
        }
        tables.push(TableId { name, sha256 });
    }
    Ok(tables)
}
