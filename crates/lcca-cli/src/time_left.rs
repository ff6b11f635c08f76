//! Estimates the time left of a fit to a tolerance, from the slope of its convergence.
//!
//! The missing share falls by about the same factor per second, so its logarithm falls along a line. The
//! line through the last iterations says when it reaches the tolerance. There is no estimate before enough
//! iterations, if the slope is flat or rises, if the end lies far beyond the time so far, or once the
//! tolerance is reached and only the end of the fit is left, because no estimate is better than a wrong
//! one.

use std::collections::VecDeque;

/// The number of last iterations that the slope is computed from.
const WINDOW: usize = 10;
/// The fewest iterations that show a slope.
const FEWEST: usize = 5;
/// The largest estimate, in times of the time since the start. A larger one is a guess.
const FARTHEST: f64 = 20.0;

/// The seconds left of work in equal parts, if some of them are done and some are not.
pub fn by_share(seconds: f64, done: u64, of: u64) -> Option<f64> {
    (done > 0 && done < of).then(|| seconds * (of - done) as f64 / done as f64)
}

/// The convergence of one fit.
pub struct TimeLeft {
    tolerance: f64,
    /// The seconds since the start, and the logarithm of the missing share, of each iteration.
    seen: VecDeque<(f64, f64)>,
}

impl TimeLeft {
    pub fn new(tolerance: f64) -> Self {
        TimeLeft { tolerance, seen: VecDeque::new() }
    }

    /// Notes an iteration.
    pub fn look(&mut self, seconds: f64, missing: Option<f64>) {
        let Some(missing) = missing.filter(|missing| missing.is_finite() && *missing > 0.0) else { return };
        if self.seen.len() == WINDOW {
            self.seen.pop_front();
        }
        self.seen.push_back((seconds, missing.ln()));
    }

    /// The seconds until the missing share is within the tolerance, if they can be estimated.
    pub fn seconds(&self) -> Option<f64> {
        let &(now, last) = self.seen.back()?;
        let ahead = last - self.tolerance.ln();
        if self.seen.len() < FEWEST || !ahead.is_finite() || ahead <= 0.0 {
            return None;
        }
        let left = ahead / -self.slope()?;
        (left <= FARTHEST * now).then_some(left)
    }

    /// The slope of the least-squares line, if it falls.
    fn slope(&self) -> Option<f64> {
        let count = self.seen.len() as f64;
        let mean = |pick: fn(&(f64, f64)) -> f64| self.seen.iter().map(pick).sum::<f64>() / count;
        let (middle, level) = (mean(|point| point.0), mean(|point| point.1));
        let (mut across, mut spread) = (0.0, 0.0);
        for (seconds, missing) in &self.seen {
            across += (seconds - middle) * (missing - level);
            spread += (seconds - middle).powi(2);
        }
        Some(across / spread).filter(|slope| slope.is_finite() && *slope < 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Watches a fit whose missing share is `missing(seconds)`, one iteration per second.
    fn watched(seconds: u32, missing: impl Fn(f64) -> f64) -> TimeLeft {
        let mut left = TimeLeft::new(1e-4);
        (1..=seconds).for_each(|second| left.look(second.into(), Some(missing(second.into()))));
        left
    }

    #[test]
    fn a_steady_fall_is_followed_to_the_tolerance() {
        // The share falls to a tenth every ten seconds, so it reaches 1e-4 after 40 seconds.
        for now in [10, 20, 35] {
            let left = watched(now, |second| 10f64.powf(-second / 10.0)).seconds().unwrap();
            assert!((left - f64::from(40 - now)).abs() < 1e-6, "{now}: {left}");
        }
    }

    #[test]
    fn noise_around_the_line_moves_the_estimate_little() {
        let wobble = |second: f64| 10f64.powf(-second / 10.0) * (1.0 + 0.3 * (3.0 * second).sin());
        let left = watched(20, wobble).seconds().unwrap();
        assert!((12.0..30.0).contains(&left), "{left}");
    }

    #[test]
    fn equal_parts_take_equal_times() {
        assert_eq!(by_share(10.0, 2, 6), Some(20.0));
        assert_eq!(by_share(10.0, 0, 6), None, "nothing is known yet");
        assert_eq!(by_share(10.0, 6, 6), None, "nothing is left, or it is not known");
        assert_eq!(by_share(10.0, 7, 6), None);
    }

    #[test]
    fn there_is_no_estimate_without_a_reason() {
        let falling = |second: f64| 10f64.powf(-second / 10.0);
        assert_eq!(watched(3, falling).seconds(), None, "too few iterations");
        assert_eq!(watched(20, |_| 0.1).seconds(), None, "no slope");
        assert_eq!(watched(20, |second| 0.01 * second).seconds(), None, "a rise");
        assert_eq!(watched(20, |second| (-1e-4 * second).exp()).seconds(), None, "too far ahead");
        assert_eq!(watched(60, falling).seconds(), None, "within the tolerance, though the fit goes on");
        let mut unknown = TimeLeft::new(1e-4);
        (1..20).for_each(|second| unknown.look(second.into(), None));
        assert_eq!(unknown.seconds(), None);
        assert_eq!(TimeLeft::new(0.0).seconds(), None);
    }
}
