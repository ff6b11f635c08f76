//! Ends the program at any point: one line and the exit code, without locks, memory or formatting.

/// The exit code if the machine or the program failed.
pub const FAILED: u8 = 3;

/// Writes to standard error.
pub fn say(parts: &[&[u8]]) {
    parts.iter().for_each(|part| system::write(part));
}

/// Ends the process without running anything else.
pub fn end() -> ! {
    system::end()
}

#[cfg(unix)]
mod system {
    pub fn write(bytes: &[u8]) {
        // SAFETY: the bytes are valid for reading. A failure is ignored, because there is no place left to
        // report it.
        unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
    }

    pub fn end() -> ! {
        // SAFETY: the call ends the process and has no preconditions.
        unsafe { libc::_exit(super::FAILED.into()) }
    }
}

#[cfg(windows)]
mod system {
    use std::fs::File;
    use std::io::Write;
    use std::mem::ManuallyDrop;
    use std::os::windows::io::{AsRawHandle, FromRawHandle};

    /// Writes past the lock of standard error, because the thread that is being ended may hold it.
    pub fn write(bytes: &[u8]) {
        let handle = std::io::stderr().as_raw_handle();
        if handle.is_null() {
            return;
        }
        // SAFETY: the handle is open as long as the process lives, and this file does not close it.
        let mut file = ManuallyDrop::new(unsafe { File::from_raw_handle(handle) });
        let _ = file.write_all(bytes);
    }

    pub fn end() -> ! {
        std::process::exit(super::FAILED.into())
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    use std::io::Write;

    pub fn write(bytes: &[u8]) {
        let _ = std::io::stderr().write_all(bytes);
    }

    pub fn end() -> ! {
        std::process::exit(super::FAILED.into())
    }
}
