//! Asks for memory before it is needed, so that too little memory is an error and does not end the process.

use std::cell::Cell;

thread_local! {
    static IS_ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread only asks for memory and goes on without it. An allocator that ends the process when
/// there is no memory left must return null instead while this is true.
pub fn is_asking() -> bool {
    IS_ASKING.get()
}

/// Runs something that asks for memory, such as `try_reserve`, and copes with a refusal.
pub fn ask<T>(request: impl FnOnce() -> T) -> T {
    /// Puts the flag back, even if the request panics.
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            IS_ASKING.set(self.0);
        }
    }
    let _restored = Restored(IS_ASKING.replace(true));
    request()
}

/// Whether the system would grant `bytes` bytes now.
pub fn is_granted(bytes: u64) -> bool {
    let reserve = |bytes| ask(|| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    usize::try_from(bytes).is_ok_and(reserve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_while_it_asks_a_thread_says_so() {
        assert!(!is_asking() && ask(is_asking) && !is_asking());
        assert!(is_granted(1 << 10) && !is_granted(1 << 62));
    }
}
