//! Requests of the system to stop: Ctrl-C, the end of a terminal or of a session, `kill`.

/// The number of the signal that Ctrl-C sends.
pub const INTERRUPT: u8 = 2;

/// Calls `act` with the number of the signal for every such request from now on, on a thread of its own. To
/// be called before other threads are started.
pub fn on_interrupt(act: fn(u8)) {
    system::on_interrupt(act);
}

/// Lets a write that makes a file larger than is allowed (`ulimit -f`) fail like any other, instead of ending
/// the program.
pub fn let_large_files_fail() {
    system::let_large_files_fail();
}

#[cfg(unix)]
mod system {
    use std::{mem, ptr};

    const REQUESTS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

    /// The requests are held back from all threads, which inherit that from this one, and one thread waits
    /// for them. Unlike in a signal handler, `act` may then do anything.
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
            // If that fails, the system ends the program at once, which is as quick.
            if libc::pthread_sigmask(libc::SIG_BLOCK, &set, ptr::null_mut()) != 0 {
                return;
            }
            // Shells start programs in the background with some of them ignored, and then they would never
            // arrive.
            for signal in requests {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        std::thread::spawn(move || {
            let mut signal = 0;
            // SAFETY: the set was made above and the number is written to.
            while unsafe { libc::sigwait(&set, &mut signal) } == 0 {
                act(signal as u8);
            }
        });
    }

    pub fn let_large_files_fail() {
        // SAFETY: ignoring a signal changes nothing else.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }

    /// Under `nohup` the end of the terminal is nothing to act on.
    fn is_silenced(signal: libc::c_int) -> bool {
        // SAFETY: all zeros are a valid action, and nothing is changed by asking for the present one.
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

    /// Windows calls the handler on a thread of its own.
    pub fn on_interrupt(act: fn(u8)) {
        let _ = ACT.set(act);
        // SAFETY: the handler lives as long as the program. If it cannot be set, Windows ends the program at
        // once.
        unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
    }

    /// Writes just fail here.
    pub fn let_large_files_fail() {}

    unsafe extern "system" fn handle(_: u32) -> i32 {
        if let Some(act) = ACT.get() {
            act(super::INTERRUPT);
        }
        1
    }
}
