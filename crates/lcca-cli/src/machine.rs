//! The threads and memory of the machine, and the memory that the program used.

use crate::failure::Failure;
use std::fs;

/// Starts a rayon pool of this many threads.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::Machine(format!("{threads} threads could not be started: {error}")))
}

/// The most memory that this process has held, if the system says.
pub fn peak_rss_bytes() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Half of the machine's memory, or 4 GiB if the system does not say how much it has.
pub fn half_of_memory() -> u64 {
    let total = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kibibytes(&text, "MemTotal:"));
    total.or_else(system::memory_bytes).unwrap_or(8 << 30) / 2
}

fn kibibytes(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// The memory of systems without `/proc`.
#[cfg(unix)]
mod system {
    pub fn memory_bytes() -> Option<u64> {
        // SAFETY: these calls take a number and return one.
        let [pages, size] =
            unsafe { [libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)] };
        u64::try_from(pages).ok()?.checked_mul(u64::try_from(size).ok()?)
    }
}

#[cfg(windows)]
mod system {
    /// Windows' MEMORYSTATUSEX structure.
    #[repr(C)]
    struct MemoryStatus {
        length: u32,
        load: u32,
        total: u64,
        others: [u64; 6],
    }

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GlobalMemoryStatusEx(status: *mut MemoryStatus) -> i32;
    }

    pub fn memory_bytes() -> Option<u64> {
        let length = size_of::<MemoryStatus>() as u32;
        let mut status = MemoryStatus { length, load: 0, total: 0, others: [0; 6] };
        // SAFETY: the structure outlives the call, which fills it in, and holds its own length.
        (unsafe { GlobalMemoryStatusEx(&mut status) } != 0).then_some(status.total)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The numbers agree only roughly, because `/proc` counts the kernel's own memory a little differently.
    #[test]
    fn both_ways_to_ask_for_memory_agree() {
        let asked = system::memory_bytes().unwrap() as f64;
        let told = 2.0 * half_of_memory() as f64;
        assert!((asked / told - 1.0).abs() < 0.1, "{asked} {told}");
    }
}
