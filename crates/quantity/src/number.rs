//! Numbers in text: reading them off the front, and printing them without loss.

use std::fmt::Write;

/// Splits a number off the front of `text`: `"3.35 TB/s"` gives `(3.35, " TB/s")`.
///
/// Digits may be grouped with `_`. Returns nothing where no number stands at the front.
pub(crate) fn split_number(text: &str) -> Option<(f64, &str)> {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'_') {
            at += 1;
        }
        at
    };
    let start = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut end = digits(start);
    let mut mantissa = end - start;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        mantissa += fraction - (end + 1);
        end = fraction;
    }
    if mantissa == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    let (number, rest) = text.split_at(end);
    let parsed = if number.contains('_') { number.replace('_', "").parse() } else { number.parse() };
    parsed.ok().map(|value| (value, rest))
}

/// Prints a number as briefly as a reader can take it without losing a bit.
///
/// Numbers up to a billion are written out, very large and very small ones with an
/// exponent.
///
/// ```
/// use mlsysim_quantity::format_number;
///
/// assert_eq!(format_number(348.0), "348");
/// assert_eq!(format_number(6.896551724137931), "6.896551724137931");
/// assert_eq!(format_number(1.75e11), "1.75e11");
/// assert_eq!(format_number(1e-7), "1e-7");
/// ```
pub fn format_number(value: f64) -> String {
    let mut text = String::new();
    let size = value.abs();
    // Writing to a String cannot fail.
    let _ = if value == 0.0 || (1e-5..1e9).contains(&size) || !value.is_finite() {
        write!(text, "{value}")
    } else {
        write!(text, "{value:e}")
    };
    text
}

/// Prints a number for people: a whole one in full, any other to six significant digits.
///
/// ```
/// use mlsysim_quantity::format_brief;
///
/// assert_eq!(format_brief(6.896551724137931), "6.89655");
/// assert_eq!(format_brief(176160768.0), "176160768");
/// assert_eq!(format_brief(7466666666666.667), "7.46667e12");
/// ```
pub fn format_brief(value: f64) -> String {
    if value.fract() == 0.0 {
        return format_number(value);
    }
    format_number(format!("{value:.5e}").parse().unwrap_or(value))
}
