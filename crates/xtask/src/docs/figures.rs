//! The figures in the text of a page are those that its commands print.

/// Decimal numbers in the text of a page, outside code, that none of its blocks of code shows.
///
/// A figure in the text may be rounded: 6.9 stands for 6.89655.
pub fn unshown(page: &str) -> Vec<String> {
    let (mut text, mut shown) = (Vec::new(), Vec::new());
    let mut code = false;
    for line in page.lines() {
        if line.starts_with("```") {
            code = !code;
        } else if code {
            shown.extend(decimals(line).filter_map(|figure| figure.parse::<f64>().ok()));
        } else {
            text.push(line);
        }
    }
    let stands = |figure: &str| {
        let places = figure.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        shown.iter().any(|known| format!("{known:.places$}") == figure)
    };
    // What stands between backticks is code, every second piece.
    let prose = text.iter().flat_map(|line| line.split('`').step_by(2));
    let figures = prose.flat_map(decimals).filter(|figure| figure.contains('.') && !stands(figure));
    figures.map(str::to_string).collect()
}

/// The numbers in a line; those of versions, such as 0.3.0, are none.
fn decimals(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.');
    let trimmed = words.map(|word| word.trim_matches('.'));
    trimmed.filter(|word| {
        word.starts_with(|letter: char| letter.is_ascii_digit()) && word.parse::<f64>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_may_be_rounded_and_not_invented() {
        let page = "It is 6.9 times, not 7.1, by `x 1.5` of 0.3.0.\n```console\n$ mlsysim run X\nspeedup 6.89655\n```\n";
        assert_eq!(unshown(page), ["7.1"]);
    }
}
