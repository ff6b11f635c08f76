//! Results on standard output: one JSON object, or text for people.

use serde_json::Value;
use std::io::{self, Write};

/// Prints text. A reader that closes the pipe early, such as `head`, is no failure.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints one JSON object on a line of its own.
pub fn print_json(object: &Value) -> io::Result<()> {
    print(&format!("{object}\n"))
}
