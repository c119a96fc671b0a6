//! What the layers of a family are made of: the blocks, the masks and the caches, beside the counts
//! that `parameters.rs` compares.
#![allow(clippy::unwrap_used)]

mod common;

use mlsysim::transformer::{Layer, Mask, Operation, Part, Shares, Transformer, Work};
use serde_json::{Value as Json, json};

fn real(file: &str) -> Transformer {
    Transformer::from_config(&common::text(&format!("configurations/{file}.json"))).unwrap()
}

fn read(config: Json) -> Transformer {
    Transformer::from_config(&config.to_string()).unwrap()
}

fn refused(config: &Json) -> String {
    Transformer::from_config(&config.to_string()).unwrap_err().to_string()
}

/// The layers in order.
fn layers(model: &Transformer) -> Vec<&Layer> {
    model.order().iter().map(|kind| &model.kinds()[usize::from(*kind)]).collect()
}

fn masks(model: &Transformer) -> Vec<Option<Mask>> {
    layers(model).into_iter().map(Layer::mask).collect()
}

fn newcomer() -> Json {
    json!({
        "model_type": "newcomer", "hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 1000,
        "tie_word_embeddings": false
    })
}

fn with(mut config: Json, more: Json) -> Json {
    let more = more.as_object().unwrap().clone();
    config.as_object_mut().unwrap().extend(more);
    config
}

#[test]
fn attention_and_network_in_parallel_are_one_block() {
    let parallel = [
        "tiiuae__falcon-7b",
        "tiiuae__falcon-180B",
        "EleutherAI__gpt-j-6b",
        "EleutherAI__pythia-12b",
        "CohereForAI__c4ai-command-r-v01",
        "microsoft__phi-1",
    ];
    let sequential =
        ["openai-community__gpt2", "bigscience__bloom", "facebook__opt-1.3b", "mosaicml__mpt-30b"];
    for (files, blocks) in [(parallel.as_slice(), 1), (sequential.as_slice(), 2)] {
        for file in files {
            assert!(layers(&real(file)).iter().all(|layer| layer.blocks.len() == blocks), "{file}");
        }
    }
}

#[test]
fn norms_without_weights_are_there() {
    let model = real("allenai__OLMo-7B-hf");
    let norms = |operation: &&Operation| operation.part == Part::Norms;
    assert_eq!(model.kinds()[0].operations().filter(norms).count(), 2);
    assert_eq!(model.counts().parts[Part::Norms], 0);
}

#[test]
fn windows_are_in_the_layers_that_have_them() {
    let [window, causal] = [Some(Mask::Window(4096)), Some(Mask::Causal)];
    for file in ["allenai__Olmo-3-32B", "LGAI-EXAONE__EXAONE-4.0-32B"] {
        assert_eq!(masks(&real(file)), [window, window, window, causal].repeat(16), "{file}");
    }
    let local = Some(Mask::Window(256));
    assert_eq!(masks(&real("EleutherAI__gpt-neo-1.3B")), [causal, local].repeat(12));
    assert!(masks(&real("bigcode__starcoder2-7b")).iter().all(|mask| *mask == window));
    assert!(masks(&real("openai-community__gpt2")).iter().all(|mask| *mask == causal));
}

#[test]
fn an_encoder_attends_to_all_and_keeps_nothing() {
    let bert = real("google-bert__bert-large-uncased");
    assert!(masks(&bert).iter().all(|mask| *mask == Some(Mask::Full)));
    assert_eq!(bert.counts().cached_per_token, 0);

    let t5 = real("google-t5__t5-large");
    let (encoder, decoder): (Vec<&Layer>, Vec<&Layer>) =
        layers(&t5).into_iter().partition(|layer| layer.encoder);
    assert_eq!([encoder.len(), decoder.len()], [24, 24]);
    assert!(encoder.iter().all(|layer| layer.blocks.len() == 2 && layer.mask() == Some(Mask::Full)));
    assert!(decoder.iter().all(|layer| layer.blocks.len() == 3 && layer.mask() == Some(Mask::Causal)));
    let crossed = decoder[1].operations().find(|operation| operation.name == "cross_scores").unwrap();
    assert!(matches!(crossed.work, Work::Attention { mask: Mask::Full, .. }), "{crossed:?}");
    assert_eq!(crossed.cached(&Shares::WHOLE), 0);
}

#[test]
fn an_unknown_family_is_read_as_llama_and_says_so() {
    let (ours, llama) = (read(newcomer()), read(with(newcomer(), json!({ "model_type": "llama" }))));
    assert_eq!(ours.counts(), llama.counts());
    assert_eq!(ours.kinds(), llama.kinds());
    let note = "the family `newcomer` is not known; read as a decoder of the Llama kind: RMSNorms, rotary \
                positions, networks with a gate, and biases and norms of queries and keys only where a key \
                says so";
    assert_eq!(ours.notes, [note]);
}

#[test]
fn an_unknown_family_with_experts_is_never_counted_as_dense() {
    let model = read(with(
        newcomer(),
        json!({
            "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
            "n_shared_experts": 2, "first_k_dense_replace": 1
        }),
    ));
    let routed: Vec<bool> = layers(&model).into_iter().map(Layer::is_routed).collect();
    assert_eq!(routed, [false, true, true]);
    let parts = model.counts().parts;
    assert_eq!(parts[Part::Mlp], 3 * 64 * 160);
    assert_eq!(parts[Part::Experts], 2 * 8 * 3 * 64 * 32);
    assert_eq!(parts[Part::SharedExperts], 2 * 3 * 64 * 64);
    assert_eq!(parts[Part::Router], 2 * 64 * 8);
    assert_eq!(model.counts().active, model.counts().total - 2 * 6 * 3 * 64 * 32);
    for more in [
        json!({ "num_experts": 8 }),
        json!({ "moe": { "num_experts": 8, "num_experts_per_tok": 2 } }),
        json!({ "expert_count": 8 }),
        json!({ "use_moe": true }),
        json!({ "model_type": "newcomer-moe" }),
    ] {
        let message = refused(&with(newcomer(), more.clone()));
        assert!(message.contains("experts"), "{more}: {message}");
    }
}

#[test]
fn an_unknown_family_with_latent_attention_caches_the_latent() {
    let latent = json!({
        "kv_lora_rank": 24, "q_lora_rank": null, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
        "v_head_dim": 12
    });
    let counts = read(with(newcomer(), latent)).counts();
    assert_eq!(counts.cached_per_token, 3 * (24 + 8));
    let layer = 64 * 4 * 24 + 64 * 32 + 24 + 24 * 4 * (16 + 12) + 4 * 12 * 64;
    assert_eq!(counts.parts[Part::Attention], 3 * layer);
}

/// The same model as it was published first and as it was published for the public classes.
#[test]
fn glm_4_is_the_same_in_its_original_form() {
    let original = read(json!({
        "model_type": "chatglm", "hidden_size": 4096, "ffn_hidden_size": 13696, "num_layers": 40,
        "num_attention_heads": 32, "multi_query_attention": true, "multi_query_group_num": 2,
        "kv_channels": 128, "padded_vocab_size": 151552, "add_qkv_bias": true, "add_bias_linear": false,
        "rmsnorm": true, "post_layer_norm": true, "seq_length": 131072,
    }));
    assert_eq!(original.counts(), real("THUDM__glm-4-9b-chat-hf").counts());
}

/// Qwen 7B as its publication counts it: 7,721,324,544 parameters.
#[test]
fn the_first_qwen_has_biases_of_queries_keys_and_values_only() {
    let model = read(json!({
        "model_type": "qwen", "hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32,
        "num_attention_heads": 32, "kv_channels": 128, "vocab_size": 151936, "no_bias": true,
    }));
    assert_eq!(model.counts().total, 7_721_324_544);
}

/// What chooses the keys of sparse attention scores all of them.
#[test]
fn an_indexer_scores_every_key() {
    let glm = real("zai-org__GLM-5");
    let scores: Vec<_> =
        glm.kinds()[0].operations().filter(|operation| operation.name.contains("scores")).collect();
    assert_eq!(scores.iter().map(|operation| operation.name).collect::<Vec<_>>(), ["index_scores", "scores"]);
    assert!(matches!(scores[0].work, Work::Attention { mask: Mask::Causal, .. }));
    assert!(matches!(scores[1].work, Work::Attention { mask: Mask::Chosen(2048), .. }));
    assert!(masks(&glm).iter().all(|mask| *mask == Some(Mask::Chosen(2048))));
}
