//! How the fit went: its method, its certificate, and captured total and estimated missing share, iteration
//! by iteration.
//!
//! The horizontal axis is passes, not seconds, because a model has no clock in it: a repeated fit gives the
//! same bytes.

use super::subject::Subject;
use crate::figures::Illustration;
use crate::html::element::{self, Section};
use crate::picture::{LineChart, Look, Point, Series, Vertical};
use crate::shown::{shortened, small};
use crate::text::{gram_passes, pass_count};
use lcca::fit::{Certificate, Kind};
use lcca_io::{FitRecord, TracePoint, wording};

const PASSES: &str = "passes over rows and Gram matrices";
/// The most characters of a sentence that comes from the model.
const LONGEST_REASON: usize = 2000;

fn has_estimates(trace: &[TracePoint]) -> bool {
    trace.iter().any(|point| point.missing.is_some())
}

/// Passes over rows and Gram matrices together.
fn all_passes(point: &TracePoint) -> f64 {
    point.passes + point.gram_passes
}

fn captured(trace: &[TracePoint], what: &str, vertical: Vertical) -> LineChart {
    let points = trace.iter().map(|point| Point::new(all_passes(point), point.total)).collect();
    LineChart {
        description: format!("{what} after each iteration"),
        x_label: PASSES,
        y_label: what.into(),
        x_counts: false,
        is_linked: false,
        x_log: false,
        vertical,
        limit: None,
        series: vec![Series { name: what.into(), look: Look::Solid(0), points }],
        row: None,
    }
}

fn missing(subject: &Subject<'_>, trace: &[TracePoint]) -> LineChart {
    let tol = subject.model.settings.tol;
    let share = |point: &TracePoint| Some(Point::new(all_passes(point), point.missing?));
    let points = trace.iter().filter_map(share).collect();
    LineChart {
        description: "estimated share of the total that is missing after each iteration".into(),
        y_label: "share missing, estimated".into(),
        limit: (tol > 0.0).then(|| (tol, format!("allowed: {}", small(tol)))),
        series: vec![Series { name: "share missing".into(), look: Look::Solid(0), points }],
        ..captured(&[], "", Vertical::Logarithmic)
    }
}

pub fn section(subject: &Subject<'_>, record: Option<&FitRecord>) -> Section {
    let told = record.map(|record| told(subject, record)).unwrap_or_default();
    let pictures = match record.map(|record| &record.trace[..]) {
        None => element::remark(
            "The model holds no trace of its fit: it was written by another version or another program.",
        ),
        Some([] | [_]) => element::remark("The fit took one step, so there is nothing to trace."),
        Some(trace) => {
            let missing = if has_estimates(trace) {
                let caption = "The estimated share of the total that is missing.";
                element::figure("rest", &Illustration::new(missing(subject, trace), caption.into()))
            } else {
                element::remark("No iteration came with an estimate of what is missing.")
            };
            let (what, vertical) = if subject.model.settings.is_cca() {
                ("captured total", Vertical::UpTo(subject.model.pairs() as f64))
            } else {
                ("sum of covariances", Vertical::Linear)
            };
            let caption = format!("The {what} so far.");
            element::figure("captured", &Illustration::new(captured(trace, what, vertical), caption))
                + &missing
        }
    };
    Section { id: "fit", title: "The fit", markup: told + &pictures }
}

/// The method, the reason why it was chosen, and the certainty of its answer.
fn told(subject: &Subject<'_>, record: &FitRecord) -> String {
    let certified =
        record.certificate.as_ref().map(|certificate| element::paragraph(&certified(certificate)));
    element::paragraph(&method(subject, record)) + &certified.unwrap_or_default()
}

fn method(subject: &Subject<'_>, record: &FitRecord) -> String {
    let requested = subject.model.settings.method;
    let chosen = &record.chosen;
    // Only the first word is compared, because it is the name; earlier versions spelled the parameters in
    // another way.
    let choice = if chosen.split(' ').next() == Some(requested.name()) {
        format!("The method {chosen} was requested")
    } else {
        format!("The method {requested} chose {chosen}")
    };
    let why = shortened(&record.why(), LONGEST_REASON);
    let (passes, gram_passes) = (pass_count(record.passes), gram_passes(record.gram_passes));
    format!("{choice}: {why}. It took {passes} over the rows{gram_passes}.")
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
        "{kind}: a true objective value lies within {} of each fitted one, and within {} there is a \
         different one for each; {}.",
        small(widest),
        small(certificate.together),
        wording::search(certificate)
    )
}
