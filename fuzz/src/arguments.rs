//! The command line.

use std::time::Duration;

/// The length, the targets and the first seed of a run.
#[derive(Default)]
pub struct Arguments {
    pub minutes: Option<f64>,
    pub runs: Option<u64>,
    pub target: Option<String>,
    pub seed: u64,
    /// The target of this process, which the process that starts it sets.
    pub worker: Option<String>,
}

impl Arguments {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Arguments { seed: 1, ..Arguments::default() };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let unclear = |_| format!("{word}: expected a number, found {value:?}");
            match word.as_str() {
                "--minutes" => {
                    arguments.minutes = Some(value.parse().map_err(|_| unclear(()))?);
                }
                "--runs" => arguments.runs = Some(value.parse().map_err(|_| unclear(()))?),
                "--seed" => arguments.seed = value.parse().map_err(|_| unclear(()))?,
                "--target" => arguments.target = Some(value),
                "--worker" => arguments.worker = Some(value),
                _ => {
                    return Err(format!(
                        "{word} is not an option; there are --minutes, --runs, --target and --seed"
                    ));
                }
            }
        }
        Ok(arguments)
    }

    /// The options of a process that works on one of `targets` targets.
    pub fn for_worker(&self, targets: usize) -> Vec<String> {
        let mut words = vec!["--seed".to_string(), self.seed.to_string()];
        if let Some(minutes) = self.minutes {
            words.extend(["--minutes".to_string(), (minutes / targets as f64).to_string()]);
        }
        if let Some(runs) = self.runs {
            words.extend(["--runs".to_string(), runs.to_string()]);
        }
        words
    }

    /// The number of runs and the time after which a process stops, whichever comes first.
    pub fn limits(&self) -> (u64, Duration) {
        const DEFAULT_RUNS: u64 = 3000;
        let time = self.minutes.map_or(Duration::MAX, |minutes| Duration::from_secs_f64(60.0 * minutes));
        (self.runs.unwrap_or(if self.minutes.is_some() { u64::MAX } else { DEFAULT_RUNS }), time)
    }
}
