//! The same work in the Python reference, mlsysim 0.3.0.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{CASE, import, median, time};
use crate::Result;
use crate::shell;

/// How long the reference takes, in seconds; nothing where it was not asked.
#[derive(Default)]
pub struct Times {
    pub speedup: Option<f64>,
    pub layer: Option<f64>,
    pub gate: Option<f64>,
    pub line: Option<f64>,
    pub import: Option<f64>,
    pub command: Option<f64>,
}

/// Prints the medians of each piece of work, one a line, in the order of [`Times`].
const SCRIPT: &str = r#"
import json, statistics, sys, timeit
import mlsysim, pint
from mlsysim import Scenarios
speedup = getattr(Scenarios, sys.argv[1])
layer = Scenarios.Gpt3TensorParallelLayerTp8
quantity = type(speedup.allreduce_time)

def outputs(case):
    return [case.sharded(phase) for phase in case.serial_layer_times] + [
        case.serial_layer_time, case.sharded_compute_time, case.parallel_layer_time,
        case.speedup, case.serial_total, case.parallel_total]

def line():
    text = '{"tp_size": 8, "layers": 80, "allreduce_time": "0.3 ms", "serial_layer_times": {"attention": "12 ms", "feed-forward": "18 ms"}}'
    inputs = json.loads(text)
    inputs["allreduce_time"] = quantity(inputs["allreduce_time"])
    inputs["serial_layer_times"] = {name: quantity(time) for name, time in inputs["serial_layer_times"].items()}
    return json.dumps([str(output) for output in outputs(type(speedup)(name="", description="", **inputs))])

for work in (lambda: outputs(speedup), lambda: layer.result, lambda: quantity("0.3 ms"), line):
    number = 20
    print(statistics.median(timeit.repeat(work, number=number, repeat=30)) / number)
"#;

/// Times the reference in `python`.
///
/// # Errors
///
/// The Python has no mlsysim 0.3.0.
pub fn measure(python: &Path) -> Result<Times> {
    eprintln!("the reference …");
    let printed = shell::read(Command::new(python).args(["-c", SCRIPT, CASE]).current_dir(shell::target()))?;
    let taken = printed.lines().map(|line| Ok(line.parse()?)).collect::<Result<Vec<f64>>>()?;
    let [speedup, layer, gate, line] = taken.as_slice() else {
        return Err(format!("the reference printed {printed}").into());
    };
    let program = python.with_file_name("mlsysim");
    let start =
        || time(Command::new(&program).arg("--help").stdout(Stdio::null()).current_dir(shell::target()));
    Ok(Times {
        speedup: Some(*speedup),
        layer: Some(*layer),
        gate: Some(*gate),
        line: Some(*line),
        import: Some(import(python)?),
        command: Some(median(5, start)?),
    })
}
