//! Packs numbers into compact text: single precision in base64 (RFC 4648). A number takes about five
//! characters and keeps seven digits.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Packs numbers as little-endian f32.
pub fn numbers(values: impl IntoIterator<Item = f64>) -> String {
    base64(&values.into_iter().flat_map(|value| (value as f32).to_le_bytes()).collect::<Vec<_>>())
}

/// Packs whole numbers up to 255.
pub fn bytes(values: &[u8]) -> String {
    base64(values)
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for triple in bytes.chunks(3) {
        let byte = |i: usize| u32::from(triple.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= triple.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        for (plain, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), expected);
        }
    }

    #[test]
    fn a_number_is_four_bytes() {
        assert_eq!(numbers([1.0]), base64(&[0, 0, 0x80, 0x3f]));
        assert_eq!(bytes(&[251, 255]), "+/8=");
    }
}
