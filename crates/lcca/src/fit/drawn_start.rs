//! Draws the random numbers that a fit begins with while its Gram matrices are formed on a device, because
//! the host has nothing else to do then.

use super::beside::beside;
use crate::data::Shape;
use crate::matrix::Panel;
use crate::random::{self, Purpose};
use std::sync::{Mutex, PoisonError};

/// Standard normal numbers for the weights of both views, until the first iteration takes them.
pub(super) struct DrawnStart(Mutex<Option<[Panel; 2]>>);

impl DrawnStart {
    /// Draws `columns` columns per view while `form` runs, and returns them with the result of `form`.
    pub fn while_forming<T>(shape: Shape, columns: usize, seed: u64, form: impl FnOnce() -> T) -> (Self, T) {
        let draw = |rows: usize, purpose: Purpose| random::normal_panel(rows, columns, seed, purpose);
        let both = || [draw(shape.x_cols, Purpose::Start), draw(shape.y_cols, Purpose::StartY)];
        let (drawn, formed) = beside(both, form);
        (DrawnStart(Mutex::new(Some(drawn))), formed)
    }

    /// The numbers, unless they were taken before.
    pub fn take(&self) -> Option<[Panel; 2]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels;

    #[test]
    fn numbers_that_are_scaled_later_are_those_of_random_weights() {
        // Small panels come from one generator, large ones from one for each thousand rows.
        for (x_cols, y_cols) in [(60, 45), (9000, 5000)] {
            let (shape, columns, seed) = (Shape { rows: 1000, x_cols, y_cols }, 20, 5);
            let (drawn, formed) = DrawnStart::while_forming(shape, columns, seed, || 7);
            assert_eq!(formed, 7);
            let uses = [(x_cols, Purpose::Start), (y_cols, Purpose::StartY)];
            for (mut panel, (rows, purpose)) in drawn.take().unwrap().into_iter().zip(uses) {
                let roots: Vec<f64> = (0..rows).map(|row| 0.1 + row as f64 / 7.0).collect();
                panels::scale_rows(&mut panel, &roots);
                let expected = random::scaled_normal_panel(rows, columns, seed, purpose, |row| roots[row]);
                assert!(panel == expected, "{rows} columns");
            }
            assert!(drawn.take().is_none(), "they are taken once");
        }
    }
}
