//! Words and numbers of a line.

/// The words of a line.
pub(crate) fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty())
}

/// Parses a number without a sign.
pub(crate) fn index(token: &[u8]) -> Option<u64> {
    if token.is_empty() {
        return None;
    }
    token.iter().try_fold(0u64, |number, byte| match byte {
        b'0'..=b'9' => number.checked_mul(10)?.checked_add((byte - b'0').into()),
        _ => None,
    })
}

/// Parses a real number, finite or not.
pub(crate) fn real(token: &[u8]) -> Option<f64> {
    match token {
        [digit @ b'0'..=b'9'] => Some((digit - b'0').into()),
        _ => std::str::from_utf8(token).ok()?.parse().ok(),
    }
}

/// Quotes a word in a message: short, and on one line with any contents.
pub(crate) fn quoted(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&token[..token.len().min(LONGEST)]).into_owned();
    let dots = if token.len() > LONGEST { "…" } else { "" };
    format!("{text:?}{dots}")
}
