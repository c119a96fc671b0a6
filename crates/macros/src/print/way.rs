//! Names: the way from `self` to a value, and the methods that are no part of one.

use syn::{Expr, Member};

/// The way from `self` through fields and methods without arguments.
pub(super) fn way(expression: &Expr) -> Option<Vec<String>> {
    match expression {
        Expr::Path(path) => path.path.is_ident("self").then(Vec::new),
        Expr::Reference(inner) => way(&inner.expr),
        Expr::Paren(inner) => way(&inner.expr),
        Expr::Try(inner) => way(&inner.expr),
        Expr::Field(field) => {
            let mut steps = way(&field.base)?;
            let Member::Named(name) = &field.member else { return None };
            steps.push(name.to_string());
            Some(steps)
        }
        Expr::MethodCall(call) if is_silent(&call.method.to_string()) => way(&call.receiver),
        Expr::MethodCall(call) if call.args.is_empty() => {
            let name = call.method.to_string();
            let mut steps = way(&call.receiver)?;
            // An output of its own may have the name of a function: `self.total()`.
            if is_function(&name) && !steps.is_empty() {
                return None;
            }
            steps.push(name);
            Some(steps)
        }
        _ => None,
    }
}

/// Methods that change the type and not the value.
pub(super) fn is_silent(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "copied"
            | "cloned"
            | "as_ref"
            | "as_deref"
            | "into"
            | "to_owned"
            | "to_string"
            | "iter"
            | "values"
            | "needed"
            | "unwrap_or_default"
            | "transpose"
            | "counted"
            | "map_err"
            | "to_vec"
            | "whole"
            | "defined"
    )
}

/// Methods that compute.
fn is_function(name: &str) -> bool {
    matches!(
        name,
        "sum"
            | "total"
            | "len"
            | "ceil"
            | "floor"
            | "round"
            | "round_ties_even"
            | "running_total"
            | "latest"
            | "sqrt"
            | "ln"
            | "log2"
            | "log10"
            | "exp"
            | "abs"
            | "is_some"
            | "is_none"
            | "next_power_of_two"
            | "base"
            | "rounded_up"
            | "rounded_down"
            | "largest"
            | "smallest"
    )
}
