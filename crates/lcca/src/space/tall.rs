//! Tall panels and numbers that belong to their rows, of which only a space knows the inside, and what is
//! asked of several at once.

use std::any::Any;

/// A tall panel in some space. Only the space that made it can look inside.
pub struct Tall {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) storage: Box<dyn Any + Send + Sync>,
}

impl Tall {
    /// A panel with whatever storage a space uses.
    pub fn new(rows: usize, cols: usize, storage: Box<dyn Any + Send + Sync>) -> Self {
        Tall { rows, cols, storage }
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Whether this is how the panel is stored.
    pub fn is_stored_as<T: 'static>(&self) -> bool {
        self.storage.is::<T>()
    }

    /// The storage.
    ///
    /// # Panics
    /// If the panel lives in another space. That is a broken contract.
    pub fn storage<T: 'static>(&self) -> &T {
        self.storage.downcast_ref().expect("a panel is used in the space that made it")
    }

    /// The storage, to change it.
    ///
    /// # Panics
    /// If the panel lives in another space. That is a broken contract.
    pub fn storage_mut<T: 'static>(&mut self) -> &mut T {
        self.storage.downcast_mut().expect("a panel is used in the space that made it")
    }
}

/// One number per row of a panel, in some space.
pub struct RowFactors(pub Box<dyn Any + Send + Sync>);

impl RowFactors {
    /// # Panics
    /// If the numbers live in another space. That is a broken contract.
    pub fn storage<T: 'static>(&self) -> &T {
        self.0.downcast_ref().expect("factors are used in the space that made them")
    }
}

/// Panels that an iteration moves on: weights W, their last step P and the directions T, or products of them.
pub struct Advance<'a> {
    /// W, which becomes that of the next iteration.
    pub w: &'a mut Tall,
    /// P, which becomes the step to it.
    pub p: &'a mut Tall,
    /// T.
    pub t: &'a Tall,
}

/// A small matrix that is a sum over the rows of tall panels.
#[derive(Clone, Copy)]
pub enum Reduction<'a> {
    /// [A₁ A₂ …]ᵀ[B₁ B₂ …].
    Cross(&'a [&'a Tall], &'a [&'a Tall]),
    /// The same, if it is symmetric but for rounding.
    Symmetric(&'a [&'a Tall], &'a [&'a Tall]),
    /// Σᵢ weights\[i\]·a\[i, j\]² for every column j, in one column.
    Squares(&'a Tall, &'a RowFactors),
}

impl<'a> Reduction<'a> {
    /// A panel that is summed over, if there is one.
    pub fn panel(&self) -> Option<&'a Tall> {
        match self {
            Reduction::Cross(a, _) | Reduction::Symmetric(a, _) => a.first().copied(),
            Reduction::Squares(a, _) => Some(a),
        }
    }
}
