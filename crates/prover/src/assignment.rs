//! Jobs of a manager and their results as plain values, which may be carried anywhere.

use rules::{Color, PackedPosition, Ruleset, UnpackError};
use search::{Answer, Job, Limits, PnDn, Report, Thresholds};

use crate::codec::{self, CodecError};

const MAGIC_OF_ASSIGNMENT: [u8; 4] = *b"TMjb";
const MAGIC_OF_RESULT: [u8; 4] = *b"TMrs";
/// Payload bytes at most: a path of 2,000 keys takes 18,000.
const MOST_BYTES: usize = 1 << 16;

/// A position to be searched, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Tells it from others of its campaign.
    pub ticket: u64,
    /// The position.
    pub root: PackedPosition,
    /// The game that is played.
    pub ruleset: Ruleset,
    /// The side whose win is to be shown.
    pub attacker: Color,
    /// Keys of the positions before it: to come back to one counts as failure.
    pub path: Vec<u64>,
    /// Expansions at most.
    pub nodes: u64,
    /// The numbers at which the search is no longer worth going on with.
    pub thresholds: Thresholds,
}

/// What came of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The assignment's ticket.
    pub ticket: u64,
    /// The answer and what it cost.
    pub report: Report,
}

impl Assignment {
    /// The question for the search.
    ///
    /// # Errors
    ///
    /// The packed position is none of the ruleset's.
    pub fn job(&self) -> Result<Job, UnpackError> {
        Ok(Job {
            root: self.root.unpack(self.ruleset)?,
            attacker: self.attacker,
            ruleset: self.ruleset,
            path: self.path.clone(),
        })
    }

    /// How far to search.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            root: self.thresholds,
            ..Limits::nodes(self.nodes)
        }
    }

    /// The assignment as bytes.
    ///
    /// # Panics
    ///
    /// If the path is longer than any search makes it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Thresholds { pn, dn } = self.thresholds;
        let value = (
            self.ticket,
            self.root.as_bytes(),
            self.ruleset.code(),
            self.attacker == Color::White,
            &self.path,
            self.nodes,
            (pn, dn),
        );
        codec::encode(MAGIC_OF_ASSIGNMENT, MOST_BYTES, &value).expect("paths are short")
    }

    /// The assignment that [`Assignment::to_bytes`] made bytes of.
    ///
    /// # Errors
    ///
    /// The bytes are damaged, too many, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        type Value = (u64, Vec<u8>, u8, bool, Vec<u64>, u64, (u64, u64));
        let (ticket, root, ruleset, white, path, nodes, (pn, dn)): Value =
            codec::decode(MAGIC_OF_ASSIGNMENT, MOST_BYTES, bytes)?;
        Ok(Self {
            ticket,
            root: PackedPosition::from_bytes(&root).map_err(|_| CodecError::Senseless)?,
            ruleset: Ruleset::from_code(ruleset).ok_or(CodecError::Senseless)?,
            attacker: if white { Color::White } else { Color::Black },
            path,
            nodes,
            thresholds: Thresholds { pn, dn },
        })
    }
}

impl Finding {
    /// The finding as bytes.
    ///
    /// # Panics
    ///
    /// Never: it is short.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (kind, first, second) = match self.report.answer {
            Answer::Proven(height) => (0u8, u32::from(height.0), 0),
            Answer::Disproven => (1, 0, 0),
            Answer::Open(PnDn { pn, dn }) => (2, pn, dn),
        };
        let value = (self.ticket, kind, first, second, self.report.nodes);
        codec::encode(MAGIC_OF_RESULT, MOST_BYTES, &value).expect("five numbers are few bytes")
    }

    /// The finding that [`Finding::to_bytes`] made bytes of.
    ///
    /// # Errors
    ///
    /// The bytes are damaged, too many, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let (ticket, kind, first, second, nodes): (u64, u8, u32, u32, u64) =
            codec::decode(MAGIC_OF_RESULT, MOST_BYTES, bytes)?;
        let answer = match kind {
            0 => {
                let height = u16::try_from(first).map_err(|_| CodecError::Senseless)?;
                Answer::Proven(proof::Plies(height))
            }
            1 => Answer::Disproven,
            2 => Answer::Open(PnDn {
                pn: first,
                dn: second,
            }),
            _ => return Err(CodecError::Senseless),
        };
        Ok(Self {
            ticket,
            report: Report { answer, nodes },
        })
    }
}

#[cfg(test)]
mod tests {
    use proof::Plies;
    use rules::Game;

    use super::*;

    fn assignment() -> Assignment {
        Assignment {
            ticket: 7,
            root: Game::initial(Ruleset::Joint).position().pack(),
            ruleset: Ruleset::Joint,
            attacker: Color::Black,
            path: vec![3, u64::MAX, 5],
            nodes: 20_000,
            thresholds: Thresholds {
                pn: 40,
                dn: u64::MAX,
            },
        }
    }

    #[test]
    fn an_assignment_survives_the_way_through_bytes() {
        let assignment = assignment();
        let back = Assignment::from_bytes(&assignment.to_bytes());
        assert_eq!(back.expect("sound"), assignment);
        assert!(assignment.job().is_ok());
    }

    #[test]
    fn a_finding_survives_the_way_through_bytes() {
        let answers = [
            Answer::Proven(Plies(300)),
            Answer::Disproven,
            Answer::Open(PnDn { pn: 5, dn: 9 }),
        ];
        for answer in answers {
            let finding = Finding {
                ticket: 1,
                report: Report { answer, nodes: 4 },
            };
            assert_eq!(
                Finding::from_bytes(&finding.to_bytes()).expect("sound"),
                finding
            );
        }
    }

    #[test]
    fn each_changed_byte_and_each_lost_byte_is_told() {
        let bytes = assignment().to_bytes();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(Assignment::from_bytes(&changed).is_err(), "byte {at}");
            assert!(Assignment::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
        }
        let mut long = bytes.clone();
        long.push(0);
        assert!(Assignment::from_bytes(&long).is_err());
        assert!(
            Finding::from_bytes(&bytes).is_err(),
            "it is of another kind"
        );
    }
}
