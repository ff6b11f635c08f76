//! `lcca neighbors MODEL WORD…`

use super::named_model::NamedModel;
use crate::failure::Failure;
use crate::resolve::NeighborsJob;
use crate::{output, spelling, text};
use lcca::data::Side;
use lcca::matrix::Panel;
use lcca::nearest::{Scored, nearest};
use lcca_io::legible;
use serde_json::{Map, Value, json};

/// A column, and its neighbors in each searched view.
struct Neighborhood {
    side: Side,
    column: usize,
    neighbors: Vec<(Side, Vec<Scored>)>,
}

pub fn run(job: &NeighborsJob) -> Result<(), Failure> {
    let model = NamedModel::open(&job.model)?;
    let numbers = |side| model.numbers(side, job.content, job.components);
    let panels = [numbers(Side::X)?, numbers(Side::Y)?];
    let mut neighborhoods = Vec::new();
    for word in &job.words {
        let (side, column) = look_up(job, &model, word)?;
        neighborhoods.push(neighborhood(job, &panels, side, column));
    }
    if job.session.json {
        output::print_json(&object(job, &model, &neighborhoods))?;
    } else {
        let tables: Vec<String> = neighborhoods.iter().map(|near| table(&model, near)).collect();
        output::print(&tables.join("\n"))?;
    }
    Ok(())
}

/// The first of the allowed views that has the word, and its column there.
fn look_up(job: &NeighborsJob, model: &NamedModel, word: &str) -> Result<(Side, usize), Failure> {
    let sides = job.looked_up_in.iter();
    let place = sides.copied().find_map(|side| Some((side, column(model, side, word)?)));
    place.ok_or_else(|| Failure::Usage(unknown_word(job, model, word)))
}

fn column(model: &NamedModel, side: Side, word: &str) -> Option<usize> {
    match model.names(side) {
        Some(names) => names.position(word),
        None => word.parse().ok().filter(|&column: &usize| column < width(model, side)),
    }
}

fn width(model: &NamedModel, side: Side) -> usize {
    model.model.view(side).weights.rows()
}

/// A message that suggests the words that the user could have meant.
fn unknown_word(job: &NeighborsJob, model: &NamedModel, word: &str) -> String {
    let sides = &job.looked_up_in;
    let names: Vec<&str> =
        sides.iter().filter_map(|&side| model.names(side)).flat_map(|names| names.iter()).collect();
    let views = sides.iter().map(|&side| letter(side)).collect::<Vec<_>>().join(" or ");
    let message = format!("{}: no column of {views} is named {word:?}", job.model.display());
    if names.is_empty() {
        let widest = sides.iter().map(|&side| width(model, side)).max().unwrap_or(0);
        return format!("{message}: columns have no names, expected a number from 0, below {widest}");
    }
    let similar: Vec<String> =
        spelling::closest(word, names).iter().map(|name| format!("{name:?}")).collect();
    if similar.is_empty() { message } else { format!("{message}; spelled like it: {}", similar.join(", ")) }
}

fn neighborhood(job: &NeighborsJob, panels: &[Panel; 2], side: Side, column: usize) -> Neighborhood {
    let panel = |side: Side| if side == Side::X { &panels[0] } else { &panels[1] };
    let vector = panel(side).row(column);
    let neighbors_in = |&searched: &Side| {
        // We ask for one more than we show, because the nearest neighbor of a column is the column itself.
        let mut scored = nearest(panel(searched), vector, job.count + 1);
        scored.retain(|scored| searched != side || scored.row != column);
        scored.truncate(job.count);
        (searched, scored)
    };
    Neighborhood { side, column, neighbors: job.searched.iter().map(neighbors_in).collect() }
}

fn object(job: &NeighborsJob, model: &NamedModel, neighborhoods: &[Neighborhood]) -> Value {
    let word = |(word, near): (&String, &Neighborhood)| {
        let mut neighbors = Map::new();
        for (side, scored) in &near.neighbors {
            let one = |scored: &Scored| json!({ "name": model.name(*side, scored.row), "column": scored.row, "cosine": scored.score });
            neighbors.insert(letter(*side).into(), scored.iter().map(one).collect());
        }
        json!({ "word": word, "view": letter(near.side), "column": near.column, "neighbors": neighbors })
    };
    let words: Vec<Value> = job.words.iter().zip(neighborhoods).map(word).collect();
    json!({ "words": words, "version": env!("CARGO_PKG_VERSION") })
}

/// The most characters of a name in the title of a table.
const LONGEST_NAME: usize = 50;

/// A table for one word: its neighbors in each view, side by side.
fn table(model: &NamedModel, near: &Neighborhood) -> String {
    let title =
        format!("{} ({})", legible(&model.name(near.side, near.column), LONGEST_NAME), letter(near.side));
    if near.neighbors.iter().all(|(_, scored)| scored.is_empty()) {
        return format!("{title}: its numbers are all 0, so nothing is near it\n");
    }
    let heads: Vec<String> = near
        .neighbors
        .iter()
        .flat_map(|(side, _)| [format!("in {}", letter(*side)), "cosine".into()])
        .collect();
    let header: Vec<&str> = [title.as_str()].into_iter().chain(heads.iter().map(String::as_str)).collect();
    let rows = near.neighbors.iter().map(|(_, scored)| scored.len()).max().unwrap_or(0);
    let row = |i: usize| {
        let cells = near.neighbors.iter().flat_map(|(side, scored)| match scored.get(i) {
            Some(scored) => [model.name(*side, scored.row), format!("{:.4}", scored.score)],
            None => [String::new(), String::new()],
        });
        [(i + 1).to_string()].into_iter().chain(cells).collect()
    };
    text::table(&header, &(0..rows).map(row).collect::<Vec<Vec<String>>>())
}

/// The letter of a view on the command line.
fn letter(side: Side) -> &'static str {
    if side == Side::X { "x" } else { "y" }
}
