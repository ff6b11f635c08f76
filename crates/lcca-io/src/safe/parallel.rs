//! Batches that are read one after another, processed by all threads, and handed over in order. The result
//! does not depend on the number of threads, because the way the input is cut does not either.

use rayon::prelude::*;

/// The number of batches that are processed at a time. Twice as many are in memory, because the next ones
/// are read meanwhile.
const GROUP: usize = 32;

/// Reads with `next` until it returns `None`, and hands each batch's result to `take`.
pub(crate) fn in_order<B: Send, T: Send, E: Send>(
    mut next: impl FnMut() -> Result<Option<B>, E> + Send,
    work: impl Fn(B) -> Result<T, E> + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut read_group = || -> Result<Vec<B>, E> { (0..GROUP).map_while(|_| next().transpose()).collect() };
    let mut group = read_group()?;
    while !group.is_empty() {
        let (next_group, results) =
            rayon::join(&mut read_group, || group.into_par_iter().map(&work).collect::<Vec<Result<T, E>>>());
        results.into_iter().try_for_each(|result| take(result?))?;
        group = next_group?;
    }
    Ok(())
}
