//! The correlations of all components: in training, held out, on given rows, with intervals and p-values if
//! there are any.

use super::certainty::Certainty;
use super::given_rows::GivenRows;
use super::illustration::Illustration;
use crate::picture::{LineChart, Look, Point, Series, Vertical};
use crate::text::p_value;
use lcca::fit::Model;
use lcca_io::FitRecord;

/// The p-value above which a correlation may be chance.
const LEVEL: f64 = 0.05;
/// The difference below which correlations count as equal.
const SAME: f64 = 1e-6;

/// The evidence about the correlations of a model.
pub struct Scree<'s> {
    pub model: &'s Model,
    pub record: Option<&'s FitRecord>,
    pub given: Option<&'s GivenRows>,
    pub certainty: &'s Certainty,
    /// The number of components to show.
    pub shown: usize,
}

pub fn scree(known: &Scree<'_>) -> Illustration {
    let mut series = vec![curve("in training", 0, &known.model.correlations, known.shown)];
    if let Some(held_out) = known.record.and_then(|record| record.held_out.as_ref()) {
        series.push(curve("held out", 1, &held_out.held_out, known.shown));
    }
    let tested = known.certainty.tests();
    let tests_given = known.certainty.tests_given(known.given);
    if let Some(given) = known.given.filter(|given| !given.are_training && !tests_given) {
        series.push(curve("on the given rows", 2, &given.scores.correlations, known.shown));
    }
    if let Some([corrected, low, high]) = known.certainty.intervals() {
        let mut corrected = curve("corrected, with 95% interval", 3, &corrected, known.shown);
        for (i, point) in corrected.points.iter_mut().enumerate() {
            // These points stand next to the others, because an interval would be hidden among them.
            point.x += (0.025 * known.shown as f64).min(0.14);
            point.interval = Some((low[i], high[i])).filter(|ends| ends.0.is_finite() && ends.1.is_finite());
        }
        series.push(corrected);
    }
    let mut row = None;
    if let Some([correlations, p]) = &tested {
        let rows = if tests_given { "given" } else { "tested" };
        let name = format!("{rows} rows (hollow: p above 0.05)");
        let mut tested = curve(&name, 5, correlations, known.shown);
        tested.points.iter_mut().zip(p).for_each(|(point, &p)| point.is_open = p.is_nan() || p > LEVEL);
        series.push(tested);
        let text = |(i, &p): (usize, &f64)| ((i + 1) as f64, p_value(p));
        row = Some(("p", p.iter().take(known.shown).enumerate().map(text).collect()));
    }
    let chart = LineChart {
        description: "canonical correlation of every component".into(),
        x_label: "component",
        y_label: "correlation".into(),
        x_counts: true,
        is_linked: true,
        x_log: false,
        vertical: Vertical::Correlation,
        limit: None,
        series,
        row,
    };
    Illustration::new(chart, caption(known))
}

fn curve(name: &str, look: usize, values: &[f64], shown: usize) -> Series {
    let point = |(i, &value): (usize, &f64)| Point::new((i + 1) as f64, value);
    Series {
        name: name.into(),
        look: if look == 0 { Look::Hollow(0) } else { Look::Solid(look) },
        points: values.iter().take(shown).enumerate().map(point).collect(),
    }
}

fn caption(known: &Scree<'_>) -> String {
    let mut text = "Correlation of each pair of canonical variables.".to_string();
    let shown = &known.model.correlations[..known.shown];
    let (low, high) = shown.iter().fold((1.0f64, -1.0f64), |(low, high), &c| (low.min(c), high.max(c)));
    if known.shown > 1 && high - low < SAME {
        text += " All training correlations are the same to six digits.";
    }
    if known.given.is_some_and(|given| given.are_training) {
        text += " The given rows are those of training, so they have the same correlations.";
    }
    if known.certainty.tests_training() {
        text += " The tested rows look like those of training, so p-values mean nothing.";
    } else if known.certainty.tests().is_some() {
        text += " p: how often chance does as well, adjusted for the number of components.";
    }
    text
}
