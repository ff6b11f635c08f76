//! The whole page, kept below a size limit.
//!
//! We build the parts that every page has first. If they are too large, the page shows fewer components.
//! The search then stores as many columns as still fit.

use super::components::Components;
use super::search::{self, SearchIndex};
use super::subject::Subject;
use super::{pictures, scatter, settings, summary, trace};
use crate::html::element::{self, Section};
use crate::html::page::{LIMIT, Page};
use lcca_io::FitRecord;
use serde_json::json;

const SCRIPT: &str = include_str!("../../../assets/report.js");
/// The most components that a page shows, because the search stores the number of a component in one byte.
const MOST_COMPONENTS: usize = 200;
/// The bytes that the search should get at least. Components are dropped to make room for it.
const LEAST_FOR_SEARCH: usize = 300_000;

pub fn html(subject: &Subject<'_>) -> String {
    let record = FitRecord::from_provenance(subject.provenance);
    let record = record.as_ref();
    let bytes_left =
        |components: &Components| LIMIT.saturating_sub(page(subject, record, components, None).len());
    let mut components = Components::new(subject, subject.model.pairs().min(MOST_COMPONENTS));
    let mut for_search = bytes_left(&components);
    while for_search < LEAST_FOR_SEARCH && components.shown > 1 {
        components.shown /= 2;
        for_search = bytes_left(&components);
    }
    let index = search::index(subject, components.shown, for_search);
    page(subject, record, &components, Some(&index))
}

fn page(
    subject: &Subject<'_>,
    record: Option<&FitRecord>,
    components: &Components,
    index: Option<&SearchIndex>,
) -> String {
    let parts = [
        Some(components.overview(subject, record)),
        pictures::columns(subject, components.shown),
        pictures::rows(subject, components.shown),
        Some(components.explorer(subject)),
        index.map(SearchIndex::section),
        Some(trace::section(subject, record)),
        Some(settings::section(subject)),
    ];
    let parts: Vec<Section> = parts.into_iter().flatten().collect();
    let header = summary::header(subject, record);
    let markup = format!("{header}{}{}", element::sections(&parts), element::footer());
    let data = json!({
        "components": components.json(subject),
        "given": subject.given.map(|given| scatter::json(given, components.shown)),
        "search": index.map(SearchIndex::json),
    });
    let data = data.as_object().cloned().unwrap_or_default();
    let title = format!("{}: canonical correlations", subject.name);
    Page { title: &title, markup: &markup, script: Some((SCRIPT, data)) }.html()
}
