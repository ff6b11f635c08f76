//! Arrays that lie in the memory of a GPU already, such as those of CuPy and PyTorch: a fit on that GPU reads
//! them there.
//!
//! The host sees such an array as a buffer like any other. When it first reads the buffer, all of it is
//! copied, once. The ordinary fit of narrow dense views never does: it reads single rows at most, which are
//! copied one by one. Sparse rows are always copied, because the host checks their columns; the GPU still
//! reads them where they lie. Gram matrices that were formed on a GPU are such arrays too.

use crate::column_sums::PartialSums;
use crate::copies::to_be_written;
use crate::device::Device;
use crate::error::CudaError;
use crate::foreign::Written;
use crate::kernels::File;
use crate::launch::Launch;
use crate::product::{self, Dense};
use crate::room::Room;
use bytemuck::Pod;
use lcca::matrix::{Buffer, Bytes, ColumnSums, DenseValues, Elsewhere, Matrix, Numbers, Unreadable, Values};
use std::any::Any;
use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock};

/// Bytes in the memory of a GPU.
pub struct DeviceArray {
    device: Arc<Device>,
    address: u64,
    bytes: usize,
    /// The copy on the host, or why there is none.
    copy: OnceLock<Result<Vec<u8>, String>>,
    /// Keeps the owner of the memory from giving it back.
    _keeper: Box<dyn Any + Send + Sync>,
}

impl DeviceArray {
    /// An array of another library at an address of a GPU. `None` if it lies on another GPU, or in a context
    /// that is not the one which libraries share.
    ///
    /// # Safety
    /// While `keeper` lives, the bytes must stay allocated, and nobody may write to them while a fit reads
    /// them. A handle of a stream must be one.
    pub unsafe fn new(
        ordinal: u32,
        address: u64,
        bytes: usize,
        keeper: Box<dyn Any + Send + Sync>,
        written: Written,
    ) -> Result<Option<Arc<Self>>, CudaError> {
        // What sums and checks need beside the array is little, and is not counted.
        let device = Device::open(ordinal, Some(u64::MAX))?;
        for place in [address, address.saturating_add(bytes.saturating_sub(1) as u64)] {
            match device.context().is_own(place)? {
                None => return Err(CudaError::NotOnGpu { address: place }),
                Some(false) => return Ok(None),
                Some(true) => {}
            }
        }
        // SAFETY: the caller says so.
        unsafe { device.context().wait_until(written) }?;
        let copy = OnceLock::new();
        Ok(Some(Arc::new(DeviceArray { device, address, bytes, copy, _keeper: keeper })))
    }

    /// A copy of bytes of the host on a GPU, for several fits.
    pub fn from_host(ordinal: u32, bytes: &[u8]) -> Result<Arc<Self>, CudaError> {
        let device = Device::open(ordinal, Some(u64::MAX))?;
        let room: Room<u8> = device.copy_bytes(bytes)?;
        device.finish()?;
        let (address, copy) = (room.address(), OnceLock::new());
        Ok(Arc::new(DeviceArray { device, address, bytes: bytes.len(), copy, _keeper: Box::new(room) }))
    }

    /// Numbers that were made on a device.
    pub(crate) fn of_room<T: Pod + Send + Sync>(device: &Arc<Device>, room: Room<T>) -> Arc<Self> {
        let (address, bytes) = (room.address(), room.len() * size_of::<T>());
        let (device, copy) = (device.clone(), OnceLock::new());
        Arc::new(DeviceArray { device, address, bytes, copy, _keeper: Box::new(room) })
    }

    /// The number of its GPU.
    pub fn ordinal(&self) -> u32 {
        self.device.ordinal()
    }

    /// Where the first byte is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Whether it was copied to the host, which happens if the host reads more than single rows.
    pub fn was_copied(&self) -> bool {
        self.copy.get().is_some()
    }

    /// Makes the copy on the host ahead, with the help of all threads. If several threads call this at the
    /// same time, each makes a copy of which all but one are dropped.
    pub fn copy_ahead(&self) -> Result<(), CudaError> {
        if self.was_copied() {
            return Ok(());
        }
        let mut copy = self.zeros().map_err(CudaError::NotCopied)?;
        self.device.context().receive(to_be_written(&mut copy), self.address)?;
        // If another thread was faster, its copy is as good.
        let _ = self.copy.set(Ok(copy));
        Ok(())
    }

    /// Memory for a copy.
    fn zeros(&self) -> Result<Vec<u8>, String> {
        bytemuck::try_zeroed_vec(self.bytes)
            .map_err(|()| format!("the host has no memory for {} bytes", self.bytes))
    }

    /// The copy on the host. No other thread of a pool is asked to help: it might be waiting for this copy.
    fn copied(&self) -> Result<&[u8], CudaError> {
        let copy = self.copy.get_or_init(|| {
            let mut copy = self.zeros()?;
            self.receive(0, &mut copy).map_err(|error| error.to_string())?;
            Ok(copy)
        });
        match copy {
            Ok(copy) => Ok(copy),
            Err(reason) => Err(CudaError::NotCopied(reason.clone())),
        }
    }

    fn receive(&self, start: usize, out: &mut [u8]) -> Result<(), CudaError> {
        assert!(out.len() <= self.bytes && start <= self.bytes - out.len(), "{start} of {}", self.bytes);
        self.device.context().receive_directly(to_be_written(out), self.address + start as u64)
    }

    /// Where some numbers are. Kernels cannot read numbers that are not aligned.
    fn aligned(&self, numbers: Numbers) -> Result<u64, CudaError> {
        let address = self.address + numbers.start as u64;
        if address.is_multiple_of(if numbers.is_single { 4 } else { 8 }) {
            Ok(address)
        } else {
            Err(CudaError::Failed { what: "read an array", reason: "its numbers are not aligned".into() })
        }
    }

    /// The numbers of a buffer that lies on a device; `None` if it lies anywhere else.
    pub(crate) fn lent<T: Pod>(device: &Arc<Device>, buffer: &Buffer<T>) -> Option<Room<T>> {
        DeviceArray::lies_on(device, buffer).then(|| {
            // SAFETY: the buffer is within the array, which its owner keeps alive.
            unsafe { Room::lent(device, buffer.owner().clone(), buffer.address(), buffer.len()) }
        })
    }

    /// Whether the numbers of a buffer lie on a device, where kernels can read them.
    pub(crate) fn lies_on<T: Pod>(device: &Device, buffer: &Buffer<T>) -> bool {
        // Kernels cannot read numbers that are not aligned.
        DeviceArray::of(buffer).is_some_and(|array| array.ordinal() == device.ordinal())
            && buffer.address().is_multiple_of(size_of::<T>() as u64)
    }

    /// The GPU on which the numbers of a view lie, or some of its arrays; `None` if that is none.
    pub(crate) fn of_view(view: &Matrix) -> Option<u32> {
        let array = match view {
            Matrix::Dense(rows) => match rows.values() {
                DenseValues::F32(values) => DeviceArray::of(values),
                DenseValues::F64(values) => DeviceArray::of(values),
            },
            Matrix::OneHot(rows) => DeviceArray::of(rows.columns()),
            Matrix::Sparse(rows) => DeviceArray::of(rows.columns()).or_else(|| match rows.values() {
                Values::Ones => None,
                Values::F32(values) => DeviceArray::of(values),
                Values::F64(values) => DeviceArray::of(values),
            }),
        };
        array.map(DeviceArray::ordinal)
    }

    /// The array behind a buffer.
    fn of<T: Pod>(buffer: &Buffer<T>) -> Option<&DeviceArray> {
        let (owner, _) = buffer.elsewhere()?;
        (owner as &dyn Any).downcast_ref()
    }
}

impl Bytes for DeviceArray {
    fn bytes(&self) -> &[u8] {
        self.copied().unwrap_or_else(|error| resume_unwind(Box::new(Unreadable(error.to_string()))))
    }

    fn count(&self) -> usize {
        self.bytes
    }

    fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        Some(self)
    }
}

impl Elsewhere for DeviceArray {
    fn address(&self) -> u64 {
        self.address
    }

    fn bring(&self) -> lcca::Result<()> {
        Ok(self.copy_ahead()?)
    }

    fn read(&self, start: usize, out: &mut [u8]) -> lcca::Result<()> {
        Ok(self.receive(start, out)?)
    }

    fn first_not_finite(&self, numbers: Numbers) -> lcca::Result<Option<usize>> {
        let found = self.device.copy(&[u64::MAX])?;
        let name = if numbers.is_single { "first_not_finite_f32" } else { "first_not_finite_f64" };
        let (count, address) = (numbers.len as u64, self.aligned(numbers)?);
        self.device.launch(name, File::Array, Launch::each(count), &[&count, &address, &found.address()])?;
        Ok(found.to_vec()?.into_iter().find(|&index| index != u64::MAX).map(|index| index as usize))
    }

    fn column_sums(
        &self,
        numbers: Numbers,
        cols: usize,
        weights: Option<&[f64]>,
    ) -> lcca::Result<ColumnSums> {
        let rows = numbers.len / cols.max(1);
        let weights = weights.map(|weights| self.device.copy(weights)).transpose()?;
        let matrix = Dense { address: self.aligned(numbers)?, cols, stride: cols };
        let kind = if numbers.is_single { product::Numbers::F32 } else { product::Numbers::F64 };
        let mut sums = PartialSums::new(&self.device, rows, rows, cols)?;
        sums.add(&self.device, rows, (matrix, kind), weights.as_ref().map_or(0, Room::address))?;
        Ok(sums.sums()?)
    }
}

impl Drop for DeviceArray {
    /// The memory may go to others once the keeper is dropped, so nothing here may read it any more.
    fn drop(&mut self) {
        // If the GPU has failed, nothing reads it either.
        let _ = self.device.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_needs_a_gpu() {
        // SAFETY: nothing is read at the address, at which there is no memory of a GPU.
        let array = unsafe { DeviceArray::new(0, 64, 8, Box::new(()), Written::Already) };
        let error = array.err().unwrap().to_string();
        match crate::available() {
            Ok(_) => assert!(error.contains("no memory of a GPU at the address 0x40"), "{error}"),
            Err(reason) => assert_eq!(error, reason.to_string()),
        }
    }
}
