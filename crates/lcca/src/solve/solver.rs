//! A solver together with the values of its parameters.

use super::least_squares::{LeastSquares, Resources, SolverSpec};
use crate::data::Normal;
use crate::error::{Error, Result};
use crate::parameter::Values;

/// The choice of a solver and the values of its parameters, as plain data.
#[derive(Clone, Copy, Debug)]
pub struct Solver {
    spec: &'static SolverSpec,
    values: Values,
}

impl Solver {
    /// A solver with its default parameters. [`super::SOLVERS`] lists them all.
    pub fn new(spec: &'static SolverSpec) -> Self {
        Solver { spec, values: Values::defaults(spec.parameters) }
    }

    /// A solver with its defaults replaced by `values`. Names that it does not have are ignored.
    pub(crate) fn with_values(spec: &'static SolverSpec, values: &Values) -> Self {
        let mut solver = Solver::new(spec);
        values.iter().for_each(|(name, value)| {
            solver.values.set(name, value);
        });
        solver
    }

    /// Sets one parameter; an error if the solver has no such parameter.
    pub fn with(mut self, name: &'static str, value: usize) -> Result<Self> {
        if !self.values.set(name, value) {
            let expected = "a parameter of the solver";
            return Err(Error::Setting { name, value: value.to_string(), expected });
        }
        Ok(self)
    }

    /// The name of the solver.
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// Makes the solver ready for a view.
    pub fn prepare<'a>(
        &self,
        normal: Normal<'a>,
        resources: &Resources,
    ) -> Result<Box<dyn LeastSquares + 'a>> {
        (self.spec.prepare)(normal, &self.values, resources)
    }

    /// Whether answers can lie anywhere.
    pub(crate) fn looks_everywhere(&self) -> bool {
        (self.spec.looks_everywhere)(&self.values)
    }

    /// The number of passes that preparing the solver for both views takes.
    pub(crate) fn passes_to_prepare(&self, power: usize) -> f64 {
        (self.spec.passes_to_prepare)(&self.values, power)
    }

    /// The number of passes that one solve on each view takes.
    pub(crate) fn passes_to_solve(&self) -> f64 {
        (self.spec.passes_to_solve)(&self.values)
    }

    /// Whether the parameters make sense for k right-hand sides.
    pub(crate) fn check(&self, k: usize) -> Result<()> {
        for parameter in self.spec.parameters {
            parameter.check(self.values[parameter.name])?;
        }
        (self.spec.check)(&self.values, k)
    }
}
