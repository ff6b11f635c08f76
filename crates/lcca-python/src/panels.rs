//! Panels, vectors and matrices, to NumPy and back.

use crate::failure::Failure;
use bytemuck::Zeroable;
use faer::{Mat, MatRef};
use lcca::data::Source;
use lcca::matrix::{LANES, Line, Panel};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

/// Numbers that one thread adds at a time.
const ADDED: usize = 1 << 15;

/// Means of both views.
pub type Means<'py> = (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);
/// A panel to multiply with, and what to subtract from every row's product.
type ArraySource<'py> = (PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>);
/// The same, copied to where the engine can use it.
pub type PanelSource = (Panel, Option<Vec<Line>>);

/// What both views are multiplied with.
#[derive(FromPyObject)]
pub struct Sources<'py>(Option<ArraySource<'py>>, Option<ArraySource<'py>>);

impl Sources<'_> {
    pub fn panels(&self) -> Result<[Option<PanelSource>; 2], Failure> {
        let panel = |source: &Option<ArraySource<'_>>| {
            source.as_ref().map(|(panel, offset)| -> Result<PanelSource, Failure> {
                aligned(panel)?;
                Ok((from_numpy(panel), offset.as_ref().map(|offset| lines(&offset.as_array().to_vec()))))
            })
        };
        Ok([panel(&self.0).transpose()?, panel(&self.1).transpose()?])
    }
}

/// A source of a pass.
pub fn source((panel, offset): &PanelSource) -> Source<'_> {
    Source { panel, offset: offset.as_deref() }
}

/// Arrays from the network may begin at any byte, and nobody but Python can copy those.
fn aligned(array: &PyReadonlyArray2<'_, f64>) -> Result<(), Failure> {
    if array.len() > 0 && !array.data().addr().is_multiple_of(align_of::<f64>()) {
        return Err(Failure::Usage("the array is not aligned; numpy.require copies it".into()));
    }
    Ok(())
}

fn lines(numbers: &[f64]) -> Vec<Line> {
    let mut lines = vec![Line::zeroed(); numbers.len().div_ceil(LANES)];
    numbers.iter().enumerate().for_each(|(at, &number)| lines[at / LANES].0[at % LANES] = number);
    lines
}

/// The first `cols` numbers of some lines.
pub fn offset_to_numpy<'py>(py: Python<'py>, lines: &[Line], cols: usize) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_iter(py, lines.iter().flat_map(|line| line.0).take(cols))
}

/// A copy without the padding, row after row.
pub fn to_numpy<'py>(py: Python<'py>, panel: &Panel) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut numbers = Vec::with_capacity(panel.rows() * panel.cols());
    (0..panel.rows()).for_each(|row| numbers.extend_from_slice(panel.row(row)));
    rows_to_numpy(py, numbers, panel.rows(), panel.cols())
}

/// Numbers row after row, handed over without a copy.
pub fn rows_to_numpy<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    rows: usize,
    cols: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, numbers).reshape([rows, cols])
}

/// A copy with padding.
pub fn from_numpy(array: &PyReadonlyArray2<'_, f64>) -> Panel {
    let view = array.as_array();
    let Some(numbers) = view.to_slice() else {
        return Panel::from_fn(view.nrows(), view.ncols(), |row, col| view[(row, col)]);
    };
    let (mut panel, cols) = (Panel::zeros(view.nrows(), view.ncols()), view.ncols().max(1));
    numbers.chunks_exact(cols).enumerate().for_each(|(row, from)| panel.row_mut(row).copy_from_slice(from));
    panel
}

/// panel ← panel + array.
pub fn add_numpy(panel: &mut Panel, array: &PyReadonlyArray2<'_, f64>) -> Result<(), Failure> {
    let (view, cols) = (array.as_array(), panel.cols());
    aligned(array)?;
    let numbers = view.to_slice().filter(|_| (view.nrows(), view.ncols()) == (panel.rows(), cols));
    let Some(numbers) = numbers else {
        let (rows, found) = (panel.rows(), array.shape());
        return Err(Failure::Usage(format!(
            "a product of shape {found:?}, expected {rows} × {cols} in C order"
        )));
    };
    let stride = panel.lines_per_row();
    if stride == 0 {
        return Ok(());
    }
    let rows = (ADDED / cols).max(1);
    panel.lines_mut().par_chunks_mut(rows * stride).zip(numbers.par_chunks(rows * cols)).for_each(
        |(out, from)| {
            for (out, from) in out.chunks_exact_mut(stride).zip(from.chunks_exact(cols)) {
                let out: &mut [f64] = bytemuck::cast_slice_mut(out);
                out.iter_mut().zip(from).for_each(|(out, from)| *out += from);
            }
        },
    );
    Ok(())
}

/// A copy, row after row.
pub fn mat_to_numpy<'py>(py: Python<'py>, mat: MatRef<'_, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, cols) = (mat.nrows(), mat.ncols());
    let numbers = (0..rows).flat_map(|i| (0..cols).map(move |j| mat[(i, j)])).collect();
    rows_to_numpy(py, numbers, rows, cols)
}

/// A copy.
pub fn mat_from_numpy(array: &PyReadonlyArray2<'_, f64>) -> Mat<f64> {
    let view = array.as_array();
    Mat::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)])
}
