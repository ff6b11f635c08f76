//! A pass described as data, so that a space whose panels are not in ordinary memory can compute it.
//!
//! Wrappers change the panels that go into a pass over the rows and the products that come out. With
//! factors F and means μ of each view's columns, and x, y the innermost rows, which no wrapper has changed,
//!
//! ```text
//! product[target][source] = F_target · Σ (target's row)·(source's row − μ)ᵀ · F_source·W
//! ```
//!
//! without the rows of dead columns. A space that recognizes the type of the innermost pair can compute all
//! of this by itself.

use std::any::Any;

/// The innermost pair under some wrappers, and the changes that these make to its products.
#[derive(Clone, Copy)]
pub struct Composition<'a> {
    /// The innermost rows or Gram matrices: an `InMemory` or a `JointGram`.
    pub home: &'a (dyn Any + Send + Sync),
    /// The column means that are subtracted from each view, if any are.
    pub means: Option<[&'a [f64]; 2]>,
    /// For each view, the factors of its columns; `None` leaves the view as it is.
    pub factors: [Option<&'a [f64]>; 2],
    /// For each view, the columns that are zero after subtraction, ascending: their rows of every product
    /// are zero.
    pub dead: [&'a [usize]; 2],
}

impl<'a> Composition<'a> {
    /// A composition that leaves the products as they are.
    pub fn of(home: &'a (dyn Any + Send + Sync)) -> Self {
        Composition { home, means: None, factors: [None, None], dead: [&[], &[]] }
    }

    /// Whether nothing is subtracted from the innermost pair and no column is scaled.
    pub fn is_plain(&self) -> bool {
        self.means.is_none() && !self.is_scaled()
    }

    /// Whether columns have factors.
    pub fn is_scaled(&self) -> bool {
        self.factors.iter().any(Option::is_some)
    }
}
