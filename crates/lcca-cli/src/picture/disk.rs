//! The correlation circle: columns of both views at their correlations with two components.
//!
//! Columns near the circle are described by the two components, and columns near the center are not.
//! Columns in one direction go together, and columns in opposite directions go against each other.

use super::legend::{self, Look};
use super::marker::marker;
use super::measure::{SMALL, fitted};
use super::place::Labels;
use super::svg::{Anchor, Svg};
use super::{NARROW, Picture, ROOMY};
use crate::shown::decimal;

/// A column in the circle.
pub struct Spot {
    pub x: f64,
    pub y: f64,
    /// The view of the column: 0 for X, 1 for Y.
    pub view: usize,
    /// The name of the column, if it should be shown. It is left out if there is no room.
    pub name: Option<String>,
}

pub struct Disk {
    pub description: String,
    pub x_label: String,
    pub y_label: String,
    /// The components of both axes, from 0.
    pub components: [usize; 2],
    /// The names of the two views. The columns follow, the most important first.
    pub views: [String; 2],
    pub spots: Vec<Spot>,
}

impl Picture for Disk {
    fn draw(&self, width: f64) -> Svg {
        let size = (width - 50.0).min(if width < ROOMY { 560.0 } else { 640.0 });
        let views = self.views.each_ref().map(String::as_str);
        let top = legend::height(&views, width) + 28.0;
        let mut svg = Svg::new(width, top + size + 44.0, &self.description);
        legend::draw(&mut svg, &[(views[0], Look::Solid(0)), (views[1], Look::Solid(1))], (0.0, 0.0), width);
        let left = 36.0 + (width - 50.0 - size) / 2.0;
        let place = |x: f64, y: f64| (left + (x + 1.0) / 2.0 * size, top + (1.0 - y) / 2.0 * size);
        let center = place(0.0, 0.0);
        for radius in [0.5, 1.0] {
            svg.circle("axis frame", center, radius * size / 2.0);
        }
        svg.line("grid", place(-1.0, 0.0), place(1.0, 0.0));
        svg.line("grid", place(0.0, -1.0), place(0.0, 1.0));
        for (tick, text) in [(-1.0, "\u{2212}1"), (-0.5, "\u{2212}0.5"), (0.0, "0"), (0.5, "0.5"), (1.0, "1")]
        {
            let (x, y) = (place(tick, -1.0).0, place(-1.0, tick).1);
            svg.text("quiet small", (x, top + size + 16.0), Anchor::Middle, text);
            svg.text("quiet small", (left - 8.0, y + 4.0), Anchor::End, text);
        }
        let (x_label, y_label) = (fitted(&self.x_label, 12.0, size), fitted(&self.y_label, 12.0, width));
        let (below, above) = ((left + size, top + size + 34.0), ((left - 36.0).max(0.0), top - 10.0));
        svg.linked(self.components[0], |svg| svg.text("ink", below, Anchor::End, &x_label));
        svg.linked(self.components[1], |svg| svg.text("ink", above, Anchor::Start, &y_label));
        self.draw_spots(&mut svg, place, (left, top), size, width);
        svg
    }
}

impl Disk {
    fn draw_spots(
        &self,
        svg: &mut Svg,
        place: impl Fn(f64, f64) -> (f64, f64),
        (left, top): (f64, f64),
        size: f64,
        width: f64,
    ) {
        let inside = |v: f64| if v.is_finite() { v.clamp(-1.0, 1.0) } else { 0.0 };
        let spots: Vec<(&Spot, (f64, f64))> =
            self.spots.iter().map(|spot| (spot, place(inside(spot.x), inside(spot.y)))).collect();
        let radius = if spots.len() > 400 { 1.8 } else { 3.0 };
        // Unnamed columns of one view are one shape, because there may be thousands of them.
        for view in 0..2 {
            let own = spots.iter().filter(|(spot, _)| spot.view == view && spot.name.is_none());
            svg.dots(view, 2.0 * radius, own.map(|&(_, at)| at));
        }
        let mut labels = Labels::within((0.0, top - 6.0), (width, top + size + 6.0));
        let most_wide = if width < NARROW { 96.0 } else { 150.0 };
        for (spot, at) in &spots {
            if let Some(name) = &spot.name {
                labels.avoid(*at, radius);
                let title = format!("{name}: {}, {}", decimal(spot.x, 3), decimal(spot.y, 3));
                svg.path_titled(&format!("f{}", spot.view), &marker(spot.view, *at, radius + 0.6), &title);
            }
        }
        for (spot, at) in &spots {
            if let Some(name) = &spot.name {
                let name = fitted(name, SMALL, most_wide);
                labels.draw(svg, &format!("small halo f{}", spot.view), *at, left + size / 2.0, &name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_where_their_correlations_are() {
        let spot = |x, y, view, name: Option<&str>| Spot { x, y, view, name: name.map(String::from) };
        let disk = Disk {
            description: "circle".into(),
            x_label: "component 1".into(),
            y_label: "component 2".into(),
            components: [0, 1],
            views: ["X".into(), "Y".into()],
            spots: vec![
                spot(1.0, 0.0, 0, Some("right")),
                spot(0.0, f64::NAN, 1, Some("center")),
                spot(-0.2, 0.1, 1, None),
            ],
        };
        for width in [320.0, 760.0] {
            let svg = disk.draw(width).document();
            assert!(
                svg.contains("<title>right: 1.000, 0.000</title>") && svg.contains(">center</text>"),
                "{svg}"
            );
            assert!(!svg.contains("d=\"MNaN"), "{svg}");
        }
    }
}
