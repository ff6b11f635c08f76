//! Converts panels, vectors and small matrices to NumPy and back.

use crate::failure::Failure;
use bytemuck::Zeroable;
use faer::{Mat, MatRef};
use lcca::data::Source;
use lcca::matrix::{LANES, Line, Lower, Panel};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

/// The number of numbers that one thread adds at a time: a quarter of a megabyte, which fits its own cache.
const NUMBERS_PER_TASK: usize = 1 << 15;

/// A vector of a NumPy type.
pub type Vector<'py, T> = Bound<'py, PyArray1<T>>;
/// A two-dimensional array of numbers.
pub type Table<'py> = Bound<'py, PyArray2<f64>>;
/// The column means of both views.
pub type Means<'py> = (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);
/// A panel to multiply a view with, and an offset to subtract from the product of every row.
type ArraySource<'py> = (PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>);

/// The panels of both views as Python passes them.
#[derive(FromPyObject)]
pub struct ArraySources<'py>(Option<ArraySource<'py>>, Option<ArraySource<'py>>);

/// A panel with its offset, in the engine's layout.
pub struct PanelSource {
    pub panel: Panel,
    offset: Option<Vec<Line>>,
}

impl PanelSource {
    /// The panel and its offset as a source of a pass.
    pub fn as_source(&self) -> Source<'_> {
        Source { panel: &self.panel, offset: self.offset.as_deref() }
    }
}

impl ArraySources<'_> {
    /// Copies the arrays into panels of the engine's layout, which `take_panel` provides.
    pub fn to_panels(
        &self,
        take_panel: impl Fn(usize, usize) -> Panel,
    ) -> Result<[Option<PanelSource>; 2], Failure> {
        let copy = |(array, offset): &ArraySource<'_>| -> Result<PanelSource, Failure> {
            check_alignment(array)?;
            let view = array.as_array();
            let mut panel = take_panel(view.nrows(), view.ncols());
            copy_to_panel(array, &mut panel);
            Ok(PanelSource {
                panel,
                offset: offset.as_ref().map(|offset| padded(&offset.as_array().to_vec())),
            })
        };
        Ok([self.0.as_ref().map(copy).transpose()?, self.1.as_ref().map(copy).transpose()?])
    }
}

/// Refuses an array that does not begin at a multiple of eight bytes. Arrays that arrive over a network may
/// begin anywhere, and Python has to copy them, because reading them through a reference is undefined
/// behavior.
fn check_alignment(array: &PyReadonlyArray2<'_, f64>) -> Result<(), Failure> {
    if array.len() > 0 && !array.data().addr().is_multiple_of(align_of::<f64>()) {
        return Err(Failure::Usage("the array is not aligned; numpy.require copies it".into()));
    }
    Ok(())
}

/// Numbers in whole cache lines, with zeros behind the last.
fn padded(numbers: &[f64]) -> Vec<Line> {
    let mut lines = vec![Line::zeroed(); numbers.len().div_ceil(LANES)];
    numbers.iter().enumerate().for_each(|(index, &number)| lines[index / LANES].0[index % LANES] = number);
    lines
}

/// The first `cols` numbers of some lines, without the padding.
pub fn offset_to_numpy<'py>(py: Python<'py>, lines: &[Line], cols: usize) -> Vector<'py, f64> {
    PyArray1::from_iter(py, lines.iter().flat_map(|line| line.0).take(cols))
}

/// A copy of a panel without its padding, row after row.
pub fn panel_to_numpy<'py>(py: Python<'py>, panel: &Panel) -> PyResult<Table<'py>> {
    let mut numbers = Vec::with_capacity(panel.rows() * panel.cols());
    (0..panel.rows()).for_each(|row| numbers.extend_from_slice(panel.row(row)));
    rows_to_numpy(py, numbers, panel.rows(), panel.cols())
}

/// Moves numbers, row after row, into an array without a copy.
pub fn rows_to_numpy(py: Python<'_>, numbers: Vec<f64>, rows: usize, cols: usize) -> PyResult<Table<'_>> {
    PyArray1::from_vec(py, numbers).reshape([rows, cols])
}

/// A copy of an array with padding.
pub fn panel_from_numpy(array: &PyReadonlyArray2<'_, f64>) -> Panel {
    let view = array.as_array();
    let mut panel = Panel::zeros(view.nrows(), view.ncols());
    copy_to_panel(array, &mut panel);
    panel
}

/// Overwrites a panel of the array's shape. Its padding does not change.
fn copy_to_panel(array: &PyReadonlyArray2<'_, f64>, panel: &mut Panel) {
    let view = array.as_array();
    let cols = view.ncols().max(1);
    if let Some(numbers) = view.to_slice() {
        for (row, numbers) in numbers.chunks_exact(cols).enumerate() {
            panel.row_mut(row).copy_from_slice(numbers);
        }
    } else {
        for (row, numbers) in view.rows().into_iter().enumerate() {
            panel.row_mut(row).iter_mut().zip(numbers).for_each(|(out, number)| *out = *number);
        }
    }
}

/// Adds an array to a panel: panel ← panel + array.
pub fn add_to_panel(panel: &mut Panel, array: &PyReadonlyArray2<'_, f64>) -> Result<(), Failure> {
    let (view, cols) = (array.as_array(), panel.cols());
    check_alignment(array)?;
    let numbers = view.to_slice().filter(|_| (view.nrows(), view.ncols()) == (panel.rows(), cols));
    let Some(numbers) = numbers else {
        let (rows, shape) = (panel.rows(), array.shape());
        return Err(Failure::Usage(format!(
            "a product of shape {shape:?}, expected {rows} × {cols} in C order"
        )));
    };
    let stride = panel.lines_per_row();
    if stride == 0 {
        return Ok(());
    }
    let rows = (NUMBERS_PER_TASK / cols).max(1);
    panel.lines_mut().par_chunks_mut(rows * stride).zip(numbers.par_chunks(rows * cols)).for_each(
        |(out, numbers)| {
            for (out, numbers) in out.chunks_exact_mut(stride).zip(numbers.chunks_exact(cols)) {
                let out: &mut [f64] = bytemuck::cast_slice_mut(out);
                out.iter_mut().zip(numbers).for_each(|(out, number)| *out += number);
            }
        },
    );
    Ok(())
}

/// A copy of a matrix, row after row.
pub fn mat_to_numpy<'py>(py: Python<'py>, mat: MatRef<'_, f64>) -> PyResult<Table<'py>> {
    let (rows, cols) = (mat.nrows(), mat.ncols());
    let numbers = (0..rows).flat_map(|i| (0..cols).map(move |j| mat[(i, j)])).collect();
    rows_to_numpy(py, numbers, rows, cols)
}

/// A copy of an array as a matrix.
pub fn mat_from_numpy(array: &PyReadonlyArray2<'_, f64>) -> Mat<f64> {
    let view = array.as_array();
    Mat::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)])
}

/// The lower triangle of a square matrix, column after column, without the numbers above the diagonal.
pub fn triangle_to_numpy<'py>(py: Python<'py>, lower: &Lower) -> Vector<'py, f64> {
    let size = lower.size();
    let mut numbers = Vec::with_capacity(size * (size + 1) / 2);
    (0..size).for_each(|j| numbers.extend_from_slice(lower.column(j)));
    PyArray1::from_vec(py, numbers)
}

/// The lower triangle that [`triangle_to_numpy`] returned.
pub fn triangle_from_numpy(numbers: &PyReadonlyArray1<'_, f64>, size: usize) -> Lower {
    let mut lower = Lower::zeros(size);
    let mut numbers = numbers.as_array().into_iter();
    for j in 0..size {
        (j..size).zip(&mut numbers).for_each(|(i, number)| lower[(i, j)] = *number);
    }
    lower
}
