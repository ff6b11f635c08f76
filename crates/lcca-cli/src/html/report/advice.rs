//! The page in short: the result of the fit, how sure it is, and the next steps.

use super::subject::Subject;
use crate::escape;
use crate::figures::{GivenRows, largest};
use crate::html::element;
use crate::shown::{correlation, decimal, shortened};
use crate::text::{count, grouped};
use lcca::data::Side;
use lcca::outcome::Note;
use lcca_io::{FitRecord, Recorded};

/// The number of columns that are named per view.
const NAMED: usize = 3;
/// The most characters of a column's name in a sentence.
const LONGEST_NAME: usize = 40;
/// The least share of its correlation that a component must keep on other rows. Below it, the component
/// describes only its own rows.
const KEPT: f64 = 0.5;
/// The least number of rows that tell anything, because fewer rows correlate by 1 or not at all.
const LEAST_ROWS: usize = 3;
/// The most components that a sentence lists by number; more are counted.
const MOST_NUMBERS: usize = 6;
/// The p-value above which a correlation may be chance.
const LEVEL: f64 = 0.05;

pub fn section(subject: &Subject<'_>, record: Option<&FitRecord>, evidence: Option<&Evidence<'_>>) -> String {
    element::answers(&[
        ("What was found", plain(found(subject))),
        ("How sure", plain(how_sure(subject, record, evidence))),
        (
            "What to do next",
            next(subject, record, evidence).iter().map(|step| element::with_commands(step)).collect(),
        ),
    ])
}

fn plain(sentences: Vec<String>) -> Vec<String> {
    sentences.iter().map(|sentence| escape::text(sentence)).collect()
}

/// Correlations on rows that the fit has not seen.
pub struct Evidence<'e> {
    /// The rows in words, such as "on 200 rows held out of a fit".
    pub place: String,
    training: &'e [f64],
    others: Vec<f64>,
}

impl<'e> Evidence<'e> {
    pub fn find(subject: &'e Subject<'_>, record: Option<&'e FitRecord>) -> Option<Self> {
        let training = &subject.model.correlations[..];
        let tells = |given: &&GivenRows| !given.are_training && given.rows >= LEAST_ROWS;
        if let Some(given) = subject.given.filter(tells) {
            let place = format!("on the {}", count(given.rows as u64, "given row"));
            return Some(Evidence { place, training, others: given.scores.correlations.clone() });
        }
        if let Some([others, _]) = subject.certainty.tests().filter(|_| !subject.certainty.tests_training()) {
            return Some(Evidence { place: "on the rows given to lcca score".into(), training, others });
        }
        let held_out = record?.held_out.as_ref()?;
        let place = format!("on {} held out of a fit", count(held_out.rows, "row"));
        Some(Evidence { place, training: &held_out.training, others: held_out.held_out.clone() })
    }

    /// The correlation of the first component on these rows.
    pub fn first(&self) -> f64 {
        self.others.first().copied().unwrap_or(f64::NAN)
    }

    /// The components that keep at least half of their correlation, numbered from 1.
    fn kept(&self) -> Vec<usize> {
        let pairs = self.others.iter().zip(self.training).enumerate();
        pairs.filter(|(_, (other, training))| **other >= KEPT * **training).map(|(i, _)| i + 1).collect()
    }

    /// Whether the first component loses more than half of its correlation.
    fn is_lost(&self) -> bool {
        matches!((self.others.first(), self.training.first()), (Some(other), Some(training)) if *other < KEPT * training)
    }
}

fn found(subject: &Subject<'_>) -> Vec<String> {
    let model = subject.model;
    let pairs = model.pairs();
    if pairs == 0 {
        return vec!["No directions of X and Y that correlate.".into()];
    }
    let many = if pairs == 1 {
        "one pair of directions that correlates".into()
    } else {
        format!("{} pairs of directions that correlate", grouped(pairs as u64))
    };
    // With a ridge, pairs are in the order of the objective, so we search for the extremes: they need not
    // be the first and the last correlation.
    let ends = |(low, high): (f64, f64), &c: &f64| (low.min(c), high.max(c));
    let (low, high) = model.correlations.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    let [low, high] = [low, high].map(correlation);
    let range = if low == high { format!("by {high}") } else { format!("from {high} down to {low}") };
    let sizes = format!("In {} of X and Y", count(model.rows, "row"));
    let mut sentences = vec![format!("{sizes}: {many} in training, {range}.")];
    let names = |side: Side| {
        let loadings = &model.view(side).loadings;
        // Columns that hardly matter compared to the strongest are not leaders.
        let size = |column: &usize| loadings.row(*column)[0].abs();
        let leaders = largest(loadings, 0, NAMED);
        let least = leaders.first().map_or(0.0, size) / 3.0;
        // The name is isolated, because a name that is written from right to left would otherwise reorder
        // its neighbors.
        let name = |column: usize| {
            let name = shortened(&subject.column(side, column), LONGEST_NAME);
            format!("\u{2068}“{name}”\u{2069} ({})", signed(loadings.row(column)[0]))
        };
        leaders.into_iter().filter(|column| size(column) >= least).map(name).collect::<Vec<_>>().join(", ")
    };
    sentences.push(format!(
        "The first is led by {} in X and by {} in Y, with their correlations. Equal signs rise together.",
        names(Side::X),
        names(Side::Y)
    ));
    sentences
}

/// A correlation with its sign.
fn signed(value: f64) -> String {
    let text = decimal(value, 2);
    if text.starts_with('\u{2212}') { text } else { format!("+{text}") }
}

fn how_sure(
    subject: &Subject<'_>,
    record: Option<&FitRecord>,
    evidence: Option<&Evidence<'_>>,
) -> Vec<String> {
    let mut sentences = Vec::new();
    if record.is_some_and(|record| !record.converged) {
        sentences.push("The fit did not converge: these are not yet the largest correlations.".into());
    }
    match evidence {
        Some(evidence) => {
            let (pairs, kept) = (evidence.others.len(), evidence.kept().len());
            let first = |all: &[f64]| all.first().copied().unwrap_or(f64::NAN);
            let [other, training] = [first(&evidence.others), first(evidence.training)];
            sentences.push(format!(
                "The first component correlates by {} {} (in training by {}). {} of {} {} correlation there.",
                correlation(other),
                evidence.place,
                correlation(training),
                kept,
                count(pairs as u64, "component"),
                if kept == 1 { "keeps at least half of its" } else { "keep at least half of their" }
            ));
        }
        None => sentences.push(unproved(record)),
    }
    if subject.given.is_some_and(|given| given.are_training) {
        sentences.push("The given rows are the rows of training, so they prove nothing new.".into());
    }
    if subject.certainty.tests_training() {
        sentences.push("The p-values are from the rows of training, so they mean nothing.".into());
    } else if let Some([_, p]) = subject.certainty.tests() {
        let proved = p.iter().filter(|&&p| p <= LEVEL).count();
        sentences.push(format!(
            "{proved} of {} {} more than chance would explain (adjusted p at most 0.05).",
            count(p.len() as u64, "component"),
            if proved == 1 { "correlates" } else { "correlate" }
        ));
    }
    if let Some([corrected, low, high]) = subject.certainty.intervals()
        && !corrected.is_empty()
    {
        let [corrected, low, high] = [corrected, low, high].map(|all| correlation(all[0]));
        sentences.push(format!(
            "Without what fitting adds to it, the first correlation is {corrected}, with a 95% interval from \
             {low} to {high}."
        ));
    }
    sentences
}

/// The sentence about certainty if there are no other rows.
fn unproved(record: Option<&FitRecord>) -> String {
    let notes = record.map(|record| &record.notes[..]).unwrap_or_default();
    for note in notes {
        match note {
            Recorded::Known(Note::CorrelationsGuaranteed { .. }) => {
                return "Rows are so few that correlations of 1 are certain, whatever the data say.".into();
            }
            Recorded::Known(Note::InflatedByNoise { noise, .. }) => {
                let noise = decimal(*noise, 2);
                return format!(
                    "On so few rows, views without any relation would correlate by up to about {noise}."
                );
            }
            _ => {}
        }
    }
    "Nothing here shows how the components do on rows that the fit has not seen.".into()
}

fn next(subject: &Subject<'_>, record: Option<&FitRecord>, evidence: Option<&Evidence<'_>>) -> Vec<String> {
    let mut steps = Vec::new();
    if record.is_some_and(|record| !record.converged) {
        steps.push(
            "Fit again with more passes (`--max-passes`), or with a ridge (`--ridge 0.01`), which \
            converges faster."
                .into(),
        );
    }
    match evidence {
        None => steps.push(
            "Measure the components on other rows: `lcca fit … --hold-out 0.2`, or `lcca score MODEL X_TEST \
             Y_TEST --permutations 999`."
                .into(),
        ),
        Some(evidence) if evidence.is_lost() => steps.push(
            "Most of the training correlation does not carry over: choose a ridge on held-out rows, `lcca \
             fit … --ridge-path \
             0.001,0.01,0.1,1`."
                .into(),
        ),
        Some(evidence) if evidence.kept().len() < evidence.others.len() => {
            let trusted = trusted(&evidence.kept());
            steps.push(format!("Trust {trusted} over; `-k auto` chooses their number by a test."));
        }
        Some(_) => {}
    }
    if subject.certainty.intervals().is_none() {
        steps.push(
            "Intervals and stability: `lcca bootstrap MODEL X Y -n 200 --json > bootstrap.json`, then `lcca \
             report … --bootstrap \
             bootstrap.json`."
                .into(),
        );
    }
    if subject.given.is_none() {
        steps.push("See the rows: `lcca report MODEL X Y --label FILE`.".into());
    }
    steps.push(
        "Use it: `lcca transform` gives the canonical variables of any rows, `lcca neighbors` the \
        columns that go together."
            .into(),
    );
    steps
}

/// The components that carry over, at least one, listed by number if they are few.
fn trusted(kept: &[usize]) -> String {
    let are_first = kept.iter().copied().eq(1..=kept.len());
    match kept {
        [only] => format!("component {only}, which carries"),
        _ if are_first => format!("the first {} components, which carry", kept.len()),
        [some @ .., last] if some.len() < MOST_NUMBERS => {
            let some: Vec<String> = some.iter().map(usize::to_string).collect();
            format!("components {} and {last}, which carry", some.join(", "))
        }
        _ => format!("the {} components that carry", kept.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_that_carry_over_are_called_by_their_numbers() {
        assert_eq!(trusted(&[1]), "component 1, which carries");
        assert_eq!(trusted(&[1, 2, 3]), "the first 3 components, which carry");
        assert_eq!(trusted(&[1, 3, 4]), "components 1, 3 and 4, which carry");
        assert_eq!(trusted(&[1, 3, 4, 5, 6, 7, 9, 10]), "the 8 components that carry");
    }
}
