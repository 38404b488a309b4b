//! CRC-64/XZ, the checksum that ends a certificate.
//!
//! Reflected polynomial `C96C5795D7870F42`, register starting as ones and inverted at the end (the ECMA-182 polynomial as
//! used by the xz file format). It guards against damage, not against forgery: the replay does that.

const POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;

static TABLE: [u64; 256] = table();

#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "evaluated by the compiler, which refuses an index or a sum that is out of range"
)]
const fn table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut register = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            register = if register & 1 == 1 {
                (register >> 1) ^ POLYNOMIAL
            } else {
                register >> 1
            };
            bit += 1;
        }
        table[byte] = register;
        byte += 1;
    }
    table
}

/// The CRC-64/XZ of some bytes.
#[must_use]
pub fn crc64_xz(bytes: &[u8]) -> u64 {
    let step = |register: u64, byte: &u8| {
        let [low, ..] = register.to_le_bytes();
        let entry = TABLE
            .get(usize::from(low ^ byte))
            .copied()
            .unwrap_or_default();
        entry ^ (register >> 8)
    };
    !bytes.iter().fold(u64::MAX, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_value_is_that_of_the_catalogue() {
        assert_eq!(crc64_xz(b"123456789"), 0x995D_C9BB_DF19_39FA);
        assert_eq!(crc64_xz(b""), 0);
    }
}
