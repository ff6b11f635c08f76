//! The effects of covariates, in a model's file: `covariates.mean` (one number per covariate), `x.effects`
//! and `y.effects`, the coefficients of each column of a view on the covariates (columns × covariates), and
//! the names of the covariates if they have any. Such a file is of a later version, because a program that
//! does not know of the effects would transform rows wrongly.

use crate::error::{Fault, Outcome};
use crate::parts::names::NameTensors;
use crate::parts::panels::{read_panel, write_panel};
use crate::parts::tensors::{Announced, TensorFile};
use lcca::fit::{Effects, Model};
use safetensors::tensor::Dtype;
use std::io::{self, Write};

const MEAN: &str = "covariates.mean";
const COEFFICIENTS: [&str; 2] = ["x.effects", "y.effects"];

pub(crate) const NAMES: NameTensors =
    NameTensors { bytes: "covariates.names", ends: "covariates.name_ends", each: "covariate" };

fn of(model: &Model) -> Option<[&Effects; 2]> {
    Some([model.x.effects.as_ref()?, model.y.effects.as_ref()?])
}

pub(crate) fn announced(model: &Model) -> Vec<Announced> {
    let Some(effects) = of(model) else { return Vec::new() };
    let mut tensors = vec![(MEAN, Dtype::F64, vec![effects[0].mean.len()])];
    for (name, Effects { coefficients, .. }) in COEFFICIENTS.into_iter().zip(effects) {
        tensors.push((name, Dtype::F64, vec![coefficients.rows(), coefficients.cols()]));
    }
    tensors
}

pub(crate) fn write(out: &mut impl Write, model: &Model) -> io::Result<()> {
    let Some(effects) = of(model) else { return Ok(()) };
    out.write_all(bytemuck::cast_slice(&effects[0].mean))?;
    effects.iter().try_for_each(|effects| write_panel(out, &effects.coefficients))
}

/// Adds the effects of covariates to a model, if its file has them.
pub(crate) fn read_into(file: &TensorFile, model: &mut Model) -> Outcome<()> {
    if file.dtype(MEAN).is_none() {
        return Ok(());
    }
    let mean: Vec<f64> = file.vector(MEAN, Dtype::F64)?.iter().collect();
    for (name, view) in COEFFICIENTS.into_iter().zip([&mut model.x, &mut model.y]) {
        let coefficients = read_panel(file, name)?;
        let (found, expected) =
            ((coefficients.rows(), coefficients.cols()), (view.weights.rows(), mean.len()));
        if found != expected {
            return Err(Fault::new(format!("has shape {found:?}, expected {expected:?}")).within(name));
        }
        view.effects = Some(Effects { mean: mean.clone(), coefficients });
    }
    Ok(())
}

/// The number of covariates of a model's file; 0 if it has none.
pub(crate) fn columns(file: &TensorFile) -> usize {
    file.shape(MEAN).and_then(|shape| shape.first().copied()).unwrap_or(0)
}
