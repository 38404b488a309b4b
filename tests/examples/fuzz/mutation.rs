//! Inputs made of others.

use crate::random::Random;

/// Bytes that stand at the edges of ranges.
const BYTES: [u8; 10] = [0, 1, 2, 0x0a, 0x20, 0x3f, 0x7f, 0x80, 0xfe, 0xff];
/// Words that do, indices and marks of the formats among them.
const WORDS: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0xfedc,
    0xffff,
    0x3fff_fffe,
    0x3fff_ffff,
    0x7fff_ffff,
    0xffff_ffff,
    i64::MAX as u64,
    u64::MAX,
];
/// Changes to one input at most.
const MOST_CHANGES: usize = 5;
/// The longest range that is moved, added or removed.
const LONGEST_RANGE: usize = 64;

/// An input changed in a few places. `other` lends bytes, `words` are what the format is made of.
pub(crate) fn mutant(
    random: &mut Random,
    input: &[u8],
    other: &[u8],
    words: &[&[u8]],
    most_bytes: usize,
) -> Vec<u8> {
    let mut bytes = input.to_vec();
    // Mostly one change: what stays whole is read further.
    let changes = 1 + random.below(MOST_CHANGES) * random.below(2);
    for _ in 0..changes {
        change(random, &mut bytes, other, words);
    }
    bytes.truncate(most_bytes);
    bytes
}

fn change(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8], words: &[&[u8]]) {
    let at = random.below(bytes.len() + 1);
    let range = {
        let len = random.below(LONGEST_RANGE.min(bytes.len() - at + 1));
        at..at + len
    };
    match random.below(14) {
        0 | 1 => with_byte(bytes, at, |byte| *byte ^= 1 << random.below(8)),
        2 => with_byte(bytes, at, |byte| *byte = BYTES[random.below(BYTES.len())]),
        3 => with_byte(bytes, at, |byte| *byte = any_byte(random)),
        4 => with_byte(bytes, at, |byte| *byte = byte.wrapping_add(1)),
        5 => with_byte(bytes, at, |byte| *byte = byte.wrapping_sub(1)),
        6 => {
            let word = WORDS[random.below(WORDS.len())].to_le_bytes();
            overwrite(bytes, at, &word[..1 << random.below(4)]);
        }
        7 => bytes.truncate(at),
        8 => drop(bytes.drain(range)),
        9 => {
            let copy = bytes[range].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        10 => {
            let copy = bytes[range].to_vec();
            let to = random.below(bytes.len() + 1);
            overwrite(bytes, to, &copy);
        }
        11 => {
            bytes.truncate(at);
            bytes.extend(&other[random.below(other.len() + 1)..]);
        }
        12 if !words.is_empty() => {
            bytes.splice(at..at, words[random.below(words.len())].iter().copied());
        }
        _ if !words.is_empty() => overwrite(bytes, at, words[random.below(words.len())]),
        _ => bytes.insert(at, any_byte(random)),
    }
}

fn any_byte(random: &mut Random) -> u8 {
    random.below(256).to_le_bytes()[0]
}

fn with_byte(bytes: &mut [u8], at: usize, change: impl FnOnce(&mut u8)) {
    if let Some(byte) = bytes.get_mut(at) {
        change(byte);
    }
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, &new) in bytes[at..].iter_mut().zip(with) {
        *byte = new;
    }
}
