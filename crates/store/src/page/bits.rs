//! Columns of bit fields: field `i` of width `w` is bits `i·w …`, low bits of each byte first.

/// The eight bytes from `at` on as a number; bytes beyond the end are 0.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    let tail = bytes.get(at..).unwrap_or(&[]);
    if let Some(word) = tail.first_chunk() {
        return u64::from_le_bytes(*word);
    }
    let mut word = [0; 8];
    word[..tail.len()].copy_from_slice(tail);
    u64::from_le_bytes(word)
}

/// `width` bits (at most 63) from bit `bit` on; bits beyond the end are 0.
#[inline]
pub(super) fn get(bytes: &[u8], bit: usize, width: u32) -> u64 {
    debug_assert!(width < 64, "fields are narrower than a word");
    let shift = bit % 8;
    let mut value = word(bytes, bit / 8) >> shift;
    if shift + width as usize > 64 {
        let next = bytes.get(bit / 8 + 8).copied().unwrap_or(0);
        value |= u64::from(next) << (64 - shift);
    }
    value & ((1 << width) - 1)
}

/// Sets `width` bits (at most 63) from bit `bit` on to `value`; they must be 0 before.
///
/// # Panics
///
/// If the field does not lie within `bytes`.
#[inline]
pub(super) fn put(bytes: &mut [u8], bit: usize, width: u32, value: u64) {
    debug_assert!(
        width < 64 && value >> width == 0,
        "the value fits its field"
    );
    let shift = bit % 8;
    let len = (shift + width as usize).div_ceil(8);
    let shifted = (u128::from(value) << shift).to_le_bytes();
    let start = bit / 8;
    for (byte, part) in bytes[start..start + len].iter_mut().zip(shifted) {
        *byte |= part;
    }
}

/// The place of the 0 bit that has `rank` 0 bits before it, among the first `len` bits.
pub(super) fn select_zero(bytes: &[u8], len: usize, rank: u64) -> Option<usize> {
    let mut left = rank;
    for start in (0..len).step_by(64) {
        let mut zeros = !word(bytes, start / 8);
        if len - start < 64 {
            zeros &= (1 << (len - start)) - 1;
        }
        let count = u64::from(zeros.count_ones());
        if left < count {
            for _ in 0..left {
                zeros &= zeros - 1;
            }
            return Some(start + zeros.trailing_zeros() as usize);
        }
        left -= count;
    }
    None
}

/// The place of the first 1 bit from `from` on, among the first `len` bits.
#[inline]
pub(super) fn next_one(bytes: &[u8], len: usize, from: usize) -> Option<usize> {
    let mut at = from;
    while at < len {
        let ones = word(bytes, at / 8) >> (at % 8);
        if ones != 0 {
            let found = at + ones.trailing_zeros() as usize;
            return (found < len).then_some(found);
        }
        at += 64 - at % 8;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn fields_come_back(width in 0u32..64, values in prop::collection::vec(any::<u64>(), 1..40)) {
            let values: Vec<u64> = values.iter().map(|value| value & ((1 << width) - 1)).collect();
            let mut bytes = vec![0; (values.len() * width as usize).div_ceil(8)];
            for (i, &value) in values.iter().enumerate() {
                put(&mut bytes, i * width as usize, width, value);
            }
            for (i, &value) in values.iter().enumerate() {
                prop_assert_eq!(get(&bytes, i * width as usize, width), value);
            }
        }

        #[test]
        fn ones_and_zeros_are_found_as_by_counting(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 0usize..8) {
            let len = (bytes.len() * 8).saturating_sub(cut);
            let bit = |at: usize| bytes[at / 8] >> (at % 8) & 1 == 1;
            let zeros: Vec<usize> = (0..len).filter(|&at| !bit(at)).collect();
            for (rank, &at) in zeros.iter().enumerate() {
                prop_assert_eq!(select_zero(&bytes, len, rank as u64), Some(at));
            }
            prop_assert_eq!(select_zero(&bytes, len, zeros.len() as u64), None);
            for from in 0..len + 2 {
                prop_assert_eq!(next_one(&bytes, len, from), (from..len).find(|&at| bit(at)));
            }
        }
    }
}
