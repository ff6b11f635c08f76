//! Places names next to points without overlap. Each name takes the first free place of a few around its
//! point, or is left out.

use super::measure::{SMALL, width};
use super::svg::{Anchor, Svg};

/// The height of a name, and its distance from the point.
const HEIGHT: f64 = 13.0;
const GAP: f64 = 5.0;

/// The boxes of names and of points that new names must avoid.
pub struct Labels {
    taken: Vec<Rect>,
    points: Vec<Rect>,
    bounds: Rect,
}

#[derive(Clone, Copy)]
struct Rect {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Rect {
    fn overlaps(&self, other: &Rect) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, other: &Rect) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right >= other.right
            && self.bottom >= other.bottom
    }
}

impl Labels {
    /// Labels whose names must stay between these corners.
    pub fn within((left, top): (f64, f64), (right, bottom): (f64, f64)) -> Self {
        Labels { taken: Vec::new(), points: Vec::new(), bounds: Rect { left, top, right, bottom } }
    }

    /// Keeps names off a point.
    pub fn avoid(&mut self, (x, y): (f64, f64), radius: f64) {
        self.points.push(Rect { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius });
    }

    /// Draws a name next to a point if there is a free place, preferably away from the center.
    pub fn draw(&mut self, svg: &mut Svg, class: &str, at: (f64, f64), center: f64, name: &str) -> bool {
        self.put(svg, class, at, center, name, true)
    }

    /// Draws a name as [`Labels::draw`] does, but over points if there is no free place.
    pub fn draw_first(&mut self, svg: &mut Svg, class: &str, at: (f64, f64), center: f64, name: &str) {
        let _ = self.draw(svg, class, at, center, name) || self.put(svg, class, at, center, name, false);
    }

    fn put(
        &mut self,
        svg: &mut Svg,
        class: &str,
        (x, y): (f64, f64),
        center: f64,
        name: &str,
        keeps_off_points: bool,
    ) -> bool {
        // Bold letters are wider.
        let wide = width(name, SMALL) * if class.contains("strong") { 1.08 } else { 1.0 };
        let side = if x < center { Anchor::End } else { Anchor::Start };
        let other = if x < center { Anchor::Start } else { Anchor::End };
        let places = [
            (side, 0.0),
            (side, -10.0),
            (side, 10.0),
            (Anchor::Middle, -12.0),
            (Anchor::Middle, 12.0),
            (other, 0.0),
            (other, -10.0),
            (other, 10.0),
            (side, -20.0),
            (side, 20.0),
        ];
        for (anchor, down) in places {
            let (text_x, left) = match anchor {
                Anchor::Start => (x + GAP, x + GAP),
                Anchor::End => (x - GAP, x - GAP - wide),
                Anchor::Middle => (x, x - wide / 2.0),
            };
            let top = y + down - HEIGHT / 2.0;
            let rect = Rect { left, top, right: left + wide, bottom: top + HEIGHT };
            let points = self.points.iter().filter(|_| keeps_off_points);
            let is_free = !self.taken.iter().chain(points).any(|taken| taken.overlaps(&rect));
            if self.bounds.holds(&rect) && is_free {
                self.taken.push(rect);
                svg.text(class, (text_x, y + down + 4.0), anchor, name);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_hides_a_point_only_if_it_must_be_drawn() {
        let mut svg = Svg::new(200.0, 200.0, "");
        let mut labels = Labels::within((0.0, 0.0), (200.0, 200.0));
        labels.avoid((115.0, 100.0), 4.0);
        assert!(labels.draw(&mut svg, "ink", (100.0, 100.0), 100.0, "a name"));
        assert!(!labels.taken[0].overlaps(&labels.points[0]));
        // The points leave no free place.
        (0..2500).for_each(|i| labels.avoid((4.0 * (i % 50) as f64, 4.0 * (i / 50) as f64), 4.0));
        assert!(!labels.draw(&mut svg, "ink", (50.0, 50.0), 100.0, "a name"));
        labels.draw_first(&mut svg, "ink", (50.0, 50.0), 100.0, "a name");
        assert_eq!(labels.taken.len(), 2);
    }

    #[test]
    fn names_never_overlap_and_never_leave_the_picture() {
        let mut svg = Svg::new(200.0, 200.0, "");
        let mut labels = Labels::within((0.0, 0.0), (200.0, 200.0));
        let drawn = (0..40).filter(|_| labels.draw(&mut svg, "ink", (100.0, 100.0), 100.0, "a name")).count();
        assert!((3..=10).contains(&drawn), "{drawn}");
        assert!(!labels.draw(&mut svg, "ink", (100.0, 50.0), 100.0, &"long".repeat(50)));
        let taken = &labels.taken;
        for (i, a) in taken.iter().enumerate() {
            assert!(labels.bounds.holds(a) && !taken[..i].iter().any(|b| a.overlaps(b)));
        }
    }
}
