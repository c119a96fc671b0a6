//! An argument of an equation or a formula.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, FnArg, Ident, ImplItemFn, Pat, Result, Type};

use crate::attributes::{self, StatedRange};

/// An argument: its name and type, the input whose keys it takes, and its range.
pub struct Argument {
    pub name: Ident,
    kind: Type,
    keys: Option<String>,
    range: StatedRange,
}

impl Argument {
    /// An argument of any value.
    pub fn plain(name: Ident, kind: Type) -> Self {
        Argument { name, kind, keys: None, range: StatedRange::default() }
    }

    /// The argument as the function takes it.
    pub fn passed(&self) -> TokenStream {
        let name = &self.name;
        if matches!(self.kind, Type::Reference(_)) { quote!(&#name) } else { quote!(#name) }
    }

    /// The type that the value is read as: a name for `&str`, a list for a slice.
    pub fn owned(&self) -> TokenStream {
        match &self.kind {
            Type::Reference(reference) => match &*reference.elem {
                Type::Path(path) if path.path.is_ident("str") => quote!(::mlsysim_scenario::Name),
                Type::Slice(slice) => {
                    let element = &slice.elem;
                    quote!(::std::vec::Vec<#element>)
                }
                other => quote!(#other),
            },
            other => quote!(#other),
        }
    }

    pub fn describe(&self) -> TokenStream {
        let Argument { name, range, .. } = self;
        let (name, kind) = (name.to_string(), self.owned());
        let keys = match &self.keys {
            Some(keys) => quote!(::core::option::Option::Some(#keys)),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            ::mlsysim_scenario::Argument {
                field: ::mlsysim_scenario::Field {
                    name: #name,
                    doc: ::mlsysim_scenario::Doc(""),
                    value: <#kind as ::mlsysim_scenario::Datum>::TYPE,
                    unit: "",
                    range: #range,
                    default: ::core::option::Option::None,
                },
                keys: #keys,
            }
        }
    }
}

/// The arguments of a method, whose attributes are taken off them.
pub fn arguments(method: &mut ImplItemFn) -> Result<Vec<Argument>> {
    let mut arguments = Vec::new();
    for input in &mut method.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let Pat::Ident(pattern) = &*typed.pat else {
            return Err(Error::new_spanned(&typed.pat, "an argument of an equation has a name"));
        };
        let keys = match attributes::find(&typed.attrs, "keys") {
            Some(attribute) => Some(attribute.parse_args::<Ident>()?.to_string()),
            None => None,
        };
        let range = attributes::range(&typed.attrs)?.unwrap_or_default();
        let (name, kind) = (pattern.ident.clone(), (*typed.ty).clone());
        typed.attrs.clear();
        arguments.push(Argument { name, kind, keys, range });
    }
    Ok(arguments)
}
