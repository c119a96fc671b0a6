//! Printing an expression as an equation: as text that values can be put into, and as LaTeX.

use quote::ToTokens;
use syn::{BinOp, Block, Expr, ExprMethodCall, Lit, Pat, Stmt, UnOp};
use way::{is_silent, way};

mod way;

/// A part of an equation's text.
#[derive(Clone)]
pub enum Piece {
    Text(String),
    /// A field or an output without arguments, by the way to it from `self`.
    Use(Vec<String>),
    /// An output with arguments, each of them a way from `self`.
    Call(Vec<String>, Vec<Vec<String>>),
    /// An output called for a variable: its name and the variable's.
    Each(String, String),
    /// A constant.
    Constant(syn::Path),
    /// A function with arguments, each of them a way from `self`.
    Formula(syn::Path, Vec<Vec<String>>),
    /// A variable: an argument, or what a closure takes.
    Variable(String),
}

/// An equation: its text in pieces, and LaTeX.
#[derive(Clone, Default)]
pub struct Printed {
    pub pieces: Vec<Piece>,
    pub latex: String,
}

/// Prints the value of a method's body.
pub fn block(block: &Block) -> Printed {
    let mut printed = Printed::default();
    let mut locals = Vec::new();
    for statement in &block.stmts {
        match statement {
            Stmt::Expr(tail, None) => printed = expression(tail),
            Stmt::Local(local) => {
                if let Some(init) = &local.init {
                    locals.push((pattern(&local.pat), expression(&init.expr)));
                }
            }
            _ => {}
        }
    }
    for (index, (name, value)) in locals.into_iter().enumerate() {
        let (joint, latex_joint) = if index == 0 { (", where ", r",\ \text{where}\ ") } else { ", ".pair() };
        printed.text(joint).text(&name).text(" = ");
        printed.pieces.extend(value.pieces);
        printed.latex.push_str(&format!("{latex_joint}{} = {}", symbol(&name), value.latex));
    }
    printed.joined()
}

trait Pair {
    fn pair(&self) -> (&str, &str);
}

impl Pair for str {
    fn pair(&self) -> (&str, &str) {
        (self, self)
    }
}

impl Printed {
    fn plain(text: impl Into<String>, latex: impl Into<String>) -> Self {
        Printed { pieces: vec![Piece::Text(text.into())], latex: latex.into() }
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.pieces.push(Piece::Text(text.to_string()));
        self
    }

    /// `before`, this, `after`, in text and in LaTeX.
    fn wrapped(self, text: (&str, &str), latex: (&str, &str)) -> Self {
        let mut pieces = vec![Piece::Text(text.0.to_string())];
        pieces.extend(self.pieces);
        pieces.push(Piece::Text(text.1.to_string()));
        Printed { pieces, latex: format!("{}{}{}", latex.0, self.latex, latex.1) }
    }

    /// The same with neighbouring texts joined and empty ones gone.
    fn joined(self) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in self.pieces {
            match (pieces.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
                (_, Piece::Text(text)) if text.is_empty() => {}
                (_, piece) => pieces.push(piece),
            }
        }
        Printed { pieces, latex: self.latex }
    }
}

pub fn expression(expression: &Expr) -> Printed {
    match expression {
        Expr::Paren(inner) => self::expression(&inner.expr).wrapped(("(", ")"), (r"\left(", r"\right)")),
        Expr::Group(inner) => self::expression(&inner.expr),
        Expr::Reference(inner) => self::expression(&inner.expr),
        Expr::Cast(inner) => self::expression(&inner.expr),
        Expr::Try(inner) => self::expression(&inner.expr),
        Expr::Unary(unary) => match unary.op {
            UnOp::Neg(_) => self::expression(&unary.expr).wrapped(("-", ""), ("-", "")),
            UnOp::Not(_) => self::expression(&unary.expr).wrapped(("not ", ""), (r"\lnot ", "")),
            _ => self::expression(&unary.expr),
        },
        Expr::Binary(binary) => operation(&binary.left, &binary.op, &binary.right),
        Expr::Lit(literal) => number(&literal.lit),
        Expr::If(condition) => cases(condition),
        Expr::Block(inner) => block(&inner.block),
        Expr::Path(path) => name(&path.path),
        Expr::Call(call) => function(call),
        Expr::MethodCall(call) => method(call),
        Expr::Field(_) => match way(expression) {
            Some(way) => used(way),
            None => verbatim(expression),
        },
        _ => verbatim(expression),
    }
}

fn used(way: Vec<String>) -> Printed {
    let latex = symbol(&way.join("."));
    Printed { pieces: vec![Piece::Use(way)], latex }
}

fn verbatim(expression: &Expr) -> Printed {
    let text = expression.to_token_stream().to_string();
    let latex = symbol(&text);
    Printed::plain(text, latex)
}

/// A name in upright letters, as long names are set.
fn symbol(name: &str) -> String {
    format!(r"\mathrm{{{}}}", name.replace('_', r"\_"))
}

fn operation(left: &Expr, operator: &BinOp, right: &Expr) -> Printed {
    let bare = |side: &Expr| match side {
        Expr::Paren(inner) => self::expression(&inner.expr).latex,
        other => self::expression(other).latex,
    };
    let (sign, latex) = match operator {
        BinOp::Div(_) => (" / ", format!(r"\frac{{{}}}{{{}}}", bare(left), bare(right))),
        BinOp::Mul(_) => (" × ", format!(r"{} \cdot {}", expression(left).latex, expression(right).latex)),
        other => {
            let (text, latex) = match other {
                BinOp::Add(_) => (" + ", "+"),
                BinOp::Sub(_) => (" - ", "-"),
                BinOp::Lt(_) => (" < ", "<"),
                BinOp::Le(_) => (" ≤ ", r"\le"),
                BinOp::Gt(_) => (" > ", ">"),
                BinOp::Ge(_) => (" ≥ ", r"\ge"),
                BinOp::Eq(_) => (" = ", "="),
                BinOp::Ne(_) => (" ≠ ", r"\ne"),
                BinOp::And(_) => (" and ", r"\land"),
                BinOp::Or(_) => (" or ", r"\lor"),
                BinOp::Rem(_) => (" mod ", r"\bmod"),
                _ => (" ? ", "?"),
            };
            (text, format!("{} {latex} {}", expression(left).latex, expression(right).latex))
        }
    };
    let mut pieces = expression(left).pieces;
    pieces.push(Piece::Text(sign.to_string()));
    pieces.extend(expression(right).pieces);
    Printed { pieces, latex }
}

fn number(literal: &Lit) -> Printed {
    let text = match literal {
        Lit::Float(float) => {
            let digits = float.base10_digits();
            digits.strip_suffix(".0").unwrap_or(digits).to_string()
        }
        Lit::Int(integer) => integer.base10_digits().to_string(),
        Lit::Str(text) => format!("\"{}\"", text.value()),
        other => other.to_token_stream().to_string(),
    };
    let latex = match literal {
        Lit::Str(_) => format!(r"\text{{{}}}", text.replace('_', r"\_")),
        _ => text.clone(),
    };
    Printed::plain(text, latex)
}

fn name(path: &syn::Path) -> Printed {
    let last = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    let constant = last.len() > 1
        && last.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_' || letter.is_ascii_digit());
    let latex = symbol(&last);
    if constant {
        return Printed { pieces: vec![Piece::Constant(path.clone())], latex };
    }
    Printed { pieces: vec![Piece::Variable(last)], latex }
}

fn cases(condition: &syn::ExprIf) -> Printed {
    let then = block(&condition.then_branch);
    let test = expression(&condition.cond);
    let otherwise = condition.else_branch.as_ref().map(|(_, branch)| expression(branch)).unwrap_or_default();
    let latex = format!(
        r"\begin{{cases}} {} & {} \\ {} & \text{{otherwise}} \end{{cases}}",
        then.latex, test.latex, otherwise.latex
    );
    let mut printed = Printed { pieces: then.pieces, latex };
    printed.text(" if ");
    printed.pieces.extend(test.pieces);
    printed.text(" else ");
    printed.pieces.extend(otherwise.pieces);
    printed
}

fn function(call: &syn::ExprCall) -> Printed {
    let Expr::Path(path) = &*call.func else { return verbatim(&Expr::Call(call.clone())) };
    let name = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    if matches!(name.as_str(), "Ok" | "Some" | "from") && call.args.len() == 1 {
        return expression(&call.args[0]);
    }
    let mut printed = arguments(&name, call.args.iter());
    let ways: Option<Vec<_>> = call.args.iter().map(way).collect();
    if let Some(ways) = ways.filter(|_| !name.is_empty()) {
        printed.pieces = vec![Piece::Formula(path.path.clone(), ways)];
    }
    printed
}

fn arguments<'a>(name: &str, given: impl Iterator<Item = &'a Expr>) -> Printed {
    let mut pieces = vec![Piece::Text(format!("{name}("))];
    let mut latex = format!(r"{}\left(", symbol(name));
    for (index, argument) in given.enumerate() {
        if index > 0 {
            pieces.push(Piece::Text(", ".to_string()));
            latex.push_str(", ");
        }
        let printed = expression(argument);
        pieces.extend(printed.pieces);
        latex.push_str(&printed.latex);
    }
    pieces.push(Piece::Text(")".to_string()));
    latex.push_str(r"\right)");
    Printed { pieces, latex }
}

fn method(call: &ExprMethodCall) -> Printed {
    if let Some(way) = way(&Expr::MethodCall(call.clone())) {
        return used(way);
    }
    let name = call.method.to_string();
    let receiver = || expression(&call.receiver);
    let first = call.args.first();
    match (name.as_str(), first) {
        (name, _) if is_silent(name) => receiver(),
        ("total" | "sum", _) => receiver().wrapped(("sum(", ")"), (r"\sum ", "")),
        ("len", _) => receiver().wrapped(("count(", ")"), (r"\left|", r"\right|")),
        ("ceil", _) => receiver().wrapped(("ceil(", ")"), (r"\left\lceil ", r"\right\rceil ")),
        ("floor", _) => receiver().wrapped(("floor(", ")"), (r"\left\lfloor ", r"\right\rfloor ")),
        ("sqrt", _) => receiver().wrapped(("sqrt(", ")"), (r"\sqrt{", "}")),
        ("ln" | "log2" | "log10" | "exp" | "abs" | "round", _) => {
            receiver().wrapped((&format!("{name}("), ")"), (&format!(r"{}\left(", symbol(&name)), r"\right)"))
        }
        ("powi" | "powf", Some(exponent)) => {
            let exponent = expression(exponent);
            let mut printed = receiver();
            printed.latex = format!("{{{}}}^{{{}}}", printed.latex, exponent.latex);
            printed.text("^");
            printed.pieces.extend(exponent.pieces);
            printed
        }
        ("or", Some(other)) => {
            let other = expression(other);
            let mut printed = receiver();
            printed.latex = format!(r"{}\ \text{{or}}\ {}", printed.latex, other.latex);
            printed.text(" or ");
            printed.pieces.extend(other.pieces);
            printed
        }
        ("max" | "min", Some(other)) => arguments(&name, [&*call.receiver, other].into_iter()),
        ("each", Some(Expr::Closure(closure))) => each(receiver(), closure),
        ("at", _) if call.args.len() == 2 => {
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

/// A value for each entry of a map: `body for each name in map`.
fn each(over: Printed, closure: &syn::ExprClosure) -> Printed {
    let variable = closure.inputs.last().map(pattern).unwrap_or_default();
    let mut printed = expression(&closure.body);
    printed.latex =
        format!(r"{}\quad \text{{for each}}\ {} \in {}", printed.latex, symbol(&variable), over.latex);
    printed.text(&format!(" for each {variable} in "));
    printed.pieces.extend(over.pieces);
    printed
}

fn pattern(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(ident) => ident.ident.to_string(),
        Pat::Reference(inner) => self::pattern(&inner.pat),
        Pat::Type(inner) => self::pattern(&inner.pat),
        other => other.to_token_stream().to_string(),
    }
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
