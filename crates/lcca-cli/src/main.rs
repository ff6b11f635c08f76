//! The command line.

mod demo;
mod plot;

fn main() {}
