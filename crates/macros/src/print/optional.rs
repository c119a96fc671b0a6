//! Optional values: what a closure makes of one, and what stands where there is none.

use super::{Printed, expression, pattern};

/// What a closure makes of an optional value, with that value in place of its argument.
pub(super) fn with(given: &Printed, closure: &syn::ExprClosure) -> Printed {
    let variable = closure.inputs.first().map(pattern).unwrap_or_default();
    expression(&closure.body).replacing(&variable, given)
}

/// A value if an optional one is set, else another.
pub(super) fn choice(value: Printed, given: Printed, otherwise: Printed) -> Printed {
    let latex = format!(
        r"\begin{{cases}} {} & {}\ \text{{is set}} \\ {} & \text{{otherwise}} \end{{cases}}",
        value.latex, given.latex, otherwise.latex
    );
    let mut printed = Printed { pieces: value.pieces, latex };
    printed.text(" if ");
    printed.pieces.extend(given.pieces);
    printed.text(" is set, else ");
    printed.pieces.extend(otherwise.pieces);
    printed
}
