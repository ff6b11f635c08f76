//! Files of lcca: matrices in common formats, the mapped store, fitted models, checkpoints.
//!
//! Every file is opened once. Files that can be mapped are mapped, and files that are written appear whole
//! or not at all. An error is one line that names the file, the place in it and the contents that were
//! expected there.
//!
//! Two formats are features, both on by default, because they need large libraries or code of their own:
//! `parquet` and `arrow`.

mod error;
mod input;
mod load;
mod matrix;
mod models;
mod parts;
mod safe;
mod tables;
pub mod views;
mod words;

pub use error::{Error, Place, Remedy, Result};
pub use input::mapped::{mapped_file_at, note_mapped_files};
pub use load::arrays::{Array, Arrays, matrix_from, matrix_from_with};
pub use load::labels::{NamedLabels, read_labels, read_labels_or_blanks};
pub use load::loaded::Loaded;
pub use load::pairing::{Attached, PairedViews, name_rows, pair_rows, pair_rows_with};
pub use load::read::{read_matrix, read_matrix_with, read_names, says_its_width};
pub use load::reading_record::ReadingRecord;
pub use load::verify::verify;
pub use load::write::{keeps_names, write_matrix, write_matrix_named, write_with_names};
pub use matrix::npy::NpyWriter;
pub use matrix::options::{Categorical, Index, Missing, ReadOptions, TableOptions};
pub use models::checkpoint::{read_checkpoint, write_checkpoint};
pub use models::covariates::read_covariates;
pub use models::describe::{Info, MatrixInfo, ModelInfo, StateInfo, TopColumn, describe, describe_with};
pub use models::export::{
    Cell, CellKind, Exported, Formulas, NamedRows, RowWriter, TableWriter, check_export, check_rows,
    check_table, escaped, export_rows, names_beside,
};
pub use models::for_model::{ModelColumns, read_for_model};
pub use models::model::{
    ModelFile, ModelNames, read_model, read_model_names, write_model, write_model_named, write_model_whole,
};
pub use models::saver::{Saved, Saver, remove_checkpoint};
pub use parts::identity::Identity;
pub use parts::names::Names;
pub use safe::atomic::{Output, remove_unfinished, remove_unfinished_at_once};
pub use safe::folder::OutputFolder;
pub use safe::guard::panics_are_guarded;
pub use safe::temporary::temporary_folder;
pub use tables::matching::{Align, IdColumn, Labeled, Matched, RowLabels, choose_ids, match_rows};
pub use tables::table::is_called_like_id;
pub use words::legible::{legible, legible_path};
pub use words::record::{FitRecord, Recorded, TracePoint};
pub use words::remark::Remark;
pub use words::{numbers, wording};

/// Runs the example of docs/rust.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct RustPage;

/// Runs the example of docs/start-rust.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/start-rust.md")]
struct StartInRust;
