//! Reads back the arithmetic that explanations print.

use mlsysim::Value;

/// Reads `a × (b + c) / d - max(e, f)` with numbers in place of letters.
pub struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// The value of `text`, if it is nothing but arithmetic.
    pub fn value(text: &str) -> Option<f64> {
        let mut reader = Reader { rest: text };
        let value = reader.sum()?;
        reader.rest.trim().is_empty().then_some(value)
    }

    fn takes(&mut self, text: &str) -> bool {
        let after = self.rest.trim_start().strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.takes("+") {
                value += self.product()?;
            } else if self.takes("-") || self.takes("−") {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor()?;
        loop {
            if self.takes("×") || self.takes("·") {
                value *= self.factor()?;
            } else if self.takes("/") {
                value /= self.factor()?;
            } else {
                return Some(value);
            }
        }
    }

    fn factor(&mut self) -> Option<f64> {
        for (name, best) in [("max(", f64::max as fn(f64, f64) -> f64), ("min(", f64::min)] {
            if self.takes(name) {
                let first = self.sum()?;
                let second = self.takes(",").then(|| self.sum())??;
                return self.takes(")").then_some(best(first, second));
            }
        }
        let of_one = [("floor(", f64::floor as fn(f64) -> f64), ("ceil(", f64::ceil), ("sqrt(", f64::sqrt)];
        for (name, function) in of_one {
            if self.takes(name) {
                let value = self.sum()?;
                return self.takes(")").then_some(function(value));
            }
        }
        // The unit in which arithmetic is counted.
        if self.takes("FLOP") {
            return Some(1.0);
        }
        if self.takes("(") {
            let value = self.sum()?;
            return self.takes(")").then_some(value);
        }
        let rest = self.rest.trim_start();
        let is_number = |(at, letter): &(usize, char)| {
            letter.is_ascii_digit()
                || "._".contains(*letter)
                || *letter == 'e' && *at > 0
                || *letter == '-' && rest[..*at].ends_with('e')
        };
        let length = rest.char_indices().take_while(is_number).count();
        let number = rest[..length].parse().ok()?;
        self.rest = &rest[length..];
        Some(number)
    }
}

/// The number that a value is, in its own unit.
pub fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(whole) => *whole as f64,
        Value::Number(number) => *number,
        Value::Quantity(quantity) => quantity.value(),
        other => panic!("{other} is no number"),
    }
}
