//! Finds the mapped file that an address is in, for a handler of the signal that the system sends if a
//! mapped file is cut short or its disk fails while it is in use.
//!
//! Because such a handler may neither lock nor allocate, the places are in a table of fixed size, and the
//! names of files stay in memory for good. A program that installs a handler switches the table on; others
//! pay nothing.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};

/// The number of files that are noted. A fit maps a handful; if there are more, the oldest are forgotten.
const SLOTS: usize = 64;

struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
    name: AtomicPtr<u8>,
    name_len: AtomicUsize,
}

static IN_USE: AtomicBool = AtomicBool::new(false);
static NEXT: AtomicUsize = AtomicUsize::new(0);
static SLOT: [Slot; SLOTS] = [const {
    Slot {
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        name: AtomicPtr::new(std::ptr::null_mut()),
        name_len: AtomicUsize::new(0),
    }
}; SLOTS];

/// Notes the places of files that are mapped from now on.
pub fn note_mapped_files() {
    IN_USE.store(true, SeqCst);
}

pub(crate) fn note(path: &Path, bytes: &[u8]) {
    if !IN_USE.load(SeqCst) {
        return;
    }
    let slot = &SLOT[NEXT.fetch_add(1, SeqCst) % SLOTS];
    let name: &'static [u8] = crate::words::legible::legible_path(path).into_bytes().leak();
    let place = bytes.as_ptr_range();
    // While the slot changes it holds no address.
    slot.end.store(0, SeqCst);
    slot.name_len.store(0, SeqCst);
    slot.name.store(name.as_ptr().cast_mut(), SeqCst);
    slot.name_len.store(name.len(), SeqCst);
    slot.start.store(place.start as usize, SeqCst);
    slot.end.store(place.end as usize, SeqCst);
}

/// The name of the mapped file that holds this address. Safe to call from a signal handler.
pub fn mapped_file_at(address: usize) -> Option<&'static [u8]> {
    // The rest of the last page belongs to the file too.
    let holds = |slot: &&Slot| {
        let end = slot.end.load(SeqCst);
        end > 0 && (slot.start.load(SeqCst)..end.next_multiple_of(1 << 12)).contains(&address)
    };
    let newest_first = (1..=SLOTS).map(|back| &SLOT[NEXT.load(SeqCst).wrapping_sub(back) % SLOTS]);
    let slot = newest_first.into_iter().find(holds)?;
    let (name, len) = (slot.name.load(SeqCst), slot.name_len.load(SeqCst));
    if name.is_null() {
        return None;
    }
    // SAFETY: names are never freed, and a length is stored only after the name that it belongs to.
    Some(unsafe { std::slice::from_raw_parts(name, len) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_in_the_file_that_was_mapped_there_last() {
        note_mapped_files();
        let bytes = vec![0u8; 1 << 13];
        note(Path::new("first"), &bytes);
        note(Path::new("sec\x1bond"), &bytes);
        assert_eq!(mapped_file_at(bytes.as_ptr() as usize + 99), Some(&b"sec\\u{1b}ond"[..]));
        assert_eq!(mapped_file_at(8), None);
    }
}
