//! Element-wise equations: a value for each entry, size, step or pair.

use syn::{Expr, ExprClosure, ExprMethodCall};

use super::{Printed, expression, pattern, symbol};

/// `body for each name in map`, if the call is element-wise.
pub(super) fn each(call: &ExprMethodCall) -> Option<Printed> {
    let Expr::Closure(closure) = call.args.last()? else { return None };
    let mut over = expression(&call.receiver);
    let (word, relation) = match (call.method.to_string().as_str(), call.args.len()) {
        ("each" | "by_size" | "entries", 1) => ("in", r"\in"),
        ("steps", 1) => ("below", "<"),
        ("under", 2) => ("in", r"\in"),
        ("paired", 2) => {
            let other = expression(&call.args[0]);
            over.latex = format!("{}, {}", over.latex, other.latex);
            over.text(", ").pieces.extend(other.pieces);
            ("in", r"\in")
        }
        ("running", 2) => return Some(running(&expression(&call.args[0]), closure, &over)),
        _ => return None,
    };
    // A variable that the body does not use has an underscore in front.
    let named = |input| pattern(input).trim_start_matches('_').to_string();
    let variables: Vec<String> = closure.inputs.iter().map(named).collect();
    let symbols: Vec<String> = variables.iter().map(|variable| symbol(variable)).collect();
    let mut printed = expression(&closure.body);
    printed.latex = format!(
        r"{}\quad \text{{for each}}\ {} {relation} {}",
        printed.latex,
        symbols.join(", "),
        over.latex
    );
    printed.text(&format!(" for each {} {word} ", variables.join(", ")));
    printed.pieces.extend(over.pieces);
    Some(printed)
}

/// `body, for each entry in map, value from start on`.
fn running(start: &Printed, closure: &ExprClosure, over: &Printed) -> Printed {
    let variables: Vec<String> = closure.inputs.iter().map(pattern).collect();
    let [value, entry] = variables.as_slice() else { return Printed::default() };
    let mut printed = expression(&closure.body);
    printed.latex = format!(
        r"{}\quad \text{{for each}}\ {} \in {}\ \text{{in turn, from}}\ {} = {}",
        printed.latex,
        symbol(entry),
        over.latex,
        symbol(value),
        start.latex
    );
    printed.text(&format!(" for each {entry} in ")).pieces.extend(over.pieces.clone());
    printed.text(&format!(" in turn, from {value} = ")).pieces.extend(start.pieces.clone());
    printed
}
