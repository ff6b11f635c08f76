//! safetensors: eight bytes of header length, a JSON header (type, shape and place of each tensor, and a map of
//! strings), then the tensors. Stores, models and checkpoints are such files.

use crate::error::{Fault, Outcome, one_line};
use bytemuck::Pod;
use lcca::matrix::{Buffer, Owner};
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use safetensors::{SafeTensorError, SafeTensors};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// An opened file whose tensors have not been read.
pub(crate) struct TensorFile {
    owner: Owner,
    header: Metadata,
    data: usize,
}

impl TensorFile {
    pub(crate) fn open(owner: Owner) -> Outcome<Self> {
        let (len, header) = SafeTensors::read_metadata((*owner).as_ref()).map_err(corrupt)?;
        Ok(TensorFile { owner, header, data: 8 + len })
    }

    /// The string called `key`.
    pub(crate) fn text(&self, key: &str) -> Outcome<&str> {
        let text = self.header.metadata().as_ref().and_then(|texts| texts.get(key));
        text.map(String::as_str).ok_or_else(|| Fault::new(format!("the header's metadata has no {key:?}")))
    }

    /// The string called `key`, parsed.
    pub(crate) fn parsed<T: std::str::FromStr>(&self, key: &str) -> Outcome<T> {
        let text = self.text(key)?;
        text.parse().map_err(|_| Fault::new(format!("the header's metadata has {text:?} for {key:?}")))
    }

    /// The tensor's type, if there is such a tensor.
    pub(crate) fn dtype(&self, name: &str) -> Option<Dtype> {
        self.header.info(name).map(|info| info.dtype)
    }

    /// The numbers and the shape of a tensor, without copying.
    pub(crate) fn tensor<T: Pod>(&self, name: &str, dtype: Dtype) -> Outcome<(Buffer<T>, &[usize])> {
        let missing = || Fault::new(format!("the tensor {name:?} is missing"));
        let info = self.header.info(name).ok_or_else(missing)?;
        if info.dtype != dtype {
            return Err(Fault::new(format!("is of type {}, expected {dtype}", info.dtype)).within(name));
        }
        let (from, to) = info.data_offsets;
        let start = self.data.checked_add(from).ok_or_else(missing)?;
        let buffer = Buffer::shared(self.owner.clone(), start, (to - from) / size_of::<T>())?;
        Ok((buffer, &info.shape))
    }

    /// The numbers of a tensor with one dimension.
    pub(crate) fn vector<T: Pod>(&self, name: &str, dtype: Dtype) -> Outcome<Buffer<T>> {
        match self.tensor(name, dtype)? {
            (buffer, [_]) => Ok(buffer),
            (_, shape) => {
                Err(Fault::new(format!("has shape {shape:?}, expected one dimension")).within(name))
            }
        }
    }
}

fn corrupt(error: SafeTensorError) -> Fault {
    Fault::new(format!("truncated, corrupt or not a safetensors file ({})", one_line(&error)))
}

/// A tensor that will be written: its name, type and shape.
pub(crate) type Announced = (&'static str, Dtype, Vec<usize>);

/// Writes everything before the tensors, which must then follow in this order. The tensors begin at a multiple of 64
/// bytes. The same contents give the same bytes.
pub(crate) fn write_header(
    out: &mut impl Write,
    texts: &BTreeMap<&str, String>,
    tensors: &[Announced],
) -> io::Result<()> {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".into(), serde_json::to_value(texts)?);
    let mut end = 0;
    for (name, dtype, shape) in tensors {
        let start = end;
        end += shape.iter().product::<usize>() * dtype.bitsize() / 8;
        let info = TensorInfo { dtype: *dtype, shape: shape.clone(), data_offsets: (start, end) };
        header.insert((*name).into(), serde_json::to_value(info)?);
    }
    let mut json = serde_json::to_vec(&header)?;
    json.resize((8 + json.len()).next_multiple_of(64) - 8, b' ');
    out.write_all(&(json.len() as u64).to_le_bytes())?;
    out.write_all(&json)
}
