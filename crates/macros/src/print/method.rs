//! Method calls in equations: the functions that have a sign of their own, and outputs.

use quote::ToTokens;
use syn::{BinOp, Expr, ExprMethodCall};

use super::way::{is_silent, way};
use super::*;

pub fn method(call: &ExprMethodCall) -> Printed {
    if let Some(way) = way(&Expr::MethodCall(call.clone())) {
        return used(way);
    }
    if let Some(each) = each::each(call) {
        return each;
    }
    let name = call.method.to_string();
    let receiver = || expression(&call.receiver);
    // What a function or a sign encloses needs no parentheses of its own.
    let inner = || match &*call.receiver {
        Expr::Paren(inner) => expression(&inner.expr),
        other => expression(other),
    };
    let first = call.args.first();
    match (name.as_str(), first) {
        ("defined", _) => inner(),
        (name, _) if is_silent(name) => receiver(),
        // Why there is no value stands with the absence, not in the equation.
        ("ok_or" | "ok_or_else", _) => receiver(),
        ("total" | "sum", _) => inner().wrapped(("sum(", ")"), (r"\sum ", "")),
        ("len", _) => inner().wrapped(("count(", ")"), (r"\left|", r"\right|")),
        ("ceil" | "rounded_up", _) => inner().wrapped(("ceil(", ")"), (r"\left\lceil ", r"\right\rceil ")),
        ("floor" | "rounded_down", _) => {
            inner().wrapped(("floor(", ")"), (r"\left\lfloor ", r"\right\rfloor "))
        }
        ("largest", _) => inner().wrapped(("max(", ")"), (r"\max ", "")),
        ("smallest", _) => inner().wrapped(("min(", ")"), (r"\min ", "")),
        ("sum_product", Some(other)) => product(receiver(), expression(other)),
        ("provided", Some(condition)) => provided(inner(), expression(condition)),
        ("round_ties_even", _) => inner().wrapped(("round(", ")"), (r"\mathrm{round}\left(", r"\right)")),
        ("sqrt", _) => inner().wrapped(("sqrt(", ")"), (r"\sqrt{", "}")),
        ("ln" | "log2" | "log10" | "exp" | "abs" | "round" | "next_power_of_two", _) => {
            inner().wrapped((&format!("{name}("), ")"), (&format!(r"{}\left(", symbol(&name)), r"\right)"))
        }
        ("powi" | "powf" | "to_the", Some(exponent)) => {
            let compound = matches!(exponent, Expr::Binary(_));
            let exponent = expression(exponent);
            let mut printed = receiver();
            printed.latex = format!("{{{}}}^{{{}}}", printed.latex, exponent.latex);
            let exponent = if compound { exponent.wrapped(("(", ")"), ("", "")) } else { exponent };
            printed.text("^");
            printed.pieces.extend(exponent.pieces);
            printed
        }
        ("or" | "unwrap_or", Some(other)) => {
            let other = expression(other);
            let mut printed = receiver();
            printed.latex = format!(r"{}\ \text{{or}}\ {}", printed.latex, other.latex);
            printed.text(" or ");
            printed.pieces.extend(other.pieces);
            // Within a sum or a product nobody could tell how far it reaches.
            printed.wrapped(("(", ")"), (r"\left(", r"\right)"))
        }
        ("is_some", _) => receiver().wrapped(("", " is set"), ("", r"\ \text{is set}")),
        ("is_none", _) => receiver().wrapped(("", " is not set"), ("", r"\ \text{is not set}")),
        ("last_or", Some(otherwise)) => {
            let otherwise = expression(otherwise);
            let latex = format!(r"\ \text{{or}}\ {}", otherwise.latex);
            let mut printed = receiver().wrapped(("last of ", ", or "), (r"\text{last of}\ ", &latex));
            printed.pieces.extend(otherwise.pieces);
            printed
        }
        ("joined", Some(other)) => {
            let (mut printed, other) = (receiver(), expression(other));
            printed.latex = format!(r"{} \cup {}", printed.latex, other.latex);
            printed.text(" and ");
            printed.pieces.extend(other.pieces);
            printed
        }
        ("saturating_sub", Some(other)) => {
            let minus = BinOp::Sub(syn::token::Minus::default());
            operation(&call.receiver, &minus, other).wrapped(("(", ")"), (r"\left(", r"\right)"))
        }
        ("running_total", _) => {
            inner().wrapped(("running sum(", ")"), (r"\mathrm{running\ sum}\left(", r"\right)"))
        }
        ("latest", _) => inner().wrapped(("last(", ")"), (r"\mathrm{last}\left(", r"\right)")),
        ("times", Some(other)) => {
            let times = BinOp::Mul(syn::token::Star::default());
            operation(&summed(&call.receiver), &times, &summed(other))
        }
        ("map", Some(Expr::Closure(closure))) => with(&receiver(), closure),
        ("map_or", Some(otherwise)) => match call.args.get(1) {
            Some(Expr::Closure(closure)) => {
                let given = receiver();
                choice(with(&given, closure), given, expression(otherwise))
            }
            _ => call_on(call, &name),
        },
        ("entry", Some(place)) => table::entry(&call.receiver, place),
        ("leading", Some(count)) => {
            let count = expression(count);
            let mut printed = receiver();
            printed.latex = format!(r"{}_{{1 \dots {}}}", printed.latex, count.latex);
            printed.text("[1…");
            printed.pieces.extend(count.pieces);
            printed.text("]");
            printed
        }
        ("max" | "min", Some(other)) => arguments(&name, [&*call.receiver, other].into_iter()),
        ("at" | "along", _) if call.args.len() == 2 => {
            let key = expression(&call.args[1]);
            let mut printed = receiver();
            printed.latex = format!("{}_{{{}}}", printed.latex, key.latex);
            printed.text("[");
            printed.pieces.extend(key.pieces);
            printed.text("]");
            printed
        }
        _ => call_on(call, &name),
    }
}

/// The sum over the keys of two maps: `sum(one × other)`.
fn product(mut one: Printed, other: Printed) -> Printed {
    one.latex = format!(r"{} \cdot {}", one.latex, other.latex);
    one.text(" × ");
    one.pieces.extend(other.pieces);
    one.wrapped(("sum(", ")"), (r"\sum ", ""))
}

/// A value that exists under a condition: `value if condition`.
fn provided(mut printed: Printed, condition: Printed) -> Printed {
    printed.latex = format!(r"{}\quad \text{{if}}\ {}", printed.latex, condition.latex);
    printed.text(" if ");
    printed.pieces.extend(condition.pieces);
    printed
}

/// An output with arguments, of `self` or of a record.
fn call_on(call: &ExprMethodCall, name: &str) -> Printed {
    let printed_arguments = arguments(name, call.args.iter());
    let Some(mut steps) = way(&call.receiver) else {
        let mut printed = expression(&call.receiver);
        printed.latex.push('.');
        printed.latex.push_str(&printed_arguments.latex);
        printed.text(".");
        printed.pieces.extend(printed_arguments.pieces);
        return printed;
    };
    let latex = if steps.is_empty() {
        printed_arguments.latex
    } else {
        format!("{}.{}", symbol(&steps.join(".")), printed_arguments.latex)
    };
    steps.push(name.to_string());
    let ways: Option<Vec<_>> = call.args.iter().map(way).collect();
    if let Some(ways) = ways {
        return Printed { pieces: vec![Piece::Call(steps, ways)], latex };
    }
    if let (1, 1, Some(Expr::Path(variable))) = (steps.len(), call.args.len(), call.args.first().map(strip)) {
        let variable = variable.path.to_token_stream().to_string();
        return Printed { pieces: vec![Piece::Each(name.to_string(), variable)], latex };
    }
    let prefix = steps[..steps.len() - 1].iter().map(|step| format!("{step}.")).collect::<String>();
    let mut pieces = vec![Piece::Text(prefix)];
    pieces.extend(printed_arguments.pieces);
    Printed { pieces, latex }
}

fn strip(expression: &Expr) -> &Expr {
    match expression {
        Expr::Reference(inner) => strip(&inner.expr),
        other => other,
    }
}
