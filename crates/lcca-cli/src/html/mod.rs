//! Pages of results: one file that needs nothing else, for any browser and for print.
//!
//! [`page`] is the shell with styles and chart library inside, [`element`] the parts a page is built from, and [`chart`] the
//! data of a drawing. The contents of the two pages are in [`report`] and [`comparison`]. Text reaches a page through
//! [`escape`] only.

mod chart;
pub mod comparison;
mod element;
mod escape;
mod pack;
mod page;
pub mod report;
