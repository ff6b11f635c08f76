//! Checks the names of outputs: an extension promises a format, and `-` is standard output. Also resolves
//! the treatment of formulas in tables.

use super::page::ending;
use crate::args::views::ViewsCommand;
use crate::args::{Arguments, Command, TableOutputArgs};
use crate::failure::Failure;
use lcca_io::Formulas;
use std::path::Path;

/// Extensions that promise another format than that of a model.
const OTHER_FORMATS: [&str; 21] = [
    "arrow", "csv", "feather", "gz", "h5", "h5ad", "html", "json", "mtx", "npy", "npz", "parquet", "pkl",
    "png", "svg", "svm", "tsv", "txt", "vec", "zip", "zst",
];

/// Refuses names that promise a format that the command does not write.
pub fn check(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Fit(args) => args.output.as_deref().map_or(Ok(()), check_model),
        Command::Transform(args) => refuse_both(&args.output, args.common.json),
        Command::Export(args) => refuse_both(&args.output, args.common.json),
        Command::Convert(args) => check_file(&args.output, "a matrix"),
        Command::Plot(args) => check_file(&args.output, "a picture"),
        Command::Report(args) => check_file(&args.output, "a report"),
        Command::RunCca(args) => check_folder(&args.output, "a result"),
        Command::Compare(args) => check_folder(&args.output, "a comparison"),
        Command::Demo(args) => check_folder(&args.output, "the demo"),
        Command::Sample(args) => check_folder(&args.output, "a sample"),
        Command::Views(args) => match &args.command {
            ViewsCommand::Text(args) => check_folder(&args.output, "two views"),
            ViewsCommand::Words(args) => check_folder(&args.output, "two views"),
            ViewsCommand::Columns(args) => check_folder(&args.output, "two views"),
        },
        _ => Ok(()),
    }
}

/// The treatment of names that spreadsheets take for formulas.
pub fn formulas(args: &TableOutputArgs) -> Formulas {
    if args.safe_csv { Formulas::Quoted } else { Formulas::Kept }
}

/// Checks the name of a model. A model is one file of one format, whose extension must not be that of
/// another format.
fn check_model(output: &Path) -> Result<(), Failure> {
    check_file(output, "a model")?;
    if OTHER_FORMATS.contains(&ending(output).as_str()) {
        let output = output.display();
        return Err(Failure::Usage(format!(
            "{output}: a model is a safetensors file, expected .safetensors or no extension; `lcca export` \
             writes other formats"
        )));
    }
    Ok(())
}

/// Checks the name of a file that cannot go to standard output, because it is not text between tabs.
fn check_file(output: &Path, what: &str) -> Result<(), Failure> {
    if output.as_os_str() == "-" {
        return Err(Failure::Usage(format!("{what} cannot go to standard output, expected a file")));
    }
    Ok(())
}

/// Checks the name of a folder, which cannot go to standard output, because it holds several files.
fn check_folder(output: &Path, what: &str) -> Result<(), Failure> {
    if output.as_os_str() == "-" {
        return Err(Failure::Usage(format!("{what} cannot go to standard output, expected a folder")));
    }
    Ok(())
}

/// Refuses a table and a JSON object on one stream.
fn refuse_both(output: &Path, json: bool) -> Result<(), Failure> {
    if json && output.as_os_str() == "-" {
        return Err(Failure::Usage("--json and --output - both write to standard output".into()));
    }
    Ok(())
}
