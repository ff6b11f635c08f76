//! How sure the components are, as other commands printed it: intervals and stability, and p-values.

use super::numbers::decimal;
use crate::failure::Failure;
use serde::Deserialize;
use std::path::Path;

/// What `lcca bootstrap --json` prints, as far as the page shows it.
#[derive(Deserialize)]
pub struct Resampled {
    resamples: u64,
    corrected: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    stability: Vec<f64>,
    stability_alone: Vec<f64>,
}

/// What `lcca score --permutations --json` prints, as far as the page shows it.
#[derive(Deserialize)]
pub struct Tested {
    correlations: Vec<f64>,
    p_adjusted: Vec<f64>,
    permutations: u64,
}

/// What is known besides the model.
#[derive(Default)]
pub struct Certainty {
    resampled: Option<Resampled>,
    tested: Option<Tested>,
}

impl Certainty {
    /// Reads the files that were given; each must be about as many pairs as the model has.
    pub fn read(bootstrap: Option<&Path>, scores: Option<&Path>, pairs: usize) -> Result<Self, Failure> {
        let resampled: Option<Resampled> =
            bootstrap.map(|path| parse(path, "lcca bootstrap --json")).transpose()?;
        let tested: Option<Tested> =
            scores.map(|path| parse(path, "lcca score --permutations N --json")).transpose()?;
        if let (Some(all), Some(path)) = (&resampled, bootstrap) {
            let lengths = [&all.corrected, &all.low, &all.high, &all.stability, &all.stability_alone];
            lengths.into_iter().try_for_each(|numbers| check(path, numbers.len(), pairs))?;
        }
        if let (Some(all), Some(path)) = (&tested, scores) {
            check(path, all.p_adjusted.len().min(all.correlations.len()), pairs)?;
        }
        Ok(Certainty { resampled, tested })
    }

    /// Columns for the table of components: their titles, and one cell per component.
    pub fn columns(&self) -> Vec<(&'static str, Vec<String>)> {
        let mut columns = Vec::new();
        let cells =
            |values: &[f64], digits: usize| values.iter().map(|&value| decimal(value, digits)).collect();
        if let Some(all) = &self.resampled {
            let interval =
                |(low, high): (&f64, &f64)| format!("{} to {}", decimal(*low, 3), decimal(*high, 3));
            columns.push(("corrected", cells(&all.corrected, 3)));
            columns.push(("95% interval", all.low.iter().zip(&all.high).map(interval).collect()));
            columns.push(("stability", cells(&all.stability, 2)));
            columns.push(("alone", cells(&all.stability_alone, 2)));
        }
        if let Some(all) = &self.tested {
            columns.push(("held out", cells(&all.correlations, 4)));
            columns.push(("p adjusted", cells(&all.p_adjusted, 3)));
        }
        columns
    }

    /// What the columns mean.
    pub fn explanation(&self) -> Vec<String> {
        let resampled = self.resampled.as_ref().map(|all| {
            format!(
                "From {} resamples of the rows: the correlation without what fitting adds to it, with a 95% interval, and how stable the \
                 pair is; 1 is perfect. Alone is the stability without turning pairs into each other.",
                all.resamples
            )
        });
        let tested = self.tested.as_ref().map(|all| {
            format!(
                "Held out and p adjusted are from {} random orders of rows that were given to lcca score, with the chance of any \
                 false finding among all pairs controlled.",
                all.permutations
            )
        });
        resampled.into_iter().chain(tested).collect()
    }
}

fn parse<T: for<'a> Deserialize<'a>>(path: &Path, command: &str) -> Result<T, Failure> {
    let bytes = std::fs::read(path).map_err(|source| lcca_io::Error::Io { path: path.into(), source })?;
    serde_json::from_slice(&bytes)
        .map_err(|_| Failure::Usage(format!("{}: expected what {command} prints", path.display())))
}

fn check(path: &Path, found: usize, pairs: usize) -> Result<(), Failure> {
    if found == pairs {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::Usage(format!("{path}: {found} pairs, expected the {pairs} of the model")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_models_and_other_commands_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bootstrap.json");
        let one = r#"{"resamples": 9, "corrected": [0.5], "low": [0.4], "high": [0.6], "stability": [1.0], "stability_alone": [0.9]}"#;
        std::fs::write(&path, one).unwrap();
        let read = |pairs| Certainty::read(Some(&path), None, pairs);
        let columns = read(1).unwrap().columns();
        assert_eq!(columns[1].1, ["0.400 to 0.600"]);
        assert!(read(2).err().unwrap().to_string().contains("1 pairs, expected the 2 of the model"));
        std::fs::write(&path, "{}").unwrap();
        assert!(read(1).err().unwrap().to_string().contains("expected what lcca bootstrap --json prints"));
    }
}
