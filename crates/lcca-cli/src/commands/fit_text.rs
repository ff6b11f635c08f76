//! The text that `lcca fit` prints: a table with a legend, the verdict, and notes with the flags that help.

use super::ridge_search::RidgeChoice;
use crate::machine;
use crate::output::remark;
use crate::text::{self, count, view_sizes};
use lcca::data::Side;
use lcca::fit::{Certificate, Fit, Kind, Wilks};
use lcca::method::{Method, Settings};
use lcca::outcome::{Decision, Note};
use lcca_io::{ModelNames, Names, Remark, wording};
use std::fmt::Write as _;
use std::path::Path;

/// The most characters of a name that are printed.
const LONGEST_NAME: usize = 40;

/// The measurements and choices around a fit.
pub struct Run {
    pub load_seconds: f64,
    pub fit_seconds: f64,
    pub threads: usize,
    /// The last iteration whose state was saved, or 0 if none was.
    pub saved_iteration: usize,
    /// How the ridge was chosen, if it was.
    pub ridge: Option<RidgeChoice>,
    /// The classical test, if the user asked for it.
    pub wilks: Option<Wilks>,
    /// The names of the columns, as far as they were read.
    pub names: ModelNames,
    /// Remarks about how the files were read.
    pub remarks: Vec<Remark>,
}

impl Run {
    /// A note as a sentence that names the columns.
    pub fn sentence(&self, note: &Note) -> String {
        wording::note_with_names(note, |side, column| {
            let names: &Names = match side {
                Side::X => self.names.x.as_ref(),
                Side::Y => self.names.y.as_ref(),
            }?;
            // A longer name would hide the sentence.
            (column < names.len()).then(|| names.get(column).chars().take(LONGEST_NAME).collect())
        })
    }
}

/// The result in words; `path` is the file of the model, if one was written.
pub fn text(path: Option<&Path>, fit: &Fit, run: &Run) -> String {
    let model = &fit.model;
    let mut text = run.ridge.as_ref().map(RidgeChoice::text).unwrap_or_default();
    let sizes = view_sizes(model.rows, model.x.weights.rows() as u64, model.y.weights.rows() as u64);
    let _ = writeln!(text, "{}: {} from {sizes}", fit.chosen.name(), count(model.pairs() as u64, "pair"));
    // Decisions that change the answer are always printed. The reasons for a method are printed only if
    // lcca chose it.
    let is_always_said = |decision: &Decision| {
        matches!(
            decision,
            Decision::ColumnsScaled { .. }
                | Decision::RowsSketched { .. }
                | Decision::ComponentsChosen { .. }
                | Decision::CovariatesTakenOut { .. }
                | Decision::Proven { .. }
                | Decision::RanOnGpu { .. }
                | Decision::RanWithoutGpu { .. }
        )
    };
    let (said, others): (Vec<_>, Vec<_>) = fit.decisions.iter().cloned().partition(is_always_said);
    if model.settings.method.name() != fit.chosen.name() {
        let _ = writeln!(text, "{} was chosen: {}", fit.chosen.name(), wording::why(&others));
    }
    if !said.is_empty() {
        let _ = writeln!(text, "{}", wording::why(&said));
    }
    if model.pairs() == 0 {
        text += "\nno pair was found: nothing in X correlates with anything in Y\n";
    } else {
        let _ = write!(text, "\n{}\n{}", pair_table(fit), legend(fit));
        if !model.settings.is_cca() {
            let _ = writeln!(text, "sum of covariances {}", significant(model.objective.iter().sum()));
        }
        let _ = writeln!(text, "captured total {:.6} of {}", model.total, model.pairs());
        let verdict = if fit.converged { "converged" } else { "not converged" };
        let _ = writeln!(text, "{verdict}: {}, tolerance {:.1e}", missing(fit), model.settings.tol);
    }
    text += &fit.certificate.as_ref().map(certificate_text).unwrap_or_default();
    text += &run.wilks.as_ref().map(wilks_text).unwrap_or_default();
    let spent = format!("{}, work {:.1}", text::passes(&fit.cost), fit.cost.work(model.settings.k));
    let peak = machine::peak_rss_bytes().map(|bytes| format!("; peak memory {}", text::bytes(bytes)));
    let (load, seconds, peak) = (run.load_seconds, run.fit_seconds, peak.unwrap_or_default());
    let _ = writeln!(text, "read in {load:.2} s, fitted in {seconds:.2} s ({spent}){peak}");
    if let Some(path) = path {
        let _ = writeln!(text, "model written to {}", path.display());
    }
    text
}

/// The classical test as a table, with its assumptions.
fn wilks_text(wilks: &Wilks) -> String {
    let row = |i: usize| {
        vec![
            (i + 1).to_string(),
            format!("{:.6}", wilks.correlations[i]),
            format!("{:.6}", wilks.lambda[i]),
            format!("{:.2}", wilks.chi_square[i]),
            text::grouped(wilks.degrees[i] as u64),
            text::p_value(wilks.p[i]),
        ]
    };
    let rows: Vec<Vec<String>> = (0..wilks.p.len()).map(row).collect();
    let table = text::table(&["from pair", "correlation", "lambda", "chi-square", "degrees", "p"], &rows);
    let [x, y] = wilks.ranks.map(text::grouped);
    let mut counted = format!("{} and {x} + {y} independent columns", count(wilks.rows, "row"));
    if wilks.covariates > 0 {
        counted += &format!(", less {}", count(wilks.covariates, "covariate"));
    }
    format!(
        "\nWilks' test that this pair and all after it correlate by chance only:\n\n{table}\ncounts \
         {counted};\n\
         assumes independent rows, normal data, many more rows than columns, and no ridge\n\n"
    )
}

/// How much of the total may still be missing, in words.
fn missing(fit: &Fit) -> String {
    if fit.missing.is_finite() {
        let of = if fit.model.settings.is_cca() { "it" } else { "the sum of covariances" };
        let is_proven = fit.decisions.iter().any(|decision| matches!(decision, Decision::Proven { .. }));
        let how = if is_proven { "at most" } else { "about" };
        format!("{how} {:.1e} of {of} may be missing", fit.missing)
    } else {
        "this method cannot tell what is missing".into()
    }
}

/// The bounds of a certificate, and the limits of their proof.
fn certificate_text(certificate: &Certificate) -> String {
    let Certificate { bounds, together, kind, passes, .. } = certificate;
    let kind = match kind {
        Kind::Rigorous => "rigorous",
        Kind::Conditional => {
            "conditional: for data without directions of 0 < variance < 1e-12 of their columns'"
        }
    };
    let pairs = count(bounds.len() as u64, "pair");
    let search = wording::search(certificate);
    format!(
        "certified in {passes} passes ({kind}):\n  a true objective value lies within the bound of each, and \
         within \
         {together:.1e} there is a different one for each of {pairs};\n  {search}\n"
    )
}

/// Seven digits of a number of any size.
fn significant(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        format!("{value:.6}")
    } else {
        format!("{value:.6e}")
    }
}

fn has_ridge(settings: &Settings) -> bool {
    settings.ridge_x > 0.0 || settings.ridge_y > 0.0
}

/// One line per pair. Without a ridge the objective equals the correlation and is left out.
fn pair_table(fit: &Fit) -> String {
    let model = &fit.model;
    let pairs = model.pairs();
    // A fit to fewer rows may have found fewer pairs than the model has.
    let formatted = |values: &[f64], format: fn(f64) -> String| -> Vec<String> {
        (0..pairs).map(|i| values.get(i).map_or(String::new(), |&value| format(value))).collect()
    };
    // Without this, a small negative number would print as -0.000000.
    let six = |value: f64| format!("{:.6}", if value.abs() < 5e-7 { 0.0 } else { value });
    let mut columns = vec![("correlation", formatted(&model.correlations, six))];
    if let Some(held_out) = &fit.held_out {
        columns.push(("in training", formatted(&held_out.training, six)));
        columns.push(("held out", formatted(&held_out.held_out, six)));
    }
    if !model.settings.is_cca() {
        columns.push(("covariance", formatted(&model.objective, significant)));
    } else if has_ridge(&model.settings) {
        columns.push(("objective", formatted(&model.objective, six)));
    }
    if let Some(certificate) = &fit.certificate {
        columns.push(("± bound", formatted(&certificate.bounds, |b| format!("{b:.1e}"))));
    }
    columns.push(("residual", formatted(&model.residuals, |r| format!("{r:.1e}"))));
    let header: Vec<&str> = ["pair"].into_iter().chain(columns.iter().map(|(name, _)| *name)).collect();
    let row = |i: usize| {
        [(i + 1).to_string()].into_iter().chain(columns.iter().map(|(_, cells)| cells[i].clone())).collect()
    };
    text::table(&header, &(0..pairs).map(row).collect::<Vec<_>>())
}

/// The meaning of the table's columns, in a line or two.
fn legend(fit: &Fit) -> String {
    let mut text =
        String::from("correlation: on the fitted rows, 1 is perfect; residual: 0 is an exact solution");
    if !fit.model.settings.is_cca() {
        text += "\ncovariance: what the fit maximizes, with n as divisor, of variables whose weights have \
            length 1 in the metric of \
                 their view; pairs are in its order";
    } else if has_ridge(&fit.model.settings) {
        text += "\nobjective: what the fit maximizes, the correlation less what the ridge takes; pairs are \
            in its order";
    }
    if let Some(held_out) = &fit.held_out {
        let _ = write!(
            text,
            "\nheld out: a fit to {} of the rows (in training) on {} others; the model is that of all rows",
            text::grouped(held_out.training_rows),
            text::grouped(held_out.rows)
        );
    }
    text + "\n\n"
}

/// Prints each note once with its remedy, and a remedy if the fit did not converge.
pub fn warn(fit: &Fit, run: &Run) {
    for note in &fit.notes {
        remark!("{}{}", run.sentence(note), remedy(note, fit, run));
    }
    if !fit.converged && fit.model.pairs() > 0 {
        let advice = advice(&fit.model.settings);
        remark!("not converged: there is more correlation to be found; {advice}");
    }
}

/// The flags that would help, to end the sentence of a note.
fn remedy(note: &Note, fit: &Fit, run: &Run) -> &'static str {
    match note {
        Note::CorrelationsGuaranteed { .. } if fit.held_out.is_some() => "; --ridge or --ridge-path helps",
        Note::CorrelationsGuaranteed { .. } => {
            "; --ridge or --ridge-path helps, and --hold-out 0.2 shows what they are worth"
        }
        Note::InflatedByNoise { .. } => "; --hold-out 0.2 tells by how much",
        // The search for the best ridge already ran.
        Note::FarBelowTraining { .. } if run.ridge.is_some() => "; a smaller -k leaves them out",
        Note::FarBelowTrainingInFolds { .. } => "; a smaller -k leaves out what others do not have",
        Note::FarBelowTraining { .. } => "; --ridge-path finds a ridge that does better",
        Note::RidgeSetByFewColumns { .. } => "; --scale yes makes their units comparable",
        _ => "",
    }
}

/// The change that helps the next fit converge.
fn advice(settings: &Settings) -> &'static str {
    match (settings.method == Method::auto(), settings.max_passes.is_some()) {
        (true, true) => "a larger --max-passes or a looser --tol helps",
        (true, false) => "a looser --tol helps",
        (false, true) => "a larger --max-passes, or --method auto, finds it",
        (false, false) => "--method auto finds it",
    }
}
