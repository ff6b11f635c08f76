//! How sure the components are, from the output of other commands: intervals and stability, and p-values.

use super::given_rows::GivenRows;
use crate::failure::Failure;
use crate::shown::decimal;
use crate::text::{count, p_value};
use serde::Deserialize;
use std::path::Path;

/// One number per pair. `None` stands for NaN, because JSON does not have it.
type Numbers = Vec<Option<f64>>;

/// The difference below which correlations are those of one model.
const SAME: f64 = 1e-9;

/// The output of `lcca bootstrap --json`, as far as the page shows it.
#[derive(Deserialize)]
pub struct Resampled {
    resamples: u64,
    /// The correlations of the model.
    correlations: Numbers,
    corrected: Numbers,
    low: Numbers,
    high: Numbers,
    stability: Numbers,
    stability_alone: Numbers,
}

/// The output of `lcca score --permutations --json`, as far as the page shows it.
#[derive(Deserialize)]
pub struct Tested {
    /// The correlations of the model.
    training_correlations: Numbers,
    correlations: Numbers,
    p_adjusted: Numbers,
    permutations: u64,
}

/// The evidence about a model that other commands printed.
#[derive(Default)]
pub struct Certainty {
    resampled: Option<Resampled>,
    tested: Option<Tested>,
}

impl Certainty {
    /// Reads the given files. Each must be about the model with these correlations.
    pub fn read(
        bootstrap: Option<&Path>,
        scores: Option<&Path>,
        correlations: &[f64],
    ) -> Result<Self, Failure> {
        let resampled: Option<Resampled> =
            bootstrap.map(|path| parse(path, "lcca bootstrap --json")).transpose()?;
        let tested: Option<Tested> =
            scores.map(|path| parse(path, "lcca score --permutations N --json")).transpose()?;
        if let (Some(all), Some(path)) = (&resampled, bootstrap) {
            let others = [&all.corrected, &all.low, &all.high, &all.stability, &all.stability_alone];
            check(path, &all.correlations, &others, correlations)?;
        }
        if let (Some(all), Some(path)) = (&tested, scores) {
            check(path, &all.training_correlations, &[&all.correlations, &all.p_adjusted], correlations)?;
        }
        Ok(Certainty { resampled, tested })
    }

    /// Whether the tested rows are those that the model was fitted to. Their p-values mean nothing then.
    pub fn tests_training(&self) -> bool {
        let same = |(a, b): (&Option<f64>, &Option<f64>)| matches!((a, b), (Some(a), Some(b)) if (a - b).abs() < SAME);
        self.tested.as_ref().is_some_and(|all| {
            all.correlations.iter().zip(&all.training_correlations).all(same) && !all.correlations.is_empty()
        })
    }

    /// The corrected correlations and the ends of their intervals.
    pub fn intervals(&self) -> Option<[Vec<f64>; 3]> {
        self.resampled.as_ref().map(|all| [&all.corrected, &all.low, &all.high].map(numbers))
    }

    /// The correlations of the tested rows, and their adjusted p-values.
    pub fn tests(&self) -> Option<[Vec<f64>; 2]> {
        self.tested.as_ref().map(|all| [&all.correlations, &all.p_adjusted].map(numbers))
    }

    /// Whether the tested rows are the given ones, which their equal correlations tell.
    pub fn tests_given(&self, given: Option<&GivenRows>) -> bool {
        self.tests().zip(given).is_some_and(|([tested, _], given)| tested == given.scores.correlations)
    }

    /// Columns for the table of components: their titles, and one cell per component. The correlations of
    /// tested rows are left out if they are those of the given rows.
    pub fn columns(&self, given: Option<&GivenRows>) -> Vec<(&'static str, Vec<String>)> {
        let mut columns = Vec::new();
        let cell = |value: &Option<f64>, digits: usize| decimal(value.unwrap_or(f64::NAN), digits);
        let cells =
            |values: &Numbers, digits: usize| values.iter().map(|value| cell(value, digits)).collect();
        if let Some(all) = &self.resampled {
            let interval = |(low, high)| format!("{} to {}", cell(low, 3), cell(high, 3));
            columns.push(("corrected", cells(&all.corrected, 3)));
            columns.push(("95% interval", all.low.iter().zip(&all.high).map(interval).collect()));
            columns.push(("stability", cells(&all.stability, 2)));
            columns.push(("alone", cells(&all.stability_alone, 2)));
        }
        if let Some(all) = &self.tested {
            if !self.tests_given(given) {
                columns.push(("tested rows", cells(&all.correlations, 4)));
            }
            let p_values = numbers(&all.p_adjusted).into_iter().map(p_value).collect();
            columns.push(("p adjusted", p_values));
        }
        columns
    }

    /// The meaning of the columns, in sentences.
    pub fn explanation(&self, given: Option<&GivenRows>) -> Vec<String> {
        let resampled = self.resampled.as_ref().map(|all| {
            format!(
                "From {} of the rows: the correlation without what fitting adds to it, with a 95% interval, \
                 and how stable the \
                 pair is; 1 is perfect. Alone is the stability without turning pairs into each other.",
                count(all.resamples, "resample")
            )
        });
        let tested = self.tested.as_ref().map(|all| {
            let nothing = if self.tests_training() {
                ", which look like the rows of training, so p-values mean \
                    nothing"
            } else {
                ""
            };
            let rows = if self.tests_given(given) {
                format!("The given rows were tested{nothing}")
            } else {
                format!("Tested rows are those that were given to lcca score{nothing}")
            };
            format!(
                "{rows}; p adjusted is from {} of them, with the chance of any false finding among all pairs \
                 controlled.",
                count(all.permutations, "random order")
            )
        });
        resampled.into_iter().chain(tested).collect()
    }
}

/// The numbers, with NaN in place of `None`.
fn numbers(values: &Numbers) -> Vec<f64> {
    values.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}

fn parse<T: for<'a> Deserialize<'a>>(path: &Path, command: &str) -> Result<T, Failure> {
    let bytes = std::fs::read(path).map_err(|source| lcca_io::Error::Io { path: path.into(), source })?;
    serde_json::from_slice(&bytes)
        .map_err(|_| Failure::Usage(format!("{}: expected what {command} prints", path.display())))
}

/// Refuses the numbers of another model, which has other correlations or another number of pairs.
fn check(path: &Path, own: &Numbers, others: &[&Numbers], correlations: &[f64]) -> Result<(), Failure> {
    let (path, pairs) = (path.display(), correlations.len());
    for numbers in std::iter::once(&own).chain(others) {
        if numbers.len() != pairs {
            let found = count(numbers.len() as u64, "pair");
            return Err(Failure::Usage(format!("{path}: {found}, expected the {pairs} of the model")));
        }
    }
    let differs = |(own, known): (&Option<f64>, &f64)| own.is_some_and(|own| (own - known).abs() > SAME);
    match own.iter().zip(correlations).position(differs) {
        None => Ok(()),
        Some(pair) => Err(Failure::Usage(format!(
            "{path}: is about another model: pair {} has the correlation {:.6} there and {:.6} in the model",
            pair + 1,
            own[pair].unwrap_or(f64::NAN),
            correlations[pair]
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_models_and_other_commands_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bootstrap.json");
        let one = r#"{"resamples": 9, "correlations": [0.7], "corrected": [0.5], "low": [0.4], "high": [0.6], "stability": [1.0], "stability_alone": [0.9]}"#;
        std::fs::write(&path, one).unwrap();
        let read = |correlations: &[f64]| Certainty::read(Some(&path), None, correlations);
        let columns = read(&[0.7]).unwrap().columns(None);
        assert_eq!(columns[1].1, ["0.400 to 0.600"]);
        let refused = |correlations: &[f64]| read(correlations).err().unwrap().to_string();
        assert!(refused(&[0.7, 0.6]).contains("1 pair, expected the 2 of the model"));
        assert!(refused(&[0.8]).contains("another model: pair 1 has the correlation 0.700000"));
        std::fs::write(&path, "{}").unwrap();
        assert!(
            read(&[0.7]).err().unwrap().to_string().contains("expected what lcca bootstrap --json prints")
        );
    }
}
