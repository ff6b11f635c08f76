//! Sentences for the decisions and notes of a fit. This is the one place that makes them: the program, its
//! report and Python print the sentences of this file.

mod device;
mod errors;
mod remarks;

pub use errors::error;
pub use remarks::remark;

use super::numbers::{count, grouped};
use device::without_gpu;
use lcca::data::Side;
use lcca::fit::{Certificate, Proven, Search};
use lcca::outcome::{Decision, Note};

/// Words a decision as a clause that can follow "because", or stand beside others, separated by semicolons.
pub fn decision(decision: &Decision) -> String {
    match decision {
        Decision::RowsMerged { distinct, rows } => {
            format!("only {} of the {} rows are different", grouped(*distinct), grouped(*rows))
        }
        Decision::ColumnsRenumbered { side, kept, columns } => {
            format!(
                "the {} of {} columns of {side} that are not empty were renumbered by frequency",
                grouped(*kept),
                grouped(*columns)
            )
        }
        Decision::ColumnsScaled { side, scaled, columns, centered } => {
            let by = if *centered { "standard deviations" } else { "root mean squares" };
            let which = if scaled == columns {
                format!("all {}", grouped(*columns))
            } else {
                format!("{} of the {}", grouped(*scaled), grouped(*columns))
            };
            format!("{which} columns of {side} were divided by their {by}")
        }
        Decision::CovariatesTakenOut { columns, independent } => {
            let which = if *columns == 1 {
                "1 covariate explains".into()
            } else if columns == independent {
                format!("{columns} covariates explain")
            } else {
                format!("{columns} covariates, of which {independent} are independent, explain")
            };
            format!("what {which} was taken out of both views")
        }
        Decision::MethodRequested => "it was requested".into(),
        Decision::ViewEliminated { side } => {
            format!("{side} is one-hot, so it is solved exactly and only the other view is iterated on")
        }
        Decision::NarrowViews { columns: [x, y] } => {
            format!(
                "the views are narrow ({} + {} columns), so they are solved exactly instead of iterated on",
                grouped(*x),
                grouped(*y)
            )
        }
        Decision::TooWideForClassical { columns, needed, allowed } => {
            let (columns, needed, allowed) = (grouped(*columns), gibibytes(*needed), gibibytes(*allowed));
            format!(
                "the views are too wide for QR and SVD in the allowed memory: {columns} columns take \
                 {needed} of {allowed}"
            )
        }
        Decision::QuickEnoughForExact { operations } => {
            format!("QR and SVD take only about {operations:.0e} operations here")
        }
        Decision::CheapestTaken { exact, gram, iterative } => format!(
            "QR and SVD would take about {exact:.0e} operations, Gram matrices {gram:.0e}, iterating \
             {iterative:.0e}"
        ),
        Decision::GramMatricesFormed { entries, expected, touched } => format!(
            "iterates on the Gram matrices, which have {} entries ({} were expected), while a pass over the \
             rows touches {}",
            grouped(*entries),
            grouped(expected.round() as u64),
            grouped(touched.round() as u64)
        ),
        Decision::GramMatricesTooLarge => {
            "the Gram matrices turned out too large for the allowed memory".into()
        }
        Decision::QrInsteadOfGram => {
            "the Gram matrices were too ill conditioned to tell the rank, so QR of the rows took their place"
                .into()
        }
        Decision::CoarseBlock { columns, chosen } => {
            let times = if *chosen == 1 { "once".into() } else { format!("{chosen} times") };
            format!(
                "the preconditioner held B − A on {} columns, which were chosen {times}",
                grouped(*columns)
            )
        }
        Decision::TwoLevels { columns, degree } => format!(
            "the preconditioner stood for B − A on all columns: it factorized the {} most frequent ones, and \
             a polynomial of degree {degree} stood for the others",
            grouped(*columns)
        ),
        Decision::IncompleteFactor { columns, dense, entries } => format!(
            "the preconditioner was an incomplete Cholesky factor of B − A: {} columns, the {} most frequent \
             of them dense, {} entries for the others",
            grouped(*columns),
            grouped(*dense),
            grouped(*entries)
        ),
        Decision::RowSpace { rows } => {
            format!("B − A was inverted exactly, by a factorization of the {} rows", grouped(*rows))
        }
        Decision::Proven { exceeding: 0, value, columns } => {
            let columns = grouped(*columns);
            format!("it is proven that no value of these {columns} columns exceeds {value:.6}")
        }
        Decision::Proven { exceeding, value, columns } => format!(
            "it is proven, by factorizing all {} columns, that at most {} values exceed {value:.6}",
            grouped(*columns),
            grouped(*exceeding)
        ),
        Decision::SinglePrecisionFirst { iterations: 1 } => {
            "the first iteration ran in single precision, and what it found was measured in double precision"
                .into()
        }
        Decision::SinglePrecisionFirst { iterations } => format!(
            "the first {iterations} iterations ran in single precision, and what they found was measured in \
             double precision"
        ),
        Decision::RowsSketched { sums, rows, bound, believed } => {
            let proved = match bound {
                Some(bound) => format!(
                    "with probability 0.9 each objective value is at most {bound:.2} below the true one, and \
                     usually far less"
                ),
                None => "nothing is proved for so few sums".into(),
            };
            let (rows, sums) = (grouped(*rows), grouped(*sums));
            format!(
                "the {rows} rows were put into {sums} random sums, on which the total is {believed:.4}; on \
                 the rows it is what is \
                 reported, and the true one usually lies between; {proved}"
            )
        }
        Decision::PreconditionerFactorized { entries, operations, succeeded } => {
            let end = if *succeeded {
                ""
            } else {
                ", in vain: it is singular to rounding, so iterations went on without it"
            };
            let entries = *entries as f64;
            format!(
                "B − A was factorized for a better preconditioner: {entries:.1e} entries, about \
                 {operations:.0e} operations{end}"
            )
        }
        Decision::RanOnGpu { name, ordinal } => format!("it ran on GPU {ordinal}, {name}"),
        Decision::RanWithoutGpu { reason } => format!("no GPU was used: {}", without_gpu(reason)),
        Decision::ComponentsChosen { chosen, significant, tried, rows, permutations } => {
            let reason = match significant {
                0 => "none of them correlates beyond chance".into(),
                _ if significant == chosen => "all up to that one correlate beyond chance".into(),
                _ => format!("{significant} of those up to that one correlate beyond chance"),
            };
            format!(
                "{} of {tried} tried {} kept: on {} held-out rows {reason}, by {} random orders with the \
                 chance of \
                 any false finding at most 5%",
                count(*chosen, "pair"),
                if *chosen == 1 { "was" } else { "were" },
                grouped(*rows),
                grouped(*permutations)
            )
        }
        // The engine may add decisions that have no sentence yet. Their names and numbers still tell what
        // happened.
        other => format!("{other:?}"),
    }
}

/// Words all decisions of a fit in one sentence, without a full stop.
pub fn why(decisions: &[Decision]) -> String {
    decisions.iter().map(decision).collect::<Vec<_>>().join("; ")
}

/// Words in a clause how a certificate looked for larger pairs, and the result.
pub fn search(certificate: &Certificate) -> String {
    let gain = certificate.gain;
    let found = if gain > 0.0 {
        format!("at least {gain:.1e} is missing from the total of the objective")
    } else {
        "nothing larger was found".to_string()
    };
    match certificate.search {
        Search::Exact => {
            format!("compared with the exact answer, {gain:.1e} is missing from the total of the objective")
        }
        Search::Proven => match certificate.proven {
            Some(Proven { exceeding: 0, value, missing }) => format!(
                "proven: no value exceeds {value:.6}, so at most {missing:.1e} is missing from the total of \
                 the objective"
            ),
            Some(Proven { exceeding, value, missing }) => format!(
                "proven: at most {} values exceed {value:.6}, so at most {missing:.1e} is missing from the \
                 total of the objective",
                grouped(exceeding as u64)
            ),
            None => format!("refuted: {found}"),
        },
        Search::Probed => {
            let why = certificate.unaffordable.map_or(String::new(), |operations| {
                format!(" (a proof would take {operations:.0e} operations)")
            });
            format!(
                "searched from random directions outside the fitted space, {found}; that no larger pair was \
                 missed is not proved{why}"
            )
        }
        Search::Nearby => {
            format!("{found} near the fitted pairs; that no larger pair was missed is not proved")
        }
    }
}

/// Words a note as a sentence without a full stop.
pub fn note(note: &Note) -> String {
    match note {
        Note::FewerPairs { pairs, requested } => format!(
            "{pairs} of the {requested} requested pairs were found: this method saw no more independent \
             directions that correlate"
        ),
        Note::StoppedTooEarly { gain, estimated } => format!(
            "the fit stopped too early: at least {gain:.1e} of the total is missing, and about \
             {estimated:.1e} of it was thought to be"
        ),
        Note::LooseBounds { loose, pairs, steps } => {
            format!(
                "the bounds of {loose} of {pairs} pairs are loose: they were not solved for in {steps} steps"
            )
        }
        Note::BoundsFarAboveResiduals { far, pairs, factor } => format!(
            "the bounds of {far} of {pairs} pairs are more than {factor} times the residual: residuals \
             hardly see \
             directions of little variance"
        ),
        Note::CorrelationsGuaranteed { pairs, rows, x_columns, y_columns } => format!(
            "correlations of 1 are guaranteed here and mean nothing: {} + {} columns against {} make {} \
             perfect whatever \
             the data say",
            grouped(*x_columns),
            grouped(*y_columns),
            count(*rows, "row"),
            count(*pairs, "pair")
        ),
        Note::InflatedByNoise { noise, rows, x_columns, y_columns } => format!(
            "these correlations may be inflated: with {} and {} + {} columns, views without any relation \
             would reach \
             about {noise:.2}",
            count(*rows, "row"),
            grouped(*x_columns),
            grouped(*y_columns)
        ),
        Note::FarBelowTraining { far, pairs, training, held_out, rows } => format!(
            "{far} of {pairs} pairs do far worse on the {} held-out rows than on the fitted ones, up to \
             {held_out:.2} \
             instead of {training:.2}: they describe these rows and not others",
            grouped(*rows)
        ),
        Note::FarBelowTrainingInFolds { training, held_out, folds } => format!(
            "the mean correlation is {training:.2} on the fitted rows and {held_out:.2} on held-out rows of \
             {folds} folds: part of it \
             describes these rows and not others"
        ),
        Note::SharedColumns { .. } => shared_columns(note, |_, column| format!("{column}")),
        Note::RidgeSetByFewColumns { side, ratio } => format!(
            "the ridge of {side} is set by a few columns of large variance: the mean variance is {ratio:.0} \
             times that of \
             the median column, which the ridge therefore shrinks {ratio:.0} times more than it seems"
        ),
        Note::HardlyAnyDigits { .. } | Note::DigitsLost { .. } => {
            few_digits(note, |_, column| column.to_string())
        }
        Note::NothingBeyondChance { tried, rows } => format!(
            "no pair of the {tried} tried correlates on {} held-out rows beyond what chance gives; one was \
             fitted all the same",
            grouped(*rows)
        ),
        Note::MorePairsMayExist { tried } => format!(
            "all {tried} pairs that were tried are significant: there may be more, and the number has to be \
             given to find them"
        ),
        other => format!("{other:?}"),
    }
}

/// Words a note as a sentence, with columns called by their names. `name` gives the name of a column of a
/// view.
pub fn note_with_names(note: &Note, name: impl Fn(Side, usize) -> Option<String>) -> String {
    match note {
        Note::SharedColumns { .. } => shared_columns(note, |side, column| {
            name(side, column).map_or_else(|| column.to_string(), |name| format!("{name:?}"))
        }),
        Note::HardlyAnyDigits { .. } | Note::DigitsLost { .. } => few_digits(note, |side, column| {
            name(side, column).map_or_else(|| column.to_string(), |name| format!("{name:?}"))
        }),
        other => super::wording::note(other),
    }
}

fn few_digits(note: &Note, call: impl Fn(Side, usize) -> String) -> String {
    let (side, columns, first, lost) = match note {
        Note::HardlyAnyDigits { side, columns, first } => (side, columns, first, false),
        Note::DigitsLost { side, columns, first } => (side, columns, first, true),
        _ => return String::new(),
    };
    let (more, verb) = match columns {
        1 => (String::new(), "varies"),
        _ => (format!(" and {} more", columns - 1), "vary"),
    };
    let column = call(*side, *first as usize);
    if lost {
        format!(
            "column {column} of {side}{more} {verb} too little against the mean for sums over these rows, or \
             not at all: \
             subtract a constant first if that is wrong"
        )
    } else {
        format!(
            "column {column} of {side}{more} {verb} by little more than the last stored digit: store \
             doubles, or subtract a \
             constant before storing"
        )
    }
}

fn shared_columns(note: &Note, call: impl Fn(Side, usize) -> String) -> String {
    let Note::SharedColumns { count, or_more, columns, equal } = note else { return String::new() };
    let one = |[x, y]: [u64; 2]| {
        format!("{} of X and {} of Y", call(Side::X, x as usize), call(Side::Y, y as usize))
    };
    let is_equal = |place: usize| equal.get(place).copied().unwrap_or(false);
    let of_kind = |wanted: bool, what: &str| {
        let columns = columns.iter().enumerate().filter(|&(place, _)| is_equal(place) == wanted);
        let some: Vec<String> = columns.map(|(_, &columns)| one(columns)).collect();
        (!some.is_empty()).then(|| format!("{} {what}", some.join(", ")))
    };
    let kinds = [of_kind(true, "are equal in every row"), of_kind(false, "are multiples but for a constant")];
    let more = if columns.len() < *count as usize { ", …" } else { "" };
    let (verb, many) = if *count == 1 { ("is", "column") } else { ("are", "columns") };
    format!(
        "{count} {}{many} of X {verb} also in Y: {}{more}; if one was copied by mistake, leave it out of one \
         view",
        if *or_more { "or more " } else { "" },
        kinds.into_iter().flatten().collect::<Vec<_>>().join("; ")
    )
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::outcome::WithoutGpu;

    /// Every variant that has a sentence, with numbers that can be found in it.
    fn decisions() -> Vec<Decision> {
        vec![
            Decision::RowsMerged { distinct: 11, rows: 12 },
            Decision::ColumnsRenumbered { side: Side::Y, kept: 13, columns: 14 },
            Decision::ColumnsScaled { side: Side::X, scaled: 25, columns: 26, centered: true },
            Decision::CovariatesTakenOut { columns: 32, independent: 33 },
            Decision::MethodRequested,
            Decision::ViewEliminated { side: Side::X },
            Decision::NarrowViews { columns: [20, 21] },
            Decision::TooWideForClassical { columns: 15, needed: 16 << 30, allowed: 1 << 30 },
            Decision::QuickEnoughForExact { operations: 1e16 },
            Decision::CheapestTaken { exact: 1e17, gram: 1e18, iterative: 1e19 },
            Decision::GramMatricesFormed { entries: 20, expected: 21.0, touched: 22.0 },
            Decision::GramMatricesTooLarge,
            Decision::QrInsteadOfGram,
            Decision::CoarseBlock { columns: 25, chosen: 26 },
            Decision::TwoLevels { columns: 44, degree: 45 },
            Decision::IncompleteFactor { columns: 47, dense: 48, entries: 49 },
            Decision::RowSpace { rows: 46 },
            Decision::Proven { exceeding: 39, value: 0.404_142, columns: 43 },
            Decision::SinglePrecisionFirst { iterations: 38 },
            Decision::PreconditionerFactorized { entries: 23, operations: 1e24, succeeded: false },
            Decision::RowsSketched { sums: 27, rows: 28, bound: Some(0.29), believed: 3.031 },
            Decision::ComponentsChosen { chosen: 32, significant: 33, tried: 34, rows: 35, permutations: 36 },
            Decision::RanOnGpu { name: "H200".into(), ordinal: 37 },
            Decision::RanWithoutGpu { reason: WithoutGpu::TooLittle { operations: 1e5, least: 1e10 } },
        ]
    }

    fn notes() -> Vec<Note> {
        vec![
            Note::FewerPairs { pairs: 3, requested: 5 },
            Note::StoppedTooEarly { gain: 1e-3, estimated: 1e-5 },
            Note::LooseBounds { loose: 2, pairs: 7, steps: 300 },
            Note::BoundsFarAboveResiduals { far: 2, pairs: 7, factor: 100.0 },
            Note::CorrelationsGuaranteed { pairs: 21, rows: 100, x_columns: 60, y_columns: 61 },
            Note::InflatedByNoise { noise: 0.87, rows: 100, x_columns: 30, y_columns: 31 },
            Note::FarBelowTraining { far: 2, pairs: 5, training: 0.99, held_out: 0.1, rows: 20 },
            Note::HardlyAnyDigits { side: Side::Y, columns: 2, first: 7 },
            Note::DigitsLost { side: Side::X, columns: 1, first: 0 },
            Note::SharedColumns {
                count: 5,
                or_more: false,
                columns: vec![[3, 4], [5, 6]],
                equal: vec![true, false],
            },
            Note::FarBelowTrainingInFolds { training: 0.97, held_out: 0.2, folds: 5 },
            Note::RidgeSetByFewColumns { side: Side::X, ratio: 50000.0 },
            Note::NothingBeyondChance { tried: 50, rows: 200 },
            Note::MorePairsMayExist { tried: 50 },
        ]
    }

    fn is_sentence(text: &str) -> bool {
        !text.contains(['{', '}']) && !text.contains("--") && text.contains(' ') && !text.ends_with('.')
    }

    #[test]
    fn every_decision_and_note_has_a_sentence_without_flags() {
        let texts: Vec<String> = decisions().iter().map(decision).chain(notes().iter().map(note)).collect();
        for text in &texts {
            assert!(is_sentence(text), "{text}");
        }
        let distinct: std::collections::BTreeSet<&String> = texts.iter().collect();
        assert_eq!(distinct.len(), texts.len());
    }

    #[test]
    fn columns_in_both_views_are_named_without_an_accusation() {
        let note = |columns: Vec<[u64; 2]>, equal: Vec<bool>| Note::SharedColumns {
            count: columns.len() as u64,
            or_more: false,
            columns,
            equal,
        };
        let names =
            |side: Side, _: usize| Some(if side == Side::X { "umbrella" } else { "parapluie" }.to_string());
        assert_eq!(
            note_with_names(&note(vec![[1, 2]], vec![true]), names),
            "1 column of X is also in Y: \"umbrella\" of X and \"parapluie\" of Y are equal in every row; if \
             one was copied \
             by mistake, leave it out of one view"
        );
        // A file of an earlier version does not say which columns are equal.
        let old = super::note(&note(vec![[1, 2]], Vec::new()));
        assert!(old.contains("1 of X and 2 of Y are multiples but for a constant"), "{old}");
    }

    #[test]
    fn sentences_carry_the_numbers() {
        let all = why(&decisions());
        for number in [
            "11", "12", "13", "14", "15", "16.0 GiB", "1e16", "1e17", "1e18", "1e19", "20", "21", "22",
            "2.3e1", "1e24", "25", "26", "31", "27", "28", "0.29", "3.0310", "32", "33", "34", "35", "36",
            "37", "38", "1e5", "1e10",
        ] {
            assert!(all.contains(number), "{number}: {all}");
        }
        assert!(
            all.contains("columns of Y") && all.contains("X is one-hot") && all.contains("in vain"),
            "{all}"
        );
        // The clause of a sketch has two semicolons of its own.
        assert_eq!(all.matches("; ").count(), decisions().len() + 1);
    }
}
