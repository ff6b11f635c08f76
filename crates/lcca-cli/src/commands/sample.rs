//! `lcca sample`: small data sets to try things on.

use crate::args::SampleChoice;
use crate::failure::Failure;
use crate::output;
use crate::resolve::SampleJob;
use crate::sample::{COUNTRIES, corpus, paths, sentence_pairs};
use crate::write_file::write_file;
use std::fs;

pub fn run(job: &SampleJob) -> Result<(), Failure> {
    fs::create_dir_all(&job.output)
        .map_err(|error| Failure::Usage(format!("{}: {error}", job.output.display())))?;
    let mut text = String::new();
    for &sample in &job.samples {
        let (file, contents, about) = made(sample, job);
        let path = job.output.join(file);
        write_file(&path, contents.as_bytes())?;
        text.push_str(&format!("{}: {about}\n", path.display()));
    }
    Ok(output::print(&text)?)
}

/// The name of the file, what is in it, and what it is.
fn made(sample: SampleChoice, job: &SampleJob) -> (&'static str, String, &'static str) {
    match sample {
        SampleChoice::Countries => {
            ("countries.csv", COUNTRIES.into(), "savings, ages, income and growth of 50 countries")
        }
        SampleChoice::Sentences => (
            "pairs.tsv",
            sentence_pairs(job.rows, job.seed),
            "English sentences and their French translations",
        ),
        SampleChoice::Paths => ("paths.txt", paths(job.rows, job.seed), "paths of installed files"),
        SampleChoice::Words => ("corpus.txt", corpus(job.rows, job.seed), "English sentences"),
    }
}
