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
        Expr::MethodCall(call) if call.args.is_empty() => {
            let name = call.method.to_string();
            if is_silent(&name) {
                return way(&call.receiver);
            }
            if is_function(&name) {
                return None;
            }
            let mut steps = way(&call.receiver)?;
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
            | "sqrt"
            | "ln"
            | "log2"
            | "log10"
            | "exp"
            | "abs"
            | "is_some"
            | "is_none"
            | "base"
    )
}
