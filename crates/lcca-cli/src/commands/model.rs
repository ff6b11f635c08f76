//! A model with the names of its columns, and which of its numbers are meant.

use crate::args::export::What;
use crate::failure::Failure;
use lcca::data::Side;
use lcca::fit::Model;
use lcca::matrix::Panel;
use lcca_io::{ModelNames, Names, read_model, read_model_names};
use std::path::Path;

pub struct NamedModel {
    pub model: Model,
    names: ModelNames,
}

impl NamedModel {
    /// The names of a view's columns, where they have any.
    pub fn names(&self, side: Side) -> Option<&Names> {
        match side {
            Side::X => self.names.x.as_ref(),
            Side::Y => self.names.y.as_ref(),
        }
    }

    /// What a column is called: its name, or its number from 0.
    pub fn name(&self, side: Side, column: usize) -> String {
        self.names(side).map_or_else(|| column.to_string(), |names| names.get(column).to_string())
    }
}

pub fn named_model(path: &Path) -> Result<NamedModel, Failure> {
    let (model, _) = read_model(path)?;
    Ok(NamedModel { model, names: read_model_names(path)? })
}

/// The numbers that are meant, of the first so many components.
pub fn numbers(model: &Model, side: Side, what: What, components: Option<usize>) -> Result<Panel, Failure> {
    let view = model.view(side);
    let (panel, scale) = match what {
        What::Weights => (&view.weights, 1.0),
        What::Loadings => (&view.loadings, 1.0),
        What::Vectors => (&view.weights, (model.rows as f64).sqrt()),
    };
    let pairs = panel.cols();
    if let Some(components) = components.filter(|&components| components == 0 || components > pairs) {
        let message = format!("--components is {components}, expected 1 to {pairs}, the pairs of the model");
        return Err(Failure::Usage(message));
    }
    let components = components.unwrap_or(pairs);
    Ok(Panel::from_fn(panel.rows(), components, |row, column| scale * panel.row(row)[column]))
}
