//! `lcca export`

use super::model_content::ModelContent;
use super::outputs;
use super::session::Session;
use crate::args::{ExportArgs, SideChoice};
use crate::failure::Failure;
use lcca::data::Side;
use lcca_io::Formulas;
use std::path::PathBuf;

pub struct ExportJob {
    pub model: PathBuf,
    pub output: PathBuf,
    pub side: Side,
    pub content: ModelContent,
    pub normalize: bool,
    /// The number of columns to write; `None` for all.
    pub top: Option<usize>,
    /// The number of components to write; `None` for all.
    pub components: Option<usize>,
    /// The treatment of names that spreadsheets take for formulas.
    pub formulas: Formulas,
    pub session: Session,
}

impl ExportJob {
    pub fn new(args: ExportArgs) -> Result<Self, Failure> {
        if args.top == Some(0) {
            return Err(Failure::Usage("--top is 0, expected 1 or more".into()));
        }
        Ok(ExportJob {
            model: args.model,
            output: args.output,
            side: side(args.view),
            content: args.what.into(),
            normalize: args.normalize,
            top: args.top,
            components: args.components,
            formulas: outputs::formulas(&args.table),
            session: Session::new(args.common),
        })
    }
}

fn side(typed: SideChoice) -> Side {
    match typed {
        SideChoice::X => Side::X,
        SideChoice::Y => Side::Y,
    }
}
