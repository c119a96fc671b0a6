//! Reading the attributes that fields and methods carry.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitFloat, LitInt, LitStr, Meta, Result, Token};

/// The documentation comment, without the space that `///` leaves before each line.
pub fn documentation(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        if let Meta::NameValue(pair) = &attribute.meta
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value
        {
            let line = text.value();
            lines.push(line.strip_prefix(' ').unwrap_or(&line).to_string());
        }
    }
    lines.join("\n").trim().to_string()
}

/// The documentation comment, which must be there.
pub fn required_documentation(attributes: &[Attribute], name: &Ident) -> Result<String> {
    let text = documentation(attributes);
    if text.is_empty() {
        let message = format!("`{name}` needs a documentation comment: it is what every page says of it");
        return Err(Error::new(name.span(), message));
    }
    Ok(text)
}

/// The attribute called `name`, if it is there.
pub fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident(name))
}

/// The unit in `#[unit(GB/s)]` or `#[unit("m²")]`, empty where there is none.
pub fn unit(attributes: &[Attribute]) -> Result<String> {
    let Some(attribute) = find(attributes, "unit") else { return Ok(String::new()) };
    let tokens = attribute.meta.require_list()?.tokens.clone();
    if let Ok(text) = syn::parse2::<LitStr>(tokens.clone()) {
        return Ok(text.value());
    }
    Ok(tokens.into_iter().map(|token| token.to_string()).collect())
}

/// The text in `#[name("…")]`, empty where there is none.
pub fn text(attributes: &[Attribute], name: &str) -> Result<String> {
    match find(attributes, name) {
        Some(attribute) => Ok(attribute.parse_args::<LitStr>()?.value()),
        None => Ok(String::new()),
    }
}

/// A stated range: comparisons and the words `nonempty`, `infinite` and `any`.
#[derive(Default)]
pub struct StatedRange {
    lower: Option<(f64, bool)>,
    upper: Option<(f64, bool)>,
    nonempty: bool,
    infinite: bool,
}

impl StatedRange {
    /// At least zero, for records.
    pub fn not_negative() -> Self {
        StatedRange { lower: Some((0.0, true)), ..StatedRange::default() }
    }
}

/// The range in `#[range(…)]`, if it is there.
pub fn range(attributes: &[Attribute]) -> Result<Option<StatedRange>> {
    find(attributes, "range").map(Attribute::parse_args).transpose()
}

impl Parse for StatedRange {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut range = StatedRange::default();
        while !input.is_empty() {
            if input.peek(Ident) {
                let word: Ident = input.parse()?;
                match word.to_string().as_str() {
                    "any" => {}
                    "nonempty" => range.nonempty = true,
                    "infinite" => range.infinite = true,
                    _ => {
                        return Err(Error::new(
                            word.span(),
                            "expected a comparison, `nonempty`, `infinite` or `any`",
                        ));
                    }
                }
            } else {
                comparison(input, &mut range)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(range)
    }
}

fn comparison(input: ParseStream, range: &mut StatedRange) -> Result<()> {
    let (lower, inclusive) = if input.peek(Token![>=]) {
        input.parse::<Token![>=]>()?;
        (true, true)
    } else if input.peek(Token![<=]) {
        input.parse::<Token![<=]>()?;
        (false, true)
    } else if input.peek(Token![>]) {
        input.parse::<Token![>]>()?;
        (true, false)
    } else {
        input.parse::<Token![<]>()?;
        (false, false)
    };
    let negative = input.parse::<Option<Token![-]>>()?.is_some();
    let size: f64 = if input.peek(LitInt) {
        input.parse::<LitInt>()?.base10_parse()?
    } else {
        input.parse::<LitFloat>()?.base10_parse()?
    };
    let bound = Some((if negative { -size } else { size }, inclusive));
    if lower {
        range.lower = bound
    } else {
        range.upper = bound
    }
    Ok(())
}

impl ToTokens for StatedRange {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let bound = |bound: Option<(f64, bool)>| match bound {
            Some((at, inclusive)) => {
                quote!(::core::option::Option::Some(::mlsysim_scenario::Bound { at: #at, inclusive: #inclusive }))
            }
            None => quote!(::core::option::Option::None),
        };
        let (lower, upper) = (bound(self.lower), bound(self.upper));
        let StatedRange { nonempty, infinite, .. } = self;
        tokens.extend(quote! {
            ::mlsysim_scenario::Range {
                lower: #lower, upper: #upper, nonempty: #nonempty, infinite: #infinite,
            }
        });
    }
}
