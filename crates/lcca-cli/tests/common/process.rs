//! Starts programs that keep running while a test watches them.

use super::Folder;
use std::process::{Child, Command, Stdio};

/// Starts the program and does not wait.
pub fn start(folder: &Folder, line: &str) -> Child {
    folder.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends a signal by name.
pub fn signal(child: &Child, name: &str) {
    let kill = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", child.id())).status().unwrap();
    assert!(kill.success(), "the program had ended before");
}
