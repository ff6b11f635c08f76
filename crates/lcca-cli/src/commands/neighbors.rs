//! `lcca neighbors MODEL WORD…`

use super::model::{NamedModel, named_model, numbers};
use crate::args::export::NeighborsArgs;
use crate::args::views::Which;
use crate::failure::Failure;
use crate::report;
use crate::spelling;
use lcca::data::Side;
use lcca::matrix::Panel;
use lcca::nearest::{Scored, nearest};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// A column that was asked about, and what is near it in each view that was looked through.
struct Found {
    side: Side,
    column: usize,
    near: Vec<(Side, Vec<Scored>)>,
}

pub fn run(args: &NeighborsArgs) -> Result<ExitCode, Failure> {
    let named = named_model(&args.model)?;
    let panel = |side| numbers(&named.model, side, args.what, args.components);
    let panels = [panel(Side::X)?, panel(Side::Y)?];
    let places = args.words.iter().map(|word| look_up(args, &named, word));
    let places = places.collect::<Result<Vec<_>, Failure>>()?;
    let found: Vec<Found> =
        places.into_iter().map(|(side, column)| near(args, &panels, side, column)).collect();
    match args.common.json {
        true => report::print_json(&object(args, &named, &found))?,
        false => report::print(&text(&named, &found))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The first view, of those allowed, that has the word.
fn look_up(args: &NeighborsArgs, named: &NamedModel, word: &str) -> Result<(Side, usize), Failure> {
    let sides = args.view.map_or(Side::BOTH.to_vec(), |view| vec![view.into()]);
    let place = sides.iter().find_map(|&side| Some((side, column(named, side, word)?)));
    place.ok_or_else(|| Failure::Usage(unknown(&args.model, named, &sides, word)))
}

fn column(named: &NamedModel, side: Side, word: &str) -> Option<usize> {
    match named.names(side) {
        Some(names) => names.position(word),
        None => word.parse().ok().filter(|&column: &usize| column < width(named, side)),
    }
}

fn width(named: &NamedModel, side: Side) -> usize {
    named.model.view(side).weights.rows()
}

/// Says what could have been meant.
fn unknown(model: &Path, named: &NamedModel, sides: &[Side], word: &str) -> String {
    let names: Vec<&str> =
        sides.iter().filter_map(|&side| named.names(side)).flat_map(|names| names.iter()).collect();
    let views = sides.iter().map(|&side| letter(side)).collect::<Vec<_>>().join(" or ");
    let start = format!("{}: no column of {views} is named {word:?}", model.display());
    if names.is_empty() {
        let least = sides.iter().map(|&side| width(named, side)).max().unwrap_or(0);
        return format!("{start}: columns have no names, expected a number from 0, below {least}");
    }
    let similar: Vec<String> =
        spelling::closest(word, names).iter().map(|name| format!("{name:?}")).collect();
    match similar.is_empty() {
        true => start,
        false => format!("{start}; spelled like it: {}", similar.join(", ")),
    }
}

fn near(args: &NeighborsArgs, panels: &[Panel; 2], side: Side, column: usize) -> Found {
    let panel = |side: Side| if side == Side::X { &panels[0] } else { &panels[1] };
    let vector = panel(side).row(column);
    let sides = Side::BOTH.into_iter().filter(|&among| match args.among {
        Which::X => among == Side::X,
        Which::Y => among == Side::Y,
        Which::Both => true,
    });
    let in_view = |among: Side| {
        // One more than is shown: the nearest to a column is itself.
        let mut scored = nearest(panel(among), vector, args.count as usize + 1);
        scored.retain(|scored| among != side || scored.row != column);
        scored.truncate(args.count as usize);
        (among, scored)
    };
    Found { side, column, near: sides.map(in_view).collect() }
}

fn object(args: &NeighborsArgs, named: &NamedModel, found: &[Found]) -> Value {
    let list = |side: Side, scored: &[Scored]| -> Vec<Value> {
        let one = |scored: &Scored| json!({ "name": named.name(side, scored.row), "column": scored.row, "cosine": scored.score });
        scored.iter().map(one).collect()
    };
    let word = |(typed, found): (&String, &Found)| {
        let near =
            found.near.iter().map(|(side, scored)| (letter(*side).to_string(), list(*side, scored).into()));
        let near: serde_json::Map<String, Value> = near.collect();
        json!({ "word": typed, "view": letter(found.side), "column": found.column, "neighbors": near })
    };
    let words: Vec<Value> = args.words.iter().zip(found).map(word).collect();
    json!({ "words": words, "version": env!("CARGO_PKG_VERSION") })
}

/// A table a word: what is near in each view, side by side.
fn text(named: &NamedModel, found: &[Found]) -> String {
    found.iter().map(|found| table(named, found)).collect::<Vec<_>>().join("\n")
}

fn table(named: &NamedModel, found: &Found) -> String {
    let title = format!("{} ({})", legible(&named.name(found.side, found.column)), letter(found.side));
    if found.near.iter().all(|(_, scored)| scored.is_empty()) {
        return format!("{title}: its numbers are all 0, so nothing is near it\n");
    }
    let heads: Vec<String> =
        found.near.iter().flat_map(|(side, _)| [format!("in {}", letter(*side)), "cosine".into()]).collect();
    let header: Vec<&str> = [title.as_str()].into_iter().chain(heads.iter().map(String::as_str)).collect();
    let rows = found.near.iter().map(|(_, scored)| scored.len()).max().unwrap_or(0);
    let row = |at: usize| {
        let cells = found.near.iter().flat_map(|(side, scored)| match scored.get(at) {
            Some(scored) => [legible(&named.name(*side, scored.row)), format!("{:.4}", scored.score)],
            None => [String::new(), String::new()],
        });
        [(at + 1).to_string()].into_iter().chain(cells).collect()
    };
    report::table(&header, &(0..rows).map(row).collect::<Vec<Vec<String>>>())
}

/// A view as it is typed.
fn letter(side: Side) -> &'static str {
    if side == Side::X { "x" } else { "y" }
}

/// A name within a line: what would break the line is escaped.
fn legible(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
        .collect()
}
