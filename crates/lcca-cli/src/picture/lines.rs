//! Line charts: correlations by component, totals by pass, methods by time.

use super::axis::Range;
use super::frame::Frame;
use super::legend::{self, Look};
use super::marker::marker;
use super::measure::{SMALL, width};
use super::svg::{Anchor, Svg, number};
use super::{NARROW, Picture};
use crate::shown::{decimal, small};
use std::fmt::Write as _;

/// The most points of a curve with markers, because more markers would hide the line.
const MOST_MARKERS: usize = 60;
const MARGIN_RIGHT: f64 = 10.0;
const BELOW: f64 = 42.0;

#[derive(Clone)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// The ends of an interval around y.
    pub interval: Option<(f64, f64)>,
    /// Whether the point is drawn unfilled, because its value may be chance.
    pub is_open: bool,
}

impl Point {
    pub fn new(x: f64, y: f64) -> Self {
        Point { x, y, interval: None, is_open: false }
    }
}

pub struct Series {
    pub name: String,
    pub look: Look,
    /// The points from left to right. Points without a position are left out.
    pub points: Vec<Point>,
}

/// The numbers on the vertical axis.
#[derive(Clone, Copy, PartialEq)]
pub enum Vertical {
    Correlation,
    Linear,
    /// Numbers that are at most this one.
    UpTo(f64),
    Logarithmic,
}

pub struct LineChart {
    /// A description for readers who cannot see the chart.
    pub description: String,
    pub x_label: &'static str,
    pub y_label: String,
    /// Whether the horizontal axis counts: 1, 2, 3.
    pub x_counts: bool,
    /// Whether the horizontal axis counts components, which a page highlights together.
    pub is_linked: bool,
    pub x_log: bool,
    pub vertical: Vertical,
    /// A horizontal line with a name, at the value to reach.
    pub limit: Option<(f64, String)>,
    pub series: Vec<Series>,
    /// A row of texts below the axis, each under its x: the name of the row, and the texts.
    pub row: Option<(&'static str, Vec<(f64, String)>)>,
}

impl Picture for LineChart {
    fn draw(&self, width: f64) -> Svg {
        let names: Vec<&str> = self.legend().iter().map(|entry| entry.0).collect();
        let legend_height = legend::height(&names, width);
        let plot_height = (width * 0.42).clamp(200.0, 330.0);
        let texts = self.row.as_ref().map_or(0.0, |_| 18.0);
        let mut svg = Svg::new(width, legend_height + 26.0 + plot_height + BELOW + texts, &self.description);
        legend::draw(&mut svg, &self.legend(), (0.0, 0.0), width);
        let frame = self.frame(width, legend_height + 26.0, plot_height);
        self.draw_axes(&mut svg, &frame);
        self.draw_bands(&mut svg, &frame);
        if let Some((value, name)) = &self.limit {
            let y = frame.y(*value);
            svg.line("reference", (frame.left, y), (frame.right, y));
            let y = if y < frame.top + 16.0 { y + 14.0 } else { y - 6.0 };
            svg.text("ink small halo", (frame.left + 6.0, y), Anchor::Start, name);
        }
        // Lines to compare with go last, because a curve that reaches them must not hide them.
        let (dashed, solid): (Vec<_>, Vec<_>) = self.series.iter().partition(|s| s.look == Look::Dashed);
        solid.into_iter().chain(dashed).for_each(|series| self.draw_series(&mut svg, &frame, series));
        self.draw_row(&mut svg, &frame, width);
        svg
    }
}

impl LineChart {
    /// The entries of the legend. A single series needs no legend, unless it has open points.
    fn legend(&self) -> Vec<(&str, Look)> {
        let has_open = |series: &Series| series.points.iter().any(|point| point.is_open);
        let entries: Vec<_> = self.series.iter().map(|series| (series.name.as_str(), series.look)).collect();
        if entries.len() > 1 || self.series.iter().any(has_open) { entries } else { Vec::new() }
    }

    /// Every point that has a position.
    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points).filter(|point| self.has_position(point))
    }

    fn has_position(&self, point: &Point) -> bool {
        let on_log_axes =
            (!self.x_log || point.x > 0.0) && (self.vertical != Vertical::Logarithmic || point.y > 0.0);
        point.x.is_finite() && point.y.is_finite() && on_log_axes
    }

    fn frame(&self, width_: f64, top: f64, height: f64) -> Frame {
        let limit = self.limit.iter().map(|(value, _)| *value);
        let ends = |point: &Point| point.interval.map_or([point.y; 2], |(low, high)| [low, high]);
        let values = self.points().flat_map(|point| ends(point).into_iter().chain([point.y])).chain(limit);
        let ticks = (height / 48.0) as usize;
        let y = match self.vertical {
            Vertical::Correlation => Range::correlations(values, ticks),
            Vertical::Linear => Range::linear(values, ticks),
            Vertical::UpTo(most) => Range::linear(values, ticks).up_to(most),
            Vertical::Logarithmic => Range::logarithmic(values, ticks),
        };
        let across = self.points().map(|point| point.x);
        let labels = y.ticks.iter().map(|&tick| width(&y.label(tick), SMALL));
        let left = labels.fold(24.0, f64::max) + 10.0;
        let x = if self.x_counts {
            Range::counting(across.fold(1.0, f64::max) as usize, (width_ / 36.0) as usize)
        } else if self.x_log {
            Range::logarithmic(across, (width_ / 80.0) as usize)
        } else {
            Range::linear(across, (width_ / 80.0) as usize)
        };
        let x = x.thinned(width_ - left);
        let last =
            x.ticks.iter().map(|&tick| width(&x.label(tick), SMALL) / 2.0).fold(MARGIN_RIGHT, f64::max);
        Frame { left, right: width_ - last, top, bottom: top + height, x, y }
    }

    fn draw_axes(&self, svg: &mut Svg, frame: &Frame) {
        for &tick in &frame.y.ticks {
            let y = frame.y(tick);
            svg.line("grid", (frame.left, y), (frame.right, y));
            svg.text("quiet small", (frame.left - 6.0, y + 4.0), Anchor::End, &frame.y.label(tick));
        }
        svg.line("axis", (frame.left, frame.bottom), (frame.right, frame.bottom));
        for &tick in &frame.x.ticks {
            let x = frame.x(tick);
            svg.line("axis", (x, frame.bottom), (x, frame.bottom + 4.0));
            svg.text("quiet small", (x, frame.bottom + 17.0), Anchor::Middle, &frame.x.label(tick));
        }
        svg.text("ink", (0.0, frame.top - 10.0), Anchor::Start, &self.y_label);
        let below = frame.bottom + if self.row.is_some() { 54.0 } else { 36.0 };
        svg.text("ink", (frame.right, below), Anchor::End, self.x_label);
    }

    /// Draws one band per component, behind the component's points.
    fn draw_bands(&self, svg: &mut Svg, frame: &Frame) {
        let last = if self.is_linked { frame.x.high as usize } else { 0 };
        for component in 0..last {
            let [left, right] = [0.5, 1.5].map(|side| frame.x(component as f64 + side));
            let size = (right - left, frame.bottom - frame.top);
            svg.linked(component, |svg| svg.frame("band", (left, frame.top), size));
        }
    }

    fn draw_series(&self, svg: &mut Svg, frame: &Frame, series: &Series) {
        let color = series.look.color();
        let points: Vec<&Point> = series.points.iter().filter(|point| self.has_position(point)).collect();
        let mut steps = String::new();
        for (i, point) in points.iter().enumerate() {
            let (x, y) = (number(frame.x(point.x)), number(frame.y(point.y)));
            let _ = write!(steps, "{}{x} {y}", if i == 0 { 'M' } else { 'L' });
        }
        if series.look == Look::Dashed {
            return svg.path("reference", &steps);
        }
        svg.path(&format!("curve s{color}"), &steps);
        for (low, high, x) in points.iter().filter_map(|p| p.interval.map(|(low, high)| (low, high, p.x))) {
            let (x, low, high) = (frame.x(x), frame.y(low), frame.y(high));
            svg.line(&format!("curve s{color}"), (x, low), (x, high));
            for end in [low, high] {
                svg.line(&format!("curve s{color}"), (x - 4.0, end), (x + 4.0, end));
            }
        }
        if points.len() > MOST_MARKERS {
            return;
        }
        for point in points {
            let place = (frame.x(point.x), frame.y(point.y));
            let is_hollow = point.is_open || matches!(series.look, Look::Hollow(_));
            let class = if is_hollow { format!("hollow s{color}") } else { format!("f{color}") };
            let title = self.title(series, point, &frame.x);
            svg.path_titled(&class, &marker(color, place, 3.8), &title);
        }
    }

    /// The text of a point that appears when a pointer is over it.
    fn title(&self, series: &Series, point: &Point, x: &Range) -> String {
        let value = |v: f64| match self.vertical {
            Vertical::Logarithmic => small(v),
            _ => decimal(v, 4),
        };
        let across = if self.x_counts { x.label(point.x) } else { decimal(point.x, 4) };
        let mut text = format!("{} {across}: {} {}", self.x_label, series.name, value(point.y));
        if let Some((low, high)) = point.interval {
            let _ = write!(text, " ({} to {})", value(low), value(high));
        }
        text
    }

    /// Draws the texts under the axis, as many as have room.
    fn draw_row(&self, svg: &mut Svg, frame: &Frame, width_: f64) {
        let Some((name, texts)) = &self.row else { return };
        let y = frame.bottom + 34.0;
        svg.text("quiet small", (0.0, y), Anchor::Start, name);
        let mut free = width(name, SMALL) + 4.0;
        for (x, text) in texts {
            let (x, half) = (frame.x(*x), width(text, SMALL) / 2.0);
            if x - half >= free && x + half <= width_ {
                svg.text("quiet small", (x, y), Anchor::Middle, text);
                free = x + half + if width_ < NARROW { 6.0 } else { 10.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<Point>, vertical: Vertical) -> LineChart {
        LineChart {
            description: "a chart".into(),
            x_label: "component",
            y_label: "correlation".into(),
            x_counts: true,
            is_linked: true,
            x_log: false,
            vertical,
            limit: None,
            series: vec![Series { name: "training".into(), look: Look::Solid(0), points }],
            row: Some(("p", vec![(1.0, "0.001".into())])),
        }
    }

    #[test]
    fn odd_numbers_are_drawn_too() {
        for vertical in [Vertical::Correlation, Vertical::Linear, Vertical::UpTo(1.0), Vertical::Logarithmic]
        {
            for values in [vec![], vec![f64::NAN], vec![1.0], vec![0.0, -1.0], vec![1e-300, 1e300]] {
                let points: Vec<Point> =
                    values.iter().enumerate().map(|(i, &y)| Point::new(i as f64 + 1.0, y)).collect();
                for width in [320.0, 720.0] {
                    let svg = chart(points.clone(), vertical).draw(width).document();
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{values:?}: {svg}");
                }
            }
        }
    }

    #[test]
    fn every_point_tells_its_number_and_interval() {
        let mut point = Point::new(2.0, 0.75);
        point.interval = Some((0.5, 0.9));
        let svg = chart(vec![Point::new(1.0, 0.875), point], Vertical::Correlation).draw(720.0).document();
        assert!(svg.contains("<title>component 1: training 0.8750</title>"), "{svg}");
        assert!(svg.contains("<title>component 2: training 0.7500 (0.5000 to 0.9000)</title>"), "{svg}");
    }
}
