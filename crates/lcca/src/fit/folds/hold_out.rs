//! Training and held-out correlations side by side: a fit without some of the rows, scored on them, and then
//! a fit to all rows that starts from it.
//!
//! Rows are drawn at random by the seed. Held-out rows weigh 0 in the first fit, so nothing is copied.

use super::groups::Groups;
use crate::data::{InMemory, Pair};
use crate::error::{Error, Result};
use crate::fit::driver::fit_all;
use crate::fit::models::fitted::Fit;
use crate::fit::models::held_out::{HeldOut, note_of_folds};
use crate::fit::pairs::problem::Start;
use crate::matrix::Panel;
use crate::method::Settings;
use crate::outcome::Note;
use crate::random;
use crate::watch::Watch;

/// The fewest rows on which a correlation can be anything but ±1.
const FEWEST: usize = 3;

/// A fit without some of the rows, measured on them.
pub struct HoldOut {
    /// The training and held-out correlations of the fit.
    pub result: HeldOut,
    /// The block of weights that the fit ended with, if its method iterates.
    block: Option<[Panel; 2]>,
}

/// Holds a random share of the rows out, fits to the others and scores on those held out. Rows of weight 0
/// belong to neither part.
///
/// ```
/// use lcca::data::InMemory;
/// use lcca::matrix::OneHotRows;
/// use lcca::method::{Method, Settings};
///
/// let x = OneHotRows::new(3, (0..60).map(|i| i % 3).collect::<Vec<u32>>().into())?;
/// let y = OneHotRows::new(2, (0..60).map(|i| (i * i) % 2).collect::<Vec<u32>>().into())?;
/// let pair = InMemory::new(x.into(), y.into())?;
/// let settings = Settings::new(Method::auto(), 1);
/// let fit = lcca::fit::hold_out(&pair, &settings, 0.2, &())?.fit(&pair, &settings, &())?;
/// assert_eq!((fit.model.rows, fit.held_out.map(|held_out| held_out.rows)), (60, Some(12)));
/// # Ok::<(), lcca::Error>(())
/// ```
pub fn hold_out(pair: &InMemory, settings: &Settings, share: f64, watch: &dyn Watch) -> Result<HoldOut> {
    hold_out_groups(pair, settings, share, None, watch)
}

/// Holds a random share of the rows out, as [`hold_out`] does, but keeps groups of rows on one side: they
/// are held out together or not at all. The share may be missed by half a group.
pub fn hold_out_groups(
    pair: &InMemory,
    settings: &Settings,
    share: f64,
    groups: Option<&Groups>,
    watch: &dyn Watch,
) -> Result<HoldOut> {
    let [training, held_out] = split(pair, share, groups, settings.seed)?;
    let mut fits = fit_all(&training.pair, std::slice::from_ref(settings), Start::Random, true, watch)?;
    let model = fits.fits.swap_remove(0).model;
    let scores = model.score(&held_out.pair)?;
    let result = HeldOut {
        rows: held_out.rows,
        training_rows: training.rows,
        training: model.correlations,
        held_out: scores.correlations,
    };
    Ok(HoldOut { result, block: fits.block })
}

impl HoldOut {
    /// Fits to all rows, from the weights of the fit to some, and adds the held-out correlations.
    pub fn fit(self, pair: &InMemory, settings: &Settings, watch: &dyn Watch) -> Result<Fit> {
        let start = self.block.map_or(Start::Random, Start::Warm);
        let mut fit = fit_all(pair, std::slice::from_ref(settings), start, false, watch)?.fits.swap_remove(0);
        fit.add_held_out(self.result);
        Ok(fit)
    }
}

impl Fit {
    /// Adds the correlations on held-out rows to a fit to all rows.
    pub fn add_held_out(&mut self, held_out: HeldOut) {
        self.forget_guess();
        self.notes.extend(held_out.note());
        self.held_out = Some(held_out);
    }

    /// Adds the mean correlation that cross-validation measured on held-out rows with the settings of this
    /// fit. It brings no note of its own if rows were held out besides, because these have brought theirs
    /// already.
    pub fn add_cross_validated(&mut self, mean: f64, folds: u64) {
        self.forget_guess();
        if self.held_out.is_none() {
            self.notes.extend(note_of_folds(&self.model.correlations, self.model.settings.k, mean, folds));
        }
    }

    /// Drops the guess of inflation, because held-out rows have measured it.
    fn forget_guess(&mut self) {
        self.notes.retain(|note| !matches!(note, Note::InflatedByNoise { .. }));
    }
}

/// All rows, those of one part with their weights and the others with weight 0.
pub(in crate::fit) struct Part {
    pub pair: InMemory,
    pub rows: u64,
}

/// Draws the rows to hold out; returns the training part and the held-out part.
pub(in crate::fit) fn split(
    pair: &InMemory,
    share: f64,
    groups: Option<&Groups>,
    seed: u64,
) -> Result<[Part; 2]> {
    let mut rows: Vec<usize> = (0..pair.shape().rows).filter(|&row| pair.weight(row) > 0.0).collect();
    let mut random = random::generator(seed, random::Purpose::HoldOut, 0);
    let mut held = (share * rows.len() as f64).round() as usize;
    match groups {
        None => random::shuffle(&mut rows, &mut random),
        Some(groups) => {
            groups.check(pair.shape().rows)?;
            let mut members = groups.members(|row| pair.weight(row) > 0.0);
            random::shuffle(&mut members, &mut random);
            held = nearest_end(&members, held);
            rows = members.into_iter().flatten().map(|row| row as usize).collect();
        }
    }
    let expected = "a share of the rows between 0 and 1 that leaves at least 3 rows to either part";
    let is_possible = held >= FEWEST && rows.len() - held.min(rows.len()) >= FEWEST;
    if !(share > 0.0 && share < 1.0 && is_possible) {
        return Err(Error::Setting { name: "hold-out", value: share.to_string(), expected });
    }
    let part = |rows: &[usize]| -> Result<Part> {
        let mut weights = vec![0.0; pair.shape().rows];
        rows.iter().for_each(|&row| weights[row] = pair.weight(row));
        Ok(Part { pair: pair.reweighted(weights)?, rows: rows.len() as u64 })
    };
    Ok([part(&rows[held..])?, part(&rows[..held])?])
}

/// The number of rows in the first groups that is nearest to `wanted`.
fn nearest_end(groups: &[Vec<u32>], wanted: usize) -> usize {
    let mut rows = 0;
    for group in groups {
        let more = rows + group.len();
        if more.abs_diff(wanted) >= rows.abs_diff(wanted) {
            break;
        }
        rows = more;
    }
    rows
}
