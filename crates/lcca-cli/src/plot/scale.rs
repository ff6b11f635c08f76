//! Axes that are linear or logarithmic.

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use std::ops::Range;

/// The most ticks that fit on a panel.
const MOST_TICKS: usize = 9;

/// The way that numbers are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equally far apart.
    Linear,
    /// Equal ratios are equally far apart; only positive numbers have a position.
    Logarithmic,
}

impl Scale {
    /// The position of a number on the axis; not finite if the number has none.
    pub fn position(self, number: f64) -> f64 {
        match self {
            Scale::Linear => number,
            Scale::Logarithmic => number.log10(),
        }
    }

    /// An axis over this range of positions.
    pub fn axis(self, range: Range<f64>) -> Axis {
        Axis { positions: range.into(), scale: self }
    }

    /// The number at a position.
    pub fn value(self, position: f64) -> f64 {
        match self {
            Scale::Linear => position,
            Scale::Logarithmic => 10f64.powf(position),
        }
    }
}

/// Positions from one end to the other, with ticks at round numbers.
pub struct Axis {
    positions: RangedCoordf64,
    scale: Scale,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, position: &f64, limit: (i32, i32)) -> i32 {
        self.positions.map(position, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self.scale {
            Scale::Linear => self.positions.key_points(hint),
            Scale::Logarithmic => ticks(&self.range()),
        }
    }

    fn range(&self) -> Range<f64> {
        self.positions.range()
    }
}

/// The positions of round numbers within a range of logarithms, with the finest of three kinds of steps
/// that fits.
fn ticks(range: &Range<f64>) -> Vec<f64> {
    let finest_first: [&[f64]; 3] =
        [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], &[1.0, 2.0, 5.0], &[1.0]];
    let decades = range.start.floor() as i32..=range.end.ceil() as i32;
    let at_digits = |digits: &[f64]| -> Vec<f64> {
        let positions =
            decades.clone().flat_map(|n| digits.iter().map(move |digit| f64::from(n) + digit.log10()));
        positions.filter(|position| range.contains(position)).collect()
    };
    let candidates = finest_first.map(at_digits);
    candidates.iter().find(|ticks| ticks.len() <= MOST_TICKS).unwrap_or(&candidates[2]).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(from: f64, to: f64) -> Vec<f64> {
        let positions = ticks(&(from.log10()..to.log10()));
        positions
            .into_iter()
            .map(|position| (Scale::Logarithmic.value(position) * 1e6).round() / 1e6)
            .collect()
    }

    #[test]
    fn ticks_are_as_fine_as_fits() {
        assert_eq!(numbers(1.5, 4.5), [2.0, 3.0, 4.0]);
        assert_eq!(numbers(0.4, 30.0), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(numbers(0.005, 2e3), [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]);
    }

    #[test]
    fn a_position_has_its_number() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            assert!((scale.value(scale.position(7.5)) - 7.5).abs() < 1e-12);
        }
    }
}
