//! The solver of G-CCA: steepest descent from zero with an exact line search for each column, half a pass per
//! step.
//!
//! With g = R − (C + λI)W the negative gradient and d the direction (g itself, or preconditioned), the step
//! is α = gᵀd / dᵀ(C + λI)d. The one product (C + λI)d also updates g, so that (C + λI)W = R − g is known
//! at the end.

use super::least_squares::{LeastSquares, Solved, SolverSpec};
use crate::data::Normal;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::parameter::Parameter;

/// Steepest descent with a fixed number of steps.
pub struct Gradient<'a> {
    /// C + λI.
    pub normal: Normal<'a>,
    /// The number of steps. Each costs half a pass.
    pub steps: usize,
}

impl LeastSquares for Gradient<'_> {
    fn solve(&self, rhs: &Panel, _start: Option<Solved>) -> Result<Solved> {
        let mut weights = Panel::zeros(rhs.rows(), rhs.cols());
        let mut gradient = rhs.clone();
        descend(&self.normal, &mut weights, &mut gradient, self.steps, Panel::clone)?;
        Ok(finish(rhs, weights, &gradient))
    }
}

/// Takes `steps` steps from `weights`, whose negative gradient is `gradient`, and updates both.
pub(super) fn descend(
    normal: &Normal<'_>,
    weights: &mut Panel,
    gradient: &mut Panel,
    steps: usize,
    direction: impl Fn(&Panel) -> Panel,
) -> Result<()> {
    let mut product = Panel::zeros(weights.rows(), weights.cols());
    for _ in 0..steps {
        let d = direction(gradient);
        normal.apply(&d, &mut product)?;
        let (slope, curvature) = (panels::column_dots(gradient, &d), panels::column_dots(&d, &product));
        // A column whose direction has no curvature is solved, or cannot be improved along it.
        let step: Vec<f64> =
            slope.iter().zip(&curvature).map(|(&s, &c)| if c > 0.0 { s / c } else { 0.0 }).collect();
        let back: Vec<f64> = step.iter().map(|alpha| -alpha).collect();
        panels::add_columns_scaled(weights, &step, &d);
        panels::add_columns_scaled(gradient, &back, &product);
    }
    Ok(())
}

/// The result for `weights` with the negative gradient g: (C + λI)W = R − g.
pub(super) fn finish(rhs: &Panel, weights: Panel, gradient: &Panel) -> Solved {
    let mut normal = rhs.clone();
    panels::subtract(&mut normal, gradient);
    Solved { weights, normal: Some(normal) }
}

/// The description of G-CCA's solver.
pub const SPEC: SolverSpec = SolverSpec {
    parameters: &[Parameter::number(
        "t2",
        51,
        1,
        "at least 1 gradient step",
        "gradient steps for each least-squares problem",
    )],
    passes_to_solve: |values| values["t2"] as f64,
    depends_on_scale: true,
    ..SolverSpec::new("gradient", "steepest descent from zero, half a pass per step", |normal, values, _| {
        Ok(Box::new(Gradient { normal, steps: values["t2"] }))
    })
};
