//! safetensors: eight bytes of header length, a JSON header (type, shape and place of each tensor, and a
//! map of strings), then the tensors. Stores, models and checkpoints are such files. The last tensor holds
//! checksums of the others, see [`crate::safe::checksums`].

use crate::error::{Fault, Outcome, one_line};
use crate::safe::checksums::{self, Checksums, Summing};
use bytemuck::Pod;
use lcca::matrix::{Buffer, Owner};
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use safetensors::{SafeTensorError, SafeTensors};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

/// An opened file whose header was checked, and whose tensors have not been read.
pub(crate) struct TensorFile {
    owner: Owner,
    header: Metadata,
    data: usize,
    checksums: Option<Checksums>,
}

impl TensorFile {
    pub(crate) fn open(owner: Owner) -> Outcome<Self> {
        let (len, header) = SafeTensors::read_metadata((*owner).as_ref()).map_err(corrupt)?;
        let mut file = TensorFile { owner, header, data: 8 + len, checksums: None };
        file.checksums = file.read_checksums()?;
        Ok(file)
    }

    /// Reads the checksums, if the file has any, and checks the header with them.
    fn read_checksums(&self) -> Outcome<Option<Checksums>> {
        match self.text(checksums::NAME) {
            Err(_) if self.dtype(checksums::NAME).is_none() => return Ok(None),
            Ok(checksums::SCHEME) => {}
            Ok(other) => {
                return Err(Fault::new(format!(
                    "has checksums of the kind {other:?}, expected {:?}",
                    checksums::SCHEME
                )));
            }
            Err(_) => {
                return Err(
                    Fault::new("is damaged: it does not announce the checksums that it has").within("header")
                );
            }
        }
        let sums = self.unchecked_vector(checksums::NAME, Dtype::U32)?;
        let mut tensors: Vec<_> = self.header.tensors().into_iter().collect();
        tensors.retain(|(name, _)| name != checksums::NAME);
        tensors.sort_by_key(|(_, info)| info.data_offsets);
        let span = |info: &TensorInfo| self.data + info.data_offsets.0..self.data + info.data_offsets.1;
        let tensors = tensors.into_iter().map(|(name, info)| (name, span(info))).collect();
        let checksums = Checksums::new(sums, tensors)?;
        checksums.check_header(&self.bytes()[..self.data])?;
        Ok(Some(checksums))
    }

    fn bytes(&self) -> &[u8] {
        (*self.owner).as_ref()
    }

    /// Whether the file has checksums.
    pub(crate) fn has_checksums(&self) -> bool {
        self.checksums.is_some()
    }

    /// Checks every tensor, and returns the number of bytes that were checked, or `None` if the file has no
    /// checksums.
    pub(crate) fn verify(&self) -> Outcome<Option<u64>> {
        let checked = self.checksums.as_ref().map(|checksums| checksums.check_all(self.bytes()));
        Ok(checked.transpose()?.map(|bytes| bytes + self.data as u64))
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

    /// The type of a tensor, if there is such a tensor.
    pub(crate) fn dtype(&self, name: &str) -> Option<Dtype> {
        self.header.info(name).map(|info| info.dtype)
    }

    /// The shape of a tensor, if there is such a tensor.
    pub(crate) fn shape(&self, name: &str) -> Option<&[usize]> {
        self.header.info(name).map(|info| &*info.shape)
    }

    /// The numbers and the shape of a tensor, checked and without copying.
    pub(crate) fn tensor<T: Pod>(&self, name: &str, dtype: Dtype) -> Outcome<(Buffer<T>, &[usize])> {
        let tensor = self.unchecked(name, dtype)?;
        if let Some(checksums) = &self.checksums {
            checksums.check_tensor(self.bytes(), name)?;
        }
        Ok(tensor)
    }

    /// Checks some numbers of a tensor, with the others in their blocks.
    pub(crate) fn check<T: Pod>(&self, name: &str, numbers: Range<usize>) -> Outcome<()> {
        let bytes = numbers.start * size_of::<T>()..numbers.end * size_of::<T>();
        self.checksums.as_ref().map_or(Ok(()), |checksums| checksums.check_part(self.bytes(), name, bytes))
    }

    /// The numbers and the shape of a tensor, unchecked, for a caller that checks the numbers as they are
    /// read.
    pub(crate) fn unchecked<T: Pod>(&self, name: &str, dtype: Dtype) -> Outcome<(Buffer<T>, &[usize])> {
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

    /// The numbers of a tensor with one dimension, checked.
    pub(crate) fn vector<T: Pod>(&self, name: &str, dtype: Dtype) -> Outcome<Buffer<T>> {
        one_dimension(name, self.tensor(name, dtype)?)
    }

    /// The numbers of a tensor with one dimension, unchecked, for a caller that checks them as they are
    /// read.
    pub(crate) fn unchecked_vector<T: Pod>(&self, name: &str, dtype: Dtype) -> Outcome<Buffer<T>> {
        one_dimension(name, self.unchecked(name, dtype)?)
    }
}

fn one_dimension<T>(name: &str, tensor: (Buffer<T>, &[usize])) -> Outcome<Buffer<T>> {
    match tensor {
        (buffer, [_]) => Ok(buffer),
        (_, shape) => Err(Fault::new(format!("has shape {shape:?}, expected one dimension")).within(name)),
    }
}

fn corrupt(error: SafeTensorError) -> Fault {
    Fault::new(format!("truncated, corrupt or not a safetensors file ({})", one_line(&error)))
}

/// A tensor that will be written: its name, type and shape.
pub(crate) type Announced = (&'static str, Dtype, Vec<usize>);

/// Writes everything before the tensors. The tensors must then follow in this order, and after them the
/// checksums ([`Summing::finish`]). The tensors begin at a multiple of 64 bytes. Equal contents give equal
/// bytes.
pub(crate) fn begin_tensors<W: Write>(
    out: W,
    texts: &BTreeMap<&str, String>,
    tensors: &[Announced],
) -> io::Result<Summing<W>> {
    let bytes = |(_, dtype, shape): &Announced| shape.iter().product::<usize>() * dtype.bitsize() / 8;
    let sizes: Vec<usize> = tensors.iter().map(bytes).collect();
    let sums = (checksums::NAME, Dtype::U32, vec![checksums::count(sizes.iter().copied())]);
    let mut texts = texts.clone();
    texts.insert(checksums::NAME, checksums::SCHEME.into());
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".into(), serde_json::to_value(texts)?);
    let mut end = 0;
    for tensor @ (name, dtype, shape) in tensors.iter().chain([&sums]) {
        let start = end;
        end += bytes(tensor);
        let info = TensorInfo { dtype: *dtype, shape: shape.clone(), data_offsets: (start, end) };
        header.insert((*name).into(), serde_json::to_value(info)?);
    }
    let mut json = serde_json::to_vec(&header)?;
    json.resize((8 + json.len()).next_multiple_of(64) - 8, b' ');
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend(json);
    Summing::begin(out, &bytes, sizes)
}
