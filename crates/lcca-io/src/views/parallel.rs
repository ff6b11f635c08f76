//! Batches read one after another, worked on by all threads, results taken in order. What comes out does not depend on
//! the number of threads: how the input is cut does not either.

use crate::error::Result;
use rayon::prelude::*;

/// Batches in hand at a time; twice as many are in memory, since the next are read meanwhile.
const GROUP: usize = 32;

/// Reads with `next` until it has no more, and hands each batch's result to `take`.
pub(crate) fn in_order<B: Send, T: Send>(
    mut next: impl FnMut() -> Result<Option<B>> + Send,
    work: impl Fn(B) -> Result<T> + Sync,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut group = || -> Result<Vec<B>> { (0..GROUP).map_while(|_| next().transpose()).collect() };
    let mut now = group()?;
    while !now.is_empty() {
        let (later, done) =
            rayon::join(&mut group, || now.into_par_iter().map(&work).collect::<Vec<Result<T>>>());
        done.into_iter().try_for_each(|result| take(result?))?;
        now = later?;
    }
    Ok(())
}
