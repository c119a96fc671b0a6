//! The examples of a page: its first named case in Python, in a shell and in Rust.
//!
//! The numbers are computed here; that the three languages find them too is for the tests to see.

use mlsysim::{Case, Description, DynQuantity, Item, Map, Name, Value, library};
use mlsysim_scenario::{Family, Output, Type};

use crate::Result;

/// How many outputs an example shows.
const SHOWN: usize = 8;

/// The examples of a scenario that has a named case, else nothing.
///
/// # Errors
///
/// The named case cannot be built.
pub fn text(description: &Description) -> Result<String> {
    let Family::Scenario(group) = description.family else { return Ok(String::new()) };
    let Some(case) = first_case(description)? else { return Ok(String::new()) };
    let name = case.name.clone().unwrap_or_default();
    let kind = description.name;
    let (mut python, mut rust) = (String::new(), String::new());
    for shown in shown(&case).into_iter().take(SHOWN) {
        python.push_str(&shown.python);
        rust.push_str(&shown.rust);
    }
    let about = if case.title.is_empty() { "" } else { &format!("{}: ", case.title) };
    Ok(format!(
        "{about}the named case `{name}`. Its inputs are {source}.

In Python:

```python
>>> from mlsysim import Scenarios
>>> case = Scenarios.{name}
{python}
```

In a shell:

```console
$ mlsysim run {name}
```

In Rust:

```rust
use mlsysim::scenarios::{group}::{kind};

let case: {kind} = mlsysim::named(\"{name}\")?;
{rust}# Ok::<(), mlsysim::Error>(())
```",
        source = case.source.as_deref().unwrap_or("given in its file"),
    ))
}

/// The first named case of the type.
fn first_case(description: &Description) -> Result<Option<Case>> {
    for (_, name) in library().case_names() {
        let case = library().case(name)?;
        if std::ptr::eq(case.item().description(), description) {
            return Ok(Some(case));
        }
    }
    Ok(None)
}

/// One output as a line of each language.
struct Shown {
    python: String,
    rust: String,
}

/// The outputs of a case that an example can show.
fn shown(case: &Case) -> Vec<Shown> {
    let mut lines = Vec::new();
    for (index, output) in case.item().description().results() {
        let Some(call) = Call::new(&**case.item(), output) else { continue };
        let Ok(value) = case.item().output(index, &call.values) else { continue };
        let question = if output.fallible { "?" } else { "" };
        let python = format!("case.{}", call.python);
        let rust = format!("case.{}{question}{}", call.rust, present(&output.value));
        if let Value::Object(result) = &value {
            let kind = result.description().name;
            lines.push(Shown {
                python: format!(">>> type({python}).__name__\n'{kind}'\n"),
                rust: format!("let result = {rust};\n"),
            });
            for (index, field) in result.description().fields.iter().enumerate() {
                let value = result.item().field(index);
                let (python, rust) = (format!("{python}.{}", field.name), format!("result.{}", field.name));
                let rust = format!("{rust}{}", present(&field.value));
                let units = Units::of(field.unit, &field.value);
                lines.extend(lines_of(&value, &units, &python, &rust));
            }
            continue;
        }
        lines.extend(lines_of(&value, &Units::of(output.unit, &output.value), &python, &rust));
    }
    lines
}

/// What turns an optional value that is there into the value.
fn present(value: &Type) -> &'static str {
    if matches!(value, Type::Optional(_)) { ".unwrap_or_default()" } else { "" }
}

/// How a method without arguments, or of one key, is called in each language.
struct Call {
    values: Vec<Value>,
    python: String,
    rust: String,
}

impl Call {
    fn new(item: &dyn Item, output: &Output) -> Option<Call> {
        let name = output.name;
        match output.arguments {
            [] => {
                let python = if output.is_method() { format!("{name}()") } else { name.to_string() };
                Some(Call { values: Vec::new(), python, rust: format!("{name}()") })
            }
            [argument] => {
                let (index, _) = item.description().field(argument.keys?)?;
                let Value::Map(map) = item.field(index) else { return None };
                let (key, _) = map.get_index(0)?;
                let call = format!("{name}({key:?})");
                Some(Call { values: vec![Value::Text(key.clone())], python: call.clone(), rust: call })
            }
            _ => None,
        }
    }
}

/// The unit in which Python shows a quantity, and that in which a typed one prints itself.
struct Units {
    shown: &'static str,
    coherent: &'static str,
}

impl Units {
    fn of(stated: &'static str, value: &Type) -> Units {
        let coherent = value.coherent_unit();
        Units { shown: if stated.is_empty() { coherent } else { stated }, coherent }
    }
}

/// A value as an expression of Python with what it prints, and as an assertion of Rust.
fn lines_of(value: &Value, units: &Units, python: &str, rust: &str) -> Option<Shown> {
    match value {
        Value::Number(number) => {
            let digits = digits(*number);
            Some(Shown {
                python: format!(">>> round({python}, {digits})\n{}\n", rounded(*number, digits)),
                rust: asserted(rust, *number, digits, ""),
            })
        }
        Value::Integer(number) => Some(Shown {
            python: format!(">>> {python}\n{number}\n"),
            rust: format!("assert_eq!({rust}, {number});\n"),
        }),
        Value::Text(text) => Some(Shown {
            python: format!(">>> {python}\n'{text}'\n"),
            rust: format!("assert_eq!(&*{rust}, {text:?});\n"),
        }),
        Value::Quantity(quantity) => {
            let digits = digits(quantity.value());
            let (unit, printed) = (units.shown, rounded(quantity.value(), digits));
            Some(Shown {
                python: format!(">>> round({python}.to(\"{unit}\").magnitude, {digits})\n{printed}\n"),
                rust: asserted(rust, quantity.base(), self::digits(quantity.base()), units.coherent),
            })
        }
        Value::Map(map) => of_map(map, units, python, rust),
        _ => None,
    }
}

/// A map of quantities: all of it in Python, its first entry in Rust.
fn of_map(map: &Map<Value>, units: &Units, python: &str, rust: &str) -> Option<Shown> {
    let entries: Option<Vec<(&Name, &DynQuantity)>> = map
        .iter()
        .map(|(key, value)| match value {
            Value::Quantity(quantity) => Some((key, quantity)),
            _ => None,
        })
        .collect();
    let entries = entries?;
    let (key, first) = entries.first()?;
    let digits = entries.iter().map(|(_, quantity)| digits(quantity.value())).max()?;
    let printed: Vec<String> = entries
        .iter()
        .map(|(key, quantity)| format!("'{key}': {}", rounded(quantity.value(), digits)))
        .collect();
    let (base, unit) = (first.base(), units.shown);
    Some(Shown {
        python: format!(
            ">>> {{key: round(value.to(\"{unit}\").magnitude, {digits}) for key, value in {python}.items()}}\n{{{}}}\n",
            printed.join(", ")
        ),
        rust: asserted(&format!("{rust}[{key:?}]"), base, self::digits(base), units.coherent),
    })
}

fn asserted(rust: &str, base: f64, digits: usize, unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    format!("assert_eq!(format!(\"{{:.{digits}}}\", {rust}), \"{base:.digits$}{unit}\");\n")
}

/// How many decimals show at least six significant digits: six, more for small numbers and none
/// for those of a million and above.
fn digits(number: f64) -> usize {
    if number == 0.0 || !number.is_finite() {
        return 6;
    }
    // The decimal exponent of a finite number fits.
    let exponent = number.abs().log10().floor() as i32;
    if exponent >= 6 { 0 } else { usize::try_from(5 - exponent).unwrap_or(0).max(6) }
}

/// The number rounded, as Python prints it.
fn rounded(number: f64, digits: usize) -> String {
    let value: f64 = format!("{number:.digits$}").parse().unwrap_or(number);
    let size = value.abs();
    if value != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_python_prints_them() {
        for (number, digits, printed) in [
            (6.896551724, 6, "6.896552"),
            (348.0, 6, "348.0"),
            (0.0000123456789, 10, "1.23457e-05"),
            (7.4e18, 6, "7.4e+18"),
            (0.0, 6, "0.0"),
            (7247757312.0, 6, "7247757312.0"),
        ] {
            assert_eq!(rounded(number, digits), printed);
        }
    }

    #[test]
    fn six_digits_are_shown() {
        assert_eq!(digits(348.0), 6);
        assert_eq!(digits(0.3), 6);
        assert_eq!(digits(0.0000123), 10);
        assert_eq!(digits(176160768.0), 0);
    }
}
