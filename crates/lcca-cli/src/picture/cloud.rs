//! Rows as points, colored by label. A biplot also has columns as arrows among them.

use super::axis::Range;
use super::frame::Frame;
use super::legend::{self, Look};
use super::marker::marker;
use super::measure::{SMALL, TEXT, fitted, width};
use super::place::Labels;
use super::svg::{Anchor, Svg};
use super::{NARROW, Picture};

const GAP: f64 = 28.0;
const ABOVE: f64 = 46.0;
const BELOW: f64 = 42.0;
/// The space to the right of a biplot, for half of the last tick's text.
const MARGIN: f64 = 20.0;
/// The radius of a point, in pixels.
pub const RADIUS: f64 = 3.8;
/// The length of the longest arrow, as a share of the distance from the center to the edge.
const ARROW: f64 = 0.86;

/// The most points that have a shape for each label and tell which row they are. More points are dots,
/// because dots take a fifth of the bytes.
pub const FEW: usize = 400;
/// The most rows whose names stand next to their points, as far as there is room.
pub const NAMED: usize = 60;

/// A column of a biplot as an arrow in the direction in which the column grows.
pub struct Arrow {
    pub x: f64,
    pub y: f64,
    /// The view of the column: 0 for X, 1 for Y.
    pub view: usize,
    pub name: String,
}

/// One set of axes.
pub struct CloudPanel {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    /// The components of both axes, from 0.
    pub components: [usize; 2],
    /// One point per row; points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// The arrows, the strongest first. With arrows, both axes have one scale around 0.
    pub arrows: Vec<Arrow>,
}

pub struct Cloud {
    pub description: String,
    pub panels: Vec<CloudPanel>,
    /// The labels with their looks, in the order of the legend; empty if rows have no labels.
    pub labels: Vec<(String, usize)>,
    /// The label of each row, as an index.
    pub groups: Vec<usize>,
    /// The text of each point that appears when a pointer is over it.
    pub titles: Vec<String>,
    /// The names of the rows, if they have any.
    pub names: Vec<String>,
}

impl Picture for Cloud {
    fn draw(&self, width: f64) -> Svg {
        let entries: Vec<(&str, Look)> =
            self.labels.iter().map(|(name, look)| (name.as_str(), Look::Solid(*look))).collect();
        let names: Vec<&str> = entries.iter().map(|entry| entry.0).collect();
        let top = legend::height(&names, width);
        let count = self.panels.len().max(1) as f64;
        let is_narrow = width < NARROW;
        let across = if is_narrow { 1.0 } else { count };
        let each = (width - GAP * (across - 1.0)) / across;
        let has_arrows = self.panels.iter().any(|panel| !panel.arrows.is_empty());
        let height = if has_arrows { (each - 60.0).min(560.0) } else { (each * 0.82).min(420.0) };
        let block = ABOVE + height + BELOW;
        let rows = if is_narrow { count } else { 1.0 };
        let mut svg = Svg::new(width, top + rows * block, &self.description);
        legend::draw(&mut svg, &entries, (0.0, 0.0), width);
        for (i, panel) in self.panels.iter().enumerate() {
            let i = i as f64;
            let corner = if is_narrow { (0.0, top + i * block) } else { (i * (each + GAP), top) };
            self.draw_panel(&mut svg, panel, corner, (each, height));
        }
        svg
    }
}

impl Cloud {
    fn draw_panel(&self, svg: &mut Svg, panel: &CloudPanel, corner: (f64, f64), size: (f64, f64)) {
        let frame = frame(panel, corner, size);
        svg.text(
            "ink strong",
            (corner.0, corner.1 + 16.0),
            Anchor::Start,
            &fitted(&panel.title, TEXT, size.0),
        );
        let label = fitted(&panel.y_label, TEXT, size.0);
        let above = (corner.0, frame.top - 10.0);
        svg.linked(panel.components[1], |svg| svg.text("ink", above, Anchor::Start, &label));
        for &tick in &frame.y.ticks {
            let y = frame.place((frame.x.low, tick)).1;
            svg.line("grid", (frame.left, y), (frame.right, y));
            svg.text("quiet small", (frame.left - 6.0, y + 4.0), Anchor::End, &frame.y.label(tick));
        }
        for &tick in &frame.x.ticks {
            let x = frame.place((tick, frame.y.low)).0;
            svg.line("grid", (x, frame.top), (x, frame.bottom));
            svg.text("quiet small", (x, frame.bottom + 16.0), Anchor::Middle, &frame.x.label(tick));
        }
        let label = fitted(&panel.x_label, TEXT, size.0);
        let below = (frame.right, frame.bottom + 34.0);
        svg.linked(panel.components[0], |svg| svg.text("ink", below, Anchor::End, &label));
        self.draw_points(svg, panel, &frame);
        let mut labels = Labels::within((frame.left, frame.top - 4.0), (frame.right + 8.0, frame.bottom));
        // Names stay off the points, because a name on a point would hide a row.
        let finite = panel.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        finite.take(FEW).for_each(|&at| labels.avoid(frame.place(at), RADIUS));
        draw_arrows(svg, &panel.arrows, &frame, &mut labels);
        self.draw_names(svg, panel, &frame, &mut labels);
    }

    /// The names of the rows, if they are few. Names far from the center are placed first.
    fn draw_names(&self, svg: &mut Svg, panel: &CloudPanel, frame: &Frame, labels: &mut Labels) {
        if self.names.len() > NAMED {
            return;
        }
        let center = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        let finite =
            panel.points.iter().zip(&self.names).filter(|((x, y), _)| x.is_finite() && y.is_finite());
        let mut rows: Vec<_> = finite.map(|(&at, name)| (frame.place(at), name)).collect();
        let distance = |(x, y): (f64, f64)| (x - center.0).hypot(y - center.1);
        rows.sort_by(|a, b| distance(b.0).total_cmp(&distance(a.0)));
        for (at, name) in rows {
            labels.draw(svg, "quiet small halo", at, center.0, &fitted(name, SMALL, most_wide(frame)));
        }
    }

    /// Draws the points of one label with one shape. Points without their own label are drawn first, under
    /// the others.
    fn draw_points(&self, svg: &mut Svg, panel: &CloudPanel, frame: &Frame) {
        let looks: Vec<usize> = self.labels.iter().map(|(_, look)| *look).collect();
        let looks = if looks.is_empty() { vec![super::OTHERS] } else { looks };
        let mut order: Vec<usize> = (0..looks.len()).collect();
        order.sort_by_key(|&group| looks[group] != super::OTHERS);
        for group in order {
            let own = panel.points.iter().enumerate().filter(|(row, (x, y))| {
                self.groups.get(*row).copied().unwrap_or(0) == group && x.is_finite() && y.is_finite()
            });
            let places = own.map(|(row, &at)| (row, frame.place(at)));
            let look = looks[group];
            if panel.points.len() > FEW {
                svg.dots(look, 4.2, places.map(|(_, at)| at));
                continue;
            }
            // Points are opaque, as in the legend, because a label has one color.
            let class = format!("f{look} mark");
            // A drawing for a phone needs no texts for a pointer.
            if self.titles.is_empty() || svg.width < NARROW {
                svg.path(&class, &places.map(|(_, at)| marker(look, at, RADIUS)).collect::<String>());
            } else {
                places.for_each(|(row, at)| {
                    svg.path_titled(&class, &marker(look, at, RADIUS), &self.titles[row])
                });
            }
        }
    }
}

/// The width of the longest name, in pixels.
fn most_wide(frame: &Frame) -> f64 {
    if frame.right - frame.left < NARROW - 80.0 { 96.0 } else { 150.0 }
}

fn frame(panel: &CloudPanel, (left, top): (f64, f64), (wide, high): (f64, f64)) -> Frame {
    let ticks = |length: f64| (length / 70.0).clamp(3.0, 7.0) as usize;
    let sizes = panel.points.iter().flat_map(|point| [point.0.abs(), point.1.abs()]);
    let most = 1.04 * sizes.filter(|size| size.is_finite() && *size > 0.0).reduce(f64::max).unwrap_or(1.0);
    let around_0 = |length: f64, most: f64| Range::exactly(-most, most, ticks(length));
    let has_arrows = !panel.arrows.is_empty();
    let y = if has_arrows {
        around_0(high, most)
    } else {
        Range::linear(panel.points.iter().map(|point| point.1), ticks(high))
    };
    let labels = y.ticks.iter().map(|&tick| width(&y.label(tick), SMALL)).fold(20.0, f64::max);
    let mut frame = Frame {
        left: left + labels + 10.0,
        right: left + wide,
        top: top + ABOVE,
        bottom: top + ABOVE + high,
        x: y.clone(),
        y,
    };
    if has_arrows {
        // A unit is as long across as it is up, because only then do angles between arrows mean something.
        let ratio = (frame.right - frame.left - MARGIN) / high;
        frame.x = around_0(wide, most * ratio.max(1.0));
        frame.y = around_0(high, most * (1.0 / ratio).max(1.0));
        frame.right -= MARGIN;
    } else {
        frame.x = Range::linear(panel.points.iter().map(|point| point.0), ticks(wide));
        let last = frame.x.ticks.iter().map(|&tick| width(&frame.x.label(tick), SMALL) / 2.0);
        frame.right -= last.fold(8.0, f64::max);
    }
    frame.x = frame.x.thinned(frame.right - frame.left);
    frame
}

/// Draws the arrows, stretched by one factor: the longest nearly reaches the edge.
fn draw_arrows(svg: &mut Svg, arrows: &[Arrow], frame: &Frame, labels: &mut Labels) {
    let longest = arrows.iter().map(|arrow| arrow.x.hypot(arrow.y)).fold(0.0, f64::max);
    if longest <= 0.0 || !longest.is_finite() {
        return;
    }
    let stretch = ARROW * frame.x.high.min(frame.y.high) / longest;
    let center = frame.place((0.0, 0.0));
    for arrow in arrows {
        let end = frame.place((stretch * arrow.x, stretch * arrow.y));
        svg.line(&format!("curve s{}", arrow.view), center, end);
        svg.circle(&format!("f{}", arrow.view), end, 2.6);
    }
    for arrow in arrows {
        let end = frame.place((stretch * arrow.x, stretch * arrow.y));
        let name = fitted(&arrow.name, SMALL, most_wide(frame));
        labels.draw_first(svg, &format!("small strong halo f{}", arrow.view), end, center.0, &name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(points: Vec<(f64, f64)>, arrows: Vec<Arrow>) -> Cloud {
        let groups = (0..points.len()).map(|i| i % 2).collect();
        let panel = CloudPanel {
            title: "X".into(),
            x_label: "variable 1".into(),
            y_label: "variable 2".into(),
            components: [0, 1],
            points,
            arrows,
        };
        let labels = vec![("first".into(), 0), ("others".into(), super::super::OTHERS)];
        let (description, titles, names) = ("rows".into(), Vec::new(), Vec::new());
        Cloud { description, panels: vec![panel], labels, groups, titles, names }
    }

    #[test]
    fn few_rows_have_their_names_beside_their_points_and_more_tell_them_when_pointed_at() {
        for (count, has_text) in [(20, true), (NAMED + 1, false)] {
            let points = (0..count).map(|i| (i as f64, ((i * 7) % 5) as f64)).collect();
            let names: Vec<String> = (0..count).map(|i| format!("r{i}")).collect();
            let titles = names.iter().map(|name| format!("{name}, wild type")).collect();
            let svg = Cloud { names, titles, ..cloud(points, vec![]) }.draw(720.0).document();
            assert!(svg.contains("<title>r0, wild type</title>"), "{svg}");
            assert_eq!(svg.contains(">r0</text>"), has_text, "{svg}");
        }
    }

    #[test]
    fn odd_rows_are_drawn_too() {
        for points in [vec![], vec![(1.0, 1.0)], vec![(f64::NAN, 0.0), (0.0, 1.0)], vec![(0.0, 0.0); 3]] {
            for arrows in [vec![], vec![Arrow { x: 0.3, y: -0.4, view: 1, name: "<b>".into() }]] {
                for width in [320.0, 760.0] {
                    let svg = cloud(points.clone(), arrows.iter().map(copy).collect()).draw(width).document();
                    assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<b>"), "{svg}");
                    assert!(svg.contains(">others</text>"));
                }
            }
        }
    }

    #[test]
    fn a_unit_of_a_biplot_is_as_long_across_as_it_is_up() {
        let arrow = || Arrow { x: 0.3, y: -0.4, view: 1, name: "a".into() };
        for size in [(720.0, 560.0), (320.0, 260.0), (300.0, 500.0)] {
            let cloud = cloud(vec![(0.2, 0.1), (-0.3, 0.4)], vec![arrow()]);
            let frame = frame(&cloud.panels[0], (0.0, 0.0), size);
            let (center, right, up) =
                (frame.place((0.0, 0.0)), frame.place((0.1, 0.0)), frame.place((0.0, 0.1)));
            assert!(((right.0 - center.0) - (center.1 - up.1)).abs() < 1e-9, "{size:?}");
            let corner = frame.place((-0.3, 0.4));
            assert!(corner.0 >= frame.left && corner.1 >= frame.top && frame.right <= size.0, "{size:?}");
        }
    }

    fn copy(arrow: &Arrow) -> Arrow {
        Arrow { x: arrow.x, y: arrow.y, view: arrow.view, name: arrow.name.clone() }
    }
}
