//! The correlations of a model on given rows.

use super::model::{Effects, Model};
use crate::data::{Centered, Covariates, Pair, Side};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::metric;
use crate::panels;
use faer::Mat;

/// Correlations on given rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The correlation of each pair of canonical variables on these rows.
    pub correlations: Vec<f64>,
    /// The sum of `correlations`.
    pub total: f64,
    /// The sum of the canonical correlations between the two fitted subspaces on these rows. It is often
    /// more than `total`, since the best rotation within them is chosen on these very rows. It is less if
    /// pairs correlate with each other here, which `total` counts twice.
    pub captured: f64,
}

impl Model {
    /// Correlations on the rows of `pair`, training rows or others. If the model is centered, correlations
    /// are taken about the means of these rows. If the model was fitted with covariates, the rows must come
    /// with theirs, and their effects follow from the coefficients of the training rows. Costs one pass,
    /// and one over the covariates.
    pub fn score(&self, pair: &dyn Pair) -> Result<Scores> {
        self.check_widths(pair)?;
        let pair = if self.settings.center { pair.near_origin()?.or(pair) } else { pair };
        let covariates = pair.capabilities().covariates;
        let centered = if self.settings.center { Some(Centered::where_it_is(pair)?) } else { None };
        let seen: &dyn Pair = centered.as_ref().map_or(pair, |centered| centered);
        let mut products = metric::small_products(seen, &self.x.weights, &self.y.weights)?;
        match (&self.x.effects, &self.y.effects, covariates) {
            (Some(x), Some(y), Some(covariates)) => self.adjust(&mut products, [x, y], covariates)?,
            (None, None, None) => {}
            (None, None, Some(_)) => return Err(Error::CovariatesUnknown),
            _ => return Err(Error::CovariatesNeeded { columns: self.covariate_columns() }),
        }
        Scores::new(&products)
    }

    /// Turns products of the views' rows into those of the rows less the effects of covariates: with A =
    /// coefficientsᵀ·W and centered covariates Z, (X·Wx − Z·Ax)ᵀ(Y·Wy − Z·Ay) for each of the three.
    fn adjust(
        &self,
        products: &mut [Mat<f64>; 3],
        effects: [&Effects; 2],
        covariates: &dyn Covariates,
    ) -> Result<()> {
        let (expected, found) = (self.covariate_columns(), covariates.covariate_columns());
        if expected != found {
            return Err(Error::CovariateWidth { expected, found });
        }
        let weights = [&self.x.weights, &self.y.weights];
        let a = [0, 1]
            .map(|side| Panel::from_mat(panels::cross(&effects[side].coefficients, weights[side]).as_ref()));
        let mean = if self.settings.center { Some(covariates.covariate_moments()?.mean()) } else { None };
        let k = self.pairs();
        let both = panels::beside(&a[0], &a[1]);
        let views = covariates.covariate_products(&both, mean.as_deref())?;
        let gram = covariates.covariate_gram(&both, mean.as_deref())?;
        // (view·W)ᵀZ·[Ax Ay]; the Gram matrix is [Ax Ay]ᵀZᵀZ·[Ax Ay].
        let along = [0, 1].map(|side| panels::cross(weights[side], &views[side]));
        for (product, [left, right]) in products.iter_mut().zip([[0, 0], [1, 1], [0, 1]]) {
            for i in 0..k {
                for j in 0..k {
                    let explained = along[left][(i, right * k + j)] + along[right][(j, left * k + i)];
                    product[(i, j)] += gram[(left * k + i, right * k + j)] - explained;
                }
            }
        }
        Ok(())
    }

    /// Whether the model has a weight for every column.
    pub(in crate::fit) fn check_widths(&self, pair: &dyn Pair) -> Result<()> {
        for (side, view) in Side::BOTH.into_iter().zip([&self.x, &self.y]) {
            let (expected, found) = (view.weights.rows(), pair.shape().cols(side));
            if expected != found {
                return Err(Error::Width { side, expected, found });
            }
        }
        Ok(())
    }
}

impl Scores {
    /// The scores of weights that have not become a model, on rows without covariates. Costs one pass.
    pub(in crate::fit) fn of_weights(weights: &[Panel; 2], center: bool, pair: &dyn Pair) -> Result<Self> {
        let centered = if center { Some(Centered::new(pair)?) } else { None };
        let seen: &dyn Pair = centered.as_ref().map_or(pair, |centered| centered);
        Scores::new(&metric::small_products(seen, &weights[0], &weights[1])?)
    }

    /// Computes scores from WxᵀCxxWx, WyᵀCyyWy and WxᵀCxyWy.
    fn new([x_gram, y_gram, cross]: &[Mat<f64>; 3]) -> Result<Self> {
        let correlations = metric::pair_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref());
        let captured = metric::subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref())?;
        // The sum of no numbers is −0, which would look odd in a report.
        let sum = |numbers: &[f64]| numbers.iter().sum::<f64>() + 0.0;
        Ok(Scores { total: sum(&correlations), captured: sum(&captured), correlations })
    }
}
