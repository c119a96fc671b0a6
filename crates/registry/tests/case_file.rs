//! A case as TOML: its numbers are read as TOML means them, and what is wrong is said with its place.
#![allow(clippy::unwrap_used)]

use mlsysim_quantity::{Bandwidth, Time};
use mlsysim_registry::{Registry, read_case};
use mlsysim_scenario::{Case, Define, Library, Map, Result, Scenario, Value, equations};

/// Something to read.
///
/// # Assumptions
/// None.
///
/// # Excludes
/// Everything else.
///
/// # Derivation
/// Given.
#[derive(Clone, Debug, Scenario)]
#[scenario(serving)]
struct Reading {
    /// A count.
    #[range(>= 0)]
    #[default(0)]
    count: u64,
    /// A number.
    #[range(any, infinite)]
    #[default(0.0)]
    number: f64,
    /// A time.
    #[range(>= 0)]
    #[default("0 s")]
    time: Time,
    /// Links by name.
    #[range(> 0)]
    #[default(Map::new())]
    links: Map<Bandwidth>,
}

#[equations]
impl Reading {
    /// The number again.
    pub fn again(&self) -> f64 {
        self.number
    }
}

fn read(text: &str) -> Result<Case> {
    read_case(text, Map::new(), &registry())
}

fn registry() -> Registry {
    Registry::new(&[Reading::describe])
}

fn reading(inputs: &str) -> Result<Case> {
    read(&format!("[case]\ntype = \"Reading\"\n\n[inputs]\n{inputs}\n"))
}

#[test]
fn values_mean_what_toml_says() {
    let cases = [
        ("count = 1_000", "count", "1000"),
        ("count = 0x10", "count", "16"),
        ("count = 2e3", "count", "2000"),
        ("count = \"2048\"", "count", "2048"),
        ("number = -0.5", "number", "-0.5"),
        ("number = 1_000.25", "number", "1000.25"),
        ("number = 6.02e23", "number", "6.02e23"),
        ("number = inf", "number", "inf"),
        ("number = \"5 %\"", "number", "0.05"),
        ("time = \"0.3 ms\"", "time", "0.0003 s"),
        ("time = { value = 3, unit = \"ms\" }", "time", "0.003 s"),
        ("links = { b = \"2 GB/s\", a = \"1 GB/s\" }", "links", "{b: 2e9 B/s, a: 1e9 B/s}"),
        ("[inputs.links]\nb = \"400 Gbps\"\n\"a b\" = \"1 GB/s\"", "links", "{b: 5e10 B/s, a b: 1e9 B/s}"),
        (
            "links = { a = \"@Hardware.Cloud.H100.nvlink.bandwidth_per_direction\" }",
            "links",
            "{a: 4.5e11 B/s}",
        ),
    ];
    for (text, field, expected) in cases {
        let case = reading(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let (index, _) = case.item().description().field(field).unwrap();
        assert_eq!(case.item().field(index).to_string(), expected, "{text}");
    }
}

#[test]
fn what_is_wrong_has_a_place() {
    let cases = [
        ("", "line 1, column 1: a case needs the section [case] with its `type`"),
        ("[case]\nname = \"A\"", "line 1, column 2: type: the case needs its scenario's type"),
        (
            "[case]\ntype = \"Readin\"",
            "line 2, column 1: type: there is no scenario type `Readin`; did you mean `Reading`?",
        ),
        (
            "[case]\ntype = \"Reading\"\ntitel = \"A\"",
            "line 3, column 1: titel: a case has no such key; it has `type`, `name`, `title`, `description` and `source`",
        ),
        (
            "[case]\ntype = \"Reading\"\n[input]\ncount = 1",
            "line 3, column 2: there is no section or key `input`; a case has `[case]` and `[inputs]`",
        ),
        ("[case]\ntype = \"Reading\"\n[inputs]\ncount = 1\ncount = 2", "line 5, column 1: duplicate key"),
        (
            "[case]\ntype = \"Reading\"\n[inputs]\n  cuont = 1",
            "line 4, column 3: cuont: Reading has no input of that name; did you mean `count`?",
        ),
        (
            "[case]\ntype = \"Reading\"\n[inputs]\ncount = 99999999999999999999",
            "line 4, column 1: count: a whole number of at most 9007199254740992 is needed, but `1e20` was given",
        ),
        (
            "[case]\ntype = \"Reading\"\n[inputs.links]\na = \"1 GB/s\"\nb = \"1 GB\"",
            "line 5, column 1: links.b: `1 GB` is Bytes, but a Bandwidth is needed, such as \"1 B/s\"",
        ),
        (
            "[case]\ntype = \"Reading\"\n[inputs]\ncount = 2020-01-01",
            "line 4, column 1: count: a whole number of at least 0 is needed, but \"2020-01-01\" was given",
        ),
        (
            "[case]\ntype = \"HardwareNode\"",
            "line 2, column 1: type: there is no scenario type `HardwareNode`; `mlsysim list scenarios` shows them all",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).map(|_| ()).unwrap_err().to_string(), expected, "{text}");
    }
}

/// What takes the place of an input of the text has no place in it.
#[test]
fn a_change_from_elsewhere_has_no_place() {
    let text = "[case]\ntype = \"Reading\"\n[inputs]\ncount = 1";
    let change = |value: Value| Map::from_iter([("count".into(), value)]);
    let changed = read_case(text, change(Value::Integer(2)), &registry()).unwrap();
    assert_eq!(changed.written()["count"], Value::Integer(2));
    let error = read_case(text, change(Value::Integer(-2)), &registry()).unwrap_err();
    assert_eq!(error.place(), None);
    assert_eq!(error.field(), Some("count"));
}

#[test]
fn paths_lead_to_entries_and_figures() {
    let registry = registry();
    let cases = [
        ("Hardware.Cloud.H100", "@Hardware.Cloud.H100"),
        // The last part alone is enough where only one entry has it.
        ("H100", "@Hardware.Cloud.H100"),
        ("H100.tdp", "700 W"),
        ("Hardware.Cloud.H100.compute.precision_flops.fp16_dense", "989 TFLOP/s"),
        ("Hardware.Cloud.H100.nvlink.bandwidth_per_direction", "450 GB/s"),
        ("Systems.Fabrics.InfiniBand_NDR.bandwidth", "400 Gbps"),
        ("Systems.Nodes.DGX_H100.accelerator", "@Hardware.Cloud.H100"),
        ("Systems.Nodes.DGX_H100.accelerator.tdp", "700 W"),
        ("Models.Language.Llama2_70B.layers", "80"),
    ];
    for (path, expected) in cases {
        assert_eq!(registry.value(path).map(|value| value.to_string()), Ok(expected.to_string()), "{path}");
    }
    let refused = [
        (
            "Hardware.Cloud.H10",
            "there is no registry entry `Hardware.Cloud.H10`; did you mean `Hardware.Cloud.H100`?",
        ),
        ("h100", "there is no registry entry `h100`; did you mean `H100`?"),
        ("Hardware.Cloud.H100.tpd", "Hardware.Cloud.H100 has no `tpd` there; did you mean `tdp`?"),
        ("Hardware.Cloud.H100.tdp.unit", "Hardware.Cloud.H100 has no `unit` there; there is nothing"),
        ("Systems.Pods", "`Systems.Pods` is a group of 2 entries, such as `Systems.Pods.TPUv4_4096`"),
        ("", "there is no registry entry ``; `mlsysim list` shows them all"),
        ("sources.hardware", "there is no registry entry `sources.hardware`; `mlsysim list` shows them all"),
    ];
    for (path, expected) in refused {
        assert_eq!(registry.value(path).unwrap_err().to_string(), expected, "{path}");
    }
}
