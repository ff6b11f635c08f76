//! Runs long computations on a thread pool, with the interpreter free. Ctrl-C stops them within a second.
//!
//! The work runs on the pool's threads and sends events to the calling thread, which alone talks to Python.
//! That thread checks for signals while it waits, because Python delivers them to its main thread only.
//! Work that is asked to stop ends after its current pass. If that takes longer than half a second, we
//! leave the work to end by itself; the data that it reads stay alive until then. If the work has a state
//! to save, we wait for it until another signal arrives.

use crate::failure::Failure;
use crate::pool;
use lcca::data::Cost;
use lcca::fit::{FoldScores, TraceRow, Watch};
use lcca::matrix::Unreadable;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a signal may go unnoticed.
const POLL: Duration = Duration::from_millis(50);
/// How long to wait for work that was asked to stop.
const PATIENCE: Duration = Duration::from_millis(500);

/// Bytes moved between machines so far, and seconds spent waiting for them.
pub type Spent = (u64, f64);

enum Event<T> {
    Pass(f64),
    Iteration(TraceRow, Option<Spent>),
    Fold(FoldScores),
    Warning(String),
    Done(Result<T, Failure>),
}

/// Python functions that follow the progress of the work. Each of them is optional.
#[derive(Default)]
pub struct Listeners<'py> {
    /// Called with the number of passes so far.
    pub on_pass: Option<Bound<'py, PyAny>>,
    /// Called with each row of the trace.
    pub on_iteration: Option<Bound<'py, PyAny>>,
    /// Called with the scores of each fold of a cross-validation, and whether its fits converged.
    pub on_fold: Option<Bound<'py, PyAny>>,
    /// Whether work that is asked to stop has to save a state.
    pub saves: bool,
    /// Returns the cost of moving data between machines so far. The work itself calls it after every
    /// iteration.
    pub meter: Option<Py<PyAny>>,
}

/// The sending end of the channel from the work to the calling thread.
pub struct Reporter<T> {
    sender: Sender<Event<T>>,
    stop: Arc<AtomicBool>,
    reports_passes: bool,
    meter: Option<Py<PyAny>>,
    readings: Mutex<Vec<Spent>>,
    start: Instant,
}

/// Runs `work` on new threads and waits for the result, without listeners.
pub fn compute<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    compute_on(py, &pool::start(threads)?, work)
}

/// Runs `work` on the threads of a pool that outlives the call and waits for the result, without listeners.
pub fn compute_on<T: Send + 'static>(
    py: Python<'_>,
    pool: &ThreadPool,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run_on(py, pool, &Listeners::default(), |_| work())
}

/// Runs `work` on new threads and waits for the result. An exception raised by a listener or a signal stops
/// it.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    listeners: &Listeners<'_>,
    work: impl FnOnce(&Reporter<T>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run_on(py, &pool::start(threads)?, listeners, work)
}

fn run_on<T: Send + 'static>(
    py: Python<'_>,
    pool: &ThreadPool,
    listeners: &Listeners<'_>,
    work: impl FnOnce(&Reporter<T>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut events) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let reporter = Reporter {
        sender,
        stop: stop.clone(),
        reports_passes: listeners.on_pass.is_some(),
        meter: listeners.meter.as_ref().map(|meter| meter.clone_ref(py)),
        readings: Mutex::default(),
        start: Instant::now(),
    };
    pool.spawn(move || {
        // `work` consumes everything that it captured, so its memory is free before the result is sent.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&reporter)));
        let outcome = outcome.unwrap_or_else(|panic| Err(bug(panic.as_ref())));
        // If the caller stopped waiting, there is no receiver, and that is fine.
        let _ = reporter.sender.send(Event::Done(outcome));
    });
    wait(py, &mut events, listeners).inspect_err(|_| {
        stop.store(true, Relaxed);
        wait_for_stop(py, &mut events, listeners.saves);
    })
}

/// Waits until the work is done. Fails if a listener or a signal handler raised an exception.
fn wait<T: Send>(py: Python<'_>, events: &mut Receiver<Event<T>>, listeners: &Listeners<'_>) -> PyResult<T> {
    loop {
        match py.detach(|| next_event(events)) {
            Ok(Event::Done(outcome)) => return Ok(outcome?),
            Ok(event) => listeners.notify(py, &event)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Machine("the work ended without a result".into()).into());
            }
        }
        py.check_signals()?;
    }
}

/// The next event, or a timeout that lets the caller check for signals. The borrow is exclusive because a
/// receiver is not `Sync`.
fn next_event<T>(events: &mut Receiver<Event<T>>) -> Result<Event<T>, RecvTimeoutError> {
    events.recv_timeout(POLL)
}

/// Waits for work that was asked to stop: for a limited time, or until the next signal if the work saves its
/// state.
fn wait_for_stop<T: Send>(py: Python<'_>, events: &mut Receiver<Event<T>>, saves: bool) {
    let end = Instant::now() + PATIENCE;
    while saves || Instant::now() < end {
        match py.detach(|| next_event(events)) {
            Ok(Event::Done(_)) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if py.check_signals().is_err() => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn bug(panic: &(dyn std::any::Any + Send)) -> Failure {
    if let Some(Unreadable(reason)) = panic.downcast_ref() {
        return Failure::Machine(reason.clone());
    }
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Failure::Machine(format!("a bug in lcca, please report it: {text}"))
}

impl Listeners<'_> {
    fn notify<T>(&self, py: Python<'_>, event: &Event<T>) -> PyResult<()> {
        match (event, &self.on_pass, &self.on_iteration) {
            (Event::Pass(passes), Some(listener), _) => listener.call1((*passes,)).map(drop),
            (Event::Iteration(row, spent), _, Some(listener)) => {
                listener.call1((row_dict(py, row, *spent)?,)).map(drop)
            }
            (Event::Fold(fold), ..) => match &self.on_fold {
                Some(listener) => listener.call1((fold.scores.clone(), fold.converged)).map(drop),
                None => Ok(()),
            },
            (Event::Warning(text), ..) => warn(py, text),
            _ => Ok(()),
        }
    }
}

/// Issues a Python warning of the package's own category.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    py.import("lcca._notes")?.call_method1("warn", (text,)).map(drop)
}

impl<T> Reporter<T> {
    /// Whether the work was asked to stop.
    pub fn stop_requested(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The meter's readings, one per iteration.
    pub fn readings(&self) -> Vec<Spent> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the meter. A meter that fails loses a reading and does not stop the fit.
    fn read_meter(&self) -> Option<Spent> {
        let meter = self.meter.as_ref()?;
        let spent = Python::attach(|py| meter.call0(py).and_then(|spent| spent.extract(py))).ok()?;
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).push(spent);
        Some(spent)
    }

    /// Makes the calling thread tell its listener about a finished fold.
    pub fn fold(&self, fold: &FoldScores) {
        let _ = self.sender.send(Event::Fold(fold.clone()));
    }

    /// Makes the calling thread issue a Python warning.
    pub fn warn(&self, text: String) {
        let _ = self.sender.send(Event::Warning(text));
    }
}

impl<T: Send> Watch for Reporter<T> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        if self.reports_passes {
            let _ = self.sender.send(Event::Pass(cost.passes + cost.gram_passes));
        }
        if self.stop_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&self, row: &TraceRow) {
        let _ = self.sender.send(Event::Iteration(*row, self.read_meter()));
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// A row of the trace as a dictionary.
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
