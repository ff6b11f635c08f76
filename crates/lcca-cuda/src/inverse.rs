//! Forms B − A on chosen columns, or what a proof factorizes, on a device from the data that passes read, and
//! solves with it.

use crate::dense::columns::places;
use crate::dense::factor::{Factor, NARROW, TAKEN_OUT};
use crate::dense::panel::{At, column_sums, panel_of, scale_rows, stride_of};
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use crate::scattered::home::Home;
use crate::scattered::rows::{RowsOnDevice, ViewOnDevice};
use crate::scattered::sparse::SparseOnDevice;
use bytemuck::{Pod, Zeroable};
use faer::{Mat, MatRef};
use lcca::data::{Composition, InMemory, Pair, Side};
use lcca::matrix::{Matrix, Values};
use lcca::space::{BlockInverse, ChosenBlock, RowFactors, Tall};
use std::sync::Arc;

/// The number of parts of a chosen row of a Gram matrix that different warps read. Rows are shared because
/// a frequent column has entries with most others.
const PARTS: u64 = 16;
/// Sums over rows are whole multiples of 1/FIXED. This leaves 23 bits before the point, in which products
/// of scaled columns fit.
const FIXED: f64 = (1u64 << 40) as f64;

/// The Cholesky factor of a block, and the columns to which its rows belong.
pub(crate) struct InverseOnDevice {
    device: Arc<Device>,
    factor: Factor,
    /// The chosen columns of each view.
    columns: [Room<u32>; 2],
    /// The factors by which the rows of the chosen columns are scaled.
    scale: [Room<f64>; 2],
}

/// One view of the rows as the kernel sees it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct View {
    starts: u64,
    base: u64,
    columns: u64,
    values: u64,
    kind: i32,
    padding: i32,
    places: u64,
}

/// The most columns of a block that may be formed now. It takes at most half of the free memory.
pub(crate) fn most_columns(device: &Device) -> usize {
    (device.free() / 16).isqrt() as usize / NARROW * NARROW
}

/// Forms and factorizes a block; `None` if it does not fit the device's memory.
pub(crate) fn invert(
    device: &Arc<Device>,
    home: &Home,
    composition: &Composition<'_>,
    weight: f64,
    block: &ChosenBlock<'_>,
) -> lcca::Result<Option<InverseOnDevice>> {
    let chosen = block.scale.len();
    let size = chosen.next_multiple_of(NARROW);
    if size > most_columns(device) {
        return Ok(None);
    }
    let matrix: Room<f64> = device.zeros(size * size)?;
    // In the end, the columns are multiplied by their own factors, and by those that make the diagonal 1.
    let mut scale = block.scale.to_vec();
    let split = block.columns[0].len();
    for (side, start) in [(0, 0), (1, split)] {
        if let Some(factors) = composition.factors[side] {
            let own = scale[start..].iter_mut().zip(block.columns[side]);
            own.for_each(|(scale, &column)| *scale *= factors[column as usize]);
        }
    }
    let scale = device.copy(&scale)?;
    let columns = [device.copy(block.columns[0])?, device.copy(block.columns[1])?];
    match home {
        Home::Grams(grams) => {
            let heights = [grams.blocks[0][0].cols, grams.blocks[1][1].cols];
            let places = [
                places(device, &columns[0], 0, heights[0])?,
                places(device, &columns[1], split, heights[1])?,
            ];
            for (target, first) in [(0, 0), (1, split)] {
                for (source, places) in places.iter().enumerate().take(target + 1) {
                    let gram = &grams.blocks[target][source];
                    read_gram(device, gram, &columns[target], first, places, &matrix, size)?;
                }
            }
        }
        Home::Rows(rows) => {
            let Some(pair) = composition.home.downcast_ref::<InMemory>() else { return Ok(None) };
            read_rows(device, rows, pair, &columns, &scale, &matrix, size)?;
        }
    }
    let means: Option<Vec<f64>> = composition.means.map(|means| {
        let of_view =
            |side: usize| block.columns[side].iter().map(move |&column| means[side][column as usize]);
        of_view(0).chain(of_view(1)).collect()
    });
    let means = means.map(|means| device.copy(&means)).transpose()?;
    let means = means.as_ref().map(|means| (means, weight));
    finish(device, &matrix, size, means, &scale, block)?;
    let factor = Factor::new(device, matrix, size)?;
    let scale = [device.copy(&block.scale[..split])?, device.copy(&block.scale[split..])?];
    Ok(Some(InverseOnDevice { device: device.clone(), factor, columns, scale }))
}

/// Turns the Gram matrix of chosen columns into the block. `means` are those of the columns, with the weight
/// of all rows, and `scale` what columns are multiplied by.
pub(crate) fn finish(
    device: &Arc<Device>,
    matrix: &Room<f64>,
    size: usize,
    means: Option<(&Room<f64>, f64)>,
    scale: &Room<f64>,
    block: &ChosenBlock<'_>,
) -> Result<(), CudaError> {
    let lifting: Vec<f64> = block.lifting.col_iter().flat_map(|column| column.iter().copied()).collect();
    let lifting = device.copy(&lifting)?;
    device.launch(
        "finish_block",
        File::Block,
        Launch { blocks: (size as u64, (size as u64).div_ceil(256), 1), threads: 256, shared: 0 },
        &[
            &(block.scale.len() as u32),
            &(size as u32),
            &matrix.address(),
            &means.map_or(0, |(means, _)| means.address()),
            &means.map_or(0.0, |(_, weight)| weight),
            &scale.address(),
            &(block.columns[0].len() as u32),
            &i32::from(block.identities[0]),
            &i32::from(block.identities[1]),
            &block.sigma,
            &(block.lifting.ncols() as u32),
            &lifting.address(),
            &(1.0 + block.epsilon),
        ],
    )
}

/// Reads the entries of one block of the Gram matrix that belong to chosen columns.
fn read_gram(
    device: &Arc<Device>,
    gram: &SparseOnDevice,
    chosen: &Room<u32>,
    first: usize,
    places: &Room<u32>,
    matrix: &Room<f64>,
    size: usize,
) -> Result<(), CudaError> {
    let (values, kind) = gram.values.argument();
    device.launch(
        "read_gram",
        File::Block,
        Launch { blocks: ((chosen.len() as u64).div_ceil(4), PARTS, 1), threads: 128, shared: 0 },
        &[
            &(chosen.len() as u32),
            &chosen.address(),
            &(first as u32),
            &gram.row_offsets(),
            &gram.columns.address(),
            &values,
            &kind,
            &places.address(),
            &matrix.address(),
            &(size as u32),
        ],
    )
}

/// Sums the products of chosen columns over the rows. The order does not matter, because whole numbers are
/// added. If all entries are 1 and rows are not weighted, the sums are exact.
fn read_rows(
    device: &Arc<Device>,
    rows: &RowsOnDevice,
    pair: &InMemory,
    columns: &[Room<u32>; 2],
    scale: &Room<f64>,
    matrix: &Room<f64>,
    size: usize,
) -> lcca::Result<()> {
    let is_counted = pair.weights().is_none() && Side::BOTH.iter().all(|&side| is_all_ones(pair.view(side)));
    let (factors, unit) = if is_counted { (0, 1.0) } else { (scale.address(), FIXED) };
    let shape = pair.shape();
    let places = [
        places(device, &columns[0], 0, shape.x_cols)?,
        places(device, &columns[1], columns[0].len(), shape.y_cols)?,
    ];
    rows.for_each_chunk(device, pair, |chunk| {
        let mut views = [View::zeroed(), View::zeroed()];
        for (side, view) in chunk.views.iter().enumerate() {
            let ViewOnDevice::Sparse { rows, .. } = &**view else { continue };
            let (values, kind) = rows.values.argument();
            let (starts, columns) = (rows.row_offsets(), rows.columns.address());
            let places = places[side].address();
            views[side] = View { starts, base: 0, columns, values, kind, padding: 0, places };
        }
        let weights = chunk.weights();
        device.launch(
            "read_rows",
            File::Block,
            Launch::blocks((chunk.rows as u64).div_ceil(4), 128),
            &[
                &(chunk.rows as u64),
                &views[0],
                &views[1],
                &weights,
                &factors,
                &unit,
                &matrix.address(),
                &(size as u32),
            ],
        )?;
        Ok(())
    })?;
    let (chosen, count) = (scale.len() as u32, (size * size) as u64);
    device.launch(
        "to_floats",
        File::Block,
        Launch::each(count),
        &[&chosen, &(size as u32), &matrix.address(), &unit, &factors],
    )?;
    Ok(())
}

/// Whether every entry of a view is 1.
fn is_all_ones(view: &Matrix) -> bool {
    match view {
        Matrix::OneHot(_) => true,
        Matrix::Sparse(rows) => matches!(rows.values(), Values::Ones),
        Matrix::Dense(_) => false,
    }
}

impl InverseOnDevice {
    /// Copies vectors on the chosen columns to a panel with a row for each row of the factor.
    fn panel(&self, vectors: MatRef<'_, f64>) -> Result<(Room<f64>, usize), CudaError> {
        let stride = stride_of(vectors.ncols());
        let mut panel = vec![0.0; self.factor.size() * stride];
        for (j, vector) in vectors.col_iter().enumerate() {
            vector.iter().enumerate().for_each(|(i, &number)| panel[i * stride + j] = number);
        }
        Ok((self.device.copy(&panel)?, stride))
    }

    /// Copies the chosen rows of a view's panel between it and the block: `take_rows` or `put_rows`.
    fn move_rows(
        &self,
        name: &'static str,
        side: usize,
        to: u64,
        from: u64,
        stride: usize,
    ) -> Result<(), CudaError> {
        let (columns, scale) = (&self.columns[side], &self.scale[side]);
        let count = (columns.len() * stride) as u64;
        self.device.launch(
            name,
            File::Panel,
            Launch::each(count),
            &[&count, &(stride as u32), &to, &columns.address(), &from, &scale.address()],
        )
    }
}

impl BlockInverse for InverseOnDevice {
    fn apply(&self, outside: &[RowFactors; 2], x: &mut Tall, y: &mut Tall) -> lcca::Result<Vec<f64>> {
        let (stride, split, cols) = (panel_of(x).stride, self.columns[0].len(), x.cols());
        let size = self.factor.size();
        let (r, half): (Room<f64>, Room<f64>) =
            (self.device.zeros(size * stride)?, self.device.room(size * stride)?);
        let places = [r.address(), r.address_of(split * stride)];
        for (side, panel) in [&*x, &*y].into_iter().enumerate() {
            self.move_rows("take_rows", side, places[side], panel_of(panel).room.address(), stride)?;
        }
        self.factor.forward(&r, &half, stride)?;
        let at = At { address: half.address(), stride };
        let squares = column_sums(&self.device, size, at, at.address, 0)?;
        self.factor.backward(&half, &r, stride)?;
        for (side, panel) in [x, y].into_iter().enumerate() {
            scale_rows(&self.device, panel, &outside[side])?;
            self.move_rows("put_rows", side, panel_of(panel).room.address(), places[side], stride)?;
        }
        let mut squares = squares.to_vec()?;
        squares.truncate(cols);
        Ok(squares)
    }

    fn failed(&self) -> usize {
        self.factor.failed().len()
    }

    fn inverse_squares(&self, vectors: MatRef<'_, f64>) -> lcca::Result<Vec<f64>> {
        let (r, stride) = self.panel(vectors)?;
        let half: Room<f64> = self.device.room(self.factor.size() * stride)?;
        self.factor.forward(&r, &half, stride)?;
        let at = At { address: half.address(), stride };
        let mut squares = column_sums(&self.device, self.factor.size(), at, at.address, 0)?.to_vec()?;
        squares.truncate(vectors.ncols());
        Ok(squares)
    }

    /// The direction of column j is [−L⁻ᵀl; 1; 0], with l the row of L that it would have and L the factor of
    /// the columns before. That is L⁻ᵀe but for a factor, because the pivot that takes a column out is there.
    fn directions(&self, most: usize) -> lcca::Result<Mat<f64>> {
        let (columns, chosen) = (self.factor.failed(), self.columns[0].len() + self.columns[1].len());
        let columns = &columns[..columns.len().min(most)];
        let unit =
            Mat::from_fn(
                self.factor.size(),
                columns.len(),
                |i, j| {
                    if i == columns[j] { TAKEN_OUT } else { 0.0 }
                },
            );
        let (r, stride) = self.panel(unit.as_ref())?;
        let out: Room<f64> = self.device.room(self.factor.size() * stride)?;
        self.factor.backward(&r, &out, stride)?;
        let numbers = out.to_vec()?;
        Ok(Mat::from_fn(chosen, columns.len(), |i, j| numbers[i * stride + j]))
    }
}
