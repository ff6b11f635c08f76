//! Parses pages that the program wrote.

use super::Folder;
use serde_json::Value;

/// A page as text, and the data in it.
pub struct Page {
    pub html: String,
    pub data: Value,
}

impl Page {
    /// Runs `lcca report …` and parses its page.
    pub fn report(folder: &Folder, line: &str) -> Page {
        folder.run(&format!("report {line} -o report.html")).done();
        let html = String::from_utf8(folder.read("report.html")).unwrap();
        let data = serde_json::from_str(between(&html, "id=\"data\">", "</script>")).unwrap();
        Page { html, data }
    }

    /// The page without styles and scripts.
    pub fn markup(&self) -> &str {
        between(&self.html, "<body>", "<noscript>")
    }

    /// The text that a reader sees, between two texts of the markup.
    pub fn text(&self, from: &str, to: &str) -> String {
        let markup = between(self.markup(), from, to);
        let tags = markup.split('<').enumerate().map(|(i, part)| match i {
            0 => part,
            _ => part.split_once('>').unwrap().1,
        });
        let text = tags.collect::<String>();
        let escapes = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
        escapes.iter().fold(text, |text, (escaped, plain)| text.replace(escaped, plain))
    }

    pub fn has(&self, text: &str) -> bool {
        self.markup().contains(text)
    }

    /// The names of the pictures.
    pub fn pictures(&self) -> Vec<&str> {
        let figures = self.markup().split("<figure class=\"chart\" id=\"").skip(1);
        figures.map(|figure| figure.split('"').next().unwrap()).collect()
    }

    /// The texts of a picture's points that appear when a pointer is over them, in the drawing for wide
    /// screens.
    pub fn titles(&self, picture: &str) -> Vec<&str> {
        let drawing = between(self.markup(), &format!("id=\"{picture}\""), "</svg>");
        drawing.split("<title>").skip(1).map(|title| title.split("</title>").next().unwrap()).collect()
    }
}

pub fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from:?}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("no {to:?}")).0
}

/// The numbers in packed single-precision text.
pub fn unpacked(text: &Value) -> Vec<f32> {
    bytes(text).chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

/// The bytes in packed text.
pub fn bytes(text: &Value) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} in base64"),
    };
    let text = text.as_str().unwrap().trim_end_matches('=');
    let bits: Vec<u8> = text
        .bytes()
        .flat_map(|b| (0..6).rev().map(move |i| (b, i)))
        .map(|(b, i)| digit(b) >> i & 1)
        .collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit)).collect()
}
