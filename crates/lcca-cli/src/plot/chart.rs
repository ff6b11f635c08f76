//! A chart as data.

use super::scale::Scale;
use std::ops::Range;

/// One line of a chart.
pub struct Curve {
    /// The name in the legend. Curves of one name have one look in every panel of a figure.
    pub name: String,
    /// The points from left to right. Points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Whether the curve is dashed and without markers: a line to compare with, such as the best possible.
    pub dashed: bool,
}

/// One set of axes.
pub struct Chart {
    /// The title above the axes.
    pub title: String,
    /// The label below the axes.
    pub x_label: String,
    /// The label left of the axes.
    pub y_label: String,
    /// Whether equal steps or equal ratios of x are equally far apart.
    pub x_scale: Scale,
    /// Whether the vertical axis runs from 0 to 1 even if the curves need only a part of it.
    pub y_from_0_to_1: bool,
    /// The curves in the order of the legend.
    pub curves: Vec<Curve>,
}

impl Chart {
    fn finite_points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.curves.iter().flat_map(|curve| self.positions(curve))
    }

    /// The points of a curve in axis coordinates; points that are not finite are left out.
    pub fn positions<'a>(&'a self, curve: &'a Curve) -> impl Iterator<Item = (f64, f64)> + 'a {
        let points = curve.points.iter().map(|&(x, y)| (self.x_scale.position(x), y));
        points.filter(|(x, y)| x.is_finite() && y.is_finite())
    }

    pub fn x_range(&self) -> Range<f64> {
        let (low, high) = bounds(self.finite_points().map(|(x, _)| x));
        let margin = if high > low { 0.03 * (high - low) } else { 0.5 };
        low - margin..high + margin
    }

    /// The range of the vertical axis. A range from 0 to 1 extends a little beyond both ends, because
    /// markers there would otherwise be cut.
    pub fn y_range(&self) -> Range<f64> {
        let (low, high) = bounds(self.finite_points().map(|(_, y)| y));
        if self.y_from_0_to_1 && low >= 0.0 && high <= 1.0 + 1e-9 {
            return -0.02..1.03;
        }
        let margin = if high > low { 0.05 * (high - low) } else { 0.5 };
        low - margin..high + margin
    }
}

/// The smallest and the largest of some finite numbers; 0 and 1 if there are none.
fn bounds(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.map(|v| (v, v)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0.0, 1.0))
}
