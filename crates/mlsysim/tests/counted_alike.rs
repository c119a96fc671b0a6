//! Scenarios that count what the accounting counts say the same, wherever a model is what they assume.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::near;
use mlsysim::physics::pipeline::pipeline_bubble;
use mlsysim::predict::{Passing, Practice, Pricing, TrainingClass, TrainingManner, shipped, shipped_steps};
use mlsysim::quantity::{Bandwidth, Bytes, Time};
use mlsysim::registry::Workload;
use mlsysim::scenarios::memory_kv::KvFootprintScenario;
use mlsysim::scenarios::training::ActivationMemoryScenario;
use mlsysim::solvers::{AllToAllDispatchModel, TensorParallelCommModel, ZeroShardingModel};
use mlsysim::transformer::{
    Account, Accounting, Division, Exchange, Group, Layout, Memory, MemoryPolicy, Part, Recompute, Schedule,
    Step, Transformer,
};
use mlsysim::{Library, Value, library};

const ROUNDING: f64 = 1e-9;

fn workload(name: &str) -> Arc<Workload> {
    let path = format!("Models.Language.{name}");
    let Ok(Value::Object(object)) = library().value(&path) else { panic!("{path} is no entry") };
    object.downcast().unwrap()
}

/// What `step` computes, holds and sends with `layout` on a rank of the first stage.
fn counted(
    workload: &Workload,
    layout: &str,
    step: Step,
    policy: &MemoryPolicy,
) -> (Account, Memory, Vec<Exchange>) {
    let (model, layout) = (Transformer::of(workload).unwrap(), Layout::parse(layout).unwrap());
    let division = Division::new(&model, &layout).unwrap();
    let accounting = Accounting::new(&division, &step).unwrap();
    let account = accounting.account(0).unwrap();
    let mut exchanges = Vec::new();
    accounting.exchanges(0, &account, |exchange| exchanges.push(exchange));
    let memory = accounting.memory(&account, policy).unwrap();
    (account, memory, exchanges)
}

fn assert_near(what: &str, stated: Bytes, counted: Bytes) {
    let [stated, counted] = [stated, counted].map(Bytes::base);
    assert!(
        near(stated, counted, ROUNDING),
        "{what}: the scenario says {stated} B, the accounting {counted} B"
    );
}

#[test]
fn what_requests_leave_in_the_cache() {
    let policy = MemoryPolicy { cache_block: 1, ..MemoryPolicy::default() };
    for name in ["GPT2", "OPT_13B", "Llama2_7B", "Llama2_70B", "Llama3_405B", "Mixtral_8x7B", "DeepSeek_V3"] {
        let workload = workload(name);
        let scenario = KvFootprintScenario {
            workload: workload.clone(),
            tokens: 1000,
            bytes_per_value: Bytes::from_base(2.0),
            hardware: None,
            kv_share: None,
            kv_width_factor: 1.0,
        };
        // The token of the step is in the cache at its end.
        let (_, memory, _) = counted(&workload, "tp=1", Step::decode(1, 999), &policy);
        assert_near(name, scenario.total().unwrap(), memory.cache);
    }
}

#[test]
fn what_layers_of_gpt_keep_for_the_backward_pass() {
    let policy = MemoryPolicy { fused_attention: false, dropout: true, ..MemoryPolicy::default() };
    for name in ["GPT2", "GPT2_Small", "GPT3"] {
        let workload = workload(name);
        let scenario = ActivationMemoryScenario {
            workload: workload.clone(),
            micro_batch: 4,
            seq_len: Some(1024),
            precision_bytes: 2.0,
            normalization_per_layer: None,
            ffn_multiple: 4,
            checkpoint_segments: None,
        };
        let kept = |recompute| {
            let step = Step { recompute, ..Step::training(4, 1024) };
            counted(&workload, "dp=1", Step { micro_batch: 4, ..step }, &policy).1.activations
        };
        let all = scenario.activations("none").unwrap();
        assert_near(name, all, kept(Recompute::Nothing));
        // The accounting adds the layer that is being computed again.
        let layer = all / workload.layers.unwrap();
        assert_near(name, scenario.activations("full").unwrap() + layer, kept(Recompute::Full));
    }
}

#[test]
fn what_replicas_share_and_exchange() {
    for (name, ranks) in [("GPT3", 64), ("Llama3_8B", 8), ("Llama3_405B", 3)] {
        let workload = workload(name);
        let scenario = ZeroShardingModel {
            model: workload.clone(),
            n_devices: ranks,
            activations: None,
            link_bandwidth: None,
        };
        let shared = scenario.solve().unwrap();
        let parameters = Transformer::of(&workload).unwrap().counts().total as f64;
        // The registry's figure is rounded.
        let exact = parameters / workload.parameters.unwrap().base();
        for (stage, called) in ["DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3"].into_iter().enumerate() {
            let layout = format!("dp={ranks},zero={stage}");
            let step = Step { gradients: "bf16".into(), ..Step::training(ranks, 128) };
            let (_, memory, exchanges) = counted(&workload, &layout, step, &MemoryPolicy::default());
            let state = memory.weights + memory.gradients + memory.optimizer;
            let stated = exact * *shared.stage_state.get(called).unwrap();
            assert_near(&format!("{name}, {called}"), stated, state);
            let sent = exchanges.iter().fold(Bytes::ZERO, |sum, exchange| sum + exchange.sent());
            // What ZeRO-3 gathers and scatters is a half more than an AllReduce of the gradients.
            let times =
                shared.traffic_multiple.get(called).unwrap() / shared.traffic_multiple.get("ZeRO-3").unwrap();
            assert_near(&format!("{name}, {called}"), exact * times * shared.gather_traffic, sent);
        }
    }
}

#[test]
fn what_ranks_of_a_layer_send() {
    for (name, tp) in [("GPT3", 8), ("Llama3_8B", 4), ("Llama2_70B", 8)] {
        let workload = workload(name);
        let scenario = TensorParallelCommModel {
            model: workload.clone(),
            tp_size: tp,
            microbatch: 2,
            link_bandwidth: Bandwidth::from_base(1e9),
            compute_time: Time::ZERO,
            seq_len: Some(512),
            collectives_per_layer: 4,
        };
        let result = scenario.solve().unwrap();
        let step = Step { micro_batch: 2, ..Step::training(2, 512) };
        let (_, _, exchanges) = counted(&workload, &format!("tp={tp}"), step, &MemoryPolicy::default());
        let of_layers = exchanges.iter().filter(|exchange| {
            exchange.group == Group::Tensor && ![Part::Embedding, Part::Head].contains(&exchange.part)
        });
        let sent = of_layers.filter(|exchange| exchange.pass.is_some()).map(Exchange::sent);
        let stated = result.collectives_per_step as f64 * result.traffic_per_device;
        assert_near(name, stated, sent.fold(Bytes::ZERO, |sum, sent| sum + sent));
    }
}

#[test]
fn what_is_dispatched_to_experts() {
    let workload = workload("Mixtral_8x7B");
    let (sequences, tokens, ranks) = (1, 512, 8);
    let step = Step::training(sequences * ranks, tokens);
    let (_, _, exchanges) = counted(&workload, "dp=8,ep=8", step, &MemoryPolicy::default());
    let scenario = AllToAllDispatchModel {
        total_tokens: 2 * sequences * tokens * ranks,
        n_devices: ranks,
        n_experts: 8,
        hidden_dim: workload.hidden_dim.unwrap(),
        bytes_per_element: Bytes::from_base(2.0),
        alpha: Time::ZERO,
        bandwidth: Bandwidth::from_base(1e9),
        receive_skew: 1.0,
    };
    let dispatched = scenario.solve();
    let mut to_experts = exchanges.iter().filter(|exchange| exchange.group == Group::Expert);
    let first = to_experts.next().unwrap();
    assert_near("dispatch", dispatched.sent_bytes, first.sent_once());
    assert!(to_experts.all(|exchange| exchange.sent_once() == first.sent_once()));
}

#[test]
fn what_a_pipeline_of_equal_stages_idles() {
    let machine = mlsysim::machine::Machine::named("DGX_H100").unwrap();
    let practice = Practice::default();
    let pricing = Pricing::new(&machine, &practice, shipped().unwrap().kernels()).unwrap();
    let coefficients = shipped_steps().unwrap().training.coefficients;
    let weights = TrainingClass::of(&pricing).weights(&coefficients);
    let stage = Time::from_base(0.25);
    for (stages, micro_batches, chunks) in [(1, 4, 1), (8, 32, 1), (8, 32, 2), (5, 7, 3)] {
        let manner = TrainingManner {
            weights,
            coefficients,
            chunks: chunks as f64,
            is_sharded: false,
            schedule: Schedule::OneForwardOneBackward,
        };
        let passing = Passing { stage, all: stages as f64 * stage, ..Passing::default() };
        let spans = manner.spans(&passing, micro_batches as f64, Time::ZERO, Time::ZERO);
        let idle = spans.filling / (spans.passing + spans.filling);
        let stated = pipeline_bubble(stages, micro_batches * chunks);
        assert!(near(idle, stated, ROUNDING), "{stages} stages: {idle} in place of {stated}");
    }
}
