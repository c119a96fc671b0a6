//! Values by name: the entries of a table, and the fields of a record.

use syn::{Expr, ExprArray, ExprCall, ExprStruct, Lit, Member};

use super::{Printed, expression, symbol};

/// The entries of `table([("name", value), …])`, or nothing for a call that is no table.
pub(super) fn table(call: &ExprCall) -> Option<Printed> {
    let Some(Expr::Array(array)) = call.args.first() else { return None };
    let entries = array.elems.iter().map(|entry| {
        let Expr::Tuple(pair) = entry else { return None };
        let mut pair = pair.elems.iter();
        let (Some(Expr::Lit(key)), Some(value)) = (pair.next(), pair.next()) else { return None };
        let Lit::Str(key) = &key.lit else { return None };
        Some((key.value(), value))
    });
    let entries: Vec<_> = entries.collect::<Option<_>>()?;
    Some(listed("", "; ", ": ", entries, ""))
}

/// A list by its entries: `[one, two]`.
pub(super) fn array(array: &ExprArray) -> Printed {
    let mut printed = Printed::plain("[", r"\left[");
    for (index, entry) in array.elems.iter().enumerate() {
        let (entry, comma) = (expression(entry), if index > 0 { ", " } else { "" });
        printed.text(comma).pieces.extend(entry.pieces);
        printed.latex.push_str(&format!("{comma}{}", entry.latex));
    }
    printed.text("]");
    printed.latex.push_str(r"\right]");
    printed
}

/// The entry of a list at a place: `list[0]`.
pub(super) fn entry(list: &Expr, place: &Expr) -> Printed {
    let (mut printed, place) = (expression(list), expression(place));
    printed.latex = format!("{}_{{{}}}", printed.latex, place.latex);
    printed.text("[").pieces.extend(place.pieces);
    printed.text("]");
    printed
}

/// A record by its fields: `Name(field = value, …)`.
pub(super) fn record(literal: &ExprStruct) -> Printed {
    let name = literal.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let fields = literal.fields.iter().filter_map(|field| match &field.member {
        Member::Named(name) => Some((name.to_string(), &field.expr)),
        Member::Unnamed(_) => None,
    });
    listed(&format!("{name}("), ", ", " = ", fields.collect(), ")")
}

/// `open name sign value comma name sign value close`, one below the other in LaTeX.
fn listed(open: &str, comma: &str, sign: &str, entries: Vec<(String, &Expr)>, close: &str) -> Printed {
    let mut printed = Printed::plain(open, r"\begin{array}{l}");
    for (index, (name, value)) in entries.into_iter().enumerate() {
        let value = expression(value);
        if index > 0 {
            printed.text(comma);
            printed.latex.push_str(r" \\ ");
        }
        printed.text(&name).text(sign);
        printed.pieces.extend(value.pieces);
        printed.latex.push_str(&format!("{}{sign}{}", symbol(&name), value.latex));
    }
    printed.text(close);
    printed.latex.push_str(r"\end{array}");
    printed
}
