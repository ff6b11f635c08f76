//! Handles memory that the system refuses: the program says so in one line, removes unfinished files, and
//! ends with exit code 3. Rust itself would print a stack trace and abort.
//!
//! Code that asks whether there is memory, see [`lcca::granted`], gets an answer instead and goes on.

use crate::last_words;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::SeqCst};
use std::time::Duration;

/// The bytes that are set aside for removing unfinished files when no other memory is left.
const RESERVE: Layout = Layout::new::<[u8; 1 << 20]>();

static SET_ASIDE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static IS_ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread is ending the program.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator, which ends the program if there is no memory left.
pub struct Allocator;

// SAFETY: every call goes to the system's allocator with unchanged arguments.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of the call.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of the call.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises of the call.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the promises of the call.
        granted(unsafe { System.realloc(place, layout, size) }, size)
    }
}

/// Fewer bytes than this are never only asked for. The standard library allocates a few dozen while a thread
/// that asks starts others, and would abort with a message of its own if they were refused.
const SMALL: usize = 1 << 12;

#[inline]
fn granted(place: *mut u8, bytes: usize) -> *mut u8 {
    if place.is_null() && (bytes < SMALL || !lcca::granted::is_asking()) {
        end(bytes);
    }
    place
}

/// Sets memory aside for the end of the program.
pub fn prepare() {
    // SAFETY: the layout is not empty.
    SET_ASIDE.store(unsafe { System.alloc(RESERVE) }, SeqCst);
}

#[cold]
fn end(bytes: usize) -> ! {
    if ENDS.replace(true) {
        // There is too little memory even for removing files.
        last_words::end();
    }
    if IS_ENDING.swap(true, SeqCst) {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    let mut digits = [0; 20];
    last_words::say(&[
        b"lcca: out of memory: the system refused ",
        decimal(bytes, &mut digits),
        b" bytes more; this machine, ulimit -v or a container allows too little for this command\n",
    ]);
    let set_aside = SET_ASIDE.swap(std::ptr::null_mut(), SeqCst);
    if !set_aside.is_null() {
        // SAFETY: the memory was allocated with this layout, and no other thread has it, because of the
        // swap.
        unsafe { System.dealloc(set_aside, RESERVE) };
    }
    lcca_io::remove_unfinished_at_once();
    last_words::end()
}

/// A number in decimal digits, written without allocating memory.
fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn numbers_have_their_digits() {
        for number in [0, 7, 10, 67_108_864, usize::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string().as_bytes());
        }
    }
}
