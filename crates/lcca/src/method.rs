//! Which method, with which parameters: plain data, and the only place that knows the methods' names.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// A way to compute CCA. Names and parameters are those of Lu & Foster (NIPS 2014).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Method {
    /// Whichever of [`Method::Exact`] and [`Method::Lobpcg`] suits the data: the exact answer either way.
    Auto,
    /// Algorithm 1: alternating least squares, each solved exactly.
    Als {
        /// Orthogonal iterations.
        t1: usize,
        /// How each problem is solved.
        #[serde(default)]
        inner: Inner,
    },
    /// D-CCA: Algorithm 1 with the Gram matrix replaced by its diagonal. Exact where the Gram matrix is diagonal.
    DCca {
        /// Orthogonal iterations.
        t1: usize,
    },
    /// G-CCA: each least-squares problem by gradient descent from zero.
    GCca {
        /// Orthogonal iterations.
        t1: usize,
        /// Gradient steps for each least-squares problem.
        t2: usize,
    },
    /// L-CCA: each least-squares problem by LING.
    LCca {
        /// Orthogonal iterations.
        t1: usize,
        /// Gradient steps for each least-squares problem.
        t2: usize,
        /// Singular vectors that LING projects on before it descends.
        k_pc: usize,
    },
    /// RPCCA: exact CCA between the leading principal components of each view.
    RpCca {
        /// Principal components of each view.
        k_rpcca: usize,
    },
    /// Block LOBPCG on the generalized eigenproblem of CCA: the exact answer, in tens to a hundred and some passes.
    Lobpcg,
    /// The same with (B − A)⁻¹ as its preconditioner, B − A being factorised once: a digit or so an iteration, for sparse views
    /// whose joint Gram matrix has a Cholesky factor that fits the memory.
    ShiftInvert,
    /// Classical CCA from the views' Gram matrices, for narrow views; [`Method::Exact`] where those are too ill conditioned.
    Gram,
    /// Classical CCA: rank-revealing QR of each view, then an SVD (Björck & Golub 1973). For small data.
    Exact,
}

impl Method {
    /// Every name [`Method::from_name`] knows.
    pub const NAMES: [&'static str; 10] =
        ["auto", "lobpcg", "shift-invert", "gram", "l-cca", "g-cca", "d-cca", "als", "rp-cca", "exact"];

    /// The method of that name, at the paper's parameters.
    pub fn from_name(name: &str) -> Option<Method> {
        Some(match name {
            "als" => Method::als(30),
            "d-cca" => Method::DCca { t1: 30 },
            "g-cca" => Method::GCca { t1: 5, t2: 51 },
            "l-cca" => Method::LCca { t1: 5, t2: 38, k_pc: 100 },
            "rp-cca" => Method::RpCca { k_rpcca: 500 },
            "exact" => Method::Exact,
            "lobpcg" => Method::Lobpcg,
            "shift-invert" => Method::ShiftInvert,
            "gram" => Method::Gram,
            "auto" => Method::Auto,
            _ => return None,
        })
    }

    /// Algorithm 1 as the paper has it, its least-squares problems solved by Cholesky factorisation.
    pub const fn als(t1: usize) -> Method {
        Method::Als { t1, inner: Inner::Cholesky }
    }

    /// The name that [`Method::from_name`] takes.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Als { .. } => "als",
            Method::DCca { .. } => "d-cca",
            Method::GCca { .. } => "g-cca",
            Method::LCca { .. } => "l-cca",
            Method::RpCca { .. } => "rp-cca",
            Method::Exact => "exact",
            Method::Lobpcg => "lobpcg",
            Method::ShiftInvert => "shift-invert",
            Method::Gram => "gram",
            Method::Auto => "auto",
        }
    }

    /// The name, and the solver inside where there is a choice, as they are typed.
    pub fn full_name(&self) -> String {
        match self {
            Method::Als { inner, .. } => format!("{} --inner {}", self.name(), inner.name()),
            _ => self.name().to_string(),
        }
    }

    /// Sets the parameter called `name`; an error where this method has no such parameter.
    pub fn set(&mut self, name: &'static str, value: usize) -> Result<()> {
        let slot = match (self, name) {
            (
                Method::Als { t1, .. }
                | Method::DCca { t1 }
                | Method::GCca { t1, .. }
                | Method::LCca { t1, .. },
                "t1",
            ) => t1,
            (
                Method::Als { inner: Inner::Cg { t2 }, .. }
                | Method::GCca { t2, .. }
                | Method::LCca { t2, .. },
                "t2",
            ) => t2,
            (Method::LCca { k_pc, .. }, "k-pc") => k_pc,
            (Method::RpCca { k_rpcca }, "k-rpcca") => k_rpcca,
            _ => {
                return Err(Error::Setting {
                    name,
                    value: value.to_string(),
                    expected: "a parameter of the method",
                });
            }
        };
        *slot = value;
        Ok(())
    }

    /// Sets how least-squares problems are solved; an error where this method leaves no choice.
    pub fn set_inner(&mut self, solver: Inner) -> Result<()> {
        let Method::Als { inner, .. } = self else {
            let value = solver.name().to_string();
            return Err(Error::Setting { name: "inner", value, expected: "a parameter of the method" });
        };
        *inner = solver;
        Ok(())
    }

    /// The iterations of the alternating loop, where the method has one.
    pub fn t1(&self) -> Option<usize> {
        match *self {
            Method::Als { t1, .. }
            | Method::DCca { t1 }
            | Method::GCca { t1, .. }
            | Method::LCca { t1, .. } => Some(t1),
            _ => None,
        }
    }

    /// Whether the parameters make sense for `k` pairs.
    pub(crate) fn check(&self, k: usize) -> Result<()> {
        let refuse =
            |name, value: usize, expected| Err(Error::Setting { name, value: value.to_string(), expected });
        match *self {
            Method::Als { t1: 0, .. }
            | Method::DCca { t1: 0 }
            | Method::GCca { t1: 0, .. }
            | Method::LCca { t1: 0, .. } => refuse("t1", 0, "at least 1 iteration"),
            Method::Als { inner: Inner::Cg { t2: 0 }, .. } => {
                refuse("t2", 0, "at least 1 step of conjugate gradients")
            }
            Method::GCca { t2: 0, .. } | Method::LCca { t2: 0, k_pc: 0, .. } => {
                refuse("t2", 0, "at least 1 gradient step where nothing is projected on singular vectors")
            }
            Method::LCca { t2: 0, k_pc, .. } if k_pc < k => refuse("k-pc", k_pc, "at least k where t2 is 0"),
            Method::RpCca { k_rpcca } if k_rpcca < k => refuse("k-rpcca", k_rpcca, "at least k"),
            _ => Ok(()),
        }
    }
}

/// How [`Method::Als`] solves its least-squares problems: the same answer either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inner {
    /// A Cholesky factorisation of the Gram matrix.
    #[default]
    Cholesky,
    /// Conjugate gradients, each solve started from the last answer: nothing p×p is formed.
    Cg {
        /// Most steps for each problem, half a pass each; fewer where the tolerance is reached.
        t2: usize,
    },
}

impl Inner {
    /// Every name [`Inner::from_name`] knows.
    pub const NAMES: [&'static str; 2] = ["cholesky", "cg"];

    /// The solver of that name, at its default parameters.
    pub fn from_name(name: &str) -> Option<Inner> {
        match name {
            "cholesky" => Some(Inner::Cholesky),
            "cg" => Some(Inner::Cg { t2: 500 }),
            _ => None,
        }
    }

    /// The name that [`Inner::from_name`] takes.
    pub fn name(&self) -> &'static str {
        match self {
            Inner::Cholesky => "cholesky",
            Inner::Cg { .. } => "cg",
        }
    }
}

/// All that decides a fit besides the data. The same settings, data and thread count give the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The method and its parameters.
    pub method: Method,
    /// Pairs of canonical variables wanted.
    pub k: usize,
    /// Ridge of X, relative: C + λ·(tr C/p)·I.
    pub ridge_x: f64,
    /// Ridge of Y, likewise.
    pub ridge_y: f64,
    /// Subtract column means (implicitly; nothing is densified).
    pub center: bool,
    /// Extra columns carried by the randomized SVD and by block methods; `None` lets each choose.
    pub oversample: Option<usize>,
    /// Power iterations of the randomized SVD.
    pub power: usize,
    /// Seed of every random number.
    pub seed: u64,
    /// Bytes that factorisations may take.
    pub memory: u64,
    /// What may be missing from the objective's total, relative to it, for the fit to count as converged.
    pub tol: f64,
    /// No iteration begins after this many passes.
    pub max_passes: Option<f64>,
    /// Look for structure that makes the problem smaller: one-hot views, equal rows, empty columns, small Gram matrices.
    pub structure: bool,
}

impl Settings {
    /// `method` for `k` pairs, everything else at its default.
    pub fn new(method: Method, k: usize) -> Self {
        Settings {
            method,
            k,
            ridge_x: 0.0,
            ridge_y: 0.0,
            center: true,
            oversample: None,
            power: 2,
            seed: 0,
            memory: 4 << 30,
            tol: 1e-4,
            max_passes: None,
            structure: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in Method::NAMES {
            assert_eq!(Method::from_name(name).unwrap().name(), name);
        }
        assert_eq!(Method::from_name("pca"), None);
    }

    #[test]
    fn a_parameter_of_another_method_is_refused() {
        let mut method = Method::from_name("d-cca").unwrap();
        assert!(method.set("t1", 7).is_ok());
        assert_eq!(method, Method::DCca { t1: 7 });
        assert!(method.set("t2", 7).is_err());
    }

    #[test]
    fn only_als_has_an_inner_solver_and_only_conjugate_gradients_have_steps() {
        let cg = Inner::from_name("cg").unwrap();
        for name in Method::NAMES {
            let accepted = Method::from_name(name).unwrap().set_inner(cg).is_ok();
            assert_eq!(accepted, name == "als", "{name}");
        }
        let mut method = Method::als(30);
        assert!(method.set("t2", 7).is_err());
        method.set_inner(cg).unwrap();
        method.set("t2", 7).unwrap();
        assert_eq!(method, Method::Als { t1: 30, inner: Inner::Cg { t2: 7 } });
        assert!(method.check(1).is_ok());
        method.set("t2", 0).unwrap();
        assert!(method.check(1).unwrap_err().to_string().contains("t2 is 0"));
    }
}
