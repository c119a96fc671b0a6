//! `cargo xtask test`: everything that has to hold, step by step, up to the first failure.

use std::time::Instant;

use crate::shell::{self, cargo, command, files, is_there, read};
use crate::{Result, deny, generated, python, tidy};

/// One thing that has to hold.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result,
}

/// All steps; what answers soonest comes first.
const STEPS: [Step; 11] = [
    Step { name: "format", about: "every Rust file is formatted", run: format },
    Step { name: "tidy", about: "the conventions that no other tool checks", run: tidy::check },
    Step { name: "clippy", about: "no warnings in any target", run: clippy },
    Step { name: "generated", about: "pages, examples and stubs are up to date", run: generated::check },
    Step { name: "tests", about: "unit, integration and compile-fail tests", run: tests },
    Step { name: "doctests", about: "the examples of the crates and of the manual", run: doctests },
    Step { name: "answers", about: "agreement with the golden records and known answers", run: answers },
    Step { name: "package", about: "the Python package builds and installs", run: python::install },
    Step {
        name: "pytest",
        about: "the tests of the Python package and the manual's examples",
        run: python::tests,
    },
    Step { name: "mypy", about: "the Python package and its stubs are typed", run: python::types },
    Step { name: "deny", about: "licences and origins of the dependencies", run: deny::check },
];

/// Runs the steps that the options choose.
///
/// # Errors
///
/// An unknown option or step; the first step that fails.
pub fn run(options: &[&str]) -> Result {
    let (mut only, mut skip) = (Vec::new(), Vec::new());
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        let chosen = match *option {
            "--list" => {
                STEPS.iter().for_each(|step| println!("{:<10} {}", step.name, step.about));
                return Ok(());
            }
            "--only" => &mut only,
            "--skip" => &mut skip,
            other => return Err(format!("`{other}` is not --list, --only STEP or --skip STEP").into()),
        };
        let name = rest.next().ok_or_else(|| format!("{option} needs the name of a step"))?;
        if !STEPS.iter().any(|step| step.name == *name) {
            let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
            return Err(format!("there is no step `{name}`; there is {}", names.join(", ")).into());
        }
        chosen.push(*name);
    }
    let chosen = |step: &&Step| (only.is_empty() || only.contains(&step.name)) && !skip.contains(&step.name);
    let mut passed = 0;
    for step in STEPS.iter().filter(chosen) {
        println!("== {}: {}", step.name, step.about);
        let start = Instant::now();
        let outcome = (step.run)();
        let seconds = start.elapsed().as_secs_f64();
        if let Err(error) = outcome {
            println!("-- {} FAILED after {seconds:.1} s\n\n{error}\n", step.name);
            println!("{passed} passed, 1 failed");
            return Err(
                format!("`cargo xtask test --only {}` repeats the step that failed", step.name).into()
            );
        }
        println!("-- {} passed in {seconds:.1} s\n", step.name);
        passed += 1;
    }
    println!("{passed} passed, 0 failed");
    Ok(())
}

fn format() -> Result {
    let files = files()?;
    let rust = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    shell::run(command("rustfmt", &["--check"]).args(rust))
}

fn clippy() -> Result {
    shell::run(&mut cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn tests() -> Result {
    if is_there("cargo-nextest", "--version") {
        let quiet = ["--no-fail-fast", "--status-level", "fail", "--hide-progress-bar", "--cargo-quiet"];
        return shell::run(cargo(&["nextest", "run", "--workspace"]).args(quiet));
    }
    shell::run(&mut cargo(&["test", "--quiet", "--workspace", "--lib", "--bins", "--tests"]))
}

fn doctests() -> Result {
    shell::run(&mut cargo(&["test", "--quiet", "--doc", "--workspace"]))
}

/// Repeats the tests against recorded numbers for the lines in which they say what they compared,
/// and those of laws for their names.
fn answers() -> Result {
    const ANSWERS: [&str; 7] = [
        "golden",
        "registry",
        "known_answers",
        "parameters",
        "measured_memory",
        "measured_floor",
        "measured_ranking",
    ];
    const LAWS: [&str; 5] = ["accounting_laws", "collectives", "laws", "machines", "prediction_laws"];
    let run = |tests: &[&str], options: &[&str]| {
        let chosen = tests.iter().flat_map(|test| ["--test", test]);
        read(cargo(&["test", "--package", "mlsysim"]).args(chosen).arg("--").args(options))
    };
    let printed = run(&ANSWERS, &["--nocapture", "--test-threads", "1"])?;
    let told = printed.lines().filter_map(|line| {
        let start = ["golden ", "known answers", "parameters", "measured "]
            .iter()
            .find_map(|start| line.find(start))?;
        line[start..].contains(": ").then(|| line[start..].to_string())
    });
    let told: Vec<String> = told.collect();
    let laws = run(&LAWS, &[])?;
    let held = laws.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... ok"));
    let held: Vec<String> = held.map(|name| format!("law: {}", name.replace('_', " "))).collect();
    if told.is_empty() {
        return Err("no test said what it compared".into());
    }
    told.iter().chain(&held).for_each(|line| println!("{line}"));
    println!("{} laws hold", held.len());
    Ok(())
}
