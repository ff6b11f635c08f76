//! The head of the page: what was fitted and how that ended, in plain words.

use super::{Subject, decimal, shortened, small};
use crate::html::{element, escape};
use crate::provenance::Outcome;
use crate::report::grouped;
use lcca::fit::{Certificate, Kind};

/// Characters of a sentence that comes from the model, at most.
const SENTENCE: usize = 2000;

/// Where the model has a place for it but nothing in it.
const UNTOLD: &str =
    "The model does not say how its fit ended: it was written by another version or another program.";

pub fn header(subject: &Subject<'_>, outcome: Option<&Outcome>) -> String {
    let verdict =
        outcome.map_or(("untold", "How the fit ended is not known".to_string()), |o| verdict(subject, o));
    let name = escape::text(&shortened(subject.name, 200));
    let mut markup = format!(
        "<header>\n<p class=\"kind\">Canonical correlation analysis</p>\n<h1>{name}</h1>\n<p class=\"verdict {}\">{}</p>\n",
        verdict.0,
        escape::text(&verdict.1)
    );
    markup += &element::figures(&figures(subject));
    markup += &told(subject, outcome);
    markup + "</header>\n"
}

fn verdict(subject: &Subject<'_>, outcome: &Outcome) -> (&'static str, String) {
    let total: f64 = subject.model.objective.iter().sum();
    let tol = small(subject.model.settings.tol);
    let missing = match outcome.missing.map(|missing| missing / total).filter(|share| share.is_finite()) {
        Some(share) => format!("about {} of the total may be missing, {tol} is allowed", small(share)),
        None => "the method cannot tell what is missing".to_string(),
    };
    match outcome.converged {
        true => ("converged", format!("Converged: {missing}.")),
        false => ("open", format!("Not converged: {missing}. There is more correlation to be found.")),
    }
}

fn figures(subject: &Subject<'_>) -> Vec<(String, String)> {
    let model = subject.model;
    let count = |number: usize| grouped(number as u64);
    let mut figures = vec![(decimal(model.total, 4), format!("captured, of {} at most", model.pairs()))];
    if let Some(given) = subject.given {
        figures.push((decimal(given.scores.captured, 4), "captured on the given rows".into()));
    }
    figures.extend([
        (count(model.pairs()), "components".into()),
        (grouped(model.rows), "rows".into()),
        (count(model.x.weights.rows()), "columns of X".into()),
        (count(model.y.weights.rows()), "columns of Y".into()),
    ]);
    figures
}

/// The story in sentences: views, method and why, certificate, given rows, what else was noticed.
fn told(subject: &Subject<'_>, outcome: Option<&Outcome>) -> String {
    let mut text = element::paragraph(&views(subject));
    match outcome {
        None => text += &element::paragraph(UNTOLD),
        Some(outcome) => {
            text += &element::paragraph(&method(subject, outcome));
            text +=
                &outcome.certificate.as_ref().map(|c| element::paragraph(&certified(c))).unwrap_or_default();
            let notes: Vec<String> =
                outcome.notes.iter().take(20).map(|note| shortened(note, SENTENCE)).collect();
            text += &element::list(&notes);
        }
    }
    text + &given(subject)
}

fn views(subject: &Subject<'_>) -> String {
    let named = |key: &str| {
        subject.provenance.get(key).and_then(|name| name.as_str()).map(|name| shortened(name, 200))
    };
    let files = match (named("x"), named("y")) {
        (Some(x), Some(y)) => format!("X is {x} and Y is {y}"),
        _ => "X and Y are views of the same rows".into(),
    };
    let centred = if subject.model.settings.center {
        "with the means of their columns subtracted"
    } else {
        "not centred"
    };
    format!("{files}, {centred}.")
}

fn method(subject: &Subject<'_>, outcome: &Outcome) -> String {
    let asked = subject.model.settings.method.full_name();
    let chosen = &outcome.chosen;
    let grams = match outcome.gram_passes {
        0.0 => String::new(),
        passes => format!(" and {passes} over Gram matrices"),
    };
    let who = if asked == *chosen {
        format!("The method {chosen} was asked for")
    } else {
        format!("The method {asked} chose {chosen}")
    };
    let why = shortened(&outcome.why, SENTENCE);
    format!("{who}: {why}. It took {} passes over the rows{grams}.", outcome.passes)
}

fn certified(certificate: &Certificate) -> String {
    let widest = certificate.bounds.iter().copied().fold(0.0, f64::max);
    let kind = match certificate.kind {
        Kind::Rigorous => "Certified, rigorously",
        Kind::Conditional => {
            "Certified, for data without directions of 0 < variance < 1e\u{2212}12 of their columns'"
        }
    };
    format!(
        "{kind}: a true objective value lies within {} of each fitted one, and within {} there is a different one for each. \
         That no larger pair was missed is not proved.",
        small(widest),
        small(certificate.together)
    )
}

fn given(subject: &Subject<'_>) -> String {
    let Some(given) = subject.given else { return String::new() };
    let [x, y] = given.files.each_ref().map(|file| shortened(file, 200));
    let training: f64 = subject.model.correlations.iter().sum();
    element::paragraph(&format!(
        "On the {} given rows of {x} and {y} the correlations sum to {}, in training to {}. Whether the fit has seen these \
         rows is not known here.",
        grouped(given.rows as u64),
        decimal(given.scores.total, 4),
        decimal(training, 4)
    ))
}
