//! Pages of results: one file that needs nothing else, for any browser and for print.
//!
//! [`page`] is the shell with the styles inside, and [`element`] the parts a page is built from. The contents
//! of the pages are in [`report`], [`comparison`] and [`illustrated`]. Text reaches a page through
//! [`crate::escape`] only.

pub mod comparison;
mod element;
pub mod illustrated;
mod pack;
mod page;
pub mod report;
