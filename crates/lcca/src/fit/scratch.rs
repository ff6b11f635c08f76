//! Large buffers that threads take turns with, so that there are as many as threads and not as many as pieces
//! of work.

use std::sync::{Mutex, PoisonError};

/// Buffers of one kind.
pub(super) struct Scratch<T, F: Fn() -> T> {
    free: Mutex<Vec<T>>,
    make: F,
}

impl<T, F: Fn() -> T> Scratch<T, F> {
    /// Buffers that `make` makes when none is free.
    pub fn new(make: F) -> Self {
        Scratch { free: Mutex::default(), make }
    }

    /// What `work` returns, with a buffer as the last work left it.
    pub fn lend<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = free.unwrap_or_else(&self.make);
        let result = work(&mut buffer);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn there_are_no_more_buffers_than_are_used_at_a_time() {
        let made = AtomicUsize::new(0);
        let scratch = Scratch::new(|| {
            made.fetch_add(1, Relaxed);
            vec![0u64; 100]
        });
        let sum: u64 = (0..10_000usize)
            .into_par_iter()
            .with_max_len(1)
            .map(|i| {
                scratch.lend(|buffer| {
                    buffer[i % 100] += 1;
                    1
                })
            })
            .sum();
        assert_eq!(sum, 10_000);
        assert!(made.load(Relaxed) <= rayon::current_num_threads() + 1);
        let kept: u64 = scratch.free.into_inner().unwrap().iter().flatten().sum();
        assert_eq!(kept, 10_000);
    }
}
