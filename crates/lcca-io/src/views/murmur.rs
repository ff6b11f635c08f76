//! MurmurHash3 (x86, 32 bits, seed 0) of a token, and the column and sign that it stands for. Both are
//! those of scikit-learn's `FeatureHasher`, so that models move between the two.

/// The column among `1 << bits`, and whether the sign is negative.
pub(crate) fn column(token: &str, bits: u32) -> (u32, bool) {
    let hash = murmur3(token.as_bytes()) as i32;
    (hash.unsigned_abs() & ((1 << bits) - 1), hash < 0)
}

fn murmur3(bytes: &[u8]) -> u32 {
    let blocks = bytes.chunks_exact(4);
    let tail = blocks.remainder().iter().rev().fold(0u32, |sum, &byte| sum << 8 | u32::from(byte));
    let mut hash = blocks.fold(0u32, |hash, block| {
        let block = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        (hash ^ scrambled(block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    hash ^= scrambled(tail);
    hash ^= bytes.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// Mixes the bits of a block. Zero stays zero, so a missing tail changes nothing.
fn scrambled(block: u32) -> u32 {
    block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published values of the function.
    #[test]
    fn the_hash_is_murmur3() {
        assert_eq!(murmur3(b""), 0);
        assert_eq!(murmur3(b"hello"), 0x248b_fa47);
        assert_eq!(murmur3(b"hello, world"), 0x149b_bb7f);
        assert_eq!(murmur3(b"The quick brown fox jumps over the lazy dog"), 0x2e4f_f723);
    }
}
