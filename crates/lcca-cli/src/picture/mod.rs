//! Static pictures as SVG: drawn here, without a script, for pages and for files alike.
//!
//! A chart is plain data that can be drawn at any width: [`LineChart`], [`Disk`], [`Cloud`], [`Grid`] and
//! [`Bars`] implement [`Picture`]. A page holds one drawing for wide and one for narrow screens, so that text
//! is never scaled down. Colors are classes: light, dark and paper share one drawing.

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

/// Something that can be drawn at any width, in pixels.
pub trait Picture {
    fn draw(&self, width: f64) -> Svg;
}

/// From this width on, what belongs side by side has room there.
const ROOMY: f64 = 1000.0;

/// Below this width a picture is drawn for a phone: panels below each other, fewer names.
const NARROW: f64 = 520.0;
