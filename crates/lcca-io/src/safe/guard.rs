//! Catches panics of libraries that panic over broken files, and reports them as a broken file.

#[cfg(any(feature = "parquet", feature = "arrow", test))]
use crate::error::{Fault, Outcome};
use std::cell::Cell;
#[cfg(any(feature = "parquet", feature = "arrow", test))]
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would be caught here. A hook that reports panics should be silent then.
pub fn panics_are_guarded() -> bool {
    GUARDED.get()
}

/// Runs work that may panic over broken input. No caller can see the data of unfinished work, because it is
/// dropped with the error.
#[cfg(any(feature = "parquet", feature = "arrow", test))]
pub(crate) fn guarded<T>(what: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    result.unwrap_or_else(|_| Err(Fault::new(format!("truncated, corrupt or not a {what} file"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_fault_and_nothing_else_changes() {
        let fault = guarded("test", || -> Outcome<()> { panic!("seen in the log of tests only") }).err();
        assert!(matches!(fault, Some(Fault::Bad { message, .. }) if message.contains("not a test file")));
        assert!(
            !panics_are_guarded() && guarded("test", || Ok(panics_are_guarded())).is_ok_and(|inside| inside)
        );
    }
}
