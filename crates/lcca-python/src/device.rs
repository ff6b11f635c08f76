//! Places fits on the processors or on a GPU.

use crate::failure::Failure;
use crate::run::Reporter;
use lcca::data::{InMemory, Pair};
use lcca::method::Settings;
use lcca::outcome::Decision;
use lcca::space::Space;
use lcca_cuda::{DeviceChoice, Placement, runs_there};
use pyo3::prelude::*;

/// A device as Python names it, and the GPU memory that may be used.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Device {
    device: String,
    device_memory: Option<u64>,
}

impl Device {
    fn choice(&self) -> Result<DeviceChoice, Failure> {
        let name = &self.device;
        name.parse().map_err(|_: &str| {
            Failure::Usage(format!(
                "device == {name:?}, expected \"cpu\", \"cuda\", \"cuda:N\" for the N-th GPU from 0, or \
                 \"auto\""
            ))
        })
    }

    /// Opens the GPU that the caller insists on, if any.
    pub fn open(&self, settings: &Settings) -> Result<Placement, Failure> {
        let (name, choice) = (&self.device, self.choice()?);
        if matches!(choice, DeviceChoice::Cuda(_)) && !runs_there(settings) {
            let method = settings.method.name();
            let message = format!(
                "method {method:?} runs on the CPU only: device={name:?} goes with \"auto\", \"lobpcg\" and \
                 \"shift-invert\""
            );
            return Err(Failure::Usage(message));
        }
        self.open_any(choice)
    }

    fn open_any(&self, choice: DeviceChoice) -> Result<Placement, Failure> {
        let name = &self.device;
        Placement::new(choice, self.device_memory).map_err(|error| {
            Failure::Machine(format!("device={name:?}: {error}; device=\"auto\" goes on without a GPU"))
        })
    }

    /// Decides where to compute, moves the rows there, and computes. If a GPU fails that the caller did not
    /// insist on, computes everything again on the CPU. Returns the result, the rows and their placement.
    pub fn compute<T, R>(
        &self,
        pair: InMemory,
        settings: &Settings,
        reporter: &Reporter<R>,
        mut compute: impl FnMut(&InMemory) -> Result<T, Failure>,
    ) -> Result<(T, InMemory, Placement), Failure> {
        let mut placement = self.open(settings)?;
        placement.decide(&pair, settings)?;
        let mut pair = placement.place(pair);
        loop {
            match compute(&pair) {
                Ok(result) => return Ok((result, pair, placement)),
                Err(failure) if gives_up(&mut placement, &failure, reporter) => pair = placement.place(pair),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Decides where to compute on rows of any kind, and computes. If a GPU fails that the caller did not
    /// insist on, computes everything again on the CPU.
    pub fn compute_any<T, R>(
        &self,
        pair: &dyn Pair,
        settings: &Settings,
        reporter: &Reporter<R>,
        mut compute: impl FnMut(&dyn Pair) -> Result<T, Failure>,
    ) -> Result<(T, Placement), Failure> {
        let mut placement = self.open(settings)?;
        placement.decide(pair, settings)?;
        loop {
            match compute(&*placement.on(pair)) {
                Ok(result) => return Ok((result, placement)),
                Err(failure) if gives_up(&mut placement, &failure, reporter) => {}
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Decides where to run a permutation test of the given numbers of rows, pairs and orders, and runs it.
    /// If a GPU fails that the caller did not insist on, runs the test again on the CPU. Also returns the
    /// decision, if there was one to make.
    pub fn test<T, R>(
        &self,
        [rows, pairs, orders]: [usize; 3],
        reporter: &Reporter<R>,
        mut test: impl FnMut(&dyn Space) -> Result<T, Failure>,
    ) -> Result<(T, Option<Decision>), Failure> {
        let mut placement = self.open_any(self.choice()?)?;
        placement.decide_test(rows, pairs, orders);
        loop {
            match test(placement.space()) {
                Ok(result) => return Ok((result, placement.decision())),
                Err(failure) if gives_up(&mut placement, &failure, reporter) => {}
                Err(failure) => return Err(failure),
            }
        }
    }
}

fn gives_up<R>(placement: &mut Placement, failure: &Failure, reporter: &Reporter<R>) -> bool {
    let Failure::Data(error) = failure else { return false };
    let given_up = placement.gives_up(error);
    if given_up {
        reporter.warn(format!("{error}: going on with the CPU"));
    }
    given_up
}

/// The names of the GPUs that can be used, and why there are none.
#[pyfunction]
pub fn cuda_devices(py: Python<'_>) -> (Vec<String>, Option<String>) {
    match py.detach(lcca_cuda::available) {
        Ok(names) => (names, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    }
}
