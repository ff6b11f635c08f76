//! The parts of a page. All of them take plain text and return markup, unless an argument is called
//! `markup`.

use crate::escape;
use crate::figures::Illustration;
use std::fmt::Write as _;

/// A part with a heading.
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    pub markup: String,
}

impl Section {
    pub fn html(&self) -> String {
        let Section { id, title, markup } = self;
        format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 \
             id=\"{id}-title\">{}</h2>\n{markup}</section>\n",
            escape::text(title)
        )
    }
}

/// The parts of a page, after a table of contents.
pub fn sections(sections: &[Section]) -> String {
    let entry =
        |part: &Section| format!("<li><a href=\"#{}\">{}</a></li>\n", part.id, escape::text(part.title));
    let contents: String = sections.iter().map(entry).collect();
    let parts: String = sections.iter().map(Section::html).collect();
    format!(
        "<nav class=\"contents\" aria-label=\"Contents\">\n<ol>\n{contents}</ol>\n</nav>\n<main>\n{parts}</main>\n"
    )
}

pub fn paragraph(plain: &str) -> String {
    format!("<p>{}</p>\n", escape::text(plain))
}

/// A remark in small type.
pub fn remark(plain: &str) -> String {
    format!("<p class=\"remark\">{}</p>\n", escape::text(plain))
}

/// A remark with commands between backticks.
pub fn hint(plain: &str) -> String {
    format!("<p class=\"remark\">{}</p>\n", with_commands(plain))
}

/// A sentence in which words between backticks are shell commands; lines break between their words only.
pub fn with_commands(plain: &str) -> String {
    let part = |(i, part): (usize, &str)| {
        if i % 2 == 0 { escape::text(part) } else { format!("<code>{}</code>", unbroken(part)) }
    };
    plain.split('`').enumerate().map(part).collect()
}

/// Words in which no line breaks.
fn unbroken(plain: &str) -> String {
    let word = |word: &str| format!("<span>{}</span>", escape::text(word));
    plain.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

pub fn list(items: &[String]) -> String {
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape::text(item))).collect();
    if items.is_empty() { items } else { format!("<ul>\n{items}</ul>\n") }
}

/// Questions, each with some sentences of markup.
pub fn answers(answers_of_markup: &[(&str, Vec<String>)]) -> String {
    let mut markup = "<dl class=\"answers\">\n".to_string();
    for (question, sentences) in answers_of_markup {
        let sentences: String = sentences.iter().map(|sentence| format!("<p>{sentence}</p>")).collect();
        let _ = writeln!(markup, "<div><dt>{}</dt><dd>{sentences}</dd></div>", escape::text(question));
    }
    markup + "</dl>\n"
}

/// Names and values in two columns.
pub fn facts(facts: &[(String, String)]) -> String {
    let mut markup = "<dl class=\"facts\">\n".to_string();
    for (name, value) in facts {
        let _ =
            writeln!(markup, "<div><dt>{}</dt><dd>{}</dd></div>", escape::text(name), escape::text(value));
    }
    markup + "</dl>\n"
}

/// Numbers, each above its name.
pub fn figures(figures: &[(String, String)]) -> String {
    numbers("figures", figures)
}

/// The numbers that a reader should see first, each above its name.
pub fn headline(figures: &[(String, String)]) -> String {
    numbers("figures headline", figures)
}

fn numbers(class: &str, figures: &[(String, String)]) -> String {
    let mut markup = format!("<dl class=\"{class}\">\n");
    for (value, name) in figures {
        let _ =
            writeln!(markup, "<div><dt>{}</dt><dd>{}</dd></div>", escape::text(name), escape::text(value));
    }
    markup + "</dl>\n"
}

/// A shell command; lines break between words if possible.
pub fn command(plain: &str) -> String {
    format!("<pre><code>{}</code></pre>\n", unbroken(plain))
}

/// The widths of the drawings, in pixels: the room between the margins of a desktop, a tablet and a phone.
/// The first is the width of the text in page.css.
const FULL: f64 = 1112.0;
const WIDE: f64 = 720.0;
const NARROW: f64 = 320.0;

/// A picture, drawn for large, wide and narrow screens; the styles show one of them.
pub fn figure(id: &str, illustration: &Illustration) -> String {
    let drawn = |width: f64, class: &str| illustration.picture.draw(width).inline(class);
    format!(
        "<figure class=\"chart\" id=\"{id}\">\n{}{}{}<figcaption>{}</figcaption>\n</figure>\n",
        drawn(WIDE, "wide"),
        drawn(NARROW, "narrow"),
        drawn(FULL, "full"),
        escape::text(&illustration.caption)
    )
}

/// The empty figure that the script draws into.
pub fn scripted_figure(id: &str, caption: &str) -> String {
    format!(
        "<figure class=\"chart\" id=\"{id}\">\n<div class=\"drawing\"></div>\n<figcaption>{}</figcaption>\n</figure>\n",
        escape::text(caption)
    )
}

/// A footer with the program and version that wrote the page.
pub fn footer() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let text = format!("Written by lcca {version}. This file needs nothing else and fetches nothing.");
    format!("<footer>\n{}</footer>\n", paragraph(&text))
}

/// A column of a table.
pub struct Column<'t> {
    pub title: &'t str,
    /// The class of the column's cells for the styles: "number", "names", or nothing.
    pub class: &'t str,
}

/// A table whose cells are `markup`. On narrow screens a row becomes a block, with the titles before the
/// cells; roles then tell screen readers that it is still a table.
pub fn table(caption: &str, columns: &[Column<'_>], rows_of_markup: &[Vec<String>]) -> String {
    let title = |c: &Column<'_>| {
        format!(
            "<th scope=\"col\" role=\"columnheader\" class=\"{}\">{}</th>",
            c.class,
            escape::text(c.title)
        )
    };
    let head: String = columns.iter().map(title).collect();
    let cell = |(c, markup): (&Column<'_>, &String)| {
        format!(
            "<td role=\"cell\" class=\"{}\" data-title=\"{}\">{markup}</td>",
            c.class,
            escape::text(c.title)
        )
    };
    let row = |cells: &Vec<String>| {
        format!("<tr role=\"row\">{}</tr>\n", columns.iter().zip(cells).map(cell).collect::<String>())
    };
    let body: String = rows_of_markup.iter().map(row).collect();
    let caption = escape::text(caption);
    format!(
        "<table class=\"blocks\" role=\"table\">\n<caption>{caption}</caption>\n<thead role=\"rowgroup\"><tr \
         role=\"row\">{head}</tr></thead>\n\
         <tbody role=\"rowgroup\">\n{body}</tbody>\n</table>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_stays_a_table_if_its_rows_are_shown_as_blocks() {
        let markup = table("t", &[Column { title: "a", class: "" }], &[vec!["1".into()]]);
        for (tag, role) in
            [("table", "table"), ("thead", "rowgroup"), ("tr", "row"), ("th", "columnheader"), ("td", "cell")]
        {
            let opened = markup.split('<').find(|part| part.split([' ', '>']).next() == Some(tag)).unwrap();
            assert!(opened.contains(&format!("role=\"{role}\"")), "{markup}");
        }
    }

    #[test]
    fn plain_text_is_escaped_wherever_it_goes() {
        let nasty = "<b>".to_string();
        let pairs = [(nasty.clone(), nasty.clone())];
        let column = Column { title: &nasty, class: "" };
        let markup = [
            paragraph(&nasty),
            remark(&nasty),
            list(std::slice::from_ref(&nasty)),
            facts(&pairs),
            answers(&[(&nasty, vec![])]),
            with_commands(&nasty),
            hint("try `<b>`"),
            figures(&pairs),
            headline(&pairs),
            command(&nasty),
            scripted_figure("c", &nasty),
            table(&nasty, &[column], &[vec![String::new()]]),
        ];
        for markup in markup {
            assert!(markup.contains("&lt;b&gt;") && !markup.contains("<b>"), "{markup}");
        }
    }
}
