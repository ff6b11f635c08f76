//! The contents of the columns of Arrow and Parquet files, in Arrow's terms.
//!
//! Both readers judge a column here, so that a column that cannot be part of a matrix is refused in the
//! same words. Because Parquet has fewer types than Arrow, writers that know Arrow's put its schema into
//! the file; if it is there, it decides.

#![cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "Parquet files need a part of this"))]

mod field;
pub(crate) mod flatbuffer;
mod numerals;
#[cfg(feature = "parquet")]
mod schema;
mod utf8;

pub(crate) use field::{Holds, Kind, TextLayout, Values, holds, type_name, words};
pub(crate) use numerals::decimal;
#[cfg(feature = "parquet")]
pub(crate) use schema::unreadable;
pub(crate) use utf8::utf8;
