//! The rows about the KV cache: which heads are cached, how wide they are, and who holds them.

use std::sync::Arc;

use mlsysim::quantity::{Bytes, BytesPerParam};
use mlsysim::registry::Workload;
use mlsysim::solvers::{KvAdmissionModel, KvAdmissionResult, PrecisionDividendModel};
use mlsysim::units::GIBIBYTE;
use mlsysim::{Define, Library, Value, library};

use super::Row;

fn model(name: &str) -> Arc<Workload> {
    let path = format!("Models.Language.{name}");
    let Ok(Value::Object(object)) = library().value(&path) else { panic!("{path} is no entry") };
    object.downcast().unwrap()
}

/// The cache of `tokens` tokens with elements of `element` bytes.
fn cached(model: Arc<Workload>, tokens: u64, element: f64) -> KvAdmissionResult {
    let model = KvAdmissionModel {
        model,
        accelerators: 64,
        hbm_per_accelerator: 80.0 * GIBIBYTE,
        weight_bytes_per_param: BytesPerParam::from_base(2.0),
        reserve: 0.0 * GIBIBYTE,
        context_tokens: tokens,
        kv_bytes_per_elem: Bytes::from_base(element),
    };
    model.checked().unwrap().solve().unwrap()
}

pub fn a_decode_step_reads_the_kv_heads(row: &Row) {
    let all_layers = cached(model("Llama3_70B"), 4096, 2.0).kv_per_request.base();
    row.check(all_layers / 80.0, "16777216");
}

pub fn heads_are_replicated_over_more_devices(row: &Row) {
    let model = PrecisionDividendModel {
        model: model("Llama3_70B"),
        tp_size: 16,
        hbm_per_accelerator: 80.0 * GIBIBYTE,
        context_tokens: 1,
        kv_heads: 8,
        weight_bytes: BytesPerParam::from_base(2.0),
        weight_bytes_low: BytesPerParam::from_base(1.0),
        kv_bytes: Bytes::from_base(2.0),
        kv_bytes_low: Bytes::from_base(1.0),
    };
    let each = model.checked().unwrap().solve().unwrap().kv_per_request_per_device.base();
    row.check(each, "40960");
    row.check(16.0 * each, "655360");
}

pub fn every_head_is_cached(row: &Row) {
    row.check(cached(model("Llama2_7B"), 1, 2.0).kv_per_token.base(), "524288");
}

pub fn grouped_heads_are_cached_once(row: &Row) {
    row.check(cached(model("Llama3_8B"), 1, 2.0).kv_per_token.base(), "131072");
}

pub fn a_latent_is_cached_once(row: &Row) {
    row.check(cached(model("DeepSeek_V3"), 163_840, 2.0).kv_per_request / GIBIBYTE, "10.72");
}

pub fn a_stated_head_width_counts(row: &Row) {
    let qwen = Workload::from_inputs([
        ("name", "Qwen3-0.6B"),
        ("parameters", "0.6e9 param"),
        ("layers", "28"),
        ("hidden_dim", "1024"),
        ("heads", "16"),
        ("kv_heads", "8"),
        ("head_dim", "128"),
    ]);
    row.check(cached(Arc::new(qwen.unwrap()), 40_960, 2.0).kv_per_request / GIBIBYTE, "4.375");
}

pub fn every_model_with_a_latent_caches_it(row: &Row) {
    let kimi = Workload::from_inputs([
        ("name", "Kimi-K2.5"),
        ("parameters", "1e12 param"),
        ("layers", "61"),
        ("hidden_dim", "7168"),
        ("heads", "64"),
        ("kv_lora_rank", "512"),
        ("qk_rope_head_dim", "64"),
    ]);
    let kimi = Arc::new(kimi.unwrap());
    row.check(cached(kimi.clone(), 1, 2.0).kv_per_token.base(), "70272");
    row.check(cached(kimi, 1, 1.0).kv_per_token.base(), "35136");
}
