//! Values that flags of several commands choose from.

use clap::ValueEnum;

/// One of the two views.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum SideChoice {
    X,
    Y,
}

/// One view or both.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ViewChoice {
    X,
    Y,
    Both,
}

/// Which numbers of a model are exported or compared.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ContentChoice {
    Weights,
    Loadings,
    Vectors,
}

/// Whether columns are divided by their standard deviations.
#[derive(Clone, Copy, ValueEnum)]
pub enum ScaleChoice {
    Auto,
    Yes,
    No,
}

/// How the length of a view's weights is measured.
#[derive(Clone, Copy, ValueEnum)]
pub enum MetricChoice {
    Cca,
    Pls,
    Diagonal,
}

/// How rows are normalized.
#[derive(Clone, Copy, ValueEnum)]
pub enum NormalizeChoice {
    No,
    Length,
    Sum,
    Log1p,
}

/// Which ridge `--ridge-path` selects.
#[derive(Clone, Copy, ValueEnum)]
pub enum RidgeRule {
    Simplest,
    Best,
}
