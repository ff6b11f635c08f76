//! Decimals, which processors have no type for.

/// The double that is nearest to `digits` with the last `scale` of them behind the point.
pub(crate) fn decimal(digits: i128, scale: i32) -> f64 {
    // Up to here both parts are exact, so that one division rounds once.
    const EXACT_POWER: i32 = 22;
    const EXACT_DIGITS: u128 = 1 << f64::MANTISSA_DIGITS;
    if digits.unsigned_abs() <= EXACT_DIGITS && (0..=EXACT_POWER).contains(&scale) {
        return digits as f64 / 10f64.powi(scale);
    }
    format!("{digits}e{}", -i64::from(scale)).parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_the_nearest_doubles() {
        for (digits, scale, expected) in [
            (0, 0, 0.0),
            (-105, 1, -10.5),
            (1, 22, 1e-22),
            (123, -3, 123_000.0),
            (9_007_199_254_740_993, 1, 900_719_925_474_099.3),
            (99_999_999_999_999_999_999_999_999_999_999_999_999, 38, 1.0),
            (-12_345_678_901_234_567_890, 10, -1_234_567_890.123_456_8),
            (3, 400, 0.0),
        ] {
            assert_eq!(decimal(digits, scale), expected, "{digits} {scale}");
        }
    }
}
