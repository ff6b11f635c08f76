//! The regressions of a fit in its model file, which `predict` needs besides the weights.
//!
//! Tensors of f64, one row per column and one number per pair: `x.regression` and `y.regression`, the
//! coefficients of a view's columns on its own canonical variables, and `y.on_x`, those of Y's columns on
//! the variables of X.

use crate::error::{Fault, Outcome};
use crate::parts::panels::{read_panel, write_panel};
use crate::parts::tensors::{Announced, TensorFile};
use lcca::fit::{Model, Regressions};
use lcca::matrix::Panel;
use safetensors::tensor::Dtype;
use std::io::{self, Write};

const NAMES: [&str; 3] = ["x.regression", "y.regression", "y.on_x"];

pub(crate) fn announced(regressions: &Regressions) -> [Announced; 3] {
    let panels = panels(regressions);
    [0, 1, 2].map(|i| (NAMES[i], Dtype::F64, vec![panels[i].rows(), panels[i].cols()]))
}

pub(crate) fn write(out: &mut impl Write, regressions: &Regressions) -> io::Result<()> {
    panels(regressions).into_iter().try_for_each(|panel| write_panel(out, panel))
}

/// Reads the regressions of a model; `None` if the file has none.
pub(crate) fn read(file: &TensorFile, model: &Model) -> Outcome<Option<Regressions>> {
    if file.dtype(NAMES[0]).is_none() {
        return Ok(None);
    }
    let [x, y, y_on_x] = NAMES.map(|name| read_panel(file, name));
    let regressions = Regressions { x: x?, y: y?, y_on_x: y_on_x? };
    let (x_cols, y_cols) = (model.x.weights.rows(), model.y.weights.rows());
    for ((name, panel), rows) in NAMES.iter().zip(panels(&regressions)).zip([x_cols, y_cols, y_cols]) {
        let expected = (rows, model.correlations.len());
        if (panel.rows(), panel.cols()) != expected {
            let found = (panel.rows(), panel.cols());
            return Err(Fault::new(format!("has shape {found:?}, expected {expected:?}")).within(name));
        }
    }
    Ok(Some(regressions))
}

fn panels(regressions: &Regressions) -> [&Panel; 3] {
    [&regressions.x, &regressions.y, &regressions.y_on_x]
}
