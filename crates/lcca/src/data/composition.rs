//! How a pass follows from products of the rows, for a space whose panels are not in ordinary memory.
//!
//! Wrappers change what goes into a pass over the rows and what comes out. With factors F and means μ of each
//! view's columns and the rows x, y that are at the bottom,
//!
//! ```text
//! product[target][source] = F_target · Σ (target's row)·(source's row − μ)ᵀ · F_source·W
//! ```
//!
//! without the rows of dead columns. A space that knows the type of what is at the bottom can do all of it by
//! itself.

use std::any::Any;

/// A pair as what it wraps, and what is done to its products.
#[derive(Clone, Copy)]
pub struct Composition<'a> {
    /// The rows or Gram matrices at the bottom: an `InMemory` or a `JointGram`.
    pub home: &'a (dyn Any + Send + Sync),
    /// The column means that are subtracted from each view, if any are.
    pub means: Option<[&'a [f64]; 2]>,
    /// For each view the factors of its columns; `None` leaves it as it is.
    pub factors: [Option<&'a [f64]>; 2],
    /// For each view the columns of which nothing is left, ascending: their rows of every product are zero.
    pub dead: [&'a [usize]; 2],
}

impl<'a> Composition<'a> {
    /// Nothing is done to the products.
    pub fn of(home: &'a (dyn Any + Send + Sync)) -> Self {
        Composition { home, means: None, factors: [None, None], dead: [&[], &[]] }
    }

    /// Whether this is what is at the bottom, as it is.
    pub fn is_plain(&self) -> bool {
        self.means.is_none() && !self.is_scaled()
    }

    /// Whether columns have factors.
    pub fn is_scaled(&self) -> bool {
        self.factors.iter().any(Option::is_some)
    }
}
