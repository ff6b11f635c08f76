//! Estimates the width of a text without a font. The widths of characters are rather too large than too
//! small for any sans-serif.

/// The size of all text, and of small text, in pixels.
pub const TEXT: f64 = 12.0;
pub const SMALL: f64 = 11.0;

/// An upper estimate of the width of a text.
pub fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(em).sum::<f64>()
}

/// The text, cut to a width with an ellipsis if it is too long.
pub fn fitted(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.into();
    }
    let mut used = size * em('…');
    let fits = |c: &char| {
        used += size * em(*c);
        used <= most
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// The width of a character, in units of the text's size.
fn em(c: char) -> f64 {
    match c {
        '\u{300}'..='\u{36f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{fe00}'..='\u{fe0f}' => 0.0,
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '\\' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.96,
        'A'..='Z' | '&' | '#' | '+' | '=' | '<' | '>' | '~' | '\u{2212}' => 0.73,
        '\0'..='\u{7f}' => 0.61,
        '\u{80}'..='\u{10ff}' => 0.76,
        '\u{1f000}'.. => 1.4,
        '\u{1100}'.. => 1.05,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_to_what_fits() {
        assert_eq!(fitted("house", TEXT, 100.0), "house");
        for name in ["a rather long name of a column", "漢字漢字漢字漢字漢字漢字漢字", "🐭🐭🐭🐭🐭🐭🐭🐭🐭🐭"]
        {
            let cut = fitted(name, TEXT, 80.0);
            assert!(cut.ends_with('…') && width(&cut, TEXT) <= 80.0 && cut.chars().count() > 3, "{cut}");
        }
        assert_eq!(fitted("house", TEXT, 0.0), "…");
    }
}
