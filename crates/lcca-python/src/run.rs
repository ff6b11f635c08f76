//! Work that takes long: on a pool of its own, with the interpreter free, stopped by Ctrl-C within a second.
//!
//! The work runs on the pool's threads and sends what happens to the calling thread, which alone talks to Python. Signals
//! reach Python's main thread only, so it looks for them while it waits. Work that is asked to stop ends after its current
//! pass. Where that takes longer than half a second it is left to end by itself; what it reads is kept alive until then.
//! Work that has something to save is waited for, until another signal comes.

use crate::failure::Failure;
use lcca::data::Cost;
use lcca::fit::{TraceRow, Watch};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ffi::CString;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a signal may go unnoticed.
const POLL: Duration = Duration::from_millis(50);
/// How long work that is asked to stop is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// Bytes that were moved between machines, and seconds spent waiting for that, so far.
pub type Spent = (u64, f64);

enum Event<T> {
    Pass(f64),
    Iteration(TraceRow, Option<Spent>),
    Warning(String),
    Done(Result<T, Failure>),
}

/// The Python functions that want to know what happens, as far as there are any.
#[derive(Default)]
pub struct Listeners<'py> {
    /// Called with the passes so far.
    pub on_pass: Option<Bound<'py, PyAny>>,
    /// Called with every row of the trace.
    pub on_iteration: Option<Bound<'py, PyAny>>,
    /// Whether work that is asked to stop has something to save.
    pub saves: bool,
    /// Tells what was spent on moving things between machines; asked by the work itself after every iteration.
    pub meter: Option<Py<PyAny>>,
}

/// What the work reports to.
pub struct Reporter<T> {
    sender: Sender<Event<T>>,
    stop: Arc<AtomicBool>,
    passes_are_wanted: bool,
    meter: Option<Py<PyAny>>,
    readings: Mutex<Vec<Spent>>,
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
    let reporter = Reporter {
        sender,
        stop: stop.clone(),
        passes_are_wanted,
        meter: listeners.meter.as_ref().map(|meter| meter.clone_ref(py)),
        readings: Mutex::default(),
        start: Instant::now(),
    };
    pool.spawn(move || {
        // Everything the work held is gone before it counts as done.
        let done = catch_unwind(AssertUnwindSafe(|| work(&reporter)));
        let done = done.unwrap_or_else(|panic| Err(bug(panic.as_ref())));
        // Nobody listens any more where the work was given up.
        let _ = reporter.sender.send(Event::Done(done));
    });
    wait(py, &mut events, listeners).inspect_err(|_| {
        stop.store(true, Relaxed);
        drain(py, &mut events, listeners.saves);
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

/// Waits for work that was asked to stop, but not for ever, or until nobody wants to wait any longer.
fn drain<T: Send>(py: Python<'_>, events: &mut Receiver<Event<T>>, saves: bool) {
    let end = Instant::now() + PATIENCE;
    while saves || Instant::now() < end {
        match py.detach(|| next(events, POLL)) {
            Ok(Event::Done(_)) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if py.check_signals().is_err() => return,
            Err(RecvTimeoutError::Timeout) => {}
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
            (Event::Iteration(row, spent), _, Some(listener)) => {
                listener.call1((row_dict(py, row, *spent)?,)).map(drop)
            }
            (Event::Warning(text), ..) => warn(py, text),
            _ => Ok(()),
        }
    }
}

/// Python's warning.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(text.replace('\0', " ")).map_err(|error| Failure::Machine(error.to_string()))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

impl<T> Reporter<T> {
    /// Whether the work was asked to stop.
    pub fn stops(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// What was spent after each iteration.
    pub fn readings(&self) -> Vec<Spent> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a meter that does not work says is not worth a fit.
    fn read_meter(&self) -> Option<Spent> {
        let meter = self.meter.as_ref()?;
        let spent = Python::attach(|py| meter.call0(py).and_then(|spent| spent.extract(py))).ok()?;
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).push(spent);
        Some(spent)
    }

    /// Becomes a warning of Python's.
    pub fn warn(&self, text: String) {
        let _ = self.sender.send(Event::Warning(text));
    }
}

impl<T: Send> Watch for Reporter<T> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        if self.passes_are_wanted {
            let _ = self.sender.send(Event::Pass(cost.passes + cost.gram_passes));
        }
        if self.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&self, row: &TraceRow) {
        let _ = self.sender.send(Event::Iteration(*row, self.read_meter()));
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// A row of the trace, as Python sees it.
pub fn row_dict<'py>(py: Python<'py>, row: &TraceRow, spent: Option<Spent>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("iteration", row.iteration)?;
    dict.set_item("passes", row.passes)?;
    dict.set_item("gram_passes", row.gram_passes)?;
    dict.set_item("work", row.work)?;
    dict.set_item("total", row.total)?;
    dict.set_item("missing", row.missing)?;
    dict.set_item("seconds", row.seconds)?;
    if let Some((bytes, seconds)) = spent {
        dict.set_item("moved", bytes)?;
        dict.set_item("waiting", seconds)?;
    }
    Ok(dict)
}
