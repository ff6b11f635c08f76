//! Static pictures as SVG, drawn here without a script, for pages and for files.
//!
//! A chart is plain data that can be drawn at any width: [`LineChart`], [`Disk`], [`Cloud`], [`Grid`] and
//! [`Bars`] implement [`Picture`]. A page holds one drawing for wide and one for narrow screens, because
//! text should not be scaled down. Colors are classes, so light, dark and paper share one drawing.

mod axis;
mod bars;
mod cloud;
mod disk;
mod frame;
mod grid;
mod legend;
mod lines;
mod marker;
mod measure;
mod place;
mod style;
mod svg;

pub use bars::{Bar, BarPanel, Bars};
pub use cloud::{Arrow, Cloud, CloudPanel, FEW, NAMED, RADIUS};
pub use disk::{Disk, Spot};
pub use grid::{Grid, GridRow};
pub use legend::Look;
pub use lines::{LineChart, Point, Series, Vertical};
pub use marker::marker;
pub use style::{LABELS, OTHERS, style_sheet};
pub use svg::Svg;

/// A chart that can be drawn at any width, in pixels.
pub trait Picture {
    fn draw(&self, width: f64) -> Svg;
}

/// The least width at which panels have room side by side.
const ROOMY: f64 = 1000.0;

/// The width below which a picture is drawn for a phone: panels below each other, fewer names.
const NARROW: f64 = 520.0;
