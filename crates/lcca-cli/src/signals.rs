//! Requests to stop from the system: Ctrl-C, the end of a terminal or of a session, `kill`.

/// The number of the signal that Ctrl-C sends.
pub const INTERRUPT: u8 = 2;

/// Calls `act` with the number of the signal for every request to stop from now on, on a separate thread.
/// It must be called before other threads start, because they inherit the blocked signals.
pub fn on_interrupt(act: fn(u8)) {
    system::on_interrupt(act);
}

/// Lets a write fail that exceeds the largest allowed size of a file (`ulimit -f`), instead of ending the
/// program.
pub fn let_large_files_fail() {
    system::let_large_files_fail();
}

#[cfg(unix)]
mod system {
    use std::{mem, ptr};

    const REQUESTS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

    /// Blocks the requests in this thread, and thus in all threads that it starts, and waits for them in
    /// one thread. Unlike in a signal handler, `act` may then do anything.
    pub fn on_interrupt(act: fn(u8)) {
        let requests: Vec<_> = REQUESTS.into_iter().filter(|signal| !is_silenced(*signal)).collect();
        // SAFETY: all zeros are a valid set, which the next calls fill in.
        let mut set: libc::sigset_t = unsafe { mem::zeroed() };
        // SAFETY: the set is valid and outlives these calls.
        unsafe {
            libc::sigemptyset(&mut set);
            for &signal in &requests {
                libc::sigaddset(&mut set, signal);
            }
            // If blocking fails, the system ends the program at once, which is as quick.
            if libc::pthread_sigmask(libc::SIG_BLOCK, &set, ptr::null_mut()) != 0 {
                return;
            }
            // Shells start programs in the background with some of the signals ignored, and ignored signals
            // would never arrive.
            for signal in requests {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        std::thread::spawn(move || {
            let mut signal = 0;
            // SAFETY: the set was made above, and the call writes to the number.
            while unsafe { libc::sigwait(&set, &mut signal) } == 0 {
                act(signal as u8);
            }
        });
    }

    pub fn let_large_files_fail() {
        // SAFETY: ignoring a signal changes nothing else.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }

    /// Whether the signal is the end of the terminal under `nohup`, which asks the program to go on.
    fn is_silenced(signal: libc::c_int) -> bool {
        // SAFETY: all zeros are a valid action, and asking for the present one changes nothing.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        let is_known = unsafe { libc::sigaction(signal, ptr::null(), &mut action) } == 0;
        signal == libc::SIGHUP && is_known && action.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(windows)]
mod system {
    use std::sync::OnceLock;

    static ACT: OnceLock<fn(u8)> = OnceLock::new();

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn SetConsoleCtrlHandler(handler: Option<unsafe extern "system" fn(u32) -> i32>, add: i32) -> i32;
    }

    /// Sets the handler, which Windows calls on a separate thread.
    pub fn on_interrupt(act: fn(u8)) {
        let _ = ACT.set(act);
        // SAFETY: the handler lives as long as the program. If it cannot be set, Windows ends the program at
        // once.
        unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
    }

    /// Does nothing, because such writes fail on this system anyway.
    pub fn let_large_files_fail() {}

    unsafe extern "system" fn handle(_: u32) -> i32 {
        if let Some(act) = ACT.get() {
            act(super::INTERRUPT);
        }
        1
    }
}
