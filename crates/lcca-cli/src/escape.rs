//! Text in markup and data in a script element: the name of a column stays text, whatever it contains.

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
            control if control.is_control() => markup.push('\u{fffd}'),
            other => markup.push(other),
        }
    }
    markup
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

    #[test]
    fn data_come_back_and_hold_no_markup() {
        let data = value!({ NASTY: [NASTY, 1.5, null] });
        let script = json(&data);
        assert!(!script.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{85}']), "{script}");
        assert_eq!(serde_json::from_str::<Value>(&script).expect("still JSON"), data);
    }
}
