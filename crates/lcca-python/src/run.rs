//! Work that takes long: on a pool of its own, with the interpreter free, stopped by Ctrl-C within a second.
//!
//! The work runs on the pool's threads and sends what happens to the calling thread, which alone talks to Python. Signals
//! reach Python's main thread only, so it looks for them while it waits. Work that is asked to stop ends after its current
//! pass. Where that takes longer than half a second it is left to end by itself; what it reads is kept alive until then.

use crate::failure::Failure;
use lcca::data::Cost;
use lcca::fit::{TraceRow, Watch};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long a signal may go unnoticed.
const POLL: Duration = Duration::from_millis(50);
/// How long work that is asked to stop is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

enum Event<T> {
    Pass(f64),
    Iteration(TraceRow),
    Done(Result<T, Failure>),
}

/// The Python functions that want to know what happens, as far as there are any.
#[derive(Default)]
pub struct Listeners<'py> {
    /// Called with the passes so far.
    pub on_pass: Option<Bound<'py, PyAny>>,
    /// Called with every row of the trace.
    pub on_iteration: Option<Bound<'py, PyAny>>,
}

/// What the work reports to.
pub struct Reporter<T> {
    sender: Sender<Event<T>>,
    stop: Arc<AtomicBool>,
    passes_are_wanted: bool,
    start: Instant,
}

/// Runs `work` on `threads` threads and waits for it, with nobody told how it goes.
pub fn quietly<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run(py, threads, &Listeners::default(), |_| work())
}

/// Runs `work` on `threads` threads and waits for it. An exception of a listener, or of a signal, stops it.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    listeners: &Listeners<'_>,
    work: impl FnOnce(&Reporter<T>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let (sender, mut events) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let passes_are_wanted = listeners.on_pass.is_some();
    let reporter = Reporter { sender, stop: stop.clone(), passes_are_wanted, start: Instant::now() };
    pool.spawn(move || {
        // Everything the work held is gone before it counts as done.
        let done = catch_unwind(AssertUnwindSafe(|| work(&reporter)));
        let done = done.unwrap_or_else(|panic| Err(bug(panic.as_ref())));
        // Nobody listens any more where the work was given up.
        let _ = reporter.sender.send(Event::Done(done));
    });
    wait(py, &mut events, listeners).inspect_err(|_| {
        stop.store(true, Relaxed);
        py.detach(|| drain(&mut events));
    })
}

/// Until the work is done; an error where somebody wants it stopped.
fn wait<T: Send>(py: Python<'_>, events: &mut Receiver<Event<T>>, listeners: &Listeners<'_>) -> PyResult<T> {
    loop {
        match py.detach(|| next(events, POLL)) {
            Ok(Event::Done(done)) => return Ok(done?),
            Ok(event) => listeners.hear(py, &event)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Machine("the work ended without a result".into()).into());
            }
        }
        py.check_signals()?;
    }
}

/// The next event. A receiver is for one thread at a time, so it is borrowed by that one.
fn next<T>(events: &mut Receiver<Event<T>>, patience: Duration) -> Result<Event<T>, RecvTimeoutError> {
    events.recv_timeout(patience)
}

/// Waits for work that was asked to stop, but not for ever.
fn drain<T>(events: &mut Receiver<Event<T>>) {
    let end = Instant::now() + PATIENCE;
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        match next(events, left) {
            Ok(Event::Done(_)) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let made = ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    made.map_err(|error| Failure::Machine(format!("{threads} threads could not be started: {error}")))
}

fn bug(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Failure::Machine(format!("a bug in lcca, please report it: {text}"))
}

impl Listeners<'_> {
    fn hear<T>(&self, py: Python<'_>, event: &Event<T>) -> PyResult<()> {
        match (event, &self.on_pass, &self.on_iteration) {
            (Event::Pass(passes), Some(listener), _) => listener.call1((*passes,)).map(drop),
            (Event::Iteration(row), _, Some(listener)) => listener.call1((row_dict(py, row)?,)).map(drop),
            _ => Ok(()),
        }
    }
}

impl<T: Send> Watch for Reporter<T> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        if self.passes_are_wanted {
            let _ = self.sender.send(Event::Pass(cost.passes + cost.gram_passes));
        }
        if self.stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&self, row: &TraceRow) {
        let _ = self.sender.send(Event::Iteration(*row));
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// A row of the trace, as Python sees it.
pub fn row_dict<'py>(py: Python<'py>, row: &TraceRow) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("iteration", row.iteration)?;
    dict.set_item("passes", row.passes)?;
    dict.set_item("gram_passes", row.gram_passes)?;
    dict.set_item("work", row.work)?;
    dict.set_item("total", row.total)?;
    dict.set_item("seconds", row.seconds)?;
    Ok(dict)
}
