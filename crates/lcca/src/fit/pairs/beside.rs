//! Runs two closures in parallel.

/// Runs `large` on this thread and `small` on another one that is idle, if any, and returns both results.
pub(in crate::fit) fn beside<S: Send, L>(
    small: impl FnOnce() -> S + Send,
    large: impl FnOnce() -> L,
) -> (S, L) {
    let mut result = None;
    let large = rayon::in_place_scope(|scope| {
        scope.spawn(|_| result = Some(small()));
        large()
    });
    (result.expect("a scope ends when all that it has started is done"), large)
}
