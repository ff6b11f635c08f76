//! Values that flags of `lcca views` choose from.

use clap::ValueEnum;

#[derive(Clone, Copy, ValueEnum)]
pub enum FormatChoice {
    Tsv,
    Csv,
    Jsonl,
    Parquet,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ValueChoice {
    /// One, however often the token occurs
    Binary,
    /// How often the token occurs
    Count,
    /// Counts weighted by how rare the token is, rows scaled to length one
    TfIdf,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum TieChoice {
    Name,
    First,
}
