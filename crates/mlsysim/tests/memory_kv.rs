//! Scenarios of the KV cache and of decode: pools without room, passes bound by either side, and
//! prompts that do not divide.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::near;
use mlsysim::quantity::{Bytes, BytesPerParam};
use mlsysim::registry::{HardwareNode, Workload};
use mlsysim::scenarios::memory_kv::{
    KvAdmissionScenario, KvBlockSharingScenario, PagedAllocationScenario, PrecisionDividendScenario,
    PrefixRebuildScenario,
};
use mlsysim::scenarios::serving::{ChunkedPrefillScenario, DecodeScenario};
use mlsysim::solvers::ServingModel;
use mlsysim::units::{GIGABYTE, MILLISECOND};
use mlsysim::{Define, Item, Library, Value, library, named};

fn entry<T: Define>(path: &str) -> Arc<T> {
    let Ok(Value::Object(object)) = library().value(path) else { panic!("{path} is no entry") };
    object.downcast::<T>().unwrap()
}

fn model(name: &str) -> Arc<Workload> {
    entry(&format!("Models.Language.{name}"))
}

fn device(name: &str) -> Arc<HardwareNode> {
    entry(&format!("Hardware.Cloud.{name}"))
}

/// Llama 3 70B in 16 bits on one H100.
fn overfull() -> KvAdmissionScenario {
    let case: KvAdmissionScenario = named("Llama3_8BFp16ConversationsH100").unwrap();
    KvAdmissionScenario { workload: model("Llama3_70B"), ..case }.checked().unwrap()
}

#[test]
fn a_pool_without_room_admits_nobody_and_says_so() {
    let overfull = overfull();
    let result = overfull.result().unwrap();
    assert!(near(result.kv_budget / GIGABYTE, 80.0 * 1.073741824 - 141.2, 1e-12));
    assert_eq!(result.max_requests, 0);
    assert!(overfull.context_fit(Some(1)).unwrap() < 0.0);
    let notes = overfull.notes();
    assert!(notes.iter().any(|note| note.text.contains("no request fits")), "{notes:?}");

    let pool = Arc::new(overfull);
    let case: PagedAllocationScenario = named("CappedRequestsPagedAllocation").unwrap();
    let paged = PagedAllocationScenario { pool: pool.clone(), ..case }.checked().unwrap().result().unwrap();
    assert_eq!((paged.reservations, paged.paged_fit, paged.paged_gain), (0, 0, None));
    let case: KvBlockSharingScenario = named("RepairBlockSharingResidency").unwrap();
    let shared = KvBlockSharingScenario { pool, ..case }.checked().unwrap().result().unwrap();
    assert_eq!((shared.usable_blocks, shared.fit_shared, shared.share_gain), (0, 0, None));

    let case: PrecisionDividendScenario = named("Llama2_70BPrecisionDividendGqaTp8").unwrap();
    let alone = PrecisionDividendScenario { tp_size: 1, ..case }.checked().unwrap();
    let result = alone.result().unwrap();
    assert_eq!((result.max_batch, result.dividend, result.budget_gain), (0, None, None));
    assert_eq!(result.max_batch_low, 67);
}

/// Eight heads divide over eight devices; a latent is held by each.
#[test]
fn every_device_holds_a_whole_latent() {
    let case: PrecisionDividendScenario = named("Llama2_70BPrecisionDividendGqaTp8").unwrap();
    let heads = case.result().unwrap();
    assert_eq!(heads.kv_per_request / heads.kv_per_request_per_device, 8.0);
    let latent = PrecisionDividendScenario {
        workload: model("DeepSeek_V3"),
        hbm_per_accelerator: 192.0 * GIGABYTE,
        weight_bytes: BytesPerParam::from_base(1.0),
        ..case
    };
    let latent = latent.checked().unwrap().result().unwrap();
    assert_eq!(latent.kv_per_request.base(), 4096.0 * 70272.0);
    assert_eq!(latent.kv_per_request, latent.kv_per_request_per_device);
}

#[test]
fn a_pass_takes_the_longer_of_arithmetic_and_reading() {
    // A large batch is bound by arithmetic: 2 × 8.03e9 for each token at half of the B200's peak.
    let large = ServingModel { batch_size: 1024, ..ServingModel::new(model("Llama3_8B"), device("B200"), 1) };
    let result = large.clone().checked().unwrap().solve().unwrap();
    let rate = device("B200").rate("fp16").base() * 0.5;
    let framework = 32.0 * 0.01;
    let arithmetic = (2.0 * 8.03e9 + 4.0 * 32.0 * 4096.0 * 0.5) * 1024.0 / rate * 1e3;
    assert!(near(result.itl / MILLISECOND, arithmetic + framework, 1e-12));
    assert!(arithmetic > 14.5);

    // A prompt of one token is bound by reading.
    let short = ServingModel::new(model("Llama3_8B"), device("H100"), 1).checked().unwrap().solve().unwrap();
    assert!(near(short.ttft / MILLISECOND, 16.06 / 3.35 + 0.01, 1e-12));

    let case: PrefixRebuildScenario = named("PrefixCacheProbe2K").unwrap();
    let short = PrefixRebuildScenario { prefix_tokens: 1, suffix_tokens: 1, ..case }.result().unwrap();
    assert_eq!(short.rebuild_time, short.weight_read_time);
    assert_eq!(short.rebuild_over_hit, 1.0);
}

/// A cached prefix, chunks and a draft change what they should and nothing else.
#[test]
fn the_options_of_serving_are_consistent() {
    let plain = ServingModel::new(model("Llama3_70B"), device("H200"), 8192);
    let whole = plain.clone().checked().unwrap().solve().unwrap();
    let chunked = ServingModel { prefill_chunk_tokens: Some(1000), ..plain.clone() };
    let chunked = chunked.checked().unwrap().solve().unwrap();
    assert_eq!(chunked.prefill_chunks, 9);
    assert_eq!(chunked.decode_stall_bound, chunked.prefill_chunk_time);
    assert!(near((chunked.ttft - whole.ttft) / MILLISECOND, 8.0 * 0.01, 1e-9));

    let cached = ServingModel { cached_prefix_len: 4096, ..plain.clone() };
    let cached = cached.checked().unwrap().solve().unwrap();
    assert_eq!(cached.prompt_cache_hit_ratio, 0.5);
    let first = ServingModel { seq_len: 4096, ..plain.clone() }.solve().unwrap();
    let launch = 0.01 * MILLISECOND;
    assert!(near((first.ttft + cached.ttft - launch).base(), whole.ttft.base(), 1e-12));

    let apart = ServingModel { decode_hardware: Some(device("B200")), ..plain.clone() };
    let apart = apart.checked().unwrap().solve().unwrap();
    assert!(near((apart.ttft - whole.ttft).base(), whole.kv_cache_size.base() / 100e9, 1e-9));
    assert!(apart.itl < whole.itl);

    let draft = ServingModel { draft_model: Some(model("Llama3_8B")), ..plain };
    let draft = draft.checked().unwrap().solve().unwrap();
    let added = draft.total_memory_required - whole.total_memory_required;
    assert_eq!(added.base(), 2.0 * 8.03e9 + 8192.0 * 131_072.0);
    assert!(draft.itl < whole.itl);
}

#[test]
fn the_last_chunk_may_be_short() {
    let case: ChunkedPrefillScenario = named("ChunkedPrefillAmongDecodes").unwrap();
    let whole = case.result().unwrap();
    let longer = ChunkedPrefillScenario { prompt_tokens: 4097, ..case }.result().unwrap();
    assert_eq!((whole.chunks, longer.chunks), (8, 9));
    // One token and 32 that decode take as long as reading the weights.
    assert!(near((longer.chunked_done - whole.chunked_done).base(), whole.decode_step.base(), 1e-9));
}

#[test]
fn a_mixture_of_experts_is_priced_by_its_active_parameters_and_read_as_a_whole() {
    let case: DecodeScenario = named("Llama3_70B_DecodeH100").unwrap();
    let sparse = DecodeScenario { workload: model("DeepSeek_V3"), ..case }.checked().unwrap();
    let result = sparse.result().unwrap();
    assert_eq!(result.flops_per_step.base(), 2.0 * 37e9);
    assert_eq!(result.weight_bytes, Bytes::from_base(2.0 * 671e9));
    assert!(sparse.notes().iter().any(|note| note.text.contains("mixture of experts")));
}

/// A precision of storage is the size of an element and no peak rate.
#[test]
fn precisions_are_named() {
    let case: DecodeScenario = named("Llama3_70B_DecodeH100").unwrap();
    for (precision, bytes) in [("fp32", 4.0), ("tf32", 4.0), ("bf16", 2.0), ("fp8", 1.0), ("INT4", 0.5)] {
        let case = DecodeScenario { precision: precision.into(), ..case.clone() }.checked().unwrap();
        assert_eq!(case.result().unwrap().weight_bytes.base(), 70.6e9 * bytes, "{precision}");
    }
    let refused = DecodeScenario { precision: "fp16_dense".into(), ..case.clone() }.checked().unwrap_err();
    assert_eq!(refused.field(), Some("precision"));
    let refused = DecodeScenario { peak_precision: Some("fp17".into()), ..case }.checked().unwrap_err();
    assert_eq!(refused.field(), Some("peak_precision"));
}
