//! The `mlsysim` command.
//!
//! Answers go to standard output, diagnostics to standard error. Exit codes: 0 done, 1 bad input, 2 infeasible,
//! 3 a requirement is not kept.

mod account;
mod arguments;
mod calibrate;
mod case;
mod configuration;
mod eval;
mod explain;
mod files;
mod import;
mod list;
mod measurements;
mod numbers;
mod output;
mod picture;
mod plan;
mod predict;
mod run;
mod show;
mod target;
mod tp;
mod validate;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::arguments::{Arguments, Command};
use crate::output::Failure;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // A wish for help is no error, and any other mistake is bad input: exit code 1.
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let _ = error.print();
            return if asked { ExitCode::SUCCESS } else { ExitCode::from(1) };
        }
    };
    match dispatch(arguments) {
        Ok(code) => code,
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Refused(message)) => {
            output::complain(&message);
            ExitCode::from(1)
        }
    }
}

fn dispatch(arguments: Arguments) -> Result<ExitCode, Failure> {
    let format = arguments.output;
    match arguments.command {
        Command::List { what, group } => list::list(what.as_deref(), group.as_deref(), format),
        Command::Show { name } => show::show(&name, format),
        Command::Run { name, set } => run::run(&name, &set, format),
        Command::Explain { name, set } => explain::explain(&name, &set, format),
        Command::Import { path } => import::import(&path, format),
        Command::Account(options) => account::account(&options, format),
        Command::Predict(options) => predict::predict(&options, format),
        Command::Tp(options) => tp::tp(*options, format),
        Command::Plan(options) => plan::plan(&options, format),
        Command::Calibrate(options) => calibrate::calibrate(&options, format),
        Command::Validate(options) => validate::validate(&options, format),
        Command::Eval { files } => eval::eval(&files),
        Command::Schema { name } => show::schema(&name),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "mlsysim", &mut script);
            output::print(&String::from_utf8_lossy(&script))
        }
    }
}
