//! Tests of every method against independent computations, the paper's theorems, and degenerate inputs.

mod repeats;
mod shapes;
mod solving;
mod trust;

use super::{Fit, fit};
use crate::data::{InMemory, Pair};
use crate::error::Result;
use crate::method::{Method, Settings};
use crate::outcome::{Decision, Note};
use crate::testing::from_dense;
use faer::Mat;

/// Two dense views in memory.
fn pair_of(x: &Mat<f64>, y: &Mat<f64>) -> InMemory {
    InMemory::new(from_dense(x.as_ref()), from_dense(y.as_ref())).unwrap()
}

/// Fits with default settings.
fn run(pair: &dyn Pair, method: Method, k: usize) -> Result<Fit> {
    fit(pair, &Settings::new(method, k), &())
}

/// Fits with default settings, without centering.
fn uncentered(pair: &dyn Pair, method: Method, k: usize) -> Fit {
    fit(pair, &Settings { center: false, ..Settings::new(method, k) }, &()).unwrap()
}

/// Alternating least squares by conjugate gradients.
fn als_by_cg(t1: usize) -> Method {
    Method::als(t1).configured([("inner", "cg")]).unwrap()
}

/// Whether a fit made a decision of some kind.
fn decided(fit: &Fit, is_kind: impl Fn(&Decision) -> bool) -> bool {
    fit.decisions.iter().any(is_kind)
}

/// Every method with small parameters.
fn every_method() -> Vec<Method> {
    let small = |mut method: Method| {
        for (name, value) in [("t2", 6), ("k-pc", 4), ("k-rpcca", 6)] {
            method = method.with(name, value).unwrap_or(method);
        }
        method
    };
    Method::names().map(|name| small(Method::named(name).unwrap())).collect()
}

/// The largest difference of two lists of the same length.
fn gap(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "{a:?} {b:?}");
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
