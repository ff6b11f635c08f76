//! Writes the file of `lcca plot` and `lcca report`.

use crate::failure::Failure;
use crate::output::remark;
use crate::resolve::PageJob;
use crate::{load, machine, output};
use lcca_io::Output;
use serde_json::json;
use std::io::Write;

/// Makes the page or picture and writes it whole or not at all. It must not replace a file that the command
/// reads. `what` names the page, and `advice` ends the sentence that says where the file is.
pub fn write(
    job: &PageJob,
    [what, advice]: [&str; 2],
    make: impl FnOnce() -> Result<String, Failure> + Send,
) -> Result<(), Failure> {
    let path = &job.output;
    load::check_output(path, &job.inputs())?;
    // An output that cannot be written fails here, and not after the rows are read.
    let mut output = Output::create(path)?;
    let text = machine::pool(job.session.threads)?.install(make)?;
    output.write_all(text.as_bytes()).map_err(|source| lcca_io::Error::Io { path: path.clone(), source })?;
    output.commit()?;
    if job.session.json {
        output::print_json(&json!({
            "output": path.display().to_string(),
            "bytes": text.len(),
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !job.session.quiet {
        remark!("{what} written to {} ({} kB){advice}", path.display(), text.len() / 1000);
    }
    Ok(())
}
