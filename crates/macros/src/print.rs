//! Printing an expression as an equation: as text that values can be put into, and as LaTeX.

use method::method;
use optional::{choice, with};
use quote::ToTokens;
use std::cell::RefCell;

use syn::{BinOp, Block, Error, Expr, Lit, Member, Pat, Result, Stmt, UnOp};
use way::way;

mod each;
mod method;
mod optional;
mod table;
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
    /// A function whose arguments stand in the text around it.
    Mention(syn::Path),
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
    let mut locals: Vec<(String, Printed)> = Vec::new();
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
    // A variable that holds a value of its own name is that value.
    let (same, locals): (Vec<_>, Vec<_>) = locals.into_iter().partition(
        |(name, value)| matches!(value.pieces.as_slice(), [Piece::Use(way)] if way.last() == Some(name)),
    );
    for (name, value) in same {
        printed = printed.replacing(&name, &value);
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

    /// The same with a value in place of a variable.
    fn replacing(self, variable: &str, value: &Printed) -> Self {
        let replace = |piece| match piece {
            Piece::Variable(name) if name == variable => value.pieces.clone(),
            piece => vec![piece],
        };
        Printed {
            pieces: self.pieces.into_iter().flat_map(replace).collect(),
            latex: self.latex.replace(&symbol(variable), &value.latex),
        }
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
        Expr::Array(array) => table::array(array),
        Expr::Struct(literal) => table::record(literal),
        Expr::MethodCall(call) => method(call),
        Expr::Field(_) => match way(expression) {
            Some(way) => used(way),
            None => part(expression),
        },
        _ => verbatim(expression),
    }
}

/// A field of something else than `self`: of an argument, or of what a closure takes.
fn part(expression: &Expr) -> Printed {
    let Expr::Field(field) = expression else { return verbatim(expression) };
    let Member::Named(name) = &field.member else { return verbatim(expression) };
    let mut printed = self::expression(&field.base);
    printed.latex = format!("{}.{}", printed.latex, symbol(&name.to_string()));
    printed.text(&format!(".{name}"));
    printed
}

fn used(way: Vec<String>) -> Printed {
    let latex = symbol(&way.join("."));
    Printed { pieces: vec![Piece::Use(way)], latex }
}

/// What an algorithm does, where no expression says it.
pub fn in_words(words: &str) -> Printed {
    Printed::plain(words, format!(r"\text{{{}}}", words.replace('_', r"\_")))
}

fn verbatim(expression: &Expr) -> Printed {
    let message = "this does not read as an equation; name its parts as steps, call a `#[formula]`, which may say \
                   in words what it does with `#[words(\"…\")]`";
    FAULTS.with_borrow_mut(|faults| faults.push(Error::new_spanned(expression, message)));
    let text = expression.to_token_stream().to_string();
    let latex = symbol(&text);
    Printed::plain(text, latex)
}

thread_local! {
    /// Expressions that were met and do not read as equations.
    static FAULTS: RefCell<Vec<Error>> = const { RefCell::new(Vec::new()) };
}

/// Fails if an expression that was printed since the last call does not read as an equation.
pub fn legible() -> Result<()> {
    let faults = FAULTS.with_borrow_mut(std::mem::take).into_iter();
    faults
        .reduce(|mut all, fault| {
            all.combine(fault);
            all
        })
        .map_or(Ok(()), Err)
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

/// A factor, in parentheses where it is a sum.
fn summed(factor: &Expr) -> Expr {
    let sum = matches!(factor, Expr::Binary(binary) if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_)));
    if sum { syn::parse_quote!((#factor)) } else { factor.clone() }
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
    if last == "ZERO" {
        return Printed::plain("0", "0");
    }
    if last == "None" {
        return Printed::plain("nothing", r"\text{nothing}");
    }
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
    let shared = path.path.segments.iter().rev().nth(1).is_some_and(|owner| owner.ident == "Arc");
    if (matches!(name.as_str(), "Ok" | "Some" | "from") || shared) && call.args.len() == 1 {
        return expression(&call.args[0]);
    }
    if name == "Err" {
        return Printed::plain("undefined", r"\text{undefined}");
    }
    if let Some(table) = table::table(call).filter(|_| name == "table") {
        return table;
    }
    let mut printed = arguments(&name, call.args.iter());
    let ways: Option<Vec<_>> = call.args.iter().map(way).collect();
    if let Some(ways) = ways.filter(|_| !name.is_empty()) {
        printed.pieces = vec![Piece::Formula(path.path.clone(), ways)];
    } else if path.path.get_ident().is_some() && name.starts_with(char::is_lowercase) {
        printed.pieces.insert(0, Piece::Mention(path.path.clone()));
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
        // The commas part the arguments; they need no parentheses of their own.
        let printed = match argument {
            Expr::Paren(inner) => expression(&inner.expr),
            other => expression(other),
        };
        pieces.extend(printed.pieces);
        latex.push_str(&printed.latex);
    }
    pieces.push(Piece::Text(")".to_string()));
    latex.push_str(r"\right)");
    Printed { pieces, latex }
}

fn pattern(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(ident) => ident.ident.to_string(),
        Pat::Reference(inner) => self::pattern(&inner.pat),
        Pat::Type(inner) => self::pattern(&inner.pat),
        other => other.to_token_stream().to_string(),
    }
}
