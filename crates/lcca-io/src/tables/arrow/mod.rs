//! Arrow files, also called Feather: columns of numbers, Booleans and texts as a matrix, one batch of rows
//! at a time.
//!
//! We read only this part of the format, straight from the mapped file, because the libraries that read all
//! of it took a fifth of the time that the whole program takes to build.

mod batch;
mod column;
mod file;
mod table;

pub(crate) use file::ArrowFile;
