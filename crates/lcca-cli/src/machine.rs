//! What the machine has, and how much of it was used.

use crate::failure::Failure;
use std::fs;

/// A rayon pool of this size.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::Machine(format!("{threads} threads could not be started: {error}")))
}

/// The most memory this process has held, if the system says.
pub fn peak_rss_bytes() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Half of the machine's memory, or 4 GiB if the system does not say how much it has.
pub fn half_of_memory() -> u64 {
    let total = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kibibytes(&text, "MemTotal:"));
    total.unwrap_or(8 << 30) / 2
}

fn kibibytes(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// "500MB", "8GiB", "1.5G" or plain bytes.
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
