//! Computes a small sum with a known answer when a GPU is first opened, because a driver may accept every
//! call while its kernels do nothing. A fit would then find nothing and not say why.

use super::device::Device;
use super::launch::Argument;
use crate::error::CudaError;
use crate::kernels::File;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The terms of starts[i] + FACTOR * numbers[i]. They are whole numbers, so that nothing is rounded.
const STARTS: [f64; 4] = [1.0, -2.0, 0.0, 40.0];
const NUMBERS: [f64; 4] = [2.0, 3.0, -5.0, 0.0];
const FACTOR: f64 = 3.0;
const ANSWERS: [f64; 4] = [7.0, 7.0, -15.0, 40.0];

/// Fails if a GPU computes wrong answers. Each GPU is asked once per process.
pub(crate) fn check(ordinal: u32) -> Result<(), CudaError> {
    static PASSED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
    let mut passed = PASSED.lock().unwrap_or_else(PoisonError::into_inner);
    if !passed.contains(&ordinal) {
        // The memory limit of a fit does not apply to these few bytes.
        ask(&Device::open(ordinal, Some(u64::MAX))?)?;
        passed.insert(ordinal);
    }
    Ok(())
}

fn ask(device: &Arc<Device>) -> Result<(), CudaError> {
    let (sums, numbers) = (device.copy(&STARTS)?, device.copy(&NUMBERS)?);
    let count = STARTS.len() as u64;
    let arguments = [&count as &dyn Argument, &sums.address(), &FACTOR, &numbers.address()];
    device.launch_each("add_scaled", File::Panel, count, &arguments)?;
    let found: Vec<f64> = sums.to_vec()?;
    match found.iter().zip(ANSWERS).find(|(found, answer)| **found != *answer) {
        None => Ok(()),
        Some((&found, expected)) => {
            Err(CudaError::WrongAnswer { name: device.name().into(), found, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_are_those_of_the_host() {
        let computed: Vec<f64> =
            STARTS.iter().zip(NUMBERS).map(|(start, number)| start + FACTOR * number).collect();
        assert_eq!(computed, ANSWERS);
        // All answers but the last differ from the starts, which a kernel that does nothing would leave.
        assert!(STARTS.iter().zip(ANSWERS).filter(|(start, answer)| **start != *answer).count() == 3);
    }

    #[test]
    fn a_gpu_that_is_there_knows_them() {
        if crate::available().is_ok() {
            check(0).unwrap();
        }
    }
}
