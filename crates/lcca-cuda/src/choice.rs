//! Decides on which device a fit or a permutation test runs.
//!
//! `cuda` insists on a GPU, and fails without one. `auto` takes the first GPU if a view already lies there,
//! or if the GPU can take over enough work to pay for moving there. It goes on without the GPU if there is
//! none or if it fails. The fit reports the outcome as a decision.

use crate::dense::array::DeviceArray;
use crate::error::CudaError;
use crate::space::Cuda;
use lcca::data::{InMemory, Pair, Side};
use lcca::fit::{Fit, operations_elsewhere};
use lcca::method::{Algorithm, Settings};
use lcca::outcome::{Decision, WithoutGpu};
use lcca::space::{Host, Placed, Space, place};
use std::str::FromStr;
use std::sync::Arc;

/// The least number of estimated operations for which `auto` uses a GPU. With fewer, starting a GPU takes
/// longer than the fit or the test.
const WORTHWHILE: f64 = 1e10;

/// The device on which a fit is asked to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// On the processors of this machine.
    #[default]
    Cpu,
    /// On the GPU with this number, from 0.
    Cuda(u32),
    /// On the first GPU if there is one and it pays.
    Auto,
}

/// The choices that a user can type, for error messages.
pub const EXPECTED: &str = "cpu, cuda, cuda:N for the N-th GPU from 0, or auto";

impl FromStr for DeviceChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "cpu" => Ok(DeviceChoice::Cpu),
            "cuda" => Ok(DeviceChoice::Cuda(0)),
            "auto" => Ok(DeviceChoice::Auto),
            // `parse` accepts a plus sign, but the number of a GPU has none.
            other => match other.strip_prefix("cuda:").filter(|number| !number.starts_with('+')) {
                Some(number) => number.parse().map(DeviceChoice::Cuda).map_err(|_| EXPECTED),
                None => Err(EXPECTED),
            },
        }
    }
}

/// The device on which a fit runs.
pub struct Placement {
    choice: DeviceChoice,
    /// The most bytes of a GPU's memory that may be taken; `None` stands for the free memory.
    memory: Option<u64>,
    cuda: Option<Arc<Cuda>>,
    /// The reason why there is no GPU, if `auto` could have used one.
    without: Option<WithoutGpu>,
}

impl Placement {
    /// Opens the GPU if the choice insists on one. For `auto`, [`Placement::decide`] decides.
    pub fn new(choice: DeviceChoice, memory: Option<u64>) -> Result<Self, CudaError> {
        let cuda = match choice {
            DeviceChoice::Cuda(ordinal) => Some(crate::open(ordinal, memory)?),
            DeviceChoice::Cpu | DeviceChoice::Auto => None,
        };
        Ok(Placement { choice, memory, cuda, without: None })
    }

    /// Decides whether `auto` uses a GPU for these rows and settings.
    pub fn decide(&mut self, pair: &dyn Pair, settings: &Settings) -> lcca::Result<()> {
        self.decide_from(WORTHWHILE, pair, settings)
    }

    /// Decides whether `auto` uses a GPU, which takes at least `least` operations.
    fn decide_from(&mut self, least: f64, pair: &dyn Pair, settings: &Settings) -> lcca::Result<()> {
        if self.choice != DeviceChoice::Auto {
            return Ok(());
        }
        let operations = operations_elsewhere(pair, settings)?;
        // Rows that already lie on the GPU need not be moved.
        let least = if lies_on(0, pair) { 0.0 } else { least };
        self.without = match operations {
            None => Some(WithoutGpu::NothingToCompute),
            Some(operations) => self.open_for(operations, least),
        };
        Ok(())
    }

    /// Decides whether `auto` uses a GPU for a permutation test of `pairs` pairs of canonical variables
    /// with `orders` orders of `rows` rows.
    pub fn decide_test(&mut self, rows: usize, pairs: usize, orders: usize) {
        if self.choice == DeviceChoice::Auto {
            // One product and one sum for each number.
            let operations = 2.0 * rows as f64 * pairs as f64 * orders as f64;
            self.without = self.open_for(operations, WORTHWHILE);
        }
    }

    /// Opens the first GPU if there are at least `least` operations to do. Returns the reason if it does
    /// not.
    fn open_for(&mut self, operations: f64, least: f64) -> Option<WithoutGpu> {
        if operations < least {
            return Some(WithoutGpu::TooLittle { operations, least });
        }
        match crate::open(0, self.memory) {
            Ok(cuda) => {
                self.cuda = Some(cuda);
                None
            }
            Err(error) => Some(WithoutGpu::Unavailable { message: error.to_string() }),
        }
    }

    /// The space that was decided on: a GPU or the host.
    pub fn space(&self) -> &dyn Space {
        match &self.cuda {
            Some(cuda) => &**cuda,
            None => &Host,
        }
    }

    /// Places rows on the device that was decided on. Fits to them, or to some of them, run there.
    pub fn place(&self, pair: InMemory) -> InMemory {
        match &self.cuda {
            Some(cuda) => place(pair, cuda.clone()),
            None => pair.placed(None),
        }
    }

    /// Places a pair of any kind on the device that was decided on. Fits to it run there.
    pub fn on<'p>(&self, pair: &'p dyn Pair) -> Box<dyn Pair + Send + 'p> {
        match &self.cuda {
            Some(cuda) => Box::new(Placed::new(pair, cuda.clone())),
            None => Box::new(Placed::new(pair, Arc::new(Host))),
        }
    }

    /// Gives up the GPU if an error is its failure and the choice was `auto`. Returns whether it did,
    /// because the caller can then start the fit again.
    pub fn gives_up(&mut self, error: &lcca::Error) -> bool {
        let lcca::Error::External(inner) = error else { return false };
        let Some(failure) = inner.downcast_ref::<CudaError>() else { return false };
        if self.choice != DeviceChoice::Auto || self.cuda.is_none() {
            return false;
        }
        (self.cuda, self.without) = (None, Some(WithoutGpu::Failed { message: failure.to_string() }));
        true
    }

    /// Adds to a fit's decisions where it ran, if the choice allowed a GPU.
    pub fn add_to(&self, fit: &mut Fit) {
        fit.decisions.extend(self.decision());
    }

    /// Returns where fits ran as a decision; `None` if the choice allowed no GPU.
    pub fn decision(&self) -> Option<Decision> {
        let reason = match (&self.cuda, &self.without) {
            (Some(cuda), _) if cuda.was_used() => {
                let (name, ordinal) = (cuda.device().name().to_string(), cuda.device().ordinal());
                return Some(Decision::RanOnGpu { name, ordinal });
            }
            (Some(_), _) => WithoutGpu::NothingToCompute,
            (None, Some(reason)) => reason.clone(),
            (None, None) => return None,
        };
        Some(Decision::RanWithoutGpu { reason })
    }
}

/// Whether any view lies in the memory of the GPU with this number.
fn lies_on(ordinal: u32, pair: &dyn Pair) -> bool {
    let rows = pair.composition().and_then(|composition| composition.home.downcast_ref::<InMemory>());
    rows.is_some_and(|rows| {
        Side::BOTH.iter().any(|&side| DeviceArray::of_view(rows.view(side)) == Some(ordinal))
    })
}

/// Whether the method that the user chose can run on a GPU at all.
pub fn runs_there(settings: &Settings) -> bool {
    let own = settings.method.algorithm();
    matches!(own, Algorithm::Auto | Algorithm::Gram | Algorithm::Lobpcg | Algorithm::ShiftInvert)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::matrix::OneHotRows;
    use lcca::method::Method;

    fn pair() -> InMemory {
        let view = |cols: u32| {
            let columns: Vec<u32> = (0..90u32).map(|row| row * row % cols).collect();
            OneHotRows::new(cols as usize, columns.into()).unwrap().into()
        };
        InMemory::new(view(7), view(5)).unwrap()
    }

    #[test]
    fn devices_have_names() {
        let known = [
            ("cpu", DeviceChoice::Cpu),
            ("cuda", DeviceChoice::Cuda(0)),
            ("cuda:3", DeviceChoice::Cuda(3)),
            ("auto", DeviceChoice::Auto),
        ];
        for (name, choice) in known {
            assert_eq!(name.parse(), Ok(choice));
        }
        for other in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:+1", "cuda:99999999999", "CPU"] {
            assert_eq!(other.parse::<DeviceChoice>(), Err(EXPECTED), "{other}");
        }
    }

    #[test]
    fn a_fit_says_why_it_ran_without_a_gpu() {
        let decided = |method: Method| {
            let (pair, settings) = (pair(), Settings::new(method, 2));
            let mut placement = Placement::new(DeviceChoice::Auto, None).unwrap();
            placement.decide(&pair, &settings).unwrap();
            let pair = placement.place(pair);
            let mut fit = lcca::fit::fit(&pair, &settings, &()).unwrap();
            placement.add_to(&mut fit);
            fit.decisions.pop()
        };
        let without = |reason| Some(Decision::RanWithoutGpu { reason });
        assert_eq!(decided(Method::auto()), without(WithoutGpu::NothingToCompute));
        assert!(matches!(
            decided(Method::lobpcg()),
            Some(Decision::RanWithoutGpu { reason: WithoutGpu::TooLittle { .. } })
        ));
        // If no fit is too small, the decision depends on the machine.
        let (pair, settings) = (pair(), Settings::new(Method::lobpcg(), 2));
        let mut auto = Placement::new(DeviceChoice::Auto, None).unwrap();
        auto.decide_from(0.0, &pair, &settings).unwrap();
        let mut fit = lcca::fit::fit(&*auto.on(&pair), &settings, &()).unwrap();
        match (crate::available(), auto.decision()) {
            (Ok(names), Some(Decision::RanOnGpu { name, ordinal: 0 })) => assert_eq!(name, names[0]),
            (Err(error), found) => {
                assert_eq!(found, without(WithoutGpu::Unavailable { message: error.to_string() }));
            }
            (Ok(_), found) => unreachable!("{found:?}"),
        }
        let before = fit.decisions.clone();
        Placement::new(DeviceChoice::Cpu, None).unwrap().add_to(&mut fit);
        assert_eq!(fit.decisions, before);
    }

    #[test]
    fn a_test_says_why_it_ran_without_a_gpu() {
        let decided = |choice, rows| {
            let mut placement = Placement::new(choice, None).unwrap();
            placement.decide_test(rows, 20, 999);
            assert_eq!(placement.space().is_remote(), placement.cuda.is_some());
            placement.decision()
        };
        assert_eq!(decided(DeviceChoice::Cpu, 1_000_000), None);
        let Some(Decision::RanWithoutGpu { reason: WithoutGpu::TooLittle { operations, least } }) =
            decided(DeviceChoice::Auto, 1000)
        else {
            panic!("a small test is left to the CPU")
        };
        assert!((operations, least) == (4e4 * 999.0, WORTHWHILE));
        if let Err(error) = crate::available() {
            let reason = WithoutGpu::Unavailable { message: error.to_string() };
            assert_eq!(decided(DeviceChoice::Auto, 1_000_000), Some(Decision::RanWithoutGpu { reason }));
        }
    }

    #[test]
    fn only_failures_of_a_gpu_that_is_not_insisted_on_are_forgiven() {
        let memory = || lcca::Error::from(CudaError::Memory { what: "a panel", needed: 2, free: 1 });
        let mut cpu = Placement::new(DeviceChoice::Cpu, None).unwrap();
        assert!(!cpu.gives_up(&memory()));
        // There is no GPU to give up.
        let mut auto = Placement::new(DeviceChoice::Auto, None).unwrap();
        assert!(!auto.gives_up(&memory()) && !auto.gives_up(&lcca::Error::NoRows));
    }
}
