//! Formats texts and numbers for pages and pictures.

/// Cuts a text to `most` characters, on one line. A longer text ends in an ellipsis, and a blank text is
/// quoted. Characters that would turn the direction of the text around it are replaced.
pub fn shortened(text: &str, most: usize) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let clean = |c: char| if is_odd(c) { '\u{fffd}' } else { c };
    let kept: String = text.chars().take(most).map(clean).collect();
    match text.chars().nth(most) {
        Some(_) => kept + "…",
        None if kept.trim().is_empty() => format!("“{kept}”"),
        None => kept,
    }
}

/// A number with a fixed number of digits; a dash if it is not finite. A number that rounds to 0 has no
/// sign.
pub fn decimal(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let text = format!("{value:.digits$}");
    let is_zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    text.replace('-', if is_zero { "" } else { "\u{2212}" })
}

/// A correlation with three digits, or with more if a correlation below 1 would be shown as 1.
pub fn correlation(value: f64) -> String {
    let is_1 = |text: &String| text.starts_with("1.");
    let exact = (3..=6).map(|digits| decimal(value, digits)).find(|text| !is_1(text));
    exact.unwrap_or_else(|| decimal(value, 3))
}

/// A small share, such as 3.1e−5.
pub fn small(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        decimal(value, 0)
    } else {
        format!("{value:.1e}").replace('-', "\u{2212}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_cleaned() {
        assert_eq!(shortened("abcdef", 3), "abc…");
        assert_eq!(shortened("ab\u{1b}\n", 60), "ab\u{fffd}\u{fffd}");
        assert_eq!(shortened("a\u{202e}b\u{2066}c", 60), "a\u{fffd}b\u{fffd}c");
        assert_eq!(shortened("👩\u{200d}🔬", 60), "👩\u{200d}🔬");
        assert_eq!([shortened("", 5), shortened(" ", 5), shortened("é", 1)], ["“”", "“ ”", "é"]);
    }

    #[test]
    fn a_correlation_below_1_is_not_shown_as_1() {
        let shown = [0.82, 0.9996, 0.999_96, 1.0, 1.0 - 1e-9, -0.2].map(correlation);
        assert_eq!(shown, ["0.820", "0.9996", "0.99996", "1.000", "1.000", "−0.200"]);
    }

    #[test]
    fn numbers_have_a_true_minus_and_odd_ones_a_dash() {
        assert_eq!(
            [decimal(-0.5, 2), decimal(f64::NAN, 2), small(3.14e-5), small(0.0)],
            ["−0.50", "–", "3.1e−5", "0"]
        );
        assert_eq!([decimal(-0.001, 2), decimal(-0.0, 0), decimal(-0.006, 2)], ["0.00", "0", "−0.01"]);
    }
}
