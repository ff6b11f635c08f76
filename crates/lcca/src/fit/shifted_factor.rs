//! When a sparse factor of all of B − A pays.
//!
//! In Gram mode (B − A)⁻¹ takes one sparse Cholesky factorization (see `solve::shift_invert`), which can cost
//! minutes and gigabytes. So other preconditioners come first, and their own rate of convergence says what
//! the rest would cost. The factor is bought once its price was spent on iterations and the iterations ahead
//! cost more.

use super::problem::Problem;
use crate::data::{Pair, Side, SparseGram};
use crate::error::{Error, Result};
use crate::method::Algorithm;
use crate::outcome::Decision;
use crate::solve::{Plan, ShiftInvert, shifted};

/// Iterations that (B − A)⁻¹ usually needs.
const USUAL: f64 = 8.0;
/// Operations of analyzing a pattern, per entry; 4e4 to 8e4 were measured for 4 to 16 million entries.
const ANALYSIS: f64 = 6e4;
/// What was spent and what lies ahead must each be this many times the analysis, which one thread does and
/// which is in vain as a rule: with a coarse block few fits take long enough. With 4, a fit of 100 pairs to
/// Debian paths spent a second of 25 on it.
const CHANCES: f64 = 12.0;
/// Operations of the host count so many times if iterations run on another device.
const REMOTE: f64 = 30.0;

/// The factor, if there is one, and what it would take to get it.
pub(super) struct ShiftedFactor<'a> {
    problem: &'a Problem<'a>,
    factor: Factor,
    /// Operations spent without it.
    spent: f64,
    decisions: Vec<Decision>,
}

enum Factor {
    /// Not considered yet.
    Unknown,
    /// The pattern was analyzed, so the cost is known.
    Planned(Box<Plan>),
    /// Factorized.
    Ready(Box<ShiftInvert>),
    /// Not possible, or too large.
    Refused,
}

impl<'a> ShiftedFactor<'a> {
    /// No factor yet; or (B − A)⁻¹ at once if the method was requested by name.
    pub fn new(problem: &'a Problem<'a>) -> Result<Self> {
        // What covariates explain is not sparse.
        let is_possible = problem.joint.is_some() && problem.along.is_none() && problem.settings.is_cca();
        let factor = if is_possible { Factor::Unknown } else { Factor::Refused };
        let mut preconditioner = ShiftedFactor { problem, factor, spent: 0.0, decisions: Vec::new() };
        if problem.settings.method.algorithm() == Algorithm::ShiftInvert {
            let plan = preconditioner.analyze()?;
            let (needed, allowed) = (plan.bytes(), problem.settings.memory);
            if needed > allowed {
                let what = "the Cholesky factor of the joint Gram matrix".into();
                let advice = "allow more memory, or use lobpcg";
                return Err(Error::Memory { what, needed, allowed, advice });
            }
            preconditioner.factorize(plan)?;
        }
        Ok(preconditioner)
    }

    /// (B − A)⁻¹, if it was factorized.
    pub fn get(&self) -> Option<&ShiftInvert> {
        if let Factor::Ready(inverse) = &self.factor { Some(inverse) } else { None }
    }

    /// Called once per iteration of some cost: factorizes if the iterations that are left cost more.
    pub fn reconsider(&mut self, iterations_left: Option<f64>, iteration: f64) -> Result<()> {
        self.spent += iteration;
        let Some(ahead) = iterations_left.map(|left| left * iteration) else { return Ok(()) };
        // Early rates say little about later ones: nothing is bought before its price was spent on
        // iterations.
        let weight = if self.problem.space.is_remote() { REMOTE } else { 1.0 };
        let worthwhile = |price: f64| weight * price < self.spent.min(ahead);
        if matches!(self.factor, Factor::Unknown) && worthwhile(CHANCES * self.analysis()) {
            self.factor = Factor::Planned(Box::new(self.analyze()?));
        }
        match std::mem::replace(&mut self.factor, Factor::Refused) {
            Factor::Planned(plan) if plan.bytes() > self.problem.settings.memory => Ok(()),
            Factor::Planned(plan) if worthwhile(self.price(&plan, iteration)) => self.factorize(*plan),
            other => {
                self.factor = other;
                Ok(())
            }
        }
    }

    /// What was factorized.
    pub fn decisions(&self) -> Vec<Decision> {
        self.decisions.clone()
    }

    fn analyze(&self) -> Result<Plan> {
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
        joint.bring()?;
        Ok(shifted(joint, self.problem.ridges()))
    }

    fn factorize(&mut self, plan: Plan) -> Result<()> {
        let Some(joint) = self.problem.joint else { return Ok(()) };
        let (entries, operations) = (plan.fill() as u64, plan.flops());
        let weight = joint.moments(Side::X).weight;
        let means = self.problem.means.map(|means| (means, weight));
        let split = self.problem.pair.shape().x_cols;
        let succeeded = match ShiftInvert::new(&self.shifted()?, plan, split, self.problem.ridges(), means) {
            Ok(inverse) => {
                self.factor = Factor::Ready(Box::new(inverse));
                true
            }
            // Singular to rounding: the diagonal has to do.
            Err(Error::Factorization(_)) => false,
            Err(other) => return Err(other),
        };
        self.decisions.push(Decision::PreconditionerFactorized { entries, operations, succeeded });
        Ok(())
    }

    /// Operations of analyzing the pattern.
    fn analysis(&self) -> f64 {
        ANALYSIS * self.entries() / 2.0
    }

    /// Operations of factorizing and of the iterations that follow.
    fn price(&self, plan: &Plan, iteration: f64) -> f64 {
        let solve = 4.0 * plan.fill() as f64 * self.problem.block() as f64;
        plan.flops() + USUAL * (solve + iteration)
    }

    /// Entries of the joint Gram matrix.
    fn entries(&self) -> f64 {
        self.problem.joint.map_or(0.0, |joint| joint.entries() as f64)
    }
}
