//! Programs that tests need, installed on Debian where that is allowed.

use crate::step;
use std::process::{Command, Output};

/// Whether `program` runs; where it is missing and we are root, its Debian `package` is installed first.
pub fn has(program: &str, package: &str) -> bool {
    let there = || step::works(Command::new(program).arg("--version"));
    there() || (is_root() && install(package) && there())
}

/// A bare machine may need its package lists first.
fn install(package: &str) -> bool {
    let words = ["install", "-y", "--no-install-recommends", package];
    let install = || step::run(Command::new("apt-get").args(words)).is_ok();
    install() || (step::run(Command::new("apt-get").arg("update")).is_ok() && install())
}

fn is_root() -> bool {
    let is_zero = |out: Output| out.stdout.trim_ascii() == b"0";
    Command::new("id").arg("-u").output().is_ok_and(is_zero)
}
