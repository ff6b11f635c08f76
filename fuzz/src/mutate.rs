//! Damage: flipped bits, other numbers, parts that are missing, repeated, moved or from elsewhere.

use crate::random::Random;

/// Numbers at which code tends to take another branch.
const NUMBERS: [u64; 22] = [
    0,
    1,
    2,
    7,
    8,
    16,
    64,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Words that mean something in one format or another.
const WORDS: [&str; 44] = [
    "\n",
    "\r\n",
    "\t",
    ",",
    ";",
    "\"",
    "\"\"",
    "'",
    " ",
    "\\",
    "\0",
    "\u{feff}",
    "NA",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-0",
    "1e-320",
    "99999999999999999999",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-1",
    "0.1",
    "{",
    "}",
    "[",
    "]",
    ":",
    "null",
    "true",
    "%%MatrixMarket matrix coordinate real general\n",
    "pattern",
    "symmetric",
    "skew-symmetric",
    "array",
    "qid:",
    "#",
    "'shape': (",
    "'descr': '<f8'",
    "__index_level_0__",
    "\u{1b}[31m",
    "ÿ",
];

/// Damages `bytes` in one to eight places. Parts may come from `other`.
pub fn mutate(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..1 + random.below(8) {
        once(random, bytes, other);
        // Inputs stay small, because readers are fast then and size is not what breaks them.
        bytes.truncate(1 << 16);
    }
}

fn once(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    let len = bytes.len();
    let place = random.below(len);
    match random.below(12) {
        0 | 1 if len > 0 => bytes[place] ^= 1 << random.below(8),
        2 if len > 0 => bytes[place] = random.next() as u8,
        3 | 4 => number(random, bytes, place),
        5 => drop(bytes.drain(place..(place + 1 + random.below(32)).min(len).max(place))),
        6 => {
            let part = bytes[place..(place + 1 + random.below(64)).min(len)].to_vec();
            insert(bytes, random.below(len + 1), &part);
        }
        7 => {
            let start = random.below(other.len());
            let part = &other[start..(start + 1 + random.below(64)).min(other.len())];
            insert(bytes, random.below(len + 1), part);
        }
        8 => insert(bytes, random.below(len + 1), random.pick(&WORDS).as_bytes()),
        9 => {
            let word = random.pick(&WORDS).as_bytes();
            let end = (place + word.len()).min(len);
            bytes[place..end].copy_from_slice(&word[..end - place]);
        }
        10 if random.once_in(4) => bytes.truncate(place),
        10 => {
            // A number in a text becomes another one.
            if let Some(digit) = bytes[place..].iter().position(u8::is_ascii_digit) {
                bytes[place + digit] = b'0' + random.below(10) as u8;
            }
        }
        _ => {
            let from = random.below(len);
            let count = (1 + random.below(32)).min(len - place.max(from));
            bytes.copy_within(from..from + count, place);
        }
    }
}

/// A number of 1, 2, 4 or 8 bytes, least significant first, or a small change of the one that is there.
fn number(random: &mut Random, bytes: &mut [u8], place: usize) {
    let width = [1, 2, 4, 8][random.below(4)].min(bytes.len() - place);
    let number = if random.once_in(3) {
        let mut there = [0; 8];
        there[..width].copy_from_slice(&bytes[place..place + width]);
        u64::from_le_bytes(there).wrapping_add(random.below(65) as u64).wrapping_sub(32)
    } else {
        *random.pick(&NUMBERS)
    };
    bytes[place..place + width].copy_from_slice(&number.to_le_bytes()[..width]);
}

fn insert(bytes: &mut Vec<u8>, place: usize, part: &[u8]) {
    let tail = bytes.split_off(place);
    bytes.extend(part);
    bytes.extend(tail);
}
