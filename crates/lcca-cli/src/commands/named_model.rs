//! A model with the names of its columns, and those of its numbers that a command works with.

use crate::failure::Failure;
use crate::resolve::ModelContent;
use lcca::data::Side;
use lcca::fit::Model;
use lcca::matrix::Panel;
use lcca_io::{ModelFile, ModelNames, Names};
use std::path::Path;

pub struct NamedModel {
    pub model: Model,
    names: ModelNames,
}

impl NamedModel {
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let file = ModelFile::open(path)?;
        Ok(NamedModel { names: file.names()?, model: file.model })
    }

    /// The names of a view's columns, if it has any.
    pub fn names(&self, side: Side) -> Option<&Names> {
        match side {
            Side::X => self.names.x.as_ref(),
            Side::Y => self.names.y.as_ref(),
        }
    }

    /// The name of a column, or its number from 0.
    pub fn name(&self, side: Side, column: usize) -> String {
        self.names(side).map_or_else(|| column.to_string(), |names| names.get(column).to_string())
    }

    /// One row per column of a view, with a number for each of the first `components` components, or for
    /// all.
    pub fn numbers(
        &self,
        side: Side,
        content: ModelContent,
        components: Option<usize>,
    ) -> Result<Panel, Failure> {
        let view = self.model.view(side);
        let (panel, scale) = match content {
            ModelContent::Weights => (&view.weights, 1.0),
            ModelContent::Loadings => (&view.loadings, 1.0),
            ModelContent::Vectors => (&view.weights, self.unit_of_vectors(side)),
        };
        let pairs = panel.cols();
        let components = components.unwrap_or(pairs);
        if components > pairs || (components == 0 && pairs > 0) {
            return Err(Failure::Usage(format!(
                "--components is {components}, expected 1 to {pairs}, the pairs of the model"
            )));
        }
        Ok(Panel::from_fn(panel.rows(), components, |row, column| scale * panel.row(row)[column]))
    }

    /// The factor that turns weights into vectors, whose size does not depend on the number of rows. The
    /// weights of a model with variables of unit variance have that size already.
    fn unit_of_vectors(&self, side: Side) -> f64 {
        let weight = self.model.rows as f64;
        weight.sqrt() / self.model.settings.unit_of_variables(side, weight)
    }
}
