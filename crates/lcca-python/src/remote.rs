//! A pair of views that a Python object answers for: every method is a call of that object.
//!
//! The contract is that of [`Pair`]: the object has a `shape`, `moments` and `products`. It names its
//! further abilities in its attribute `capabilities`; methods of capabilities that it does not name are
//! never called. We hold the interpreter's lock during the call and while we copy its result. An exception
//! travels through the engine and comes out unchanged.

use crate::failure::Failure;
use crate::grams::{GramArrays, JointArrays, block_from_numpy, gram_from_numpy};
use crate::panels::{add_to_panel, mat_from_numpy, offset_to_numpy, panel_to_numpy, triangle_from_numpy};
use crate::rows_sample::{RowsArrays, rows_from_numpy};
use crate::sums::{MomentArrays, SampleArrays};
use faer::Mat;
use lcca::data::{
    Ask, Blocks, Capabilities, GramEstimate, GramMatrix, GramSample, Grams, InMemory, JointGram, JointGrams,
    Moments, Pair, Reduced, Samples, Shape, Side, Structure, Triangle, Triangles, columns_to_keep,
};
use lcca::matrix::Lower;
use lcca::{Error, Result};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::sync::OnceLock;

/// The four products that a pass can form, as (target, source).
const PRODUCTS: [(Side, Side); 4] =
    [(Side::X, Side::X), (Side::Y, Side::X), (Side::X, Side::Y), (Side::Y, Side::Y)];

/// The Python object, and the facts that it tells about itself once.
pub struct Remote {
    object: Py<PyAny>,
    shape: Shape,
    offers: Offers,
    one_hot: [bool; 2],
    dense: [bool; 2],
    moments: [OnceLock<Moments>; 2],
}

/// The capabilities that the object names.
#[derive(Default)]
struct Offers {
    structure: bool,
    grams: bool,
    joint_grams: bool,
    triangles: bool,
    blocks: bool,
    samples: bool,
}

impl Remote {
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rows, x_cols, y_cols) = object.getattr("shape")?.extract()?;
        let offers = Offers::from_attribute(&object.getattr("capabilities")?)?;
        let (mut one_hot, mut dense) = ([false; 2], [false; 2]);
        if offers.structure {
            one_hot = object.getattr("one_hot")?.extract()?;
            dense = object.getattr("dense")?.extract()?;
        }
        Ok(Remote {
            object: object.clone().unbind(),
            shape: Shape { rows, x_cols, y_cols },
            offers,
            one_hot,
            dense,
            moments: Default::default(),
        })
    }

    /// Calls the object with the interpreter's lock held.
    fn call<T>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T> {
        Python::attach(|py| call(self.object.bind(py)).map_err(|error| engine_error(py, error)))
    }
}

impl Offers {
    fn from_attribute(names: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut offers = Offers::default();
        for name in names.try_iter()? {
            let name: String = name?.extract()?;
            let offer = match name.as_str() {
                "structure" => &mut offers.structure,
                "grams" => &mut offers.grams,
                "joint_grams" => &mut offers.joint_grams,
                "triangles" => &mut offers.triangles,
                "blocks" => &mut offers.blocks,
                "samples" => &mut offers.samples,
                _ => {
                    let expected =
                        "\"structure\", \"grams\", \"joint_grams\", \"triangles\", \"blocks\" or \"samples\"";
                    return Err(Failure::Usage(format!("capability {name:?}, expected {expected}")).into());
                }
            };
            *offer = true;
        }
        Ok(offers)
    }
}

/// Wraps an exception for its way through the engine. The engine reacts to one kind only: a matrix that
/// does not fit in memory.
fn engine_error(py: Python<'_>, error: PyErr) -> Error {
    let bytes = |name: &str| error.value(py).getattr(name).and_then(|bytes| bytes.extract::<u64>());
    match (error.is_instance_of::<PyMemoryError>(py), bytes("needed"), bytes("allowed")) {
        (true, Ok(needed), Ok(allowed)) => Error::Memory {
            what: "a Gram matrix or factor of the rows of one worker".into(),
            needed,
            allowed,
            advice: "allow more memory, add workers, or use a method for larger data",
        },
        _ => Error::External(Box::new(error)),
    }
}

fn check_count(what: &str, count: usize, expected: usize) -> PyResult<()> {
    if count == expected {
        return Ok(());
    }
    Err(Failure::Usage(format!("the pair returned {count} {what}, expected {expected}")).into())
}

fn check_shape(what: &str, shape: &[usize], expected: [usize; 2]) -> PyResult<()> {
    if shape == expected {
        return Ok(());
    }
    Err(Failure::Usage(format!("the pair returned {what} of shape {shape:?}, expected {expected:?}")).into())
}

impl Pair for Remote {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        if let Some(known) = self.moments[side as usize].get() {
            return Ok(known);
        }
        let moments = self.call(|object| {
            let arrays = object.call_method1("moments", (side as usize,))?;
            let moments = Moments::from(arrays.extract::<MomentArrays<'_>>()?);
            let lengths = [moments.square.len(), moments.count.len(), moments.nonzero.len()];
            for columns in lengths.into_iter().chain([moments.sum.len()]) {
                check_count("moments", columns, self.shape.cols(side))?;
            }
            Ok(moments)
        })?;
        Ok(self.moments[side as usize].get_or_init(|| moments))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        let requested: Vec<(Side, Side)> =
            PRODUCTS.into_iter().filter(|&(target, source)| ask.wants_product(target, source)).collect();
        self.call(|object| {
            let py = object.py();
            let panel = |side: Side| {
                let Some(source) = ask.source_of(side).filter(|_| ask.wants(side)) else { return Ok(None) };
                let offset = source.offset.map(|lines| offset_to_numpy(py, lines, source.panel.cols()));
                PyResult::Ok(Some((panel_to_numpy(py, source.panel)?, offset)))
            };
            let numbers: Vec<_> =
                requested.iter().map(|&(target, source)| (target as usize, source as usize)).collect();
            let products = object.call_method1("products", ((panel(Side::X)?, panel(Side::Y)?), numbers))?;
            let products: Vec<PyReadonlyArray2<'_, f64>> = products.extract()?;
            check_count("products", products.len(), requested.len())?;
            for (&(target, source), product) in requested.iter().zip(&products) {
                if let Some(output) = ask.target(target, source) {
                    add_to_panel(output, product)?;
                }
            }
            Ok(())
        })
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            structure: self.offers.structure.then_some(self),
            grams: self.offers.grams.then_some(self),
            joint_grams: self.offers.joint_grams.then_some(self),
            triangles: self.offers.triangles.then_some(self),
            blocks: self.offers.blocks.then_some(self),
            samples: self.offers.samples.then_some(self),
            covariates: None,
            space: None,
        }
    }
}

impl Structure for Remote {
    fn is_one_hot(&self, side: Side) -> bool {
        self.one_hot[side as usize]
    }

    fn reduced(&self) -> Result<Option<Reduced>> {
        let [x, y] = [&self.moments(Side::X)?.count, &self.moments(Side::Y)?.count];
        let mut columns = columns_to_keep([x, y], self.shape.rows);
        for (kept, &dense) in columns.iter_mut().zip(&self.dense) {
            // Dense rows keep all their columns, because they are cheapest unchanged.
            *kept = kept.take().filter(|_| !dense);
        }
        let smaller = self.call(|object| {
            let [x, y] = columns
                .each_ref()
                .map(|kept| kept.as_ref().map(|kept| PyArray1::from_slice(object.py(), kept)));
            let smaller = object.call_method1("reduced", (x, y))?;
            if smaller.is_none() { Ok(None) } else { Remote::new(&smaller).map(Some) }
        })?;
        Ok(smaller.and_then(|smaller| Reduced::new(self.shape, Box::new(smaller), columns)))
    }
}

impl Grams for Remote {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        self.call(|object| {
            let arrays: GramArrays<'_> = object.call_method1("gram", (side as usize, limit))?.extract()?;
            if let GramArrays::Dense(dense) = &arrays {
                check_shape("a Gram matrix", dense.shape(), [self.shape.cols(side); 2])?;
            }
            Ok(gram_from_numpy(arrays))
        })
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        self.call(|object| {
            let means = means.map(|[x, y]| [x, y].map(|mean| PyArray1::from_slice(object.py(), mean)));
            let gram = object.call_method1("dense_gram", (means.map(|[x, y]| (x, y)), limit))?;
            let gram: PyReadonlyArray2<'_, f64> = gram.extract()?;
            check_shape("a Gram matrix", gram.shape(), [self.shape.x_cols + self.shape.y_cols; 2])?;
            Ok(mat_from_numpy(&gram))
        })
    }
}

impl JointGrams for Remote {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        self.call(|object| {
            let sample: Option<SampleArrays<'_>> = object.call_method0("gram_sample")?.extract()?;
            Ok(sample.map(|sample| GramSample::from(sample).estimate(self.shape)))
        })
    }

    fn joint_gram(&self, limit: u64) -> Result<JointGram> {
        let moments = [self.moments(Side::X)?.clone(), self.moments(Side::Y)?.clone()];
        let Shape { x_cols, y_cols, .. } = self.shape;
        let blocks = self.call(|object| {
            let [xx, xy, yy]: JointArrays<'_> = object.call_method1("joint_gram", (limit,))?.extract()?;
            let block = |arrays, cols| block_from_numpy(arrays, cols).map_err(PyErr::from);
            Ok([block(&xx, x_cols)?, block(&xy, y_cols)?, block(&yy, y_cols)?])
        })?;
        JointGram::from_blocks(self.shape, moments, blocks)
    }
}

impl Triangles for Remote {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let factor = self.call(|object| {
            let factor = object.call_method1("triangle", (limit,))?;
            let factor: PyReadonlyArray2<'_, f64> = factor.extract()?;
            check_count("columns of a factor", factor.shape()[1], 1 + self.shape.x_cols + self.shape.y_cols)?;
            Ok(mat_from_numpy(&factor))
        })?;
        Ok(Triangle::new(factor, self.shape.x_cols))
    }
}

impl Blocks for Remote {
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        let width = columns[0].len() + columns[1].len();
        self.call(|object| {
            let [x, y] = columns.map(|columns| PyArray1::from_slice(object.py(), columns));
            let means = means.map(|[x, y]| [x, y].map(|mean| PyArray1::from_slice(object.py(), mean)));
            let arguments = ((x, y), means.map(|[x, y]| (x, y)), limit);
            let triangle: PyReadonlyArray1<'_, f64> =
                object.call_method1("block_gram", arguments)?.extract()?;
            check_count("numbers of a triangle", triangle.len(), width * (width + 1) / 2)?;
            Ok(triangle_from_numpy(&triangle, width))
        })
    }
}

impl Samples for Remote {
    fn sample(&self, rows: usize) -> Result<InMemory> {
        self.call(|object| {
            let arrays: RowsArrays<'_> = object.call_method1("sample", (rows,))?.extract()?;
            Ok(rows_from_numpy(&arrays, self.shape)?)
        })
    }
}
