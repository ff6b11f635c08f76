//! The head of the page: the data, the result and how the fit ended, in plain words.

use super::advice::{self, Evidence};
use super::subject::Subject;
use crate::escape;
use crate::html::element;
use crate::shown::{correlation, decimal, shortened, small};
use crate::text::{count, grouped};
use lcca::fit::HeldOut;
use lcca_io::FitRecord;

/// The most characters of a sentence that comes from the model.
const LONGEST_SENTENCE: usize = 2000;
/// The most notes that are shown.
const MOST_NOTES: usize = 20;

pub fn header(subject: &Subject<'_>, record: Option<&FitRecord>) -> String {
    let (class, verdict) = match record {
        Some(record) => verdict(subject, record),
        None => ("untold", "How the fit ended is not known".to_string()),
    };
    let evidence = Evidence::find(subject, record);
    format!(
        "<header>\n<p class=\"kind\">Canonical correlation analysis</p>\n<h1>{}</h1>\n{}{}{}<p \
         class=\"verdict {class}\">{}</p>\n{}</header>\n",
        escape::text(&shortened(subject.name, 200)),
        element::headline(&headline(subject, evidence.as_ref())),
        advice::section(subject, record, evidence.as_ref()),
        element::figures(&figures(subject)),
        escape::text(&verdict),
        story(subject, record)
    )
}

/// The first correlation, and its value on rows that the fit has not seen.
fn headline(subject: &Subject<'_>, evidence: Option<&Evidence<'_>>) -> Vec<(String, String)> {
    let Some(&first) = subject.model.correlations.first() else { return Vec::new() };
    let other = match evidence {
        Some(evidence) => (correlation(evidence.first()), format!("the same {}", evidence.place)),
        None => ("–".into(), "the same on rows that the fit has not seen: not measured".into()),
    };
    vec![(correlation(first), "first correlation, in training".into()), other]
}

/// The verdict on the fit: a class for the styles, and a sentence.
fn verdict(subject: &Subject<'_>, record: &FitRecord) -> (&'static str, String) {
    let tol = small(subject.model.settings.tol);
    let missing = match record.missing.filter(|share| share.is_finite()) {
        Some(share) => format!("about {} of the total may be missing, {tol} is allowed", small(share)),
        None => "the method cannot tell what is missing".to_string(),
    };
    if record.converged {
        ("converged", format!("Converged: {missing}."))
    } else {
        ("open", format!("Not converged: {missing}. There is more correlation to be found."))
    }
}

fn figures(subject: &Subject<'_>) -> Vec<(String, String)> {
    let model = subject.model;
    let count = |number: usize| grouped(number as u64);
    let total: f64 = model.correlations.iter().sum();
    let mut figures = vec![(decimal(total, 4), format!("sum of correlations, of {} at most", model.pairs()))];
    if let Some(given) = subject.given.filter(|given| !given.are_training) {
        figures.push((decimal(given.scores.total, 4), "the same on the given rows".into()));
    }
    figures.extend([
        (count(model.pairs()), "components".into()),
        (grouped(model.rows), "rows".into()),
        (count(model.x.weights.rows()), "columns of X".into()),
        (count(model.y.weights.rows()), "columns of Y".into()),
    ]);
    figures
}

/// The data in sentences: views, held-out rows, notes, given rows.
fn story(subject: &Subject<'_>, record: Option<&FitRecord>) -> String {
    let mut markup = element::paragraph(&views(subject));
    if let Some(record) = record {
        if let Some(held_out) = &record.held_out {
            markup += &element::paragraph(&held_out_sentence(held_out));
        }
        markup += &element::list(&notes(subject, record));
    }
    markup + &given(subject)
}

fn notes(subject: &Subject<'_>, record: &FitRecord) -> Vec<String> {
    let name = |side, column| subject.column_names(side).map(|_| subject.column(side, column));
    let notes = record.note_sentences_with_names(name).into_iter().take(MOST_NOTES);
    notes.map(|note| sentence(&shortened(&note, LONGEST_SENTENCE))).collect()
}

/// A remark of the program as a sentence with a capital and a period.
fn sentence(remark: &str) -> String {
    let mut rest = remark.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if remark.ends_with(['.', '…']) { "" } else { "." };
    format!("{first}{}{stop}", rest.as_str())
}

fn views(subject: &Subject<'_>) -> String {
    let file = |key: &str| {
        subject.provenance.get(key).and_then(|name| name.as_str()).map(|name| shortened(name, 200))
    };
    let files = match (file("x"), file("y")) {
        (Some(x), Some(y)) => format!("X is {x} and Y is {y}"),
        _ => "X and Y are views of the same rows".into(),
    };
    let centered = if subject.model.settings.center {
        "with the means of their columns subtracted"
    } else {
        "not centered"
    };
    format!("{files}, {centered}.")
}

/// The correlations on held-out rows of a fit to the other rows.
fn held_out_sentence(held_out: &HeldOut) -> String {
    let list = |correlations: &[f64]| {
        let shown: Vec<String> = correlations.iter().take(5).map(|&c| decimal(c, 3)).collect();
        shown.join(", ") + if correlations.len() > 5 { ", …" } else { "" }
    };
    format!(
        "A fit to {} of the rows had the correlations {} on the {} rows that were held out, and {} on its \
         own.",
        grouped(held_out.training_rows),
        list(&held_out.held_out),
        grouped(held_out.rows),
        list(&held_out.training)
    )
}

fn given(subject: &Subject<'_>) -> String {
    let Some(given) = subject.given else { return String::new() };
    let [x, y] = given.files.each_ref().map(|file| shortened(file, 200));
    let training: f64 = subject.model.correlations.iter().sum();
    let seen = if given.are_training {
        "They look like the rows that the model was trained on: as many, with the same correlations."
    } else {
        "They are not exactly the rows of training; whether the fit has seen some of them is not known."
    };
    element::paragraph(&format!(
        "On the {} of {x} and {y} the correlations sum to {}, in training to {}. {seen}",
        count(given.rows as u64, "given row"),
        decimal(given.scores.total, 4),
        decimal(training, 4)
    ))
}
