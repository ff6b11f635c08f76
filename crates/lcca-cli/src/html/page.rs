//! The shell of a page: it contains everything it needs, and its policy forbids it to fetch anything.
//!
//! About half a megabyte is the chart library, Observable Plot with D3. Its charts are SVG, sharp on paper and styled by
//! the page, so that light, dark and print share one drawing.

use super::chart::Chart;
use super::escape;
use serde_json::{Map, Value};

/// No page is larger than this, in bytes.
pub const LIMIT: usize = 2_000_000;

const STYLE: &str = include_str!("../../assets/page.css");
const D3: &str = include_str!("../../assets/d3.min.js");
const PLOT: &str = include_str!("../../assets/plot.umd.min.js");
const LICENSES: &str = include_str!("../../assets/LICENSES.txt");
const CHARTS: &str = include_str!("../../assets/charts.js");

/// Allows the scripts and styles inside the page and nothing else.
const POLICY: &str =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/// The contents of a page.
pub struct Page<'p> {
    pub title: &'p str,
    /// Everything between header and footer.
    pub markup: &'p str,
    pub charts: &'p [Chart],
    /// The data that the page's own script reads, by name.
    pub data: Map<String, Value>,
    /// The page's own script.
    pub script: &'static str,
}

impl Page<'_> {
    pub fn html(mut self) -> String {
        self.data.insert("charts".into(), self.charts.iter().map(Chart::json).collect());
        let (title, markup, script) = (escape::text(self.title), self.markup, self.script);
        let (data, version) = (escape::json(&Value::Object(self.data)), env!("CARGO_PKG_VERSION"));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"lcca {version}\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{markup}\
             <noscript><p class=\"remark\">Charts and search need JavaScript.</p></noscript>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n<!--\n{LICENSES}-->\n\
             <script>{D3}</script>\n<script>{PLOT}</script>\n<script>\n{CHARTS}</script>\n<script>\n{script}</script>\n\
             </body>\n</html>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_cannot_end_its_element() {
        for script in [D3, PLOT, CHARTS] {
            let lower = script.to_ascii_lowercase();
            assert!(!lower.contains("</script") && !lower.contains("<!--"));
        }
        assert!(!STYLE.contains("</") && !LICENSES.contains("--"));
    }

    #[test]
    fn an_empty_page_leaves_two_thirds_of_the_limit_for_data() {
        let page = Page { title: "<t>", markup: "", charts: &[], data: Map::new(), script: "" }.html();
        assert!(page.contains("<title>&lt;t&gt;</title>") && 3 * page.len() < LIMIT, "{}", page.len());
    }
}
