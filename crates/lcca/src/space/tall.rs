//! Tall panels and row factors, whose storage only a space knows, and requests for several of them at once.

use std::any::Any;

/// A tall panel in some space. Only the space that made it can look inside.
pub struct Tall {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) storage: Box<dyn Any + Send + Sync>,
}

impl Tall {
    /// Wraps a panel in the storage of some space.
    pub fn new(rows: usize, cols: usize, storage: Box<dyn Any + Send + Sync>) -> Self {
        Tall { rows, cols, storage }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Whether the panel is stored as a `T`.
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

    /// The storage, mutably.
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
    /// The numbers in the storage of their space.
    ///
    /// # Panics
    /// If the numbers live in another space. That is a broken contract.
    pub fn storage<T: 'static>(&self) -> &T {
        self.0.downcast_ref().expect("factors are used in the space that made them")
    }
}

/// Panels that an iteration advances: weights W, their last step P and the directions T, or products of
/// these.
pub struct Advance<'a> {
    /// The panel W, which becomes that of the next iteration.
    pub w: &'a mut Tall,
    /// The panel P, which becomes the step to the next iteration.
    pub p: &'a mut Tall,
    /// The panel T.
    pub t: &'a Tall,
}

/// A small matrix that is a sum over the rows of tall panels.
#[derive(Clone, Copy)]
pub enum Reduction<'a> {
    /// [A₁ A₂ …]ᵀ[B₁ B₂ …].
    Cross(&'a [&'a Tall], &'a [&'a Tall]),
    /// [A₁ A₂ …]ᵀ[B₁ B₂ …] if it is symmetric up to rounding.
    Symmetric(&'a [&'a Tall], &'a [&'a Tall]),
    /// Σᵢ weights\[i\]·a\[i, j\]² for every column j, in one column.
    Squares(&'a Tall, &'a RowFactors),
}

impl<'a> Reduction<'a> {
    /// One of the panels that are summed over, if there is one.
    pub fn panel(&self) -> Option<&'a Tall> {
        match self {
            Reduction::Cross(a, _) | Reduction::Symmetric(a, _) => a.first().copied(),
            Reduction::Squares(a, _) => Some(a),
        }
    }
}
