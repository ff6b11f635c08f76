//! Rows that somebody else holds: a pair whose every verb is a call of a Python object.
//!
//! The interpreter's lock is held for the call and for taking over what it returns. What Python raises travels through the
//! engine as it is and comes out as it was.

use crate::failure::Failure;
use crate::grams::{GramArrays, JointArrays, block_from_numpy, gram_from_numpy};
use crate::panels::{add_to_panel, mat_from_numpy, offset_to_numpy, panel_to_numpy};
use faer::Mat;
use lcca::data::{
    Ask, GramEstimate, GramMatrix, GramSample, JointGram, Moments, Pair, Reduced, Shape, Side, Triangle,
    columns_to_keep,
};
use lcca::{Error, Result};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::sync::OnceLock;

/// The four products, as (target, source).
const ALL: [(Side, Side); 4] =
    [(Side::X, Side::X), (Side::Y, Side::X), (Side::X, Side::Y), (Side::Y, Side::Y)];

/// A Python object that answers what a pair is asked.
pub struct Remote {
    object: Py<PyAny>,
    shape: Shape,
    one_hot: [bool; 2],
    dense: [bool; 2],
    moments: [OnceLock<Moments>; 2],
}

impl Remote {
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rows, x_cols, y_cols) = object.getattr("shape")?.extract()?;
        Ok(Remote {
            object: object.clone().unbind(),
            shape: Shape { rows, x_cols, y_cols },
            one_hot: object.getattr("one_hot")?.extract()?,
            dense: object.getattr("dense")?.extract()?,
            moments: Default::default(),
        })
    }

    /// Runs `call` with the interpreter's lock.
    fn ask<T>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T> {
        Python::attach(|py| call(self.object.bind(py)).map_err(|error| travelling(py, error)))
    }
}

/// An exception on its way through the engine, which knows only one kind: that memory does not suffice.
fn travelling(py: Python<'_>, error: PyErr) -> Error {
    let bytes = |name: &str| error.value(py).getattr(name).and_then(|bytes| bytes.extract::<u64>());
    match (error.is_instance_of::<PyMemoryError>(py), bytes("needed"), bytes("allowed")) {
        (true, Ok(needed), Ok(allowed)) => Error::Memory {
            what: "a Gram matrix or factor of the rows of one worker".into(),
            needed,
            allowed,
            advice: "allow more memory, add workers, or use a method for larger data",
        },
        _ => Error::Elsewhere(Box::new(error)),
    }
}

fn raised(failure: Failure) -> PyErr {
    failure.into()
}

impl Pair for Remote {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        if let Some(known) = self.moments[side as usize].get() {
            return Ok(known);
        }
        type Found<'py> =
            (f64, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, u64>);
        let found = self.ask(|object| {
            let found = object.call_method1("moments", (side as usize,))?;
            let (weight, sum, square, count): Found<'_> = found.extract()?;
            let numbers = |array: &PyReadonlyArray1<'_, f64>| array.as_array().to_vec();
            Ok(Moments {
                weight,
                sum: numbers(&sum),
                square: numbers(&square),
                count: count.as_array().to_vec(),
            })
        })?;
        Ok(self.moments[side as usize].get_or_init(|| found))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        let wanted: Vec<(Side, Side)> = ALL.into_iter().filter(|&(t, s)| ask.wants_product(t, s)).collect();
        self.ask(|object| {
            let py = object.py();
            let source = |side: Side| {
                let source = ask.source_of(side).filter(|_| ask.wants(side));
                let array = |s: lcca::data::Source<'_>| -> PyResult<_> {
                    Ok((
                        panel_to_numpy(py, s.panel)?,
                        s.offset.map(|lines| offset_to_numpy(py, lines, s.panel.cols())),
                    ))
                };
                source.map(array).transpose()
            };
            let numbers: Vec<_> = wanted.iter().map(|&(t, s)| (t as usize, s as usize)).collect();
            let found = object.call_method1("products", ((source(Side::X)?, source(Side::Y)?), numbers))?;
            let found: Vec<PyReadonlyArray2<'_, f64>> = found.extract()?;
            for (&(target, source), product) in wanted.iter().zip(&found) {
                if let Some(out) = ask.target(target, source) {
                    add_to_panel(out, product)?;
                }
            }
            Ok(())
        })
    }

    fn is_one_hot(&self, side: Side) -> bool {
        self.one_hot[side as usize]
    }

    fn reduced(&self) -> Result<Option<Reduced>> {
        let mut columns = columns_to_keep(self)?;
        for (kept, &dense) in columns.iter_mut().zip(&self.dense) {
            *kept = kept.take().filter(|_| !dense);
        }
        let smaller = self.ask(|object| {
            let [x, y] =
                columns.each_ref().map(|kept| kept.as_ref().map(|k| PyArray1::from_slice(object.py(), k)));
            let smaller = object.call_method1("reduced", (x, y))?;
            if smaller.is_none() { Ok(None) } else { Remote::new(&smaller).map(Some) }
        })?;
        Ok(smaller.and_then(|smaller| Reduced::new(self.shape, Box::new(smaller), columns)))
    }

    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        self.ask(|object| {
            let found: GramArrays<'_> = object.call_method1("gram", (side as usize, limit))?.extract()?;
            Ok(gram_from_numpy(found))
        })
    }

    fn joint_gram_estimate(&self) -> Result<Option<GramEstimate>> {
        type Found<'py> = Option<(usize, usize, f64, f64, f64, PyReadonlyArray1<'py, u64>)>;
        self.ask(|object| {
            let found = object.call_method0("gram_sample")?;
            let found: Found<'_> = found.extract()?;
            Ok(found.map(|(rows, looked_at, all, largest, stored, pairs)| {
                let pairs = pairs.as_array().to_vec();
                GramSample { rows, looked_at, all, largest, stored, pairs }.estimate(self.shape)
            }))
        })
    }

    fn joint_gram(&self, limit: u64) -> Result<Option<JointGram>> {
        let moments = [self.moments(Side::X)?.clone(), self.moments(Side::Y)?.clone()];
        let Shape { x_cols, y_cols, .. } = self.shape;
        let blocks = self.ask(|object| {
            let found: Option<JointArrays<'_>> = object.call_method1("joint_gram", (limit,))?.extract()?;
            let Some([xx, xy, yy]) = found else { return Ok(None) };
            let block = |block, cols| block_from_numpy(block, cols).map_err(raised);
            Ok(Some([block(&xx, x_cols)?, block(&xy, y_cols)?, block(&yy, y_cols)?]))
        })?;
        blocks.map(|blocks| JointGram::from_blocks(self.shape, moments, blocks)).transpose()
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        self.ask(|object| {
            let means = means.map(|[x, y]| [x, y].map(|mean| PyArray1::from_slice(object.py(), mean)));
            let found = object.call_method1("dense_gram", (means.map(|[x, y]| (x, y)), limit))?;
            Ok(mat_from_numpy(&found.extract()?))
        })
    }

    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let factor = self.ask(|object| {
            let found = object.call_method1("triangle", (limit,))?;
            Ok(mat_from_numpy(&found.extract()?))
        })?;
        Ok(Triangle::new(factor, self.shape.x_cols))
    }
}
