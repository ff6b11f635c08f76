//! Shared runs of numbers in memory owned by something else: a vector, a mapped file, an array of another
//! language or on a device.
//!
//! Formats such as `.npy` and safetensors do not align their numbers, and a mapped file cannot be moved into
//! alignment without copying it. Elements are therefore read through [`Packed`], which needs no alignment.
//! This costs nothing: on the supported machines, all little-endian, an unaligned read is one ordinary load.

use super::elsewhere::{Bytes, Elsewhere};
use super::zeros;
use crate::error::{Error, Result};
use bytemuck::{Pod, Zeroable};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

#[cfg(target_endian = "big")]
compile_error!("lcca maps little-endian files as they are and has no big-endian port");

/// One number at any byte address, aligned or not.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Packed<T>(T);

impl<T: Copy> Packed<T> {
    /// The number itself.
    #[inline(always)]
    pub fn get(self) -> T {
        self.0
    }
}

/// The owner of the bytes of a buffer, which keeps them alive and in place.
pub type Owner = Arc<dyn Bytes>;

/// A shared, immutable run of `T`. Cloning and slicing copy no numbers.
#[derive(Clone)]
pub struct Buffer<T> {
    owner: Owner,
    start: usize,
    len: usize,
    kind: PhantomData<T>,
}

struct OwnedNumbers<T>(Vec<T>);

impl<T: Pod> AsRef<[u8]> for OwnedNumbers<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<T: Pod + Send + Sync> From<Vec<T>> for Buffer<T> {
    fn from(numbers: Vec<T>) -> Self {
        let len = numbers.len();
        Buffer { owner: Arc::new(OwnedNumbers(numbers)), start: 0, len, kind: PhantomData }
    }
}

impl<T: Pod> Buffer<T> {
    /// The `len` numbers that begin `start` bytes into `owner`, without copying.
    pub fn shared(owner: Owner, start: usize, len: usize) -> Result<Self> {
        let have = owner.count();
        let end = len.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(start));
        if end.is_none_or(|end| end > have) {
            return Err(Error::BufferTooShort { start, len, width: size_of::<T>(), have });
        }
        Ok(Buffer { owner, start, len, kind: PhantomData })
    }

    /// The numbers.
    #[inline]
    pub fn as_slice(&self) -> &[Packed<T>] {
        let bytes = self.owner.bytes();
        bytemuck::cast_slice(&bytes[self.start..self.start + self.len * size_of::<T>()])
    }

    /// A range of the numbers, sharing the same owner.
    pub fn slice(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {} numbers", self.len);
        let start = self.start + range.start * size_of::<T>();
        Buffer { owner: self.owner.clone(), start, len: range.len(), kind: PhantomData }
    }

    /// The owner that keeps the numbers alive.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// The device in whose memory the numbers lie, and the number of bytes before them there; `None` if
    /// they lie on the host.
    pub fn elsewhere(&self) -> Option<(&dyn Elsewhere, usize)> {
        self.owner.elsewhere().map(|device| (device, self.start))
    }

    /// Copies numbers that lie in the memory of a device to the host, so that reading them cannot fail.
    pub fn bring(&self) -> Result<()> {
        self.elsewhere().map_or(Ok(()), |(device, _)| device.bring())
    }

    /// These numbers on the host. Numbers in the memory of a device are copied, and the copy does not need
    /// the device any more.
    pub(crate) fn on_host(&self) -> Result<Self>
    where
        T: Send + Sync,
    {
        let Some((device, start)) = self.elsewhere() else { return Ok(self.clone()) };
        let mut copy = zeros(self.len);
        device.read(start, bytemuck::cast_slice_mut(&mut copy))?;
        Ok(copy.into())
    }

    /// The address of the first number, on the host or on a device.
    pub fn address(&self) -> u64 {
        match self.elsewhere() {
            Some((device, start)) => device.address() + start as u64,
            None => self.as_slice().as_ptr() as u64,
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Iterates over the numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.as_slice().iter().map(|number| number.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unaligned_bytes_read_like_a_vector() {
        let mut bytes = vec![0u8; 3];
        bytes.extend([1.5f64, -2.0].iter().flat_map(|v| v.to_le_bytes()));
        let buffer = Buffer::<f64>::shared(Arc::new(bytes), 3, 2).unwrap();
        assert_eq!(buffer.iter().collect::<Vec<_>>(), [1.5, -2.0]);
        assert_eq!(buffer.slice(1..2).iter().collect::<Vec<_>>(), [-2.0]);
    }

    #[test]
    fn a_claim_beyond_the_bytes_is_refused() {
        let owner: Owner = Arc::new(vec![0u8; 16]);
        assert!(Buffer::<u64>::shared(owner.clone(), 0, 2).is_ok());
        assert!(Buffer::<u64>::shared(owner.clone(), 1, 2).is_err());
        assert!(Buffer::<u64>::shared(owner, 0, usize::MAX / 2).is_err());
    }
}
