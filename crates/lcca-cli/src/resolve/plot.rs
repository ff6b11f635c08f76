//! `lcca plot`

use super::page::{PageJob, ending};
use crate::args::{PictureChoice, PlotArgs};
use crate::failure::Failure;
use crate::picture::Grid;
use clap::ValueEnum as _;
use std::path::Path;

/// The most components in a heatmap by default, because more are not readable.
const HEATMAP_COMPONENTS: usize = 20;
/// The default width of an .svg file, in pixels.
const WIDTH: u32 = 720;

pub struct PlotJob {
    pub plot: Plot,
    pub format: PlotFormat,
    pub page: PageJob,
}

/// A picture with its parameters. Components are counted from 0; those that the model does not have are
/// refused later.
pub enum Plot {
    Scree { components: Option<usize> },
    Circle { axes: [usize; 2], named: usize },
    Loadings { component: usize, columns: usize },
    Heatmap { components: Option<usize>, most_components: usize, columns: usize },
    Cim { components: Option<usize>, columns: usize },
    Scores { axes: Option<Vec<usize>> },
    Biplot { axes: [usize; 2], columns: usize },
}

#[derive(Clone, Copy)]
pub enum PlotFormat {
    /// An SVG file of this width.
    Svg(f64),
    Html,
}

impl PlotJob {
    pub fn new(args: PlotArgs) -> Result<Self, Failure> {
        refuse_strangers(&args)?;
        let needs_rows = matches!(args.picture, PictureChoice::Scores | PictureChoice::Biplot);
        if needs_rows && args.y.is_none() {
            let name = name(args.picture);
            return Err(Failure::Usage(format!(
                "{name} draws rows, expected lcca plot {name} MODEL X Y -o FILE"
            )));
        }
        let (plot, format) = (plot(&args)?, format(&args.output, args.width)?);
        let rows = args.x.zip(args.y).map(|(x, y)| [x, y]);
        let page = PageJob::new([args.model, args.output], rows, args.rows, args.common)?;
        let page = PageJob { label: args.label, bootstrap: args.bootstrap, scores: args.scores, ..page };
        Ok(PlotJob { plot, format, page })
    }
}

/// The format that the name of the file promises.
fn format(output: &Path, width: Option<u32>) -> Result<PlotFormat, Failure> {
    match ending(output).as_str() {
        "svg" => Ok(PlotFormat::Svg(f64::from(width.unwrap_or(WIDTH)))),
        "html" | "htm" if width.is_some() => Err(Failure::Usage(
            "--width is for .svg files; an .html page is as wide as its reader's screen".into(),
        )),
        "html" | "htm" => Ok(PlotFormat::Html),
        _ => {
            let output = output.display();
            Err(Failure::Usage(format!(
                "{output}: a picture is an SVG file or an HTML page, expected .svg or .html"
            )))
        }
    }
}

fn plot(args: &PlotArgs) -> Result<Plot, Failure> {
    let index = |number: u32| number as usize - 1;
    let components = args.components.map(|count| count as usize);
    let columns = |usual: usize| args.top.map_or(usual, |top| top as usize);
    let axes: Vec<usize> = args.axes.iter().copied().map(index).collect();
    let two = || match axes[..] {
        [] => Ok([0, 1]),
        [a, b] if a != b => Ok([a, b]),
        _ => Err(Failure::Usage("--axes: expected two different components, such as 1,2".into())),
    };
    Ok(match args.picture {
        PictureChoice::Scree => Plot::Scree { components },
        PictureChoice::Circle => Plot::Circle { axes: two()?, named: columns(15) },
        PictureChoice::Loadings => {
            Plot::Loadings { component: args.component.map_or(0, index), columns: columns(20) }
        }
        PictureChoice::Heatmap => {
            Plot::Heatmap { components, most_components: HEATMAP_COMPONENTS, columns: columns(15) }
        }
        PictureChoice::Cim => {
            let room = Grid::room(f64::from(args.width.unwrap_or(WIDTH)));
            if let Some(top) = args.top.filter(|&top| top as usize > room) {
                return Err(Failure::Usage(format!(
                    "--top {top}: this width has room for {room} columns of Y; --width makes an .svg file \
                     wider"
                )));
            }
            Plot::Cim { components, columns: columns(30) }
        }
        PictureChoice::Scores if axes.len() == 1 => Plot::Scores { axes: Some(axes) },
        PictureChoice::Scores if axes.is_empty() => Plot::Scores { axes: None },
        PictureChoice::Scores => Plot::Scores { axes: Some(two()?.into()) },
        PictureChoice::Biplot => Plot::Biplot { axes: two()?, columns: columns(8) },
    })
}

/// Refuses flags that the picture would ignore.
fn refuse_strangers(args: &PlotArgs) -> Result<(), Failure> {
    use PictureChoice::{Biplot, Cim, Circle, Heatmap, Loadings, Scores, Scree};
    let flags: [(&str, bool, &[PictureChoice]); 8] = [
        ("--axes", !args.axes.is_empty(), &[Circle, Scores, Biplot]),
        ("--component", args.component.is_some(), &[Loadings]),
        ("--components", args.components.is_some(), &[Scree, Heatmap, Cim]),
        ("--top", args.top.is_some(), &[Circle, Loadings, Heatmap, Cim, Biplot]),
        ("--label", args.label.is_some(), &[Scores, Biplot]),
        ("--bootstrap", args.bootstrap.is_some(), &[Scree]),
        ("--scores", args.scores.is_some(), &[Scree]),
        ("rows of X and Y", args.x.is_some(), &[Scree, Scores, Biplot]),
    ];
    for (flag, is_given, pictures) in flags {
        if is_given && !pictures.contains(&args.picture) {
            let known: Vec<String> = pictures.iter().map(|&picture| name(picture)).collect();
            let (found, known) = (name(args.picture), known.join(", "));
            return Err(Failure::Usage(format!("{found} does not use {flag}; these pictures do: {known}")));
        }
    }
    Ok(())
}

/// The name of a picture on the command line.
fn name(picture: PictureChoice) -> String {
    picture.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}
