//! Numbers that no processor knows: half precision, and decimals.

/// A number of half precision: one bit of sign, five of exponent, ten of fraction.
pub(crate) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        // Numbers below 2⁻¹⁴ have no leading one.
        0 => fraction / 1024.0 * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    sign * size
}

/// The double that is nearest to `digits` with this many of them behind the point.
pub(crate) fn decimal(digits: i128, scale: i32) -> f64 {
    // Both parts are exact up to here, so that one division rounds once.
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
    fn half_precision_is_exact() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x3555, 0.333251953125),
            (0x0001, 5.960464477539063e-8),
            (0x0400, 6.103515625e-5),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half(bits), expected, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan());
    }

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
