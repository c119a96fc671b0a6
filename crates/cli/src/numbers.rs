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

/// A time to six digits, with the prefix that makes it 1 to 1000: `4.15205 ms`.
pub fn duration(seconds: f64) -> String {
    let units = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")];
    // Six digits may round up to the next unit.
    let rounded: f64 = format!("{seconds:.5e}").parse().unwrap_or(seconds);
    let found = units.iter().rev().find(|(size, _)| rounded >= *size).unwrap_or(&units[0]);
    if rounded == 0.0 { "0".to_string() } else { format!("{} {}", format_brief(rounded / found.0), found.1) }
}

/// Bytes in units of 2^30: `16.431 GiB`.
pub fn gibibytes(bytes: f64) -> String {
    format!("{:.3} GiB", bytes / 1_073_741_824.0)
}

/// A value of a table: a count in full, a quantity to six digits.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Integer(count) => grouped(*count),
        Value::Number(number) => format_brief(*number),
        Value::Quantity(quantity) if quantity.unit().text() == "s" => duration(quantity.value()),
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
    fn times_have_their_unit() {
        for (seconds, text) in [
            (0.0, "0"),
            (1.5e-10, "0.15 ns"),
            (9.999_999e-7, "1 µs"),
            (0.001_234_567, "1.23457 ms"),
            (61.0, "61 s"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn gibibytes_are_powers_of_two() {
        assert_eq!(gibibytes(80.0 * 1_073_741_824.0), "80.000 GiB");
        assert_eq!(gibibytes(-1e9), "-0.931 GiB");
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
