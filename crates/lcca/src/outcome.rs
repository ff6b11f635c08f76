//! What a fit decided and what its user should know: plain data with numbers, no sentences.
//!
//! Programs turn these into sentences where they print them. Costs are counted in operations and entries,
//! never in seconds, so that the same fit gives the same decisions on every machine.

use crate::side::Side;
use serde::{Deserialize, Serialize};

/// One decision of a fit. A fit lists its decisions in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// Equal rows were merged into weighted ones.
    RowsMerged {
        /// Rows that differ from each other.
        distinct: u64,
        /// Rows of the data.
        rows: u64,
    },
    /// Empty columns were left out, and the others were numbered by frequency.
    ColumnsRenumbered {
        /// The view.
        side: Side,
        /// Columns that hold an entry.
        kept: u64,
        /// Columns of the view.
        columns: u64,
    },
    /// Columns were divided by their standard deviations, or by their root mean squares if they were not
    /// centered.
    ColumnsScaled {
        /// The view.
        side: Side,
        /// Columns that were divided.
        scaled: u64,
        /// Columns of the view.
        columns: u64,
        /// Whether the columns were centered.
        centered: bool,
    },
    /// What covariates explain was taken out of both views.
    CovariatesTakenOut {
        /// Columns of the covariates.
        columns: u64,
        /// Those that are neither constant nor depend on others.
        independent: u64,
    },
    /// The user named the method.
    MethodRequested,
    /// A one-hot view has a diagonal Gram matrix, so it is solved for exactly and only the other view is
    /// iterated on.
    ViewEliminated {
        /// The one-hot view.
        side: Side,
    },
    /// The views are so narrow that they are solved exactly, from their dense Gram matrices, whatever else
    /// would cost.
    NarrowViews {
        /// Columns of X and of Y.
        columns: [u64; 2],
    },
    /// Classical CCA does not fit the memory, so the fit iterates.
    TooWideForClassical {
        /// Columns of both views.
        columns: u64,
        /// Bytes that QR and SVD would take.
        needed: u64,
        /// Bytes that were allowed.
        allowed: u64,
    },
    /// QR and an SVD take so little time that they are used, whatever else would cost.
    QuickEnoughForExact {
        /// Estimated operations.
        operations: f64,
    },
    /// The cheapest of three ways was taken; all numbers are estimated operations.
    CheapestTaken {
        /// QR of the rows, then an SVD.
        exact: f64,
        /// Dense Gram matrices.
        gram: f64,
        /// LOBPCG.
        iterative: f64,
    },
    /// Iterations run over sparse Gram matrices instead of the rows.
    GramMatricesFormed {
        /// Entries of all four blocks.
        entries: u64,
        /// Entries that were expected from a sample of the rows.
        expected: f64,
        /// Entries that one pass over the rows touches.
        touched: f64,
    },
    /// Sparse Gram matrices were begun but did not fit the memory, so iterations run over the rows.
    GramMatricesTooLarge,
    /// The dense Gram matrices were too ill conditioned to tell the rank, so QR of the rows took their place.
    QrInsteadOfGram,
    /// The preconditioner held B − A on some chosen columns, factorized densely.
    CoarseBlock {
        /// Columns in the last block.
        columns: u64,
        /// How often the columns were chosen.
        chosen: u64,
        /// Pairs on few columns that were found beforehand.
        witnesses: u64,
    },
    /// The preconditioner stood for B − A on all columns: the frequent ones were factorized, the others met a
    /// polynomial.
    TwoLevels {
        /// Columns that were factorized.
        columns: u64,
        /// The degree of the polynomial.
        degree: u64,
    },
    /// The preconditioner was B − A on all columns, exactly, by a factorization as large as there are rows.
    RowSpace {
        /// Rows that differ.
        rows: u64,
    },
    /// A Cholesky factorization proved that no pair was overlooked.
    Proven {
        /// At most so many values…
        exceeding: u64,
        /// … are above this one.
        value: f64,
        /// Columns of both views.
        columns: u64,
    },
    /// The first iterations ran with panels in single precision. What they found was measured in double
    /// precision, and iterations went on in it if that was not enough.
    SinglePrecisionFirst {
        /// Iterations in single precision.
        iterations: u64,
    },
    /// Classical CCA of random sums of rows took the place of the rows.
    RowsSketched {
        /// Sums that the rows were put into.
        sums: u64,
        /// Rows of the data.
        rows: u64,
        /// How far each objective value can be below the true one, with probability 0.9; `None` if nothing is
        /// proved for so few sums.
        bound: Option<f64>,
        /// The objective's total as the sums alone show it, usually above the true one.
        believed: f64,
    },
    /// The sparse matrix B − A was factorized for a better preconditioner.
    PreconditionerFactorized {
        /// Entries of the factor.
        entries: u64,
        /// Operations, estimated from the pattern of the factor.
        operations: f64,
        /// Whether the factorization succeeded. If the matrix is singular to rounding, iterations go on
        /// without it.
        succeeded: bool,
    },
    /// The number of pairs was chosen by a test on held-out rows.
    ComponentsChosen {
        /// The number that was chosen: the pairs before the first that failed, or 1.
        chosen: u64,
        /// Pairs that passed before the first that failed, with the chance of any false finding at most 5%.
        significant: u64,
        /// Pairs that were tried.
        tried: u64,
        /// Rows that were held out.
        rows: u64,
        /// Random orders that the correlations were compared with.
        permutations: u64,
    },
    /// Iterations, Gram matrices or a permutation test ran on a GPU.
    RanOnGpu {
        /// What its driver calls it.
        name: String,
        /// Its number, from 0.
        ordinal: u32,
    },
    /// A GPU was asked for, or allowed, and the fit or the test ran without one.
    RanWithoutGpu {
        /// Why.
        reason: WithoutGpu,
    },
}

/// Why a fit ran without a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WithoutGpu {
    /// Only LOBPCG and Gram matrices of dense rows are computed there, and the answer was found in another
    /// way.
    NothingToCompute,
    /// The fit takes so little that moving it would take longer.
    TooLittle {
        /// Estimated operations.
        operations: f64,
        /// Operations from which on a GPU is used.
        least: f64,
    },
    /// There is none that can be used.
    Unavailable {
        /// What is missing.
        message: String,
    },
    /// It failed, and the fit was begun again.
    Failed {
        /// What it said.
        message: String,
    },
}

/// Something the user should know about a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Note {
    /// The views have fewer independent directions that correlate than pairs were requested.
    FewerPairs {
        /// Pairs that were found.
        pairs: u64,
        /// Pairs that were requested.
        requested: u64,
    },
    /// Rows are so few that some correlations are 1 whatever the data say.
    CorrelationsGuaranteed {
        /// Pairs of which this is true, if columns are independent.
        pairs: u64,
        /// Rows of the data.
        rows: u64,
        /// Columns of X that are not constant.
        x_columns: u64,
        /// Columns of Y that are not constant.
        y_columns: u64,
    },
    /// Views without any relation would correlate strongly on so few rows.
    InflatedByNoise {
        /// The largest correlation that such views would have, about.
        noise: f64,
        /// Rows of the data.
        rows: u64,
        /// Columns of X that are not constant.
        x_columns: u64,
        /// Columns of Y that are not constant.
        y_columns: u64,
    },
    /// Pairs correlate far less on held-out rows than on those that were fitted.
    FarBelowTraining {
        /// Such pairs.
        far: u64,
        /// All pairs.
        pairs: u64,
        /// The training correlation of the pair with the largest loss.
        training: f64,
        /// Its held-out correlation.
        held_out: f64,
        /// Rows that were held out.
        rows: u64,
    },
    /// In cross-validation, pairs correlate far less on held-out rows than on those that were fitted, in the
    /// mean.
    FarBelowTrainingInFolds {
        /// The mean training correlation.
        training: f64,
        /// The mean correlation on held-out rows.
        held_out: f64,
        /// Parts of the rows that were held out in turn.
        folds: u64,
    },
    /// Columns of X are also columns of Y, or multiples of them.
    SharedColumns {
        /// Columns of X that this is true of.
        count: u64,
        /// Whether there may be more that were not looked at.
        or_more: bool,
        /// Some of them: the column of X and that of Y, from 0.
        columns: Vec<[u64; 2]>,
        /// Whether each of those is equal in every row. Multiples are not, and nobody looked at a file of an
        /// earlier version.
        #[serde(default)]
        equal: Vec<bool>,
    },
    /// A ridge is relative to the mean variance of the columns, and that is set by a few columns with very
    /// large ones.
    RidgeSetByFewColumns {
        /// The view.
        side: Side,
        /// The mean variance of the columns, in medians.
        ratio: f64,
    },
    /// Values of some columns differ by little more than the last digit in which they are stored.
    HardlyAnyDigits {
        /// The view.
        side: Side,
        /// Such columns.
        columns: u64,
        /// The first of them, from 0.
        first: u64,
    },
    /// Columns have means so far above their deviations that sums over these rows cannot tell them from
    /// constant ones.
    DigitsLost {
        /// The view.
        side: Side,
        /// Such columns.
        columns: u64,
        /// The first of them, from 0.
        first: u64,
    },
    /// No pair correlates on held-out rows beyond what chance gives.
    NothingBeyondChance {
        /// Pairs that were tried.
        tried: u64,
        /// Rows that were held out.
        rows: u64,
    },
    /// The number of pairs was left to the data, and all that were tried are significant.
    MorePairsMayExist {
        /// Pairs that were tried.
        tried: u64,
    },
    /// The certificate proves that more is missing from the total than the fit believed.
    StoppedTooEarly {
        /// The total is larger by at least this share of itself.
        gain: f64,
        /// The share that the fit estimated to be missing.
        estimated: f64,
    },
    /// Conjugate gradients ran out of steps for some of the bounds, which are therefore loose.
    LooseBounds {
        /// Pairs with a loose bound.
        loose: u64,
        /// All pairs.
        pairs: u64,
        /// Steps that were allowed.
        steps: u64,
    },
    /// Some bounds are far above their residuals: there are directions of little variance that residuals
    /// hardly see.
    BoundsFarAboveResiduals {
        /// Pairs with such a bound.
        far: u64,
        /// All pairs.
        pairs: u64,
        /// How many times the residual counts as far.
        factor: f64,
    },
}
