//! Reads matrices and pairs them, and prints the remarks about each file once.

use crate::failure::Failure;
use crate::output::remark;
use crate::progress;
use crate::resolve::ViewReading;
use crate::text::{count, grouped};
use lcca::data::InMemory;
use lcca::fit::Groups;
use lcca::matrix::{Matrix, Normalize};
use lcca_io::{
    Align, Attached, Loaded, ModelColumns, NamedLabels, Names, PairedViews, ReadOptions, Remark, RowLabels,
    name_rows, pair_rows_with, read_covariates, read_for_model, read_labels, read_labels_or_blanks,
    read_matrix_with, wording,
};
use std::path::{Path, PathBuf};

/// Reads one matrix. The caller prints its remarks when nothing can be refused anymore, because a refusal
/// is one line.
pub fn matrix(path: &Path, options: &ReadOptions, quiet: bool) -> Result<Loaded, Failure> {
    read(path, quiet, || read_matrix_with(path, options))
}

fn read(path: &Path, quiet: bool, read: impl FnOnce() -> lcca_io::Result<Loaded>) -> Result<Loaded, Failure> {
    let spinner = progress::spinner(format!("reading {}", path.display()), quiet);
    let loaded = read()?;
    spinner.finish_and_clear();
    Ok(loaded)
}

/// Prints the remarks about the reading of a file.
pub fn print_remarks(loaded: &Loaded, quiet: bool) {
    if quiet {
        return;
    }
    for note in &loaded.notes {
        let flag = loaded.remarks.iter().find(|remark| wording::remark(remark) == *note).map(flag_hint);
        remark!("{}: {note}{}", loaded.path().display(), flag.unwrap_or_default());
    }
}

/// The flag that settles a remark, to end its sentence.
fn flag_hint(remark: &Remark) -> String {
    match remark {
        Remark::NumericId { column } | Remark::IdNotRead { column } => {
            format!(" (--index {})", lcca_io::legible(column, 60))
        }
        Remark::Categories { words, .. } if !words.is_empty() => {
            let words: Vec<String> = words.iter().map(|word| lcca_io::legible(word, 60)).collect();
            format!(" (--na {} if it stands for a missing value)", words.join(","))
        }
        Remark::NamedByColumn { .. } => " (--index none if it is data)".into(),
        _ => String::new(),
    }
}

/// Reads rows that a model is applied to.
pub fn rows_for_model(
    path: &Path,
    model: &ModelColumns,
    options: &ReadOptions,
    quiet: bool,
) -> Result<Loaded, Failure> {
    read(path, quiet, || read_for_model(path, model, options))
}

/// Two views whose rows belong together.
pub struct Views {
    pub pair: InMemory,
    /// The views as they were read, because they have the names of their columns.
    pub loaded: [Loaded; 2],
    /// The covariates as they were read.
    pub covariates: Option<Loaded>,
    /// The remarks about the reading and the pairing.
    pub remarks: Vec<Remark>,
    /// The names of the paired rows, if X has them.
    pub row_names: Option<Names>,
    /// The number of rows in the file of X, and the rows of the pair, unless they are all rows in their
    /// order.
    x_rows: (usize, Option<Vec<usize>>),
    /// The rule that pairs the rows.
    align: Align,
}

/// The files that belong to the rows of X, if there are any.
#[derive(Clone, Copy, Default)]
pub struct RowFiles<'a> {
    pub covariates: Option<&'a Path>,
    pub weights: Option<&'a Path>,
}

/// The data that belong to the rows of X, as they were read.
#[derive(Default)]
pub struct RowData {
    pub covariates: Option<Loaded>,
    pub weights: Option<Loaded>,
}

/// Reads both views, X first, without the empty columns of a wide view, reads the data that belong to the
/// rows of X, and pairs the rows.
pub fn views(
    paths: [&Path; 2],
    files: RowFiles<'_>,
    reading: &ViewReading,
    quiet: bool,
) -> Result<Views, Failure> {
    let view = |side: usize| {
        let (path, options) = (paths[side], &reading.options[side]);
        read_matrix_with(path, options)?.without_empty_columns(path)
    };
    let [x, y] = paths.map(Path::display);
    let spinner = progress::spinner(format!("reading {x} and {y}"), quiet);
    let (x, y) = rayon::join(|| view(0), || view(1));
    let loaded = [x?, y?];
    spinner.finish_and_clear();
    let options = reading.covariates_of(&loaded[0]);
    let data = RowData {
        covariates: files.covariates.map(|path| covariates(path, None, &options, quiet)).transpose()?,
        weights: files.weights.map(|path| matrix(path, &options, quiet)).transpose()?,
    };
    paired(loaded, data, reading.align, quiet)
}

/// Pairs the rows of two views. Remarks about both and about their pairing are printed when nothing can be
/// refused anymore.
pub fn paired(loaded: [Loaded; 2], data: RowData, align: Align, quiet: bool) -> Result<Views, Failure> {
    let (loaded, mut remarks) = name_rows(loaded, ["X", "Y"], align)?;
    let [x, y] = &loaded;
    let covariates =
        data.covariates.map(|read| Attached::new(x, read, "the covariates", align)).transpose()?;
    let weights = data.weights.map(|read| attached_weights(x, read, align)).transpose()?;
    let attached: Vec<&Attached> = covariates.iter().chain(&weights).collect();
    let PairedViews { matrices: [x_rows, y_rows], row_names, rows: [rows, _], remarks: of_pairs, .. } =
        pair_rows_with([x, y], &attached, align)?;
    remarks.extend(of_pairs);
    remarks.extend(attached.iter().flat_map(|attached| attached.remarks.iter().cloned()));
    let mut pair = InMemory::new(x_rows, y_rows)?;
    if let Some(covariates) = &covariates {
        let path = covariates.loaded.path();
        let matrix = covariates.matrix(rows.as_deref())?;
        pair = pair.with_covariates(matrix).map_err(|error| Failure::in_file(path, error))?;
    }
    if let Some(weights) = &weights {
        let numbers = row_weights(&weights.loaded, &weights.matrix(rows.as_deref())?)?;
        pair =
            pair.weighted(numbers.into()).map_err(|error| Failure::in_file(weights.loaded.path(), error))?;
    }
    print_remarks(x, quiet);
    if x.path() != y.path() || x.notes != y.notes {
        print_remarks(y, quiet);
    }
    print_pairing(&remarks, quiet);
    attached.iter().for_each(|attached| print_remarks(&attached.loaded, quiet));
    let of_attached = attached.iter().flat_map(|attached| &attached.loaded.remarks);
    let remarks = x.remarks.iter().chain(&y.remarks).chain(of_attached).cloned().chain(remarks).collect();
    let covariates = covariates.map(|covariates| covariates.loaded);
    Ok(Views { pair, row_names, x_rows: (x.rows_of_file(), rows), align, remarks, covariates, loaded })
}

/// Prints the remarks about the pairing of rows.
pub fn print_pairing(remarks: &[Remark], quiet: bool) {
    if !quiet {
        remarks.iter().for_each(|remark| remark!("{}{}", wording::remark(remark), flag_hint(remark)));
    }
}

impl Views {
    /// Normalizes the rows of each view.
    pub fn normalized(mut self, rows: [Normalize; 2]) -> Result<Self, Failure> {
        let [x, y] = self.loaded.each_ref().map(Loaded::path);
        self.pair = self.pair.normalized(rows).map_err(|error| Failure::from(error).in_view(x, y))?;
        Ok(self)
    }

    /// The number of a paired row in the file of X, from 0.
    pub fn row_in_file(&self, row: usize) -> usize {
        self.x_rows.1.as_ref().map_or(row, |rows| rows[row])
    }

    /// The groups in a file, if one is given: one label per row of the file of X, in the order of that file
    /// or by name.
    pub fn groups(&self, path: Option<&Path>, quiet: bool) -> Result<Option<Groups>, Failure> {
        let Some(path) = path else { return Ok(None) };
        if let Some(labels) = self.named_labels(path, quiet)? {
            if labels.iter().any(String::is_empty) {
                let path = path.display();
                return Err(Failure::Usage(format!("{path}: a row has no label, expected one for each")));
            }
            return Ok(Some(Groups::new(labels)));
        }
        Ok(Some(Groups::new(self.of_rows(path, read_labels(path)?)?)))
    }

    /// The labels of the paired rows from a table of names and labels; `None` if the file is not such a
    /// table.
    fn named_labels(&self, path: &Path, quiet: bool) -> Result<Option<Vec<String>>, Failure> {
        let Some(named) = NamedLabels::read(path)? else { return Ok(None) };
        let (labels, remarks) = named.of_rows(&self.loaded[0], path, self.align)?;
        let labels = self.of_rows(path, labels)?;
        print_pairing(&remarks, quiet);
        Ok(Some(labels))
    }

    /// The labels in a file, one per row of the file of X, in the order of that file; a label may be empty.
    /// If there is one line more than rows, the first is a header, and a remark says so.
    pub fn labels(&self, path: &Path, quiet: bool) -> Result<Vec<String>, Failure> {
        if let Some(labels) = self.named_labels(path, quiet)? {
            return Ok(labels);
        }
        let mut labels = read_labels_or_blanks(path)?;
        let header = (labels.len() == self.x_rows.0 + 1).then(|| labels.remove(0));
        let labels = self.of_rows(path, labels)?;
        if let Some(header) = header.filter(|_| !quiet) {
            remark!("{}: first line {header:?} taken as a header", path.display());
        }
        Ok(labels)
    }

    /// The labels of the paired rows, from those of all rows in the file of X.
    fn of_rows(&self, path: &Path, labels: Vec<String>) -> Result<Vec<String>, Failure> {
        let (all, rows) = &self.x_rows;
        if labels.len() != *all {
            let (path, found, all) = (path.display(), grouped(labels.len() as u64), grouped(*all as u64));
            return Err(Failure::Usage(format!("{path}: {found} labels, expected one per row of X, {all}")));
        }
        Ok(match rows {
            None => labels,
            Some(rows) => rows.iter().map(|&row| labels[row].clone()).collect(),
        })
    }
}

/// Reads the covariates of a fit, or of rows for a model that has the given columns.
pub fn covariates(
    path: &Path,
    model: Option<&ModelColumns>,
    options: &ReadOptions,
    quiet: bool,
) -> Result<Loaded, Failure> {
    read(path, quiet, || read_covariates(path, model, options))
}

/// Reads the weights of the rows of a view, one number for each row.
fn attached_weights(x: &Loaded, read: Loaded, align: Align) -> Result<Attached, Failure> {
    let (path, rows, found) = (read.path().to_path_buf(), x.rows_of_file(), read.rows_of_file());
    let is_named = !matches!(read.labels()?, RowLabels::Absent) || !read.ids().is_empty();
    let refuse = |columns: usize| {
        let (found, columns, rows) =
            (count(found as u64, "row"), count(columns as u64, "column"), count(rows as u64, "row"));
        let path = path.display();
        Failure::Usage(format!("{path}: {found} and {columns}, expected {rows} and one column of weights"))
    };
    if !is_named && (read.matrix.cols() != 1 || found != rows) {
        return Err(refuse(read.matrix.cols()));
    }
    let attached = Attached::new(x, read, "the row weights", align)?;
    match attached.loaded.matrix.cols() {
        1 => Ok(attached),
        columns => Err(refuse(columns)),
    }
}

fn row_weights(read: &Loaded, rows: &Matrix) -> Result<Vec<f64>, Failure> {
    let mut weights = vec![0.0; rows.rows()];
    for (row, weight) in weights.iter_mut().enumerate() {
        rows.for_each(row, |_, value| *weight = value);
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        let path = read.path().display();
        return Err(Failure::Usage(format!("{path}: every row weight is 0, expected one above")));
    }
    Ok(weights)
}

/// Refuses an output that would replace one of the inputs.
pub fn check_output(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    // Standard input and output are both named `-`, but they are not one file.
    match inputs.iter().find(|input| is_same_file(input, output) && output.as_os_str() != "-") {
        None => Ok(()),
        Some(input) => {
            let input = input.display();
            Err(Failure::Usage(format!("{input}: is to be read and written, expected another file to write")))
        }
    }
}

/// Whether two paths lead to the same file, which need not exist yet.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    absolute(a).is_some_and(|a| absolute(b) == Some(a))
}

/// The path with links resolved. For a file that does not exist, only the links of its folder are resolved.
fn absolute(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}
