//! Line charts like the paper's figures, as SVG and as PNG.
//!
//! Both come from the same drawing. Text in the PNG is set in DejaVu Sans, which is part of the program, so a machine
//! without fonts draws the same picture; the SVG names the viewer's own sans-serif.

mod scale;

pub use scale::Scale;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};
use std::ops::Range;
use std::sync::Once;

/// One panel, in points.
const PANEL: (u32, u32) = (520, 380);
/// One row of the legend, in points.
const LEGEND_ROW: u32 = 24;
/// The width of the line with its marker before each name of the legend, in points.
const SWATCH: i32 = 30;
/// The space after each name of the legend, in points.
const LEGEND_GAP: i32 = 22;
/// Pixels of the PNG per point.
const PNG_SCALE: u32 = 2;
/// The PNG is drawn this many times larger and averaged down, because the bitmap backend does not smooth thick lines.
const SMOOTHING: u32 = 2;
/// The most markers on a curve; with more they would hide the line.
const MARKERS: usize = 25;

/// Okabe and Ito's colors, which people with any kind of color blindness can tell apart.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(110, 80, 50),
];
/// Reference lines, drawn dashed.
const REFERENCE: RGBColor = RGBColor(30, 30, 30);
const TEXT: RGBColor = RGBColor(40, 40, 40);
const AXIS: RGBColor = RGBColor(120, 120, 120);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// One line of a chart.
pub struct Curve {
    /// The name in the legend. Curves of one name look alike in every panel of a figure.
    pub name: String,
    /// From left to right; points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Dashed and without markers: a line to compare with, such as the best possible.
    pub dashed: bool,
}

/// One set of axes.
pub struct Chart {
    /// Above the axes.
    pub title: String,
    /// Below the axes.
    pub x_label: String,
    /// Left of the axes.
    pub y_label: String,
    /// Whether equal steps or equal ratios of x are equally far apart.
    pub x_scale: Scale,
    /// The vertical axis runs from 0 to 1 even if the curves need only a part of that.
    pub y_from_0_to_1: bool,
    /// In the order of the legend.
    pub curves: Vec<Curve>,
}

/// Charts side by side over one legend.
pub struct Figure {
    /// From left to right.
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

    /// Width and height in points.
    pub fn size(&self) -> (u32, u32) {
        size(&self.refs())
    }

    fn refs(&self) -> Vec<&Chart> {
        self.panels.iter().collect()
    }
}

impl Chart {
    fn finite_points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.curves.iter().flat_map(|curve| self.positions(curve))
    }

    /// The points of a curve in axis coordinates; points that are not finite are left out.
    fn positions<'a>(&'a self, curve: &'a Curve) -> impl Iterator<Item = (f64, f64)> + 'a {
        let points = curve.points.iter().map(|&(x, y)| (self.x_scale.position(x), y));
        points.filter(|(x, y)| x.is_finite() && y.is_finite())
    }

    fn x_range(&self) -> Range<f64> {
        let (low, high) = bounds(self.finite_points().map(|(x, _)| x));
        let margin = if high > low { 0.03 * (high - low) } else { 0.5 };
        low - margin..high + margin
    }

    /// From 0 to 1 the range extends a little beyond both ends, so that markers there are drawn whole.
    fn y_range(&self) -> Range<f64> {
        let (low, high) = bounds(self.finite_points().map(|(_, y)| y));
        if self.y_from_0_to_1 && low >= 0.0 && high <= 1.0 + 1e-9 {
            return -0.02..1.03;
        }
        let margin = if high > low { 0.05 * (high - low) } else { 0.5 };
        low - margin..high + margin
    }
}

/// The smallest and the largest of some finite numbers; 0 and 1 if there are none.
fn bounds(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.map(|v| (v, v)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0.0, 1.0))
}

/// How a curve is drawn, in every panel and in the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    Dashed,
    /// The number of the solid curve, from 0; it picks color and marker.
    Solid(usize),
}

impl Look {
    fn color(self) -> RGBColor {
        match self {
            Look::Dashed => REFERENCE,
            Look::Solid(i) => PALETTE[i % PALETTE.len()],
        }
    }
}

/// Every name once, in the order of appearance, with its look.
fn legend<'a>(panels: &[&'a Chart]) -> Vec<(&'a str, Look)> {
    let mut entries: Vec<(&str, Look)> = Vec::new();
    let mut solid = 0;
    for curve in panels.iter().flat_map(|panel| &panel.curves) {
        if entries.iter().any(|(name, _)| *name == curve.name) {
            continue;
        }
        let look = if curve.dashed { Look::Dashed } else { Look::Solid(solid) };
        solid += usize::from(!curve.dashed);
        entries.push((&curve.name, look));
    }
    entries
}

/// The legend broken into rows that fit under the panels.
fn legend_rows<'a>(panels: &[&'a Chart]) -> Vec<Vec<(&'a str, Look)>> {
    let available = panels.len() as i32 * PANEL.0 as i32 - LEGEND_GAP;
    let mut rows: Vec<Vec<(&str, Look)>> = Vec::new();
    // As if a row were full, so that the first entry opens one.
    let mut used = available;
    for entry in legend(panels) {
        let width = entry_width(entry.0, 1);
        if used + width > available {
            rows.push(Vec::new());
            used = 0;
        }
        used += width;
        rows.last_mut().expect("the first entry opens a row").push(entry);
    }
    rows
}

fn entry_width(name: &str, scale: u32) -> i32 {
    let text = font(13, scale).box_size(name).map_or(0, |(width, _)| width as i32);
    text + (SWATCH + LEGEND_GAP) * scale as i32
}

fn size(panels: &[&Chart]) -> (u32, u32) {
    let legend = LEGEND_ROW * legend_rows(panels).len() as u32;
    (PANEL.0 * panels.len().max(1) as u32, PANEL.1 + legend + LEGEND_ROW / 2)
}

/// The embedded font, registered under the name for which SVG viewers have a font of their own.
fn font(points: u32, scale: u32) -> FontDesc<'static> {
    static EMBEDDED: Once = Once::new();
    EMBEDDED.call_once(|| {
        let valid = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
        assert!(valid.is_ok(), "the font in the program is damaged");
    });
    ("sans-serif", points * scale).into_font()
}

fn png(panels: &[&Chart]) -> Result<Vec<u8>, String> {
    let (width, height) = size(panels);
    let (width, height) = (width * PNG_SCALE, height * PNG_SCALE);
    let large = (width * SMOOTHING, height * SMOOTHING);
    let mut pixels = vec![0; 3 * large.0 as usize * large.1 as usize];
    draw(panels, PNG_SCALE * SMOOTHING, BitMapBackend::with_buffer(&mut pixels, large))?;
    encode(&averaged(&pixels, large), (width, height)).map_err(|error| format!("PNG: {error}"))
}

/// Each pixel is the mean of a square of [`SMOOTHING`]² pixels.
fn averaged(pixels: &[u8], (width, height): (u32, u32)) -> Vec<u8> {
    let (step, stride) = (SMOOTHING as usize, 3 * width as usize);
    let mean = |row: usize, column: usize, channel: usize| {
        let mut sum = 0;
        for i in 0..step * step {
            let (pixel_row, pixel_column) = (row * step + i / step, column * step + i % step);
            sum += usize::from(pixels[pixel_row * stride + 3 * pixel_column + channel]);
        }
        (sum / (step * step)) as u8
    };
    let (rows, columns) = (height as usize / step, width as usize / step);
    (0..rows * columns * 3).map(|i| mean(i / 3 / columns, i / 3 % columns, i % 3)).collect()
}

fn encode(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

/// An area to draw on, in pixels.
type Area<B> = DrawingArea<B, Shift>;
type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn draw<B: DrawingBackend>(panels: &[&Chart], scale: u32, backend: B) -> Result<(), String> {
    let root = backend.into_drawing_area();
    draw_figure(panels, scale, &root).map_err(|error| format!("drawing: {error}"))
}

fn draw_figure<B: DrawingBackend>(panels: &[&Chart], scale: u32, root: &Area<B>) -> Drawn<B> {
    root.fill(&WHITE)?;
    let (charts, below) = root.split_vertically(PANEL.1 * scale);
    let looks = legend(panels);
    for (panel, area) in panels.iter().zip(charts.split_evenly((1, panels.len().max(1)))) {
        draw_panel(panel, &looks, scale, root, &area)?;
    }
    for (row, entries) in legend_rows(panels).iter().enumerate() {
        draw_legend_row(entries, row as u32, scale, &below)?;
    }
    root.present()
}

fn draw_panel<B: DrawingBackend>(
    panel: &Chart,
    looks: &[(&str, Look)],
    scale: u32,
    root: &Area<B>,
    area: &Area<B>,
) -> Drawn<B> {
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, font(17, scale).color(&TEXT))
        .margin(12 * scale)
        .margin_right(20 * scale)
        .x_label_area_size(44 * scale)
        .y_label_area_size(56 * scale)
        .build_cartesian_2d(panel.x_scale.axis(panel.x_range()), panel.y_range())?;
    chart
        .configure_mesh()
        .x_labels(11)
        .y_labels(11)
        .x_label_formatter(&|position| tick(&panel.x_scale.value(*position)))
        .y_label_formatter(&tick)
        .x_desc(&panel.x_label)
        .y_desc(&panel.y_label)
        .label_style(font(12, scale).color(&TEXT))
        .axis_desc_style(font(14, scale).color(&TEXT))
        .axis_style(AXIS.stroke_width(scale))
        .bold_line_style(GRID.stroke_width(scale))
        .light_line_style(TRANSPARENT)
        .set_all_tick_mark_size(4 * scale)
        .draw()?;
    // Reference lines go last: a method that reaches the best possible must not hide it.
    let mut curves: Vec<&Curve> = panel.curves.iter().collect();
    curves.sort_by_key(|curve| curve.dashed);
    for curve in curves {
        let look = looks.iter().find(|(name, _)| *name == curve.name).map_or(Look::Dashed, |entry| entry.1);
        let pixels = panel.positions(curve).map(|point| chart.backend_coord(&point)).collect();
        draw_curve(pixels, look, scale, root)?;
    }
    Ok(())
}

/// A tick's number without the zeros and rounding errors of its computation.
fn tick(value: &f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

fn draw_curve<B: DrawingBackend>(
    pixels: Vec<(i32, i32)>,
    look: Look,
    scale: u32,
    area: &Area<B>,
) -> Drawn<B> {
    let stroke = look.color().stroke_width(2 * scale);
    match look {
        Look::Dashed => area.draw(&DashedPathElement::new(pixels, 6 * scale, 4 * scale, stroke)),
        Look::Solid(kind) => {
            area.draw(&PathElement::new(pixels.clone(), stroke))?;
            let shown = pixels.iter().step_by(pixels.len().div_ceil(MARKERS).max(1));
            shown.into_iter().try_for_each(|&center| draw_marker(center, kind, look.color(), scale, area))
        }
    }
}

/// Each curve has a shape of its own, so that color is not the only difference.
fn draw_marker<B: DrawingBackend>(
    (x, y): (i32, i32),
    kind: usize,
    color: RGBColor,
    scale: u32,
    area: &Area<B>,
) -> Drawn<B> {
    let r = 4 * scale as i32;
    let polygon = |corners: &[(i32, i32)]| {
        let corners: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        area.draw(&Polygon::new(corners, color.filled()))
    };
    match kind % 5 {
        0 => area.draw(&Circle::new((x, y), r, color.filled())),
        1 => polygon(&[(0, -5 * r / 4), (5 * r / 4, r), (-5 * r / 4, r)]),
        2 => polygon(&[(-r, -r), (r, -r), (r, r), (-r, r)]),
        3 => polygon(&[(0, -5 * r / 4), (5 * r / 4, 0), (0, 5 * r / 4), (-5 * r / 4, 0)]),
        _ => polygon(&[(0, 5 * r / 4), (5 * r / 4, -r), (-5 * r / 4, -r)]),
    }
}

fn draw_legend_row<B: DrawingBackend>(
    entries: &[(&str, Look)],
    row: u32,
    scale: u32,
    area: &Area<B>,
) -> Drawn<B> {
    let total: i32 = entries.iter().map(|(name, _)| entry_width(name, scale)).sum();
    let gap = LEGEND_GAP * scale as i32;
    let swatch = SWATCH * scale as i32;
    let mut x = (area.dim_in_pixel().0 as i32 - total + gap) / 2;
    let y = ((row * LEGEND_ROW + LEGEND_ROW / 2) * scale) as i32;
    let style = TextStyle::from(font(13, scale)).color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
    for &(name, look) in entries {
        draw_swatch((x, y), look, scale, area)?;
        area.draw(&Text::new(name, (x + swatch, y), &style))?;
        x += entry_width(name, scale);
    }
    Ok(())
}

fn draw_swatch<B: DrawingBackend>((x, y): (i32, i32), look: Look, scale: u32, area: &Area<B>) -> Drawn<B> {
    let end = x + (SWATCH - 6) * scale as i32;
    match look {
        Look::Dashed => draw_curve(vec![(x, y), (end, y)], look, scale, area),
        Look::Solid(kind) => {
            area.draw(&PathElement::new(vec![(x, y), (end, y)], look.color().stroke_width(2 * scale)))?;
            draw_marker(((x + end) / 2, y), kind, look.color(), scale, area)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("D-CCA", Look::Solid(2)),
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

    #[test]
    fn averaging_a_square_takes_its_mean() {
        let step = SMOOTHING as usize;
        let pixels: Vec<u8> = (0..step * step).flat_map(|i| [10 * i as u8, 7, 0]).collect();
        assert_eq!(averaged(&pixels, (SMOOTHING, SMOOTHING)), [(5 * (step * step - 1)) as u8, 7, 0]);
    }

    #[test]
    fn ticks_are_short() {
        assert_eq!([0.30000000000000004, 5.0, -0.0, 0.25].map(|v| tick(&v)), ["0.3", "5", "0", "0.25"]);
    }
}
