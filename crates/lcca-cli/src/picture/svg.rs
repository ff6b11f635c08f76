//! SVG elements, written as text. Names reach a picture through [`Svg::text`] and [`Svg::title`] only, which
//! escape them.

use super::style;
use crate::escape;
use std::fmt::Write as _;

/// A drawing of a fixed size.
pub struct Svg {
    pub width: f64,
    pub height: f64,
    /// A description for readers who cannot see the drawing.
    description: String,
    /// Sentences on how to read the drawing. Only a separate file holds them, because a page shows them
    /// with the drawing.
    caption: String,
    body: String,
}

/// The end of a text that is at its position.
#[derive(Clone, Copy, PartialEq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub fn new(width: f64, height: f64, description: &str) -> Self {
        Svg { width, height, description: description.into(), caption: String::new(), body: String::new() }
    }

    /// Adds sentences on how to read the drawing.
    pub fn captioned(mut self, caption: &str) -> Self {
        self.caption = caption.into();
        self
    }

    /// A straight line; `class` sets its color.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let _ =
            writeln!(self.body, "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
    }

    /// Any shape. Without steps, nothing is drawn.
    pub fn path(&mut self, class: &str, steps: &str) {
        if !steps.is_empty() {
            let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{steps}\"/>");
        }
    }

    /// A shape with a text that appears when a pointer is over it.
    pub fn path_titled(&mut self, class: &str, steps: &str, title: &str) {
        let title = escape::text(title);
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{steps}\"><title>{title}</title></path>");
    }

    /// Draws parts that belong to a component, counted from 0. A page finds them by the component's number
    /// and highlights them.
    pub fn linked(&mut self, component: usize, draw: impl FnOnce(&mut Svg)) {
        let _ = writeln!(self.body, "<g data-component=\"{}\">", component + 1);
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// A rectangle that is invisible unless a page highlights it.
    pub fn frame(&mut self, class: &str, (x, y): (f64, f64), size: (f64, f64)) {
        let [x, y, width, height] = [x, y, size.0, size.1].map(number);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        );
    }

    /// A rectangle of the given opacity, with a text that appears when a pointer is over it, if there is
    /// one.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), size: (f64, f64), opacity: f64, title: &str) {
        let [x, y, width, height] = [x, y, size.0, size.1].map(number);
        let opacity = if opacity < 1.0 { format!(" fill-opacity=\"{opacity:.2}\"") } else { String::new() };
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{opacity}"
        );
        let _ = if title.is_empty() {
            writeln!(self.body, "/>")
        } else {
            writeln!(self.body, "><title>{}</title></rect>", escape::text(title))
        };
    }

    /// Many points of one look as one shape: round dots, `size` pixels wide.
    pub fn dots(&mut self, look: usize, size: f64, places: impl Iterator<Item = (f64, f64)>) {
        let steps: String = places.map(|(x, y)| format!("M{} {}h0", number(x), number(y))).collect();
        if !steps.is_empty() {
            let _ = writeln!(
                self.body,
                "<path class=\"dots s{look}\" style=\"stroke-width:{}\" d=\"{steps}\"/>",
                number(size)
            );
        }
    }

    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let [x, y, radius] = [x, y, radius].map(number);
        let _ = writeln!(self.body, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
    }

    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, plain: &str) {
        self.turned_text(class, (x, y), anchor, 0, plain);
    }

    /// A text that is turned about its position, by degrees clockwise.
    pub fn turned_text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, degrees: i32, plain: &str) {
        let [x, y] = [at.0, at.1].map(number);
        let place = match degrees {
            0 => format!("x=\"{x}\" y=\"{y}\""),
            _ => format!("transform=\"translate({x} {y}) rotate({degrees})\""),
        };
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = writeln!(self.body, "<text class=\"{class}\" {place}{anchor}>{}</text>", escape::text(plain));
    }

    /// The drawing as a part of a page, whose style sheet it uses.
    pub fn inline(&self, class: &str) -> String {
        let [width, height] = [self.width, self.height].map(number);
        let description = escape::text(&self.description);
        format!(
            "<svg class=\"picture {class}\" role=\"img\" aria-label=\"{description}\" viewBox=\"0 0 {width} \
             {height}\" \
             width=\"{width}\" height=\"{height}\">\n{}</svg>\n",
            self.body
        )
    }

    /// The drawing as a separate file, with a background.
    pub fn document(&self) -> String {
        let [width, height] = [self.width, self.height].map(number);
        let [description, caption] = [&self.description, &self.caption].map(|plain| escape::text(plain));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\" viewBox=\"0 0 {width} \
             {height}\" \
             width=\"{width}\" height=\"{height}\">\n<title>{description}</title>\n<desc>{caption}</desc>\n<style>\n{}</style>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{}</svg>\n",
            style::style_sheet(false),
            self.body
        )
    }
}

/// A coordinate with one decimal, because a tenth of a pixel is fine enough.
pub fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".into(),
        Some(whole) => whole.into(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_stays_text() {
        let nasty = "</text><script>alert(1)</script>\"&'";
        let mut svg = Svg::new(10.0, 10.0, nasty).captioned(nasty);
        svg.text("t", (1.0, 2.0), Anchor::Middle, nasty);
        svg.path_titled("f0", "M0 0", nasty);
        svg.rect("f0", (0.0, 0.0), (1.0, 1.0), 0.5, nasty);
        for text in [svg.inline("wide"), svg.document()] {
            assert!(!text.contains("<script") && text.contains("&lt;script&gt;"), "{text}");
        }
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0, 0.25, -0.01, 12.34].map(number), ["1", "0.2", "0", "12.3"]);
    }
}
