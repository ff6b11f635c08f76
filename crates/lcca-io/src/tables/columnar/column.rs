//! One column of a group of rows, as numbers or as texts. A missing value is NaN or `None`.

use super::broken::broken;
use super::holds::Holds;
use crate::error::{Fault, Outcome};
use crate::matrix::half::half;
use crate::tables::arrow_fields::{decimal, utf8};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::schema::types::ColumnDescPtr;

/// The number of rows read at a time. The library makes room for as many as are requested, and a header may
/// claim any number.
const ROWS_AT_A_TIME: usize = 1 << 16;

/// A column of a file, which may consist of several stored columns.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) holds: Holds,
    /// The place of the column among the stored ones, and its description, if it is stored as one.
    pub(super) stored: Option<(usize, ColumnDescPtr)>,
}

/// A column of a group of rows that is about to be read.
pub(super) struct Reading {
    pub(super) reader: ColumnReader,
    /// The definition level of a value that is not missing.
    pub(super) level: i16,
    pub(super) holds: Holds,
}

/// A value of a column, once it is known how to read it.
enum Value {
    Boolean(bool),
    Whole(i128),
    Single(f32),
    Double(f64),
}

impl Value {
    fn whole(number: i128, holds: Holds) -> Value {
        match holds {
            // The writer may have left anything in the upper bits.
            Holds::Unsigned(bits @ 1..=64) => Value::Whole(number & ((1 << bits) - 1)),
            Holds::Decimals(scale) => Value::Double(decimal(number, scale)),
            _ => Value::Whole(number),
        }
    }

    /// Reads a number from bytes, the most significant first.
    fn in_bytes(bytes: &[u8], holds: Holds) -> Outcome<Value> {
        match (holds, bytes) {
            (Holds::Halves, &[low, high]) => Ok(Value::Double(half(u16::from_le_bytes([low, high])))),
            (Holds::Decimals(_), _) => match whole(bytes) {
                Some(number) => Ok(Value::whole(number, holds)),
                None => Err(Fault::new("holds a decimal of more than 38 digits, expected at most 38")),
            },
            _ => Err(Fault::new("holds no plain numbers, expected them")),
        }
    }

    fn number(self) -> f64 {
        match self {
            Value::Boolean(value) => f64::from(u8::from(value)),
            Value::Whole(value) => value as f64,
            Value::Single(value) => value.into(),
            Value::Double(value) => value,
        }
    }

    /// Writes out the number with the digits that it has; NaN is missing.
    fn text(self) -> Option<String> {
        match self {
            Value::Boolean(value) => Some(value.to_string()),
            Value::Whole(value) => Some(value.to_string()),
            Value::Single(value) => (!value.is_nan()).then(|| value.to_string()),
            Value::Double(value) => (!value.is_nan()).then(|| value.to_string()),
        }
    }
}

/// Reads a whole number from bytes, the most significant first, if it fits.
fn whole(bytes: &[u8]) -> Option<i128> {
    const WIDTH: usize = size_of::<i128>();
    let sign = if bytes.first().is_some_and(|&first| first >= 0x80) { 0xff } else { 0 };
    let (ahead, last) = bytes.split_at(bytes.len().saturating_sub(WIDTH));
    let mut filled = [sign; WIDTH];
    filled[WIDTH - last.len()..].copy_from_slice(last);
    let fits = ahead.iter().all(|&byte| byte == sign) && (filled[0] >= 0x80) == (sign != 0);
    fits.then(|| i128::from_be_bytes(filled))
}

impl Reading {
    /// Reads the next `rows` values as numbers, of which NaN is missing.
    pub(super) fn numbers(&mut self, rows: usize) -> Outcome<Vec<f64>> {
        self.values(rows, |value| Ok(value.number()), |_| Err(no_numbers()), f64::NAN)
    }

    /// Reads the next `rows` values as texts; numbers are written out.
    pub(super) fn texts(&mut self, rows: usize) -> Outcome<Vec<Option<String>>> {
        self.values(rows, |value| Ok(value.text()), |bytes| utf8(bytes.to_vec()).map(Some), None)
    }

    /// Reads the next `rows` values as bytes, which need not be UTF-8; numbers are written out, and a
    /// missing value is empty.
    pub(super) fn bytes(&mut self, rows: usize) -> Outcome<Vec<Vec<u8>>> {
        let text = |value: Value| Ok(value.text().unwrap_or_default().into_bytes());
        self.values(rows, text, |bytes| Ok(bytes.to_vec()), Vec::new())
    }

    fn values<V: Clone>(
        &mut self,
        rows: usize,
        number: impl Fn(Value) -> Outcome<V>,
        text: impl Fn(&[u8]) -> Outcome<V>,
        missing: V,
    ) -> Outcome<Vec<V>> {
        use ColumnReader::*;
        let (holds, level) = (self.holds, self.level);
        let in_bytes = |bytes: &[u8]| match holds {
            Holds::Decimals(_) | Holds::Halves => number(Value::in_bytes(bytes, holds)?),
            _ => text(bytes),
        };
        match &mut self.reader {
            BoolColumnReader(reader) => next(reader, level, rows, |v| number(Value::Boolean(v)), missing),
            Int32ColumnReader(reader) => {
                next(reader, level, rows, |v| number(Value::whole(v.into(), holds)), missing)
            }
            Int64ColumnReader(reader) => {
                next(reader, level, rows, |v| number(Value::whole(v.into(), holds)), missing)
            }
            FloatColumnReader(reader) => next(reader, level, rows, |v| number(Value::Single(v)), missing),
            DoubleColumnReader(reader) => next(reader, level, rows, |v| number(Value::Double(v)), missing),
            ByteArrayColumnReader(reader) => next(reader, level, rows, |v| in_bytes(v.data()), missing),
            FixedLenByteArrayColumnReader(reader) => {
                next(reader, level, rows, |v| in_bytes(v.data()), missing)
            }
            Int96ColumnReader(_) => Err(no_numbers()),
        }
    }
}

fn no_numbers() -> Fault {
    Fault::new("holds no plain numbers, expected them")
}

fn next<T: DataType, V: Clone>(
    reader: &mut ColumnReaderImpl<T>,
    level: i16,
    rows: usize,
    convert: impl Fn(T::T) -> Outcome<V>,
    missing: V,
) -> Outcome<Vec<V>> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let most = (rows - read).min(ROWS_AT_A_TIME);
        let (records, _, _) =
            reader.read_records(most, Some(&mut levels), None, &mut values).map_err(broken)?;
        if records == 0 {
            return Err(Fault::new(format!("a column ends after {read} rows, expected {rows}")));
        }
        read += records;
    }
    let present = levels.iter().filter(|&&found| found == level).count();
    let expected = if levels.is_empty() { rows } else { present };
    if values.len() != expected {
        return Err(Fault::new(format!("a column has {} values, expected {expected}", values.len())));
    }
    let mut values = values.into_iter();
    // A column without levels cannot miss values.
    if levels.is_empty() {
        return values.map(convert).collect();
    }
    let cell = |&found: &i16| match (found == level).then(|| values.next()).flatten() {
        Some(value) => convert(value),
        None => Ok(missing.clone()),
    };
    levels.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_any_width_have_a_sign() {
        assert_eq!(whole(&[]), Some(0));
        assert_eq!(whole(&[0xff]), Some(-1));
        assert_eq!(whole(&[0, 0xff]), Some(255));
        assert_eq!(whole(&[[0xff; 4].as_slice(), &[0x80], &[0; 15]].concat()), Some(i128::MIN));
        assert_eq!(whole(&[[0; 4].as_slice(), &[0x80], &[0; 15]].concat()), None);
        assert_eq!(whole(&[1; 17]), None);
    }

    #[test]
    fn numbers_without_a_sign_keep_their_own_bits() {
        let unsigned = |number: i128, bits| Value::whole(number, Holds::Unsigned(bits)).number();
        assert_eq!(unsigned(-1, 8), 255.0);
        assert_eq!(unsigned(-1, 32), 4_294_967_295.0);
        assert_eq!(unsigned(i64::MIN.into(), 64), 9_223_372_036_854_775_808.0);
    }
}
