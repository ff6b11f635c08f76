//! Arithmetic on whole cache lines.

use crate::matrix::{LANES, Line};
use pulp::NullaryFnOnce;

/// to ← to + factor·from, one cache line.
///
/// The product is rounded before it is added. A fused multiply-add would be faster on some processors and
/// give other digits on the rest.
#[inline(always)]
pub(super) fn add_scaled(to: &mut Line, factor: f64, from: &Line) {
    for lane in 0..LANES {
        to.0[lane] += factor * from.0[lane];
    }
}

/// to ← to + factor·from, with `from` in single precision.
#[inline(always)]
pub(super) fn add_scaled_single(to: &mut Line, factor: f64, from: &[f32]) {
    to.0.iter_mut().zip(from).for_each(|(to, &from)| *to += factor * f64::from(from));
}

/// to ← to + from.
pub(crate) fn add(to: &mut [Line], from: &[Line]) {
    pulp::Arch::new().dispatch(Add { to, from });
}

struct Add<'a> {
    to: &'a mut [Line],
    from: &'a [Line],
}

impl NullaryFnOnce for Add<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        for (to, from) in self.to.iter_mut().zip(self.from) {
            add_scaled(to, 1.0, from);
        }
    }
}

/// z ← z − offset, then z ← weight·z, row by row.
pub(crate) fn adjust(
    z: &mut [Line],
    stride: usize,
    offset: Option<&[Line]>,
    weight: Option<impl Fn(usize) -> f64>,
) {
    for (i, row) in z.chunks_exact_mut(stride).enumerate() {
        if let Some(offset) = offset {
            row.iter_mut().zip(offset).for_each(|(z, o)| (0..LANES).for_each(|lane| z.0[lane] -= o.0[lane]));
        }
        if let Some(weight) = &weight {
            let weight = weight(i);
            row.iter_mut().for_each(|z| z.0.iter_mut().for_each(|z| *z *= weight));
        }
    }
}
