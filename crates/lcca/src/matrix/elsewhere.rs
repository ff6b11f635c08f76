//! Bytes that something owns, in the host's memory or in that of a device.

use crate::error::Result;
use std::any::Any;

/// The owner of some bytes, which keeps them alive and in place. Whatever is a slice of bytes on the host is
/// one.
pub trait Bytes: Send + Sync {
    /// The bytes. Those in the memory of a device are copied to the host first, once.
    ///
    /// # Panics
    /// With [`Unreadable`] if that copy fails. [`Elsewhere::bring`] makes it beforehand and returns an error.
    fn bytes(&self) -> &[u8];

    /// The number of bytes, wherever they lie.
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

/// Why bytes in the memory of a device could not be copied to the host: what reading them panics with.
pub struct Unreadable(pub String);

/// Bytes in the memory of a device, and what the device can find out about them without a copy.
pub trait Elsewhere: Any + Send + Sync {
    /// Where the first byte is. No other memory has this address.
    fn address(&self) -> u64;

    /// Makes the copy on the host, after which reading the bytes cannot fail. The second time there is
    /// nothing to do.
    fn bring(&self) -> Result<()>;

    /// Copies the bytes from `start` on, as many as `out` holds, and no others.
    fn read(&self, start: usize, out: &mut [u8]) -> Result<()>;

    /// The first of some numbers that is not finite.
    fn first_not_finite(&self, numbers: Numbers) -> Result<Option<usize>>;

    /// The sums of dense rows of `cols` numbers, with one weight per row if rows are weighted.
    fn column_sums(&self, numbers: Numbers, cols: usize, weights: Option<&[f64]>) -> Result<ColumnSums>;
}

/// Some of the bytes as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The bytes before them.
    pub start: usize,
    /// How many they are.
    pub len: usize,
    /// Whether they are f32; otherwise they are f64.
    pub is_single: bool,
}

/// Sums over rows for each column, weighted if rows are. They are compensated, as those of rows on the host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSums {
    /// Of the numbers.
    pub sum: Vec<f64>,
    /// Of their squares.
    pub square: Vec<f64>,
    /// How many are not zero.
    pub nonzero: Vec<u64>,
}
