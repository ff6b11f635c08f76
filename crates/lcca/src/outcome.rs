//! The decisions of a fit and notes for its user: plain data with numbers, no sentences.
//!
//! Programs turn these into sentences where they print them. Costs are counted in operations and entries,
//! never in seconds, because the same fit must give the same decisions on every machine.

use crate::side::Side;
use serde::{Deserialize, Serialize};

/// One decision of a fit. A fit lists its decisions in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// Equal rows were merged into weighted ones.
    RowsMerged {
        /// The number of rows that differ from each other.
        distinct: u64,
        /// The number of rows of the data.
        rows: u64,
    },
    /// Empty columns were left out, and the others were numbered by frequency.
    ColumnsRenumbered {
        /// The view.
        side: Side,
        /// The number of columns that hold an entry.
        kept: u64,
        /// The number of columns of the view.
        columns: u64,
    },
    /// Columns were divided by their standard deviations, or by their root mean squares if they were not
    /// centered.
    ColumnsScaled {
        /// The view.
        side: Side,
        /// The number of columns that were divided.
        scaled: u64,
        /// The number of columns of the view.
        columns: u64,
        /// Whether the columns were centered.
        centered: bool,
    },
    /// The part of both views that covariates explain was taken out.
    CovariatesTakenOut {
        /// The number of columns of the covariates.
        columns: u64,
        /// The number of covariates that are neither constant nor depend on others.
        independent: u64,
    },
    /// The user named the method.
    MethodRequested,
    /// One view is solved for exactly, because it is one-hot and its Gram matrix is diagonal. Only the
    /// other view is iterated on.
    ViewEliminated {
        /// The one-hot view.
        side: Side,
    },
    /// The views are solved exactly, from their dense Gram matrices, because they are narrow. The cost of
    /// other ways does not matter.
    NarrowViews {
        /// The numbers of columns of X and of Y.
        columns: [u64; 2],
    },
    /// Classical CCA does not fit the memory, so the fit iterates.
    TooWideForClassical {
        /// The number of columns of both views.
        columns: u64,
        /// The bytes that QR and SVD would take.
        needed: u64,
        /// The bytes that were allowed.
        allowed: u64,
    },
    /// QR and an SVD are used because they take little time. The cost of other ways does not matter.
    QuickEnoughForExact {
        /// The estimated number of operations.
        operations: f64,
    },
    /// The cheapest of three ways was taken; all numbers are estimated operations.
    CheapestTaken {
        /// The cost of QR of the rows and an SVD.
        exact: f64,
        /// The cost of dense Gram matrices.
        gram: f64,
        /// The cost of LOBPCG.
        iterative: f64,
    },
    /// Iterations run over sparse Gram matrices instead of the rows.
    GramMatricesFormed {
        /// The number of entries of all four blocks.
        entries: u64,
        /// The number of entries that was expected from a sample of the rows.
        expected: f64,
        /// The number of entries that one pass over the rows touches.
        touched: f64,
    },
    /// Sparse Gram matrices were begun but did not fit the memory, so iterations run over the rows.
    GramMatricesTooLarge,
    /// QR of the rows took the place of the dense Gram matrices, because these were too ill conditioned to
    /// tell the rank.
    QrInsteadOfGram,
    /// The preconditioner held B − A on some chosen columns, factorized densely.
    CoarseBlock {
        /// The number of columns in the last block.
        columns: u64,
        /// The number of times that the columns were chosen.
        chosen: u64,
    },
    /// The preconditioner stood for B − A on all columns: the frequent ones were factorized, and a
    /// polynomial was applied to the others.
    TwoLevels {
        /// The number of columns that were factorized.
        columns: u64,
        /// The degree of the polynomial.
        degree: u64,
    },
    /// The preconditioner was an incomplete Cholesky factor of B − A on all columns.
    IncompleteFactor {
        /// Columns in the factor.
        columns: u64,
        /// Frequent columns among them, which were factorized densely.
        dense: u64,
        /// Entries of the others.
        entries: u64,
    },
    /// The preconditioner was B − A on all columns, exactly, by a factorization as large as there are rows.
    RowSpace {
        /// The number of rows that differ.
        rows: u64,
    },
    /// A Cholesky factorization proved that no pair was overlooked.
    Proven {
        /// The most values that can be above `value`.
        exceeding: u64,
        /// The value that was proved to be exceeded by at most `exceeding` values.
        value: f64,
        /// The number of columns of both views.
        columns: u64,
    },
    /// The first iterations ran with panels in single precision. Their result was measured in double
    /// precision, and iterations went on in it if that was not enough.
    SinglePrecisionFirst {
        /// The number of iterations in single precision.
        iterations: u64,
    },
    /// Classical CCA of random sums of rows took the place of the rows.
    RowsSketched {
        /// The number of sums that the rows were put into.
        sums: u64,
        /// The number of rows of the data.
        rows: u64,
        /// The most by which each objective value is below the true one, with probability 0.9; `None` if
        /// nothing is proved because there are too few sums.
        bound: Option<f64>,
        /// The objective's total according to the sums alone, usually above the true one.
        believed: f64,
    },
    /// The sparse matrix B − A was factorized for a better preconditioner.
    PreconditionerFactorized {
        /// The number of entries of the factor.
        entries: u64,
        /// The number of operations, estimated from the pattern of the factor.
        operations: f64,
        /// Whether the factorization succeeded. If the matrix is singular to rounding, iterations go on
        /// without it.
        succeeded: bool,
    },
    /// The number of pairs was chosen by a test on held-out rows.
    ComponentsChosen {
        /// The number of pairs that was chosen: the pairs before the first that failed, or 1.
        chosen: u64,
        /// The number of pairs that passed before the first that failed, with the chance of any false
        /// finding at most 5%.
        significant: u64,
        /// The number of pairs that were tried.
        tried: u64,
        /// The number of rows that were held out.
        rows: u64,
        /// The number of random orders that the correlations were compared with.
        permutations: u64,
    },
    /// Iterations, Gram matrices or a permutation test ran on a GPU.
    RanOnGpu {
        /// The name of the GPU, from its driver.
        name: String,
        /// The number of the GPU, from 0.
        ordinal: u32,
    },
    /// The fit or the test ran without a GPU, although one was asked for or allowed.
    RanWithoutGpu {
        /// The reason why no GPU was used.
        reason: WithoutGpu,
    },
}

/// The reason why a fit ran without a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WithoutGpu {
    /// The answer was found in a way that has nothing to compute on a GPU. Only LOBPCG and Gram matrices of
    /// dense rows run there.
    NothingToCompute,
    /// Moving the fit would take longer than its operations.
    TooLittle {
        /// The estimated number of operations.
        operations: f64,
        /// The fewest operations for which a GPU is used.
        least: f64,
    },
    /// There is no GPU that can be used.
    Unavailable {
        /// The missing part, as a message.
        message: String,
    },
    /// The GPU failed, and the fit was begun again.
    Failed {
        /// The error message of the GPU.
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
        /// The number of pairs that were found.
        pairs: u64,
        /// The number of pairs that were requested.
        requested: u64,
    },
    /// Some correlations are 1 for any data, because there are too few rows.
    CorrelationsGuaranteed {
        /// The number of pairs whose correlation is guaranteed, if columns are independent.
        pairs: u64,
        /// The number of rows of the data.
        rows: u64,
        /// The number of columns of X that are not constant.
        x_columns: u64,
        /// The number of columns of Y that are not constant.
        y_columns: u64,
    },
    /// Even unrelated views would correlate strongly, because there are few rows.
    InflatedByNoise {
        /// The approximate largest correlation of unrelated views of this size.
        noise: f64,
        /// The number of rows of the data.
        rows: u64,
        /// The number of columns of X that are not constant.
        x_columns: u64,
        /// The number of columns of Y that are not constant.
        y_columns: u64,
    },
    /// Pairs correlate far less on held-out rows than on those that were fitted.
    FarBelowTraining {
        /// The number of pairs that correlate far less.
        far: u64,
        /// The number of pairs in all.
        pairs: u64,
        /// The training correlation of the pair with the largest loss.
        training: f64,
        /// The held-out correlation of the pair with the largest loss.
        held_out: f64,
        /// The number of rows that were held out.
        rows: u64,
    },
    /// In cross-validation, pairs correlate far less on held-out rows than on those that were fitted, in the
    /// mean.
    FarBelowTrainingInFolds {
        /// The mean training correlation.
        training: f64,
        /// The mean correlation on held-out rows.
        held_out: f64,
        /// The number of parts of the rows that were held out in turn.
        folds: u64,
    },
    /// Columns of X are also columns of Y, or multiples of them.
    SharedColumns {
        /// The number of columns of X that are shared.
        count: u64,
        /// Whether there may be more, because not all columns were looked at.
        or_more: bool,
        /// Some shared columns: the column of X and that of Y, from 0.
        columns: Vec<[u64; 2]>,
        /// For each entry of `columns`, whether its two columns are equal in every row. Multiples are not,
        /// and files of an earlier version do not say.
        #[serde(default)]
        equal: Vec<bool>,
    },
    /// A ridge is set by a few columns with very large variances, because it is relative to the mean
    /// variance of the columns.
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
        /// The number of columns with hardly any digits.
        columns: u64,
        /// The first column with hardly any digits, from 0.
        first: u64,
    },
    /// Sums over these rows cannot tell some columns from constant ones, because their means are too far
    /// above their deviations.
    DigitsLost {
        /// The view.
        side: Side,
        /// The number of columns that lost their digits.
        columns: u64,
        /// The first column that lost its digits, from 0.
        first: u64,
    },
    /// No pair correlates on held-out rows beyond what chance gives.
    NothingBeyondChance {
        /// The number of pairs that were tried.
        tried: u64,
        /// The number of rows that were held out.
        rows: u64,
    },
    /// More pairs may exist: the number of pairs was left to the data, and all that were tried are
    /// significant.
    MorePairsMayExist {
        /// The number of pairs that were tried.
        tried: u64,
    },
    /// The certificate proves that more is missing from the total than the fit believed.
    StoppedTooEarly {
        /// The total is larger by at least this share of itself.
        gain: f64,
        /// The share that the fit estimated to be missing.
        estimated: f64,
    },
    /// Some of the bounds are loose, because conjugate gradients ran out of steps for them.
    LooseBounds {
        /// The number of pairs with a loose bound.
        loose: u64,
        /// The number of pairs in all.
        pairs: u64,
        /// The number of steps that were allowed.
        steps: u64,
    },
    /// Some bounds are far above their residuals, because residuals hardly see directions of little
    /// variance.
    BoundsFarAboveResiduals {
        /// The number of pairs with a bound far above the residual.
        far: u64,
        /// The number of pairs in all.
        pairs: u64,
        /// The multiple of the residual above which a bound counts as far.
        factor: f64,
    },
}
