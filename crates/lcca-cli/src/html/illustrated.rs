//! A page with one picture and a sentence on how to read it.

use super::element;
use super::page::Page;
use crate::escape;
use crate::figures::Illustration;
use crate::shown::shortened;

pub fn html(model: &str, illustration: &Illustration) -> String {
    let name = shortened(model, 200);
    let markup = format!(
        "<header>\n<p class=\"kind\">Canonical correlation analysis</p>\n<h1>{}</h1>\n</header>\n<main>\n{}</main>\n{}",
        escape::text(&name),
        element::figure("picture", illustration),
        element::footer()
    );
    Page { title: &name, markup: &markup, script: None }.html()
}
