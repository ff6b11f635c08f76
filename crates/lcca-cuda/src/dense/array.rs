//! Arrays that already lie in the memory of a GPU, such as those of CuPy and PyTorch. A fit on that GPU
//! reads them there.
//!
//! The host sees such an array as a buffer like any other. When the host first reads the buffer, all of it
//! is copied, once. The ordinary fit of narrow dense views never causes this copy, because it reads single
//! rows at most, which are copied one by one. Sparse rows are always copied, because the host checks their
//! columns; the GPU still reads them where they lie. Gram matrices that were formed on a GPU are such
//! arrays too.

use super::column_sums::PartialSums;
use super::product::{self, Dense};
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::copies::to_be_written;
use crate::runtime::device::Device;
use crate::runtime::foreign::Written;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
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
    /// The copy on the host once it was made, or the reason why that failed.
    copy: OnceLock<Result<Vec<u8>, String>>,
    /// Keeps the owner of the memory from giving it back.
    _keeper: Box<dyn Any + Send + Sync>,
}

impl DeviceArray {
    /// Wraps an array of another library at an address of a GPU. Returns `None` if the array lies on
    /// another GPU, or in a context other than the one that libraries share.
    ///
    /// # Safety
    /// While `keeper` lives, the bytes must stay allocated, and nothing may write to them while a fit reads
    /// them. If `written` has the handle of a stream, that stream must exist.
    pub unsafe fn new(
        ordinal: u32,
        address: u64,
        bytes: usize,
        keeper: Box<dyn Any + Send + Sync>,
        written: Written,
    ) -> Result<Option<Arc<Self>>, CudaError> {
        // Sums and checks need little memory beside the array, so no limit applies to it.
        let device = Device::open(ordinal, Some(u64::MAX))?;
        for place in [address, address.saturating_add(bytes.saturating_sub(1) as u64)] {
            match device.context().is_own(place)? {
                None => return Err(CudaError::NotOnGpu { address: place }),
                Some(false) => return Ok(None),
                Some(true) => {}
            }
        }
        // SAFETY: the caller guarantees that the stream exists.
        unsafe { device.context().wait_until(written) }?;
        let copy = OnceLock::new();
        Ok(Some(Arc::new(DeviceArray { device, address, bytes, copy, _keeper: keeper })))
    }

    /// Copies bytes of the host to a GPU, where several fits can read them.
    pub fn from_host(ordinal: u32, bytes: &[u8]) -> Result<Arc<Self>, CudaError> {
        let device = Device::open(ordinal, Some(u64::MAX))?;
        let room: Room<u8> = device.copy_bytes(bytes)?;
        device.finish()?;
        let (address, copy) = (room.address(), OnceLock::new());
        Ok(Arc::new(DeviceArray { device, address, bytes: bytes.len(), copy, _keeper: Box::new(room) }))
    }

    /// Wraps numbers that were computed on a device.
    pub(crate) fn of_room<T: Pod + Send + Sync>(device: &Arc<Device>, room: Room<T>) -> Arc<Self> {
        let (address, bytes) = (room.address(), room.len() * size_of::<T>());
        let (device, copy) = (device.clone(), OnceLock::new());
        Arc::new(DeviceArray { device, address, bytes, copy, _keeper: Box::new(room) })
    }

    /// The number of the GPU on which the array lies.
    pub fn ordinal(&self) -> u32 {
        self.device.ordinal()
    }

    /// The address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Whether the array was copied to the host, which happens if the host reads more than single rows.
    pub fn was_copied(&self) -> bool {
        self.copy.get().is_some()
    }

    /// Copies the array to the host before the first read, with the help of all threads. If several threads
    /// call this at the same time, each makes a copy, and all but one are dropped.
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

    /// Allocates memory for a copy on the host.
    fn zeros(&self) -> Result<Vec<u8>, String> {
        bytemuck::try_zeroed_vec(self.bytes)
            .map_err(|()| format!("the host has no memory for {} bytes", self.bytes))
    }

    /// Returns the copy on the host, which the first call makes. Other threads of a pool do not help,
    /// because they might be waiting for this copy.
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

    /// Returns the address of some numbers. Fails if they are not aligned, because kernels cannot read them
    /// then.
    fn aligned(&self, numbers: Numbers) -> Result<u64, CudaError> {
        let address = self.address + numbers.start as u64;
        if address.is_multiple_of(if numbers.is_single { 4 } else { 8 }) {
            Ok(address)
        } else {
            Err(CudaError::Failed { what: "read an array", reason: "its numbers are not aligned".into() })
        }
    }

    /// Borrows the numbers of a buffer that lies on a device. Returns `None` if the buffer lies anywhere
    /// else.
    pub(crate) fn lent<T: Pod>(device: &Arc<Device>, buffer: &Buffer<T>) -> Option<Room<T>> {
        DeviceArray::lies_on(device, buffer).then(|| {
            // SAFETY: the buffer is within the array, which its owner keeps alive.
            unsafe { Room::lent(device, buffer.owner().clone(), buffer.address(), buffer.len()) }
        })
    }

    /// Whether the numbers of a buffer lie on a device, in a place where kernels can read them.
    pub(crate) fn lies_on<T: Pod>(device: &Device, buffer: &Buffer<T>) -> bool {
        // Kernels cannot read numbers that are not aligned.
        DeviceArray::of(buffer).is_some_and(|array| array.ordinal() == device.ordinal())
            && buffer.address().is_multiple_of(size_of::<T>() as u64)
    }

    /// Returns the number of the GPU on which the numbers of a view, or some of its arrays, lie. Returns
    /// `None` if they lie on no GPU.
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

    /// Returns the array behind a buffer; `None` if the buffer lies on no GPU.
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
    /// Waits for the GPU, because the memory may go to others once the keeper is dropped, and nothing here
    /// may read it then.
    fn drop(&mut self) {
        // A GPU that has failed does not read the memory either.
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
