//! `--device` and `--device-memory`

use crate::args::DeviceArgs;
use crate::failure::Failure;
use crate::sizes;
use lcca::method::Settings;
use lcca_cuda::{CudaError, DeviceChoice, Placement, runs_there};

/// The device that the user chose for fits.
pub struct DeviceJob {
    /// The device as the user typed it.
    pub typed: String,
    choice: DeviceChoice,
    /// The bytes of GPU memory that fits may use.
    memory: Option<u64>,
}

impl DeviceJob {
    pub fn new(args: &DeviceArgs) -> Result<Self, Failure> {
        let (typed, choice) = args.device.clone();
        let memory = match args.device_memory.as_deref() {
            None => None,
            Some(_) if choice == DeviceChoice::Cpu => {
                let message = "--device-memory is the memory of a GPU: add --device cuda or --device auto";
                return Err(Failure::Usage(message.into()));
            }
            Some(size) => Some(sizes::parse_bytes(size).ok_or_else(|| {
                Failure::Usage(format!("--device-memory is {size}, expected a size such as 500MB or 8GiB"))
            })?),
        };
        Ok(DeviceJob { typed, choice, memory })
    }

    /// Refuses methods that run on the CPU only, if the user insists on a GPU.
    pub fn check(&self, settings: &Settings) -> Result<(), Failure> {
        if !matches!(self.choice, DeviceChoice::Cuda(_)) || runs_there(settings) {
            return Ok(());
        }
        let (typed, method) = (&self.typed, settings.method.name());
        Err(Failure::Usage(format!(
            "--method {method} runs on the CPU only: --device {typed} goes with auto, lobpcg and shift-invert"
        )))
    }

    /// Opens the GPU that the user insists on, if any.
    pub fn open(&self) -> Result<Placement, Failure> {
        Placement::new(self.choice, self.memory).map_err(|error| {
            let message = format!("--device {}: {error}", self.typed);
            match error {
                CudaError::WrongAnswer { .. } => Failure::Machine(format!("{message}; use --device cpu")),
                _ => Failure::Usage(message),
            }
        })
    }

    /// Whether the user asked for anything but the CPU.
    pub fn is_given(&self) -> bool {
        self.choice != DeviceChoice::Cpu
    }

    /// The typed flags, except for the default device.
    pub fn flags(&self, args: &DeviceArgs) -> Vec<String> {
        let memory = args.device_memory.iter().flat_map(|size| ["--device-memory".into(), size.clone()]);
        let device = self.is_given().then(|| ["--device".into(), self.typed.clone()]);
        device.into_iter().flatten().chain(memory).collect()
    }
}
