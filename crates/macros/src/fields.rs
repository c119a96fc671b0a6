//! `#[derive(Scenario)]`, `#[derive(Solver)]` and `#[derive(Record)]`: structs whose fields are inputs.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Type};

use crate::attributes::{self, StatedRange};

#[derive(Clone, Copy, PartialEq)]
pub enum Family {
    Scenario,
    Solver,
    Record,
}

pub fn expand(input: TokenStream, family: Family) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let name = &input.ident;
    let doc = attributes::required_documentation(&input.attrs, name)?;
    let header = Header::read(&input, family)?;
    if family == Family::Scenario {
        require_sections(&doc, name)?;
    }
    let fields = read_fields(&input, family)?;

    let described = fields.iter().map(InputField::describe);
    let taken = fields.iter().enumerate().map(|(index, field)| {
        let name = &field.name;
        quote!(#name: inputs.take(#index)?)
    });
    let checked = fields.iter().enumerate().map(|(index, field)| {
        let (name, text) = (&field.name, field.name.to_string());
        quote! {
            ::mlsysim_scenario::Datum::check(&self.#name, &fields[#index])
                .map_err(|error| error.within(#text))?;
        }
    });
    let shown = fields.iter().enumerate().map(|(index, field)| {
        let name = &field.name;
        quote!(#index => ::mlsysim_scenario::Datum::to_value(&self.#name, &fields[#index].shown_unit()))
    });
    let (text, kind, aliases) = (name.to_string(), &header.kind, &header.aliases);
    let datum = header.is_result.then(|| result_datum(name));
    let no_equations = (!header.equations).then(|| no_equations(name));

    Ok(quote! {
        impl ::mlsysim_scenario::Define for #name {
            fn describe() -> &'static ::mlsysim_scenario::Description {
                static DESCRIPTION: ::mlsysim_scenario::Description = ::mlsysim_scenario::Description {
                    name: #text,
                    family: #kind,
                    aliases: &[#(#aliases),*],
                    doc: ::mlsysim_scenario::Doc(#doc),
                    fields: &[#(#described),*],
                    outputs: <#name as ::mlsysim_scenario::Equations>::outputs,
                    build: |inputs| {
                        let built = <#name as ::mlsysim_scenario::Define>::build(inputs)?;
                        Ok(::mlsysim_scenario::Object::new(::std::sync::Arc::new(built)))
                    },
                };
                &DESCRIPTION
            }

            fn build(inputs: &mut ::mlsysim_scenario::Inputs) -> ::mlsysim_scenario::Result<Self> {
                let built = #name { #(#taken),* };
                ::mlsysim_scenario::Equations::agree(&built)?;
                Ok(built)
            }

            fn checked(self) -> ::mlsysim_scenario::Result<Self> {
                let fields = <Self as ::mlsysim_scenario::Define>::describe().fields;
                #(#checked)*
                ::mlsysim_scenario::Equations::agree(&self)?;
                Ok(self)
            }
        }

        impl ::mlsysim_scenario::Item for #name {
            fn description(&self) -> &'static ::mlsysim_scenario::Description {
                <Self as ::mlsysim_scenario::Define>::describe()
            }

            fn field(&self, index: usize) -> ::mlsysim_scenario::Value {
                let fields = <Self as ::mlsysim_scenario::Define>::describe().fields;
                match index {
                    #(#shown,)*
                    _ => ::mlsysim_scenario::Value::Null,
                }
            }

            fn output(
                &self,
                index: usize,
                arguments: &[::mlsysim_scenario::Value],
            ) -> ::mlsysim_scenario::Result<::mlsysim_scenario::Value> {
                ::mlsysim_scenario::Equations::evaluate(self, index, arguments)
            }

            fn solver(
                &self,
                index: usize,
            ) -> ::core::option::Option<::std::sync::Arc<dyn ::mlsysim_scenario::Item>> {
                ::mlsysim_scenario::Equations::solver_of(self, index)
            }

            fn solved(
                &self,
            ) -> ::core::option::Option<::mlsysim_scenario::Result<::mlsysim_scenario::Value>> {
                ::mlsysim_scenario::Equations::solution(self)
            }

            fn figure(
                &self,
                index: usize,
                arguments: &[::mlsysim_scenario::Value],
            ) -> ::core::option::Option<::std::string::String> {
                ::mlsysim_scenario::Equations::figure_of(self, index, arguments)
            }

            fn notes(&self) -> ::std::vec::Vec<::mlsysim_scenario::Note> {
                ::mlsysim_scenario::Equations::remarks(self)
            }

            fn as_any(
                self: ::std::sync::Arc<Self>,
            ) -> ::std::sync::Arc<dyn ::core::any::Any + ::core::marker::Send + ::core::marker::Sync> {
                self
            }
        }

        #no_equations
        #datum
    })
}

/// A result is a value by itself; other records are shared.
fn result_datum(name: &Ident) -> TokenStream {
    quote! {
        impl ::mlsysim_scenario::Datum for #name {
            const TYPE: ::mlsysim_scenario::Type =
                ::mlsysim_scenario::Type::Object(<#name as ::mlsysim_scenario::Define>::describe);

            fn from_value(
                value: ::mlsysim_scenario::Value,
                field: &::mlsysim_scenario::Field,
            ) -> ::mlsysim_scenario::Result<Self> {
                <::std::sync::Arc<#name> as ::mlsysim_scenario::Datum>::from_value(value, field)
                    .map(|shared| (*shared).clone())
            }

            fn to_value(&self, unit: &::mlsysim_scenario::Unit) -> ::mlsysim_scenario::Value {
                ::mlsysim_scenario::Datum::to_value(&::std::sync::Arc::new(self.clone()), unit)
            }

            fn check(&self, _field: &::mlsysim_scenario::Field) -> ::mlsysim_scenario::Result<()> {
                Ok(())
            }
        }
    }
}

/// A type without equations.
pub fn no_equations(name: &impl ToTokens) -> TokenStream {
    quote! {
        impl ::mlsysim_scenario::Equations for #name {
            fn outputs() -> &'static [::mlsysim_scenario::Output] {
                &[]
            }
        }
    }
}

/// What the struct's own attribute says.
struct Header {
    kind: TokenStream,
    aliases: Vec<LitStr>,
    equations: bool,
    is_result: bool,
}

impl Header {
    fn read(input: &DeriveInput, family: Family) -> Result<Self> {
        let mut aliases = Vec::new();
        let mut result: Option<Ident> = None;
        let mut group: Option<Ident> = None;
        let mut equations = family != Family::Record;
        let mut is_result = false;
        let attribute = match family {
            Family::Scenario => "scenario",
            Family::Solver => "solver",
            Family::Record => "record",
        };
        if let Some(attribute) = attributes::find(&input.attrs, attribute) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("aliases") {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    let names =
                        content.parse_terminated(<LitStr as syn::parse::Parse>::parse, syn::Token![,])?;
                    aliases.extend(names);
                } else if meta.path.is_ident("equations") {
                    equations = true;
                } else if meta.path.is_ident("result") && family == Family::Solver {
                    result = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("result") {
                    is_result = true;
                } else if family == Family::Scenario && group.is_none() {
                    group = Some(meta.path.require_ident()?.clone());
                } else {
                    return Err(meta.error("not known here"));
                }
                Ok(())
            })?;
        }
        let kind = match family {
            Family::Scenario => {
                let group = group.ok_or_else(|| {
                    Error::new(input.ident.span(), "a scenario belongs to a group: `#[scenario(serving)]`")
                })?;
                let group = group.to_string();
                quote!(::mlsysim_scenario::Family::Scenario(#group))
            }
            Family::Solver => {
                let result = result.ok_or_else(|| {
                    Error::new(input.ident.span(), "a solver names its result: `#[solver(result = Name)]`")
                })?;
                let result = result.to_string();
                quote!(::mlsysim_scenario::Family::Solver(#result))
            }
            Family::Record if is_result => quote!(::mlsysim_scenario::Family::Result),
            Family::Record => quote!(::mlsysim_scenario::Family::Record),
        };
        Ok(Header { kind, aliases, equations, is_result })
    }
}

fn require_sections(doc: &str, name: &Ident) -> Result<()> {
    for section in ["Assumptions", "Excludes", "Derivation"] {
        if !doc.contains(&format!("# {section}\n")) {
            let message = format!("the documentation of `{name}` needs the section `# {section}`");
            return Err(Error::new(name.span(), message));
        }
    }
    Ok(())
}

struct InputField {
    name: Ident,
    kind: Type,
    doc: String,
    unit: String,
    range: StatedRange,
    default: TokenStream,
}

fn read_fields(input: &DeriveInput, family: Family) -> Result<Vec<InputField>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "only a struct with named fields can be described"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new(input.ident.span(), "the fields need names: they are the inputs"));
    };
    named
        .named
        .iter()
        .map(|field| {
            let name = field.ident.clone().unwrap_or_else(|| format_ident!("unnamed"));
            let doc = attributes::required_documentation(&field.attrs, &name)?;
            let range = match (attributes::range(&field.attrs)?, family) {
                (Some(range), _) => range,
                (None, Family::Record) => StatedRange::not_negative(),
                (None, _) if is_numeric(&field.ty) => {
                    let message =
                        format!("the input `{name}` states no range; write for example `#[range(>= 0)]`");
                    return Err(Error::new(name.span(), message));
                }
                (None, _) => StatedRange::default(),
            };
            let default = match attributes::find(&field.attrs, "default") {
                Some(attribute) => {
                    let value = attribute.parse_args::<syn::Expr>()?;
                    quote!(::core::option::Option::Some(|| ::mlsysim_scenario::Value::from(#value)))
                }
                None if is_optional(&field.ty) => {
                    quote!(::core::option::Option::Some(|| ::mlsysim_scenario::Value::Null))
                }
                None => quote!(::core::option::Option::None),
            };
            let unit = attributes::unit(&field.attrs)?;
            Ok(InputField { name, kind: field.ty.clone(), doc, unit, range, default })
        })
        .collect()
}

impl InputField {
    fn describe(&self) -> TokenStream {
        let InputField { name, kind, doc, unit, range, default } = self;
        let name = name.to_string();
        quote! {
            ::mlsysim_scenario::Field {
                name: #name,
                doc: ::mlsysim_scenario::Doc(#doc),
                value: <#kind as ::mlsysim_scenario::Datum>::TYPE,
                unit: #unit,
                range: #range,
                default: #default,
            }
        }
    }
}

fn is_optional(kind: &Type) -> bool {
    outer(kind).is_some_and(|name| name == "Option")
}

/// Whether the type, inside options, lists and maps, is a number or a quantity.
fn is_numeric(kind: &Type) -> bool {
    let Type::Path(path) = kind else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    if let syn::PathArguments::AngleBracketed(arguments) = &last.arguments {
        if last.ident == "Arc" {
            return false;
        }
        return arguments
            .args
            .iter()
            .any(|argument| matches!(argument, syn::GenericArgument::Type(inner) if is_numeric(inner)));
    }
    last.ident != "Name" && last.ident != "bool"
}

fn outer(kind: &Type) -> Option<&Ident> {
    let Type::Path(path) = kind else { return None };
    path.path.segments.last().map(|segment| &segment.ident)
}
