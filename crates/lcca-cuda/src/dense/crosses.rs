//! Sums over the rows of tall panels on a device. Many are formed at once, because each alone takes less
//! time than starting its kernel.

use super::panel::{FactorsOnDevice, column_sums_into, panel_of};
use super::product::Chunks;
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use bytemuck::{Pod, Zeroable};
use faer::{Mat, MatRef};
use lcca::space::{Reduction, RowFactors, Tall};
use rayon::prelude::*;
use std::sync::Arc;

/// Rows and columns of the part of a product that one warp forms.
const PART: usize = 32;

/// The least number of results for which threads share the work of taking them apart.
const SHARED: usize = 1 << 17;

/// The number of parts that a block of threads forms.
const TOGETHER: u64 = 8;

/// A part of a product as the kernel sees it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Part {
    a: u64,
    b: u64,
    rows: u64,
    place: u64,
    a_stride: u32,
    b_stride: u32,
    a_cols: u32,
    b_cols: u32,
    height: u32,
    unused: u32,
}

/// The place of a matrix among all numbers, column by column.
struct Place {
    first: usize,
    rows: usize,
    cols: usize,
}

/// The places of the numbers from which a reduction is put together.
enum Found {
    Whole(Place),
    /// The blocks of a symmetric matrix that are not to the left of the diagonal, one place per panel.
    Upper(Vec<Place>),
}

/// Products that are formed together.
#[derive(Default)]
struct Crosses {
    parts: Vec<Part>,
    /// The most rows of a panel.
    rows: usize,
    /// The count of numbers of all products.
    size: usize,
}

impl Crosses {
    /// Adds [A₁ A₂ …]ᵀ[B₁ B₂ …], and returns its future place.
    fn push(&mut self, a: &[&Tall], b: &[&Tall]) -> Place {
        let total = |talls: &[&Tall]| talls.iter().map(|tall| tall.cols()).sum::<usize>();
        let place = Place { first: self.size, rows: total(a), cols: total(b) };
        let mut row = 0;
        for left in a {
            let mut col = 0;
            for right in b {
                self.push_parts(left, right, place.first + col * place.rows + row, place.rows);
                col += right.cols();
            }
            row += left.cols();
        }
        self.size += place.rows * place.cols;
        place
    }

    /// Adds the parts of AᵀB for two groups of columns of A at a time, because neighbors then read the same
    /// columns of B.
    fn push_parts(&mut self, a: &Tall, b: &Tall, place: usize, height: usize) {
        self.rows = self.rows.max(a.rows());
        let (left, right) = (panel_of(a), panel_of(b));
        let firsts = |tall: &Tall| (0..tall.cols()).step_by(PART).collect::<Vec<usize>>();
        for two in firsts(a).chunks(2) {
            for b0 in firsts(b) {
                self.parts.extend(two.iter().map(|&a0| Part {
                    a: left.room.address_of(a0),
                    b: right.room.address_of(b0),
                    rows: a.rows() as u64,
                    place: (place + b0 * height + a0) as u64,
                    a_stride: left.stride as u32,
                    b_stride: right.stride as u32,
                    a_cols: PART.min(a.cols() - a0) as u32,
                    b_cols: PART.min(b.cols() - b0) as u32,
                    height: height as u32,
                    unused: 0,
                }));
            }
        }
    }

    /// Forms all products. Rows are cut into chunks, and the products of the chunks are added up in their
    /// order.
    fn form(&self, device: &Arc<Device>, out: u64) -> Result<(), CudaError> {
        if self.size == 0 {
            return Ok(());
        }
        let chunks = Chunks::new(self.rows, self.parts.len(), self.size);
        let partial: Room<f64> = device.room(chunks.count * chunks.size)?;
        let parts = device.copy(&self.parts)?;
        device.launch(
            "crosses_f64",
            File::Tall,
            Launch::blocks(
                (parts.len() as u64 * chunks.count as u64).div_ceil(TOGETHER),
                32 * TOGETHER as u32,
            ),
            &[
                &(parts.len() as u32),
                &parts.address(),
                &(chunks.rows as u64),
                &(chunks.count as u32),
                &(chunks.size as u64),
                &partial.address(),
            ],
        )?;
        chunks.add_up(device, out, &partial, false)
    }
}

/// Forms several sums over rows, with a single copy to the host.
pub(crate) fn reduce(device: &Arc<Device>, wanted: &[Reduction<'_>]) -> Result<Vec<Mat<f64>>, CudaError> {
    let mut crosses = Crosses::default();
    let mut squares: Vec<(&Tall, &RowFactors)> = Vec::new();
    let mut found: Vec<Option<Found>> = Vec::new();
    for reduction in wanted {
        found.push(match *reduction {
            Reduction::Cross(a, b) => Some(Found::Whole(crosses.push(a, b))),
            Reduction::Symmetric(a, b) => {
                let rows = (0..a.len()).map(|i| crosses.push(&a[i..=i], &b[i..]));
                Some(Found::Upper(rows.collect()))
            }
            Reduction::Squares(a, weights) => {
                squares.push((a, weights));
                None
            }
        });
    }
    // Sums of squares come last, because they come with those of the padding.
    let mut size = crosses.size;
    let firsts: Vec<usize> = squares
        .iter()
        .map(|(a, _)| {
            let first = size;
            size += panel_of(a).stride;
            first
        })
        .collect();
    let sums: Room<f64> = device.room(size)?;
    crosses.form(device, sums.address())?;
    for ((a, weights), &first) in squares.iter().zip(&firsts) {
        let (at, weights) = (panel_of(a).at(), weights.storage::<FactorsOnDevice>());
        column_sums_into(device, a.rows(), at, at.address, weights.0.address(), sums.address_of(first))?;
    }
    let numbers = sums.to_vec()?;
    let mut squares =
        squares.iter().zip(firsts).map(|((a, _), first)| Place { first, rows: a.cols(), cols: 1 });
    let found: Vec<Found> =
        found.into_iter().filter_map(|found| found.or_else(|| squares.next().map(Found::Whole))).collect();
    let made = |found: &Found| match found {
        Found::Whole(place) => matrix(&numbers, place).to_owned(),
        Found::Upper(places) => mirrored(&numbers, places),
    };
    if numbers.len() < SHARED {
        return Ok(found.iter().map(made).collect());
    }
    Ok(found.par_iter().with_max_len(1).map(made).collect())
}

fn matrix<'n>(numbers: &'n [f64], place: &Place) -> MatRef<'n, f64> {
    let own = &numbers[place.first..][..place.rows * place.cols];
    MatRef::from_column_major_slice(own, place.rows, place.cols)
}

/// Puts a symmetric matrix together from the blocks that are not to the left of its diagonal. Blocks on the
/// diagonal are averaged with their transposes.
fn mirrored(numbers: &[f64], places: &[Place]) -> Mat<f64> {
    let size = places.first().map_or(0, |place| place.cols);
    let mut whole = Mat::zeros(size, size);
    let mut top = 0;
    for place in places {
        let upper = matrix(numbers, place);
        whole.submatrix_mut(top, top, place.rows, place.cols).copy_from(upper);
        whole.submatrix_mut(top, top, place.cols, place.rows).copy_from(upper.transpose());
        let between = upper.subcols(0, place.rows);
        whole
            .submatrix_mut(top, top, place.rows, place.rows)
            .copy_from((between + between.transpose()) * faer::Scale(0.5));
        top += place.rows;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_right_of_the_diagonal_is_mirrored_and_what_is_around_it_averaged() {
        // Panels of two columns and of one: [1 2 3; 4 8 5] and [7], column by column.
        let numbers = [9.0, 1.0, 4.0, 2.0, 8.0, 3.0, 5.0, 7.0];
        let places = [Place { first: 1, rows: 2, cols: 3 }, Place { first: 7, rows: 1, cols: 1 }];
        let expected = [[1.0, 3.0, 3.0], [3.0, 8.0, 5.0], [3.0, 5.0, 7.0]];
        let found = mirrored(&numbers, &places);
        assert_eq!(found, Mat::from_fn(3, 3, |i, j| expected[i][j]));
    }
}
