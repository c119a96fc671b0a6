//! `#[formula]`: a pure function that describes itself, for equations to call.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, FnArg, ItemFn, Pat, Result, ReturnType};

use crate::argument::Argument;
use crate::attributes;
use crate::equations;
use crate::print::{self, Piece};

pub fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut function: ItemFn = syn::parse2(item)?;
    let name = function.sig.ident.clone();
    let text = name.to_string();
    let doc = attributes::required_documentation(&function.attrs, &name)?;
    let source = attributes::text(&function.attrs, "source")?;
    let unit = attributes::unit(&function.attrs)?;
    let words = attributes::text(&function.attrs, "words")?;
    let own = ["source", "unit", "words"];
    let kept = |attribute: &Attribute| !own.iter().any(|own| attribute.path().is_ident(own));
    function.attrs.retain(kept);
    if !source.is_empty() {
        // The source is a part of the documentation too, where a reader of the code looks for it.
        let line = format!("Source: {source}.");
        function.attrs.push(syn::parse_quote!(#[doc = ""]));
        function.attrs.push(syn::parse_quote!(#[doc = #line]));
    }
    let ReturnType::Type(_, returned) = &function.sig.output else {
        return Err(Error::new(name.span(), "a formula returns a value"));
    };
    let arguments = arguments(&function)?;
    let mut printed = if words.is_empty() { print::block(&function.block) } else { print::in_words(&words) };
    print::legible()?;
    for piece in &mut printed.pieces {
        if let Piece::Variable(variable) = piece
            && arguments.iter().any(|argument| argument.name == *variable)
        {
            *piece = Piece::Use(vec![variable.clone()]);
        }
    }
    let equation = equations::equation(&printed);
    let described = arguments.iter().map(Argument::describe);
    let read = arguments.iter().enumerate().map(|(position, argument)| {
        let (name, kind) = (&argument.name, argument.owned());
        quote!(let #name: #kind = FORMULA.output.argument(#position, arguments)?;)
    });
    let passed = arguments.iter().map(Argument::passed);
    let module_doc = format!("What [`{text}`]({text}()) says about itself.");
    Ok(quote! {
        #function

        #[doc = #module_doc]
        pub mod #name {
            #[allow(unused_imports)]
            use super::*;

            /// The formula, described.
            pub static FORMULA: ::mlsysim_scenario::Formula = ::mlsysim_scenario::Formula {
                output: ::mlsysim_scenario::Output {
                    name: #text,
                    doc: ::mlsysim_scenario::Doc(#doc),
                    value: <#returned as ::mlsysim_scenario::Produce>::PRODUCES,
                    fallible: <#returned as ::mlsysim_scenario::Produce>::FALLIBLE,
                    unit: #unit,
                    arguments: &[#(#described),*],
                    equation: #equation,
                    bindings: &[],
                    kind: ::mlsysim_scenario::Kind::Exact,
                    source: #source,
                    step: true,
                    called: false,
                    shown: ::mlsysim_scenario::LazyUnit::new(),
                },
                evaluate: |arguments| {
                    #(#read)*
                    ::mlsysim_scenario::Produce::produce(
                        super::#name(#(#passed),*),
                        FORMULA.output.shown_unit(),
                    )
                },
            };
        }
    })
}

fn arguments(function: &ItemFn) -> Result<Vec<Argument>> {
    let read = |input: &FnArg| {
        let FnArg::Typed(typed) = input else {
            return Err(Error::new_spanned(input, "a formula is a function, not a method"));
        };
        let Pat::Ident(pattern) = &*typed.pat else {
            return Err(Error::new_spanned(&typed.pat, "an argument of a formula has a name"));
        };
        Ok(Argument::plain(pattern.ident.clone(), (*typed.ty).clone()))
    };
    function.sig.inputs.iter().map(read).collect()
}
