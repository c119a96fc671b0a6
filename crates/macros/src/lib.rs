//! The procedural macros of mlsysim: dimensions, records, scenarios and equations.
//!
//! A definition is written once, as a documented struct and a documented `impl`; these macros read
//! it and emit the tables that every front end works from. Nothing here computes a model.

mod argument;
mod attributes;
mod dimensions;
mod equations;
mod fields;
mod formula;
mod print;

use proc_macro::TokenStream;

/// Declares named dimensions and closes them under `×` and `÷`.
///
/// Each row is `Name = derivation, "unit", "meaning";`. A base dimension has the derivation
/// `base`; any other is a product and quotient of rows above it. A row may give several
/// derivations, separated by `|`; they are checked against each other. For every pair of rows
/// whose product or quotient is again a row, or a plain number, the macro writes the operator.
#[proc_macro]
pub fn dimensions(input: TokenStream) -> TokenStream {
    answer(dimensions::expand(input.into()))
}

/// Makes a documented struct a scenario of the catalogue: `#[scenario(group)]`.
///
/// Every field is an input and needs a documentation comment. A numeric input states what it
/// allows with `#[range(>= 1)]` or `#[range(> 0, <= 1)]`, for maps and lists each element's range;
/// `nonempty` and `infinite` may stand in the list too, and `any` alone. `#[default(2)]` makes an
/// input optional. The documentation of the struct has the sections Assumptions, Excludes and
/// Derivation. The equations stand in one `impl` under [`macro@equations`].
#[proc_macro_derive(Scenario, attributes(scenario, range, default, unit))]
pub fn scenario(input: TokenStream) -> TokenStream {
    answer(fields::expand(input.into(), fields::Family::Scenario))
}

/// Makes a documented struct a solver, a model that several scenarios share.
///
/// The fields are its inputs, as in [`macro@Scenario`]. Its equations stand in one `impl` under
/// `#[equations(result = Name)]`, which also writes the result's type and `solve`.
#[proc_macro_derive(Solver, attributes(solver, range, default, unit))]
pub fn solver(input: TokenStream) -> TokenStream {
    answer(fields::expand(input.into(), fields::Family::Solver))
}

/// Makes a documented struct a record: an entry of the registry or a part of one.
///
/// `#[record(equations)]` announces an `impl` under [`macro@equations`];
/// `#[record(aliases("Name", …))]` names types of the reference whose instances it holds too.
/// A numeric field that states no range is at least zero.
#[proc_macro_derive(Record, attributes(record, range, default, unit))]
pub fn record(input: TokenStream) -> TokenStream {
    answer(fields::expand(input.into(), fields::Family::Record))
}

/// Makes the methods of an `impl` equations that describe themselves.
///
/// A `pub` method is an output, a private one a step that only derivations show. Each needs a
/// documentation comment; `#[unit(ms)]` states the unit, `#[kind(bound)]` what kind of number the
/// equation makes of exact inputs, `#[source("…")]` where it comes from. An argument may take the
/// keys of an input: `#[keys(serial_layer_times)] phase: &str`. `#[figure(f)]` names a function
/// that says at which path below the record the value stands. `#[method]` makes an output that
/// takes no argument a method all the same, where the reference has one.
///
/// Besides equations the `impl` may hold `#[check]` methods (`-> Result<()>`, whether the inputs
/// agree) and `#[note(output, …)]` methods (`-> Option<String>`, what is remarkable),
/// and `#[infeasible(output, …)]` methods likewise (what binds, and by how much).
#[proc_macro_attribute]
pub fn equations(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let stand_in = equations::stand_in(item.clone().into());
    answer(equations::expand(attribute.into(), item.into()).or_else(|error| {
        // One error is enough: the type would also be said to have no equations.
        let (error, stand_in) = (error.into_compile_error(), stand_in?);
        Ok(quote::quote!(#error #stand_in))
    }))
}

/// Makes a pure function a formula that equations can call and derivations can show.
///
/// The function keeps its name; beside it stands a module of the same name with its description,
/// so that importing one imports both. `#[source("…")]` and `#[unit(…)]` as in
/// [`macro@equations`]; `#[words("…")]` says what an algorithm does that is no single expression.
#[proc_macro_attribute]
pub fn formula(_attribute: TokenStream, item: TokenStream) -> TokenStream {
    answer(formula::expand(item.into()))
}

fn answer(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(syn::Error::into_compile_error).into()
}
