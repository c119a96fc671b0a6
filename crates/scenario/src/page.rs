//! The reference page of a definition as Markdown, from its description alone.

use std::fmt::Write as _;

use words::{cell, constants, default, innermost, kind, unit};
pub use words::{group_title, prose};

use crate::{Argument, Description, Equation, Family, Formula, Output, Piece, Type};

mod words;

/// How a page sets what differs from reader to reader: equations, examples and references.
pub trait Typeset {
    /// The equation of what is called `name`, as a block of Markdown.
    fn equation(&self, name: &str, equation: &Equation) -> String;

    /// The solver whose result is of the type `result`.
    fn solver(&self, result: &str) -> Option<&'static Description>;

    /// `text` as a reference to the page of `description`.
    fn reference(&self, text: &str, _description: &Description) -> String {
        format!("`{text}`")
    }

    /// Examples of the type as Markdown, empty where there are none.
    fn examples(&self, _description: &Description) -> String {
        String::new()
    }
}

/// Equations as plain text and no references; the function finds the solver of a result.
pub struct PlainText<F>(pub F);

impl<F: Fn(&str) -> Option<&'static Description>> Typeset for PlainText<F> {
    fn equation(&self, name: &str, equation: &Equation) -> String {
        format!("```text\n{name} = {}\n```", equation.text)
    }

    fn solver(&self, result: &str) -> Option<&'static Description> {
        self.0(result)
    }
}

/// The reference page of `description` as Markdown.
///
/// ```
/// use mlsysim_scenario::{Define, PlainText, Scenario, equations, page};
/// # use mlsysim_quantity::{Bandwidth, Bytes, Time};
///
/// /// One decode step, bound by reading the weights.
/// ///
/// /// # Assumptions
/// /// Every weight is read once.
/// ///
/// /// # Excludes
/// /// The KV cache.
/// ///
/// /// # Derivation
/// /// Bytes over bandwidth.
/// #[derive(Clone, Debug, Scenario)]
/// #[scenario(serving)]
/// pub struct WeightRead {
///     /// Bytes of weights read in one step.
///     #[range(>= 0)]
///     pub weights: Bytes,
///     /// Memory bandwidth of the device.
///     #[range(> 0)]
///     pub memory: Bandwidth,
/// }
///
/// #[equations]
/// impl WeightRead {
///     /// Time to stream the weights once.
///     #[unit(ms)]
///     pub fn memory_time(&self) -> Time {
///         self.weights / self.memory
///     }
/// }
///
/// let text = page(WeightRead::describe(), &PlainText(|_: &str| None));
/// assert!(text.starts_with("# WeightRead\n\nServing scenarios"));
/// assert!(text.contains("memory_time = weights / memory"));
/// ```
pub fn page(description: &'static Description, typeset: &dyn Typeset) -> String {
    Page { description, typeset, text: String::new() }.written()
}

struct Page<'a> {
    description: &'static Description,
    typeset: &'a dyn Typeset,
    text: String,
}

impl Page<'_> {
    fn written(mut self) -> String {
        self.title();
        self.notes();
        self.references();
        let examples = self.typeset.examples(self.description);
        if !examples.is_empty() {
            self.block("## Examples");
            self.block(examples.trim());
        }
        self.attributes();
        self.methods();
        self.inputs();
        let attributes = || self.description.results().filter(|(_, output)| !output.is_method());
        if attributes().next().is_some() {
            let outputs: Vec<_> = attributes().collect();
            self.block("## Outputs");
            outputs.into_iter().for_each(|(_, output)| self.output("###", "", output));
        }
        let steps: Vec<_> = self.description.outputs().iter().filter(|output| output.step).collect();
        if !steps.is_empty() {
            self.block("## Steps");
            self.block("Values on the way to the outputs, which only derivations show.");
            steps.into_iter().for_each(|step| self.output("###", "", step));
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        self.text
    }

    /// Adds a block and the empty line after it.
    fn block(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    /// Adds a list of `label: text`, without the entries that have no text.
    fn list(&mut self, entries: &[(&str, String)]) {
        for (label, text) in entries.iter().filter(|(_, text)| !text.is_empty()) {
            let _ = writeln!(self.text, "- {label}: {text}");
        }
        self.text.push('\n');
    }

    fn title(&mut self) {
        let Description { name, family, doc, .. } = self.description;
        let (what, rust, python, built) = match family {
            Family::Scenario(group) => (
                group_title(group),
                format!("scenarios::{group}"),
                Some("engine.scenario_types"),
                "Built from keyword inputs.",
            ),
            Family::Solver(result) => (
                format!("Solvers · finds `{result}`"),
                "solvers".to_string(),
                Some("solvers"),
                "Built from keyword inputs and evaluated by `solve`.",
            ),
            Family::Record => ("Records of the registry".to_string(), "registry".to_string(), None, ""),
            Family::Result => ("Results of solvers".to_string(), "solvers".to_string(), None, ""),
        };
        let python = python.map_or(String::new(), |module| format!(" · Python `mlsysim.{module}.{name}`"));
        self.block(&format!("# {name}"));
        self.block(&format!("{what} · Rust `mlsysim::{rust}::{name}`{python}"));
        self.block(&prose(doc.body()));
        if !built.is_empty() {
            self.block(&format!(
                "{built} Each is listed below with its type, what it allows and its default."
            ));
        }
    }

    fn notes(&mut self) {
        let doc = self.description.doc;
        let equations: Vec<_> = self.description.results().map(|(_, output)| output).collect();
        let said = ["Assumptions", "Excludes"].map(|title| (title, doc.section(title)));
        if equations.is_empty() && said.iter().all(|(_, text)| text.is_none()) {
            return;
        }
        self.block("## Notes");
        if !equations.is_empty() {
            self.block("**Equation.**");
            for output in equations {
                self.block(&self.typeset.equation(&call(output), &output.equation));
            }
        }
        for (title, text) in said {
            if let Some(text) = text {
                self.block(&format!("**{title}.** {}", prose(text)));
            }
        }
    }

    fn references(&mut self) {
        let derivation = self.description.doc.section("Derivation");
        let sourced = self.description.outputs().iter().filter(|output| !output.source.is_empty());
        let solvers = self.description.outputs().iter().filter_map(|output| {
            let solver = self.solver(output)?;
            Some((output.name, format!("the equations of {}", self.typeset.reference(solver.name, solver))))
        });
        let sources: Vec<(&str, String)> =
            sourced.map(|output| (output.name, output.source.to_string())).chain(solvers).collect();
        if derivation.is_none() && sources.is_empty() {
            return;
        }
        self.block("## References");
        if let Some(text) = derivation {
            self.block(&format!("**Derivation.** {}", prose(text)));
        }
        if !sources.is_empty() {
            self.block("**Sources of equations.**");
            for (name, source) in sources {
                let _ = writeln!(self.text, "- `{name}`: {source}");
            }
            self.text.push('\n');
        }
    }

    /// Inputs and outputs in the order of the alphabet.
    fn attributes(&mut self) {
        let fields = self.description.fields.iter().map(|field| (field.name, field.doc));
        let plain = |(_, output): &(usize, &Output)| !output.is_method();
        let outputs = self.description.results().filter(plain).map(|(_, output)| (output.name, output.doc));
        let mut rows: Vec<_> = fields.chain(outputs).collect();
        rows.sort_by_key(|(name, _)| *name);
        self.block("## Attributes");
        let rows = rows.into_iter().map(|(name, doc)| format!("| `{name}` | {} |\n", cell(doc.summary())));
        let table: String = rows.collect();
        self.block(&format!("| Name | Description |\n| --- | --- |\n{}", table.trim_end()));
    }

    fn methods(&mut self) {
        let methods: Vec<_> = self.description.results().filter(|(_, output)| output.is_method()).collect();
        if methods.is_empty() {
            return;
        }
        self.block("## Methods");
        let rows = methods.iter();
        let rows =
            rows.map(|(_, method)| format!("| `{}` | {} |\n", call(method), cell(method.doc.summary())));
        let table: String = rows.collect();
        self.block(&format!("| Name | Description |\n| --- | --- |\n{}", table.trim_end()));
        methods.into_iter().for_each(|(_, method)| self.output("###", "", method));
    }

    fn inputs(&mut self) {
        let record = matches!(self.description.family, Family::Record | Family::Result);
        self.block(if record { "## Fields" } else { "## Inputs" });
        for field in self.description.fields {
            self.block(&format!("### {}", field.name));
            self.block(&prose(field.doc.body()));
            self.list(&[
                ("Type", format!("{}, {}", self.code(&field.value), field.value.phrase(&field.range))),
                ("Unit", unit(field.unit, &field.value)),
                ("Default", default(field)),
            ]);
        }
    }

    /// One output under a heading, and below a solver's result each of its fields.
    fn output(&mut self, heading: &str, owner: &str, output: &'static Output) {
        self.block(&format!("{heading} {owner}{}", call(output)));
        self.block(&prose(output.doc.body()));
        self.block(&self.typeset.equation(&call(output), &output.equation));
        let arguments = output.arguments.iter().map(Argument::text).collect::<Vec<_>>().join("; ");
        let solver = self.solver(output);
        self.list(&[
            ("Arguments", arguments),
            ("Type", self.dimensioned(&output.value)),
            ("Unit", unit(output.unit, &output.value)),
            ("Kind", solver.map_or(kind(output.kind), |_| "").to_string()),
            ("Constants", constants(&output.equation)),
            ("Source", output.source.to_string()),
            ("Error", output.doc.section("Errors").map_or(String::new(), |text| prose(&cell(text)))),
        ]);
        let mut known = Vec::new();
        self.formulas(&output.equation, &mut known);
        let Some(solver) = solver else { return };
        let reference = self.typeset.reference(solver.name, solver);
        self.block(&format!(
            "The inputs of the solver {reference} are bound so; its steps stand on its own page:"
        ));
        let rows = output.bindings.iter();
        let rows = rows.map(|(name, equation)| format!("| `{name}` | `{}` |\n", cell(equation.text)));
        let table: String = rows.collect();
        self.block(&format!("| Input of the solver | Bound to |\n| --- | --- |\n{}", table.trim_end()));
        let owner = format!("{owner}{}.", output.name);
        let results = solver.results().filter(|(_, result)| result.arguments.is_empty());
        results.for_each(|(_, result)| self.output(&format!("{heading}#"), &owner, result));
    }

    /// The formulas that an equation calls, and those that they call, each once.
    fn formulas(&mut self, equation: &Equation, known: &mut Vec<&'static str>) {
        for piece in equation.pieces {
            let (Piece::Formula(Formula { output, .. }, _) | Piece::Mention(Formula { output, .. })) = piece
            else {
                continue;
            };
            if known.contains(&output.name) {
                continue;
            }
            known.push(output.name);
            self.block(&format!("`{}` stands for this. {}", call(output), prose(output.doc.body())));
            self.block(&self.typeset.equation(&call(output), &output.equation));
            self.list(&[("Constants", constants(&output.equation)), ("Source", output.source.to_string())]);
            self.formulas(&output.equation, known);
        }
    }

    /// The solver whose result the output is.
    fn solver(&self, output: &Output) -> Option<&'static Description> {
        match output.value {
            Type::Object(result) if result().family == Family::Result => self.typeset.solver(result().name),
            _ => None,
        }
    }

    /// The type as code, a reference where it is or holds a record.
    fn code(&self, value: &Type) -> String {
        match innermost(value) {
            Type::Object(description) => self.typeset.reference(&value.python(), description()),
            _ => format!("`{}`", value.python()),
        }
    }

    /// The type as code, with the dimension of its quantities.
    fn dimensioned(&self, value: &Type) -> String {
        match innermost(value) {
            Type::Quantity(dimension) => format!("{} ({})", self.code(value), dimension.name),
            _ => self.code(value),
        }
    }
}

impl Argument {
    /// The argument in words, with the input whose keys it takes.
    fn text(&self) -> String {
        let name = self.field.name;
        match self.keys {
            Some(keys) if matches!(self.field.value, Type::Text) => format!("`{name}`, a key of `{keys}`"),
            Some(keys) => {
                format!(
                    "`{name}`, {}; those of `{keys}` are evaluated",
                    self.field.value.phrase(&self.field.range)
                )
            }
            None => format!("`{name}`, {}", self.field.value.phrase(&self.field.range)),
        }
    }
}

/// The name of an output, with its arguments if it has some.
fn call(output: &Output) -> String {
    let arguments: Vec<_> = output.arguments.iter().map(|argument| argument.field.name).collect();
    if !output.is_method() {
        output.name.to_string()
    } else {
        format!("{}({})", output.name, arguments.join(", "))
    }
}
