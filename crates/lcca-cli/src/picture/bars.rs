//! Bars to the right and to the left of a line: the numbers of columns, with their names.

use super::axis::Range;
use super::measure::{SMALL, TEXT, fitted, width};
use super::svg::{Anchor, Svg};
use super::{NARROW, Picture};
use crate::shown::decimal;

const ROW: f64 = 19.0;
const GAP: f64 = 28.0;
/// The width of a number after its bar.
const NUMBER: f64 = 46.0;

pub struct Bar {
    pub name: String,
    pub value: f64,
}

/// The bars of one view.
pub struct BarPanel {
    pub title: String,
    /// The number of the panel's color.
    pub color: usize,
    pub bars: Vec<Bar>,
}

pub struct Bars {
    pub description: String,
    pub panels: Vec<BarPanel>,
}

impl Picture for Bars {
    fn draw(&self, width: f64) -> Svg {
        let height = |panel: &BarPanel| 30.0 + ROW * panel.bars.len() as f64 + 26.0;
        let ends = self.ends();
        let count = self.panels.len().max(1) as f64;
        if width < NARROW {
            let mut svg = Svg::new(width, self.panels.iter().map(height).sum::<f64>(), &self.description);
            let mut top = 0.0;
            for panel in &self.panels {
                panel.draw(&mut svg, (0.0, top), width, ends);
                top += height(panel);
            }
            return svg;
        }
        let each = (width - GAP * (count - 1.0)) / count;
        let mut svg = Svg::new(width, self.panels.iter().map(height).fold(0.0, f64::max), &self.description);
        for (i, panel) in self.panels.iter().enumerate() {
            panel.draw(&mut svg, (i as f64 * (each + GAP), 0.0), each, ends);
        }
        svg
    }
}

impl Bars {
    /// The smallest and the largest number, including 0, because all panels share one scale.
    fn ends(&self) -> (f64, f64) {
        let values = self.panels.iter().flat_map(|panel| &panel.bars).map(|bar| finite(bar.value));
        let (low, high) =
            values.fold((0.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        if high > low { (low, high) } else { (0.0, 1.0) }
    }
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

impl BarPanel {
    fn draw(&self, svg: &mut Svg, (left, top): (f64, f64), available: f64, (low, high): (f64, f64)) {
        svg.text(
            "ink strong",
            (left, top + 14.0),
            Anchor::Start,
            &fitted(&self.title, TEXT, available * 0.92),
        );
        let names = self.bars.iter().map(|bar| width(&bar.name, SMALL)).fold(20.0, f64::max);
        let names = names.min(0.36 * available);
        let reserve = |has: bool| if has { NUMBER } else { 0.0 };
        let from = left + names + 8.0 + reserve(low < 0.0);
        let to = left + available - reserve(high > 0.0);
        let range = Range::exactly(low, high, 4).thinned(to - from);
        let (first, last) = (top + 30.0, top + 30.0 + ROW * self.bars.len() as f64);
        for &tick in &range.ticks {
            let x = range.place(tick, from, to);
            svg.line("grid", (x, first), (x, last));
            svg.text("quiet small", (x, last + 15.0), Anchor::Middle, &range.label(tick));
        }
        let zero = range.place(0.0, from, to);
        for (i, bar) in self.bars.iter().enumerate() {
            let y = first + ROW * i as f64;
            let x = range.place(finite(bar.value), from, to);
            let name = fitted(&bar.name, SMALL, names);
            svg.text("ink small", (left + names, y + 13.0), Anchor::End, &name);
            let number = decimal(bar.value, 3);
            let title = format!("{}: {number}", bar.name);
            svg.rect(
                &format!("f{}", self.color),
                (zero.min(x), y + 3.0),
                ((x - zero).abs(), ROW - 6.0),
                1.0,
                &title,
            );
            let (x, anchor) = if x < zero { (x - 4.0, Anchor::End) } else { (x + 4.0, Anchor::Start) };
            svg.text("quiet small", (x, y + 13.0), anchor, &number);
        }
        svg.line("axis", (zero, first), (zero, last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_is_at_least_a_third_of_its_panel() {
        let bar = |value: f64| Bar { name: "a column with a rather long name".into(), value };
        for values in [vec![0.9, 0.4], vec![-0.01, 0.005], vec![f64::NAN]] {
            let bars = || values.iter().map(|&value| bar(value)).collect();
            let panels = vec![
                BarPanel { title: "X".into(), color: 0, bars: bars() },
                BarPanel { title: "Y".into(), color: 1, bars: bars() },
            ];
            let picture = Bars { description: "bars".into(), panels };
            for (wide, panel) in [(320.0, 320.0), (760.0, 366.0)] {
                let svg = picture.draw(wide).document();
                let widths = svg
                    .split("<rect class=\"f")
                    .skip(1)
                    .filter_map(|rect| rect.split("width=\"").nth(1)?.split('"').next()?.parse::<f64>().ok());
                let longest = widths.fold(0.0, f64::max);
                assert_eq!(
                    svg.contains(">–</text>"),
                    values[0].is_nan(),
                    "a number that is none is no 0: {svg}"
                );
                let share = if values[0] < 0.0 { 0.15 } else { 0.33 };
                assert!(values[0].is_nan() || longest > share * panel, "{longest} of {panel}");
                assert!(!svg.contains("NaN"));
            }
        }
    }
}
