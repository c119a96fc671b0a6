//! The rows about what ranks hold and which links their groups cross.

use mlsysim::machine::{Collective, Link, Machine};
use mlsysim::physics::training_state::ADAM_OPTIMIZER_STATE;
use mlsysim::quantity::{Bandwidth, Bytes, Params};
use mlsysim::registry::Workload;
use mlsysim::transformer::{Accounting, Division, Group, Layout, MemoryPolicy, Part, Step, Transformer};
use mlsysim::units::{GIGABYTE, MILLISECOND};
use mlsysim::{Library, Value, library};

use super::Row;

/// A model of one layer of the Llama kind.
fn one_layer(hidden: u64, heads: u64) -> Transformer {
    let config = serde_json::json!({
        "model_type": "llama", "hidden_size": hidden, "intermediate_size": 4 * hidden, "num_hidden_layers": 1,
        "num_attention_heads": heads, "vocab_size": 1024, "tie_word_embeddings": true,
    });
    Transformer::from_config(&config.to_string()).unwrap()
}

/// What a rank of the first stage holds.
fn held<T>(model: &Transformer, layout: &str, step: &Step, read: impl FnOnce(&Accounting) -> T) -> T {
    let layout = Layout::parse(layout).unwrap();
    let division = Division::new(model, &layout).unwrap();
    read(&Accounting::new(&division, step).unwrap())
}

pub fn norms_are_on_every_rank(row: &Row) {
    // The third norm is the one behind the last layer.
    let norms = |layout| {
        held(&one_layer(8192, 64), layout, &Step::training(1, 4096), |accounting| {
            accounting.account(0).unwrap().parameters[Part::Norms] - 8192
        })
    };
    assert_eq!(norms("tp=8"), norms("tp=1"));
    let state = Params::from_base(norms("tp=8") as f64) * ADAM_OPTIMIZER_STATE;
    row.check(state.base(), "196608");

    // All that the optimizer keeps of a rank is as much for each of its parameters.
    held(&one_layer(8192, 64), "tp=8", &Step::training(1, 4096), |accounting| {
        let account = accounting.account(0).unwrap();
        let memory = accounting.memory(&account, &MemoryPolicy::default()).unwrap();
        assert_eq!(memory.optimizer.base(), 12.0 * account.total_parameters() as f64);
    });
}

pub fn replicas_are_on_other_nodes(row: &Row) {
    let node = Machine::named("DGX_H100").unwrap();
    let network = Bandwidth::from_base(50e9);
    let machine = Machine { domains: 2, network: Some(network), ..node };
    let layout = Layout::parse("tp=8,dp=2").unwrap();
    let reach = machine.reach(layout.dp, layout.stride(Group::Data));
    assert_eq!((reach.per_domain, reach.domains, reach.link()), (1, 2, Link::Network));
    let gather = machine.collective_bound(Collective::AllGather, GIGABYTE, reach).unwrap();
    row.check(gather.time() / MILLISECOND, "10.000");
}

pub fn scores_are_not_kept(row: &Row) {
    // What an attention that is not fused keeps of its scores, over keys and values.
    let saved = |tokens: u64| {
        let width = 128;
        held(&one_layer(width, 1), "tp=1", &Step::training(1, tokens), |accounting| {
            let account = accounting.account(0).unwrap();
            let kept = |fused_attention| {
                let policy = MemoryPolicy { fused_attention, ..MemoryPolicy::default() };
                accounting.memory(&account, &policy).unwrap().activations
            };
            let sums = Bytes::from_base(4.0 * tokens as f64);
            let scores = kept(false) - (kept(true) - sums);
            scores.base() / (2.0 * (2 * tokens * width) as f64)
        })
    };
    row.check(saved(32768), "128");
    row.check(saved(131072), "512");
}

pub fn weights_beyond_the_memory_do_not_fit(row: &Row) {
    let Ok(Value::Object(object)) = library().value("Llama3_70B") else { panic!("no such model") };
    let workload = object.downcast::<Workload>().unwrap();
    let machine = Machine { domain: 1, ..Machine::named("DGX_H100").unwrap() };
    let model = Transformer::of(&workload).unwrap();
    let fit = held(&model, "tp=1", &Step::decode(1, 1), |accounting| {
        accounting.fit(&machine, &MemoryPolicy::default()).unwrap()
    });
    assert!(!fit.fits());
    // The row counts with the rounded number of parameters.
    row.check(2.0 * workload.parameters.unwrap().base() / 1e9, "141.2");
    assert!((fit.memory.weights / GIGABYTE - 141.2).abs() < 0.1);
    row.check(fit.capacity / GIGABYTE, "85.9");
}
