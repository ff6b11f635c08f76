//! Files of lcca: matrices in common formats, the mapped store, fitted models, checkpoints.
//!
//! Every file is opened once. Files that can be mapped are mapped, and files that are written appear whole
//! or not at all. An error is one line that names the file, the place in it and the contents that were
//! expected there.
//!
//! Two formats are features, both on by default, because they need large libraries or code of their own:
//! `parquet` and `arrow`.

mod abandoned;
mod access;
mod arrays;
#[cfg(feature = "arrow")]
mod arrow;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod arrow_fields;
mod assemble;
mod atomic;
mod checkpoint;
mod checksums;
#[cfg(feature = "parquet")]
mod columnar;
mod covariates;
mod delimited;
mod describe;
mod effects;
mod encoding;
mod error;
mod export;
mod fingerprint;
mod folder;
mod for_model;
mod format;
mod guard;
mod half;
mod identity;
mod kind;
mod labels;
mod layouts;
mod legible;
mod lines;
mod loaded;
mod mapped;
mod matching;
mod matrix_market;
mod memory;
mod missing;
mod model;
mod mtx_folder;
mod names;
mod npy;
mod npz;
pub mod numbers;
mod occurring;
mod options;
mod pairing;
mod panels;
mod parallel;
mod pattern;
mod pick;
mod place;
mod read;
mod reading_record;
mod record;
mod regressions;
mod remark;
mod rows;
mod saver;
mod source;
mod standard_input;
mod store;
mod svmlight;
mod table;
mod temporary;
mod tensors;
mod text;
mod triplets;
mod values;
mod verify;
pub mod views;
pub mod wording;
mod write;

pub use arrays::{Array, Arrays, matrix_from, matrix_from_with};
pub use atomic::{Output, remove_unfinished, remove_unfinished_at_once};
pub use checkpoint::{read_checkpoint, write_checkpoint};
pub use covariates::read_covariates;
pub use describe::{Info, MatrixInfo, ModelInfo, StateInfo, TopColumn, describe, describe_with};
pub use error::{Error, Place, Remedy, Result};
pub use export::{
    Cell, CellKind, Exported, Formulas, NamedRows, RowWriter, TableWriter, check_export, check_rows,
    check_table, escaped, export_rows, names_beside,
};
pub use folder::OutputFolder;
pub use for_model::{ModelColumns, read_for_model};
pub use guard::panics_are_guarded;
pub use identity::Identity;
pub use labels::{NamedLabels, read_labels, read_labels_or_blanks};
pub use legible::{legible, legible_path};
pub use loaded::Loaded;
pub use mapped::{mapped_file_at, note_mapped_files};
pub use matching::{Align, IdColumn, Labeled, Matched, RowLabels, choose_ids, match_rows};
pub use model::{
    ModelFile, ModelNames, read_model, read_model_names, write_model, write_model_named, write_model_whole,
};
pub use names::Names;
pub use npy::NpyWriter;
pub use options::{Categorical, Index, Missing, ReadOptions, TableOptions};
pub use pairing::{Attached, PairedViews, name_rows, pair_rows, pair_rows_with};
pub use read::{read_matrix, read_matrix_with, read_names, says_its_width};
pub use reading_record::ReadingRecord;
pub use record::{FitRecord, Recorded, TracePoint};
pub use remark::Remark;
pub use saver::{Saved, Saver, remove_checkpoint};
pub use table::is_called_like_id;
pub use temporary::temporary_folder;
pub use verify::verify;
pub use write::{keeps_names, write_matrix, write_matrix_named, write_with_names};

/// Runs the example of docs/rust.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct RustPage;

/// Runs the example of docs/start-rust.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/start-rust.md")]
struct StartInRust;
