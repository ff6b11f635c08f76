//! Sentences for the decisions and notes of a fit. This is the one place that makes them: the program, its report and
//! Python print what this file says.

use lcca::outcome::{Decision, Note};

/// A decision as a clause that can follow "because" or stand beside others, separated by semicolons.
pub fn decision(decision: &Decision) -> String {
    match decision {
        Decision::RowsMerged { distinct, rows } => {
            format!("only {distinct} of the {rows} rows are different")
        }
        Decision::ColumnsRenumbered { side, kept, columns } => {
            format!(
                "the {kept} of {columns} columns of {side} that are not empty were renumbered by frequency"
            )
        }
        Decision::MethodRequested => "it was requested".into(),
        Decision::ViewEliminated { side } => {
            format!("{side} is one-hot, so it is solved exactly and only the other view is iterated on")
        }
        Decision::TooWideForClassical { columns, needed, allowed } => {
            let (needed, allowed) = (gibibytes(*needed), gibibytes(*allowed));
            format!(
                "the views are too wide for QR and SVD in the allowed memory: {columns} columns take {needed} of {allowed}"
            )
        }
        Decision::QuickEnoughForExact { operations } => {
            format!("QR and SVD take only about {operations:.0e} operations here, and give the last digits")
        }
        Decision::CheapestTaken { exact, gram, iterative } => format!(
            "QR and SVD would take about {exact:.0e} operations, Gram matrices {gram:.0e}, iterating {iterative:.0e}"
        ),
        Decision::GramMatricesFormed { entries, expected, touched } => format!(
            "iterates on the Gram matrices, which have {entries} entries ({expected:.0} were expected), while a pass over \
             the rows touches {touched:.0}"
        ),
        Decision::GramMatricesTooLarge => {
            "the Gram matrices turned out too large for the allowed memory".into()
        }
        Decision::QrInsteadOfGram => {
            "the Gram matrices were too ill conditioned to tell the rank, so QR of the rows took their place"
                .into()
        }
        Decision::PreconditionerFactorized { entries, operations, succeeded } => {
            let end = if *succeeded {
                ""
            } else {
                ", in vain: it is singular to rounding, so iterations went on without it"
            };
            let entries = *entries as f64;
            format!(
                "B − A was factorized for a better preconditioner: {entries:.1e} entries, about {operations:.0e} operations{end}"
            )
        }
        // The engine may grow decisions that have no sentence yet; their names and numbers still say what happened.
        other => format!("{other:?}"),
    }
}

/// All decisions of a fit in one sentence, without a full stop.
pub fn why(decisions: &[Decision]) -> String {
    decisions.iter().map(decision).collect::<Vec<_>>().join("; ")
}

/// A note as a sentence without a full stop.
pub fn note(note: &Note) -> String {
    match note {
        Note::FewerPairs { pairs, requested } => format!(
            "{pairs} of the {requested} requested pairs were found: this method saw no more independent directions that correlate"
        ),
        Note::StoppedTooEarly { gain, estimated } => format!(
            "the fit stopped too early: the total is larger by at least {gain:.1e}, and about {estimated:.1e} was thought to be missing"
        ),
        Note::LooseBounds { loose, pairs, steps } => {
            format!(
                "the bounds of {loose} of {pairs} pairs are loose: they were not solved for in {steps} steps"
            )
        }
        Note::BoundsFarAboveResiduals { far, pairs, factor } => format!(
            "the bounds of {far} of {pairs} pairs are more than {factor} times the residual: residuals hardly see \
             directions of little variance"
        ),
        other => format!("{other:?}"),
    }
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::data::Side;

    /// Every variant that has a sentence, with numbers that can be found in it.
    fn decisions() -> Vec<Decision> {
        vec![
            Decision::RowsMerged { distinct: 11, rows: 12 },
            Decision::ColumnsRenumbered { side: Side::Y, kept: 13, columns: 14 },
            Decision::MethodRequested,
            Decision::ViewEliminated { side: Side::X },
            Decision::TooWideForClassical { columns: 15, needed: 16 << 30, allowed: 1 << 30 },
            Decision::QuickEnoughForExact { operations: 1e16 },
            Decision::CheapestTaken { exact: 1e17, gram: 1e18, iterative: 1e19 },
            Decision::GramMatricesFormed { entries: 20, expected: 21.0, touched: 22.0 },
            Decision::GramMatricesTooLarge,
            Decision::QrInsteadOfGram,
            Decision::PreconditionerFactorized { entries: 23, operations: 1e24, succeeded: false },
        ]
    }

    fn notes() -> Vec<Note> {
        vec![
            Note::FewerPairs { pairs: 3, requested: 5 },
            Note::StoppedTooEarly { gain: 1e-3, estimated: 1e-5 },
            Note::LooseBounds { loose: 2, pairs: 7, steps: 300 },
            Note::BoundsFarAboveResiduals { far: 2, pairs: 7, factor: 100.0 },
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
    fn sentences_carry_the_numbers() {
        let all = why(&decisions());
        for number in [
            "11", "12", "13", "14", "15", "16.0 GiB", "1e16", "1e17", "1e18", "1e19", "20", "21", "22",
            "2.3e1", "1e24",
        ] {
            assert!(all.contains(number), "{number}: {all}");
        }
        assert!(
            all.contains("columns of Y") && all.contains("X is one-hot") && all.contains("in vain"),
            "{all}"
        );
        assert_eq!(all.matches("; ").count(), decisions().len() - 1);
    }
}
