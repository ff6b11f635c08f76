//! Panels as tensors of two dimensions, row after row.

use super::tensors::TensorFile;
use crate::error::{Fault, Outcome};
use lcca::matrix::Panel;
use safetensors::tensor::Dtype;
use std::io::{self, Write};

pub(crate) fn write_panel(out: &mut impl Write, panel: &Panel) -> io::Result<()> {
    (0..panel.rows()).try_for_each(|row| out.write_all(bytemuck::cast_slice(panel.row(row))))
}

pub(crate) fn read_panel(file: &TensorFile, name: &str) -> Outcome<Panel> {
    let (numbers, shape) = file.tensor::<f64>(name, Dtype::F64)?;
    let &[rows, cols] = shape else {
        return Err(Fault::new(format!("has shape {shape:?}, expected two dimensions")).within(name));
    };
    if cols == 0 {
        return Ok(Panel::zeros(rows, 0));
    }
    // An empty panel is refused, because any number of rows without columns fits into no bytes at all. The
    // length of the file bounds only the shape of a panel that holds numbers.
    if numbers.is_empty() {
        return Err(Fault::new(format!("has shape {shape:?}, expected numbers")).within(name));
    }
    let numbers = numbers.as_slice();
    Ok(Panel::from_fn(rows, cols, |row, column| numbers[row * cols + column].get()))
}
