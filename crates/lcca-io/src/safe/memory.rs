//! Memory for the sizes that files claim or unpack to. It is requested before it is needed, so that too
//! little memory is an error and not the end of the process.

use crate::error::{Fault, Outcome};
use crate::words::numbers::grouped;
use lcca::granted::{ask, is_granted};
use std::io::{self, Read};

/// The largest size that is granted without a check, because every machine has it, and asking would cost
/// more than it saves.
const SMALL: u64 = 64 << 20;

/// The number of bytes that are unpacked at a time.
const STEP: usize = 1 << 20;

/// Refuses to take more memory than there is. `what` names its use in the message.
pub(crate) fn check(bytes: u64, what: &str) -> Outcome<()> {
    if bytes <= SMALL {
        return Ok(());
    }
    let reservable = is_granted(bytes);
    match available() {
        Some(available) if bytes > available => {
            Err(too_much(what, bytes, &format!("and about {} are free", grouped(available))))
        }
        _ if !reservable => Err(too_much(what, bytes, "more than this process may have")),
        _ => Ok(()),
    }
}

/// Refuses a table whose cells would take more memory than there is. A cell takes twelve bytes, because
/// columns are numbers of eight bytes before they are rows, and the rows take at least four bytes more.
pub(crate) fn check_cells(rows: usize, columns: usize) -> Outcome<()> {
    const BYTES: u64 = 12;
    let cells = (rows as u64).saturating_mul(columns as u64);
    let (rows, columns) = (grouped(rows as u64), grouped(columns as u64));
    check(cells.saturating_mul(BYTES), &format!("a table of {rows} rows and {columns} columns"))
}

fn too_much(what: &str, bytes: u64, limit: &str) -> Fault {
    io::Error::new(
        io::ErrorKind::OutOfMemory,
        format!("{what} would take about {} bytes of memory, {limit}", grouped(bytes)),
    )
    .into()
}

/// The bytes that other programs leave free, if the system says. Pages of files count as free, because they
/// are given back.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let machine = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)?;
    Some(group_limit().map_or(machine, |group| machine.min(group)))
}

/// The bytes that the control group of this process, such as a container's, leaves free.
fn group_limit() -> Option<u64> {
    let number = |file: &str| {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<u64>().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

/// Reads at most `most` bytes. Memory grows with the bytes that arrive, never with a size that is claimed.
pub(crate) fn read_at_most(from: impl Read, most: u64) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    append_at_most(&mut bytes, from, most)?;
    Ok(bytes)
}

/// Reads at most `most` bytes as [`read_at_most`] does, and appends them to `bytes`.
pub(crate) fn append_at_most(bytes: &mut Vec<u8>, from: impl Read, most: u64) -> Outcome<()> {
    let mut from = from.take(most);
    loop {
        // Reserves as much room again, so that few bytes are moved, but not more than can arrive.
        let room = usize::try_from(from.limit()).unwrap_or(usize::MAX).min(bytes.len().max(STEP));
        check((bytes.len() + room) as u64, "the unpacked file")?;
        if ask(|| bytes.try_reserve_exact(room)).is_err() {
            return Err(too_much(
                "the unpacked file",
                (bytes.len() + room) as u64,
                "more than this process may have",
            ));
        }
        let read = from.by_ref().take(room as u64).read_to_end(bytes)?;
        if read < room || from.limit() == 0 {
            bytes.shrink_to_fit();
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_and_is_no_fault_of_the_file() {
        assert!(check(1 << 20, "a test").is_ok());
        let error = check(1 << 60, "a test").unwrap_err().at(std::path::Path::new("f"));
        assert!(
            error.is_machine_failure() && error.to_string().contains("a test would take about"),
            "{error}"
        );
    }

    #[test]
    fn no_more_is_read_than_allowed() {
        for (most, expected) in [(0, 0), (7, 7), (5 << 20, 5 << 20)] {
            assert_eq!(read_at_most(io::repeat(1), most).ok().unwrap().len(), expected);
        }
        assert_eq!(read_at_most(&b"abc"[..], 99).ok().unwrap(), b"abc");
    }
}
