//! The coarse block on a device: formed from what passes read, factorized, and solved with.

use crate::device::Device;
use crate::error::CudaError;
use crate::home::Home;
use crate::kernels::File;
use crate::launch::{Argument, Launch};
use crate::panel::{At, column_sums, panel_of, scale_rows};
use crate::room::Room;
use crate::rows::{RowsOnDevice, ViewOnDevice};
use crate::sparse::SparseOnDevice;
use bytemuck::{Pod, Zeroable};
use lcca::data::{Composition, InMemory, Pair, Side};
use lcca::matrix::{Matrix, Values};
use lcca::space::{BlockInverse, ChosenBlock, RowFactors, Tall};
use std::sync::Arc;

/// Rows and columns of the blocks in which a matrix is factorized.
const SIZE: usize = 64;
/// The place of a column that was not chosen.
const NONE: u32 = u32::MAX;
/// Sums over rows are whole numbers of 1/FIXED: with 23 bits before the point, products of scaled columns fit.
const FIXED: f64 = (1u64 << 40) as f64;

/// The Cholesky factor of a block, with the inverses of its diagonal blocks.
pub(crate) struct InverseOnDevice {
    device: Arc<Device>,
    /// Rows of the factor, a multiple of [`SIZE`].
    size: usize,
    factor: Room<f64>,
    inverses: Room<f64>,
    /// The chosen columns of each view.
    columns: [Room<u32>; 2],
    /// What their rows are scaled by.
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

/// Forms and factorizes a block; `None` if it is singular or does not fit the device's memory.
pub(crate) fn invert(
    device: &Arc<Device>,
    home: &Home,
    composition: &Composition<'_>,
    weight: f64,
    block: &ChosenBlock<'_>,
) -> lcca::Result<Option<InverseOnDevice>> {
    let chosen = block.scale.len();
    let size = chosen.next_multiple_of(SIZE);
    let bytes = 8 * (size * size) as u64;
    if bytes > device.free() / 2 {
        return Ok(None);
    }
    let factor: Room<f64> = device.zeros(size * size)?;
    // What the columns are multiplied by in the end: their own factors, and what makes the diagonal 1.
    let mut scale = block.scale.to_vec();
    let split = block.columns[0].len();
    for (side, start) in [(0, 0), (1, split)] {
        if let Some(factors) = composition.factors[side] {
            let own = scale[start..].iter_mut().zip(block.columns[side]);
            own.for_each(|(scale, &column)| *scale *= factors[column as usize]);
        }
    }
    let scale = device.copy(&scale)?;
    match home {
        Home::Grams(grams) => {
            for (target, first) in [(0, 0), (1, split)] {
                let chosen = device.copy(block.columns[target])?;
                for source in 0..=target {
                    read_gram(
                        device,
                        &grams.blocks[target][source],
                        &chosen,
                        first,
                        block,
                        source,
                        &factor,
                        size,
                    )?;
                }
            }
        }
        Home::Rows(rows) => {
            let Some(pair) = composition.home.downcast_ref::<InMemory>() else { return Ok(None) };
            read_rows(device, rows, pair, block, &scale, &factor, size)?;
        }
    }
    let means: Option<Vec<f64>> = composition.means.map(|means| {
        let of_view =
            |side: usize| block.columns[side].iter().map(move |&column| means[side][column as usize]);
        of_view(0).chain(of_view(1)).collect()
    });
    let means = means.map(|means| device.copy(&means)).transpose()?;
    let count = (size * size) as u64;
    device.launch(
        "finish_block",
        File::Block,
        Launch::each(count),
        &[
            &(chosen as u32),
            &(size as u32),
            &factor.address(),
            &means.as_ref().map_or(0, Room::address),
            &weight,
            &scale.address(),
            &(split as u32),
            &i32::from(block.identities[0]),
            &i32::from(block.identities[1]),
            &(1.0 + block.epsilon),
        ],
    )?;
    let Some(inverses) = factorize(device, &factor, size)? else { return Ok(None) };
    let columns = [device.copy(block.columns[0])?, device.copy(block.columns[1])?];
    let scale = [device.copy(&block.scale[..split])?, device.copy(&block.scale[split..])?];
    Ok(Some(InverseOnDevice { device: device.clone(), size, factor, inverses, columns, scale }))
}

/// The place of every column of a view in the block.
fn places(
    device: &Arc<Device>,
    block: &ChosenBlock<'_>,
    side: usize,
    cols: usize,
) -> Result<Room<u32>, CudaError> {
    let mut places = vec![NONE; cols];
    let first = if side == 0 { 0 } else { block.columns[0].len() };
    for (i, &column) in block.columns[side].iter().enumerate() {
        places[column as usize] = (first + i) as u32;
    }
    device.copy(&places)
}

/// Reads the entries of one block of the Gram matrix that belong to chosen columns.
fn read_gram(
    device: &Arc<Device>,
    gram: &SparseOnDevice,
    chosen: &Room<u32>,
    first: usize,
    block: &ChosenBlock<'_>,
    source: usize,
    matrix: &Room<f64>,
    size: usize,
) -> Result<(), CudaError> {
    let places = places(device, block, source, gram.cols)?;
    let (values, kind) = gram.values.argument();
    device.launch(
        "read_gram",
        File::Block,
        Launch::blocks((chosen.len() as u64).div_ceil(4), 128),
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

/// Sums the products of chosen columns over the rows. Whole numbers are added, so that the order does not matter; if all entries are
/// 1 and rows are not weighted, the sums are exact.
fn read_rows(
    device: &Arc<Device>,
    rows: &RowsOnDevice,
    pair: &InMemory,
    block: &ChosenBlock<'_>,
    scale: &Room<f64>,
    matrix: &Room<f64>,
    size: usize,
) -> lcca::Result<()> {
    let is_counted = pair.weights().is_none() && Side::BOTH.iter().all(|&side| is_all_ones(pair.view(side)));
    let (factors, unit) = if is_counted { (0, 1.0) } else { (scale.address(), FIXED) };
    let shape = pair.shape();
    let places = [places(device, block, 0, shape.x_cols)?, places(device, block, 1, shape.y_cols)?];
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

/// The Cholesky factor in place, and the inverses of its diagonal blocks; `None` if a pivot is not positive.
fn factorize(device: &Arc<Device>, matrix: &Room<f64>, size: usize) -> Result<Option<Room<f64>>, CudaError> {
    let inverses: Room<f64> = device.room(size * SIZE)?;
    let failed: Room<i32> = device.zeros(1)?;
    let launch = |name: &'static str, blocks: usize, threads: u32, arguments: &[&dyn Argument]| {
        device.launch(name, File::Block, Launch::blocks(blocks as u64, threads), arguments)
    };
    for first in (0..size).step_by(SIZE) {
        let below = (size - first) / SIZE - 1;
        let (start, order) = (first as u32, size as u32);
        launch(
            "factor_diagonal",
            1,
            256,
            &[&order, &matrix.address(), &start, &inverses.address(), &failed.address()],
        )?;
        launch("factor_below", below, 128, &[&order, &matrix.address(), &start, &inverses.address()])?;
        launch("factor_rest", below * (below + 1) / 2, 128, &[&order, &matrix.address(), &start])?;
    }
    Ok((failed.to_vec()?[0] == 0).then_some(inverses))
}

impl InverseOnDevice {
    /// r ← L⁻¹r, or r ← L⁻ᵀr.
    fn solve(&self, r: &Room<f64>, stride: usize, is_transposed: bool) -> Result<(), CudaError> {
        let blocks = self.size / SIZE;
        let (tiles, transposed) = ((stride as u64).div_ceil(32), i32::from(is_transposed));
        for step in 0..blocks {
            let own = if is_transposed { blocks - 1 - step } else { step };
            let (first, others) = ((own * SIZE) as u32, (blocks - 1 - step) as u64);
            self.device.launch(
                "solve_diagonal",
                File::Block,
                Launch::blocks(tiles, 256),
                &[&self.inverses.address(), &first, &r.address(), &(stride as u32), &transposed],
            )?;
            self.device.launch(
                "solve_rest",
                File::Block,
                Launch { blocks: (others, tiles, 1), threads: 256, shared: 0 },
                &[
                    &(self.size as u32),
                    &self.factor.address(),
                    &first,
                    &r.address(),
                    &(stride as u32),
                    &transposed,
                ],
            )?;
        }
        Ok(())
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
        let r: Room<f64> = self.device.zeros(self.size * stride)?;
        let places = [r.address(), r.address_of(split * stride)];
        for (side, panel) in [&*x, &*y].into_iter().enumerate() {
            self.move_rows("take_rows", side, places[side], panel_of(panel).room.address(), stride)?;
        }
        self.solve(&r, stride, false)?;
        let at = At { address: r.address(), stride };
        let squares = column_sums(&self.device, self.size, at, at.address, 0)?;
        self.solve(&r, stride, true)?;
        for (side, panel) in [x, y].into_iter().enumerate() {
            scale_rows(&self.device, panel, &outside[side])?;
            self.move_rows("put_rows", side, panel_of(panel).room.address(), places[side], stride)?;
        }
        let mut squares = squares.to_vec()?;
        squares.truncate(cols);
        Ok(squares)
    }
}
