//! Programs that tests need, installed from Debian's packages if that is allowed.

use crate::step;
use std::process::Command;

/// Returns whether `program` runs. If it is missing and we are root, its Debian `package` is installed first.
pub fn has(program: &str, package: &str) -> bool {
    runs(program) || (is_root() && install(package) && runs(program))
}

fn runs(program: &str) -> bool {
    step::works(Command::new(program).arg("--version"))
}

fn install(package: &str) -> bool {
    // A bare machine has no package lists yet, so the first attempt may fail for want of them.
    apt_get(&["install", "-y", "--no-install-recommends", package])
        || (apt_get(&["update"]) && apt_get(&["install", "-y", "--no-install-recommends", package]))
}

fn apt_get(arguments: &[&str]) -> bool {
    step::run(Command::new("apt-get").args(arguments)).is_ok()
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
