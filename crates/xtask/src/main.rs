//! `cargo xtask`: the project's own commands.
//!
//! `test` runs everything that has to hold, `docs` writes the generated pages and stubs, `book`
//! makes the HTML of the manual, `bench` measures.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for people at a terminal")]

mod bench;
mod deny;
mod docs;
mod generated;
mod python;
mod shell;
mod stubs;
mod test;
mod tidy;

use std::error::Error;
use std::process::ExitCode;

/// The result of everything here: a failure is a message for a person.
type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test [--list] [--only STEP]... [--skip STEP]...
                   run every check, or some of its steps
  docs [--check]   write the generated pages, examples and stubs, or say which are stale
  book             make the HTML manual in docs/book
  bench [--reference PYTHON] [--clean]
                   measure, beside the wanted figures and mlsysim 0.3.0";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["test", options @ ..] => test::run(options),
        ["docs"] => generated::write(),
        ["docs", "--check"] => generated::check(),
        ["book"] => docs::book(),
        ["bench", options @ ..] => bench::run(options),
        ["--help" | "-h" | "help"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => Err(format!("this is no command of cargo xtask\n\n{USAGE}").into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
