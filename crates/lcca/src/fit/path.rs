//! Fits along a path of ridges: what does not depend on the ridge is done once.
//!
//! Structure, moments and Gram matrices are found and formed once. Ridges are taken from the largest down, and each fit
//! starts from the block of the one before: the problem is easy where the ridge is large, and changes little from one
//! ridge to the next.

use super::choose::Choice;
use super::problem::Data;
use super::{Checkpoint, Fit, Further, Loop, Watch, fit_all, fit_centred};
use crate::data::{Cost, Pair, Tally};
use crate::error::Result;
use crate::method::Settings;

/// One fit for each of `ridges`, of both views, in their order.
///
/// ```
/// use lcca::data::InMemory;
/// use lcca::matrix::OneHotRows;
/// use lcca::method::{Method, Settings};
///
/// let x = OneHotRows::new(3, vec![0, 1, 2, 0, 1, 2, 0, 1].into())?;
/// let y = OneHotRows::new(2, vec![0, 1, 1, 0, 1, 1, 0, 0].into())?;
/// let pair = InMemory::new(x.into(), y.into())?;
/// let fits = lcca::fit::path(&pair, &Settings::new(Method::Auto, 1), &[0.0, 0.1, 1.0], &())?;
/// assert!(fits.windows(2).all(|two| two[0].model.objective[0] > two[1].model.objective[0]));
/// # Ok::<(), lcca::Error>(())
/// ```
pub fn path(pair: &dyn Pair, settings: &Settings, ridges: &[f64], watch: &dyn Watch) -> Result<Vec<Fit>> {
    let mut order: Vec<usize> = (0..ridges.len()).collect();
    order.sort_by(|&a, &b| ridges[b].total_cmp(&ridges[a]));
    let with = |&at: &usize| Settings { ridge_x: ridges[at], ridge_y: ridges[at], ..settings.clone() };
    let all: Vec<Settings> = order.iter().map(with).collect();
    let fits = fit_all(None, pair, &all, watch)?;
    let mut fits: Vec<(usize, Fit)> = order.into_iter().zip(fits).collect();
    fits.sort_by_key(|&(at, _)| at);
    Ok(fits.into_iter().map(|(_, fit)| fit).collect())
}

/// The fits themselves. What is spent before the first of them counts as its cost.
pub(super) fn fit_each(
    data: &Data<'_>,
    choice: Choice,
    all: &[Settings],
    first: Tally,
    watch: &dyn Watch,
) -> Result<Vec<Fit>> {
    let (mut fits, mut tally, mut before) = (Vec::with_capacity(all.len()), first, Cost::default());
    for (at, settings) in all.iter().enumerate() {
        let more = at + 1 < all.len();
        let further = Further { watch, before };
        let watch: &dyn Watch = if at > 0 { &further } else { watch };
        let (fit, weights) = fit_centred(data, choice.clone(), settings, &tally, watch, more)?;
        before = before + fit.cost;
        tally = Tally::default();
        data.from.set(Loop::of(&choice).zip(weights).map(|(of, weights)| Checkpoint::start(of, weights)));
        fits.push(fit);
    }
    Ok(fits)
}
