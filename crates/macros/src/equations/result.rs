//! What a solver returns: the type of its result, and `solve`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Result, Type};

use super::Equation;

/// The result's type and `solve`, from the outputs of a solver.
pub(super) fn solve(result: &Ident, this: &Type, equations: &[Equation]) -> Result<TokenStream> {
    let outputs: Vec<&Equation> =
        equations.iter().filter(|equation| !equation.step && equation.arguments.is_empty()).collect();
    let fields = outputs.iter().map(|equation| {
        let Equation { name, doc, unit, .. } = equation;
        let (kind, _) = unwrapped(&equation.returned);
        let unit = (!unit.is_empty()).then(|| quote!(#[unit(#unit)]));
        quote! {
            #[doc = #doc]
            #[range(any)]
            #unit
            pub #name: #kind
        }
    });
    let fallible = outputs.iter().any(|equation| unwrapped(&equation.returned).1);
    let values = outputs.iter().map(|equation| {
        let name = &equation.name;
        let question = unwrapped(&equation.returned).1.then(|| quote!(?));
        quote!(#name: self.#name()#question)
    });
    let solver = quote!(#this).to_string();
    let doc = format!("What [`{solver}`] finds.");
    let (returned, value) = if fallible {
        (quote!(::mlsysim_scenario::Result<#result>), quote!(Ok(#result { #(#values),* })))
    } else {
        (quote!(#result), quote!(#result { #(#values),* }))
    };
    let errors = fallible.then(|| {
        quote! {
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = "An output that does not exist for these inputs."]
        }
    });
    Ok(quote! {
        #[doc = #doc]
        #[derive(Clone, Debug, PartialEq, ::mlsysim_scenario::Record)]
        #[record(result)]
        pub struct #result { #(#fields),* }

        impl #this {
            /// Evaluates every output.
            #errors
            pub fn solve(&self) -> #returned {
                #value
            }
        }
    })
}

/// The type inside a `Result`, and whether there was one.
fn unwrapped(returned: &Type) -> (Type, bool) {
    if let Type::Path(path) = returned
        && let Some(last) = path.path.segments.last()
        && last.ident == "Result"
        && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
    {
        return (inner.clone(), true);
    }
    (returned.clone(), false)
}
