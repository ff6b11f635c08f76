//! `lcca sample`: small data sets to try things on.

use crate::args::SampleChoice;
use crate::failure::Failure;
use crate::output;
use crate::resolve::SampleJob;
use crate::sample::{COUNTRIES, corpus, paths, sentence_pairs};
use crate::write_file::write_file;
use std::fs;

pub fn run(job: &SampleJob) -> Result<(), Failure> {
    let folder = &job.output;
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::Usage(format!("{}: is a file, expected a folder", folder.display())));
    }
    fs::create_dir_all(folder).map_err(|source| lcca_io::Error::Io { path: folder.clone(), source })?;
    let mut text = String::new();
    for &sample in &job.samples {
        let (file, contents, about) = made(sample, job);
        let path = folder.join(file);
        write_file(&path, contents.as_bytes())?;
        text.push_str(&format!("{}: {about}\n", path.display()));
    }
    Ok(output::print(&text)?)
}

/// The name of a sample's file, its contents, and a description.
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
