//! Numbers in the memory of a device.

use super::copies::to_be_written;
use super::device::Device;
use crate::error::CudaError;
use bytemuck::Pod;
use cudarc::driver::result;
use cudarc::driver::sys::CUstream;
use lcca::matrix::{Owner, zeros};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Numbers in the memory of a device. Dropping this gives the memory back.
pub(crate) struct Room<T> {
    device: Arc<Device>,
    address: u64,
    len: usize,
    bytes: u64,
    /// The owner of the memory if it is only lent. Lent memory is read and not written.
    owner: Option<Owner>,
    kind: PhantomData<T>,
}

impl<T: Pod> Room<T> {
    /// Takes room for `len` numbers of any value, which later work on `stream` may use.
    pub fn new(device: &Arc<Device>, len: usize, stream: CUstream) -> Result<Self, CudaError> {
        let bytes = (len * size_of::<T>()).max(1) as u64;
        let address = device.take(bytes, stream)?;
        Ok(Room { device: device.clone(), address, len, bytes, owner: None, kind: PhantomData })
    }

    /// Borrows numbers that another owner has on the device.
    ///
    /// # Safety
    /// While the owner lives, there must be `len` numbers at the address, and nothing may write to this
    /// room.
    pub unsafe fn lent(device: &Arc<Device>, owner: Owner, address: u64, len: usize) -> Self {
        Room { device: device.clone(), address, len, bytes: 0, owner: Some(owner), kind: PhantomData }
    }

    /// The address of the first number, which kernels take.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The address of the number at `index`.
    pub fn address_of(&self, index: usize) -> u64 {
        self.address + (index * size_of::<T>()) as u64
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn clear(&self) -> Result<(), CudaError> {
        let context = self.device.context();
        context.bind()?;
        // SAFETY: the memory is this room's.
        unsafe { result::memset_d8_async(self.address, 0, self.bytes as usize, context.stream) }
            .map_err(CudaError::failed("clear memory"))
    }

    /// Copies all numbers to the host.
    pub fn read_into(&self, out: &mut [T]) -> Result<(), CudaError> {
        assert_eq!(out.len(), self.len, "numbers on the host against numbers on the GPU");
        if out.is_empty() {
            return Ok(());
        }
        self.device.context().receive(to_be_written(bytemuck::cast_slice_mut(out)), self.address)
    }

    /// Copies all numbers to memory of the host that holds nothing yet, and writes all of it.
    pub fn write_into(&self, out: &mut [MaybeUninit<u8>]) -> Result<(), CudaError> {
        assert_eq!(out.len(), self.len * size_of::<T>(), "bytes on the host against bytes on the GPU");
        if out.is_empty() { Ok(()) } else { self.device.context().receive(out, self.address) }
    }

    pub fn to_vec(&self) -> Result<Vec<T>, CudaError> {
        let mut out = zeros(self.len);
        self.read_into(&mut out)?;
        Ok(out)
    }

    /// Copies the number at `index` to the host.
    pub fn get(&self, index: usize) -> Result<T, CudaError> {
        assert!(index < self.len, "number {index} of {}", self.len);
        let mut out = [T::zeroed()];
        let bytes = to_be_written(bytemuck::cast_slice_mut(&mut out));
        self.device.context().receive_directly(bytes, self.address_of(index))?;
        Ok(out[0])
    }

    /// Copies all numbers of another room into this one.
    pub fn copy_from(&mut self, from: &Room<T>) -> Result<(), CudaError> {
        assert_eq!(self.len, from.len, "numbers of a copy");
        let (context, bytes) = (self.device.context(), self.len * size_of::<T>());
        context.bind()?;
        // SAFETY: both have the same length and are on the same device.
        unsafe { result::memcpy_dtod_async(self.address, from.address, bytes, context.stream) }
            .map_err(CudaError::failed("copy"))
    }
}

impl Device {
    /// Takes room for `len` numbers of any value.
    pub(crate) fn room<T: Pod>(self: &Arc<Self>, len: usize) -> Result<Room<T>, CudaError> {
        Room::new(self, len, self.context().stream)
    }

    /// Takes room for `len` zeros.
    pub(crate) fn zeros<T: Pod>(self: &Arc<Self>, len: usize) -> Result<Room<T>, CudaError> {
        let room = self.room(len)?;
        room.clear()?;
        Ok(room)
    }

    /// Copies numbers of the host to the device.
    pub(crate) fn copy<T: Pod>(self: &Arc<Self>, from: &[T]) -> Result<Room<T>, CudaError> {
        self.copy_bytes(bytemuck::cast_slice(from))
    }

    /// Copies numbers of the host, given as bytes because they may lie anywhere in a file, to the device.
    pub(crate) fn copy_bytes<T: Pod>(self: &Arc<Self>, from: &[u8]) -> Result<Room<T>, CudaError> {
        let stream = self.context().stream_of_copy(from.len());
        let room = Room::new(self, from.len() / size_of::<T>(), stream)?;
        if !from.is_empty() {
            self.context().send(room.address(), from)?;
        }
        Ok(room)
    }
}

impl<T> Drop for Room<T> {
    fn drop(&mut self) {
        if self.owner.is_none() {
            self.device.give_back(self.address, self.bytes);
        }
    }
}
