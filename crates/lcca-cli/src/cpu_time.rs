//! The CPU time of this process: all of its threads together, without waiting.

/// The CPU seconds of the process since it started.
pub fn cpu_seconds() -> f64 {
    system::cpu_seconds()
}

#[cfg(unix)]
mod system {
    pub fn cpu_seconds() -> f64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the structure outlives the call, which fills it in.
        unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::c_void;

    /// A Windows time in tenths of microseconds, the lower half first.
    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    struct FileTime {
        low: u32,
        high: u32,
    }

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetCurrentProcess() -> *mut c_void;
        fn GetProcessTimes(
            process: *mut c_void,
            creation: *mut FileTime,
            exit: *mut FileTime,
            kernel: *mut FileTime,
            user: *mut FileTime,
        ) -> i32;
    }

    pub fn cpu_seconds() -> f64 {
        let [mut creation, mut exit, mut kernel, mut user] = [FileTime::default(); 4];
        // SAFETY: the structures outlive the call, which fills them in, and the handle of the current
        // process is always valid.
        unsafe { GetProcessTimes(GetCurrentProcess(), &mut creation, &mut exit, &mut kernel, &mut user) };
        let seconds = |time: FileTime| (f64::from(time.high) * 2f64.powi(32) + f64::from(time.low)) * 1e-7;
        seconds(kernel) + seconds(user)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computing_takes_time() {
        let start = cpu_seconds();
        let mut sum = 0u64;
        while cpu_seconds() - start < 0.01 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(sum > 0 && cpu_seconds() > start);
    }
}
