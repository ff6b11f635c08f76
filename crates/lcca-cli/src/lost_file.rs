//! Handles a mapped file that is cut short, or whose disk fails, while it is in use: the system sends
//! SIGBUS, and the program names the file in one line and ends with exit code 3.
//!
//! A handler must not take locks, allocate memory or format text, because it may interrupt any code.

#[cfg(unix)]
use crate::last_words;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a thread has begun to say which file was lost. Several threads may find out at once.
#[cfg(unix)]
static IS_SAID: AtomicBool = AtomicBool::new(false);

/// Installs the handler for the rest of the run.
#[cfg(unix)]
pub fn install_handler() {
    lcca_io::note_mapped_files();
    // SAFETY: the handler has the signature that SA_SIGINFO asks for, and calls only functions that are
    // safe in a handler.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&mut action.sa_mask);
        // A failure is ignored, because without a handler the system ends the program as well, with less to
        // read.
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

#[cfg(not(unix))]
pub fn install_handler() {}

#[cfg(unix)]
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes valid information about the signal.
    let address = unsafe { (*info).si_addr() } as usize;
    match lcca_io::mapped_file_at(address) {
        Some(name) => {
            while IS_SAID.swap(true, Ordering::Relaxed) {
                // Another thread ends the program. SAFETY: pause is safe in a handler.
                unsafe { libc::pause() };
            }
            last_words::say(&[
                b"lcca: ",
                name,
                b": was cut short or could not be read while it was in use\n",
            ]);
            last_words::end()
        }
        // The address is not in a mapped file: the same instruction runs again and ends the program, as if
        // there were no handler. SAFETY: setting the default action is safe in a handler.
        None => unsafe {
            libc::signal(signal, libc::SIG_DFL);
        },
    }
}
