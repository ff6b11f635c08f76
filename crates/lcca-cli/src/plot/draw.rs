//! Draws a figure on any backend of plotters.

use super::chart::{Chart, Curve};
use super::layout::{LEGEND_GAP, LEGEND_ROW, Look, PANEL, SWATCH, entry_width, font, legend, legend_rows};
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The most markers on a curve, because more would hide the line.
const MARKERS: usize = 25;
const TEXT: RGBColor = RGBColor(40, 40, 40);
const AXIS: RGBColor = RGBColor(120, 120, 120);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// An area to draw on, in pixels.
type Area<B> = DrawingArea<B, Shift>;
type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Draws the panels with `scale` pixels per point.
pub fn draw<B: DrawingBackend>(panels: &[&Chart], scale: u32, backend: B) -> Result<(), String> {
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
    // Reference lines go last, because a method that reaches the best possible must not hide it.
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

/// Draws a marker. Each curve has its own shape, because color must not be the only difference.
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

    #[test]
    fn ticks_are_short() {
        assert_eq!([0.30000000000000004, 5.0, -0.0, 0.25].map(|v| tick(&v)), ["0.3", "5", "0", "0.25"]);
    }
}
