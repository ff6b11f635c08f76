//! `lcca score MODEL X Y`

use super::{fitting_rows, on_device};
use crate::failure::Failure;
use crate::figures::are_training_rows;
use crate::load::{RowFiles, Views};
use crate::output::remark;
use crate::resolve::ScoreJob;
use crate::text::{self, count};
use crate::{machine, output, progress};
use lcca::data::{Pair, Side};
use lcca::fit::{Exchange, Model, PermutationTest, Scores, Significance};
use lcca::outcome::Decision;
use lcca_cuda::Placement;
use lcca_io::{ModelFile, wording};
use serde_json::json;

pub fn run(job: &ScoreJob) -> Result<(), Failure> {
    let mut placement = job.device.open()?;
    let file = ModelFile::open(&job.model)?;
    let model = &file.model;
    let result = machine::pool(job.session.threads)?.install(|| score(job, &file, &mut placement))?;
    let Scored { rows, scores, significance, ran } = &result;
    if significance.is_some() && !job.session.quiet && are_training_rows(model, scores, *rows) {
        remark!("these look like the rows the model was trained on; p-values mean nothing there");
    }
    if job.session.json {
        output::print_json(&json!({
            "rows": rows,
            "k": model.pairs(),
            "correlations": scores.correlations,
            "total": scores.total,
            "subspace_total": scores.captured,
            "training_correlations": model.correlations,
            "p": significance.as_ref().map(|significance| &significance.p),
            "p_adjusted": significance.as_ref().map(|significance| &significance.adjusted),
            "permutations": job.permutation_test.map(|test| test.permutations),
            "decisions": ran.iter().collect::<Vec<_>>(),
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else {
        output::print(&text(model, &result))?;
    }
    Ok(())
}

/// The scores of the given rows.
struct Scored {
    rows: usize,
    scores: Scores,
    significance: Option<Significance>,
    /// Where the permutation test ran, if a GPU could have run it.
    ran: Option<Decision>,
}

fn score(job: &ScoreJob, file: &ModelFile, placement: &mut Placement) -> Result<Scored, Failure> {
    let files = RowFiles { covariates: job.covariates.as_deref(), weights: None };
    let views = fitting_rows::read_pair(file, [&job.x, &job.y], files, &job.reading, job.session.quiet)?;
    let scores = file.model.score(&views.pair)?;
    let significance = significance(job, &file.model, &views, placement)?;
    Ok(Scored { rows: views.pair.shape().rows, scores, significance, ran: placement.decision() })
}

fn significance(
    job: &ScoreJob,
    model: &Model,
    views: &Views,
    placement: &mut Placement,
) -> Result<Option<Significance>, Failure> {
    let Some(test) = job.permutation_test else { return Ok(None) };
    let groups = views.groups(job.blocks.as_ref().map(|blocks| blocks.path.as_path()), job.session.quiet)?;
    let exchange = match (&groups, &job.blocks) {
        (Some(groups), Some(blocks)) if blocks.are_whole => Exchange::Whole(groups),
        (Some(groups), _) => Exchange::Within(groups),
        (None, _) => Exchange::Rows,
    };
    let spinner = progress::spinner("permuting".into(), job.session.quiet);
    let [x, y] = Side::BOTH.map(|side| views.pair.view(side));
    let covariates = views.pair.covariates();
    let test = PermutationTest { exchange, covariates, ..PermutationTest::new(test.permutations, test.seed) };
    placement.decide_test(x.rows(), model.pairs(), test.permutations);
    let significance = on_device::test(placement, job.session.quiet, |space| {
        Ok(model.permutation_test_in(space, x, y, &test, &())?)
    })?;
    spinner.finish_and_clear();
    Ok(Some(significance))
}

fn text(model: &Model, result: &Scored) -> String {
    let Scored { rows, scores, significance, ran } = result;
    let row = |i: usize| {
        let correlations = [scores.correlations[i], model.correlations[i]].map(|c| format!("{c:.6}"));
        let p_values = significance.as_ref().map(|s| [s.p[i], s.adjusted[i]].map(text::p_value));
        [(i + 1).to_string()].into_iter().chain(correlations).chain(p_values.into_iter().flatten()).collect()
    };
    let table: Vec<Vec<String>> = (0..model.pairs()).map(row).collect();
    let header = ["pair", "correlation", "in training", "p", "p adjusted"];
    let training: f64 = model.correlations.iter().sum();
    let mut text = format!(
        "{}\n\n{}\ncorrelation: on these rows, 1 is perfect; far below that in training, the model describes \
         its own rows only\n\n\
         sum of correlations {:.6} (in training {training:.6})\n",
        count(*rows as u64, "row"),
        text::table(&header[..if significance.is_some() { 5 } else { 3 }], &table),
        scores.total
    );
    if let Some(significance) = significance {
        let orders = count(significance.permutations as u64, "random order");
        text += &format!(
            "p: how often chance does as well, from {orders} of the rows; adjusted: with the chance of any \
             false\n\
             finding among all pairs controlled (Westfall and Young, step down)\n"
        );
    }
    if let Some(ran) = ran {
        text += &format!("{}\n", wording::decision(ran));
    }
    text
}
