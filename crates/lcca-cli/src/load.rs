//! Reading matrices and pairing them; remarks about a file are printed once.

use crate::failure::Failure;
use crate::output::remark;
use crate::progress;
use crate::resolve::ViewReading;
use lcca::data::InMemory;
use lcca::fit::Groups;
use lcca::matrix::{Matrix, Normalize};
use lcca_io::views::take_rows;
use lcca_io::{
    Align, Loaded, ModelColumns, Names, PairedViews, ReadOptions, Remark, name_rows, pair_rows,
    read_covariates, read_for_model, read_labels, read_labels_or_blanks, read_matrix_with, rows_beside,
    wording,
};
use std::path::{Path, PathBuf};

/// Reads one matrix. The remarks about it are for the caller to print once nothing can be refused, because a refusal is
/// one line.
pub fn matrix(path: &Path, options: &ReadOptions, quiet: bool) -> Result<Loaded, Failure> {
    read(path, quiet, || read_matrix_with(path, options))
}

fn read(path: &Path, quiet: bool, read: impl FnOnce() -> lcca_io::Result<Loaded>) -> Result<Loaded, Failure> {
    let spinner = progress::spinner(format!("reading {}", path.display()), quiet);
    let loaded = read()?;
    spinner.finish_and_clear();
    Ok(loaded)
}

/// Prints what there is to say about the reading of a file.
pub fn print_remarks(loaded: &Loaded, quiet: bool) {
    if quiet {
        return;
    }
    for note in &loaded.notes {
        let flag = loaded.remarks.iter().find(|remark| wording::remark(remark) == *note).map(flag_hint);
        remark!("{}: {note}{}", loaded.path().display(), flag.unwrap_or_default());
    }
}

/// The flag that settles what a remark is about, as the end of its sentence.
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

/// Reads rows for a model.
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
    /// The views as they were read, for the names of their columns.
    pub loaded: [Loaded; 2],
    /// The covariates as they were read.
    pub covariates: Option<Loaded>,
    /// What there is to say about the reading and the pairing.
    pub remarks: Vec<Remark>,
    /// The names of the paired rows, if X has them.
    pub row_names: Option<Names>,
    /// How many rows the file of X has, and which of them are in the pair if not all in their order.
    x_rows: (usize, Option<Vec<usize>>),
    /// How rows find each other.
    align: Align,
}

/// Reads both views, X first, without the empty columns of a wide view, and pairs their rows.
pub fn views(paths: [&Path; 2], reading: &ViewReading, quiet: bool) -> Result<Views, Failure> {
    views_with(paths, reading, None, quiet)
}

/// As [`views`], with the covariates of the rows.
pub fn views_with(
    paths: [&Path; 2],
    reading: &ViewReading,
    covariates: Option<Loaded>,
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
    paired(loaded, covariates, reading.align, quiet)
}

/// Pairs the rows of two views. The remarks about both and about their pairing are printed once nothing can be refused.
pub fn paired(
    loaded: [Loaded; 2],
    covariates: Option<Loaded>,
    align: Align,
    quiet: bool,
) -> Result<Views, Failure> {
    let (loaded, mut remarks) = name_rows(loaded, ["X", "Y"], align)?;
    let [x, y] = &loaded;
    let PairedViews { matrices: [x_rows, y_rows], row_names, rows: [rows, _], remarks: of_pairs, .. } =
        pair_rows([x, y], align)?;
    remarks.extend(of_pairs);
    let mut pair = InMemory::new(x_rows, y_rows)?;
    let covariates = match covariates {
        Some(covariates) => {
            let (covariates, named) = covariates.named_like(x, "the covariates")?;
            remarks.extend(named);
            Some(covariates)
        }
        None => None,
    };
    if let Some(covariates) = &covariates {
        let (matrix, more) = covariates_of_rows(x, covariates, rows.as_deref(), align)?;
        remarks.extend(more);
        pair = pair.with_covariates(matrix).map_err(|error| Failure::in_file(covariates.path(), error))?;
    }
    print_remarks(x, quiet);
    if x.path() != y.path() || x.notes != y.notes {
        print_remarks(y, quiet);
    }
    if !quiet {
        remarks.iter().for_each(|remark| remark!("{}{}", wording::remark(remark), flag_hint(remark)));
    }
    covariates.iter().for_each(|covariates| print_remarks(covariates, quiet));
    let of_covariates = covariates.iter().flat_map(|covariates| &covariates.remarks);
    let remarks = x.remarks.iter().chain(&y.remarks).chain(of_covariates).cloned().chain(remarks).collect();
    Ok(Views { pair, row_names, x_rows: (x.rows_of_file(), rows), align, remarks, covariates, loaded })
}

impl Views {
    /// With the rows of each view normalized.
    pub fn normalized(mut self, rows: [Normalize; 2]) -> Result<Self, Failure> {
        let [x, y] = self.loaded.each_ref().map(Loaded::path);
        self.pair = self.pair.normalized(rows).map_err(|error| Failure::from(error).in_view(x, y))?;
        Ok(self)
    }

    /// With rows weighted by a file, if there is one: one weight per row of the file of X, by name if both have row names.
    pub fn weighted(mut self, weights: Option<&Path>, quiet: bool) -> Result<Self, Failure> {
        let Some(path) = weights else { return Ok(self) };
        let all = row_weights(path, &self.loaded[0], self.align, quiet)?;
        let weights: Vec<f64> = match &self.x_rows.1 {
            None => all,
            Some(rows) => rows.iter().map(|&row| all[row]).collect(),
        };
        self.pair = self.pair.weighted(weights.into()).map_err(|error| Failure::in_file(path, error))?;
        Ok(self)
    }

    /// The number of a paired row in the file of X, from 0.
    pub fn row_in_file(&self, row: usize) -> usize {
        self.x_rows.1.as_ref().map_or(row, |rows| rows[row])
    }

    /// The groups that a file names, if there is one: one label per row of the file of X, in its order.
    pub fn groups(&self, path: Option<&Path>) -> Result<Option<Groups>, Failure> {
        let Some(path) = path else { return Ok(None) };
        Ok(Some(Groups::new(self.of_rows(path, read_labels(path)?)?)))
    }

    /// The labels that a file has, one per row of the file of X, in its order; a row may have an empty one. If there is one line
    /// more than rows, the first is a header, and a remark says so.
    pub fn labels(&self, path: &Path, quiet: bool) -> Result<Vec<String>, Failure> {
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
            let (path, found) = (path.display(), labels.len());
            return Err(Failure::Usage(format!("{path}: {found} labels, expected one per row of X, {all}")));
        }
        Ok(match rows {
            None => labels,
            Some(rows) => rows.iter().map(|&row| labels[row].clone()).collect(),
        })
    }
}

/// Reads covariates: those of a fit, or of rows for a model that has the given columns.
pub fn covariates(path: &Path, model: Option<&ModelColumns>, quiet: bool) -> Result<Loaded, Failure> {
    read(path, quiet, || read_covariates(path, model, &ReadOptions::default()))
}

/// The covariates of all rows of a view, in its order: by name if both have row names. With what there is to say about it.
pub fn covariates_of(
    view: &Loaded,
    covariates: &Loaded,
    align: Align,
) -> Result<(Matrix, Vec<Remark>), Failure> {
    covariates_of_rows(view, covariates, Some(&view.rows_in_file()), align)
}

/// The covariates of some rows of X, numbered as in its file, which may have left some out; `None` is all in their order.
fn covariates_of_rows(
    x: &Loaded,
    covariates: &Loaded,
    rows: Option<&[usize]>,
    align: Align,
) -> Result<(Matrix, Vec<Remark>), Failure> {
    let (belonging, remarks) = rows_beside(x, covariates, "the covariates", align)?;
    let wanted: Option<Vec<usize>> = match (belonging, rows) {
        (None, rows) => rows.map(<[usize]>::to_vec),
        (Some(belonging), None) => Some(belonging),
        (Some(belonging), Some(rows)) => Some(rows.iter().map(|&row| belonging[row]).collect()),
    };
    let matrix = match wanted {
        Some(wanted) if !wanted.iter().copied().eq(0..covariates.matrix.rows()) => {
            take_rows(&covariates.matrix, &wanted)?
        }
        _ => covariates.matrix.clone(),
    };
    Ok((matrix, remarks))
}

/// Reads one number per row of a view, in its order: by name if both have row names.
fn row_weights(path: &Path, x: &Loaded, align: Align, quiet: bool) -> Result<Vec<f64>, Failure> {
    let loaded = matrix(path, &ReadOptions::default(), quiet)?;
    let (loaded, mut remarks) = loaded.named_like(x, "the row weights")?;
    let (matrix, rows) = (&loaded.matrix, x.rows_of_file());
    let is_named = loaded.row_names()?.is_some() && x.row_names()?.is_some();
    if matrix.cols() != 1 || matrix.rows() != rows && !is_named {
        return Err(Failure::Usage(format!(
            "{}: {} rows and {} columns, expected {rows} rows and one column of weights",
            path.display(),
            matrix.rows(),
            matrix.cols()
        )));
    }
    let (belonging, more) = rows_beside(x, &loaded, "the row weights", align)?;
    remarks.extend(more.into_iter().filter(|remark| matches!(remark, Remark::Aligned { .. })));
    let mut weights = vec![0.0; rows];
    for (row, weight) in weights.iter_mut().enumerate() {
        matrix.for_each(belonging.as_ref().map_or(row, |rows| rows[row]), |_, value| *weight = value);
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        let path = path.display();
        return Err(Failure::Usage(format!("{path}: every row weight is 0, expected one above")));
    }
    print_remarks(&loaded, quiet);
    if !quiet {
        remarks.iter().for_each(|remark| remark!("{}{}", wording::remark(remark), flag_hint(remark)));
    }
    Ok(weights)
}

/// Refuses an output that would replace one of the inputs.
pub fn check_output(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    // Standard input and output have the same name and are not the same.
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

/// The path with links resolved; of a file that does not exist, the links of its folder.
fn absolute(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}
