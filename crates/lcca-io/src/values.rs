//! Values that arrive one by one and take no more memory than they need.

use lcca::matrix::{Buffer, DenseValues, Values};

/// Values without an array as long as all of them are one, and of single precision as long as all are exact in it.
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

    /// As the values of sparse rows.
    pub(crate) fn into_values(self) -> Values {
        match self {
            Growing::Ones(_) => Values::Ones,
            Growing::F32(values) => Values::F32(values.into()),
            Growing::F64(values) => Values::F64(values.into()),
        }
    }

    /// As the values of dense rows.
    pub(crate) fn into_dense(self) -> DenseValues {
        match self {
            Growing::Ones(count) => DenseValues::F32(Buffer::from(vec![1.0; count])),
            Growing::F32(values) => DenseValues::F32(values.into()),
            Growing::F64(values) => DenseValues::F64(values.into()),
        }
    }

    /// How many values are zero.
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
}

fn is_single(value: f64) -> bool {
    f64::from(value as f32) == value
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
