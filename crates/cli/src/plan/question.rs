//! The options of `mlsysim plan`, or a plan file, as a question.

use std::path::Path;
use std::sync::Arc;

use mlsysim::machine::Figures;
use mlsysim::search::{PlanFile, PlanQuestion};
use mlsysim::{Error, Map, Name, Value};

use crate::arguments::PlanOptions;
use crate::configuration;
use crate::measurements::calibrations;
use crate::output::Failure;

/// The longest plan file that is read.
const LONGEST: u64 = 1 << 20;

/// What cannot be left out: the option, its input, and an example of it.
const NEEDED: [(&str, &str, &str); 4] = [
    ("model", "model", "Llama3_70B"),
    ("on", "on", "Training_512_H100"),
    ("batch", "batch", "512"),
    ("seq", "sequence", "4096"),
];

/// The options that are given, which a plan file says too.
fn given(options: &PlanOptions) -> Vec<(&'static str, Value)> {
    let texts = [
        ("model", &options.model),
        ("on", &options.on),
        ("devices", &options.devices),
        ("fabric", &options.fabric),
        ("batch", &options.batch),
        ("seq", &options.seq),
        ("tokens", &options.tokens),
        ("goal", &options.goal),
        ("top", &options.top),
        ("pareto", &options.pareto),
        ("precision", &options.precision),
        ("gradients", &options.gradients),
        ("price", &options.price),
        ("region", &options.region),
    ];
    let lists = [
        ("fix", &options.fix),
        ("forbid", &options.forbid),
        ("require", &options.require),
        ("state", &options.state),
    ];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)));
    let texts = texts.map(|(name, text)| match name {
        "batch" | "seq" | "tokens" | "top" => (name, Value::from_argument(text)),
        _ => (name, Value::text(text)),
    });
    let lists = lists.into_iter().filter(|(_, texts)| !texts.is_empty());
    texts
        .chain(lists.map(|(name, texts)| (name, Value::List(texts.iter().map(Value::text).collect()))))
        .collect()
}

/// Reads the options, or the file that they name.
pub fn read(options: &PlanOptions) -> Result<PlanQuestion, Failure> {
    let mut question = if options.what == "train" { stated(options)? } else { file(options)? };
    if let Some(folder) = &options.calibration {
        question.plan.calibrations = Some(Arc::new(calibrations(Some(folder))?.into_owned()));
    }
    Ok(question)
}

fn stated(options: &PlanOptions) -> Result<PlanQuestion, Failure> {
    let mut inputs: Map<Value> = Map::new();
    for (name, value) in given(options) {
        inputs.insert(Name::from(if name == "seq" { "sequence" } else { name }), value);
    }
    if !options.state.is_empty() {
        inputs.insert("state".into(), Value::Map(Figures::named(&options.state.join(","))?));
    }
    for (name, input, example) in NEEDED {
        if !inputs.contains_key(input) {
            let message = format!("it is needed, as in `--{name} {example}`");
            return Err(Error::input(name, message).into());
        }
    }
    if options.memory.schedule.is_some() {
        let message = "a plan chooses the order of passes; write `--fix schedule=gpipe` for one of them";
        return Err(Error::input("schedule", message).into());
    }
    if options.memory.recompute_layers.is_some() {
        let message = "a plan computes all layers of a stage again, or none; leave it out";
        return Err(Error::input("recompute-layers", message).into());
    }
    let file = PlanFile::from_options(inputs).map_err(as_written)?;
    let file = PlanFile { memory: Some(Arc::new(options.memory.policy()?)), ..file };
    let model = configuration::named(&file.model)?;
    Ok(PlanQuestion::new(&file, model).map_err(as_written)?)
}

/// `error` about the option that the user wrote.
pub fn as_written(error: Error) -> Error {
    let field = error.field().unwrap_or_default();
    match field.split_once('[').map_or(field, |(list, _)| list) {
        "sequence" => error.about("seq"),
        // A list of one place is no list to the user.
        list => {
            // A figure is named as it was given.
            let list = list.strip_prefix("state.").unwrap_or(list).to_string();
            if list.is_empty() { error } else { error.about(&list) }
        }
    }
}

fn file(options: &PlanOptions) -> Result<PlanQuestion, Failure> {
    let name = options.what.as_str();
    let path = Path::new(name);
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    if !is_yaml && path.extension().is_none_or(|extension| extension != "toml") {
        return Err(Failure::Refused(format!(
            "`{name}` is neither `train` nor a plan file, whose name ends with `.toml` or `.yaml`"
        )));
    }
    let options_given = given(options).into_iter().map(|(option, _)| option);
    if let Some(option) = options_given.chain(options.memory.given()).next() {
        let message = format!("`{name}` says all of a plan; change it there, and leave the option out");
        return Err(Error::input(option, message).into());
    }
    let failed = |error: std::io::Error| Failure::Refused(format!("{name}: {error}"));
    let length = std::fs::metadata(path).map_err(failed)?.len();
    if length > LONGEST {
        return Err(Failure::Refused(format!(
            "{name}: a plan has a few kilobytes, but this file has {length}"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let in_file = |error: Error| {
        let place = error.place().map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
        let field = error.field().map_or(String::new(), |field| format!("{field}: "));
        Failure::Refused(format!("{name}{place}: {field}{}", error.message()))
    };
    let file = if is_yaml { PlanFile::from_yaml(&text) } else { PlanFile::from_toml(&text) };
    let file = file.map_err(in_file)?;
    let model = configuration::named_in(path.parent().unwrap_or(Path::new("")), &file.model)?;
    PlanQuestion::new(&file, model).map_err(in_file)
}
