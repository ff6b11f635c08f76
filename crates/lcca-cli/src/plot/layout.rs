//! The look of curves, the legend, and the size of a figure.

use super::chart::Chart;
use super::looks::looks;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::sync::Once;

/// The width and height of one panel, in points.
pub const PANEL: (u32, u32) = (520, 380);
/// The height of one row of the legend, in points.
pub const LEGEND_ROW: u32 = 24;
/// The width of the line with its marker before each name of the legend, in points.
pub const SWATCH: i32 = 30;
/// The space after each name of the legend, in points.
pub const LEGEND_GAP: i32 = 22;

/// Okabe and Ito's colors, which people with any kind of color blindness can tell apart.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(91, 74, 138),
    RGBColor(110, 80, 50),
];
/// The color of reference lines, which are dashed.
const REFERENCE: RGBColor = RGBColor(30, 30, 30);

/// The look of a curve, in every panel and in the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    Dashed,
    /// The number of the solid curve, from 0, which picks color and marker.
    Solid(usize),
}

impl Look {
    pub fn color(self) -> RGBColor {
        match self {
            Look::Dashed => REFERENCE,
            Look::Solid(i) => PALETTE[i % PALETTE.len()],
        }
    }
}

/// Every name once, in the order of appearance, with its look.
pub fn legend<'a>(panels: &[&'a Chart]) -> Vec<(&'a str, Look)> {
    let mut entries: Vec<(&str, bool)> = Vec::new();
    for curve in panels.iter().flat_map(|panel| &panel.curves) {
        if !entries.iter().any(|(name, _)| *name == curve.name) {
            entries.push((&curve.name, curve.dashed));
        }
    }
    let solid: Vec<&str> = entries.iter().filter(|(_, dashed)| !dashed).map(|(name, _)| *name).collect();
    let mut numbers = looks(&solid).into_iter();
    let look = |dashed: bool| if dashed { Look::Dashed } else { Look::Solid(numbers.next().unwrap_or(0)) };
    let looks: Vec<Look> = entries.iter().map(|(_, dashed)| *dashed).map(look).collect();
    entries.iter().map(|(name, _)| *name).zip(looks).collect()
}

/// The legend broken into rows that fit under the panels.
pub fn legend_rows<'a>(panels: &[&'a Chart]) -> Vec<Vec<(&'a str, Look)>> {
    let available = panels.len() as i32 * PANEL.0 as i32 - LEGEND_GAP;
    let mut rows: Vec<Vec<(&str, Look)>> = Vec::new();
    // The first row counts as full, so the first entry opens a new one.
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

pub fn entry_width(name: &str, scale: u32) -> i32 {
    let text = font(13, scale).box_size(name).map_or(0, |(width, _)| width as i32);
    text + (SWATCH + LEGEND_GAP) * scale as i32
}

/// The width and height of a figure in points.
pub fn size(panels: &[&Chart]) -> (u32, u32) {
    let legend = LEGEND_ROW * legend_rows(panels).len() as u32;
    (PANEL.0 * panels.len().max(1) as u32, PANEL.1 + legend + LEGEND_ROW / 2)
}

/// The embedded font, registered under a name that SVG viewers resolve to their own font.
pub fn font(points: u32, scale: u32) -> FontDesc<'static> {
    static EMBEDDED: Once = Once::new();
    EMBEDDED.call_once(|| {
        let valid = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
        assert!(valid.is_ok(), "the font in the program is damaged");
    });
    ("sans-serif", points * scale).into_font()
}
