//! Makes any text safe to print, because names, paths and messages come from files and from other people.
//!
//! A terminal obeys control characters, and Unicode has characters that reverse the order of those after
//! them or take no room. These are written as escapes. A text that is too long is cut.

use std::path::Path;

/// The text in one line of at most `longest` characters, and `…` if it was longer. Control characters, line
/// ends and characters that change the direction of text or are invisible become escapes such as `\n` and
/// `\u{1b}`.
pub fn legible(text: &str, longest: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(longest));
    let mut characters = text.chars();
    for c in characters.by_ref().take(longest) {
        if is_treacherous(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// A path as [`legible`] text. The longest path that systems open is shown whole.
pub fn legible_path(path: &Path) -> String {
    const LONGEST: usize = 4096;
    legible(&path.to_string_lossy(), LONGEST)
}

/// Whether a character has an effect other than being shown.
fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Soft hyphen, Arabic letter mark, zero widths and marks of direction.
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            // Separators of lines and paragraphs, embeddings and overrides of direction.
            | '\u{2028}'..='\u{202e}'
            // Invisible operators, isolates, the mark at the beginning of a file, tags.
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(legible("a\u{1b}[31mred\u{7}\r\nb\u{9b}2J", 99), "a\\u{1b}[31mred\\u{7}\\r\\nb\\u{9b}2J");
        assert_eq!(
            legible("gene\u{202e}txt.exe\u{2028}\u{200b}", 99),
            "gene\\u{202e}txt.exe\\u{2028}\\u{200b}"
        );
        assert_eq!(legible("naïve 東京 \"quoted\" \\", 99), "naïve 東京 \"quoted\" \\");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(legible("abcd", 4), "abcd");
        assert_eq!(legible("abcde", 4), "abcd…");
        assert_eq!(legible(&"é".repeat(5000), 30).chars().count(), 31);
    }
}
