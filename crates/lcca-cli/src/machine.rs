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
