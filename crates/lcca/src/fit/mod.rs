//! Fitting, and using what was fitted.

mod alternate;
mod certify;
mod checkpoint;
mod choose;
mod eliminate;
mod exact;
mod finish;
mod gram;
mod half;
mod lobpcg;
mod model;
mod path;
mod permute;
mod precondition;
mod problem;
mod regress;
mod restore;
mod rpcca;
mod score;
mod select;
mod stopping;
#[cfg(test)]
mod tests;
mod transform;
mod watch;

pub use certify::{Certificate, Kind};
pub use checkpoint::{Checkpoint, Loop};
pub use model::{Model, View};
pub use path::path;
pub use permute::{Significance, permutation_test};
pub use regress::Regressions;
pub use score::Scores;
pub use select::{Folds, Selection, cross_validate};
pub use watch::{TraceRow, Watch};

use crate::data::{Centred, Cost, Counting, JointGram, Pair, Remembering, Shape, Side, Tally};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::method::{Inner, Method, Settings};
use crate::solve::Solver;
use checkpoint::Snapshot;
use problem::{Data, Problem};
use std::cell::Cell;
use watch::Further;

/// Steps that conjugate gradients, started from the last answer, usually take.
const USUAL_STEPS: usize = 15;

/// A finished fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// What was fitted.
    pub model: Model,
    /// The method that ran: the one asked for, or what `auto` chose.
    pub chosen: Method,
    /// Why, in plain words.
    pub why: String,
    /// One row an iteration.
    pub trace: Vec<TraceRow>,
    /// What was spent on the rows.
    pub cost: Cost,
    /// Whether what is missing from the objective's total is within the tolerance, relative to it.
    pub converged: bool,
    /// An estimate of what is still missing from the objective's total.
    pub missing: f64,
    /// What a person should know, in plain words.
    pub notes: Vec<String>,
    /// Bounds on the objective values, once [`Fit::certify`] has found them.
    pub certificate: Option<Certificate>,
    /// The columns as functions of the canonical variables, on the training rows.
    pub regressions: Regressions,
}

/// Weights whose canonical variables span what a method found, and how it got there.
struct Found {
    weights: [Panel; 2],
    trace: Vec<TraceRow>,
    /// An estimate of what is still missing from the objective's total, where the method has one.
    missing: Option<f64>,
    /// What it decided on the way, in plain words.
    remarks: Vec<String>,
    /// The weights' products, where they are known as exactly as a pass would tell them.
    products: Option<[half::Half; 2]>,
}

/// Fits `settings.k` pairs of canonical variables.
///
/// Runs on the current rayon pool: wrap the call in `ThreadPool::install` to size it. The same settings, data and
/// thread count give the same bits.
///
/// ```
/// use lcca::data::InMemory;
/// use lcca::matrix::OneHotRows;
/// use lcca::method::{Method, Settings};
///
/// let x = OneHotRows::new(3, vec![0, 1, 2, 0, 1, 2, 0, 1].into())?;
/// let y = OneHotRows::new(2, vec![0, 1, 1, 0, 1, 1, 0, 0].into())?;
/// let pair = InMemory::new(x.into(), y.into())?;
/// let fit = lcca::fit::fit(&pair, &Settings::new(Method::Exact, 1), &())?;
/// assert!(fit.converged && (fit.model.correlations[0] - (2.0f64 / 3.0).sqrt()).abs() < 1e-12);
/// # Ok::<(), lcca::Error>(())
/// ```
pub fn fit(pair: &dyn Pair, settings: &Settings, watch: &dyn Watch) -> Result<Fit> {
    fit_from(None, pair, settings, watch)
}

/// Goes on from a checkpoint of a fit to the same data with the same settings; `tol`, `max_passes`, `memory` and `t1` may
/// differ. Counts go on as well: costs and the trace are those of both runs together.
pub fn resume(from: Checkpoint, pair: &dyn Pair, settings: &Settings, watch: &dyn Watch) -> Result<Fit> {
    fit_from(Some(from), pair, settings, watch)
}

fn fit_from(
    from: Option<Checkpoint>,
    pair: &dyn Pair,
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<Fit> {
    let mut fits = fit_all(from, pair, std::slice::from_ref(settings), watch)?;
    Ok(fits.swap_remove(0))
}

/// One fit for each of some settings that differ in the ridge alone, each but the first started from the one before.
fn fit_all(
    from: Option<Checkpoint>,
    pair: &dyn Pair,
    all: &[Settings],
    watch: &dyn Watch,
) -> Result<Vec<Fit>> {
    let Some(first) = all.first() else { return Ok(Vec::new()) };
    all.iter().try_for_each(|settings| check(settings, pair.shape()))?;
    for side in Side::BOTH {
        let moments = pair.moments(side)?;
        if !(moments.trace() * moments.weight.max(1.0)).is_finite() {
            return Err(Error::Overflow { side });
        }
    }
    let structured =
        first.structure && matches!(first.method, Method::Auto | Method::Lobpcg | Method::ShiftInvert);
    let Some(reduced) = (if structured { pair.reduced()? } else { None }) else {
        return fit_uncentred(from, pair, all, watch);
    };
    let (whole, small) = (pair.shape(), reduced.pair.shape());
    let small_settings: Vec<Settings> =
        all.iter().map(|settings| restore::reduced_settings(settings, whole, small)).collect();
    let mut fits = fit_uncentred(from, &*reduced.pair, &small_settings, watch)?;
    for (fit, settings) in fits.iter_mut().zip(all) {
        restore::restore(fit, &reduced, whole, settings);
    }
    Ok(fits)
}

/// Chooses a way, forms Gram matrices where that way wants them, and centres.
fn fit_uncentred(
    from: Option<Checkpoint>,
    pair: &dyn Pair,
    all: &[Settings],
    watch: &dyn Watch,
) -> Result<Vec<Fit>> {
    let settings = &all[0];
    let remembering = Remembering::new(pair);
    let pair: &dyn Pair = if all.len() > 1 { &remembering } else { pair };
    let tally = Tally::starting_at(from.as_ref().map_or(Cost::default(), |from| from.cost));
    let mut choice = choose::choose(pair, settings)?;
    from.as_ref().map_or(Ok(()), |from| from.check(&choice, pair.shape()))?;
    let joint = form_gram(&Counting::rows(pair, &tally, watch), &mut choice, settings.memory)?;
    if !settings.center {
        let data = Data {
            rows: pair,
            grams: joint.as_ref().map(|joint| joint as &dyn Pair),
            joint: joint.as_ref(),
            means: None,
            from: Cell::new(from),
        };
        return path::fit_each(&data, choice, all, tally, watch);
    }
    let rows = Centred::new(pair)?;
    let grams = joint.as_ref().map(|joint| Centred::new(joint)).transpose()?;
    let means = Side::BOTH.map(|side| rows.mean(side).to_vec());
    let data = Data {
        rows: &rows,
        grams: grams.as_ref().map(|grams| grams as &dyn Pair),
        joint: joint.as_ref(),
        means: Some(means),
        from: Cell::new(from),
    };
    path::fit_each(&data, choice, all, tally, watch)
}

/// The Gram matrices, where they are wanted. That they fit was a guess: where they do not, the rows will do.
fn form_gram(pair: &dyn Pair, choice: &mut choose::Choice, memory: u64) -> Result<Option<JointGram>> {
    let Some(expected) = choice.gram else { return Ok(None) };
    let joint = match pair.joint_gram(memory) {
        Err(Error::Memory { .. }) if choice.method != Method::ShiftInvert => {
            choice.why += "; the Gram matrices turned out too large for the memory allowed";
            return Ok(None);
        }
        formed => formed?,
    };
    if let Some(joint) = &joint {
        let (formed, expected, touched) = (joint.entries(), expected.entries, expected.touched);
        choice.why += &format!(
            "; iterates on the Gram matrices, {formed} entries where a pass over the rows touches {touched:.0} \
             ({expected:.0} were expected)"
        );
    }
    Ok(joint)
}

/// The fit, and its whole block of weights for whoever starts from it.
fn fit_centred(
    data: &Data<'_>,
    choice: choose::Choice,
    settings: &Settings,
    tally: &Tally,
    watch: &dyn Watch,
    keep: bool,
) -> Result<(Fit, Option<[Panel; 2]>)> {
    for side in Side::BOTH {
        if data.rows.moments(side)?.trace() <= 0.0 {
            return Err(Error::NothingToCorrelate { side, centred: settings.center });
        }
    }
    let rows = Counting::rows(data.rows, tally, watch);
    let grams = data.grams.map(|grams| Counting::grams(grams, tally, watch));
    let found = {
        let problem = Problem::new(grams.as_ref().unwrap_or(&rows), data, settings, watch)?;
        match choice.eliminate {
            Some(side) => eliminate::eliminate(&problem, side)?,
            None => problem.run(choice.method)?,
        }
    };
    let weights = keep.then(|| found.weights.clone());
    Ok((finish::finish(&Problem::new(&rows, data, settings, watch)?, found, choice)?, weights))
}

impl Problem<'_> {
    fn run(&self, method: Method) -> Result<Found> {
        match method {
            Method::Als { t1, inner } => alternate::alternate(self, self.inner(inner), t1),
            Method::DCca { t1 } => alternate::alternate(self, Solver::Diagonal, t1),
            Method::GCca { t1, t2 } => alternate::alternate(self, Solver::Gradient { steps: t2 }, t1),
            Method::LCca { t1, t2, k_pc } => alternate::alternate(self, Solver::Ling { steps: t2, k_pc }, t1),
            Method::RpCca { k_rpcca } => rpcca::rpcca(self, k_rpcca),
            Method::Exact => exact::exact(self),
            Method::Gram => match gram::gram(self)? {
                Some(found) => Ok(found),
                None => {
                    let remark =
                        "the Gram matrices are too ill conditioned, so QR of the rows was taken instead";
                    Ok(Found { remarks: vec![remark.into()], ..exact::exact(self)? })
                }
            },
            Method::Lobpcg | Method::ShiftInvert | Method::Auto => lobpcg::lobpcg(self),
        }
    }
}

fn check(settings: &Settings, shape: Shape) -> Result<()> {
    let Shape { rows, x_cols, y_cols } = shape;
    let limit = rows.min(x_cols).min(y_cols);
    let k = settings.k;
    if k == 0 || k > limit {
        return Err(Error::ComponentsOutOfRange { k, limit, rows, x_cols, y_cols });
    }
    for (name, value) in [("ridge", settings.ridge_x), ("ridge-y", settings.ridge_y), ("tol", settings.tol)] {
        if !(0.0..=1e100).contains(&value) {
            return Err(Error::Setting {
                name,
                value: value.to_string(),
                expected: "a number from 0 to 1e100",
            });
        }
    }
    settings.method.check(k)
}

/// The passes a fit with these settings takes, for progress bars; views of lower rank or a pass limit take fewer.
pub fn planned_passes(settings: &Settings) -> f64 {
    let svd = (settings.power + 1) as f64;
    // The random start, a pass for each half step, and the pass that measures the result.
    let loop_passes = |t1: usize, t2: usize| 2.0 + t1 as f64 * (2.0 + t2 as f64);
    let passes = match settings.method {
        Method::Als { t1, inner: Inner::Cholesky } => 1.0 + loop_passes(t1, 0),
        Method::Als { t1, inner: Inner::Cg { t2 } } => loop_passes(t1, t2.min(USUAL_STEPS)),
        Method::DCca { t1 } => loop_passes(t1, 0),
        Method::GCca { t1, t2 } => loop_passes(t1, t2),
        Method::LCca { t1, t2, k_pc } => loop_passes(t1, t2) + if k_pc > 0 { svd } else { 0.0 },
        Method::RpCca { .. } => svd + 2.0,
        Method::Exact => 2.0,
        Method::Gram => 1.0,
        // Nobody knows; the limit is all that can be said.
        Method::Lobpcg | Method::ShiftInvert | Method::Auto => 100.0,
    };
    settings.max_passes.map_or(passes, |most| passes.min(most + 1.0))
}
