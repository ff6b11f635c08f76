//! The driver of a GPU whose memory works and whose kernels do nothing. Tests compile it to a library and do
//! not link it.

use std::ffi::{c_char, c_int, c_void};

/// Functions that do nothing, and report success.
macro_rules! idle {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> c_int {
            0
        }
    )* };
}

/// Functions that write a handle to their first argument.
macro_rules! make {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *mut usize) -> c_int {
            unsafe { *handle = 1 };
            0
        }
    )* };
}

/// Functions that write one number.
macro_rules! tell {
    ($($name:ident = $number:literal)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(number: *mut c_int) -> c_int {
            unsafe { *number = $number };
            0
        }
    )* };
}

/// Functions that copy bytes to the given address.
macro_rules! copy {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(to: *mut u8, from: *const u8, bytes: usize) -> c_int {
            unsafe { std::ptr::copy(from, to, bytes) };
            0
        }
    )* };
}

idle!(cuInit cuCtxSetCurrent cuCtxSynchronize cuEventDestroy_v2 cuEventRecord cuEventSynchronize cuFuncSetAttribute
      cuLaunchCooperativeKernel cuLaunchKernel cuMemFreeAsync cuMemPoolSetAttribute cuMemPoolTrimTo cuPointerGetAttributes
      cuStreamSynchronize cuStreamWaitEvent);
make!(cuDevicePrimaryCtxRetain cuEventCreate cuMemPoolCreate cuModuleGetFunction cuModuleLoadData cuStreamCreate);
tell!(cuDeviceGet = 0 cuDeviceGetCount = 1 cuDriverGetVersion = 12080 cuDeviceGetAttribute = 9);
copy!(cuMemcpyDtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyHtoDAsync_v2);

#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorString(_: c_int, _: *mut *const c_char) -> c_int {
    1
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut u8, room: c_int) -> c_int {
    let text = b"Idle GPU\0";
    unsafe { std::ptr::copy(text.as_ptr(), name, text.len().min(room as usize)) };
    0
}

fn memory(bytes: usize) -> *mut c_void {
    vec![0u8; bytes].leak().as_mut_ptr().cast()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocFromPoolAsync(place: *mut *mut c_void, bytes: usize) -> c_int {
    unsafe { *place = memory(bytes) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(place: *mut *mut c_void, bytes: usize) -> c_int {
    unsafe { *place = memory(bytes) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_int {
    unsafe { (*free, *total) = (8 << 30, 16 << 30) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async(place: *mut u8, value: u8, bytes: usize) -> c_int {
    unsafe { place.write_bytes(value, bytes) };
    0
}
