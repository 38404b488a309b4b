//! Values as bytes: framed, so that what is damaged, cut or of another version is told.
//!
//! ```text
//! 4 bytes   magic: what it is
//! 1 byte    version
//! 4 bytes   length of the payload, little-endian
//! n bytes   payload: bincode
//! 8 bytes   CRC-64/XZ of all that, little-endian
//! ```
//!
//! Only for what one version of the program writes and reads again; what is to last is specified byte by byte.

use bincode::{Decode, Encode, config};
use crc::{CRC_64_XZ, Crc};
use thiserror::Error;

const VERSION: u8 = 1;
const HEAD_BYTES: usize = 9;
const CHECKSUM_BYTES: usize = 8;
/// Bytes that lists may claim while they are read.
const MOST_CLAIMED: usize = 1 << 28;
/// The checksum of all that this crate makes bytes of.
pub(crate) const CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// Why bytes are no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodecError {
    /// Fewer bytes, or more, than the head says.
    #[error("the bytes are cut, or there are too many")]
    Length,
    /// More than there may be.
    #[error("{found} bytes are more than the {most} that it may have")]
    TooLong {
        /// So many there are.
        found: usize,
        /// So many there may be.
        most: usize,
    },
    /// Another kind of value, or none.
    #[error("the bytes are something else")]
    Magic,
    /// Of another version of the program.
    #[error("the version is {found}, and {VERSION} is known")]
    Version {
        /// The version found.
        found: u8,
    },
    /// The checksum does not fit.
    #[error("the checksum does not fit")]
    Checksum,
    /// Sound bytes that mean nothing.
    #[error("the bytes mean nothing")]
    Senseless,
}

/// The value as bytes.
///
/// # Errors
///
/// The payload is longer than `most` bytes.
pub(crate) fn encode(
    magic: [u8; 4],
    most: usize,
    value: &impl Encode,
) -> Result<Vec<u8>, CodecError> {
    let payload = bincode::encode_to_vec(value, config::standard())
        .expect("writing to memory, of types without failures");
    let found = payload.len();
    let length = u32::try_from(found).ok().filter(|_| found <= most);
    let length = length.ok_or(CodecError::TooLong { found, most })?;
    let mut bytes = Vec::with_capacity(HEAD_BYTES + found + CHECKSUM_BYTES);
    bytes.extend(magic);
    bytes.push(VERSION);
    bytes.extend(length.to_le_bytes());
    bytes.extend(payload);
    bytes.extend(CRC.checksum(&bytes).to_le_bytes());
    Ok(bytes)
}

/// The value that [`encode`] made bytes of.
///
/// # Errors
///
/// See [`CodecError`].
pub(crate) fn decode<T: Decode<()>>(
    magic: [u8; 4],
    most: usize,
    bytes: &[u8],
) -> Result<T, CodecError> {
    let (sealed, checksum) = bytes
        .split_last_chunk::<CHECKSUM_BYTES>()
        .ok_or(CodecError::Length)?;
    let (head, payload) = sealed
        .split_first_chunk::<HEAD_BYTES>()
        .ok_or(CodecError::Length)?;
    let [m0, m1, m2, m3, found, length @ ..] = *head;
    if [m0, m1, m2, m3] != magic {
        return Err(CodecError::Magic);
    }
    if found != VERSION {
        return Err(CodecError::Version { found });
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > most {
        return Err(CodecError::TooLong {
            found: length,
            most,
        });
    }
    if length != payload.len() {
        return Err(CodecError::Length);
    }
    if CRC.checksum(sealed) != u64::from_le_bytes(*checksum) {
        return Err(CodecError::Checksum);
    }
    let config = config::standard().with_limit::<MOST_CLAIMED>();
    let (value, used) =
        bincode::decode_from_slice(payload, config).map_err(|_| CodecError::Senseless)?;
    if used == payload.len() {
        Ok(value)
    } else {
        Err(CodecError::Senseless)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: [u8; 4] = *b"test";

    #[test]
    fn each_complaint_has_its_cause() {
        let bytes = encode(MAGIC, 100, &(1u8, 2u64)).expect("short");
        let value: Result<(u8, u64), _> = decode(MAGIC, 100, &bytes);
        assert_eq!(value, Ok((1, 2)));
        let read = |bytes: &[u8], most| decode::<(u8, u64)>(MAGIC, most, bytes);
        assert_eq!(read(&bytes[..5], 100), Err(CodecError::Length));
        assert_eq!(read(&[], 100), Err(CodecError::Length));
        assert_eq!(
            read(&bytes, 1),
            Err(CodecError::TooLong { found: 2, most: 1 })
        );
        let with = |at: usize, byte: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            read(&bytes, 100)
        };
        assert_eq!(with(0, b'x'), Err(CodecError::Magic));
        assert_eq!(with(4, 9), Err(CodecError::Version { found: 9 }));
        assert_eq!(with(5, 3), Err(CodecError::Length));
        assert_eq!(with(9, 7), Err(CodecError::Checksum));
        let other: Result<u8, _> = decode(MAGIC, 100, &bytes);
        assert_eq!(other, Err(CodecError::Senseless));
        assert_eq!(
            encode(MAGIC, 3, &"long"),
            Err(CodecError::TooLong { found: 5, most: 3 })
        );
    }
}
