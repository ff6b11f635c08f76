//! The end of the program in the middle of anything: one line and the exit code, without locks, memory or formatting.

/// The exit code if the machine or the program failed.
pub const FAILED: u8 = 3;

/// Says something on standard error.
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
        // SAFETY: the bytes are valid for reading. There is nobody to report a failure to.
        unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
    }

    pub fn end() -> ! {
        // SAFETY: ends the process.
        unsafe { libc::_exit(super::FAILED.into()) }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io::Write;

    pub fn write(bytes: &[u8]) {
        let _ = std::io::stderr().write_all(bytes);
    }

    pub fn end() -> ! {
        std::process::exit(super::FAILED.into())
    }
}
