//! Numbers of bytes in units.

/// Reads a number of bytes such as "500MB", "8GiB", "1.5G" or plain bytes.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let number_end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..number_end].parse().ok()?;
    let unit = match text[number_end..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some((number * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let parsed = ["1000", "500MB", "8GiB", "1.5g", " 3", "3 kb", "-1", "GB", "1XB", ""].map(parse_bytes);
        let expected = [
            Some(1000),
            Some(500_000_000),
            Some(8 << 30),
            Some(1_500_000_000),
            None,
            Some(3000),
            None,
            None,
            None,
            None,
        ];
        assert_eq!(parsed, expected);
    }
}
