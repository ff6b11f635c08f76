//! A pair of axes in pixels.

use super::axis::Range;

pub struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub x: Range,
    pub y: Range,
}

impl Frame {
    pub fn x(&self, value: f64) -> f64 {
        self.x.place(value, self.left, self.right)
    }

    /// The pixel of a number. A number beyond the axis is drawn at the axis' end.
    pub fn y(&self, value: f64) -> f64 {
        self.y.place(value.clamp(self.y.low, self.y.high), self.bottom, self.top)
    }

    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x(x), self.y(y))
    }
}
