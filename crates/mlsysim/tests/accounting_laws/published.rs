//! The laws for the models that are published: every configuration that can be divided.

use mlsysim::Value;
use mlsysim::transformer::{Accounting, Division, Layout, Part, Pass, Step, Transformer};

use crate::common::{near, root};
use crate::{ROUNDING, derivations};

/// Every configuration of the tests that is read and whose arithmetic is modelled.
fn models() -> Vec<(String, Transformer)> {
    let mut models = Vec::new();
    for entry in std::fs::read_dir(root("tests/configurations")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(model) = Transformer::from_config(&text) else { continue };
        if Division::new(&model, &Layout::whole()).is_ok() {
            models.push((path.file_stem().unwrap().to_string_lossy().into_owned(), model));
        }
    }
    models.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(models.len() > 10, "{} models are read", models.len());
    models
}

#[test]
fn one_rank_has_the_model() {
    let (whole, step) = (Layout::whole(), Step::training(1, 64));
    for (name, model) in models() {
        let division = Division::new(&model, &whole).unwrap();
        let account = Accounting::new(&division, &step).unwrap().account(0).unwrap();
        assert_eq!(account.parameters, model.counts().parts, "{name}");
        assert_eq!(account.sent.total().base(), 0.0, "{name}");
    }
}

#[test]
fn stages_have_the_model_and_the_tied_table() {
    let step = Step::training(1, 64);
    for (name, model) in models() {
        let layout = Layout { pp: u64::from(model.layers()).min(5), ..Layout::whole() };
        let division = Division::new(&model, &layout).unwrap();
        let accounting = Accounting::new(&division, &step).unwrap();
        let accounts: Vec<_> = (0..layout.pp).map(|stage| accounting.account(stage).unwrap()).collect();
        let held: u64 = accounts.iter().map(|account| account.total_parameters()).sum();
        let copied =
            if model.tied && layout.pp > 1 { accounts.last().unwrap().parameters[Part::Head] } else { 0 };
        let own = model.counts().parts[Part::Head];
        assert_eq!(held, model.counts().total + copied.saturating_sub(own), "{name}");
    }
}

#[test]
fn ranks_have_the_model_and_what_is_undivided() {
    let step = Step::training(1, 64);
    let mut divided = 0;
    for (name, model) in models() {
        let layout = Layout { tp: 2, vocabulary_multiple: 1, ..Layout::whole() };
        // A single KV head is on both ranks.
        let Ok(division) = Division::new(&model, &layout) else { continue };
        if division.notes().iter().any(|note| note.contains("fewer KV heads")) {
            continue;
        }
        let account = Accounting::new(&division, &step).unwrap().account(0).unwrap();
        let undivided: u64 = account.undivided.values().sum();
        // A table of an odd number of rows has one more.
        let odd = u64::from(model.vocabulary % 2);
        let tables = [&model.embedding, &model.head].into_iter().flatten().filter(|operation| {
            operation.parameters(&division.shares) > 0
                && operation.is_divided(mlsysim::transformer::Axis::TensorPadded)
        });
        let padding: u64 = tables
            .map(|operation| {
                2 * operation.parameters(&division.shares)
                    - operation.parameters(&mlsysim::transformer::Shares::WHOLE)
            })
            .sum();
        assert_eq!(padding > 0, odd == 1, "{name}");
        let biases = expert_biases(&model);
        assert_eq!(
            2 * account.total_parameters(),
            model.counts().total + undivided + padding + biases,
            "{name}"
        );
        divided += 1;
    }
    assert!(divided > 10, "{divided} models divide by two");
}

/// The biases behind the divided rows of all experts.
fn expert_biases(model: &Transformer) -> u64 {
    use mlsysim::transformer::{Axis, Shares, Work};
    let biases = model.operations().filter_map(|(operation, times)| match &operation.work {
        Work::Expert { experts, inputs, outputs, bias: true, .. }
            if inputs.is_divided(Axis::ExpertTensor) =>
        {
            Some(times * experts.on(&Shares::WHOLE) * outputs.whole())
        }
        _ => None,
    });
    biases.sum()
}

#[test]
fn ranks_and_replicas_share_the_arithmetic_of_attention_and_networks() {
    let step = Step::training(4, 64);
    for (name, model) in models() {
        let flops = |layout: &Layout| {
            let division = Division::new(&model, layout).ok()?;
            let account = Accounting::new(&division, &step).unwrap().account(0).unwrap();
            let forward = account.flops[Pass::Forward as usize];
            Some([Part::Mlp, Part::Experts, Part::SharedExperts].map(|part| forward[part].base()))
        };
        let whole = flops(&Layout::whole()).unwrap();
        let Some(part) = flops(&Layout { tp: 2, dp: 2, ..Layout::whole() }) else { continue };
        for (whole, part) in whole.into_iter().zip(part) {
            assert!(near(whole, 4.0 * part, ROUNDING), "{name}");
        }
    }
}

#[test]
fn every_line_explains_itself() {
    let layouts =
        ["tp=1", "tp=2,sp,pp=2,dp=2", "tp=4,pp=2,zero=3,dp=2"].map(|text| Layout::parse(text).unwrap());
    let steps = [Step::training(4, 64), Step::prefill(4, 64, 16), Step::decode(4, 1000)];
    for (name, model) in models() {
        for (layout, step) in layouts.iter().flat_map(|layout| steps.iter().map(move |step| (layout, step))) {
            let Ok(division) = Division::new(&model, layout) else { continue };
            let Ok(accounting) = Accounting::new(&division, step) else { continue };
            derivations::explain(&accounting).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// A report reads back from JSON as it was, its whole numbers to the last digit.
#[test]
fn reports_survive_json() {
    let layout = Layout::parse("tp=2,pp=2,dp=2").unwrap();
    for (name, model) in models() {
        let step = Step::training(4, model.context.map_or(8192, |most| most.clamp(1, 8192)));
        let Ok(division) = Division::new(&model, &layout) else { continue };
        let accounting = Accounting::new(&division, &step).unwrap();
        let account = accounting.account(0).unwrap();
        let Value::Map(report) = accounting.report(&account).unwrap() else { panic!("{name}") };
        let text = serde_json::to_string(&Value::Map(report.clone())).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["parameters"]["total"].as_u64(), Some(account.total_parameters()), "{name}");
        for (part, parameters) in account.parameters.entries() {
            assert_eq!(json["parameters"][part.name()].as_u64(), Some(parameters), "{name}");
        }
        let rows = json["operations"].as_array().unwrap();
        let held: u64 = rows.iter().map(|row| row["parameters"].as_u64().unwrap()).sum();
        assert_eq!(held, account.total_parameters(), "{name}");
        let sent: f64 = json["exchanges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["sent"]["value"].as_f64().unwrap())
            .sum();
        assert!(near(sent, account.sent.total().base(), ROUNDING), "{name}");
        assert_eq!(json["sent"]["total"]["value"].as_f64(), Some(account.sent.total().base()), "{name}");
    }
}
