//! A chart as data.

use super::scale::Scale;
use std::ops::Range;

/// One line of a chart.
pub struct Curve {
    /// The name in the legend. Curves of one name look alike in every panel of a figure.
    pub name: String,
    /// From left to right; points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Dashed and without markers: a line to compare with, such as the best possible.
    pub dashed: bool,
}

/// One set of axes.
pub struct Chart {
    /// Above the axes.
    pub title: String,
    /// Below the axes.
    pub x_label: String,
    /// Left of the axes.
    pub y_label: String,
    /// Whether equal steps or equal ratios of x are equally far apart.
    pub x_scale: Scale,
    /// The vertical axis runs from 0 to 1 even if the curves need only a part of that.
    pub y_from_0_to_1: bool,
    /// In the order of the legend.
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

    /// From 0 to 1 the range extends a little beyond both ends, so that markers there are drawn whole.
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
