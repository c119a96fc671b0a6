//! Console blocks: each command of `mlsysim` in a page, followed by what it prints.
//!
//! A block begins with the fence ` ```console `; a line `$ mlsysim …` is a command, and what
//! follows up to the next one is its output, which is written here. A block that begins with
//! ` ```console,fails ` shows refusals.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::shell::root;

/// The page with the output of each command filled in; `path` leads to it from the root, and the
/// commands run in its folder.
///
/// # Errors
///
/// A command is not one of `mlsysim`, or fails where it should not or succeeds where it should not.
pub fn filled(page: &str, path: &str, program: &Path) -> Result<String> {
    let mut text = String::with_capacity(page.len());
    let mut lines = page.split_inclusive('\n');
    while let Some(line) = lines.next() {
        text.push_str(line);
        let fails = match line.trim_end() {
            "```console" => false,
            "```console,fails" => true,
            _ => continue,
        };
        for line in lines.by_ref() {
            if line.trim_end() == "```" {
                text.push_str(line);
                break;
            }
            if let Some(command) = line.trim_end().strip_prefix("$ ") {
                let printed =
                    output(command, path, program, fails).map_err(|error| format!("{path}: {error}"))?;
                text.push_str(&format!("$ {command}\n{printed}"));
            }
        }
    }
    Ok(text)
}

/// What a command prints, on both streams.
fn output(command: &str, path: &str, program: &Path, fails: bool) -> Result<String> {
    let mut words = words(command)?.into_iter();
    if words.next().as_deref() != Some("mlsysim") {
        return Err(format!("`{command}` is no command of mlsysim, so nobody can check its output").into());
    }
    let folder = root().join(path);
    let output = Command::new(program)
        .args(words)
        .current_dir(folder.parent().filter(|folder| folder.is_dir()).unwrap_or(&root()))
        .envs([("NO_COLOR", "1"), ("COLUMNS", "100"), ("TERM", "dumb")])
        .env_remove("CLICOLOR_FORCE")
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let mut printed = String::from_utf8(output.stdout)?;
    printed.push_str(&String::from_utf8(output.stderr)?);
    // What is infeasible is an answer too, with an exit code of its own.
    let answered = matches!(output.status.code(), Some(0 | 2 | 3));
    if answered == fails {
        let did = if fails { "succeeds, though the block says that it fails" } else { "fails" };
        return Err(format!("`{command}` {did}:\n{printed}").into());
    }
    let lines = printed.lines().map(|line| line.trim_end().to_string() + "\n");
    Ok(lines.collect::<String>().trim_end_matches('\n').to_string() + "\n")
}

/// The words of a command line, as a shell splits them; quotes keep spaces together.
fn words(line: &str) -> Result<Vec<String>> {
    let mut within: Option<char> = None;
    let outside = line.chars().filter(|letter| {
        match within {
            Some(open) if open == *letter => within = None,
            None if matches!(letter, '"' | '\'') => within = Some(*letter),
            _ => {}
        }
        within.is_none()
    });
    let needs_shell = |sign: &char| matches!(sign, '|' | '>' | '<' | ';' | '&' | '$' | '`');
    if let Some(sign) = outside.collect::<String>().chars().find(needs_shell) {
        return Err(format!("`{line}` needs a shell for `{sign}`").into());
    }
    let mut words = Vec::new();
    let (mut word, mut quote): (Option<String>, Option<char>) = (None, None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), letter) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, letter) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(format!("`{line}` has an open quote").into());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_spaces() {
        let split = words("mlsysim run X --set 'links={\"a b\": \"1 GB/s\"}'").unwrap_or_default();
        assert_eq!(split, ["mlsysim", "run", "X", "--set", "links={\"a b\": \"1 GB/s\"}"]);
        assert!(words("mlsysim list | head").is_err());
        assert!(words("mlsysim 'list").is_err());
    }
}
