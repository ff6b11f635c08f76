//! Escapes text in markup and data in a script element: the name of a column stays text, even if it looks
//! like markup.

use serde_json::Value;

/// Markup that shows the text. Characters that a page must not contain become the replacement character.
pub fn text(plain: &str) -> String {
    let mut markup = String::with_capacity(plain.len());
    for character in plain.chars() {
        match character {
            '&' => markup.push_str("&amp;"),
            '<' => markup.push_str("&lt;"),
            '>' => markup.push_str("&gt;"),
            '"' => markup.push_str("&quot;"),
            '\'' => markup.push_str("&#39;"),
            '\n' | '\t' => markup.push(character),
            other if other.is_control() || is_noncharacter(other) => markup.push('\u{fffd}'),
            other => markup.push(other),
        }
    }
    markup
}

/// Whether the character is one of Unicode's noncharacters, which never stand for a character. XML forbids
/// U+FFFE and U+FFFF, and HTML all of them.
fn is_noncharacter(character: char) -> bool {
    matches!(character, '\u{fdd0}'..='\u{fdef}') || character as u32 & 0xfffe == 0xfffe
}

/// JSON that no HTML parser mistakes for markup. The escaped characters occur in JSON strings only.
pub fn json(data: &Value) -> String {
    let mut script = String::new();
    for character in data.to_string().chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{7f}'..='\u{9f}' => {
                script += &format!("\\u{:04x}", character as u32)
            }
            other => script.push(other),
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as value;

    const NASTY: &str = "</script><b>\"&'<!--\u{2028}\u{2029}]]>\u{0}\u{85}é";

    #[test]
    fn markup_is_shown_not_obeyed() {
        let markup = text(NASTY);
        assert!(markup.starts_with("&lt;/script&gt;&lt;b&gt;&quot;&amp;&#39;&lt;!--"), "{markup}");
        assert!(!markup.contains(['<', '>', '"', '\'', '\0', '\u{85}']) && markup.ends_with('é'));
    }

    /// Tests the characters that XML 1.0 allows, and all signs that mean something to a parser.
    #[test]
    fn markup_has_only_what_xml_allows() {
        let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        let every: String = ('\0'..=char::MAX).collect();
        let markup = text(&every);
        assert!(markup.chars().all(allowed));
        assert!(!markup.contains(['\u{fffe}', '\u{ffff}', '\u{fdd0}', '\u{1ffff}', '\u{10fffe}']));
        assert!(markup.contains(['\u{fdf0}', '\u{fffc}', '\u{10000}']));
    }

    #[test]
    fn data_come_back_and_hold_no_markup() {
        let data = value!({ NASTY: [NASTY, 1.5, null] });
        let script = json(&data);
        assert!(!script.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{85}']), "{script}");
        assert_eq!(serde_json::from_str::<Value>(&script).expect("still JSON"), data);
    }
}
