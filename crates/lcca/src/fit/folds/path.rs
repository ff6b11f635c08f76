//! Fits along a path of ridges, where work that does not depend on the ridge is done once.
//!
//! Structure, moments and Gram matrices are found and formed once. Ridges are taken from the largest down,
//! and each fit starts from the block of the one before, because the problem is easy if the ridge is large,
//! and changes little from one ridge to the next.

use crate::data::Pair;
use crate::error::Result;
use crate::fit::driver::fit_all;
use crate::fit::models::fitted::Fit;
use crate::fit::pairs::problem::Start;
use crate::method::Settings;
use crate::watch::Watch;

/// One fit for each of `ridges`, used for both views, in their order.
///
/// ```
/// use lcca::data::InMemory;
/// use lcca::matrix::OneHotRows;
/// use lcca::method::{Method, Settings};
///
/// let x = OneHotRows::new(3, vec![0, 1, 2, 0, 1, 2, 0, 1].into())?;
/// let y = OneHotRows::new(2, vec![0, 1, 1, 0, 1, 1, 0, 0].into())?;
/// let pair = InMemory::new(x.into(), y.into())?;
/// let fits = lcca::fit::path(&pair, &Settings::new(Method::auto(), 1), &[0.0, 0.1, 1.0], &())?;
/// assert!(fits.windows(2).all(|two| two[0].model.objective[0] > two[1].model.objective[0]));
/// # Ok::<(), lcca::Error>(())
/// ```
pub fn path(pair: &dyn Pair, settings: &Settings, ridges: &[f64], watch: &dyn Watch) -> Result<Vec<Fit>> {
    let all: Vec<Settings> = ridges.iter().map(|&ridge| settings.clone().ridge(ridge)).collect();
    fit_along(pair, &all, watch)
}

/// One fit for each of some settings that differ in their ridges alone, in their order.
pub(in crate::fit) fn fit_along(pair: &dyn Pair, all: &[Settings], watch: &dyn Watch) -> Result<Vec<Fit>> {
    let order = descending(all);
    let sorted: Vec<Settings> = order.iter().map(|&i| all[i].clone()).collect();
    let fits = fit_all(pair, &sorted, Start::Random, false, watch)?.fits;
    let mut fits: Vec<(usize, Fit)> = order.into_iter().zip(fits).collect();
    fits.sort_by_key(|&(i, _)| i);
    Ok(fits.into_iter().map(|(_, fit)| fit).collect())
}

/// The indices of settings, that of the largest ridge first.
pub(in crate::fit) fn descending(all: &[Settings]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| all[b].ridge_x.total_cmp(&all[a].ridge_x));
    order
}
