//! Formats numbers for people, in the program, on its pages and in Python. JSON and tables for other
//! programs keep the numbers.

/// The smallest p-value that is printed. Smaller ones are only said to be below it.
const LEAST_P: f64 = 1e-4;

/// Formats a p-value: "0.73", "0.012", "0.0003", "< 0.0001"; a dash if it is NaN. Digits that decide
/// nothing are left out.
pub fn p_value(p: f64) -> String {
    match p {
        _ if p.is_nan() => "–".into(),
        _ if p < LEAST_P => format!("< {LEAST_P}"),
        _ if p < 0.001 => format!("{p:.4}"),
        _ if p < 0.1 => format!("{p:.3}"),
        _ => format!("{p:.2}"),
    }
}

/// Formats a p-value after its symbol: "p = 0.73", "p < 0.0001".
pub fn p_equals(p: f64) -> String {
    let text = p_value(p);
    if text.starts_with('<') { format!("p {text}") } else { format!("p = {text}") }
}

/// Writes 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a number with its noun: "1 row", "2,000 rows".
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_have_the_digits_that_decide() {
        let shown = [0.0, 7e-5, 1e-4, 3.4e-4, 0.001, 0.0496, 0.728, 1.0, f64::NAN].map(p_value);
        assert_eq!(
            shown,
            ["< 0.0001", "< 0.0001", "0.0001", "0.0003", "0.001", "0.050", "0.73", "1.00", "–"]
        );
        assert_eq!([p_equals(1e-9), p_equals(0.728)], ["p < 0.0001", "p = 0.73"]);
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!([0, 12, 999, 1000, 1_234_567].map(grouped), ["0", "12", "999", "1,000", "1,234,567"]);
    }
}
