//! LING (Lu & Foster, Algorithm 2): exact on the leading singular directions, steepest descent on the rest.
//!
//! With V, S the top k_pc right singular vectors and values of X, the projection of Y on U₁ = XVS⁻¹ is X·V
//! S⁻²Vᵀ(XᵀY): no n-sized matrix. Descent then runs on the remainder. V is not quite invariant, because a
//! randomized SVD found it: every product brings a little of the leading directions back into the gradient,
//! where steps sized for the tail would have to wait for it. The descent is therefore preconditioned by
//!
//! ```text
//! M⁻¹ = V(S² + λ)⁻¹Vᵀ + (s² + λ)⁻¹(I − VVᵀ),    s the largest singular value left over
//! ```
//!
//! whose spectrum lies in [λ_p²/s², 1], so that the paper's rate r = (s² − λ_p²)/(s² + λ_p²) holds for any
//! V. It equals the paper's algorithm if V is exact, because the gradient then has no part along V, and
//! plain descent if k_pc = 0.

use super::gradient::{descend, finish};
use super::least_squares::{LeastSquares, Solved, SolverSpec};
use crate::data::Normal;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::parameter::Parameter;
use crate::svd::{self, Svd};

/// LING for one view, with its singular vectors.
pub struct Ling<'a> {
    normal: Normal<'a>,
    svd: Svd,
    steps: usize,
}

impl<'a> Ling<'a> {
    /// Finds the top `k_pc` singular vectors, which costs half a pass per power iteration and one more half
    /// pass.
    pub fn new(normal: Normal<'a>, k_pc: usize, steps: usize, options: &svd::Options) -> Result<Self> {
        Ok(Ling { normal, svd: svd::randomized(normal.pair, normal.side, k_pc, options)?, steps })
    }

    /// V(S² + λ)⁻¹VᵀR and its product with C + λI.
    fn project(&self, rhs: &Panel) -> (Panel, Panel) {
        let mut coefficients = panels::cross(&self.svd.v, rhs);
        for (i, s) in self.svd.s.iter().enumerate() {
            (0..rhs.cols()).for_each(|j| coefficients[(i, j)] /= s * s + self.normal.ridge);
        }
        let weights = panels::times(&self.svd.v, coefficients.as_ref());
        let mut product = panels::times(&self.svd.gram_v, coefficients.as_ref());
        panels::add_scaled(&mut product, self.normal.ridge, &weights);
        (weights, product)
    }

    /// M⁻¹g.
    fn precondition(&self, gradient: &Panel) -> Panel {
        if self.svd.s.is_empty() {
            return gradient.clone();
        }
        let tail = self.svd.next * self.svd.next + self.normal.ridge;
        let mut coefficients = panels::cross(&self.svd.v, gradient);
        for (i, s) in self.svd.s.iter().enumerate() {
            let factor = tail / (s * s + self.normal.ridge) - 1.0;
            (0..gradient.cols()).for_each(|j| coefficients[(i, j)] *= factor);
        }
        // The result is M⁻¹g times s² + λ, because the length of a direction does not matter.
        let mut direction = panels::times(&self.svd.v, coefficients.as_ref());
        panels::add_scaled(&mut direction, 1.0, gradient);
        direction
    }
}

impl LeastSquares for Ling<'_> {
    fn solve(&self, rhs: &Panel, _start: Option<Solved>) -> Result<Solved> {
        let (mut weights, product) = self.project(rhs);
        let mut gradient = rhs.clone();
        panels::subtract(&mut gradient, &product);
        descend(&self.normal, &mut weights, &mut gradient, self.steps, |g| self.precondition(g))?;
        Ok(finish(rhs, weights, &gradient))
    }
}

/// The description of L-CCA's solver.
pub const SPEC: SolverSpec = SolverSpec {
    parameters: &[
        Parameter::number(
            "t2",
            38,
            0,
            "a number of gradient steps",
            "gradient steps for each least-squares problem",
        ),
        Parameter::number(
            "k-pc",
            100,
            0,
            "a number of singular vectors",
            "singular vectors that LING projects on before it descends",
        ),
    ],
    passes_to_prepare: |values, power| if values["k-pc"] > 0 { (power + 1) as f64 } else { 0.0 },
    passes_to_solve: |values| values["t2"] as f64,
    // Without a gradient step, no direction outside the singular vectors is ever looked at.
    looks_everywhere: |values| values["t2"] > 0,
    depends_on_scale: true,
    check: |values, k| {
        if values["t2"] > 0 {
            return Ok(());
        }
        let (name, value, expected) = match values["k-pc"] {
            0 => ("t2", 0, "at least 1 gradient step if nothing is projected on singular vectors"),
            k_pc if k_pc < k => ("k-pc", k_pc, "at least k if t2 is 0"),
            _ => return Ok(()),
        };
        Err(Error::Setting { name, value: value.to_string(), expected })
    },
    ..SolverSpec::new(
        "ling",
        "projection on leading singular vectors, then gradient descent on the rest",
        |normal, values, resources| {
            Ok(Box::new(Ling::new(normal, values["k-pc"], values["t2"], &resources.svd)?))
        },
    )
};
