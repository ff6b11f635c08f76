//! The one place that turns failures into exit codes.

use crate::interrupt;
use lcca::data::Side;
use lcca_io::{Remedy, wording};
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The arguments do not make sense: code 2.
    Usage(String),
    /// A file cannot be read or written: code 2, or 3 if the machine failed.
    File(lcca_io::Error),
    /// The engine refuses the data or settings: code 2, or 3 if the machine is too small.
    Data(lcca::Error),
    /// Standard output or threads failed: code 3.
    Machine(String),
    /// The program was asked to stop, and the state of the fit is saved: code 130 for Ctrl-C, and 128 plus
    /// the signal for others.
    Interrupted(String),
}

impl Failure {
    /// Data from this file that the engine refuses.
    pub fn in_file(path: &Path, error: lcca::Error) -> Self {
        Failure::File(lcca_io::Error::Data { path: path.into(), source: error })
    }

    /// Names the file of a view that cannot be fitted.
    pub fn in_view(self, x: &Path, y: &Path) -> Self {
        use lcca::Error::{Negative, NothingToCorrelate, Overflow};
        let Failure::Data(error) = self else { return self };
        match error {
            NothingToCorrelate { side, .. } | Overflow { side } | Negative { side, .. } => {
                Failure::in_file(if side == Side::X { x } else { y }, error)
            }
            other => Failure::Data(other),
        }
    }

    pub fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Usage(_) => 2,
            Failure::Interrupted(_) => interrupt::exit_code(),
            Failure::File(error) if error.is_machine_failure() => 3,
            // An external error here is always a GPU that failed.
            Failure::Data(lcca::Error::Memory { .. } | lcca::Error::External(_)) | Failure::Machine(_) => 3,
            Failure::File(_) | Failure::Data(_) => 2,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Machine(message) | Failure::Interrupted(message) => {
                f.write_str(message)
            }
            Failure::File(error) => write!(f, "{error}{}", error.remedy().map_or("", remedy_flags)),
            Failure::Data(error) => write!(f, "{}{}", wording::error(error), flags_of(error)),
        }
    }
}

/// The flag that an error of the engine is about, to end the error's message.
fn flags_of(error: &lcca::Error) -> &'static str {
    match error {
        lcca::Error::CovariatesNeeded { .. } => "; give them with --covariates",
        _ => "",
    }
}

/// The flags that would help, to end a message.
fn remedy_flags(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::NameFormat => ", or --format",
        Remedy::ReplaceBrokenText => "; --lossy replaces what is broken",
        Remedy::CountFromZero => "; --zero-based says that they count from 0",
        Remedy::KeepMoreColumns => " (--boolean-only, --min-count, --skip, --top)",
        Remedy::KeepMoreTokens => " (--min-count, --max-share, --skip, --top)",
        Remedy::SayHeader => " (--header yes or --header no; for one view --x-header, --y-header)",
        Remedy::SayIndex => " (--index COLUMN or --index none; for one view --x-index, --y-index)",
        Remedy::SayWhatTextsAre => {
            "; --na TEXT if it stands for a missing value, --categorical COLUMN if the column holds \
             categories"
        }
        Remedy::LeaveColumnOut => {
            "; read other columns only (--x-columns, --y-columns, --columns), make it the row names \
             (--index), or make texts \
             a view (lcca views text)"
        }
        Remedy::TellColumnsApart => {
            "; rename one, or read one of them by its number (--x-columns, --y-columns, --columns)"
        }
        Remedy::SayDelimiter => {
            " (--delimiter tab, --delimiter space, --delimiter ';' or another character; for one view \
             --x-delimiter, \
             --y-delimiter)"
        }
        Remedy::SayDecimal => "; --decimal , or --decimal . says which of them stands before decimals",
        Remedy::SettleMissing => {
            "; --missing drop leaves such rows out, --missing mean fills in the mean of the column"
        }
        Remedy::PairOtherwise => {
            "; --align common keeps the rows that both have, --align none pairs rows by position"
        }
        Remedy::PairByPosition => "; --align none pairs rows by position",
        Remedy::KeepMoreWords => " (--min-count, --x-top, --y-top)",
        _ => "",
    }
}

impl From<lcca_io::Error> for Failure {
    fn from(error: lcca_io::Error) -> Self {
        Failure::File(error)
    }
}

impl From<lcca::Error> for Failure {
    fn from(error: lcca::Error) -> Self {
        Failure::Data(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Machine(format!("standard output: {error}"))
    }
}
