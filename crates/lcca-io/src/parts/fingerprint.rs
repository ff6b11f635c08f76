//! A fingerprint of rows: random sums over the rows of both views, formed in one pass.
//!
//! With random panels U and V of a few columns these are UᵀXᵀX·U and VᵀYᵀX·U, divided by the size of the
//! data. They change if a number changes, and if the rows of one view are put into another order, which
//! moments of columns do not show. Any storage of rows can form them, because they are sums over rows. They
//! are compared with a tolerance, because their last digits depend on the order of summation: noise is
//! below 1e-12, and two swapped rows among 1e8 are about 1e-8.

use lcca::data::{Ask, Pair, Side};
use lcca::matrix::Panel;

/// Columns of the random panels.
const COLUMNS: usize = 4;

/// The largest difference that is taken for rounding.
const TOLERANCE: f64 = 1e-10;

/// The fingerprint of the rows of a pair.
pub(crate) fn fingerprint(pair: &dyn Pair) -> lcca::Result<Vec<f64>> {
    let shape = pair.shape();
    let [x_size, y_size] = [Side::X, Side::Y].map(|side| {
        let moments = pair.moments(side)?;
        Ok::<f64, lcca::Error>(moments.square.iter().sum::<f64>().sqrt())
    });
    let (x_size, y_size) = (x_size?, y_size?);
    let u = Panel::from_fn(shape.x_cols, COLUMNS, |row, column| number(Side::X, row, column));
    let [mut xx, mut yx] = [shape.x_cols, shape.y_cols].map(|rows| Panel::zeros(rows, COLUMNS));
    pair.pass(&mut Ask::new().source(Side::X, &u).to(Side::X, &mut xx).to(Side::Y, &mut yx))?;
    let mut numbers = contracted(Side::X, &xx, x_size * x_size);
    numbers.extend(contracted(Side::Y, &yx, x_size * y_size));
    Ok(numbers)
}

/// Whether two fingerprints are those of the same rows.
pub(crate) fn agree(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= TOLERANCE)
}

/// The products of a panel with the random panel of its side, relative to a size.
fn contracted(side: Side, panel: &Panel, size: f64) -> Vec<f64> {
    let mut sums = [0.0; COLUMNS * COLUMNS];
    for row in 0..panel.rows() {
        let random: [f64; COLUMNS] = std::array::from_fn(|column| number(side, row, column));
        for (i, product) in panel.row(row).iter().enumerate() {
            random.iter().enumerate().for_each(|(j, random)| sums[i * COLUMNS + j] += random * product);
        }
    }
    sums.iter().map(|sum| if size > 0.0 { sum / size } else { 0.0 }).collect()
}

/// A number between -1 and 1 that depends only on its place (the mixing step of splitmix64).
fn number(side: Side, row: usize, column: usize) -> f64 {
    let place = ((row * COLUMNS + column) as u64) << 1 | side as u64;
    let mut bits = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ bits >> 31) as f64 / u64::MAX as f64 * 2.0 - 1.0
}
