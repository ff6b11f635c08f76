//! (B − A)⁻¹ by one sparse Cholesky factor in Gram mode: the preconditioner of the method `shift-invert`.
//!
//! The factor can cost minutes and gigabytes, so that no other method takes it. LOBPCG bought it once its
//! price was spent on iterations, until incomplete factors made such fits rare.

use super::inverse::Inverse;
use super::varying;
use crate::data::{Pair, Side};
use crate::error::{Error, Result};
use crate::fit::pairs::eigenproblem::Trust;
use crate::fit::pairs::problem::Problem;
use crate::matrix::Panel;
use crate::outcome::Decision;
use crate::panels;
use crate::solve::{Plan, ShiftInvert, shifted};

/// (B − A)⁻¹ with its cost.
pub(in crate::fit) struct ShiftedFactor {
    inverse: ShiftInvert,
    decision: Decision,
    has_ridge: bool,
}

impl ShiftedFactor {
    /// An error if the factor is larger than the memory; what was tried if B − A is singular to rounding.
    pub fn new(problem: &Problem<'_>) -> Result<std::result::Result<Self, Decision>> {
        let settings = problem.settings;
        let Some(joint) = problem.joint.filter(|_| problem.along.is_none() && settings.is_cca()) else {
            let value = settings.method.name().into();
            let expected = "lobpcg or exact, since a view is dense";
            return Err(Error::Setting { name: "method", value, expected });
        };
        joint.bring()?;
        let matrix = shifted(joint, problem.ridges());
        let plan = Plan::new(&matrix)?;
        let (needed, allowed) = (plan.bytes(), settings.memory);
        if needed > allowed {
            let what = "the Cholesky factor of the joint Gram matrix".into();
            let advice = "allow more memory, or use lobpcg";
            return Err(Error::Memory { what, needed, allowed, advice });
        }
        let (entries, operations) = (plan.fill() as u64, plan.flops());
        let decision = |succeeded| Decision::PreconditionerFactorized { entries, operations, succeeded };
        let means = problem.means.map(|means| (means, joint.moments(Side::X).weight));
        let split = problem.pair.shape().x_cols;
        match ShiftInvert::new(&matrix, plan, split, problem.ridges(), means) {
            Ok(inverse) => {
                let has_ridge = Side::BOTH.iter().all(|&side| settings.ridge_of(side) >= varying::SOME);
                Ok(Ok(ShiftedFactor { inverse, decision: decision(true), has_ridge }))
            }
            Err(Error::Factorization(_)) => Ok(Err(decision(false))),
            Err(other) => Err(other),
        }
    }
}

impl Inverse for ShiftedFactor {
    fn apply(&self, [x, y]: [&mut Panel; 2]) -> Result<Vec<f64>> {
        let [solved_x, solved_y] = self.inverse.solve([x, y]);
        let squares = panels::column_dots(x, &solved_x).into_iter().zip(panels::column_dots(y, &solved_y));
        let squares = squares.map(|(x, y)| x + y).collect();
        (*x, *y) = (solved_x, solved_y);
        Ok(squares)
    }

    /// Without a ridge, directions of hardly any variance may be what rounding made of them.
    fn trust(&self) -> Trust {
        let estimated = Trust::Estimated { is_shifted: true, margin: 1.0 };
        if self.has_ridge { Trust::Near { factor: 1.0 } } else { estimated }
    }

    fn decision(&self) -> Decision {
        self.decision.clone()
    }
}
