//! The flags that choose where fits and permutation tests run.

use clap::Args;
use lcca_cuda::{DeviceChoice, EXPECTED};

#[derive(Args)]
pub struct DeviceArgs {
    /// Where it runs: cpu, cuda or cuda:N for the GPU of that number, or auto for a GPU if it pays
    ///
    /// The GPU must be an NVIDIA one, with a driver; nothing else needs to be installed. lobpcg runs there,
    /// which is how auto fits wide data, with the answer of the CPU to rounding, and so do permutation tests,
    /// with the same p-values. cuda is an error without a GPU. auto uses the first one if there is enough to
    /// do, goes on without it if it fails, and says what it did. docs/gpu.md has more.
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = device)]
    pub device: (String, DeviceChoice),
    /// Memory of the GPU that may be taken, such as 8GiB [default: what is free]
    #[arg(long, value_name = "SIZE")]
    pub device_memory: Option<String>,
}

/// The device as the user typed it, and the choice that it stands for.
fn device(typed: &str) -> Result<(String, DeviceChoice), String> {
    typed.parse().map(|choice| (typed.to_string(), choice)).map_err(|_: &str| format!("expected {EXPECTED}"))
}
