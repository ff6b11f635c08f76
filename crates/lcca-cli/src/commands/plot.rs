//! `lcca plot PICTURE MODEL [X Y] -o picture.svg`

use super::given_rows::{self, file_name};
use super::page_file;
use crate::failure::Failure;
use crate::figures::{self, Certainty, ColumnNames, GivenRows, Illustration, Scree};
use crate::html::illustrated;
use crate::resolve::{Plot, PlotFormat, PlotJob};
use lcca_io::{FitRecord, ModelFile};

pub fn run(job: &PlotJob) -> Result<(), Failure> {
    page_file::write(&job.page, ["picture", ""], || draw(job))
}

fn draw(job: &PlotJob) -> Result<String, Failure> {
    let file = ModelFile::open(&job.page.model)?;
    let pairs = file.model.pairs();
    if pairs == 0 {
        let model = job.page.model.display();
        return Err(Failure::Usage(format!("{model}: the model has no components to draw")));
    }
    // This check comes first, because reading rows may take long.
    if let Some(missing) = highest(&job.plot).filter(|&highest| highest >= pairs) {
        return Err(no_component(missing + 1, pairs));
    }
    let given = given_rows::read(&file, &job.page)?;
    let illustration = illustration(job, &file, given.as_ref())?;
    Ok(match job.format {
        PlotFormat::Svg(width) => {
            illustration.picture.draw(width).captioned(&illustration.caption).document()
        }
        PlotFormat::Html => illustrated::html(&file_name(&job.page.model), &illustration),
    })
}

/// The highest component that a picture names, from 0.
fn highest(plot: &Plot) -> Option<usize> {
    match plot {
        Plot::Scree { components } | Plot::Heatmap { components, .. } | Plot::Cim { components, .. } => {
            components.map(|count| count - 1)
        }
        Plot::Circle { axes, .. } | Plot::Biplot { axes, .. } => axes.iter().max().copied(),
        Plot::Loadings { component, .. } => Some(*component),
        Plot::Scores { axes } => axes.iter().flatten().max().copied(),
    }
}

fn illustration(job: &PlotJob, file: &ModelFile, given: Option<&GivenRows>) -> Result<Illustration, Failure> {
    let (model, names) = (&file.model, file.names()?);
    let columns = ColumnNames { model, names: &names };
    let pairs = model.pairs();
    let first = |components: Option<usize>, most: usize| components.unwrap_or(pairs.min(most));
    Ok(match &job.plot {
        Plot::Scree { components } => {
            let page = &job.page;
            let certainty =
                Certainty::read(page.bootstrap.as_deref(), page.scores.as_deref(), &model.correlations)?;
            let record = FitRecord::from_provenance(&file.provenance);
            let (record, shown) = (record.as_ref(), first(*components, usize::MAX));
            figures::scree(&Scree { model, record, given, certainty: &certainty, shown })
        }
        Plot::Circle { axes, named } => figures::circle(columns, *axes, *named),
        Plot::Loadings { component, columns: most } => figures::loadings(columns, *component, *most),
        Plot::Heatmap { components, most_components, columns: most } => {
            figures::heatmap(columns, first(*components, *most_components), *most)
        }
        Plot::Cim { components, columns: most } => {
            figures::cim(columns, first(*components, usize::MAX), *most)
        }
        Plot::Scores { axes } => {
            let axes = axes.clone().unwrap_or_else(|| (0..pairs.min(2)).collect());
            figures::scores(rows(given)?, &axes)
        }
        Plot::Biplot { axes, columns: most } => figures::biplot(columns, rows(given)?, *axes, *most),
    })
}

fn no_component(missing: usize, pairs: usize) -> Failure {
    let hint = if pairs == 1 && missing == 2 {
        "; one component can be drawn by scree, loadings, heatmap, cim and scores"
    } else {
        ""
    };
    let plural = if pairs == 1 { "" } else { "s" };
    Failure::Usage(format!(
        "component {missing} is to be drawn, but the model has {pairs} component{plural}{hint}"
    ))
}

fn rows(given: Option<&GivenRows>) -> Result<&GivenRows, Failure> {
    given.ok_or_else(|| Failure::Usage("expected rows of X and Y".into()))
}
