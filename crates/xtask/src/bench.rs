//! `cargo xtask bench`: how long everything takes that a user waits for, beside the wanted figures.
//!
//! With `--reference PYTHON`, a Python that has mlsysim 0.3.0, the same work is timed there too;
//! `--clean` adds a release build from nothing.

mod reference;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime};

use crate::Result;
use crate::shell::{self, cargo, command};

/// The named case that everything is measured on.
const CASE: &str = "Llama2_70BPrefillTensorParallel8";

/// The lines that `eval` is given.
const LINES: u32 = 200_000;

/// The file that a contributor is taken to edit.
const EDITED: &str = "crates/models/src/scenarios/serving/tensor_parallel_speedup.rs";

/// One line of the table.
struct Row {
    what: &'static str,
    /// The median, in seconds.
    took: f64,
    /// What is wanted, in seconds; nothing where no figure was set.
    wanted: Option<f64>,
    /// How long the reference takes, in seconds.
    reference: Option<f64>,
}

/// What the command line asks for.
#[derive(Default)]
struct Options {
    reference: Option<PathBuf>,
    clean: bool,
}

/// Measures and prints the table.
///
/// # Errors
///
/// An unknown option; a program that does not build or run.
pub fn run(arguments: &[&str]) -> Result {
    let options = Options::read(arguments)?;
    let reference = options.reference.as_deref().map(reference::measure).transpose()?;
    let reference = reference.unwrap_or_default();
    let mut rows = criterion(&reference)?;
    rows.extend(command_line(&reference)?);
    rows.extend(plans()?);
    rows.extend(python(&reference)?);
    rows.extend(builds(options.clean)?);
    print(&rows);
    Ok(())
}

impl Options {
    fn read(arguments: &[&str]) -> Result<Self> {
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "--clean" => options.clean = true,
                "--reference" => {
                    let python = rest.next().ok_or("--reference needs a Python that has mlsysim 0.3.0")?;
                    options.reference = Some(PathBuf::from(python));
                }
                other => {
                    return Err(format!(
                        "bench has no option `{other}`; it has --reference PYTHON and --clean"
                    )
                    .into());
                }
            }
        }
        Ok(options)
    }
}

/// The benchmarks of the library, as criterion measures them.
fn criterion(reference: &reference::Times) -> Result<Vec<Row>> {
    eprintln!("the library …");
    let rows = [
        ("speedup", "all outputs of the speed-up scenario", 100e-9, reference.speedup),
        ("layer", "the layer model with two links", 300e-9, reference.layer),
        ("catalogue_median", "the median output of all named cases", 200e-9, None),
        ("gate", "\"0.3 ms\" to a typed time", f64::NAN, reference.gate),
        ("lines/eval_line", "a line of JSON to a line of JSON", 5e-6, reference.line),
        ("account", "the account of a layout, from scratch", 2e-6, None),
        ("account_of_division", "the account of a division", 2e-6, None),
        ("placed_layout_with_memory_Llama3_70B", "a placed layout with memory, Llama 3 70B", 5e-6, None),
        ("placed_layout_with_memory_DeepSeek_V3", "the same of DeepSeek-V3", 5e-6, None),
        ("prediction_Llama3_70B", "the predicted step of a layout, Llama 3 70B", 10e-6, None),
        ("prediction_DeepSeek_V3", "the same of DeepSeek-V3", 10e-6, None),
        ("import", "a config.json to a model", 1e-3, None),
    ];
    shell::run(cargo(&["bench", "--quiet", "--package", "mlsysim", "--bench", "*"]).stdout(Stdio::null()))?;
    rows.into_iter()
        .map(|(name, what, wanted, reference)| {
            let wanted = Some(wanted).filter(|wanted| wanted.is_finite());
            Ok(Row { what, took: estimate(name)?, wanted, reference })
        })
        .collect()
}

/// The median that criterion wrote for a benchmark, in seconds.
fn estimate(name: &str) -> Result<f64> {
    let path = shell::target().join("criterion").join(name).join("new/estimates.json");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let median = text.split("\"median\"").nth(1).and_then(|rest| rest.split("\"point_estimate\":").nth(1));
    let number = median.and_then(|rest| rest.split([',', '}']).next()?.trim().parse::<f64>().ok());
    Ok(number.ok_or_else(|| format!("{} holds no median", path.display()))? * 1e-9)
}

/// The command, built for release: its start, and its pace over many lines.
fn command_line(reference: &reference::Times) -> Result<Vec<Row>> {
    eprintln!("the command …");
    shell::run(&mut cargo(&["build", "--quiet", "--release", "--package", "mlsysim-cli"]))?;
    let program = shell::target().join("release").join(format!("mlsysim{}", std::env::consts::EXE_SUFFIX));
    let start = median(30, || time(silent(&program).args(["run", CASE])))?;
    let lines = write_lines()?;
    let eval = median(5, || time(silent(&program).arg("eval").arg(&lines)))?;
    let golden = ["training", "serving", "communication", "memory_kv"]
        .map(|group| shell::root().join("tests/golden/scenarios").join(format!("{group}.jsonl")));
    let cases = median(30, || time(silent(&program).arg("eval").args(&golden)))?;
    println!("eval: {:.0} lines a second, {:.0} wanted", f64::from(LINES) / eval, 200_000.0);
    Ok(vec![
        Row {
            what: "`run` of a named case, cold",
            took: start,
            wanted: Some(10e-3),
            reference: reference.command,
        },
        Row { what: "`eval` of all 170 golden cases", took: cases, wanted: Some(50e-3), reference: None },
        Row {
            what: "`eval` of 200,000 lines",
            took: eval,
            wanted: Some(1.0),
            reference: reference.line.map(|line| line * f64::from(LINES)),
        },
    ])
}

/// A plan of ten million layouts and more, all of them priced and only those that could be the best.
const PLAN: &str = "gpt3_ten_million.toml";

/// Plans, by the command that [`command_line`] built.
fn plans() -> Result<Vec<Row>> {
    eprintln!("plans …");
    let program = shell::target().join("release").join(format!("mlsysim{}", std::env::consts::EXE_SUFFIX));
    let plan = |options: &[&str]| {
        let mut command = silent(&program);
        command.arg("plan").args(options).current_dir(shell::root().join("examples"));
        command
    };
    let usual =
        ["train", "--model", "Llama3_70B", "--on", "Training_512_H100", "--batch", "512", "--seq", "8192"];
    let took = median(5, || time(&mut plan(&usual)))?;
    let pruned = median(5, || time(&mut plan(&[PLAN])))?;
    let all = median(3, || time(&mut plan(&[PLAN, "--exhaustive"])))?;
    let row = |what, took, wanted| Row { what, took, wanted: Some(wanted), reference: None };
    Ok(vec![
        row("`plan train` of Llama 3 70B on 512, cold", took, 1.0),
        row("GPT-3 on 1,024, 10 million, pruned", pruned, 1.0),
        row("GPT-3 on 1,024, 10 million, all priced", all, 15.0),
    ])
}

/// A file of lines that all differ.
fn write_lines() -> Result<PathBuf> {
    let path = shell::target().join("bench/lines.jsonl");
    fs::create_dir_all(shell::target().join("bench"))?;
    let mut file = BufWriter::new(File::create(&path)?);
    for index in 0..LINES {
        let (degree, time) = (1 << (index % 7), 0.1 + f64::from(index) * 1e-6);
        writeln!(
            file,
            r#"{{"id":{index},"type":"TensorParallelSpeedupScenario","inputs":{{"serial_layer_times":{{"attention":"12 ms","feed-forward":"18 ms"}},"tp_size":{degree},"allreduce_time":"{time} ms","layers":80}}}}"#
        )?;
    }
    file.flush()?;
    Ok(path)
}

/// The import of the Python package, where it is installed.
fn python(reference: &reference::Times) -> Result<Vec<Row>> {
    let python = shell::target().join("venv/bin/python");
    if !python.exists() {
        eprintln!("the Python package is not installed; `cargo xtask test --only package` does that");
        return Ok(Vec::new());
    }
    eprintln!("the Python package …");
    let took = import(&python)?;
    Ok(vec![Row { what: "`import mlsysim`", took, wanted: Some(60e-3), reference: reference.import }])
}

/// The median time of `import mlsysim` in a fresh Python, without the start of Python itself.
fn import(python: &Path) -> Result<f64> {
    const SCRIPT: &str =
        "import time; start = time.perf_counter(); import mlsysim; print(time.perf_counter() - start)";
    // From elsewhere, so that the installed package is found and not the tree's.
    median(10, || {
        let printed = shell::read(Command::new(python).args(["-c", SCRIPT]).current_dir(shell::target()))?;
        Ok(printed.trim().parse()?)
    })
}

/// What a contributor waits for after an edit, and a packager for everything.
fn builds(clean: bool) -> Result<Vec<Row>> {
    eprintln!("the builds …");
    let build = || cargo(&["build", "--quiet", "--package", "mlsysim-cli"]);
    shell::run(&mut build())?;
    let edited = shell::root().join(EDITED);
    let edit = median(3, || {
        File::options().append(true).open(&edited)?.set_modified(SystemTime::now())?;
        time(&mut build())
    })?;
    let mut rows = vec![Row {
        what: "rebuild after an edit of a scenario",
        took: edit,
        wanted: Some(10.0),
        reference: None,
    }];
    if clean {
        let folder = shell::target().join("bench/clean");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let mut build = cargo(&["build", "--quiet", "--release", "--package", "mlsysim-cli", "--target-dir"]);
        let took = time(build.arg(&folder))?;
        rows.push(Row { what: "release build from nothing", took, wanted: Some(180.0), reference: None });
    }
    Ok(rows)
}

/// A program whose output nobody reads.
fn silent(program: &Path) -> Command {
    let mut command = command(program, &[]);
    command.stdout(Stdio::null());
    command
}

/// How long a command takes, in seconds.
fn time(command: &mut Command) -> Result<f64> {
    let start = Instant::now();
    shell::run(command)?;
    Ok(start.elapsed().as_secs_f64())
}

/// The median of several measurements.
fn median(times: usize, mut measure: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut taken = (0..times).map(|_| measure()).collect::<Result<Vec<f64>>>()?;
    taken.sort_by(f64::total_cmp);
    Ok(taken[taken.len() / 2])
}

fn print(rows: &[Row]) {
    println!("\n{:<40} {:>10} {:>10}      {:>10} {:>10}", "medians", "took", "wanted", "0.3.0", "times");
    for Row { what, took, wanted, reference } in rows {
        let verdict = wanted.map_or("", |wanted| if *took <= wanted { "met" } else { "MISSED" });
        let shown = |time: Option<f64>| time.map_or(String::new(), shown);
        let ratio = reference.map_or(String::new(), |reference| format!("{:.0}", reference / took));
        println!(
            "{what:<40} {:>10} {:>10} {verdict:<6} {:>8} {ratio:>10}",
            shown(Some(*took)),
            shown(*wanted),
            shown(*reference),
        );
    }
}

/// A time in the unit that suits it, to three digits.
fn shown(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let (size, unit) = units.into_iter().find(|(size, _)| seconds >= *size).unwrap_or((1e-9, "ns"));
    let number = seconds / size;
    let decimals = if number >= 100.0 { 0 } else { usize::from(number < 10.0) + 1 };
    format!("{number:.decimals$} {unit}")
}
