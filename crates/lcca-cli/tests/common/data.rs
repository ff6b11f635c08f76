//! Small views whose numbers are exact in single precision and in short decimals, because every format must
//! hold equal ones.

use super::Folder;
use lcca::matrix::{DenseRows, DenseValues, Matrix, SparseRows, Values};
use lcca_io::write_matrix;
use std::fmt::Write as _;
use std::path::Path;

/// Random numbers that are equal on every machine (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `limit`, excluded.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }
}

/// The rows of a view as (column, value), with ascending columns.
pub type Rows = Vec<Vec<(u32, f64)>>;

/// Two sparse views that share one topic per row: some entries follow the topic, some do not.
pub fn topics(rows: usize, x_cols: usize, y_cols: usize, seed: u64) -> [Rows; 2] {
    let mut dice = Dice(seed);
    let mut views = [Rows::new(), Rows::new()];
    for _ in 0..rows {
        let topic = dice.below(7);
        for (view, cols) in views.iter_mut().zip([x_cols, y_cols]) {
            view.push(row(&mut dice, topic, cols));
        }
    }
    views
}

fn row(dice: &mut Dice, topic: usize, cols: usize) -> Vec<(u32, f64)> {
    let (common, own) = ((topic * 5 + dice.below(3)) % cols, dice.below(cols));
    let mut columns = vec![common as u32, own as u32, dice.below(cols) as u32];
    columns.sort_unstable();
    columns.dedup();
    columns.into_iter().map(|column| (column, (1 + dice.below(12)) as f64 / 4.0)).collect()
}

/// The rows as a sparse matrix.
pub fn sparse(cols: usize, rows: &Rows) -> Matrix {
    let mut ends = vec![0u64];
    rows.iter().for_each(|row| ends.push(ends.last().unwrap() + row.len() as u64));
    let columns: Vec<u32> = rows.iter().flatten().map(|&(column, _)| column).collect();
    let values: Vec<f64> = rows.iter().flatten().map(|&(_, value)| value).collect();
    SparseRows::new(cols, ends.into(), columns.into(), Values::F64(values.into())).unwrap().into()
}

/// The rows as a dense matrix.
pub fn dense(cols: usize, rows: &Rows) -> Matrix {
    let mut values = vec![0.0; rows.len() * cols];
    for (i, row) in rows.iter().enumerate() {
        row.iter().for_each(|&(column, value)| values[i * cols + column as usize] = value);
    }
    DenseRows::new(rows.len(), cols, DenseValues::F64(values.into())).unwrap().into()
}

/// The rows as svmlight lines.
pub fn svmlight(rows: &Rows) -> String {
    let mut text = String::new();
    for row in rows {
        text.push('0');
        row.iter().for_each(|(column, value)| write!(text, " {}:{value}", column + 1).unwrap());
        text.push('\n');
    }
    text
}

pub const X_COLS: usize = 40;
pub const Y_COLS: usize = 30;

impl Folder {
    /// A folder with x.npz (40 columns) and y.npz (30 columns) of this many rows.
    pub fn with_views(rows: usize, seed: u64) -> Self {
        let folder = Folder::new();
        folder.write_views(["x.npz", "y.npz"], &topics(rows, X_COLS, Y_COLS, seed));
        folder
    }

    pub fn write_views(&self, names: [&str; 2], views: &[Rows; 2]) {
        for ((name, rows), cols) in names.into_iter().zip(views).zip([X_COLS, Y_COLS]) {
            self.write_matrix(name, &sparse(cols, rows));
        }
    }

    pub fn write_matrix(&self, name: &str, matrix: &Matrix) {
        write_matrix(&self.path(name), matrix).unwrap();
    }
}

/// The columns of a matrix file.
pub fn columns(path: &Path) -> Vec<Vec<f64>> {
    let matrix = lcca_io::read_matrix(path).unwrap().matrix;
    let mut columns = vec![vec![0.0; matrix.rows()]; matrix.cols()];
    (0..matrix.rows()).for_each(|row| matrix.for_each(row, |column, value| columns[column][row] = value));
    columns
}

/// A name that is markup, script and quotes at once.
pub const NASTY: &str = "</script><b>\"&'<!--\u{2028}";

impl Folder {
    /// A folder with the stores x.safetensors and y.safetensors, whose columns are called x0 … and y0 …; the
    /// first of x is [`NASTY`].
    pub fn with_named_views(rows: usize, seed: u64) -> Self {
        let folder = Folder::new();
        let views = topics(rows, X_COLS, Y_COLS, seed);
        for ((view, rows), cols) in ["x", "y"].into_iter().zip(&views).zip([X_COLS, Y_COLS]) {
            let name =
                |i: usize| if (view, i) == ("x", 0) { NASTY.to_string() } else { format!("{view}{i}") };
            let (path, names) =
                (folder.path(&format!("{view}.safetensors")), lcca_io::Names::new((0..cols).map(name)));
            lcca_io::write_matrix_named(&path, &sparse(cols, rows), Some(&names)).unwrap();
        }
        folder
    }
}
