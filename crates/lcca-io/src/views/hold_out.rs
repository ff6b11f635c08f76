//! Sets rows aside for testing, at regular distances from the first on. The parts take as much memory again
//! as the rows.
//!
//! Both parts keep all columns, so that a model of the kept rows can be used on the others as it is.

use lcca::Result;
use lcca::matrix::{Buffer, DenseRows, DenseValues, Matrix, OneHotRows, SparseRows, Values};
use std::ops::Range;

/// Splits rows into those that are kept and those that are held out: rows 0, `every`, 2·`every` and so on,
/// in their order.
pub fn hold_out(matrix: &Matrix, every: usize) -> Result<[Matrix; 2]> {
    let rows = 0..matrix.rows();
    let (held_out, kept): (Vec<usize>, Vec<usize>) = rows.partition(|row| row.is_multiple_of(every));
    Ok([take_rows(matrix, &kept)?, take_rows(matrix, &held_out)?])
}

/// Splits the lines of a text into those that are kept and those that are held out, chosen as [`hold_out`]
/// chooses rows.
pub fn hold_out_lines(lines: &[u8], every: usize) -> [Vec<u8>; 2] {
    let mut parts = [Vec::new(), Vec::new()];
    for (row, line) in lines.split_inclusive(|&byte| byte == b'\n').enumerate() {
        parts[usize::from(row.is_multiple_of(every))].extend_from_slice(line);
    }
    parts
}

/// Takes the given rows of a matrix, in the given order.
pub fn take_rows(matrix: &Matrix, rows: &[usize]) -> Result<Matrix> {
    Ok(match matrix {
        Matrix::Sparse(all) => take_sparse(all, rows)?.into(),
        Matrix::OneHot(all) => {
            let columns = all.columns().as_slice();
            let columns: Vec<u32> = rows.iter().map(|&row| columns[row].get()).collect();
            OneHotRows::new(all.cols(), columns.into())?.into()
        }
        Matrix::Dense(all) => {
            let spans = || rows.iter().map(|row| row * all.cols()..(row + 1) * all.cols());
            let values = match all.values() {
                DenseValues::F32(values) => DenseValues::F32(gather(values, spans())),
                DenseValues::F64(values) => DenseValues::F64(gather(values, spans())),
            };
            DenseRows::new(rows.len(), all.cols(), values)?.into()
        }
    })
}

fn take_sparse(all: &SparseRows, rows: &[usize]) -> Result<SparseRows> {
    let offsets = all.offsets().as_slice();
    let spans = || rows.iter().map(|&row| offsets[row].get() as usize..offsets[row + 1].get() as usize);
    let mut ends = Vec::with_capacity(rows.len() + 1);
    ends.push(0u64);
    let mut end = 0;
    ends.extend(spans().map(|span| {
        end += span.len() as u64;
        end
    }));
    let values = match all.values() {
        Values::Ones => Values::Ones,
        Values::F32(values) => Values::F32(gather(values, spans())),
        Values::F64(values) => Values::F64(gather(values, spans())),
    };
    SparseRows::new(all.cols(), ends.into(), gather(all.columns(), spans()), values)
}

/// Copies the numbers of several spans, one after another.
fn gather<T>(numbers: &Buffer<T>, spans: impl Iterator<Item = Range<usize>>) -> Buffer<T>
where
    T: bytemuck::Pod + Send + Sync,
{
    let all = numbers.as_slice();
    spans.flat_map(|span| all[span].iter().map(|number| number.get())).collect::<Vec<T>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(matrix: &Matrix) -> Vec<Vec<f64>> {
        let row = |row: usize| {
            let mut numbers = vec![0.0; matrix.cols()];
            matrix.for_each(row, |column, value| numbers[column] = value);
            numbers
        };
        (0..matrix.rows()).map(row).collect()
    }

    fn every_kind() -> Vec<Matrix> {
        let ends = || vec![0u64, 2, 2, 3, 5, 6].into();
        let columns = || vec![0u32, 2, 1, 0, 1, 2].into();
        let sparse = |values| SparseRows::new(3, ends(), columns(), values).unwrap().into();
        let numbers: Vec<f64> = (0..15).map(f64::from).collect();
        vec![
            sparse(Values::Ones),
            sparse(Values::F32(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0].into())),
            sparse(Values::F64(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0].into())),
            OneHotRows::new(3, vec![2, OneHotRows::EMPTY, 0, 1, 1].into()).unwrap().into(),
            DenseRows::new(5, 3, DenseValues::F64(numbers.clone().into())).unwrap().into(),
            DenseRows::new(
                5,
                3,
                DenseValues::F32(numbers.iter().map(|&n| n as f32).collect::<Vec<_>>().into()),
            )
            .unwrap()
            .into(),
        ]
    }

    #[test]
    fn every_row_is_in_one_part_in_order_and_the_storage_stays() {
        for matrix in every_kind() {
            for every in 2..7 {
                let [kept, held_out] = hold_out(&matrix, every).unwrap();
                assert_eq!((kept.kind(), held_out.kind()), (matrix.kind(), matrix.kind()));
                let (mut kept, mut held_out) = (dense(&kept).into_iter(), dense(&held_out).into_iter());
                for (row, expected) in dense(&matrix).into_iter().enumerate() {
                    let part = if row % every == 0 { &mut held_out } else { &mut kept };
                    assert_eq!(part.next(), Some(expected), "{} every {every}", matrix.kind());
                }
                assert_eq!((kept.next(), held_out.next()), (None, None));
            }
        }
    }

    #[test]
    fn rows_of_a_slice_are_held_out_alike() {
        for matrix in every_kind() {
            let [kept, held_out] = hold_out(&matrix.slice(1..5), 2).unwrap();
            let all = dense(&matrix);
            assert_eq!(
                (dense(&held_out), dense(&kept)),
                (vec![all[1].clone(), all[3].clone()], vec![all[2].clone(), all[4].clone()])
            );
        }
    }

    #[test]
    fn lines_go_where_their_rows_go() {
        assert_eq!(hold_out_lines(b"a\nb\n\nd\n", 2), [b"b\nd\n".to_vec(), b"a\n\n".to_vec()]);
    }
}
