//! Errors of files, in one line: the file, the place in it, the contents that were expected there.

use crate::words::legible::{legible, legible_path};
use crate::words::wording;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The most characters of a message, which may quote a file.
const LONGEST_MESSAGE: usize = 400;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{}: {source}", legible_path(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The contents of the file are wrong.
    #[error("{}: {place}{message}", legible_path(path))]
    #[non_exhaustive]
    Bad {
        /// The file.
        path: PathBuf,
        /// The place in the file.
        place: Place,
        /// The contents at this place, and those that were expected.
        message: String,
        /// An option that would help, for a caller that knows its name.
        remedy: Option<Remedy>,
    },
    /// The file is well formed and its numbers do not make a matrix.
    #[error("{}: {}", legible_path(path), wording::error(source))]
    Data {
        /// The file.
        path: PathBuf,
        /// The error of the engine, which says why.
        source: lcca::Error,
    },
}

impl Error {
    /// Whether the machine failed (disk full, device error, out of memory) rather than the input being wrong.
    pub fn is_machine_failure(&self) -> bool {
        match self {
            Error::Io { source, .. } => is_machine_failure(source),
            Error::Bad { .. } => false,
            Error::Data { source, .. } => matches!(source, lcca::Error::Memory { .. }),
        }
    }

    /// An option of the caller that would help. The message does not mention it, because only the caller
    /// knows the names of its options.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Error::Bad { remedy, .. } => *remedy,
            Error::Data { source: lcca::Error::NotFinite { value, .. }, .. } if value.is_nan() => {
                Some(Remedy::SettleMissing)
            }
            _ => None,
        }
    }

    /// The file that could not be read or written.
    pub fn path(&self) -> &Path {
        match self {
            Error::Io { path, .. } | Error::Bad { path, .. } | Error::Data { path, .. } => path,
        }
    }
}

/// An option that would let a refused file pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Name the format of a table whose extension says nothing.
    NameFormat,
    /// Replace bytes that are not UTF-8.
    ReplaceBrokenText,
    /// Count the indices of an svmlight file from 0.
    CountFromZero,
    /// Keep more columns of a matrix.
    KeepMoreColumns,
    /// Keep more tokens of texts.
    KeepMoreTokens,
    /// Keep more words of a corpus.
    KeepMoreWords,
    /// Say whether the first line of a table names the columns.
    SayHeader,
    /// Say which column of a table names the rows, or that none does.
    SayIndex,
    /// Say that a text stands for a missing value, or that its column holds categories.
    SayWhatTextsAre,
    /// Read other columns of a table only, or take this one as the names of rows.
    LeaveColumnOut,
    /// Rename one of two columns, or read only one of them.
    TellColumnsApart,
    /// Give the character between the fields of a text.
    SayDelimiter,
    /// Say which character stands before decimals.
    SayDecimal,
    /// Leave rows with missing values out, or fill them in.
    SettleMissing,
    /// Keep the rows that both views have, or pair rows by position.
    PairOtherwise,
    /// Pair rows by position.
    PairByPosition,
}

/// Whether the machine failed. The number of the operating system matters because decoders report corrupt
/// data as errors without one.
fn is_machine_failure(error: &io::Error) -> bool {
    use io::ErrorKind::*;
    let user = matches!(
        error.kind(),
        NotFound | PermissionDenied | IsADirectory | NotADirectory | ReadOnlyFilesystem | InvalidFilename
    );
    matches!(error.kind(), OutOfMemory | WriteZero) || (error.raw_os_error().is_some() && !user)
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of text, counted from 1.
    Line(u64),
    /// A named part: a member, a tensor, a header.
    Part(String),
}

impl Place {
    fn legible(self) -> Self {
        match self {
            Place::Part(name) => Place::Part(legible(&name, LONGEST_MESSAGE)),
            other => other,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(line) => write!(f, "line {line}: "),
            Place::Part(name) => write!(f, "{name}: "),
        }
    }
}

/// An [`Error`] that does not know its file yet, because readers work on bytes, and the caller adds the
/// path.
#[derive(Debug)]
pub(crate) enum Fault {
    Io(io::Error),
    Bad { place: Place, message: String, remedy: Option<Remedy> },
    Data(lcca::Error),
}

impl Fault {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Fault::in_place(Place::Whole, message)
    }

    pub(crate) fn line(line: u64, message: impl Into<String>) -> Self {
        Fault::in_place(Place::Line(line), message)
    }

    fn in_place(place: Place, message: impl Into<String>) -> Self {
        Fault::Bad { place, message: message.into(), remedy: None }
    }

    /// Adds the option that would help.
    pub(crate) fn remedied_by(mut self, option: Remedy) -> Self {
        if let Fault::Bad { remedy, .. } = &mut self {
            *remedy = Some(option);
        }
        self
    }

    /// Names the part of the file if no more exact place is known.
    pub(crate) fn within(self, part: &str) -> Self {
        match self {
            Fault::Bad { place: Place::Whole, message, remedy } => {
                Fault::Bad { place: Place::Part(part.into()), message, remedy }
            }
            Fault::Io(error) if error.raw_os_error().is_none() => {
                Fault::in_place(Place::Part(part.into()), one_line(&error))
            }
            other => other,
        }
    }

    /// Names the file of a folder in which the place lies.
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        if let Fault::Bad { place, .. } = &mut self {
            match place {
                Place::Line(line) => *place = Place::Part(format!("{file}: line {line}")),
                Place::Part(part) => *place = Place::Part(format!("{file}: {part}")),
                Place::Whole => {}
            }
        }
        self.within(file)
    }

    /// Names the line if no more exact place is known.
    pub(crate) fn on_line(mut self, line: u64) -> Self {
        if let Fault::Bad { place: place @ Place::Whole, .. } = &mut self {
            *place = Place::Line(line);
        }
        self
    }

    /// Moves a line number of a part of a text to its place in the whole text.
    pub(crate) fn after_lines(mut self, lines: u64) -> Self {
        if let Fault::Bad { place: Place::Line(line), .. } = &mut self {
            *line += lines;
        }
        self
    }

    pub(crate) fn at(self, path: &Path) -> Error {
        let path = path.to_path_buf();
        match self {
            Fault::Io(source) => Error::Io { path, source },
            // Messages quote files, which may hold anything, so a quotation is cut short and kept on its
            // line.
            Fault::Bad { place, message, remedy } => Error::Bad {
                path,
                place: place.legible(),
                message: legible(&message, LONGEST_MESSAGE),
                remedy,
            },
            Fault::Data(source) => Error::Data { path, source },
        }
    }
}

/// Puts an error of another library into one line, because theirs may span several and ours never do.
pub(crate) fn one_line(error: &dyn fmt::Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::Io(error)
    }
}

impl From<lcca::Error> for Fault {
    fn from(error: lcca::Error) -> Self {
        Fault::Data(error)
    }
}

pub(crate) type Outcome<T> = std::result::Result<T, Fault>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_the_machine_and_a_missing_file_is_not() {
        let failure =
            |code| Fault::from(io::Error::from_raw_os_error(code)).at(Path::new("f")).is_machine_failure();
        let (enoent, eio, eacces, enospc) = (2, 5, 13, 28);
        assert!(failure(eio) && failure(enospc));
        assert!(!failure(enoent) && !failure(eacces));
        let corrupt = io::Error::new(io::ErrorKind::InvalidData, "corrupt deflate stream");
        assert!(!Fault::from(corrupt).at(Path::new("f")).is_machine_failure());
    }

    #[test]
    fn whatever_a_file_holds_the_message_stays_one_short_line() {
        let error = Fault::new(format!("holds \r\n{}", "x".repeat(10_000))).at(Path::new("f"));
        let message = error.to_string();
        assert!(message.starts_with("f: holds \\r\\nxxx") && message.len() < 500, "{message}");
    }

    #[test]
    fn the_message_names_file_place_and_expectation() {
        let error =
            Fault::line(17, "column 30001 is out of range, expected 1 to 20000").at(Path::new("data/x.mtx"));
        assert_eq!(
            error.to_string(),
            "data/x.mtx: line 17: column 30001 is out of range, expected 1 to 20000"
        );
    }
}
