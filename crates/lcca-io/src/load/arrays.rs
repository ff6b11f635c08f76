//! Matrices from arrays that another program holds in memory, such as NumPy's and SciPy's, without a file
//! between.
//!
//! The checks and the storage are those of files, so the same numbers give the same matrix from any source.
//! Errors are those of files too, with a name that the caller chooses in place of the path.

use super::loaded::{Loaded, NameSource};
use crate::error::{Fault, Outcome, Result};
use crate::matrix::assemble::Assembled;
use crate::matrix::layouts::{self, Compressed, Coordinates};
use crate::matrix::missing::Filling;
use crate::matrix::npy::{self, Kind, Numbers};
use crate::matrix::options::Missing;
use crate::words::remark::Remark;
use lcca::matrix::Owner;
use std::path::Path;

/// A run of numbers that its owner keeps alive. Cloning shares them.
#[derive(Clone)]
pub struct Array {
    /// The bytes, all of which are numbers.
    pub owner: Owner,
    /// NumPy's letter for the type of the numbers: `f`, `i`, `u` or `b`.
    pub letter: u8,
    /// Bytes per number.
    pub width: usize,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
}

/// The arrays of a matrix, in the layout they come in.
pub enum Arrays {
    /// Compressed rows.
    Csr {
        /// The offset of each row's first entry, and the end of the last row.
        indptr: Array,
        /// The column of each entry.
        indices: Array,
        /// The value of each entry.
        data: Array,
    },
    /// Compressed columns.
    Csc {
        /// The offset of each column's first entry, and the end of the last column.
        indptr: Array,
        /// The row of each entry.
        indices: Array,
        /// The value of each entry.
        data: Array,
    },
    /// A list of entries.
    Coo {
        /// The row of each entry.
        row: Array,
        /// The column of each entry.
        col: Array,
        /// The value of each entry.
        data: Array,
    },
    /// All numbers, zeros included.
    Dense {
        /// The numbers, row after row, or column after column if `fortran`.
        data: Array,
        /// Whether the first index changes fastest.
        fortran: bool,
    },
}

/// A matrix of `rows`×`cols` from its arrays, which are shared if possible. In errors `name` stands for the
/// path.
pub fn matrix_from(name: &str, rows: usize, cols: usize, arrays: &Arrays) -> Result<Loaded> {
    matrix_from_with(name, rows, cols, arrays, Missing::Error)
}

/// Makes a matrix as [`matrix_from`] does, and settles missing values, which NaN stands for.
pub fn matrix_from_with(
    name: &str,
    rows: usize,
    cols: usize,
    arrays: &Arrays,
    missing: Missing,
) -> Result<Loaded> {
    let filling = Filling { missing, means: None };
    let path = Path::new(name);
    let assembled = assemble(rows, cols, arrays, filling).map_err(|fault| fault.at(path))?;
    let (cells, incomplete) = (assembled.gaps.cells, assembled.gaps.rows);
    let names = NameSource::Read { columns: None, rows: None };
    let remark = match missing {
        _ if cells == 0 => None,
        Missing::Drop => Some(Remark::RowsWithMissing { cells, rows: incomplete }),
        _ => Some(Remark::Filled { cells, rows: incomplete, by_model: false }),
    };
    Ok(Loaded::new(path, arrays.layout(), assembled, names).remarked(remark))
}

fn assemble(rows: usize, cols: usize, arrays: &Arrays, filling: Filling<'_>) -> Outcome<Assembled> {
    layouts::check_shape(rows, cols)?;
    match arrays {
        Arrays::Csr { indptr, indices, data } => {
            layouts::csr(rows, cols, &compressed(indptr, indices, data)?, filling)
        }
        Arrays::Csc { indptr, indices, data } => {
            layouts::csc(rows, cols, &compressed(indptr, indices, data)?, filling)
        }
        Arrays::Coo { row, col, data } => {
            let arrays = Coordinates { row: row.numbers()?, col: col.numbers()?, data: data.numbers()? };
            layouts::coo(rows, cols, &arrays, filling)
        }
        Arrays::Dense { data, fortran } => npy::dense(rows, cols, *fortran, &data.numbers()?, filling),
    }
}

fn compressed(indptr: &Array, indices: &Array, data: &Array) -> Outcome<Compressed> {
    Ok(Compressed { indptr: indptr.numbers()?, indices: indices.numbers()?, data: data.numbers()? })
}

impl Arrays {
    fn layout(&self) -> &'static str {
        match self {
            Arrays::Csr { .. } => "csr",
            Arrays::Csc { .. } => "csc",
            Arrays::Coo { .. } => "coo",
            Arrays::Dense { .. } => "dense",
        }
    }
}

impl Array {
    /// The numbers. Numbers in the memory of a device are copied to the host first, because the checks run
    /// there.
    fn numbers(&self) -> Outcome<Numbers> {
        if let Some(device) = self.owner.elsewhere() {
            device.bring()?;
        }
        let kind = Kind::new(self.letter, self.width, self.big_endian).ok_or_else(|| {
            let (letter, width) = (char::from(self.letter), self.width);
            Fault::new(format!("holds numbers of type {letter}{width}, expected f2, f4, f8, integers or b1"))
        })?;
        let len = self.owner.count() / self.width;
        Ok(Numbers::new(self.owner.clone(), 0, len, kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::matrix::{Bytes, ColumnSums, Elsewhere, Matrix, Values};
    use std::sync::Arc;

    fn array<T: bytemuck::Pod>(letter: u8, numbers: &[T]) -> Array {
        let bytes: Vec<u8> = bytemuck::cast_slice(numbers).to_vec();
        Array { owner: Arc::new(bytes), letter, width: size_of::<T>(), big_endian: false }
    }

    fn entries(matrix: &Matrix) -> Vec<(usize, usize, f64)> {
        let mut entries = Vec::new();
        (0..matrix.rows()).for_each(|row| matrix.for_each(row, |col, value| entries.push((row, col, value))));
        entries
    }

    fn matrix(rows: usize, cols: usize, arrays: Arrays) -> Matrix {
        matrix_from("X", rows, cols, &arrays).unwrap().matrix
    }

    #[test]
    fn every_layout_holds_the_same_entries() {
        let expected = [(0, 1, 2.0), (1, 0, 3.0), (1, 2, 4.0)];
        let csr = Arrays::Csr {
            indptr: array(b'i', &[0i32, 1, 3]),
            indices: array(b'i', &[1i64, 0, 2]),
            data: array(b'f', &[2f32, 3.0, 4.0]),
        };
        let csc = Arrays::Csc {
            indptr: array(b'i', &[0i64, 1, 2, 3]),
            indices: array(b'i', &[1i32, 0, 1]),
            data: array(b'i', &[3i8, 2, 4]),
        };
        let coo = Arrays::Coo {
            row: array(b'i', &[1i32, 0, 1]),
            col: array(b'u', &[2u16, 1, 0]),
            data: array(b'f', &[4f64, 2.0, 3.0]),
        };
        [csr, csc, coo].into_iter().for_each(|arrays| assert_eq!(entries(&matrix(2, 3, arrays)), expected));
        let numbers = [0f64, 3.0, 2.0, 0.0, 0.0, 4.0];
        let dense = matrix(2, 3, Arrays::Dense { data: array(b'f', &numbers), fortran: true });
        assert_eq!(entries(&dense).into_iter().filter(|e| e.2 != 0.0).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn arrays_of_the_right_type_are_used_where_they_lie() {
        let (indptr, indices) = (array(b'i', &[0i64, 2, 3]), array(b'i', &[1i32, 3, 0]));
        let owner = indices.owner.clone();
        let data = array(b'f', &[0.5f64, 2.0, 3.0]);
        let Matrix::Sparse(rows) = matrix(2, 4, Arrays::Csr { indptr, indices, data }) else {
            panic!("not sparse")
        };
        let shared = crate::parts::rows::bytes(rows.columns()).as_ptr();
        assert_eq!(shared, (*owner).as_ref().as_ptr());
    }

    /// Numbers in the memory of a device, which may refuse to give a copy.
    struct OnDevice {
        bytes: Vec<u8>,
        gives_copies: bool,
    }

    impl Bytes for OnDevice {
        fn bytes(&self) -> &[u8] {
            assert!(self.gives_copies, "nothing may read what could not be copied");
            &self.bytes
        }

        fn count(&self) -> usize {
            self.bytes.len()
        }

        fn elsewhere(&self) -> Option<&dyn Elsewhere> {
            Some(self)
        }
    }

    impl Elsewhere for OnDevice {
        fn address(&self) -> u64 {
            self.bytes.as_ptr() as u64
        }

        fn bring(&self) -> lcca::Result<()> {
            if self.gives_copies { Ok(()) } else { Err(lcca::Error::External("no copy today".into())) }
        }

        fn read(&self, _: usize, _: &mut [u8]) -> lcca::Result<()> {
            unreachable!("sparse rows are copied whole")
        }

        fn first_not_finite(&self, _: lcca::matrix::Numbers) -> lcca::Result<Option<usize>> {
            unreachable!("sparse rows are checked on the host")
        }

        fn column_sums(
            &self,
            _: lcca::matrix::Numbers,
            _: usize,
            _: Option<&[f64]>,
        ) -> lcca::Result<ColumnSums> {
            unreachable!("columns of sparse rows are summed up on the host")
        }
    }

    fn on_device<T: bytemuck::Pod>(letter: u8, numbers: &[T], gives_copies: bool) -> Array {
        let owner = OnDevice { bytes: bytemuck::cast_slice(numbers).to_vec(), gives_copies };
        Array { owner: Arc::new(owner), ..array(letter, numbers) }
    }

    #[test]
    fn arrays_on_a_device_stay_there_if_their_types_are_read_and_the_rows_are_in_order() {
        let csr = |indices: Array, data: Array| {
            let indptr = on_device(b'i', &[0i32, 2, 3], true);
            let Matrix::Sparse(rows) = matrix(2, 4, Arrays::Csr { indptr, indices, data }) else {
                panic!("not sparse")
            };
            let values = match rows.values() {
                Values::Ones => None,
                Values::F32(values) => Some(values.elsewhere().is_some()),
                Values::F64(values) => Some(values.elsewhere().is_some()),
            };
            (rows.columns().elsewhere().is_some(), values)
        };
        let columns = || on_device(b'i', &[1i32, 3, 0], true);
        assert_eq!(csr(columns(), on_device(b'f', &[0.5f64, 2.0, 3.0], true)), (true, Some(true)));
        assert_eq!(csr(columns(), on_device(b'f', &[0.5f32, 2.0, 3.0], true)), (true, Some(true)));
        // Values that are all one need not be read, in any type.
        assert_eq!(csr(columns(), on_device(b'f', &[1.0f32; 3], true)), (true, None));
        assert_eq!(csr(columns(), on_device(b'b', &[1u8; 3], true)), (true, None));
        // Other types are converted, each array by itself.
        assert_eq!(csr(columns(), on_device(b'i', &[5i16, 2, 3], true)), (true, Some(false)));
        let wide = on_device(b'i', &[1i64, 3, 0], true);
        assert_eq!(csr(wide, on_device(b'f', &[0.5f64, 2.0, 3.0], true)), (false, Some(true)));
        // Rows that are out of order are sorted, with their values.
        let disordered = on_device(b'i', &[3i32, 1, 0], true);
        assert_eq!(csr(disordered, on_device(b'f', &[0.5f64, 2.0, 3.0], true)), (false, Some(false)));
    }

    #[test]
    fn a_copy_that_a_device_refuses_is_an_error() {
        let csr = Arrays::Csr {
            indptr: array(b'i', &[0i32, 1]),
            indices: on_device(b'i', &[0i32], false),
            data: array(b'f', &[1f64]),
        };
        let error = matrix_from("X", 1, 3, &csr).unwrap_err().to_string();
        assert!(error.contains("no copy today"), "{error}");
    }

    #[test]
    fn a_fault_names_the_view_and_the_array() {
        let csr = Arrays::Csr {
            indptr: array(b'i', &[0i32, 1]),
            indices: array(b'i', &[-1i32]),
            data: array(b'b', &[1u8]),
        };
        let error = matrix_from("X", 1, 3, &csr).unwrap_err().to_string();
        assert_eq!(error, "X: indices: element 0 is -1, expected a column from 0 to 2");
        let dense = Arrays::Dense { data: array(b'f', &[1f64, f64::NAN]), fortran: false };
        let error = matrix_from("Y", 1, 2, &dense).unwrap_err().to_string();
        assert!(error.starts_with("Y: row 0, column 1: the value is NaN"), "{error}");
    }
}
