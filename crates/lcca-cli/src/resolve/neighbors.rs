//! `lcca neighbors`

use super::model_content::ModelContent;
use super::session::Session;
use crate::args::{NeighborsArgs, SideChoice, ViewChoice};
use lcca::data::Side;
use std::path::PathBuf;

pub struct NeighborsJob {
    pub model: PathBuf,
    pub words: Vec<String>,
    /// The views in which the words are looked up, in this order.
    pub looked_up_in: Vec<Side>,
    /// The views that are searched for neighbors.
    pub searched: Vec<Side>,
    /// The number of neighbors per view.
    pub count: usize,
    pub content: ModelContent,
    /// The number of components to compare; `None` for all.
    pub components: Option<usize>,
    pub session: Session,
}

impl NeighborsJob {
    pub fn new(args: NeighborsArgs) -> Self {
        NeighborsJob {
            model: args.model,
            words: args.words,
            looked_up_in: match args.view {
                None => Side::BOTH.into(),
                Some(SideChoice::X) => vec![Side::X],
                Some(SideChoice::Y) => vec![Side::Y],
            },
            searched: match args.search_in {
                ViewChoice::X => vec![Side::X],
                ViewChoice::Y => vec![Side::Y],
                ViewChoice::Both => Side::BOTH.into(),
            },
            count: args.count as usize,
            content: args.what.into(),
            components: args.components,
            session: Session::new(args.common),
        }
    }
}
