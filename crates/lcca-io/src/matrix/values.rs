//! Values that arrive one by one and take no more memory than they need.

use lcca::matrix::{Buffer, DenseValues, Values};

/// Values without an array as long as all of them are one, and in single precision as long as all are exact
/// in it.
pub(crate) enum Growing {
    Ones(usize),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Growing {
    pub(crate) fn new() -> Self {
        Growing::Ones(0)
    }

    pub(crate) fn push(&mut self, value: f64) {
        match self {
            Growing::Ones(count) if value == 1.0 => *count += 1,
            Growing::Ones(count) => {
                *self = Growing::F32(vec![1.0; *count]);
                self.push(value);
            }
            Growing::F32(values) if is_single(value) => values.push(value as f32),
            Growing::F32(values) => {
                *self = Growing::F64(values.iter().map(|&value| value.into()).collect());
                self.push(value);
            }
            Growing::F64(values) => values.push(value),
        }
    }

    pub(crate) fn append(&mut self, more: Growing) {
        match (&mut *self, more) {
            (Growing::Ones(count), Growing::Ones(more)) => *count += more,
            (Growing::F32(values), Growing::F32(more)) => values.extend(more),
            (Growing::F64(values), Growing::F64(more)) => values.extend(more),
            (_, Growing::Ones(more)) => (0..more).for_each(|_| self.push(1.0)),
            (_, Growing::F32(more)) => more.into_iter().for_each(|value| self.push(value.into())),
            (_, Growing::F64(more)) => more.into_iter().for_each(|value| self.push(value)),
        }
    }

    /// Turns the values into those of sparse rows.
    pub(crate) fn into_values(self) -> Values {
        match self {
            Growing::Ones(_) => Values::Ones,
            Growing::F32(values) => Values::F32(values.into()),
            Growing::F64(values) => Values::F64(values.into()),
        }
    }

    /// Turns the values into those of dense rows.
    pub(crate) fn into_dense(self) -> DenseValues {
        match self {
            Growing::Ones(count) => DenseValues::F32(Buffer::from(vec![1.0; count])),
            Growing::F32(values) => DenseValues::F32(values.into()),
            Growing::F64(values) => DenseValues::F64(values.into()),
        }
    }

    /// The number of values that are zero.
    pub(crate) fn zeros(&self) -> usize {
        match self {
            Growing::Ones(_) => 0,
            Growing::F32(values) => values.iter().filter(|&&value| value == 0.0).count(),
            Growing::F64(values) => values.iter().filter(|&&value| value == 0.0).count(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Growing::Ones(count) => *count,
            Growing::F32(values) => values.len(),
            Growing::F64(values) => values.len(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> f64 {
        match self {
            Growing::Ones(_) => 1.0,
            Growing::F32(values) => values[index].into(),
            Growing::F64(values) => values[index],
        }
    }

    /// The places of missing values, which are NaN.
    pub(crate) fn missing(&self) -> Vec<usize> {
        match self {
            Growing::Ones(_) => Vec::new(),
            Growing::F32(values) => (0..values.len()).filter(|&index| values[index].is_nan()).collect(),
            Growing::F64(values) => (0..values.len()).filter(|&index| values[index].is_nan()).collect(),
        }
    }

    /// Puts other values into these places, and turns all into double precision if any of these needs it.
    pub(crate) fn filled(mut self, places: &[usize], value: impl Fn(usize) -> f64) -> Self {
        if let Growing::F32(values) = &self
            && places.iter().any(|&place| !is_single(value(place)))
        {
            self = Growing::F64(values.iter().map(|&value| value.into()).collect());
        }
        match &mut self {
            Growing::Ones(_) => {}
            Growing::F32(values) => places.iter().for_each(|&place| values[place] = value(place) as f32),
            Growing::F64(values) => places.iter().for_each(|&place| values[place] = value(place)),
        }
        self
    }

    /// Leaves out these rows, which ascend.
    pub(crate) fn without_rows(mut self, rows: &[usize], cols: usize) -> Self {
        match &mut self {
            Growing::Ones(count) => *count -= rows.len() * cols,
            Growing::F32(values) => remove_rows(values, rows, cols),
            Growing::F64(values) => remove_rows(values, rows, cols),
        }
        self
    }
}

impl From<&DenseValues> for Growing {
    fn from(values: &DenseValues) -> Self {
        match values {
            DenseValues::F32(values) => Growing::F32(values.iter().collect()),
            DenseValues::F64(values) => Growing::F64(values.iter().collect()),
        }
    }
}

fn remove_rows<T: Copy>(values: &mut Vec<T>, rows: &[usize], cols: usize) {
    let (mut index, mut next) = (0, 0);
    values.retain(|_| {
        let row = index / cols;
        index += 1;
        while next < rows.len() && rows[next] < row {
            next += 1;
        }
        rows.get(next) != Some(&row)
    });
}

/// Whether a value is exact in single precision. NaN is, because a missing value needs no precision.
fn is_single(value: f64) -> bool {
    f64::from(value as f32) == value || value.is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_lost_however_the_values_are_cut(
            values in proptest::collection::vec(prop_oneof![3 => Just(1.0), 1 => Just(0.5), 1 => Just(0.1)], 0..40),
            cut in 0usize..40,
        ) {
            let (front, back) = values.split_at(cut.min(values.len()));
            let (mut whole, mut rest) = (Growing::new(), Growing::new());
            front.iter().for_each(|&value| whole.push(value));
            back.iter().for_each(|&value| rest.push(value));
            whole.append(rest);
            prop_assert_eq!(whole.len(), values.len());
            let kept = whole.into_values();
            prop_assert!(values.iter().enumerate().all(|(index, &value)| kept.get(index) == value));
        }
    }
}
