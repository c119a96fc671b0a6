//! Numbers for people: counts with their thousands apart, quantities with a prefix.

use mlsysim::Value;
use mlsysim::quantity::format_brief;

/// The prefixes of a unit, each a thousand times the one before.
const PREFIXES: [&str; 9] = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];

/// A count with commas between its thousands: `70,553,706,496`.
pub fn grouped(count: i64) -> String {
    let digits = count.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if count < 0 { format!("-{text}") } else { text }
}

/// A count of things by their name: `1 sequence`, `4,096 tokens`.
pub fn counted(count: u64, name: &str) -> String {
    let number = i64::try_from(count).map_or_else(|_| count.to_string(), grouped);
    if count == 1 { format!("1 {name}") } else { format!("{number} {name}s") }
}

/// An amount to six digits, with the prefix that makes it 1 to 1000: `4.15205 PFLOP`.
pub fn prefixed(amount: f64, unit: &str) -> String {
    // Six digits may round up to the next prefix: 999999.9 is 1 M.
    let mut rounded: f64 = format!("{amount:.5e}").parse().unwrap_or(amount);
    let mut prefix = 0;
    while rounded.abs() >= 1000.0 && prefix + 1 < PREFIXES.len() {
        rounded /= 1000.0;
        prefix += 1;
    }
    if rounded == 0.0 {
        return "0".to_string();
    }
    format!("{} {}{unit}", format_brief(rounded), PREFIXES[prefix])
}

/// A value of a table: a count in full, a quantity to six digits.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Integer(count) => grouped(*count),
        Value::Number(number) => format_brief(*number),
        // A prefix needs a name to stand before: `TFLOP`, as in the vocabulary of units.
        Value::Quantity(quantity) => {
            prefixed(quantity.value(), &quantity.unit().text().replace("flop", "FLOP"))
        }
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_string(),
        other => other.to_string(),
    }
}

/// Whether a value is a count or an amount of nothing.
pub fn is_zero(value: &Value) -> bool {
    match value {
        Value::Integer(count) => *count == 0,
        Value::Number(number) => *number == 0.0,
        Value::Quantity(quantity) => quantity.value() == 0.0,
        _ => false,
    }
}

/// The number of a value, whole for programs.
pub fn exact(value: &Value) -> String {
    match value {
        Value::Quantity(quantity) => mlsysim::quantity::format_number(quantity.value()),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (70_553_706_496, "70,553,706,496"),
            (-123_456, "-123,456"),
            (i64::MIN, "-9,223,372,036,854,775,808"),
        ] {
            assert_eq!(grouped(count), text);
        }
    }

    #[test]
    fn prefixes_follow_the_rounded_number() {
        for (amount, text) in [
            (0.0, "0"),
            (0.5, "0.5 B"),
            (999.0, "999 B"),
            (1000.0, "1 kB"),
            (67_108_864.0, "67.1089 MB"),
            (999_999.9, "1 MB"),
            (999_999.4, "999.999 kB"),
            (1e30, "1000000 YB"),
        ] {
            assert_eq!(prefixed(amount, "B"), text);
        }
    }
}
