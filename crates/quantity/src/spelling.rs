//! The grammar of unit expressions: reading `kg·m²/s`, `kilogram * meter ** 2 / second` and the
//! like, and printing them in one compact form.

use crate::QuantityError;
use crate::error::Cause;

/// One factor of a unit expression: a name and its exponent in halves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Atom {
    pub name: String,
    pub halves: i8,
}

/// Reads a unit expression into its factors, in the order in which they were written.
pub(crate) fn read(text: &str) -> Result<Vec<Atom>, QuantityError> {
    let mut reader = Reader { text, rest: text.trim() };
    let mut atoms = Vec::new();
    if !reader.rest.is_empty() {
        reader.product(1, &mut atoms, 0)?;
        if !reader.rest.is_empty() {
            return Err(reader.refuse("a `)` closes nothing"));
        }
    }
    Ok(atoms)
}

/// Prints factors in pint's compact form: `·` between factors, one `/` for each divisor.
pub(crate) fn print(atoms: &[Atom]) -> String {
    let mut text = String::new();
    for atom in atoms.iter().filter(|atom| atom.halves > 0) {
        if !text.is_empty() {
            text.push('·');
        }
        text.push_str(&atom.name);
        text.push_str(&superscript(atom.halves));
    }
    for atom in atoms.iter().filter(|atom| atom.halves < 0) {
        if text.is_empty() {
            text.push('1');
        }
        text.push('/');
        text.push_str(&atom.name);
        text.push_str(&superscript(-atom.halves));
    }
    text
}

const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// An exponent in halves as raised digits; nothing for the first power.
pub(crate) fn superscript(halves: i8) -> String {
    if halves == 2 {
        return String::new();
    }
    let digits =
        if halves % 2 == 0 { format!("{}", halves / 2) } else { format!("{}", f32::from(halves) / 2.0) };
    digits
        .chars()
        .map(|character| match character {
            '-' => '⁻',
            '.' => '⋅',
            digit => digit.to_digit(10).map_or(digit, |digit| SUPERSCRIPTS[digit as usize]),
        })
        .collect()
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

/// Deeper nesting than this is not a unit.
const DEEPEST: u8 = 8;

impl<'a> Reader<'a> {
    /// A product of factors up to the end or a closing parenthesis.
    fn product(&mut self, sign: i8, atoms: &mut Vec<Atom>, depth: u8) -> Result<(), QuantityError> {
        if depth > DEEPEST {
            return Err(self.refuse("it is nested too deeply"));
        }
        let mut next = sign;
        loop {
            self.skip_space();
            if let Some(rest) = self.rest.strip_prefix('(') {
                self.rest = rest;
                self.product(next, atoms, depth + 1)?;
                self.rest = self.rest.strip_prefix(')').ok_or_else(|| self.refuse("a `(` is not closed"))?;
            } else {
                self.factor(next, atoms)?;
            }
            self.skip_space();
            if self.rest.is_empty() || self.rest.starts_with(')') {
                return Ok(());
            }
            next = sign * self.operator();
        }
    }

    fn factor(&mut self, sign: i8, atoms: &mut Vec<Atom>) -> Result<(), QuantityError> {
        // The `1` of `1/s`; no other number belongs into a unit.
        if let Some(rest) = self.rest.strip_prefix('1')
            && !rest.starts_with(|next: char| next.is_alphanumeric() || next == '.')
        {
            self.rest = rest;
            return Ok(());
        }
        let name = self.name()?;
        let halves = self.exponent()?.unwrap_or(2);
        atoms.push(Atom { name: name.to_string(), halves: sign * halves });
        Ok(())
    }

    fn name(&mut self) -> Result<&'a str, QuantityError> {
        let ends = |next: char| next.is_whitespace() || "*·⋅×/^()".contains(next) || is_superscript(next);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(self.refuse("a unit's name is missing"));
        }
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(self.refuse("a number stands where a unit is needed"));
        }
        self.rest = rest;
        Ok(name)
    }

    /// An exponent behind `**` or `^`, or in raised digits, in halves.
    fn exponent(&mut self) -> Result<Option<i8>, QuantityError> {
        let before = self.rest;
        let after = self.rest.trim_start();
        let digits: String;
        if let Some(rest) = after.strip_prefix("**").or_else(|| after.strip_prefix('^')) {
            let rest = rest.trim_start();
            let end = rest.find(|next: char| !(next.is_ascii_digit() || "-.".contains(next)));
            let (number, rest) = rest.split_at(end.unwrap_or(rest.len()));
            (digits, self.rest) = (number.to_string(), rest);
        } else {
            let end = before.find(|next| !is_superscript(next)).unwrap_or(before.len());
            let (raised, rest) = before.split_at(end);
            if raised.is_empty() || raised.starts_with('⋅') {
                return Ok(None);
            }
            (digits, self.rest) = (raised.chars().map(lower).collect(), rest);
        }
        let doubled = digits.parse::<f64>().map(|exponent| exponent * 2.0);
        match doubled {
            Ok(halves) if halves.fract() == 0.0 && halves.abs() <= 60.0 && halves != 0.0 => {
                Ok(Some(halves as i8))
            }
            _ => Err(self.refuse("an exponent is a whole or half number")),
        }
    }

    /// The sign of the next factor: a quotient, or a product by sign or by juxtaposition.
    fn operator(&mut self) -> i8 {
        if let Some(rest) = self.rest.strip_prefix('/') {
            self.rest = rest;
            return -1;
        }
        if let Some(rest) = self.rest.strip_prefix("per ") {
            self.rest = rest;
            return -1;
        }
        self.rest = self.rest.strip_prefix(['*', '·', '⋅', '×']).unwrap_or(self.rest);
        1
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn refuse(&self, why: &'static str) -> QuantityError {
        Cause::Malformed { unit: self.text.to_string(), why }.into()
    }
}

fn is_superscript(character: char) -> bool {
    character == '⁻' || SUPERSCRIPTS.contains(&character) || character == '⋅'
}

fn lower(raised: char) -> char {
    match raised {
        '⁻' => '-',
        '⋅' => '.',
        digit => SUPERSCRIPTS
            .iter()
            .position(|superscript| *superscript == digit)
            .and_then(|digit| char::from_digit(digit as u32, 10))
            .unwrap_or(digit),
    }
}
