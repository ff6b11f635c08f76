//! Finds the whole number at which a method takes a given time.
//!
//! Time grows with the parameter, and nearly linearly between two measured numbers. So each try is the
//! number at which the line through the nearest points meets the target. The try becomes a point itself,
//! and the search ends when a measured time agrees. There is no clock here: the caller measures.

use serde::Serialize;

/// A number and its measured time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub parameter: usize,
    pub seconds: f64,
}

/// The target of a search, and its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Seconds that the method should take.
    pub target: f64,
    /// How far the time may be off, as a share of the target.
    pub agreement: f64,
    /// The smallest number allowed.
    pub least: usize,
    /// The largest number allowed.
    pub most: usize,
    /// The first number to try if nothing was measured before.
    pub first: usize,
    /// How many times larger than any measured number a try may be. It is limited because time may grow
    /// faster than linearly.
    pub growth: usize,
    /// The most measurements to make.
    pub tries: usize,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The time of the number agrees with the target.
    Agrees,
    /// Even the largest number allowed is too quick.
    TooQuick,
    /// Even the smallest number allowed is too slow.
    TooSlow,
    /// The target lies between two consecutive numbers.
    BetweenNumbers,
    /// Larger numbers were quicker than smaller ones.
    Uneven,
    /// All tries were used.
    OutOfTries,
}

/// The next step of a search.
enum Next {
    Try(usize),
    GiveUp(Outcome),
}

/// Returns the measured number nearest to the target, and how the search for it ended. The search uses
/// earlier points and adds new ones.
pub fn calibrate<E>(
    search: &Search,
    points: &mut Vec<Point>,
    mut measure: impl FnMut(usize) -> Result<f64, E>,
) -> Result<(usize, Outcome), E> {
    let mut outcome = Outcome::OutOfTries;
    for _ in 0..search.tries {
        if search.is_met(points) {
            break;
        }
        match search.next(points) {
            Next::Try(parameter) => points.push(Point { parameter, seconds: measure(parameter)? }),
            Next::GiveUp(reason) => {
                outcome = reason;
                break;
            }
        }
    }
    let nearest = search.nearest(points).map_or(search.first, |point| point.parameter);
    Ok((nearest, if search.is_met(points) { Outcome::Agrees } else { outcome }))
}

impl Search {
    fn is_met(&self, points: &[Point]) -> bool {
        self.nearest(points).is_some_and(|point| (point.seconds / self.target - 1.0).abs() <= self.agreement)
    }

    /// The nearest point by ratio, because half the time is as far off as twice the time.
    fn nearest<'p>(&self, points: &'p [Point]) -> Option<&'p Point> {
        let distance = |point: &Point| (point.seconds / self.target).ln().abs();
        points.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    fn next(&self, points: &[Point]) -> Next {
        let quick = points.iter().filter(|p| p.seconds < self.target).max_by_key(|p| p.parameter);
        let slow = points.iter().filter(|p| p.seconds >= self.target).min_by_key(|p| p.parameter);
        match (quick, slow) {
            (None, None) => Next::Try(self.first.clamp(self.least, self.most)),
            (Some(quick), Some(slow)) => self.between(quick, slow),
            (Some(quick), None) => self.above(quick, points),
            (None, Some(slow)) => self.below(slow, points),
        }
    }

    fn between(&self, quick: &Point, slow: &Point) -> Next {
        if quick.parameter >= slow.parameter {
            return Next::GiveUp(Outcome::Uneven);
        }
        if slow.parameter - quick.parameter == 1 {
            return Next::GiveUp(Outcome::BetweenNumbers);
        }
        Next::Try(self.on_line(quick, slow).clamp(quick.parameter + 1, slow.parameter - 1))
    }

    fn above(&self, quick: &Point, points: &[Point]) -> Next {
        if quick.parameter >= self.most {
            return Next::GiveUp(Outcome::TooQuick);
        }
        let far = (quick.parameter.max(1).saturating_mul(self.growth)).min(self.most);
        Next::Try(self.towards(quick, points).clamp(quick.parameter + 1, far.max(quick.parameter + 1)))
    }

    fn below(&self, slow: &Point, points: &[Point]) -> Next {
        if slow.parameter <= self.least {
            return Next::GiveUp(Outcome::TooSlow);
        }
        Next::Try(self.towards(slow, points).clamp(self.least, slow.parameter - 1))
    }

    /// Extrapolates beyond all points: along the line through the outermost point and the one nearest to it,
    /// or through 0 if there is no other point or the line would fall.
    fn towards(&self, outermost: &Point, points: &[Point]) -> usize {
        let others = points.iter().filter(|point| point.parameter != outermost.parameter);
        let second = others.min_by_key(|point| point.parameter.abs_diff(outermost.parameter));
        let rises = |second: &&Point| {
            (outermost.parameter > second.parameter) == (outermost.seconds > second.seconds)
                && outermost.seconds != second.seconds
        };
        let origin = Point { parameter: 0, seconds: 0.0 };
        self.on_line(second.filter(rises).unwrap_or(&origin), outermost)
    }

    /// The number at which the line through two points meets the target.
    fn on_line(&self, a: &Point, b: &Point) -> usize {
        let [pa, pb] = [a, b].map(|point| point.parameter as f64);
        let share = (self.target - a.seconds) / (b.seconds - a.seconds);
        // The cast saturates, so a negative, infinite or undefined number becomes the nearest valid one.
        (pa + share * (pb - pa)).round() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    const SEARCH: Search =
        Search { target: 10.0, agreement: 0.1, least: 1, most: 100_000, first: 7, growth: 10, tries: 6 };

    /// The number that a search finds, how the search ended, and the numbers that it measured on the way.
    fn calibrated(search: &Search, seconds: impl Fn(usize) -> f64) -> (usize, Outcome, Vec<usize>) {
        let mut points = Vec::new();
        let Ok((number, outcome)) =
            calibrate(search, &mut points, |number| Ok::<_, Infallible>(seconds(number)));
        assert!(points.len() <= search.tries);
        assert!(points.iter().any(|point| point.parameter == number));
        (number, outcome, points.iter().map(|point| point.parameter).collect())
    }

    fn agrees(search: &Search, seconds: impl Fn(usize) -> f64) -> usize {
        let (number, outcome, tried) = calibrated(search, &seconds);
        assert_eq!(outcome, Outcome::Agrees, "{tried:?}");
        assert!((seconds(number) / search.target - 1.0).abs() <= search.agreement);
        tried.len()
    }

    #[test]
    fn a_line_is_met_in_three_measurements() {
        for (fixed, step) in [(0.0, 0.1), (3.0, 0.05), (9.5, 0.001), (0.5, 3.0)] {
            let tries = agrees(&SEARCH, |number| fixed + step * number as f64);
            assert!(tries <= 4, "{fixed} + {step}·n took {tries}");
        }
        assert_eq!(agrees(&SEARCH, |number| 2.0 + 0.1 * number as f64), 3);
    }

    /// Searches where time grows faster than linearly. The cost of principal components, for example, grows
    /// at least with their square.
    #[test]
    fn times_that_grow_faster_than_a_line_are_met_too() {
        for power in [1.5, 2.0, 2.5] {
            for scale in [20.0, 300.0, 2_000.0] {
                let search = Search { least: 20, first: 100, growth: 3, ..SEARCH };
                agrees(&search, |number| 0.2 + 9.8 * (number as f64 / scale).powf(power));
            }
        }
    }

    #[test]
    fn noise_does_not_prevent_agreement() {
        for seed in 0..50usize {
            let noise =
                |number: usize| 1.0 + 0.03 * (((number * 7919 + seed * 104_729) % 201) as f64 / 100.0 - 1.0);
            let seconds = |number: usize| (1.0 + 0.07 * number as f64) * noise(number);
            agrees(&SEARCH, seconds);
        }
    }

    #[test]
    fn a_target_out_of_reach_gives_the_reason_and_the_nearest_number() {
        let capped = Search { most: 40, ..SEARCH };
        assert_eq!(calibrated(&capped, |number| 0.1 * number as f64), (40, Outcome::TooQuick, vec![7, 40]));
        assert_eq!(calibrated(&SEARCH, |number| 20.0 + number as f64), (1, Outcome::TooSlow, vec![7, 3, 1]));
        let (number, outcome, _) = calibrated(&SEARCH, |number| 7.0 * number as f64);
        assert_eq!((number, outcome), (2, Outcome::BetweenNumbers));
        let (_, outcome, tried) = calibrated(&SEARCH, |number| if number < 1000 { 1.0 } else { 99.0 });
        assert_eq!((outcome, tried.len()), (Outcome::OutOfTries, 6));
        let mut uneven = vec![Point { parameter: 60, seconds: 5.0 }, Point { parameter: 50, seconds: 20.0 }];
        assert_eq!(calibrate(&SEARCH, &mut uneven, |_| Err("measured")), Ok((60, Outcome::Uneven)));
    }

    #[test]
    fn earlier_points_are_not_measured_again() {
        let mut points = vec![Point { parameter: 90, seconds: 9.5 }];
        let outcome = calibrate(&SEARCH, &mut points, |_| Err("measured"));
        assert_eq!(outcome, Ok((90, Outcome::Agrees)));
    }

    #[test]
    fn a_failure_ends_the_search() {
        assert_eq!(calibrate(&SEARCH, &mut Vec::new(), |_| Err("out of memory")), Err("out of memory"));
    }
}
