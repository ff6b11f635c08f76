//! Ctrl-C, and being asked to end in other ways.
//!
//! As a rule the program ends at once and leaves nothing half-written. A fit that saves its state is let finish its
//! current pass instead, the first time; the second time it ends at once as well.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// The exit code of an interrupted program, by custom.
pub const CODE: u8 = 130;

static GENTLE: AtomicBool = AtomicBool::new(false);
static WRITTEN: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on nobody waits for the current pass, and nothing half-written stays behind.
pub fn handle() {
    // Where no handler can be set, the system's own ends the program as quickly.
    let _ = ctrlc::set_handler(|| {
        let gentle = GENTLE.load(SeqCst);
        if gentle && !ASKED.swap(true, SeqCst) {
            if std::io::stderr().is_terminal() {
                eprintln!("lcca: stopping after this pass; Ctrl-C again stops at once");
            }
            return;
        }
        lcca_io::remove_unfinished();
        let nothing = !gentle && !WRITTEN.load(SeqCst);
        eprintln!("lcca: interrupted{}", if nothing { ", nothing was written" } else { "" });
        std::process::exit(CODE.into());
    });
}

/// Whether there is a state worth saving, so that the first interruption waits for the pass.
pub fn be_gentle(gentle: bool) {
    GENTLE.store(gentle, SeqCst);
}

/// Whether there are results already, so that nobody is told otherwise.
pub fn something_was_written(written: bool) {
    WRITTEN.store(written, SeqCst);
}

/// Whether the fit was asked to end.
pub fn asked() -> bool {
    ASKED.load(SeqCst)
}
