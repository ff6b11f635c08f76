//! Results on standard output: one JSON object, or text for people.

use lcca_io::legible;
use serde_json::Value;
use std::io::{self, Read, Write};

/// Prints a remark on standard error, in one line even if its names and paths have line breaks.
macro_rules! remark {
    ($($words:tt)*) => {
        $crate::output::say(&format!("lcca: {}", lcca_io::legible(&format!($($words)*), $crate::output::LONGEST_LINE)))
    };
}
pub(crate) use remark;

/// The most characters of a line on standard error, because paths may be long.
pub const LONGEST_LINE: usize = 8192;

/// Writes a line to standard error. The work goes on if the reader has closed it, as in `lcca fit … 2>&1 |
/// head`.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints lines of text, without characters that a terminal would obey.
pub fn print(text: &str) -> io::Result<()> {
    let fields =
        |line: &str| line.split('\t').map(|field| legible(field, usize::MAX)).collect::<Vec<_>>().join("\t");
    write(&text.split('\n').map(fields).collect::<Vec<_>>().join("\n"))
}

/// Copies bytes to standard output unchanged.
pub fn copy(from: &mut impl Read) -> io::Result<()> {
    ended(io::copy(from, &mut io::stdout().lock()).and_then(|_| io::stdout().flush()))
}

/// Writes to standard output.
fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    ended(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Accepts a reader that closes the pipe early, such as `head`, because that is not a failure.
fn ended(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints one JSON object on one line.
pub fn print_json(object: &Value) -> io::Result<()> {
    write(&format!("{object}\n"))
}
