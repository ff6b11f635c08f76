//! What LOBPCG multiplies residuals with: the inverse diagonal, until something better pays.
//!
//! In Gram mode (B − A)⁻¹ is within reach by one sparse Cholesky factorisation (see `solve::shift_invert`). It gains a digit
//! or so an iteration where the diagonal needs dozens, but can cost minutes and gigabytes. So the diagonal comes first,
//! and its own rate of convergence says what the rest would cost. The factor is bought once its price was spent on iterations
//! and what lies ahead costs more than it. Costs are counted in operations, never in seconds, so that a fit can be
//! repeated.

use super::Problem;
use crate::data::{Pair, Side, SparseGram};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::method::Method;
use crate::panels;
use crate::solve::{Plan, ShiftInvert, shifted};

/// Iterations that (B − A)⁻¹ usually needs.
const USUAL: f64 = 8.0;
/// Operations of analysing a pattern, for each of its entries; 4e4 to 8e4 were measured, for 4 to 16 million.
const ANALYSIS: f64 = 6e4;
/// What was spent and what lies ahead must each be so many times the analysis, which may be in vain.
const CHANCES: f64 = 4.0;
/// Operations of an iteration for each row of its panels and square of the block's columns.
const PANELS: f64 = 36.0;
/// An operation on a Gram matrix's scattered entries counts as so many on panels.
const SCATTERED: f64 = 2.0;

/// The preconditioner in use, and what it would take to get a better one.
pub(super) struct Preconditioner<'a> {
    problem: &'a Problem<'a>,
    inverse: &'a [Vec<f64>; 2],
    better: Better,
    /// Operations spent with the diagonal.
    spent: f64,
    remarks: Vec<String>,
}

enum Better {
    /// Not looked at.
    Unknown,
    /// Analysed: what it costs is known.
    Planned(Box<Plan>),
    /// Factorised.
    Bought(Box<ShiftInvert>),
    /// Not to be had, or too dear.
    Refused,
}

impl<'a> Preconditioner<'a> {
    /// The diagonal; or (B − A)⁻¹ at once, where it was asked for by name.
    pub fn new(problem: &'a Problem<'a>, inverse: &'a [Vec<f64>; 2]) -> Result<Self> {
        let better = if problem.joint.is_some() { Better::Unknown } else { Better::Refused };
        let mut preconditioner = Preconditioner { problem, inverse, better, spent: 0.0, remarks: Vec::new() };
        if problem.settings.method == Method::ShiftInvert {
            let plan = preconditioner.analyse()?;
            let (needed, allowed) = (plan.bytes(), problem.settings.memory);
            if needed > allowed {
                let what = "the Cholesky factor of the joint Gram matrix".into();
                let advice = "allow more memory, or use lobpcg";
                return Err(Error::Memory { what, needed, allowed, advice });
            }
            preconditioner.buy(plan)?;
        }
        Ok(preconditioner)
    }

    /// R ← T ≈ (B − A)⁻¹R.
    pub fn apply(&self, [rx, ry]: [&mut Panel; 2]) {
        if let Better::Bought(inverse) = &self.better {
            [*rx, *ry] = inverse.solve([rx, ry]);
        } else {
            panels::scale_rows(rx, &self.inverse[0]);
            panels::scale_rows(ry, &self.inverse[1]);
        }
    }

    /// Buys the better one where the iterations left with the diagonal cost more.
    pub fn reconsider(&mut self, iterations_left: Option<f64>) -> Result<()> {
        self.spent += self.iteration();
        let Some(ahead) = iterations_left.map(|left| left * self.iteration()) else { return Ok(()) };
        // Early rates foretell little: nothing is bought before its price was spent on iterations.
        let worthwhile = |price: f64| price < self.spent.min(ahead);
        if matches!(self.better, Better::Unknown) && worthwhile(CHANCES * self.analysis()) {
            self.better = Better::Planned(Box::new(self.analyse()?));
        }
        match std::mem::replace(&mut self.better, Better::Refused) {
            Better::Planned(plan) if plan.bytes() > self.problem.settings.memory => Ok(()),
            Better::Planned(plan) if worthwhile(self.price(&plan)) => self.buy(*plan),
            other => {
                self.better = other;
                Ok(())
            }
        }
    }

    /// What was factorised, for the report.
    pub fn remarks(self) -> Vec<String> {
        self.remarks
    }

    fn analyse(&self) -> Result<Plan> {
        Plan::new(&self.shifted()?)
    }

    /// B − A, without means.
    fn shifted(&self) -> Result<SparseGram> {
        let Some(joint) = self.problem.joint else {
            let value = self.problem.settings.method.name().into();
            return Err(Error::Setting {
                name: "method",
                value,
                expected: "lobpcg or exact, since a view is dense",
            });
        };
        Ok(shifted(joint, self.ridges()))
    }

    fn buy(&mut self, plan: Plan) -> Result<()> {
        let Some(joint) = self.problem.joint else { return Ok(()) };
        let (fill, operations, begun) = (plan.fill(), plan.flops(), self.problem.watch.seconds());
        let weight = joint.moments(Side::X)?.weight;
        let means = self.problem.means.map(|means| (means, weight));
        let split = self.problem.pair.shape().x_cols;
        let bought = ShiftInvert::new(&self.shifted()?, plan, split, self.ridges(), means);
        let seconds = self.problem.watch.seconds() - begun;
        let how = match bought {
            Ok(inverse) => {
                self.better = Better::Bought(Box::new(inverse));
                format!("in {seconds:.1} s")
            }
            Err(Error::Factorization(_)) => {
                "in vain: it is singular to rounding, so iterations went on without".into()
            }
            Err(other) => return Err(other),
        };
        self.remarks.push(format!(
            "B − A was factorised for a better preconditioner: {fill:.1e} entries, about {operations:.0e} operations, {how}"
        ));
        Ok(())
    }

    fn ridges(&self) -> [f64; 2] {
        self.problem.normals.map(|normal| normal.ridge)
    }

    /// Operations of one iteration with the diagonal.
    fn iteration(&self) -> f64 {
        let (m, shape) = (self.problem.block() as f64, self.problem.pair.shape());
        SCATTERED * 2.0 * m * self.entries() + PANELS * m * m * (shape.x_cols + shape.y_cols) as f64
    }

    fn analysis(&self) -> f64 {
        ANALYSIS * self.entries() / 2.0
    }

    /// Operations of factorising and of what follows.
    fn price(&self, plan: &Plan) -> f64 {
        let solve = 4.0 * plan.fill() as f64 * self.problem.block() as f64;
        plan.flops() + USUAL * (solve + self.iteration())
    }

    fn entries(&self) -> f64 {
        self.problem.joint.map_or(0.0, |joint| joint.entries() as f64)
    }
}
