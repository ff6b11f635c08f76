//! The data that the folds of cross-validation are read from: the rows, weighted, or Gram matrices that
//! were formed for all folds together.
//!
//! If a fit would iterate over Gram matrices, the folds share one pass that forms them, and no fit or score
//! reads a row again. If they do not fit the allowed memory, every fold reads the rows as a fit of its own
//! would.

use super::division::Folds;
use crate::data::{Counting, FoldGrams, FoldSums, Pair, Side, Tally, columns_to_keep};
use crate::error::{Error, Result};
use crate::fit::check::check;
use crate::fit::models::restore::reduced_settings;
use crate::fit::plan::{Plan, plan};
use crate::method::{Algorithm, Settings};
use crate::space::beside;
use crate::watch::{Cost, Watch};

/// The data that all folds are read from, and the settings for these data.
pub(in crate::fit) struct FoldData<'a> {
    source: Source<'a>,
    /// The settings as given, unless columns were left out, because a relative ridge is relative to all
    /// columns.
    pub settings: Vec<Settings>,
    /// The cost so far.
    pub spent: Cost,
    /// Whether fits iterate on both views over Gram matrices that were formed for all folds.
    pub iterates_on_grams: bool,
}

enum Source<'a> {
    Rows(&'a Folds<'a>),
    Grams(Box<FoldGrams>, &'a Folds<'a>),
    /// Dense Gram matrices, and the rows for questions that these cannot answer.
    Sums(FoldSums, &'a Folds<'a>),
}

impl<'a> FoldData<'a> {
    /// Finds out whether folds can share Gram matrices, and forms them. `all` differ in their ridges alone.
    pub fn new(folds: &'a Folds<'a>, all: &[Settings], watch: &dyn Watch) -> Result<Self> {
        let pair = folds.pair();
        all.iter().try_for_each(|settings| check(settings, pair.shape()))?;
        let rows = || FoldData {
            source: Source::Rows(folds),
            settings: all.to_vec(),
            spent: Cost::default(),
            iterates_on_grams: false,
        };
        // Covariates have other coefficients on the rows of every fold.
        if pair.covariates().is_some() {
            return Ok(rows());
        }
        let Some(fold) = folds.parts() else { return Ok(rows()) };
        let planned = plan(pair, &all[0])?;
        let shared = match FoldData::sums(folds, &fold, all, &planned)? {
            Some(data) => Some(data),
            None if folds.are_small() => None,
            None => FoldData::grams(folds, &fold, all, planned)?,
        };
        let Some(Shared { source, settings, iterates_on_grams }) = shared else { return Ok(rows()) };
        let spent = Cost { passes: 1.0, ..Cost::default() };
        if watch.pass(spent).is_break() {
            return Err(Error::Interrupted);
        }
        Ok(FoldData { source, settings, spent, iterates_on_grams })
    }

    /// Dense Gram matrices of all folds, if views are so narrow that fits solve with those.
    fn sums(folds: &'a Folds<'a>, fold: &[u32], all: &[Settings], plan: &Plan) -> Result<Option<Shared<'a>>> {
        let pair = folds.pair();
        if plan.method.algorithm() != Algorithm::Gram || !FoldSums::pays(pair) {
            return Ok(None);
        }
        let sums = within_memory(FoldSums::form(pair, fold, folds.count(), all[0].memory))?;
        Ok(sums.map(|sums| Shared {
            source: Source::Sums(sums, folds),
            settings: all.to_vec(),
            iterates_on_grams: false,
        }))
    }

    /// Sparse Gram matrices of all folds, if fits iterate over those.
    fn grams(
        folds: &'a Folds<'a>,
        fold: &[u32],
        all: &[Settings],
        planned: Plan,
    ) -> Result<Option<Shared<'a>>> {
        let pair = folds.pair();
        // Equal rows of different folds must not be merged, so the problem can be made smaller only by
        // leaving out columns.
        let counts = [&pair.moments(Side::X)?.count[..], &pair.moments(Side::Y)?.count];
        let columns =
            if all[0].structure { columns_to_keep(counts, pair.shape().rows) } else { [None, None] };
        let fewer = pair.renumbered(columns.each_ref().map(|kept| kept.as_deref()))?;
        let pair = fewer.as_ref().unwrap_or(pair);
        let to_fewer = |settings: &Settings| reduced_settings(settings, folds.pair().shape(), pair.shape());
        let settings: Vec<Settings> = all.iter().map(to_fewer).collect();
        let planned = if fewer.is_some() { plan(pair, &settings[0])? } else { planned };
        if planned.gram.is_none() {
            return Ok(None);
        }
        let grams = within_memory(FoldGrams::form(pair, fold, folds.count(), all[0].memory))?;
        // A view that is eliminated, a factor of all of B − A and metrics with units of their own are left to
        // whole fits.
        let iterates_on_grams = planned.eliminate.is_none()
            && planned.method.algorithm() == Algorithm::Lobpcg
            && all[0].structure
            && all[0].is_cca();
        let source = |grams| Source::Grams(Box::new(grams), folds);
        Ok(grams.map(|grams| Shared { source: source(grams), settings, iterates_on_grams }))
    }

    /// The rows outside a fold.
    pub fn training(&self, fold: usize) -> Result<Box<dyn Pair + '_>> {
        Ok(match &self.source {
            Source::Rows(folds) => Box::new(folds.training(fold)?),
            Source::Grams(grams, folds) => beside(Box::new(grams.without(fold)?), folds.pair()),
            Source::Sums(sums, folds) => Box::new(sums.without(fold, folds.training(fold)?)),
        })
    }

    /// The rows of a fold.
    pub fn held_out(&self, fold: usize) -> Result<Box<dyn Pair + '_>> {
        Ok(match &self.source {
            Source::Rows(folds) => Box::new(folds.held_out(fold)?),
            Source::Grams(grams, _) => Box::new(grams.only(fold)?),
            Source::Sums(sums, _) => Box::new(sums.only(fold)),
        })
    }

    /// A pair of these data that counts the cost of its use.
    pub fn counting<'b>(&self, pair: &'b dyn Pair, tally: &'b Tally, watch: &'b dyn Watch) -> Counting<'b> {
        match &self.source {
            Source::Rows(_) => Counting::rows(pair, tally, watch),
            Source::Grams(..) | Source::Sums(..) => Counting::grams(pair, tally, watch),
        }
    }
}

/// The data that folds share, and the settings for them.
struct Shared<'a> {
    source: Source<'a>,
    settings: Vec<Settings>,
    iterates_on_grams: bool,
}

/// `None` if the memory does not suffice.
fn within_memory<T>(formed: Result<T>) -> Result<Option<T>> {
    match formed {
        Err(Error::Memory { .. }) => Ok(None),
        other => other.map(Some),
    }
}
