//! `#[equations]`: an `impl` whose methods describe themselves.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Block, Error, Expr, Ident, ImplItem, ImplItemFn, ItemImpl, Member, Result, ReturnType, Stmt,
    Token, Type, Visibility,
};

use result::solve;

use crate::argument::{Argument, arguments};
use crate::attributes;
use crate::print::{self, Piece, Printed};

mod result;

pub fn expand(attribute: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let result = result_name(attribute)?;
    let mut item: ItemImpl = syn::parse2(item)?;
    let this = item.self_ty.clone();
    let mut equations = Vec::new();
    let (mut checks, mut notes) = (Vec::new(), Vec::new());
    for member in &mut item.items {
        let ImplItem::Fn(method) = member else { continue };
        let name = method.sig.ident.clone();
        if take(&mut method.attrs, "check").is_some() {
            checks.push(quote!(self.#name()?;));
        } else if let Some((note, infeasible)) = remark(&mut method.attrs) {
            let outputs = note.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated)?;
            let outputs: Vec<String> = outputs.iter().map(Ident::to_string).collect();
            notes.push(quote! {
                if let ::core::option::Option::Some(text) = self.#name() {
                    notes.push(::mlsysim_scenario::Note { outputs: &[#(#outputs),*], text, infeasible: #infeasible });
                }
            });
        } else {
            equations.push(Equation::read(method)?);
        }
    }
    let count = equations.len();
    let described = equations.iter().map(Equation::describe);
    let evaluated = equations.iter().enumerate().map(|(index, equation)| equation.evaluate(index));
    let solved = equations.iter().enumerate().filter_map(|(index, equation)| {
        let receiver = equation.solver.as_ref()?;
        Some(quote!(#index => (|| -> ::mlsysim_scenario::Result<_> { Ok(#receiver) })().map_or(
            ::core::option::Option::None,
            |solver| ::core::option::Option::Some(::std::sync::Arc::new(solver) as _),
        )))
    });
    let accepted = equations.iter().enumerate().filter_map(|(index, equation)| {
        let receiver = equation.solver.as_ref()?;
        Some(quote! {
            ::mlsysim_scenario::accepted(
                (|| -> ::mlsysim_scenario::Result<_> { Ok(#receiver) })(),
                <Self as ::mlsysim_scenario::Equations>::outputs()[#index].bindings,
            )?;
        })
    });
    let figures = equations.iter().enumerate().filter_map(|(index, equation)| {
        let function = equation.figure.as_ref()?;
        let arguments = equation.passed();
        let read = equation.read_arguments(index, &quote!(.ok()?));
        Some(quote!(#index => { #read self.#function(#(#arguments),*) }))
    });
    let inherited = equations.iter().enumerate().filter(|(_, equation)| equation.solver.is_some()).map(|(index, equation)| {
        let name = equation.name.to_string();
        quote! {
            if let ::core::option::Option::Some(solver) = ::mlsysim_scenario::Equations::solver_of(self, #index) {
                notes.extend(solver.notes().into_iter().map(|note| ::mlsysim_scenario::Note {
                    outputs: &[#name],
                    ..note
                }));
            }
        }
    });
    let solution = result.is_some().then(|| {
        quote! {
            fn solution(
                &self,
            ) -> ::core::option::Option<::mlsysim_scenario::Result<::mlsysim_scenario::Value>> {
                let unit = ::mlsysim_scenario::Unit::none();
                ::core::option::Option::Some(::mlsysim_scenario::Produce::produce(self.solve(), &unit))
            }
        }
    });
    let solve = result.map(|result| solve(&result, &this, &equations)).transpose()?;

    Ok(quote! {
        #item

        impl ::mlsysim_scenario::Equations for #this {
            fn outputs() -> &'static [::mlsysim_scenario::Output] {
                static OUTPUTS: [::mlsysim_scenario::Output; #count] = [#(#described),*];
                &OUTPUTS
            }

            fn evaluate(
                &self,
                index: usize,
                arguments: &[::mlsysim_scenario::Value],
            ) -> ::mlsysim_scenario::Result<::mlsysim_scenario::Value> {
                let outputs = <Self as ::mlsysim_scenario::Equations>::outputs();
                match index {
                    #(#evaluated)*
                    _ => Err(::mlsysim_scenario::Error::unknown("there is no such output")),
                }
            }

            fn solver_of(
                &self,
                index: usize,
            ) -> ::core::option::Option<::std::sync::Arc<dyn ::mlsysim_scenario::Item>> {
                match index {
                    #(#solved,)*
                    _ => ::core::option::Option::None,
                }
            }

            #solution

            fn figure_of(
                &self,
                index: usize,
                arguments: &[::mlsysim_scenario::Value],
            ) -> ::core::option::Option<::std::string::String> {
                let outputs = <Self as ::mlsysim_scenario::Equations>::outputs();
                match index {
                    #(#figures)*
                    _ => ::core::option::Option::None,
                }
            }

            fn agree(&self) -> ::mlsysim_scenario::Result<()> {
                #(#checks)*
                #(#accepted)*
                Ok(())
            }

            fn remarks(&self) -> ::std::vec::Vec<::mlsysim_scenario::Note> {
                #[allow(unused_mut)]
                let mut notes = ::std::vec::Vec::new();
                #(#notes)*
                #(#inherited)*
                notes
            }
        }

        #solve
    })
}

/// What takes the place of equations that cannot be read.
pub fn stand_in(item: TokenStream) -> Result<TokenStream> {
    let item: ItemImpl = syn::parse2(item)?;
    Ok(crate::fields::no_equations(&item.self_ty))
}

/// The name in `result = Name`.
fn result_name(attribute: TokenStream) -> Result<Option<Ident>> {
    if attribute.is_empty() {
        return Ok(None);
    }
    let pair: syn::MetaNameValue = syn::parse2(attribute)?;
    match (pair.path.is_ident("result"), pair.value) {
        (true, Expr::Path(path)) => Ok(Some(path.path.require_ident()?.clone())),
        (_, other) => Err(Error::new_spanned(other, "expected `result = Name`")),
    }
}

/// The attribute of a remark, and whether what it says makes the scenario infeasible.
fn remark(attributes: &mut Vec<Attribute>) -> Option<(Attribute, bool)> {
    let note = take(attributes, "note").map(|note| (note, false));
    note.or_else(|| take(attributes, "infeasible").map(|reason| (reason, true)))
}

fn take(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let index = attributes.iter().position(|attribute| attribute.path().is_ident(name))?;
    Some(attributes.remove(index))
}

/// One method that is an equation.
struct Equation {
    name: Ident,
    doc: String,
    unit: String,
    kind: Ident,
    source: String,
    step: bool,
    /// A method though it takes no arguments.
    called: bool,
    arguments: Vec<Argument>,
    returned: Type,
    printed: Printed,
    /// The way to the figure that the method looks up.
    figure: Option<Ident>,
    /// What stands before `.solve()`, where the method is a solver's result.
    solver: Option<Expr>,
    /// The solver's inputs as equations of this definition.
    bindings: Vec<(String, Printed)>,
}

impl Equation {
    fn read(method: &mut ImplItemFn) -> Result<Self> {
        let name = method.sig.ident.clone();
        let doc = attributes::required_documentation(&method.attrs, &name)?;
        let unit = attributes::unit(&method.attrs)?;
        let source = attributes::text(&method.attrs, "source")?;
        let kind = match attributes::find(&method.attrs, "kind") {
            Some(attribute) => attribute.parse_args::<Ident>()?,
            None => format_ident!("exact"),
        };
        let figure =
            attributes::find(&method.attrs, "figure").map(Attribute::parse_args::<Ident>).transpose()?;
        let called = attributes::find(&method.attrs, "method").is_some();
        method.attrs.retain(|attribute| {
            !["unit", "source", "kind", "figure", "method"].iter().any(|own| attribute.path().is_ident(own))
        });
        let ReturnType::Type(_, returned) = &method.sig.output else {
            return Err(Error::new(name.span(), "an equation returns a value"));
        };
        let returned = (**returned).clone();
        let arguments = arguments(method)?;
        let step = !matches!(method.vis, Visibility::Public(_));
        let solver = solver(&method.block);
        let bindings = solver.as_ref().map(bindings).unwrap_or_default();
        let printed = match &solver {
            Some(Expr::Struct(literal)) => {
                let solver = literal.path.segments.last().map(|last| last.ident.to_string());
                let text = format!("{}.solve", solver.unwrap_or_default());
                let latex = format!(r"\mathrm{{{text}}}");
                Printed { pieces: vec![Piece::Text(text)], latex }
            }
            _ => print::block(&method.block),
        };
        print::legible()?;
        Ok(Equation {
            name,
            doc,
            unit,
            kind,
            source,
            step,
            called,
            arguments,
            returned,
            printed,
            figure,
            solver,
            bindings,
        })
    }

    fn describe(&self) -> TokenStream {
        let Equation { name, doc, unit, source, step, called, returned, .. } = self;
        let name = name.to_string();
        let mut kind = self.kind.to_string();
        if let Some(first) = kind.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let kind = format_ident!("{kind}");
        let arguments = self.arguments.iter().map(Argument::describe);
        let bindings = self.bindings.iter().map(|(field, printed)| {
            let bound = equation(printed);
            quote!((#field, #bound))
        });
        let equation = equation(&self.printed);
        quote! {
            ::mlsysim_scenario::Output {
                name: #name,
                doc: ::mlsysim_scenario::Doc(#doc),
                value: <#returned as ::mlsysim_scenario::Produce>::PRODUCES,
                fallible: <#returned as ::mlsysim_scenario::Produce>::FALLIBLE,
                unit: #unit,
                arguments: &[#(#arguments),*],
                equation: #equation,
                bindings: &[#(#bindings),*],
                kind: ::mlsysim_scenario::Kind::#kind,
                source: #source,
                step: #step,
                called: #called,
                shown: ::mlsysim_scenario::LazyUnit::new(),
            }
        }
    }

    fn evaluate(&self, index: usize) -> TokenStream {
        let name = &self.name;
        let read = self.read_arguments(index, &quote!(?));
        let passed = self.passed();
        quote! {
            #index => {
                #read
                ::mlsysim_scenario::Produce::produce(self.#name(#(#passed),*), outputs[#index].shown_unit())
            }
        }
    }

    /// Statements that read the arguments into variables of their names; `or_leave` ends each.
    fn read_arguments(&self, index: usize, or_leave: &TokenStream) -> TokenStream {
        let read = self.arguments.iter().enumerate().map(|(position, argument)| {
            let (name, kind) = (&argument.name, argument.owned());
            quote! {
                let #name: #kind = outputs[#index].argument(#position, arguments)#or_leave;
            }
        });
        quote!(#(#read)*)
    }

    /// The arguments as the method takes them.
    fn passed(&self) -> Vec<TokenStream> {
        self.arguments.iter().map(Argument::passed).collect()
    }
}

/// What stands before `.solve()` at the end of the body.
fn solver(body: &Block) -> Option<Expr> {
    let Some(Stmt::Expr(tail, None)) = body.stmts.last() else { return None };
    match tail {
        Expr::MethodCall(call) if call.method == "solve" && call.args.is_empty() => {
            let receiver = match &*call.receiver {
                Expr::Paren(inner) => (*inner.expr).clone(),
                other => other.clone(),
            };
            matches!(receiver, Expr::Struct(_)).then_some(receiver)
        }
        _ => None,
    }
}

fn bindings(solver: &Expr) -> Vec<(String, Printed)> {
    let Expr::Struct(literal) = solver else { return Vec::new() };
    let fields = literal.fields.iter();
    fields
        .filter_map(|field| match &field.member {
            Member::Named(name) => Some((name.to_string(), print::expression(&field.expr))),
            Member::Unnamed(_) => None,
        })
        .collect()
}

pub fn equation(printed: &Printed) -> TokenStream {
    let latex = &printed.latex;
    let mut text = String::new();
    let pieces: Vec<TokenStream> = printed
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                quote!(::mlsysim_scenario::Piece::Text(#piece))
            }
            Piece::Mention(path) => quote!(::mlsysim_scenario::Piece::Mention(&#path::FORMULA)),
            Piece::Variable(variable) => {
                text.push_str(variable);
                quote!(::mlsysim_scenario::Piece::Variable(#variable))
            }
            Piece::Formula(path, arguments) => {
                let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                let shown: Vec<String> = arguments.iter().map(|argument| argument.join(".")).collect();
                text.push_str(&format!("{name}({})", shown.join(", ")));
                let arguments = arguments.iter().map(|argument| quote!(&[#(#argument),*]));
                quote!(::mlsysim_scenario::Piece::Formula(&#path::FORMULA, &[#(#arguments),*]))
            }
            Piece::Use(way) => {
                text.push_str(&way.join("."));
                quote!(::mlsysim_scenario::Piece::Use(&[#(#way),*]))
            }
            Piece::Call(way, arguments) => {
                let shown: Vec<String> = arguments.iter().map(|argument| argument.join(".")).collect();
                text.push_str(&format!("{}({})", way.join("."), shown.join(", ")));
                let arguments = arguments.iter().map(|argument| quote!(&[#(#argument),*]));
                quote!(::mlsysim_scenario::Piece::Call(&[#(#way),*], &[#(#arguments),*]))
            }
            Piece::Each(name, variable) => {
                text.push_str(&format!("{name}({variable})"));
                quote!(::mlsysim_scenario::Piece::Each(#name, #variable))
            }
            Piece::Constant(path) => {
                let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                text.push_str(&name);
                quote!(::mlsysim_scenario::Piece::Constant(#name, || ::mlsysim_scenario::constant(&#path)))
            }
        })
        .collect();
    quote!(::mlsysim_scenario::Equation { text: #text, latex: #latex, pieces: &[#(#pieces),*] })
}
