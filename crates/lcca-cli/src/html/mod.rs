//! Pages of results. Each is one file that needs no other, for any browser and for print.
//!
//! [`page`] is the shell with the styles inside, and [`element`] has the parts of a page. The contents of
//! the pages are in [`report`], [`comparison`] and [`illustrated`]. Text reaches a page through
//! [`crate::escape`] only.

pub mod comparison;
mod element;
pub mod illustrated;
mod pack;
mod page;
pub mod report;
