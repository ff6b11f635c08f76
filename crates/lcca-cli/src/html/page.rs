//! The shell of a page. It contains everything that the page needs, and its policy forbids the page to
//! fetch anything.
//!
//! Pictures are SVG in the markup, because SVG is sharp on paper and takes the page's styles: light, dark
//! and print share one drawing. A page without its own script has no script at all.

use crate::escape;
use crate::picture::style_sheet;
use serde_json::{Map, Value};

/// The largest size of a page, in bytes.
pub const LIMIT: usize = 2_000_000;

const STYLE: &str = include_str!("../../assets/page.css");

/// The contents of a page.
pub struct Page<'p> {
    pub title: &'p str,
    /// The markup between header and footer.
    pub markup: &'p str,
    /// The script of the page, and the data that it reads, by name.
    pub script: Option<(&'static str, Map<String, Value>)>,
}

impl Page<'_> {
    pub fn html(self) -> String {
        let (title, markup, version) = (escape::text(self.title), self.markup, env!("CARGO_PKG_VERSION"));
        // The policy allows only the scripts and styles inside the page.
        let scripts = if self.script.is_some() { "script-src 'unsafe-inline'; " } else { "" };
        let script = match self.script {
            None => String::new(),
            Some((script, data)) => format!(
                "<noscript><p class=\"remark\">One component at a time, search and downloads need \
                 JavaScript.</p></noscript>\n\
                 <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{script}</script>\n",
                escape::json(&Value::Object(data))
            ),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {scripts}style-src \
                 'unsafe-inline'; \
             img-src data:\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"lcca \
                 {version}\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n<style \
                 id=\"pictures\">\n{}</style>\n</head>\n<body>\n{markup}\
             {script}</body>\n</html>\n",
            style_sheet(true)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_cannot_end_its_element() {
        assert!(!STYLE.contains("</"));
    }

    #[test]
    fn an_empty_page_leaves_nearly_all_of_the_limit_for_data() {
        let page = Page { title: "<t>", markup: "", script: None }.html();
        assert!(page.contains("<title>&lt;t&gt;</title>") && 50 * page.len() < LIMIT, "{}", page.len());
        assert!(!page.contains("<script") && !page.contains("script-src"));
    }
}
