//! Equations as MathML, which browsers show by themselves.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};
use mlsysim_scenario::Equation;

use crate::Result;

/// `name = equation` as a block of MathML.
///
/// # Errors
///
/// The LaTeX of the equation cannot be read.
pub fn block(name: &str, equation: &Equation) -> Result<String> {
    let converter = LatexToMathML::new(MathCoreConfig::default()).map_err(|(error, ..)| error.to_string())?;
    // As text a name stays in one piece: in upright letters its digits would be numbers.
    let latex = format!("{} = {}", symbol(name), equation.latex).replace(r"\mathrm{", r"\text{");
    let mathml = converter
        .convert_with_local_counter(&latex, MathDisplay::Block)
        .map_err(|error| format!("the equation of {name} cannot be set: {error}\n  {latex}"))?;
    // In a block of its own, which Markdown leaves alone.
    Ok(format!("<div class=\"equation\">\n{mathml}\n</div>"))
}

/// A name in upright letters.
fn symbol(name: &str) -> String {
    format!(r"\mathrm{{{}}}", name.replace('_', r"\_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_identifier() {
        let equation = Equation { text: "", latex: r"\frac{\mathrm{BYTES\_16\_BIT}}{2}", pieces: &[] };
        let block = block("tp_time", &equation).unwrap_or_else(|error| panic!("{error}"));
        assert!(block.contains("<mtext>tp_time</mtext>"), "{block}");
        assert!(block.contains("<mfrac>") && block.contains("<mtext>BYTES_16_BIT</mtext>"), "{block}");
    }
}
