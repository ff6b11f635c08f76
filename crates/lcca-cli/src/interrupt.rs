//! Handles Ctrl-C and other requests to terminate.
//!
//! By default the program ends at once and leaves no unfinished files behind. A fit that saves its state
//! finishes its current pass after the first interruption, and a second interruption ends it at once.

use crate::output::remark;
use crate::signals;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};

/// The base of the conventional exit code of a program that a signal ends. The number of the signal is
/// added: 130 after Ctrl-C, 143 after `kill`, 129 after the end of the terminal.
const BY_SIGNAL: u8 = 128;

static STATE_IS_SAVABLE: AtomicBool = AtomicBool::new(false);
static RESULTS_ARE_WRITTEN: AtomicBool = AtomicBool::new(false);
static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);
/// The latest signal.
static SIGNAL: AtomicU8 = AtomicU8::new(signals::INTERRUPT);

/// Installs the handler for the rest of the run.
pub fn install_handler() {
    signals::on_interrupt(interrupted);
}

fn interrupted(signal: u8) {
    SIGNAL.store(signal, SeqCst);
    let state_is_savable = STATE_IS_SAVABLE.load(SeqCst);
    if state_is_savable && !STOP_REQUESTED.swap(true, SeqCst) {
        if std::io::stderr().is_terminal() {
            remark!("stopping after this pass; Ctrl-C again stops at once");
        }
        return;
    }
    lcca_io::remove_unfinished();
    let nothing_written = !state_is_savable && !RESULTS_ARE_WRITTEN.load(SeqCst);
    remark!("interrupted{}", if nothing_written { ", nothing was written" } else { "" });
    std::process::exit(exit_code().into());
}

/// The exit code of a program that was asked to stop.
pub fn exit_code() -> u8 {
    BY_SIGNAL + SIGNAL.load(SeqCst)
}

/// Sets whether there is a state worth saving. If there is, the first interruption waits for the end of the
/// pass.
pub fn set_state_is_savable(savable: bool) {
    STATE_IS_SAVABLE.store(savable, SeqCst);
}

/// Sets whether results are written already, because an interruption must not claim otherwise.
pub fn set_results_are_written(written: bool) {
    RESULTS_ARE_WRITTEN.store(written, SeqCst);
}

/// Whether the first interruption has asked the fit to stop.
pub fn stop_requested() -> bool {
    STOP_REQUESTED.load(SeqCst)
}
