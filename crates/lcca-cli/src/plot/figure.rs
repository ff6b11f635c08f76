//! Charts side by side, as SVG or PNG.

use super::chart::Chart;
use super::draw::draw;
use super::layout::size;
use super::png::png;
use plotters::prelude::SVGBackend;

/// Charts side by side over one legend.
pub struct Figure {
    /// The charts from left to right.
    pub panels: Vec<Chart>,
}

impl Figure {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        let drawn = draw(&self.refs(), 1, SVGBackend::with_string(&mut text, self.size()));
        drawn.expect("drawing into a string needs nothing from outside");
        text
    }

    /// The figure as a PNG file, two pixels per point.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        png(&self.refs())
    }

    /// The width and height of the figure in points.
    pub fn size(&self) -> (u32, u32) {
        size(&self.refs())
    }

    fn refs(&self) -> Vec<&Chart> {
        self.panels.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::chart::Curve;
    use crate::plot::layout::{LEGEND_ROW, Look, PANEL, legend, legend_rows};
    use crate::plot::scale::Scale;

    fn curve(name: &str, dashed: bool, fall: f64) -> Curve {
        let points = (1..=20).map(|i| (f64::from(i), 1.0 / (1.0 + fall * f64::from(i)))).collect();
        Curve { name: name.to_string(), points, dashed }
    }

    fn chart(title: &str, names: &[&str]) -> Chart {
        let solid = names.iter().zip(1..).map(|(name, i)| curve(name, false, 0.04 * f64::from(i)));
        Chart {
            title: title.to_string(),
            x_label: "index of the pair".to_string(),
            y_label: "canonical correlation".to_string(),
            x_scale: Scale::Linear,
            y_from_0_to_1: true,
            curves: solid.chain([curve("best possible", true, 0.02)]).collect(),
        }
    }

    fn alone(chart: Chart) -> Figure {
        Figure { panels: vec![chart] }
    }

    fn dimensions(png: &[u8]) -> (u32, u32) {
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let number = |start: usize| u32::from_be_bytes(png[start..start + 4].try_into().unwrap());
        (number(16), number(20))
    }

    #[test]
    fn the_svg_holds_every_name_and_label() {
        let svg = alone(chart("Words", &["L-CCA", "G-CCA", "RPCCA"])).svg();
        for text in ["Words", "index of the pair", "canonical correlation", "L-CCA", "RPCCA", "best possible"]
        {
            assert!(svg.contains(text), "{text} is missing");
        }
        assert!(svg.contains("sans-serif"));
    }

    #[test]
    fn markup_in_names_is_escaped() {
        let svg = alone(chart("x < y & z", &["<script>"])).svg();
        assert!(svg.contains("x &lt; y &amp; z") && svg.contains("&lt;script&gt;"));
        assert!(!svg.contains("<script>"));
    }

    #[test]
    fn the_png_has_the_size_announced() {
        let figure = Figure { panels: vec![chart("a", &["L-CCA"]), chart("b", &["G-CCA"])] };
        let (width, height) = figure.size();
        assert_eq!(width, 2 * PANEL.0);
        assert_eq!(dimensions(&figure.png().unwrap()), (2 * width, 2 * height));
    }

    #[test]
    fn a_name_looks_alike_in_every_panel() {
        let (a, b) = (chart("a", &["L-CCA", "G-CCA"]), chart("b", &["G-CCA", "D-CCA"]));
        let expected = [
            ("L-CCA", Look::Solid(0)),
            ("G-CCA", Look::Solid(1)),
            ("best possible", Look::Dashed),
            ("D-CCA", Look::Solid(3)),
        ];
        assert_eq!(legend(&[&a, &b]), expected);
    }

    #[test]
    fn odd_data_is_drawn_too() {
        let odd = [vec![], vec![(1.0, 0.5)], vec![(1.0, f64::NAN), (2.0, -3.0), (f64::INFINITY, 1.0)]];
        for points in odd {
            let curves = vec![Curve { name: "odd".to_string(), points, dashed: false }];
            let figure = alone(Chart { curves, ..chart("t", &[]) });
            assert!(figure.svg().contains("odd"));
            assert!(figure.png().is_ok());
        }
        assert!(Figure { panels: vec![] }.png().is_ok());
    }

    #[test]
    fn on_a_logarithmic_axis_ticks_are_round_and_what_is_not_positive_is_left_out() {
        let points = vec![(0.0, 1.0), (0.5, 12.0), (3.0, 14.0), (40.0, 15.0)];
        let curves = vec![Curve { name: "runs".to_string(), points, dashed: false }];
        let chart = Chart { curves, x_scale: Scale::Logarithmic, ..chart("t", &[]) };
        assert_eq!(chart.positions(&chart.curves[0]).count(), 3);
        let svg = alone(chart).svg();
        for tick in ["0.5", "1", "2", "5", "10", "20"] {
            assert!(svg.lines().any(|line| line.trim() == tick), "{tick}: {svg}");
        }
    }

    #[test]
    fn many_names_take_several_rows() {
        let names: Vec<String> = (0..12).map(|i| format!("a rather long name, number {i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let figure = Figure { panels: vec![chart("t", &names)] };
        assert!(legend_rows(&figure.refs()).len() > 4);
        assert!(figure.size().1 > PANEL.1 + 4 * LEGEND_ROW);
    }
}
