//! `dimensions!`: the table of named dimensions, closed under multiplication and division.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Ident, LitInt, LitStr, Result, Token};

/// Exponents over the base dimensions, in the order in which the bases were declared.
type Exponents = Vec<i8>;

pub fn expand(input: TokenStream) -> Result<TokenStream> {
    let table: Table = syn::parse2(input)?;
    let rows = resolve(&table)?;
    let markers = rows.iter().map(marker);
    let aliases = rows.iter().map(alias);
    let operators = operators(&rows);
    let names = rows.iter().map(|row| &row.name);
    let count = rows.len();
    Ok(quote! {
        /// The zero-sized markers of the named dimensions, one a row of the table.
        pub mod dimension {
            use super::*;
            #(#markers)*
            #(#operators)*
            /// Every named dimension, in the order of the table.
            pub const ALL: [crate::NamedDimension; #count] = [
                #(crate::NamedDimension::of::<#names>()),*
            ];
        }
        #(#aliases)*
    })
}

/// One row: a name, its derivations, its coherent unit and what it means.
struct Row {
    name: Ident,
    derivations: Vec<Derivation>,
    unit: LitStr,
    meaning: LitStr,
}

/// `base`, or factors with exponents: `Bytes / Time` is `[(Bytes, 1), (Time, -1)]`.
enum Derivation {
    Base,
    Factors(Vec<(Option<Ident>, i8)>),
}

struct Table(Vec<Row>);

struct Resolved<'a> {
    name: &'a Ident,
    unit: &'a LitStr,
    meaning: &'a LitStr,
    exponents: Exponents,
}

impl Parse for Table {
    fn parse(input: ParseStream) -> Result<Self> {
        let rows = Punctuated::<Row, Token![;]>::parse_terminated(input)?;
        Ok(Table(rows.into_iter().collect()))
    }
}

impl Parse for Row {
    fn parse(input: ParseStream) -> Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let mut derivations = vec![input.parse()?];
        while input.peek(Token![|]) {
            input.parse::<Token![|]>()?;
            derivations.push(input.parse()?);
        }
        input.parse::<Token![,]>()?;
        let unit = input.parse()?;
        input.parse::<Token![,]>()?;
        let meaning = input.parse()?;
        Ok(Row { name, derivations, unit, meaning })
    }
}

impl Parse for Derivation {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut factors = Vec::new();
        let mut sign = 1;
        loop {
            if input.peek(LitInt) {
                let one: LitInt = input.parse()?;
                if one.base10_digits() != "1" {
                    return Err(Error::new(one.span(), "only `1` may stand here, as in `1 / Time`"));
                }
                factors.push((None, sign));
            } else {
                let name: Ident = input.parse()?;
                if name == "base" {
                    return Ok(Derivation::Base);
                }
                factors.push((Some(name), sign));
            }
            if input.peek(Token![*]) {
                input.parse::<Token![*]>()?;
                sign = 1;
            } else if input.peek(Token![/]) {
                input.parse::<Token![/]>()?;
                sign = -1;
            } else {
                return Ok(Derivation::Factors(factors));
            }
        }
    }
}

fn resolve(table: &Table) -> Result<Vec<Resolved<'_>>> {
    let is_base = |row: &&Row| matches!(row.derivations[0], Derivation::Base);
    let bases = table.0.iter().filter(is_base).count();
    let mut base = 0;
    let mut rows: Vec<Resolved> = Vec::new();
    for row in &table.0 {
        let mut found: Option<Exponents> = None;
        for derivation in &row.derivations {
            let exponents = match derivation {
                Derivation::Base => {
                    let mut exponents = vec![0; bases];
                    exponents[base] = 1;
                    base += 1;
                    exponents
                }
                Derivation::Factors(factors) => combine(factors, &rows, bases)?,
            };
            match &found {
                Some(first) if *first != exponents => {
                    let message = format!("the derivations of `{}` contradict each other", row.name);
                    return Err(Error::new(row.name.span(), message));
                }
                _ => found = Some(exponents),
            }
        }
        let exponents = found.unwrap_or_default();
        if let Some(twin) = rows.iter().find(|other| other.exponents == exponents) {
            let message = format!("`{}` is the same dimension as `{}`", row.name, twin.name);
            return Err(Error::new(row.name.span(), message));
        }
        rows.push(Resolved { name: &row.name, unit: &row.unit, meaning: &row.meaning, exponents });
    }
    Ok(rows)
}

fn combine(factors: &[(Option<Ident>, i8)], rows: &[Resolved], bases: usize) -> Result<Exponents> {
    let mut sum = vec![0; bases];
    for (name, sign) in factors {
        let Some(name) = name else { continue };
        let Some(row) = rows.iter().find(|row| row.name == name) else {
            return Err(Error::new(name.span(), format!("`{name}` is not a row above this one")));
        };
        for (total, exponent) in sum.iter_mut().zip(&row.exponents) {
            *total += sign * exponent;
        }
    }
    Ok(sum)
}

fn marker(row: &Resolved) -> TokenStream {
    let Resolved { name, unit, meaning, exponents } = row;
    let text = name.to_string();
    let doc = format!("Marks a quantity as {} ({}).", meaning.value(), unit.value());
    quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct #name;
        impl crate::Dimension for #name {
            const NAME: &'static str = #text;
            const UNIT: &'static str = #unit;
            const MEANING: &'static str = #meaning;
            const EXPONENTS: crate::Exponents = crate::Exponents::whole([#(#exponents),*]);
        }
    }
}

fn alias(row: &Resolved) -> TokenStream {
    let name = row.name;
    let meaning = row.meaning.value();
    let mut letters = meaning.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let doc = format!("{capital}{}, in {}.", letters.as_str(), row.unit.value());
    quote! {
        #[doc = #doc]
        pub type #name = crate::Quantity<dimension::#name>;
    }
}

/// The products and quotients of all pairs that stay inside the table or become plain numbers.
fn operators(rows: &[Resolved]) -> Vec<TokenStream> {
    let mut emitted = Vec::new();
    for left in rows {
        for right in rows {
            for (operator, sign) in [("Times", 1), ("Per", -1)] {
                let outcome: Exponents =
                    left.exponents.iter().zip(&right.exponents).map(|(a, b)| a + sign * b).collect();
                let output = if outcome.iter().all(|exponent| *exponent == 0) {
                    quote!(f64)
                } else if let Some(row) = rows.iter().find(|row| row.exponents == outcome) {
                    let name = row.name;
                    quote!(crate::Quantity<#name>)
                } else {
                    continue;
                };
                let operator = format_ident!("{operator}");
                let (left, right) = (left.name, right.name);
                emitted.push(quote! {
                    impl crate::#operator<#right> for #left { type Output = #output; }
                });
            }
        }
    }
    for row in rows {
        let inverse: Exponents = row.exponents.iter().map(|exponent| -exponent).collect();
        if let Some(other) = rows.iter().find(|other| other.exponents == inverse) {
            let (name, other) = (row.name, other.name);
            emitted.push(quote! { impl crate::Inverse for #name { type Output = #other; } });
        }
    }
    emitted
}
