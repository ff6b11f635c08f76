//! Axes: the range of numbers that a picture shows, and the round numbers of its ticks.

use super::measure::{SMALL, width};

/// The shortest axis of correlations, because correlations that are closer together count as equal.
const SHORTEST: f64 = 0.1;
/// The shortest axis of other numbers, as a share of their size.
const SHORTEST_SHARE: f64 = 0.01;

/// An axis between two numbers.
#[derive(Clone, Debug)]
pub struct Range {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
    log: bool,
    /// The digits after the point of every tick.
    digits: usize,
    /// Whether ticks have a power of ten, because they are very small or very large.
    scientific: bool,
}

impl Range {
    /// An axis from one round number to another, with about `ticks` steps.
    pub fn linear(values: impl Iterator<Item = f64>, ticks: usize) -> Self {
        let (low, high) = ends(values);
        let shortest = (SHORTEST_SHARE * low.abs().max(high.abs())).max(1e-12);
        let slack = (shortest - (high - low)).max(0.0) / 2.0;
        Range::between(low - slack, high + slack, ticks)
    }

    /// An axis for correlations: from 0 to 1, lower if some are negative, and only the upper part if all
    /// are large. The axis is never so short that rounding errors become a picture.
    pub fn correlations(values: impl Iterator<Item = f64>, ticks: usize) -> Self {
        let (low, high) = ends(values);
        let high = high.max(1.0);
        let low = if low > 0.5 { low.min(high - SHORTEST) - (high - low) / 8.0 } else { low.min(0.0) };
        let mut range = Range::between(low.max(-1.0), high, ticks);
        // A correlation of 1 + 1e-16 must not open another step.
        if high < 1.0 + 1e-6 {
            range.high = 1.0;
            range.ticks.retain(|&tick| tick <= 1.0 + 1e-9);
        }
        range
    }

    /// An axis from 1 to a last number, with whole ticks and half a step beyond both ends.
    pub fn counting(last: usize, ticks: usize) -> Self {
        let step = nice_step(last as f64 / ticks.max(1) as f64).max(1.0) as usize;
        let mut at: Vec<f64> = (1..=last).filter(|i| i % step == 0).map(|i| i as f64).collect();
        if step > 1 {
            at.insert(0, 1.0);
        }
        Range { low: 0.5, high: last as f64 + 0.5, ticks: at, log: false, digits: 0, scientific: false }
    }

    /// An axis with powers of ten, on which numbers that are not above 0 have no position.
    pub fn logarithmic(values: impl Iterator<Item = f64>, ticks: usize) -> Self {
        let (low, high) = ends(values.filter(|&value| value > 0.0).map(f64::log10));
        if high - low < 2.0 {
            return Range::few_decades(low, high);
        }
        let (low, high) = ((low - 1e-9).floor(), (high + 1e-9).ceil().max(low.floor() + 1.0));
        let step = ((high - low) / ticks.max(1) as f64).ceil().max(1.0);
        let count = ((high - low) / step).floor() as usize;
        let at = (0..=count).map(|i| 10f64.powf(low + step * i as f64)).collect();
        Range {
            low: 10f64.powf(low),
            high: 10f64.powf(high),
            ticks: at,
            log: true,
            digits: 0,
            scientific: false,
        }
    }

    /// An axis of less than two decades, whose ends are given as logarithms. Its ticks are at steps of 1,
    /// 2, 5, from the last one below to the first one above.
    fn few_decades(low: f64, high: f64) -> Self {
        let decades = low.floor() as i32 - 1..=high.ceil() as i32 + 1;
        let steps: Vec<f64> =
            decades.flat_map(|n| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(n))).collect();
        let [least, most] = [low - 1e-9, high + 1e-9].map(|log| 10f64.powf(log));
        let first = steps.iter().rposition(|&step| step <= least * (1.0 + 1e-6)).unwrap_or(0);
        let last = steps.iter().position(|&step| step >= most * (1.0 - 1e-6)).unwrap_or(steps.len() - 1);
        let ticks = steps[first..=last.max(first + 1).min(steps.len() - 1)].to_vec();
        Range { low: ticks[0], high: ticks[ticks.len() - 1], ticks, log: true, digits: 0, scientific: false }
    }

    /// An axis between two numbers, widened to round ones.
    pub fn between(low: f64, high: f64, ticks: usize) -> Self {
        let step = nice_step((high - low).max(1e-300) / ticks.max(1) as f64);
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let count = (last - first).clamp(1.0, 50.0) as usize;
        let at: Vec<f64> = (0..=count).map(|i| (first + i as f64) * step).collect();
        let size = at[0].abs().max(at[count].abs());
        let exponent = |value: f64| (value.log10() + 1e-9).floor();
        let scientific = size >= 1e6 || exponent(step) < -5.0;
        let digits = if scientific { exponent(size) - exponent(step) } else { -exponent(step) };
        let digits = digits.clamp(0.0, 12.0) as usize;
        Range { low: at[0], high: at[count], ticks: at, log: false, digits, scientific }
    }

    /// Cuts an axis at `most`, which numbers exceed by rounding only.
    pub fn up_to(mut self, most: f64) -> Self {
        let slack = 1e-9 * most.abs();
        if self.low < most {
            self.high = self.high.min(most);
            self.ticks.retain(|&tick| tick <= most + slack);
        }
        self
    }

    /// An axis between exactly these numbers, with round ticks inside: at least three, because one or two
    /// hardly show a scale.
    pub fn exactly(low: f64, high: f64, ticks: usize) -> Self {
        let wide = Range::between(low, high, ticks);
        let slack = 1e-9 * (high - low);
        let inside = |tick: &f64| *tick >= low - slack && *tick <= high + slack;
        let at: Vec<f64> = wide.ticks.iter().copied().filter(inside).collect();
        if at.len() < 3 && ticks < 12 {
            return Range::exactly(low, high, ticks + 1);
        }
        Range { low, high, ticks: at, ..wide }
    }

    /// Drops ticks until their texts do not touch each other along these pixels.
    pub fn thinned(mut self, pixels: f64) -> Self {
        let widest = self.ticks.iter().map(|&tick| width(&self.label(tick), SMALL)).fold(0.0, f64::max);
        let room = (pixels / (widest + 10.0)).floor().max(1.0) as usize;
        let every = self.ticks.len().div_ceil(room).max(1);
        // If 0 is a tick, it stays one.
        let offset = self.ticks.iter().position(|tick| *tick == 0.0).unwrap_or(0) % every;
        self.ticks = self.ticks.into_iter().skip(offset).step_by(every).collect();
        self
    }

    /// The position of a number between two pixels.
    pub fn place(&self, value: f64, from: f64, to: f64) -> f64 {
        let scale = |v: f64| if self.log { v.log10() } else { v };
        let share = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low));
        from + share * (to - from)
    }

    /// The text of a tick.
    pub fn label(&self, tick: f64) -> String {
        let text = if self.log && !(1e-3..1e5).contains(&tick) {
            format!("1e{:.0}", tick.log10())
        } else if self.log {
            format!("{}", (tick * 1e6).round() / 1e6)
        } else if self.scientific {
            format!("{tick:.*e}", self.digits)
        } else {
            format!("{tick:.*}", self.digits)
        };
        let text = text.replace('-', "\u{2212}");
        let is_zero = !self.log && tick.abs() < 1e-9 * self.low.abs().max(self.high.abs());
        if is_zero { "0".into() } else { text }
    }
}

/// The smallest and the largest finite number; 0 and 1 if there are none.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    finite.map(|v| (v, v)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0.0, 1.0))
}

/// The least of 1, 2, 5, 10, 20, … and their fractions that is at least as long as a length.
fn nice_step(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= length * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: &Range) -> Vec<String> {
        range.ticks.iter().map(|&tick| range.label(tick)).collect()
    }

    #[test]
    fn rounding_errors_are_no_scale() {
        let range = Range::correlations([0.999_999_999_45, 1.0, 1.0 + 2e-16].into_iter(), 5);
        assert!(range.high == 1.0 && range.low <= 0.9, "{range:?}");
        assert!(labels(&range).iter().all(|label| label.len() <= 4), "{range:?}");
        let range = Range::linear([19.999_999_98, 20.0].into_iter(), 5);
        assert!(range.high - range.low >= 0.2, "{range:?}");
    }

    #[test]
    fn correlations_run_from_0_to_1_unless_they_are_all_large_or_some_negative() {
        let ends = |values: &[f64]| {
            let range = Range::correlations(values.iter().copied(), 5);
            (range.low, range.high)
        };
        assert_eq!(ends(&[0.3, 0.9]), (0.0, 1.0));
        assert_eq!(ends(&[]), (0.0, 1.0));
        assert!(ends(&[0.8, 0.95]).0 > 0.5);
        assert!(ends(&[-0.2, 0.4]).0 <= -0.2);
    }

    #[test]
    fn an_axis_ends_at_the_most_that_can_be() {
        let range = |values: [f64; 2]| Range::linear(values.into_iter(), 5).up_to(8.0);
        let (near, far) = (range([2.5, 7.9]), range([0.5, 1.9]));
        assert!(near.high == 8.0 && near.ticks.iter().all(|&tick| tick <= 8.0), "{near:?}");
        assert_eq!(far.high, 2.0);
        assert!(range([8.0, 8.0 + 1e-15]).low < 8.0);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            labels(&Range::linear([0.0, 1.0].into_iter(), 5)),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(labels(&Range::counting(7, 10)), ["1", "2", "3", "4", "5", "6", "7"]);
        assert_eq!(labels(&Range::counting(40, 8)), ["1", "5", "10", "15", "20", "25", "30", "35", "40"]);
        let log = Range::logarithmic([3e-9, 0.5].into_iter(), 5);
        assert_eq!((log.low, log.high), (1e-9, 1.0));
        assert_eq!(labels(&Range::logarithmic([0.3, 3.0].into_iter(), 5)), ["0.2", "0.5", "1", "2", "5"]);
    }

    #[test]
    fn an_axis_around_0_has_ticks_on_both_sides() {
        for most in [0.1, 0.19, 0.21, 0.42, 0.499, 0.5, 0.9] {
            let range = Range::exactly(-most, most, 3);
            assert!(
                range.ticks.len() >= 3 && range.ticks.iter().all(|tick| tick.abs() <= most + 1e-9),
                "{range:?}"
            );
        }
    }

    #[test]
    fn tiny_numbers_have_short_labels_that_do_not_touch() {
        let range = Range::linear([-7.98e-6, -7.85e-6].into_iter(), 6).thinned(300.0);
        let labels = labels(&range);
        assert!(
            labels.iter().all(|label| label.chars().count() <= 9 && label.contains("e\u{2212}6")),
            "{labels:?}"
        );
        let widths: f64 = labels.iter().map(|label| width(label, SMALL) + 10.0).sum();
        assert!(labels.len() > 1 && widths <= 310.0, "{labels:?}");
    }

    #[test]
    fn a_number_is_where_its_share_is() {
        assert_eq!(Range::between(0.0, 10.0, 5).place(2.5, 100.0, 200.0), 125.0);
        assert!((Range::logarithmic([1.0, 100.0].into_iter(), 5).place(10.0, 0.0, 1.0) - 0.5).abs() < 1e-12);
    }
}
