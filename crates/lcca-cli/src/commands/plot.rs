//! `lcca plot PICTURE MODEL [X Y] -o picture.svg`

use super::given_rows::{self, RowSource, file_name};
use crate::failure::Failure;
use crate::figures::{self, Certainty, ColumnNames, GivenRows, Illustration, Scree};
use crate::html::illustrated;
use crate::output::remark;
use crate::resolve::{Plot, PlotFormat, PlotJob};
use crate::{load, machine, output};
use lcca_io::{FitRecord, ModelFile, Output};
use serde_json::json;
use std::io::Write;

pub fn run(job: &PlotJob) -> Result<(), Failure> {
    let inputs = [&job.model].into_iter().chain(job.rows.iter().flatten());
    let inputs = inputs.chain(&job.label).chain(&job.bootstrap).chain(&job.scores).chain(&job.covariates);
    load::check_output(&job.output, &inputs.map(|path| path.as_path()).collect::<Vec<_>>())?;
    let mut output = Output::create(&job.output)?;
    let text = machine::pool(job.session.threads)?.install(|| draw(job))?;
    let path = &job.output;
    output.write_all(text.as_bytes()).map_err(|source| lcca_io::Error::Io { path: path.clone(), source })?;
    output.commit()?;
    if job.session.json {
        output::print_json(&json!({
            "output": path.display().to_string(),
            "bytes": text.len(),
            "version": env!("CARGO_PKG_VERSION"),
        }))?;
    } else if !job.session.quiet {
        remark!("picture written to {}", path.display());
    }
    Ok(())
}

fn draw(job: &PlotJob) -> Result<String, Failure> {
    let file = ModelFile::open(&job.model)?;
    let illustration = illustration(job, &file)?;
    Ok(match job.format {
        PlotFormat::Svg(width) => illustration.picture.draw(width).document(),
        PlotFormat::Html => illustrated::html(&file_name(&job.model), &illustration),
    })
}

fn illustration(job: &PlotJob, file: &ModelFile) -> Result<Illustration, Failure> {
    let (model, names) = (&file.model, file.names()?);
    let columns = ColumnNames { model, names: &names };
    let given = match &job.rows {
        Some([x, y]) => Some(given_rows::read(
            file,
            &RowSource {
                paths: [x, y],
                covariates: job.covariates.as_deref(),
                label: job.label.as_deref(),
                reading: &job.reading,
                quiet: job.session.quiet,
            },
        )?),
        None => None,
    };
    let pairs = model.pairs();
    if pairs == 0 {
        return Err(Failure::Usage(format!("{}: the model has no components to draw", job.model.display())));
    }
    let exist = |components: &[usize]| match components.iter().find(|&&component| component >= pairs) {
        None => Ok(()),
        Some(missing) => Err(no_component(missing + 1, pairs)),
    };
    let first = |components: Option<usize>, most: usize| match components {
        None => Ok(pairs.min(most)),
        Some(count) => exist(&[count - 1]).map(|()| count),
    };
    Ok(match &job.plot {
        Plot::Scree { components } => {
            let shown = first(*components, usize::MAX)?;
            let certainty =
                Certainty::read(job.bootstrap.as_deref(), job.scores.as_deref(), &model.correlations)?;
            let record = FitRecord::from_provenance(&file.provenance);
            let (record, given) = (record.as_ref(), given.as_ref());
            figures::scree(&Scree { model, record, given, certainty: &certainty, shown })
        }
        Plot::Circle { axes, named } => {
            exist(axes)?;
            figures::circle(columns, *axes, *named)
        }
        Plot::Loadings { component, columns: most } => {
            exist(&[*component])?;
            figures::loadings(columns, *component, *most)
        }
        Plot::Heatmap { components, most_components, columns: most } => {
            figures::heatmap(columns, first(*components, *most_components)?, *most)
        }
        Plot::Cim { components, columns: most } => {
            figures::cim(columns, first(*components, usize::MAX)?, *most)
        }
        Plot::Scores { axes } => {
            let axes = axes.clone().unwrap_or_else(|| (0..pairs.min(2)).collect());
            exist(&axes)?;
            figures::scores(rows(&given)?, &axes)
        }
        Plot::Biplot { axes, columns: most } => {
            exist(axes)?;
            figures::biplot(columns, rows(&given)?, *axes, *most)
        }
    })
}

fn no_component(missing: usize, pairs: usize) -> Failure {
    let hint = if pairs == 1 && missing == 2 {
        "; one component can be drawn by scree, loadings and heatmap"
    } else {
        ""
    };
    let plural = if pairs == 1 { "" } else { "s" };
    Failure::Usage(format!(
        "component {missing} is to be drawn, but the model has {pairs} component{plural}{hint}"
    ))
}

fn rows(given: &Option<GivenRows>) -> Result<&GivenRows, Failure> {
    given.as_ref().ok_or_else(|| Failure::Usage("expected rows of X and Y".into()))
}
