//! Bytes with an owner, in the host's memory or in that of a device.

use crate::error::Result;
use std::any::Any;

/// The owner of some bytes, which keeps them alive and in place. Any slice of bytes on the host is one.
pub trait Bytes: Send + Sync {
    /// The bytes. Those in the memory of a device are copied to the host first, and only once.
    ///
    /// # Panics
    /// With [`Unreadable`] if that copy fails. [`Elsewhere::bring`] makes it beforehand and returns an error.
    fn bytes(&self) -> &[u8];

    /// The number of bytes, on the host or on a device.
    fn count(&self) -> usize {
        self.bytes().len()
    }

    /// The device in whose memory the bytes lie; `None` if that is the host.
    fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        None
    }
}

impl<T: AsRef<[u8]> + Send + Sync> Bytes for T {
    fn bytes(&self) -> &[u8] {
        self.as_ref()
    }
}

impl AsRef<[u8]> for dyn Bytes {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

/// The reason why bytes in the memory of a device could not be copied to the host. Reading them panics with
/// it.
pub struct Unreadable(pub String);

/// Bytes in the memory of a device, and the computations that the device offers without a copy.
pub trait Elsewhere: Any + Send + Sync {
    /// The address of the first byte. No other memory has this address.
    fn address(&self) -> u64;

    /// Makes the copy on the host, after which reading the bytes cannot fail. A second call does nothing.
    fn bring(&self) -> Result<()>;

    /// Copies the bytes from `start` on, as many as `out` holds.
    fn read(&self, start: usize, out: &mut [u8]) -> Result<()>;

    /// The index of the first of some numbers that is not finite.
    fn first_not_finite(&self, numbers: Numbers) -> Result<Option<usize>>;

    /// The sums of dense rows of `cols` numbers, with one weight per row if rows are weighted.
    fn column_sums(&self, numbers: Numbers, cols: usize, weights: Option<&[f64]>) -> Result<ColumnSums>;
}

/// Some of the bytes as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The number of bytes before the first number.
    pub start: usize,
    /// The count of the numbers.
    pub len: usize,
    /// Whether the numbers are f32; otherwise they are f64.
    pub is_single: bool,
}

/// Sums over rows for each column, weighted if rows are. They are compensated, like those of rows on the
/// host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSums {
    /// The sums of the numbers.
    pub sum: Vec<f64>,
    /// The sums of the squares of the numbers.
    pub square: Vec<f64>,
    /// The counts of the numbers that are not zero.
    pub nonzero: Vec<u64>,
}
