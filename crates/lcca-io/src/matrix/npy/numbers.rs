//! Converts numbers of any NumPy type into the types of a matrix. They are shared if the type is the same,
//! and converted otherwise.

use super::header::Kind;
use crate::error::{Fault, Outcome};
use crate::matrix::half::half;
use lcca::matrix::search::{GRAIN, first, first_place};
use lcca::matrix::{Buffer, DenseValues, Owner};
use rayon::prelude::*;

/// A run of numbers in a file.
pub(crate) struct Numbers {
    owner: Owner,
    start: usize,
    len: usize,
    kind: Kind,
}

impl Numbers {
    /// `len` numbers that begin `start` bytes into `owner`, which the caller has checked to hold them.
    pub(crate) fn new(owner: Owner, start: usize, len: usize, kind: Kind) -> Self {
        Numbers { owner, start, len, kind }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn shared<T: bytemuck::Pod>(&self) -> Outcome<Buffer<T>> {
        Ok(Buffer::shared(self.owner.clone(), self.start, self.len)?)
    }

    fn elements(&self) -> Elements<'_> {
        let end = self.start + self.len * self.kind.width();
        Elements { bytes: &(*self.owner).as_ref()[self.start..end], kind: self.kind }
    }

    fn is_float(&self) -> bool {
        self.kind.letter == b'f'
    }

    /// The numbers as real numbers. Half precision and integers become single precision if all of them are
    /// exact in it.
    pub(crate) fn reals(&self) -> DenseValues {
        const EXACT: i128 = 1 << f32::MANTISSA_DIGITS;
        let elements = self.elements();
        match (self.is_float(), self.kind.bytes) {
            (true, 2) => {
                DenseValues::F32(self.collect(|index| half(u16::from_le_bytes(elements.bytes(index))) as f32))
            }
            (true, 4) => DenseValues::F32(self.floats(|index| f32::from_le_bytes(elements.bytes(index)))),
            (true, _) => DenseValues::F64(self.floats(|index| f64::from_le_bytes(elements.bytes(index)))),
            _ if self.all(|value| value.abs() <= EXACT) => {
                DenseValues::F32(self.collect(|index| elements.integer(index) as f32))
            }
            _ => DenseValues::F64(self.collect(|index| elements.integer(index) as f64)),
        }
    }

    fn floats<T: bytemuck::Pod + Send + Sync>(&self, read: impl Fn(usize) -> T + Send + Sync) -> Buffer<T> {
        match self.shared().ok().filter(|_| !self.kind.big) {
            Some(shared) => shared,
            None => self.collect(read),
        }
    }

    fn collect<T: bytemuck::Pod + Send + Sync>(&self, read: impl Fn(usize) -> T + Send + Sync) -> Buffer<T> {
        (0..self.len).into_par_iter().with_min_len(GRAIN).map(read).collect::<Vec<T>>().into()
    }

    fn all(&self, fits: impl Fn(i128) -> bool + Sync) -> bool {
        let elements = self.elements();
        first_place(self.len, |index| !fits(elements.integer(index))).is_none()
    }

    /// Refuses elements that are not integers from 0 to `limit`, the limit excluded. The limit fits 63
    /// bits.
    fn check_range(&self, limit: i128, what: &str) -> Outcome<()> {
        if self.is_float() {
            return Err(Fault::new(format!("holds real numbers, expected integers ({what})")));
        }
        match self.first_outside(limit)? {
            None => Ok(()),
            Some(index) => {
                let (value, last) = (self.elements().integer(index), limit - 1);
                Err(Fault::new(format!("element {index} is {value}, expected {what} from 0 to {last}")))
            }
        }
    }

    /// The first element outside of the range. The types that SciPy writes are compared as they lie,
    /// several at a time.
    fn first_outside(&self, limit: i128) -> Outcome<Option<usize>> {
        let most = limit as i64 - 1;
        Ok(if self.kind.is(b'i', 4) {
            first(self.shared::<i32>()?.as_slice(), |value| value < 0 || i64::from(value) > most)
        } else if self.kind.is(b'i', 8) {
            first(self.shared::<i64>()?.as_slice(), |value| value < 0 || value > most)
        } else {
            let elements = self.elements();
            first_place(self.len, |index| !(0..limit).contains(&elements.integer(index)))
        })
    }

    /// The numbers as row or column numbers below `limit`.
    pub(crate) fn indices(&self, limit: usize, what: &str) -> Outcome<Buffer<u32>> {
        self.check_range((limit as i128).min(1 << 32), what)?;
        let elements = self.elements();
        if self.kind.is(b'i', 4) || self.kind.is(b'u', 4) {
            self.shared()
        } else {
            Ok(self.collect(|index| elements.integer(index) as u32))
        }
    }

    /// The numbers as row offsets into `entries` entries.
    pub(crate) fn offsets(&self, entries: usize) -> Outcome<Buffer<u64>> {
        self.check_range(entries as i128 + 1, "an offset")?;
        let elements = self.elements();
        if self.kind.is(b'i', 8) || self.kind.is(b'u', 8) {
            self.shared()
        } else {
            Ok(self.collect(|index| elements.integer(index) as u64))
        }
    }

    /// The numbers as a few sizes.
    pub(crate) fn sizes(&self) -> Outcome<Vec<usize>> {
        self.check_range(1 << 62, "a size")?;
        Ok((0..self.len).map(|index| self.elements().integer(index) as usize).collect())
    }
}

/// The numbers of an array, one by one.
#[derive(Clone, Copy)]
struct Elements<'a> {
    bytes: &'a [u8],
    kind: Kind,
}

impl Elements<'_> {
    /// The bytes of an element, least significant first.
    #[inline]
    fn bytes<const N: usize>(self, index: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[index * N..(index + 1) * N]);
        if self.kind.big {
            bytes.reverse();
        }
        bytes
    }

    /// Element `index` of an integer or boolean type.
    #[inline]
    fn integer(self, index: usize) -> i128 {
        match (self.kind.letter, self.kind.bytes) {
            (b'i', 1) => i8::from_le_bytes(self.bytes(index)).into(),
            (b'i', 2) => i16::from_le_bytes(self.bytes(index)).into(),
            (b'i', 4) => i32::from_le_bytes(self.bytes(index)).into(),
            (b'i', _) => i64::from_le_bytes(self.bytes(index)).into(),
            (b'u', 1) => u8::from_le_bytes(self.bytes(index)).into(),
            (b'u', 2) => u16::from_le_bytes(self.bytes(index)).into(),
            (b'u', 4) => u32::from_le_bytes(self.bytes(index)).into(),
            (b'u', _) => u64::from_le_bytes(self.bytes(index)).into(),
            _ => (u8::from_le_bytes(self.bytes(index)) != 0).into(),
        }
    }
}
