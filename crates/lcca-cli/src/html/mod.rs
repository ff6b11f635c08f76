//! Pages of results: one file that needs nothing else, for any browser, on paper too.
//!
//! [`page`] is the shell with styles and chart library inside, [`element`] the parts a page is put together from,
//! [`chart`] what is to be drawn; what a page says is in a module of its own, [`report`] and [`comparison`]. Text reaches a page
//! through [`escape`] only.

pub mod chart;
pub mod comparison;
pub mod element;
pub mod escape;
pub mod pack;
pub mod page;
pub mod report;
