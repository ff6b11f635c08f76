//! Files written and read back, damaged, or wrong to begin with.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(feature = "arrow")]
mod arrow;
mod bad_input;
mod checkpoint;
mod checksums;
mod damage;
mod model;
mod names;
mod pairing;
#[cfg(feature = "parquet")]
mod parquet;
mod round_trip;
mod support;
mod tables;
mod version_1;
